use crate::review::findings::{Extracted, extract};
use crate::review::prompt;
use crate::review::record::{FindingsSource, Plan};
use proptest::prelude::*;

fn census() -> Vec<Plan> {
    ["03-01", "03-02"]
        .map(|id| Plan {
            id: id.into(),
            path: format!(".planning/phases/03-x/{id}-PLAN.md"),
            bytes: 1,
            lines: 1,
            sha256: "0".repeat(64),
        })
        .into()
}

/// One line for each finding: kind, severity, plan, title, places, what to do.
fn shown(text: &str) -> String {
    let extracted = extract("codex", text, &census());
    let Extracted { source, findings, dropped, unreadable_blocks } = extracted;
    let mut lines = vec![match unreadable_blocks {
        0 => format!("{source:?} {dropped}"),
        blocks => format!("{source:?} {dropped}, {blocks} unreadable"),
    }];
    for f in findings {
        let places: Vec<String> =
            f.evidence.iter().map(|e| format!("{}:{:?}", e.path, e.line.unwrap_or(0))).collect();
        lines.push(format!(
            "{} {} {} | {} | {} | {}",
            f.kind.word(),
            f.severity.word(),
            f.plan.as_deref().unwrap_or("-"),
            f.title,
            places.join(" "),
            f.suggestion.as_deref().unwrap_or("-"),
        ));
    }
    lines.join("\n")
}

