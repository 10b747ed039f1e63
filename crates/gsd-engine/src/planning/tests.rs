//! What must hold for every text, however broken.

use super::plan::{self, Document, Plan, PlanId};
use super::spanned::Prose;
use super::{context, requirements, research, roadmap, state};
use crate::diag::{Diagnostic, SourceFile};
use crate::id::RelPath;
use proptest::prelude::*;
use std::fmt::Debug;

pub(super) fn document(text: &str) -> Document {
    let path = RelPath::parse("03-01-PLAN.md").expect("a path");
    let file = SourceFile::new(path.as_str(), text);
    let lines = file.line_count() as u64;
    Document { path, file, bytes: text.len() as u64, lines, sha256: String::new() }
}

pub(super) fn read(text: &str) -> (Plan, Vec<Diagnostic>) {
    let mut diagnostics = vec![];
    let plan = plan::read(PlanId("03-01".to_owned()), document(text), &mut diagnostics);
    (plan, diagnostics)
}

/// All that was read from a text taken as each kind of document, without the text itself.
fn everything(text: &str) -> String {
    let (plan, diagnostics) = read(text);
    let mut out = String::new();
    let mut add = |value: &dyn Debug| out.push_str(&format!("{value:?}\n"));
    add(&(&plan.frontmatter, plan.shape, &plan.objective, &plan.context_refs));
    add(&(&plan.execution_refs, &plan.interfaces, &plan.tasks, &plan.verification));
    add(&(&plan.success_criteria, &plan.threat_model, &plan.output));
    for found in diagnostics {
        add(&(found.rule.code, found.at.span, found.message));
    }
    add(&roadmap::read(document(text)).phases);
    let requirements = requirements::read(document(text));
    add(&(requirements.requirements, requirements.traceability));
    let state = state::read(document(text));
    add(&(state.current_phase, state.status));
    let context = context::read(document(text));
    add(&(context.decisions, context.deferred, context.canonical_refs));
    add(&(context.domain, context.specifics));
    let research = research::read(document(text));
    add(&(research.open_questions, research.pitfalls));
    out
}

/// The ranges `a..b` in a debug text.
fn ranges(debug: &str) -> Vec<(std::ops::Range<usize>, usize, usize)> {
    let mut found = vec![];
    let bytes = debug.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut at = 0;
    while let Some(dots) = debug[at..].find("..").map(|offset| at + offset) {
        let mut start = dots;
        while start > 0 && bytes[start - 1].is_ascii_digit() {
            start -= 1;
        }
        let end = digits(dots + 2);
        let numbers = (debug[start..dots].parse(), debug[dots + 2..end].parse());
        let spaced = matches!(start.checked_sub(1).map(|at| bytes[at]), Some(b' ' | b'('));
        if let (Ok(from), Ok(to)) = numbers
            && spaced
        {
            found.push((start..end, from, to));
        }
        at = dots + 2;
    }
    found
}

fn without_ranges(debug: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (range, _, _) in ranges(debug) {
        out.push_str(&debug[at..range.start]);
        out.push('_');
        at = range.end;
    }
    out.push_str(&debug[at..]);
    out
}

fn proses(plan: &Plan) -> Vec<&Prose> {
    let parts = [&plan.objective, &plan.interfaces, &plan.verification, &plan.success_criteria];
    let mut found: Vec<&Prose> = parts.into_iter().flatten().collect();
    for task in &plan.tasks {
        let parts = [&task.action, &task.behavior, &task.done, &task.how_to_verify];
        found.extend(parts.into_iter().flatten());
        found.extend(task.verify.iter().map(|verify| &verify.prose));
        found.extend(task.other.iter().map(|part| &part.value.prose));
    }
    found
}

/// Pieces of planning files in any order: what makes readers stumble.
fn soup() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "---\n",
        "---",
        "\n",
        "\n\n",
        " ",
        "  ",
        "    ",
        "\t",
        "phase: 3\n",
        "wave: 1\n",
        "plan: ",
        "depends_on: [\"03-01\", x]\n",
        "must_haves:\n  truths:\n    - \"a\"\n",
        "- path: b.rs\n",
        "      provides: c: d\n",
        "key_links:\n",
        "- ",
        "* ",
        "1. ",
        "[ ] ",
        "[x] ",
        "[",
        "]",
        "{",
        "}",
        ": ",
        ":",
        "\"",
        "'",
        "|\n",
        ">-\n",
        "&a ",
        "*a",
        "!!x ",
        "# ",
        "## ",
        "### ",
        "## Tasks\n",
        "### Task 1: Name\n",
        "**Files:** a.rs, `b.rs`\n",
        "**Action**: do\n",
        "Verify: `npm test`\n",
        "<task type=\"auto\">\n",
        "<task>",
        "</task>\n",
        "<name>",
        "</name>",
        "<action>\n",
        "</action>\n",
        "<verify><automated>",
        "</automated></verify>\n",
        "<files>",
        "</files>",
        "<acceptance_criteria>\n",
        "<context>\n",
        "</context>\n",
        "<objective>\n",
        "<tasks>\n",
        "</tasks>\n",
        "```\n",
        "~~~\n",
        "`",
        "<!--",
        "-->",
        "<",
        ">",
        "&",
        "é",
        "字",
        "\u{0}",
        "D-01",
        "- **D-02:** x\n",
        "- [ ] **A-01**: y\n",
        "A-01..A-03 ",
        "- [x] **Phase 2.1: Name** — z\n",
    ];
    let piece = prop_oneof![
        8 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => "[a-z ]{1,8}",
        1 => any::<char>().prop_map(String::from),
    ];
    let pieces = proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat());
    // Most of the texts are whole documents with something wrong in one place.
    (pieces, prop_oneof![Just(""), Just(PLAN), Just(DOCUMENTS)], any::<proptest::sample::Index>())
        .prop_map(|(pieces, plan, at)| {
            let mut cut = if plan.is_empty() { 0 } else { at.index(plan.len()) };
            while !plan.is_char_boundary(cut) {
                cut -= 1;
            }
            format!("{}{pieces}{}", &plan[..cut], &plan[cut..])
        })
}

