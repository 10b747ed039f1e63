//! plan-lint on small projects: each check fires where it should and is quiet where it should be.

use camino::Utf8Path;
use gsd_engine::diag::Diagnostic;
use gsd_engine::lint::{self, WorkTree};
use gsd_engine::planning::{Phase, Planning};
use std::fmt::Write;

fn phases(root: &Utf8Path) -> Vec<Phase> {
    let planning = Planning::open(root).expect("a planning folder");
    let directories = planning.phases().expect("phases");
    directories.iter().map(|directory| planning.load(directory).expect("a phase")).collect()
}

fn shown(diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let _ = writeln!(
            out,
            "{}[{}] {}:{} {}",
            diagnostic.level.word(),
            diagnostic.rule.code,
            diagnostic.at.file.name(),
            diagnostic.at.line(),
            diagnostic.message
        );
        let _ = writeln!(out, "    | {}", diagnostic.at.text());
        for related in &diagnostic.related {
            let at = &related.at;
            let _ = writeln!(out, "    + {}:{} {}", at.file.name(), at.line(), related.message);
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "    = {help}");
        }
    }
    out
}

/// `fires` must report the code, `quiet` must report nothing at all: what is said about a right
/// project is a false alarm, whichever check says it.
#[test]
fn each_check_fires_and_is_quiet() {
    let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint");
    let mut wrong = String::new();
    for rule in lint::RULES {
        let name = rule.code.strip_prefix("plan/").expect("the area of plan-lint");
        let root = folder.join(name).join("fires");
        let found = all(&root);
        if !found.iter().any(|diagnostic| diagnostic.rule.code == rule.code) {
            let _ = writeln!(wrong, "{name} does not fire, but:\n{}", shown(&found));
        }
        let settings = {
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path(folder.join(name));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings
        };
        settings.bind(|| insta::assert_snapshot!("fires", shown(&found)));
        for diagnostic in found.iter().filter(|one| one.level > one.rule.level) {
            // Who looks the code up must not be told that it is harmless.
            let _ = writeln!(wrong, "{} is graver than its rule", diagnostic.rule.code);
        }
        let alarms = all(&folder.join(name).join("quiet"));
        if !alarms.is_empty() {
            let _ = writeln!(wrong, "{name} is not quiet:\n{}", shown(&alarms));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let folders = std::fs::read_dir(&folder).expect("fixtures").count();
    assert_eq!(folders, lint::RULES.len(), "each folder belongs to a check");
}

/// The diagnostics of the last phase of a project.
fn all(root: &Utf8Path) -> Vec<Diagnostic> {
    let phase = phases(root).pop().expect("a phase");
    lint::run(&phase, &WorkTree::new(root))
}

/// Right plans in the shapes, languages and customs of the field: nothing may be said about them.
#[test]
fn right_plans_of_the_field_raise_no_alarm() {
    let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field");
    let mut alarms = String::new();
    for entry in folder.read_dir_utf8().expect("projects") {
        let root = entry.expect("a project").into_path();
        for phase in phases(&root) {
            let found = lint::run(&phase, &WorkTree::new(&root));
            if !found.is_empty() {
                let name = root.file_name().unwrap_or_default();
                let _ = writeln!(alarms, "{name}:\n{}", shown(&found));
            }
        }
    }
    assert!(alarms.is_empty(), "{alarms}");
}

/// The class of a fault in the answer key, and the codes that tell it.
const CLASSES: &[(&str, &[&str])] = &[
    ("acceptance-vague", &["plan/criteria-vague"]),
    ("artifact-impossible", &["plan/artifact-impossible"]),
    ("autonomous-checkpoint", &["plan/autonomous-checkpoint"]),
    ("citation-missing-file", &["plan/citation-missing"]),
    ("citation-out-of-range", &["plan/citation-range"]),
    ("decision-reduced", &["plan/decision-reduced"]),
    ("decision-uncovered", &["plan/decision-uncovered"]),
    ("deferred-done", &["plan/deferred-done"]),
    ("depends-unknown", &["plan/depends-unknown"]),
    ("depends-wave", &["plan/depends-wave"]),
    ("edit-missing", &["plan/edit-missing"]),
    ("files-modified-incomplete", &["plan/files-unlisted"]),
    ("key-link-impossible", &["plan/key-link-missing", "plan/key-link-pattern"]),
    ("one-way-undecided", &["plan/one-way-undecided"]),
    ("open-question", &["plan/open-question"]),
    ("placeholder", &["plan/placeholder"]),
    ("read-missing", &["plan/read-missing"]),
    ("requirement-uncovered", &["plan/requirement-uncovered"]),
    ("requirement-unknown", &["plan/requirement-unknown"]),
    ("requirements-empty", &["plan/requirements-empty"]),
    ("secret", &["plan/secret"]),
    ("task-field-missing", &["plan/task-incomplete"]),
    ("too-many-tasks", &["plan/too-many-tasks"]),
    ("verify-cannot-fail", &["plan/verify-cannot-fail"]),
    ("verify-unknown-script", &["plan/verify-unknown-script"]),
    ("wave-collision", &["plan/wave-conflict"]),
];

/// A fault of the example: its class, and where it may be pointed at.
struct Fault {
    id: String,
    class: String,
    places: Vec<(String, usize)>,
    beyond_linter: bool,
}

fn answer_key(root: &Utf8Path) -> Vec<Fault> {
    let text = std::fs::read_to_string(root.join("answer-key.json")).expect("the answer key");
    let entries: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a list");
    let place = |value: &serde_json::Value| {
        let line = usize::try_from(value["line"].as_u64().expect("a line")).expect("small");
        (value["file"].as_str().expect("a file").to_owned(), line)
    };
    let fault = |entry: &serde_json::Value| Fault {
        id: entry["id"].as_str().expect("an id").to_owned(),
        class: entry["class"].as_str().expect("a class").to_owned(),
        places: std::iter::once(entry)
            .chain(entry["also"].as_array().into_iter().flatten())
            .map(place)
            .collect(),
        beyond_linter: entry["beyond_linter"] == true,
    };
    entries.iter().map(fault).collect()
}

fn tells(diagnostic: &Diagnostic, fault: &Fault) -> bool {
    let codes = CLASSES.iter().find(|(class, _)| *class == fault.class).map(|(_, codes)| *codes);
    codes.is_some_and(|codes| codes.contains(&diagnostic.rule.code))
        && fault.places.iter().any(|(file, line)| {
            diagnostic.at.file.name() == file && diagnostic.at.line().abs_diff(*line) <= 3
        })
}

/// The example has planted faults and a phase without any. Nine of ten must be found, and nothing
/// else may be said.
#[test]
fn the_example_is_judged_as_its_answer_key_says() {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/feedback-board");
    let key = answer_key(&root);
    let mut phases = phases(&root).into_iter();
    let (faulty, clean) = (phases.next().expect("phase 1"), phases.next().expect("phase 2"));
    let found = lint::run(&faulty, &WorkTree::new(&root));

    let sought: Vec<&Fault> = key.iter().filter(|fault| !fault.beyond_linter).collect();
    let missed: Vec<&str> = sought
        .iter()
        .filter(|fault| !found.iter().any(|diagnostic| tells(diagnostic, fault)))
        .map(|fault| fault.id.as_str())
        .collect();
    assert!(missed.len() * 10 <= sought.len(), "missed: {}", missed.join(", "));

    let extra: Vec<Diagnostic> = found
        .into_iter()
        .filter(|diagnostic| !key.iter().any(|fault| tells(diagnostic, fault)))
        .collect();
    assert!(extra.is_empty(), "not in the key:\n{}", shown(&extra));
    let alarms = lint::run(&clean, &WorkTree::new(&root));
    assert!(alarms.is_empty(), "the clean phase:\n{}", shown(&alarms));
}

/// The form that plan-lint has as a lane: every plan by name, findings that can be read back, the
/// digest of every plan, and no secret.
#[test]
fn a_review_names_every_plan_and_proves_that_it_was_read() {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/feedback-board");
    for phase in phases(&root) {
        let found = lint::run(&phase, &WorkTree::new(&root));
        let text = lint::review_text(&phase, &found);
        for plan in &phase.plans {
            let path = &plan.document.path;
            assert!(text.contains(&format!("## {}\n", path.file_name())), "{path}");
            let proof = format!("plan {path} sha256:{}", plan.document.sha256);
            assert!(text.lines().any(|line| line == proof), "{proof}");
        }
        let block = text.split("```gsd-findings\n").nth(1).expect("a block");
        let block = block.split("\n```\n").next().expect("an end");
        let findings: Vec<serde_json::Value> = serde_json::from_str(block).expect("JSON");
        assert_eq!(findings.len(), found.len());
        for (finding, diagnostic) in findings.iter().zip(&found) {
            assert_eq!(finding["code"], diagnostic.rule.code);
            let evidence = &finding["evidence"][0];
            let line = usize::try_from(evidence["line"].as_u64().expect("a line")).expect("small");
            assert_eq!(line, diagnostic.at.line());
            let file = std::fs::read_to_string(root.join(evidence["path"].as_str().expect("path")));
            let file = file.expect("a file of the project");
            let there = file.lines().nth(line - 1).expect("the line");
            if let Some(quote) = evidence["quote"].as_str() {
                assert!(there.contains(quote), "{quote} in {there}");
            }
        }
        assert!(!text.contains("AKIAFEEDBOARD"), "a secret is shown");
        assert!(!shown(&found).contains("AKIAFEEDBOARD"), "a secret is shown");
    }
}

/// A project with one plan.
fn project(plan: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let phase = dir.path().join(".planning/phases/01-demo");
    std::fs::create_dir_all(&phase).expect("a folder");
    std::fs::write(phase.join("01-01-PLAN.md"), plan).expect("a plan");
    std::fs::create_dir_all(dir.path().join("src")).expect("a folder");
    std::fs::write(dir.path().join("src/a.ts"), "export const a = 1\n").expect("a source");
    dir
}

fn judge(plan: &str) -> Vec<Diagnostic> {
    let dir = project(plan);
    let root = Utf8Path::from_path(dir.path()).expect("UTF-8");
    let phase = phases(root).pop().expect("a phase");
    let found = lint::run(&phase, &WorkTree::new(root));
    let _ = lint::review_text(&phase, &found);
    found
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    /// A real plan with anything put anywhere, and with anything cut out, is judged without a
    /// panic, and every place is in its text.
    #[test]
    fn torn_plans_are_judged(
        cuts in proptest::collection::vec((0.0f64..1.0, 0usize..200), 0..4),
        bits in proptest::collection::vec(
            (0.0f64..1.0, proptest::sample::select(vec![
                "`", "```", "\"", "<task>", "</task>", "---\n", "\u{202e}", "\u{e9}\u{301}", "\u{1f980}", "D-01",
                "src/\u{fc}.ts:0", "src/a.ts:99999999999999999999", "TBD", "${", "$(", "&amp;&amp;", "\r\n", "\0",
                "|| true", "<automated>", "</automated>", "[", "((", "\u{feff}", "password = \"", "-----BEGIN PRIVATE KEY-----",
            ])), 0..12),
    ) {
        let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/feedback-board");
        let plan = root.join(".planning/phases/01-votes-and-comments/01-02-PLAN.md");
        let mut text = std::fs::read_to_string(plan).expect("the plan");
        let boundary = |text: &str, share: f64| {
            let mut at = (text.len() as f64 * share) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        for (share, length) in cuts {
            let start = boundary(&text, share);
            let mut end = (start + length).min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.replace_range(start..end, "");
        }
        for (share, bit) in bits {
            let at = boundary(&text, share);
            text.insert_str(at, bit);
        }
        for diagnostic in judge(&text) {
            let at = &diagnostic.at;
            proptest::prop_assert!(at.file.text().get(at.span.clone()).is_some(), "{:?}", at);
        }
    }
}

/// Whatever is repeated without end is judged in time that grows with its length, and the number
/// of diagnostics has a bound. A check that looks back from every word would take hours here.
#[test]
fn endless_repetition_is_judged_in_time() {
    for bit in [
        "((",
        "`",
        "`a ``b ",
        "a/b.ts ",
        "src/x.ts:9 ",
        "D-1/2, ",
        "TBD ",
        "word ",
        "password=",
        "eyJ.",
        "://a:b@",
        "-----BEGIN PRIVATE KEY-----",
        "<task>",
        "<!--",
        "src/x.ts,",
        "create `src/y.ts` and ",
        "\"",
        "a && ",
    ] {
        let text = bit.repeat(60_000 / bit.len());
        let plan = format!(
            "---\nwave: 1\n---\n<tasks>\n<task type=\"auto\">\n<files>{text}</files>\n<action>\n{text}\n\
             </action>\n<verify><automated>{text}</automated></verify>\n<done>{text}</done>\n</task>\n</tasks>\n"
        );
        let start = std::time::Instant::now();
        let found = judge(&plan);
        assert!(found.len() < 1000, "{bit}: {} diagnostics", found.len());
        // Far above what it takes, far below what a square would.
        assert!(start.elapsed().as_secs() < 60, "{bit}: {:?}", start.elapsed());
    }
}
