//! Diagnostics as SARIF 2.1.0.

use super::format::below;
use gsd_engine::diag::{Diagnostic, Level, Location, SourceFile, Span};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A log with one run.
pub(crate) fn diagnostics(diagnostics: &[Diagnostic]) -> Value {
    let rules: BTreeMap<&str, Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let rule = diagnostic.rule;
            let value = json!({
                "id": rule.code,
                "shortDescription": { "text": rule.summary },
                "help": { "text": rule.docs, "markdown": rule.docs },
                "defaultConfiguration": { "level": level(rule.level) },
            });
            (rule.code, value)
        })
        .collect();
    let index: BTreeMap<&str, usize> =
        rules.keys().enumerate().map(|(index, code)| (*code, index)).collect();
    let results: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let note = below(diagnostic.note.as_deref());
            let help = below(diagnostic.help.as_deref());
            let related: Vec<Value> = diagnostic
                .related
                .iter()
                .map(|related| {
                    let mut value = location(&related.at);
                    value["message"] = json!({ "text": related.message });
                    value
                })
                .collect();
            let mut place = location(&diagnostic.at);
            if let Some(label) = &diagnostic.label {
                place["message"] = json!({ "text": label });
            }
            let mut result = json!({
                "ruleId": diagnostic.rule.code,
                "ruleIndex": index[diagnostic.rule.code],
                "level": level(diagnostic.level),
                "message": { "text": format!("{}{note}{help}", diagnostic.message) },
                "locations": [place],
                "relatedLocations": related,
            });
            if let Some(fix) = fix(diagnostic) {
                result["fixes"] = json!([fix]);
            }
            result
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "gsd",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_values().collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

fn location(at: &Location) -> Value {
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(at.file.name()) },
            "region": region(&at.file, &at.span),
        },
    });
    if let Some(pointer) = &at.pointer {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": pointer }]);
    }
    location
}

fn region(file: &SourceFile, span: &Span) -> Value {
    let (start, end) = (file.position(span.start), file.position(span.end));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// The mechanical change that removes the fault, if there is one.
fn fix(diagnostic: &Diagnostic) -> Option<Value> {
    let fix = diagnostic.fix.as_ref()?;
    let file = &diagnostic.at.file;
    Some(json!({
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(file.name()) },
            "replacements": [{
                "deletedRegion": region(file, &fix.span),
                "insertedContent": { "text": fix.replacement },
            }],
        }],
    }))
}

/// A relative path as a URI reference (RFC 3986).
fn uri(path: &str) -> String {
    path.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}
