//! Diagnostics as JSON, version 1: structs of their own, so that our types may change.

use gsd_engine::diag::{Diagnostic, Location};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticV1 {
    code: &'static str,
    level: &'static str,
    message: String,
    at: PlaceV1,
    /// What is said right at the place, such as what was expected there.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<RelatedV1>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<FixV1>,
}

/// Lines and columns count from 1, columns in characters; offsets are bytes.
#[derive(Debug, Serialize)]
struct PlaceV1 {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    line: usize,
    column: usize,
    start: usize,
    end: usize,
}

#[derive(Debug, Serialize)]
struct RelatedV1 {
    at: PlaceV1,
    message: String,
}

#[derive(Debug, Serialize)]
struct FixV1 {
    start: usize,
    end: usize,
    replacement: String,
}

/// The diagnostics in the order in which they are given.
pub(crate) fn diagnostics(diagnostics: &[Diagnostic]) -> Vec<DiagnosticV1> {
    diagnostics
        .iter()
        .map(|diagnostic| DiagnosticV1 {
            code: diagnostic.rule.code,
            level: diagnostic.level.word(),
            message: diagnostic.message.clone(),
            at: place(&diagnostic.at),
            label: diagnostic.label.clone(),
            related: diagnostic
                .related
                .iter()
                .map(|related| RelatedV1 {
                    at: place(&related.at),
                    message: related.message.clone(),
                })
                .collect(),
            note: diagnostic.note.clone(),
            help: diagnostic.help.clone(),
            fix: diagnostic.fix.as_ref().map(|fix| FixV1 {
                start: fix.span.start,
                end: fix.span.end,
                replacement: fix.replacement.clone(),
            }),
        })
        .collect()
}

fn place(at: &Location) -> PlaceV1 {
    let position = at.position();
    PlaceV1 {
        file: at.file.name().to_owned(),
        pointer: at.pointer.clone(),
        line: position.line,
        column: position.column,
        start: at.span.start,
        end: at.span.end,
    }
}
