//! Which findings say the same.

use crate::evidence::identifiers;
use crate::review::record::{Evidence, Finding, Kind};
use std::collections::BTreeSet;

/// Lines between two citations that mean the same place if the findings also have a word in common:
/// what plans say in neighbouring lines is often about different things.
const NEAR: u64 = 3;
/// How much of their words two titles share that are close, of 1.
const CLOSE: f64 = 0.34;
/// The same for two findings of one lane, which tells them apart on purpose.
const SAME_LANE: f64 = 0.75;

/// What is compared of a finding.
struct Traits<'a> {
    finding: &'a Finding,
    names: BTreeSet<String>,
    /// Files that the title names. Two findings that speak of one file need not cite one line.
    files: BTreeSet<String>,
    words: BTreeSet<String>,
}

/// Groups findings, given as indices in the order in which they are taken. Each joins the group
/// whose members are nearest to it, or begins one of its own. The groups are in order of their
/// first members.
pub(super) fn group(findings: &[Finding], order: &[usize]) -> Vec<Vec<usize>> {
    let traits: Vec<Traits<'_>> = findings.iter().map(Traits::of).collect();
    let mut groups: Vec<Vec<usize>> = vec![];
    for &index in order {
        let nearest = groups
            .iter()
            .enumerate()
            .filter_map(|(at, group)| Some((nearness_to(group, index, &traits)?, at)))
            // Of equally near groups the first.
            .max_by(|(a, at_a), (b, at_b)| a.total_cmp(b).then(at_b.cmp(at_a)));
        match nearest {
            Some((_, at)) => groups[at].push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// How near a finding is to a group, `None` if it says something else. One lane does not say the
/// same twice in other words, so a lane's own member in the group must be nearly the same text.
fn nearness_to(group: &[usize], index: usize, traits: &[Traits<'_>]) -> Option<f64> {
    // The same words about the same thing are one finding, whatever else the lane says of it.
    if group.iter().any(|other| traits[*other].finding.id == traits[index].finding.id) {
        return Some(f64::INFINITY);
    }
    let of_lane = |other: &&usize| traits[**other].finding.lane == traits[index].finding.lane;
    if group.iter().filter(of_lane).any(|other| !repeats(&traits[*other], &traits[index])) {
        return None;
    }
    group
        .iter()
        .filter_map(|other| nearness(&traits[*other], &traits[index]))
        .max_by(f64::total_cmp)
}

/// Whether a lane says the same again, as in a summary.
fn repeats(a: &Traits<'_>, b: &Traits<'_>) -> bool {
    share(&a.words, &b.words) >= SAME_LANE
        && (meetings(a.finding, b.finding, NEAR) > 0 || either_silent(a, b))
}

fn either_silent(a: &Traits<'_>, b: &Traits<'_>) -> bool {
    a.finding.evidence.is_empty() || b.finding.evidence.is_empty()
}

/// How near two findings are, `None` if they are not the same.
fn nearness(a: &Traits<'_>, b: &Traits<'_>) -> Option<f64> {
    if side(a.finding.kind) != side(b.finding.kind) {
        return None;
    }
    // Two checks that found different things say different things, wherever they found them.
    if let (Some(one), Some(other)) = (&a.finding.code, &b.finding.code)
        && one != other
    {
        return None;
    }
    let words = share(&a.words, &b.words);
    let names = a.names.intersection(&b.names).count();
    let places = meetings(a.finding, b.finding, 0);
    if places > 0 {
        return Some(10.0 + places as f64 + words);
    }
    let near = meetings(a.finding, b.finding, NEAR);
    if near > 0 && (words > 0.0 || names > 0) {
        return Some(5.0 + near as f64 + words);
    }
    // A file without a line is a place of its own only for findings that also sound alike.
    let same_file = names_same_file(a.finding, b.finding) && (names > 0 || words >= CLOSE);
    let same_words = names >= 2 && words >= CLOSE;
    let same_subject = !a.files.is_disjoint(&b.files) && words >= CLOSE;
    // Where neither cites nor names anything, only nearly the same title is the same.
    let same_title = words >= 0.8 && a.words.len() >= 3 && a.finding.plan == b.finding.plan;
    (same_file || same_words || same_subject || same_title).then(|| words + names as f64 / 10.0)
}

/// A suggestion may answer the question that another lane asks; a strength is no concern.
fn side(kind: Kind) -> u8 {
    match kind {
        Kind::Concern => 0,
        Kind::Strength => 1,
        Kind::Suggestion => 2,
        Kind::Question => 3,
    }
}

/// Pairs of citations that overlap or have at most some lines between them. One that proved wrong
/// is no place where somebody else could stand, too.
fn meetings(a: &Finding, b: &Finding, apart: u64) -> usize {
    let meet = |x: &Evidence, y: &Evidence| {
        let (Some(x_span), Some(y_span)) = (span(x), span(y)) else { return false };
        x.path == y.path
            && x.verdict.refutes() == y.verdict.refutes()
            && x_span.0 <= y_span.1.saturating_add(apart)
            && y_span.0 <= x_span.1.saturating_add(apart)
    };
    a.evidence.iter().map(|x| b.evidence.iter().filter(|y| meet(x, y)).count()).sum()
}

fn names_same_file(a: &Finding, b: &Finding) -> bool {
    let open =
        |x: &Evidence, y: &Evidence| x.path == y.path && (span(x).is_none() || span(y).is_none());
    a.evidence.iter().any(|x| b.evidence.iter().any(|y| open(x, y)))
}

/// The lines that a citation means.
fn span(evidence: &Evidence) -> Option<(u64, u64)> {
    let line = evidence.resolved_line.or(evidence.line)?;
    let end = match (evidence.resolved_line, evidence.end_line) {
        (None, Some(end)) => end.max(line),
        (Some(_), _) | (None, None) => line,
    };
    Some((line, end))
}

impl<'a> Traits<'a> {
    fn of(finding: &'a Finding) -> Self {
        let text = format!("{}\n{}", finding.title, finding.claim);
        let words = finding
            .title
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 2)
            .map(stem)
            .filter(|word| !STOP.contains(&word.as_str()))
            .collect();
        let names = identifiers(&text).into_iter().collect();
        Self { finding, names, files: files(&finding.title), words }
    }
}

/// The paths in a text: words with a slash whose last part has an ending.
fn files(text: &str) -> BTreeSet<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ','))
        .map(|word| word.trim_start_matches("./").trim_end_matches(['.', ':', ';']))
        .filter(|word| word.rsplit_once('/').is_some_and(|(_, name)| name.contains('.')))
        .filter(|word| !word.contains("://"))
        .map(str::to_owned)
        .collect()
}

/// A word without its usual endings, so that `migrations` and `migration` are one.
fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    for ending in ["ing", "es", "ed", "s"] {
        if let Some(stem) = lower.strip_suffix(ending)
            && stem.chars().count() > 3
        {
            return stem.to_owned();
        }
    }
    lower
}

const STOP: &[&str] = &[
    "and", "are", "but", "can", "does", "for", "from", "has", "have", "into", "its", "not", "that",
    "the", "then", "there", "this", "was", "when", "which", "will", "with",
];

/// The part of their words that two titles share, of 1.
fn share(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count();
    let all = a.union(b).count();
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}
