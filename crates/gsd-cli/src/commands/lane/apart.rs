//! What `lane plan` and `lane invoke` share: lanes by themselves, outside a review.

use crate::args::ApartArgs;
use crate::commands::Context;
use crate::ui::Ui;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs;
use serde_json::Value;

/// The project: the one that is named, else the one that every command works in.
pub(super) fn root(context: &Context, args: &ApartArgs) -> Utf8PathBuf {
    let root = match &args.repo_root {
        Some(root) => context.env.absolute(root),
        None => context.root.clone(),
    };
    fs::canonical(&root).unwrap_or(root)
}

/// The run folder as it was typed.
pub(super) fn run_dir(args: &ApartArgs) -> &Utf8Path {
    args.run_dir.as_deref().unwrap_or(Utf8Path::new("."))
}

/// The slugs that were listed, none for all.
pub(super) fn selected(args: &ApartArgs) -> Vec<String> {
    let listed = args.selected.iter().flatten().chain(&args.slug);
    let mut slugs: Vec<String> = vec![];
    for slug in listed.map(|slug| slug.trim()).filter(|slug| !slug.is_empty()) {
        slugs.push(slug.to_owned());
    }
    slugs
}

/// A document as callers of the contract expect it: indented and without an end of line, or each
/// part of a list on a line of its own.
pub(super) fn print(ui: &Ui, document: &Value, lines: Lines) {
    match (lines, document) {
        (Lines::Whole, _) => ui.bare_document(document),
        (Lines::Each, Value::Array(parts)) => parts.iter().for_each(|part| ui.line(part)),
        (Lines::Each, _) => ui.line(document),
    }
}

/// How a document is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    Whole,
    /// One compact document a line.
    Each,
}

impl Lines {
    pub(super) const fn of(ndjson: bool) -> Self {
        if ndjson { Self::Each } else { Self::Whole }
    }
}
