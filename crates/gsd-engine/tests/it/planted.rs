//! A project whose faults were planted by somebody who had seen the list of codes and not the
//! checks: the measure of what plan-lint finds in plans that it was not written for.

use camino::Utf8PathBuf;
use gsd_engine::diag::Diagnostic;
use gsd_engine::lint::{self, WorkTree};
use gsd_engine::planning::{PhaseSpec, Planning};
use serde_json::Value;

fn folder(name: &str) -> Utf8PathBuf {
    Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/planted").join(name)
}

fn found(name: &str) -> Vec<Diagnostic> {
    let root = folder(name);
    let planning = Planning::open(&root).unwrap();
    let spec = PhaseSpec::parse("7", &root).unwrap();
    let phase = planning.load(&planning.find(&spec).unwrap()).unwrap();
    let mut found = phase.diagnostics.clone();
    found.extend(lint::run(&phase, &WorkTree::new(&root)));
    found
}

/// A fault counts as found if a diagnostic of its code points at its place or near it.
fn finds(fault: &Value, found: &[Diagnostic]) -> bool {
    let text = |key: &str| fault[key].as_str().unwrap();
    let line = fault["line"].as_u64().unwrap();
    let (first, last) = match fault["span"].as_array() {
        Some(span) => (span[0].as_u64().unwrap(), span[span.len() - 1].as_u64().unwrap()),
        None => (line, line),
    };
    let also = fault["also"].as_array().cloned().unwrap_or_default();
    let fits = |code: &str| text("code") == code || also.iter().any(|other| other == code);
    found.iter().filter(|diagnostic| fits(diagnostic.rule.code)).any(|diagnostic| {
        let places = diagnostic.related.iter().map(|related| &related.at);
        places.chain([&diagnostic.at]).any(|at| {
            let line = at.line() as u64;
            at.file.name() == text("file") && line + 3 >= first && line <= last + 3
        })
    })
}

#[test]
fn most_planted_faults_are_found() {
    let key = std::fs::read_to_string(folder("key.json")).unwrap();
    let key: Vec<Value> = serde_json::from_str(&key).unwrap();
    assert_eq!(key.len(), 20);
    let found = found("faulty");
    let missed: Vec<&str> = key
        .iter()
        .filter(|fault| !finds(fault, &found))
        .map(|fault| fault["id"].as_str().unwrap())
        .collect();
    assert!(missed.len() <= 4, "missed {missed:?}");
}

#[test]
fn without_the_faults_there_is_nothing_to_say() {
    let found: Vec<_> = found("clean").iter().map(|d| (d.rule.code, d.message.clone())).collect();
    assert_eq!(found, []);
}
