//! The published JSON Schema and the validator say the same of a large generated corpus, except
//! for the rules that a schema cannot state. They are listed here and, for people who write
//! manifests, in `docs/how-to/write-a-capability.md`.

use gsd_engine::diag::{Level, SourceFile};
use gsd_engine::manifest::{Context, Origin, parse, schema};
use gsd_fuzz::mutate::Mutator;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Rules that need more than a look at one place: another field's value, the text before it became
/// values, a grammar that patterns make unreadable.
const BEYOND_A_SCHEMA: &[&str] = &[
    "gate/verdict-blocking",
    "hook/fragment-empty",
    "hook/matcher",
    "hook/unknown-role",
    "json/duplicate-key",
    "manifest/activation-key",
    "manifest/config-default",
    "manifest/config-overlap",
    "manifest/range",
    "manifest/ref-unowned",
    "manifest/requires-itself",
    "manifest/reserved-id",
    "manifest/runtime-compat",
    "manifest/too-many",
    "manifest/when-type",
    "manifest/when-unowned",
    "reviewer/agent-placeholder",
    "reviewer/bad-heading",
    "reviewer/bad-placeholder",
    "reviewer/handler-transport",
    "reviewer/model-placeholder",
    "reviewer/output-owner",
    "reviewer/output-placeholder",
    "reviewer/prompt-placeholder",
    "runtime/config-format",
    "runtime/converter-kind",
    "runtime/extended-events",
    "runtime/home-form",
    "runtime/hooks-surface",
    "runtime/local-dir",
    "runtime/local-home",
];

/// Inputs that are looked at; a mutation that is no JSON object does not count.
const INPUTS: u64 = 4_000;

/// gsd's own manifests and every input that a rule is tested with, right and wrong.
fn seeds() -> Vec<Vec<u8>> {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gsd-engine/tests/rules");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../capabilities");
    let mut seeds = vec![];
    for folder in [rules, own] {
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(folder).expect("a folder of this repository");
            let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            paths.sort();
            for path in paths {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "json") {
                    seeds.push(std::fs::read(path).expect("a file of this repository"));
                }
            }
        }
    }
    seeds
}

/// A manifest of gsd's own with another value at one place: values that a mutation hardly finds.
fn edges() -> Vec<Vec<u8>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../capabilities");
    let text = std::fs::read_to_string(own.join("ollama/capability.json")).expect("our own");
    let long = |count: usize| "k".repeat(count);
    let mut edges = vec![];
    let mut put = |pointers: &[&str], values: &[&str]| {
        for value in values {
            let mut manifest: Value = serde_json::from_str(&text).expect("JSON");
            for pointer in pointers {
                *manifest.pointer_mut(pointer).expect("a place of it") = Value::from(*value);
            }
            edges.push(manifest.to_string().into_bytes());
        }
    };
    let paths = ["/v1?x", "/v1#x", "/v1@x", "/v1\\x", "/v1%41", "/v1 x", "/v1/x-_.~", "/v1//x"];
    put(&["/reviewer/invoke/path"], &paths);
    put(&["/reviewer/probe/path"], &paths);
    let keys = [long(128), long(129), long(256), format!("{}.{}", long(100), long(100))];
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    put(&["/reviewer/invoke/hostConfigKey", "/reviewer/probe/hostConfigKey"], &keys);
    put(&["/reviewer/modelConfigKey"], &keys);
    put(
        &["/version"],
        &[
            "99999999999999999999999.0.0",
            "18446744073709551615.0.0",
            "9007199254740992.0.0",
            "999999999999999.0.0",
            "1.0.0-99999999999999999999999",
            "1.0.0+99999999999999999999999",
        ],
    );
    put(
        &["/engines/gsd"],
        &[
            ">=1.0.0\t<2.0.0",
            ">=1.0.0\u{a0}<2.0.0",
            ">=1.0.0\u{2003}<2.0.0",
            ">=1.0.0\u{85}<2.0.0",
            ">=\n1.0.0",
            "\n*",
            "||",
            " ",
        ],
    );
    edges
}

fn errors(text: &str) -> Vec<(&'static str, String)> {
    let file = SourceFile::new("capability.json", text);
    let parsed = parse(&file, Context { origin: Origin::ThirdParty, folder: None });
    let errors = parsed.diagnostics.into_iter().filter(|found| found.level == Level::Error);
    errors
        .map(|found| (found.rule.code, format!("{:?} {}", found.at.pointer, found.message)))
        .collect()
}

#[test]
fn schema_and_validator_agree() {
    let validator = jsonschema::draft202012::new(&schema()).expect("the schema is a schema");
    let seeds = seeds();
    let mutator = Mutator::of(seeds.clone());
    let mutated = (0..INPUTS).map(|index| mutator.input(2, index));
    let (mut right, mut wrong, mut beyond) = (0, 0, BTreeMap::<&str, usize>::new());
    let mut apart = vec![];
    for (index, input) in seeds.iter().cloned().chain(edges()).chain(mutated).enumerate() {
        let Ok(text) = String::from_utf8(input) else { continue };
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        let errors = errors(&text);
        let stated = errors.iter().any(|(code, _)| !BEYOND_A_SCHEMA.contains(code));
        let refused = validator.iter_errors(&value).next();
        match (refused, errors.is_empty()) {
            (None, true) => right += 1,
            (Some(_), false) => wrong += 1,
            (None, false) if !stated => {
                for (code, _) in errors {
                    *beyond.entry(code).or_default() += 1;
                }
            }
            (None, false) => {
                let (code, what) = errors
                    .into_iter()
                    .find(|(code, _)| !BEYOND_A_SCHEMA.contains(code))
                    .expect("one is stated");
                apart.push(format!("{index}: only the validator: {code} {what}"));
            }
            (Some(error), true) => {
                apart.push(format!("{index}: only the schema: {} {error}", error.instance_path()));
            }
        }
    }
    assert!(right > 300 && wrong > 300, "both sides are looked at: {right} right, {wrong} wrong");
    assert!(apart.is_empty(), "{} apart:\n{}\nbeyond: {beyond:?}", apart.len(), apart.join("\n"));
    for code in BEYOND_A_SCHEMA {
        assert!(beyond.contains_key(code), "the schema states `{code}`; take it off the list");
    }
}

#[test]
fn the_page_for_authors_lists_the_same_rules() {
    let page = include_str!("../../../docs/how-to/write-a-capability.md");
    let (_, list) = page.split_once("<!-- beyond a schema: begin -->\n").expect("a mark");
    let (list, _) = list.split_once("<!-- beyond a schema: end -->").expect("a mark");
    let listed: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    assert_eq!(listed, BEYOND_A_SCHEMA);
}
