//! Every rule about manifests has a folder of inputs that fire it and of inputs that do not, and a
//! snapshot of what is said about those that do.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::diag::{Diagnostic, Level, SourceFile};
use gsd_engine::json::{self, Dialect};
use gsd_engine::registry::{Strictness, validate};
use std::fmt::Write;

/// Areas whose rules look at other things than manifests; their own tests have their inputs.
const ELSEWHERE: [&str; 4] = ["config", "lane", "plan", "planning"];

fn folder() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules")
}

/// The inputs below a folder, sorted by name.
fn cases(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Ok(entries) = folder.read_dir_utf8() else { return vec![] };
    let mut cases: Vec<_> = entries.map(|entry| entry.expect("an entry").into_path()).collect();
    cases.sort();
    cases
}

fn check(code: &str, case: &Utf8Path) -> Vec<Diagnostic> {
    if code == json::RULES[1].code {
        // Only files that people keep by hand are read as JSON with comments.
        let text = std::fs::read_to_string(case).expect("a file");
        return json::parse(&SourceFile::new("config.json", text), Dialect::Relaxed).1;
    }
    // Cases of one folder may lie in several folders of bundles.
    let mut paths = vec![case.to_owned()];
    if case.join("one").is_dir() {
        paths = vec![case.join("one"), case.join("two")];
    }
    let base = case.parent().expect("a folder").to_owned();
    let shown = move |path: &Utf8Path| path.strip_prefix(&base).unwrap_or(path).to_string();
    validate(&paths, Strictness::Usual, &shown).expect("a manifest").diagnostics
}

/// Every diagnostic has a line and a column, and a JSON Pointer to a value that is there.
fn check_place(found: &Diagnostic) -> Result<(), String> {
    let places = std::iter::once(&found.at).chain(found.related.iter().map(|r| &r.at));
    for at in places {
        let position = at.position();
        let start = (position.line, position.column) == (1, 1);
        if at.text().is_empty() && !start {
            return Err(format!("marks nothing at {}:{}", position.line, position.column));
        }
        let pointer = at.pointer.as_deref().ok_or("has no pointer")?;
        let root = serde_json::from_str::<serde_json::Value>(at.file.text());
        if root.is_ok_and(|root| root.pointer(pointer).is_none()) {
            return Err(format!("points to {pointer}, where nothing is"));
        }
    }
    Ok(())
}

fn shown(found: &[Diagnostic]) -> String {
    let mut out = String::new();
    for found in found {
        let position = found.at.position();
        let at = format!("{}:{}:{}", found.at.file.name(), position.line, position.column);
        writeln!(out, "{}[{}] {at}", found.level, found.rule.code).unwrap();
        writeln!(out, "    {}", found.message).unwrap();
        let text: String = found.at.text().chars().take(60).collect();
        writeln!(out, "    > {}", text.lines().next().unwrap_or_default()).unwrap();
        if let Some(label) = &found.label {
            writeln!(out, "    ^ {label}").unwrap();
        }
        for related in &found.related {
            let line = related.at.line();
            writeln!(out, "    + {}:{line} {}", related.at.file.name(), related.message).unwrap();
        }
        if let Some(help) = &found.help {
            writeln!(out, "    = {help}").unwrap();
        }
        if let Some(fix) = &found.fix {
            writeln!(out, "    fix {}", fix.replacement).unwrap();
        }
    }
    out
}

#[test]
fn each_rule_fires_where_it_should_and_nowhere_else() {
    let mut wrong = String::new();
    for rule in gsd_engine::rules() {
        let area = rule.code.split('/').next().expect("an area");
        if ELSEWHERE.contains(&area) {
            continue;
        }
        let folder = folder().join(rule.code);
        let (fail, pass) = (cases(&folder.join("fail")), cases(&folder.join("pass")));
        if fail.is_empty() || pass.is_empty() {
            writeln!(wrong, "{} lacks inputs in {folder}", rule.code).unwrap();
            continue;
        }
        let mut said = String::new();
        for case in fail {
            let found = check(rule.code, &case);
            if !found.iter().any(|found| found.rule.code == rule.code) {
                writeln!(wrong, "{case} does not fire it, but:\n{}", shown(&found)).unwrap();
            }
            for found in &found {
                if let Err(what) = check_place(found) {
                    let (code, message) = (found.rule.code, &found.message);
                    writeln!(wrong, "{case}: {code} {what}: {message}").unwrap();
                }
            }
            writeln!(said, "## {}\n\n{}", case.file_stem().expect("a name"), shown(&found))
                .unwrap();
        }
        for case in pass {
            let found = check(rule.code, &case);
            let alarm =
                |found: &&Diagnostic| found.rule.code == rule.code || found.level == Level::Error;
            let alarms: Vec<Diagnostic> = found.iter().filter(alarm).cloned().collect();
            if !alarms.is_empty() {
                writeln!(wrong, "{case} should be quiet:\n{}", shown(&alarms)).unwrap();
            }
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("diagnostics", said));
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn no_folder_without_a_rule() {
    let codes: Vec<&str> = gsd_engine::rules().iter().map(|rule| rule.code).collect();
    for area in cases(&folder()) {
        for rule in cases(&area) {
            let code = rule.strip_prefix(folder()).expect("below");
            assert!(codes.contains(&code.as_str()), "{code} is no rule");
        }
    }
}
