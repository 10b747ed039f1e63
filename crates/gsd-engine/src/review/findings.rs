//! From a review's text to findings.
//!
//! The text is a reviewer's: it may hold anything. Reading it never panics, never fails and never
//! takes more than the bounds below; what cannot be read as findings stays text. First the fenced
//! block that the prompt asks for is looked for, then the prose, then nothing.
//!
//! What is read here is a claim. [`check_evidence`] looks at the places it cites.

mod block;
mod coverage;
mod identity;
mod item;
mod prose;
mod words;

pub use block::{Block, blocks};
pub use coverage::{coverage, plan_of};

use super::record::{Evidence, Finding, FindingsSource, Plan, Verdict};
use crate::evidence::{Citation, Place, WorkTree, check};
use crate::id::RelPath;
use crate::lint;
use crate::text::is_deceptive;
use std::collections::BTreeSet;

/// Findings of one lane. Nobody reads more, and each costs the reader of the report a line.
const MAX_FINDINGS: usize = 400;
const MAX_EVIDENCE: usize = 10;
const MAX_TITLE: usize = 200;
const MAX_CLAIM: usize = 4000;
const MAX_QUOTE: usize = 2000;
/// More text than a review may have at all; what follows is not searched for findings.
const MAX_TEXT: usize = 8 << 20;

/// What was found in a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    pub source: FindingsSource,
    /// Not yet checked: each citation counts as ungrounded, and no finding is in a cluster.
    pub findings: Vec<Finding>,
    /// Items of a block that could not be read, and findings over the bound.
    pub dropped: usize,
    /// Blocks of which nothing could be read.
    pub unreadable_blocks: usize,
}

/// The line of a citation whose line is no line number: it never holds.
const NO_LINE: u64 = 0;

impl Extracted {
    /// What the reviewer wrote as findings and nobody can read, as sentences.
    pub fn lost(&self) -> Vec<String> {
        let mut lost = vec![];
        if self.unreadable_blocks > 0 {
            lost.push("a `gsd-findings` block is there and could not be read".to_owned());
        }
        if self.dropped > 0 {
            lost.push(format!("{} of its findings could not be read", self.dropped));
        }
        lost
    }

    /// Citations whose line is no line number.
    pub fn malformed_lines(&self) -> usize {
        let cited = self.findings.iter().flat_map(|finding| &finding.evidence);
        cited.filter(|evidence| evidence.line == Some(NO_LINE)).count()
    }
}

/// Reads the findings of a lane's review. `census` names the plans they may speak of.
pub fn extract(lane: &str, text: &str, census: &[Plan]) -> Extracted {
    let text = cut(text, MAX_TEXT);
    let (mut found, mut dropped, mut unreadable_blocks) = (vec![], 0, 0);
    // A block without findings says that there are none, unless it is the example of the prompt.
    let mut says_none = false;
    for block in block::blocks(text) {
        let read = block::items(block.body);
        if read.unreadable {
            unreadable_blocks += 1;
            continue;
        }
        says_none |= read.items.is_empty();
        dropped += read.broken;
        for value in &read.items {
            match item::finding(lane, value, census) {
                item::Item::Finding(finding) => found.push(*finding),
                item::Item::Placeholder => {}
                item::Item::Unreadable => dropped += 1,
            }
        }
    }
    let mut source = FindingsSource::Block;
    if found.is_empty() {
        found = prose::findings(lane, text, census);
        source = match (found.is_empty(), says_none) {
            (false, _) => FindingsSource::Prose,
            (true, true) => FindingsSource::Block,
            (true, false) => FindingsSource::None,
        };
    }
    let mut found = identity::assign(found);
    dropped += found.len().saturating_sub(MAX_FINDINGS);
    found.truncate(MAX_FINDINGS);
    Extracted { source, findings: found, dropped, unreadable_blocks }
}

/// Who says what is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The reviewer that is built into gsd. Its findings with a code are those of a check.
    OwnCheck,
    Reviewer,
}

/// Checks what the findings cite against the work tree. `planned` holds the paths that the plans
/// of the phase create.
///
/// A finding of gsd's own checks is a fact about a file, which need not have lines to quote.
pub fn check_evidence(
    extracted: &mut Extracted,
    tree: &WorkTree,
    planned: &BTreeSet<RelPath>,
    by: Speaker,
) {
    let prose = match extracted.source {
        FindingsSource::Prose => true,
        FindingsSource::Block | FindingsSource::None => false,
    };
    for finding in &mut extracted.findings {
        // Nobody else speaks for gsd's own checks.
        if by == Speaker::Reviewer {
            finding.code.take_if(|code| lint::RULES.iter().any(|rule| rule.code == *code));
        }
        let claim = format!("{}\n{}", finding.title, finding.claim);
        for evidence in &mut finding.evidence {
            let checked = check(
                tree,
                &Citation {
                    path: evidence.path.clone(),
                    line: evidence.line,
                    end_line: evidence.end_line,
                    quote: evidence.quote.clone(),
                    symbol: evidence.symbol.clone(),
                    claim: claim.clone(),
                    by_check: by == Speaker::OwnCheck && finding.code.is_some(),
                },
                planned,
            );
            evidence.path = checked.path;
            evidence.verdict = checked.verdict;
            evidence.resolved_line = checked.resolved_line;
            evidence.snippet = checked.snippet;
        }
        if prose {
            // A sentence may name a file without citing it: "nothing tests `x/y.test.ts`".
            finding
                .evidence
                .retain(|e| e.line.is_some() || e.verdict.holds() || e.verdict == Verdict::Outside);
        }
        let mut seen = BTreeSet::new();
        finding.evidence.retain(|e| seen.insert((e.path.clone(), e.line, e.quote.clone())));
    }
}

/// A citation that nobody has looked at yet.
fn unchecked(place: Place) -> Evidence {
    Evidence {
        path: place.path,
        line: place.line,
        end_line: place.end_line,
        quote: None,
        symbol: None,
        verdict: Verdict::Ungrounded,
        resolved_line: None,
        snippet: None,
    }
}

/// Text without what deceives the eye, trimmed and bounded.
fn tidy(text: &str, max: usize) -> String {
    let kept: String =
        text.chars().filter(|c| matches!(c, '\n' | '\t') || !is_deceptive(*c)).collect();
    let trimmed = kept.trim();
    if trimmed.chars().count() <= max {
        return trimmed.to_owned();
    }
    let mut short: String = trimmed.chars().take(max - 1).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// Text as one line.
fn one_line(text: &str, max: usize) -> String {
    tidy(&text.split_whitespace().collect::<Vec<_>>().join(" "), max)
}

/// The first sentence of a text, for a title.
fn first_sentence(text: &str) -> String {
    let line = one_line(text, MAX_CLAIM);
    let end = line
        .match_indices(['.', ';', '!', '?'])
        .find(|(at, mark)| {
            let before = &line[..*at];
            line[at + mark.len()..].starts_with(' ')
                && before.len() > 15
                && !before.ends_with("e.g")
                && !before.ends_with("i.e")
                && before.matches('`').count().is_multiple_of(2)
        })
        .map_or(line.len(), |(at, _)| at);
    tidy(line[..end].trim_end_matches('.'), MAX_TITLE)
}

fn cut(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
