//! The page that says which test has which scenario names tests that exist, and every scenario.

use std::collections::BTreeMap;

const PAGE: &str = include_str!("../scenarios.md");
/// The cases of programs and servers; the numbers have gaps.
const CASES: [u32; 30] = [
    1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 21, 25, 26, 41, 42, 44, 46, 48, 49, 50, 52, 53, 56,
    66, 69, 72, 98, 106,
];

/// The cells of the rows of the page.
fn rows() -> Vec<[&'static str; 3]> {
    let rows = PAGE.lines().filter(|line| line.starts_with("| RT-") || line.starts_with("| C-"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        cells.try_into().unwrap_or_else(|_| panic!("three cells: {row}"))
    })
    .collect()
}

#[test]
fn every_scenario_has_a_row() {
    let runs = (1..=57).map(|number| format!("RT-{number:02}"));
    let cases = CASES.iter().map(|number| format!("C-{number:03}"));
    let expected: Vec<String> = runs.chain(cases).collect();
    assert_eq!(rows().iter().map(|[id, ..]| *id).collect::<Vec<_>>(), expected);
    let bare: Vec<&str> =
        rows().iter().filter(|[_, _, tests]| !tests.contains("::")).map(|[id, ..]| *id).collect();
    assert_eq!(bare, ["C-004"], "what has no test");
}

#[test]
fn every_test_that_a_row_names_exists() {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for [id, _, tests] in rows() {
        for named in tests.split('`').filter(|named| named.contains("::")) {
            let (file, function) = named.rsplit_once("::").unwrap();
            let path = format!("{}/../{file}.rs", env!("CARGO_MANIFEST_DIR"));
            let source = sources.entry(path.clone()).or_insert_with(|| {
                std::fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{id} {file}: {error}"))
            });
            let (before, _) = source
                .split_once(&format!("fn {function}("))
                .unwrap_or_else(|| panic!("{id}: no `{function}` in {file}"));
            let attributes = before.rsplit("\n\n").next().unwrap_or_default();
            assert!(attributes.contains("#[test]"), "{id}: `{named}` is no test");
        }
    }
}