const DOCUMENTS: &str = r"---
current_phase: 2.1
next_phases: [3]
---
- [x] **Phase 2: Störe** — kept
- [ ] **Phase 2.1: Repair** (INSERTED)

### Phase 2: Störe
**Goal**: It is kept,
after a restart
**Requirements**: A-01..A-03, SEC-HARD
**Success Criteria** (what must be TRUE):
  1. One
  2. Two
**Plans:** 2/3 plans
- [x] 02-01-PLAN.md — table

## v1 Requirements
- [ ] **A-01**: First
  goes on
## v2 Requirements
- **A-02** — second
| A-01..A-02 | Phase 2 | Done |

<decisions>
- **D-01 (locked):** Use a file
  and lock it
### Discretion
- Names
</decisions>
## Canonical References
- `docs/a.md` — rules
<deferred>
- Search
</deferred>
## Open Questions
1. **Why?** Resolution: so
2. Who?
## Pitfalls
### Pitfall 1: Clocks
They move.
";

const PLAN: &str = r#"---
phase: 03-store
plan: "02"
type: execute
wave: 2
depends_on: ["03-01"]
files_modified:
  - src/störe.rs
  - src/lib.rs # the list
autonomous: true
requirements: [A-01, A-02]
must_haves:
  truths:
    - "Entries survive: a restart"
  artifacts:
    - path: src/störe.rs
      provides: |
        The store,
        on disk
      min_lines: 20
      exports: [open, "close"]
    - src/lib.rs
  key_links:
    - from: src/lib.rs
      to: src/störe.rs
      via: 'use'
      pattern: "open\("
---

<objective>
Keep entries.
</objective>

<context>
@.planning/STATE.md
@src/lib.rs
</context>

<tasks>
<task type="auto" tdd="true">
  <name>Task 1: Störe</name>
  <files>src/störe.rs, src/lib.rs</files>
  <action>
    Write `Vec<u8>` & more (D-01):
    ```rust
    fn open() -> Result<(), ()> {}
    ```
  </action>
  <verify><automated>cargo test</automated></verify>
  <acceptance_criteria>
    - It opens
      and closes
    - It fails on a directory
  </acceptance_criteria>
  <done>Entries are kept.</done>
</task>
</tasks>

### Task 2: By heading
**Files:** `a.rs`
**Verify:** `make check`

<verification>
- `cargo test` passes
</verification>
"#;

fn check_spans(text: &str) {
    for (_, from, to) in ranges(&everything(text)) {
        assert!(text.get(from..to).is_some(), "{from}..{to} of {text:?}");
    }
    let (plan, _) = read(text);
    for prose in proses(&plan) {
        for line in &prose.lines {
            assert_eq!(&text[line.span.clone()], line.value, "in {text:?}");
        }
    }
}

#[test]
fn rules_are_sorted_and_documented() {
    assert!(super::RULES.is_sorted_by(|a, b| a.code < b.code));
    let documented = |rule: &&crate::diag::Rule| {
        rule.docs.contains("Wrong: ") && rule.docs.contains("Right: ") && rule.docs.ends_with('\n')
    };
    assert!(super::RULES.iter().all(documented));
}

/// Each case reads a text many times, so half of the usual number does.
fn settings() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 2, failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn pieces_in_any_order_are_read(text in soup()) {
        check_spans(&text);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check_spans(&text);
    }

    #[test]
    fn line_ends_and_byte_order_marks_change_nothing(text in soup()) {
        // A lone CR is a character like any other; only whole files change their style.
        let text = text.replace('\r', "");
        let plain = without_ranges(&everything(&text));
        for other in [text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            prop_assert_eq!(&without_ranges(&everything(&other)), &plain, "{:?}", other);
        }
        let unfinished = text.trim_end_matches('\n');
        let finished = format!("{unfinished}\n");
        prop_assert_eq!(
            without_ranges(&everything(unfinished)),
            without_ranges(&everything(&finished))
        );
    }
}
