//! What stands in the place of a review that did not come: a hole that can be seen.
//!
//! Standard error and partial text of a program may hold anything: tokens, paths, a heading. They
//! are scrubbed, cut and fenced.

use super::inert::{self, inline};
use super::links::Links;
use super::show;
use crate::lane::State;
use crate::review::record::Lane;
use crate::text::secrets::redact;

/// The words by which existing readers know a stub.
const MARKER: &str = "failed or returned empty output";
const NOT_RUN: &str = "did not run";
/// What is shown of each part.
const MAX_PART: usize = 4096;

/// The body of the section of a lane that does not count.
pub(super) fn section(lane: &Lane, links: &Links<'_>) -> String {
    // One that was never started did not fail, and wrote nothing.
    render(lane, if lane.state.ran() { MARKER } else { NOT_RUN }, links)
}

/// A file of its own in the place of a review, which callers know by the marker.
pub(super) fn file(lane: &Lane) -> String {
    let what = if lane.state == State::Skipped { NOT_RUN } else { MARKER };
    render(lane, what, &Links { folder: "" })
}

fn render(lane: &Lane, what: &str, links: &Links<'_>) -> String {
    let why = match &lane.message {
        Some(message) => {
            let message = redact(message.trim_end_matches('.'), &[]).0;
            format!("{}, {}", show::state(lane), inline(&message, links))
        }
        None => show::state(lane),
    };
    let slug = inert::code(&lane.identity);
    let mut out = format!("{slug} {what}: {why}.\n");
    if let Some(remedy) = &lane.remedy {
        out.push_str(&format!("\nWhat to do: {}\n", inline(remedy, links)));
    }
    if !lane.state.ran() {
        return out;
    }
    // The end of standard error says why; the beginning of a text says what it was about.
    if lane.stderr.trim().is_empty() {
        out.push_str("\nstderr: nothing\n");
    } else {
        out.push_str("\nstderr:\n\n");
        out.push_str(&inert::fenced(&tail(&redact(&lane.stderr, &[]).0), "text"));
    }
    if !lane.text.trim().is_empty() {
        out.push_str("\nPartial text, not a review:\n\n");
        out.push_str(&inert::fenced(&head(&redact(&lane.text, &[]).0), "text"));
    }
    out
}

fn head(text: &str) -> String {
    if text.len() <= MAX_PART {
        return text.to_owned();
    }
    let mut end = MAX_PART;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n[{} more bytes]", &text[..end], text.len() - end)
}

fn tail(text: &str) -> String {
    if text.len() <= MAX_PART {
        return text.to_owned();
    }
    let mut start = text.len() - MAX_PART;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    format!("[{start} bytes before]\n{}", &text[start..])
}
