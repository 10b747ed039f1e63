//! JSON, and what is written in it by hand: manifests, settings, the registry of several.

use super::place::own;
use super::{Place, Target, assert_well_placed, has_errors, seeds};
use gsd_engine::config::{Config, Layer, central_declarations};
use gsd_engine::diag::SourceFile;
use gsd_engine::embedded;
use gsd_engine::json::{self, Dialect, Node, Value, apply_fixes};
use gsd_engine::lane::{Overrides, settings};
use gsd_engine::manifest::{self, Bundle, Context, Origin, Parsed};
use gsd_engine::registry::{Overlay, Scope, Standing, compose, rows};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "json",
        what: "JSON, strict and with comments",
        seeds: || [manifests(), seeds!("config.json", "record.json")].concat(),
        check: text,
    },
    Target {
        name: "manifest",
        what: "capability manifests, and their fixes",
        seeds: manifests,
        check: manifest,
    },
    Target {
        name: "registry",
        what: "manifests put together with gsd's own",
        seeds: manifests,
        check: registry,
    },
    Target {
        name: "settings",
        what: "config.json and defaults.json",
        seeds: || seeds!("config.json"),
        check: settings,
    },
];

/// gsd's own manifests, which cover every role, and some that are wrong.
fn manifests() -> Vec<Vec<u8>> {
    embedded::manifests().map(|(_, text)| text.as_bytes().to_vec()).collect()
}

fn source(input: &[u8]) -> Arc<SourceFile> {
    SourceFile::new("input.json", String::from_utf8_lossy(input))
}

fn text(_: &mut Place, input: &[u8]) {
    let file = source(input);
    for dialect in [Dialect::Strict, Dialect::Relaxed] {
        let (node, found) = json::parse(&file, dialect);
        assert_well_placed(&found);
        assert_eq!(node.is_none(), has_errors(&found), "a tree or an error");
        if let Some(node) = node {
            spans_fit(&node, file.text());
        }
    }
    let ours = json::parse(&file, Dialect::Strict).0.is_some();
    let theirs = serde_json::from_str::<serde_json::Value>(file.text()).is_ok();
    assert!(ours || !theirs, "serde_json reads it");
}

/// A value lies where its span says, and its parts lie inside it.
fn spans_fit(node: &Node, text: &str) {
    let own = text.get(node.span.clone()).expect("a span inside the text");
    match &node.value {
        Value::Null => assert_eq!(own, "null"),
        Value::Bool(value) => assert_eq!(own, value.to_string()),
        Value::Number(digits) => assert_eq!(own, digits),
        Value::String(_) => assert!(own.starts_with('"') && own.ends_with('"')),
        Value::Array(items) => {
            assert!(own.starts_with('[') && own.ends_with(']'));
            for item in items {
                assert!(node.span.start < item.span.start && item.span.end < node.span.end);
                spans_fit(item, text);
            }
        }
        Value::Object(object) => {
            assert!(own.starts_with('{') && own.ends_with('}'));
            for member in &object.members {
                assert!(node.span.start < member.name_span.start);
                assert!(member.name_span.end <= member.value.span.start);
                assert!(member.value.span.end < node.span.end);
                spans_fit(&member.value, text);
            }
        }
    }
}

const STRANGER: Context<'static> = Context { origin: Origin::ThirdParty, folder: None };

fn parse(file: &Arc<SourceFile>) -> Parsed {
    let parsed = manifest::parse(file, STRANGER);
    assert_well_placed(&parsed.diagnostics);
    assert_eq!(
        parsed.manifest.is_none(),
        has_errors(&parsed.diagnostics),
        "a manifest or an error"
    );
    let root = serde_json::from_str::<serde_json::Value>(file.text());
    for diagnostic in &parsed.diagnostics {
        let pointer = diagnostic.at.pointer.as_deref().expect("each has a pointer");
        let Ok(root) = &root else { continue };
        // Of a very long name the pointer shows the beginning only.
        let there = root.pointer(pointer).is_some() || pointer.len() > 200;
        assert!(there, "{} points to {pointer}", diagnostic.rule.code);
    }
    parsed
}

/// Rounds of fixes that are tried on one input.
const MAX_ROUNDS: usize = 16;

fn manifest(_: &mut Place, input: &[u8]) {
    let mut file = source(input);
    let was_json = json::parse(&file, Dialect::Strict).0.is_some();
    for _ in 0..MAX_ROUNDS {
        let parsed = parse(&file);
        let (text, applied) = apply_fixes(file.text(), &parsed.diagnostics);
        if applied == 0 {
            break;
        }
        file = SourceFile::new("input.json", text);
        let still_json = json::parse(&file, Dialect::Strict).0.is_some();
        assert!(still_json || !was_json, "a fix broke the JSON");
    }
}

fn registry(_: &mut Place, input: &[u8]) {
    let parsed = parse(&source(input));
    let folder = parsed.manifest.as_ref().map_or("broken".to_owned(), |m| m.id.value.to_string());
    let overlay = |scope, standing| Overlay {
        scope,
        folder: folder.clone(),
        by_hand: None,
        standing,
        bundle: Some(Bundle { parsed: parsed.clone(), fragments: BTreeMap::new() }),
    };
    let overlays = vec![
        overlay(Scope::Global, Standing::Unmanaged),
        overlay(Scope::Project, Standing::Approved),
    ];
    let count = own().len();
    let composition = compose(own().to_vec(), overlays);
    let (left, out) = (composition.registry.len(), composition.skips.len());
    assert_eq!(left + out, count + 2, "each overlay is in force or told about");
    assert!(left >= count, "an overlay takes nothing of gsd's own out");
    assert_eq!(rows(&composition).len(), count + 2);
    for skip in &composition.skips {
        assert_well_placed(&skip.diagnostics);
        assert!(!skip.remedy.is_empty());
    }
}

fn settings(_: &mut Place, input: &[u8]) {
    let file = source(input);
    let layers = vec![(Layer::User, Arc::clone(&file)), (Layer::Project, file)];
    let (config, found) = Config::read(layers);
    assert_well_placed(&found);
    let mut found = vec![];
    for key in central_declarations().iter().map(|declaration| declaration.key.as_str()) {
        config.text(key, &mut found);
        config.number(key, &mut found);
        config.whole(key, &mut found);
    }
    for lane in own().iter().filter_map(|capability| capability.manifest.lane()) {
        settings::read(&config, &lane.descriptor, &Overrides::default(), &mut found);
    }
    for diagnostic in &found {
        assert!(!diagnostic.message.is_empty());
    }
}