#[test]
fn lists_under_the_usual_headings() {
    let text = "Now let me look.\n\n# Review\n\n## 03-01-PLAN.md\n\n### Summary\nGood plan.\n- not a finding\n\n\
### Strengths\n- Clear tasks (`src/db/posts.ts:12`).\n* Small\n\n### Concerns\n\
- **HIGH**: The feed query ignores `deleted_at` (src/db/posts.ts:88). Deleted posts come back.\n  \
  It is used in `src/app/feed/page.tsx:14`.\n  - Suggestion: add a filter\n\
- [MEDIUM] **No index on `created_at`** — the sort is slow, see `migrations/0007.sql` line 3\n\
- (low) naming\n- Nothing limits the page size (HIGH)\n- None\n\n### Suggestions\n1. Use a cursor\n2) Add tests for `getPosts`\n\n\
### Risk Assessment\n- MEDIUM overall\n\n## Plan 03-02\n\n**Concerns:**\n\n- High: wave conflict with 03-01\n";
    insta::assert_snapshot!(shown(text), @r"
    Prose 0
    strength low 03-01 | Clear tasks | src/db/posts.ts:12 | -
    strength low 03-01 | Small |  | -
    concern high 03-01 | The feed query ignores `deleted_at` | src/db/posts.ts:88 src/app/feed/page.tsx:14 | add a filter
    concern medium 03-01 | No index on `created_at` | migrations/0007.sql:3 | -
    concern low 03-01 | naming |  | -
    concern high 03-01 | Nothing limits the page size |  | -
    suggestion low 03-01 | Use a cursor |  | -
    suggestion low 03-01 | Add tests for `getPosts` |  | -
    concern high 03-02 | wave conflict with 03-01 |  | -
    ");
}

#[test]
fn headings_that_are_findings() {
    let text = "## Findings\n\n### 1. [HIGH] Deleted posts come back\n\nThe query in `src/db/posts.ts:88` has no filter.\n\n\
- **Evidence:** `src/db/posts.ts:88`\n- **Fix:** add `isNull(deleted_at)`\n\n### 2. Medium — No rate limit\n\nSee 03-02.\n\n\
## Critical Issues\n\n- The token is logged (src/auth.ts:4)\n\n## HIGH\n\n- one more thing that is bad\n\n## Open Questions\n\n- Who owns the index?\n";
    insta::assert_snapshot!(shown(text), @r"
    Prose 0
    concern high - | Deleted posts come back | src/db/posts.ts:88 | add `isNull(deleted_at)`
    concern medium 03-02 | No rate limit |  | -
    concern high - | The token is logged | src/auth.ts:4 | -
    concern high - | one more thing that is bad |  | -
    question low - | Who owns the index? |  | -
    ");
}

#[test]
fn tables() {
    let text = "## Concerns\n\n| # | Severity | Issue | Location | Recommendation |\n|---|---|---|---|---|\n\
| 1 | 🔴 High | `getFeed` has no \\| limit | src/feed.ts:9 | Limit it |\n| 2 | Low | Typo in 03-02 | | n/a |\n| 3 | low | None | | |\n\n\
| Plan | Verdict |\n| --- | --- |\n| 03-01 | fine |\n";
    insta::assert_snapshot!(shown(text), @r"
    Prose 0
    concern high - | `getFeed` has no | limit | src/feed.ts:9 | Limit it
    concern low 03-02 | Typo in 03-02 |  | -
    ");
}

#[test]
fn paragraphs_labels_and_underlines() {
    let text = "Concerns\n--------\n\nHIGH: the migration in `migrations/1.sql:3` drops a column\nthat is still read.\n\n\
Low priority - names differ.\n\nHigh availability is not affected.\n\n**Risks**\n\n* Risk: the cache is stale\n* **Strength:** good tests\n\
* Question (minor): why two tables?\n\nSuggestions:\n\n- merge the tables\n";
    insta::assert_snapshot!(shown(text), @r"
    Prose 0
    concern high - | the migration in `migrations/1.sql:3` drops a column that is still read | migrations/1.sql:3 | -
    concern low - | names differ |  | -
    concern medium - | the cache is stale |  | -
    strength low - | good tests |  | -
    question low - | why two tables? |  | -
    suggestion low - | merge the tables |  | -
    ");
}

#[test]
fn restating_is_no_finding() {
    let text = "The plans add a feed.\n\nPlan 03-01 writes the query in src/db/posts.ts.\n\n- It has two tasks\n- It has tests\n\nAll looks good.\n";
    assert_eq!(shown(text), "None 0");
    assert_eq!(shown(""), "None 0");
    assert_eq!(shown("## Concerns\n\nNone.\n\n- No concerns identified.\n- N/A\n"), "None 0");
}

#[test]
fn the_block_goes_first() {
    let text = "## Concerns\n- HIGH: from prose\n\n```gsd-findings\n[{\"title\": \"from the block\", \"severity\": \"low\", \"plan\": \"03-02-PLAN.md\"}]\n```\n";
    assert_eq!(shown(text), "Block 0\nconcern low 03-02 | from the block |  | -");
    let broken = text.replace("[{\"title\"", "nothing here");
    assert!(shown(&broken).starts_with("Prose"), "{}", shown(&broken));
}

/// A lane that repeats the prompt has said nothing.
#[test]
fn an_echo_of_the_prompt_holds_no_finding() {
    let plan = prompt::PlanDocument {
        document: prompt::Document {
            path: "03-01-PLAN.md",
            text: "<task>\n  <name>A</name>\n</task>\n",
        },
        nonce: None,
    };
    let text = prompt::build(&prompt::Input {
        number: Some("03"),
        name: "x",
        access: prompt::Access::Repository,
        token: "0123456789abcdef".into(),
        project: None,
        roadmap: None,
        requirements: None,
        context: vec![],
        research: vec![],
        plans: vec![plan],
        cut: None,
    });
    let extracted = extract("codex", &text, &census());
    assert_eq!(extracted.source, FindingsSource::None, "{:#?}", extracted.findings);
}

fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# "),
        Just("## Concerns\n"),
        Just("### HIGH"),
        Just("- "),
        Just("1. "),
        Just("**"),
        Just("HIGH"),
        Just(": "),
        Just("[Low]"),
        Just("|"),
        Just("| Severity | Issue |\n|---|---|\n"),
        Just("\n"),
        Just("\n\n"),
        Just("  "),
        Just("```"),
        Just("gsd-findings"),
        Just("{\"title\":\"x\"}"),
        Just("["),
        Just("]"),
        Just("`"),
        Just("src/a.rs:4"),
        Just("03-01"),
        Just("Suggestion: "),
        Just("Severity: high"),
        Just("None"),
        Just("é"),
        Just("İ"),
        Just("\u{202e}"),
        Just("---\n"),
        Just("==="),
        Just("("),
        Just(")"),
        Just("\t"),
        Just("x y z"),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_review_is_read(text in prop_oneof![nasty(), any::<String>()]) {
        let extracted = extract("codex", &text, &census());
        let mut ids: Vec<&str> = extracted.findings.iter().map(|f| f.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), extracted.findings.len(), "ids are unique in a lane");
        for finding in &extracted.findings {
            prop_assert!(!finding.title.trim().is_empty());
            prop_assert!(!finding.title.contains('\n') && finding.title.chars().count() <= 200);
            prop_assert!(finding.claim.chars().count() <= 4000 && finding.evidence.len() <= 10);
            let deceptive = |text: &str| text.contains('\u{202e}');
            prop_assert!(!deceptive(&finding.title) && !deceptive(&finding.claim));
        }
        // The same text gives the same findings.
        prop_assert_eq!(extract("codex", &text, &census()), extracted);
    }
}

#[test]
fn a_flood_is_bounded() {
    let many: String = (0..5000).map(|n| format!("- HIGH: finding number {n} of many\n")).collect();
    let extracted = extract("codex", &format!("## Concerns\n{many}"), &census());
    assert_eq!(extracted.findings.len(), 400);
    let long = format!("## Concerns\n- HIGH: {}\n", "x ".repeat(500_000));
    let extracted = extract("codex", &long, &census());
    assert!(extracted.findings[0].claim.len() < 10_000);
}
