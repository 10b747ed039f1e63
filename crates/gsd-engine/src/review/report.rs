//! Reports: renderings of a [`Record`], and of nothing else.
//!
//! The same record gives the same bytes in every format, on every machine: nothing here reads a
//! file, a clock or a setting. Whatever a reviewer wrote stays text: it cannot add a heading, close
//! a fence, end a comment, leave a cell, run in a page or be taken for a line of ours.

mod existing;
mod github;
mod html;
mod inert;
mod json;
mod links;
mod markdown;
mod sarif;
mod show;
mod stub;

pub use existing::{Merged, merge_existing};

use super::record::{Lane, Record};

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `NN-REVIEWS.md`.
    Markdown,
    /// `NN-REVIEWS.json`, the record itself.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands that GitHub shows beside the lines they are about.
    Github,
    /// A page of its own, without a request to anywhere.
    Html,
}

/// Renders a record.
pub fn render(record: &Record, format: Format) -> String {
    match format {
        Format::Markdown => markdown::render(record),
        Format::Json => json::render(record),
        Format::Sarif => sarif::render(record),
        Format::Github => github::render(record),
        Format::Html => html::render(record),
    }
}

/// What stands in the place of a lane's review that did not come.
pub(super) fn stub(lane: &Lane) -> String {
    stub::file(lane)
}

#[cfg(test)]
mod tests;
