//! From a citation to a verdict.

use super::tree::{Found, Source, WorkTree, fold};
use super::{absence, claim};
use crate::id::RelPath;
use crate::text::is_deceptive;
use crate::text::secrets::redact;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How far from the cited line a thing may stand and still be meant.
const NEAR: u64 = 8;
/// A citation that names more lines names the file; nobody checks that many one by one.
const MAX_SPAN: u64 = 400;
/// Occurrences of a quote that are looked at. One that stands more often proves no place.
const MAX_OCCURRENCES: usize = 1000;
/// Lines that a quote may leave out at once.
const MAX_GAP: u64 = 20;
/// Fewer letters and digits than this stand everywhere.
const MIN_QUOTE: usize = 3;

/// What the check of a citation gave. Ordered by weight: `Verified` is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Not below the root; never opened.
    Outside,
    /// A plain search shows the opposite of the claim.
    Contradicted,
    /// No such file or line, or the quote does not stand there.
    Ungrounded,
    /// The place is there; nothing quoted or named shows that the claim is about it.
    Located,
    /// The file does not exist yet and a plan creates it.
    Planned,
    /// The quote stands at another line of the file.
    Moved,
    /// It stands where the citation says, or the file is missing, as the claim says.
    Verified,
}

impl Verdict {
    /// Every verdict, the heaviest first.
    pub const ALL: [Self; 7] = [
        Self::Verified,
        Self::Moved,
        Self::Planned,
        Self::Located,
        Self::Ungrounded,
        Self::Contradicted,
        Self::Outside,
    ];

    /// The word as records and reports spell it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Contradicted => "contradicted",
            Self::Ungrounded => "ungrounded",
            Self::Located => "located",
            Self::Planned => "planned",
            Self::Moved => "moved",
            Self::Verified => "verified",
        }
    }

    /// The sign beside the word, the same in every format; it is never alone.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Outside => "⊘",
            Self::Contradicted => "≠",
            Self::Ungrounded => "✘",
            Self::Located => "○",
            Self::Planned => "◌",
            Self::Moved => "↷",
            Self::Verified => "✔",
        }
    }

    /// Whether something was found that the claim can rest on.
    pub const fn holds(self) -> bool {
        match self {
            Self::Verified | Self::Moved | Self::Planned => true,
            Self::Located | Self::Ungrounded | Self::Contradicted | Self::Outside => false,
        }
    }

    /// Whether the citation proved wrong. One that merely shows nothing did not.
    pub const fn refutes(self) -> bool {
        match self {
            Self::Ungrounded | Self::Contradicted | Self::Outside => true,
            Self::Verified | Self::Moved | Self::Planned | Self::Located => false,
        }
    }
}

/// A place, and what is said to stand there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Citation {
    /// As the reviewer wrote it.
    pub path: String,
    pub line: Option<u64>,
    pub end_line: Option<u64>,
    pub quote: Option<String>,
    pub symbol: Option<String>,
    /// What the finding says, title and all.
    pub claim: String,
    /// A check of gsd's own says it, which has looked at the file itself. What it says of a whole
    /// file, or of characters that cannot be quoted, is borne out by a place that is there.
    pub by_check: bool,
}

/// The verdict on a citation, and what a reader needs to see for himself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Relative to the root, unless the verdict is `outside`.
    pub path: String,
    pub verdict: Verdict,
    /// Where it really stands, if that is not the cited line.
    pub resolved_line: Option<u64>,
    pub snippet: Option<Snippet>,
}

/// A few lines of a file, cleaned and bounded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snippet {
    pub first_line: u64,
    pub lines: Vec<String>,
}

impl Snippet {
    const CONTEXT: u64 = 2;
    const MAX_LINES: u64 = 12;
    const MAX_COLUMNS: usize = 160;

    fn around(source: &Source, line: u64, end: u64) -> Self {
        let first = line.saturating_sub(Self::CONTEXT).max(1);
        let last = (end + Self::CONTEXT).min(first + Self::MAX_LINES - 1);
        let text: Vec<String> = source.lines(first, last).map(|(_, text)| clip(text)).collect();
        // A secret must not enter a report because somebody cited the line beside it.
        let (text, _) = redact(&text.join("\n"), &[]);
        Self { first_line: first, lines: text.split('\n').map(str::to_owned).collect() }
    }
}

fn clip(line: &str) -> String {
    let shown = line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !is_deceptive(*c));
    let mut out: String = shown.clone().take(Snippet::MAX_COLUMNS).collect();
    if shown.count() > Snippet::MAX_COLUMNS {
        out.push('…');
    }
    out
}

/// Checks a citation. `planned` holds the paths that the plans of the phase create.
pub fn check(tree: &WorkTree, citation: &Citation, planned: &BTreeSet<RelPath>) -> Checked {
    let (path, found) = tree.find(&citation.path);
    let judged = |verdict| (verdict, None, None);
    let (verdict, resolved_line, snippet) = match found {
        // A link that leads out, or nowhere: it is there, and it is not followed.
        Found::Outside | Found::Missing
            if citation.by_check && path.as_ref().is_some_and(|path| tree.is_there(path)) =>
        {
            judged(Verdict::Verified)
        }
        Found::Outside => judged(Verdict::Outside),
        Found::Missing => {
            let candidates = tree.candidates(&citation.path).unwrap_or_default();
            match candidates.into_iter().find(|path| planned.contains(path)) {
                Some(path) => {
                    return Checked {
                        path: path.as_str().to_owned(),
                        verdict: Verdict::Planned,
                        resolved_line: None,
                        snippet: None,
                    };
                }
                None if is_about_absence(citation) => judged(Verdict::Verified),
                None => judged(Verdict::Ungrounded),
            }
        }
        Found::Unreadable if citation.by_check => judged(Verdict::Verified),
        Found::Unreadable if cites_no_text(citation) => judged(Verdict::Located),
        Found::Unreadable => judged(Verdict::Ungrounded),
        // Nobody can look any more at what stood there.
        Found::Changed => judged(Verdict::Located),
        Found::Text(_) if absence::says_missing(&citation.claim, &citation.path) => {
            judged(Verdict::Contradicted)
        }
        Found::Text(source) => {
            let name = path.as_ref().map_or("", RelPath::file_name);
            let (verdict, resolved) = judge(&source, citation, name);
            let line = resolved.or(citation.line);
            // Nothing of a file that is kept for secrets is repeated.
            let snippet = line
                .filter(|line| {
                    (1..=source.line_count()).contains(line)
                        && !path.as_ref().is_some_and(holds_secrets)
                })
                .map(|line| Snippet::around(&source, line, end_of(citation, line, resolved)));
            (verdict, resolved, snippet)
        }
    };
    let path = match path {
        Some(path) if verdict != Verdict::Outside => path.as_str().to_owned(),
        Some(_) | None => citation.path.trim().to_owned(),
    };
    Checked { path, verdict, resolved_line, snippet }
}

/// Whether the citation is nothing but a path and the claim says that this path leads nowhere. Who
/// quotes lines of a file that is missing has made them up.
fn is_about_absence(citation: &Citation) -> bool {
    cites_no_text(citation) && absence::says_missing(&citation.claim, &citation.path)
}

/// Whether the citation is nothing but a path.
fn cites_no_text(citation: &Citation) -> bool {
    let nothing_quoted = citation.quote.as_deref().is_none_or(|quote| quote.trim().is_empty());
    citation.line.is_none() && nothing_quoted
}

/// The last line that a citation means, once its first is known.
fn end_of(citation: &Citation, line: u64, resolved: Option<u64>) -> u64 {
    match (resolved, citation.end_line) {
        (None, Some(end)) => end.clamp(line, line.saturating_add(MAX_SPAN)),
        (Some(_), _) | (None, None) => line,
    }
}

fn judge(source: &Source, citation: &Citation, file_name: &str) -> (Verdict, Option<u64>) {
    let (verdict, resolved) = locate(source, citation);
    let line = resolved.or(citation.line);
    let cited = line.map(|line| (line, end_of(citation, line, resolved)));
    if claim::contradicted(source, &citation.claim, cited, file_name) {
        // The cited line stays the place to look at, as long as there is one.
        return (Verdict::Contradicted, resolved);
    }
    (verdict, resolved)
}

fn locate(source: &Source, citation: &Citation) -> (Verdict, Option<u64>) {
    let line = citation.line;
    let end = line.map(|line| end_of(citation, line, None));
    if let Some(quote) = citation.quote.as_deref().map(bare_quote) {
        if tells(quote) {
            return match locate_quote(source, quote, line, end) {
                // Words that stand nearly everywhere say nothing of this place by themselves.
                Place::Common { in_lines: false } => (Verdict::Ungrounded, None),
                Place::Common { in_lines: true } => {
                    let (first, last) = near(line, end, source);
                    match speaks_of(source, citation, first, last) {
                        Some(_) => (Verdict::Verified, None),
                        None => (Verdict::Located, None),
                    }
                }
                Place::Told(verdict, resolved) => (verdict, resolved),
            };
        }
        // `---` or `}` stands everywhere, but a line that is nothing else is the cited one.
        let whole = |(_, text): (u64, &str)| !quote.is_empty() && fold(text) == fold(quote);
        if let Some((line, end)) = line.zip(end)
            && source.lines(line, end).any(whole)
        {
            return (Verdict::Verified, None);
        }
    }
    // An empty file has a first line all the same.
    let last_line =
        if citation.by_check { source.line_count().max(1) } else { source.line_count() };
    if line.is_some_and(|line| line == 0 || line > last_line) {
        return (Verdict::Ungrounded, None);
    }
    let (first, last) = near(line, end, source);
    match (speaks_of(source, citation, first, last), line) {
        (None, Some(_)) if citation.by_check => (Verdict::Verified, None),
        (Some(_), Some(_)) => (Verdict::Verified, None),
        (Some(number), None) => (Verdict::Verified, Some(number)),
        // A quote or a symbol that was given must stand there.
        (None, _) if names_text(citation) => (Verdict::Ungrounded, None),
        (None, _) => (Verdict::Located, None),
    }
}

/// Whether the citation says itself what stands at its place.
fn names_text(citation: &Citation) -> bool {
    let texts = [citation.quote.as_deref(), citation.symbol.as_deref()];
    texts.into_iter().flatten().any(|text| !text.trim().is_empty())
}

/// The lines around the cited ones; all of them where none is cited.
fn near(line: Option<u64>, end: Option<u64>, source: &Source) -> (u64, u64) {
    match (line, end) {
        (Some(line), Some(end)) => (line.saturating_sub(NEAR), end.saturating_add(NEAR)),
        (None, _) | (_, None) => (1, source.line_count()),
    }
}

/// The first of some lines that has a name of the claim, if the lines bear the claim out.
///
/// A symbol that was given must stand there. A claim often names what is missing, which cannot
/// stand there; then its plain words have to, two of them, or one where it has no names.
fn speaks_of(source: &Source, citation: &Citation, first: u64, last: u64) -> Option<u64> {
    let with = |name: &String| {
        source.lines(first, last).find(|(_, text)| claim::stands_in(name, text)).map(|hit| hit.0)
    };
    if let Some(symbol) = citation.symbol.as_deref().filter(|symbol| !symbol.trim().is_empty()) {
        return claim::symbol_name(symbol).as_ref().and_then(with);
    }
    // That a file mentions its own name proves nothing about the line.
    let own = file_name_words(&citation.path);
    let mut names = claim::identifiers(&citation.claim);
    names.retain(|name| !own.contains(name));
    if let Some(number) = names.iter().filter_map(with).min() {
        return Some(number);
    }
    // Words say something about a place, not about a whole file.
    citation.line?;
    let wanted = if names.is_empty() { 1 } else { 2 };
    let near: Vec<(u64, String)> =
        source.lines(first, last).map(|(number, text)| (number, text.to_lowercase())).collect();
    let found: Vec<u64> = claim::words(&citation.claim, is_prose(&citation.path))
        .iter()
        .filter_map(|word| near.iter().find(|(_, text)| text.contains(word)).map(|hit| hit.0))
        .collect();
    found.iter().min().copied().filter(|_| found.len() >= wanted)
}

/// Where a quote stands.
enum Place {
    Told(Verdict, Option<u64>),
    /// It stands in so many lines, or is so plain a word, that finding it proves nothing.
    Common {
        /// Whether it stands in the cited lines.
        in_lines: bool,
    },
}

/// A quote that stands in more places than this tells of none of them.
const MANY: usize = 12;

fn locate_quote(source: &Source, quote: &str, line: Option<u64>, end: Option<u64>) -> Place {
    let mut hits = source.find(quote, MAX_OCCURRENCES);
    if hits.is_empty() {
        hits = with_gaps(source, quote);
    }
    if !hits.is_empty() && (hits.len() > MANY || claim::is_keyword(quote)) {
        let cited = line.zip(end);
        let in_lines =
            cited.is_some_and(|(line, end)| hits.iter().any(|hit| hit.0 <= end && hit.1 >= line));
        return Place::Common { in_lines };
    }
    let Some((line, end)) = line.zip(end) else {
        // No line was named, so none is wrong: the first place is as good as any.
        return match hits.first() {
            Some((first, _)) => Place::Told(Verdict::Verified, Some(*first)),
            None => Place::Told(Verdict::Ungrounded, None),
        };
    };
    let distance = |(first, last): &(u64, u64)| {
        if *first > end { first - end } else { line.saturating_sub(*last) }
    };
    match hits.iter().min_by_key(|hit| distance(hit)) {
        Some(hit) if distance(hit) == 0 => Place::Told(Verdict::Verified, None),
        Some(hit) if distance(hit) <= NEAR || hits.len() == 1 => {
            Place::Told(Verdict::Moved, Some(hit.0))
        }
        Some(_) | None => Place::Told(Verdict::Ungrounded, None),
    }
}

/// Places of a quote that leaves words out: its parts in their order, near each other.
fn with_gaps(source: &Source, quote: &str) -> Vec<(u64, u64)> {
    let parts: Vec<&str> =
        quote.split("...").flat_map(|part| part.split('…')).filter(|part| tells(part)).collect();
    let [first, rest @ ..] = parts.as_slice() else { return vec![] };
    if rest.is_empty() || rest.len() > 8 {
        return vec![];
    }
    let next: Vec<Vec<(u64, u64)>> =
        rest.iter().map(|part| source.find(part, MAX_OCCURRENCES)).collect();
    let whole = |(start, mut end): (u64, u64)| {
        for places in &next {
            end = places.iter().find(|(from, _)| (end..=end + MAX_GAP).contains(from))?.1;
        }
        Some((start, end))
    };
    source.find(first, MAX_OCCURRENCES).into_iter().filter_map(whole).collect()
}

/// A quote without the marks that people put around it.
fn bare_quote(quote: &str) -> &str {
    quote.trim().trim_matches('`').trim_end_matches("...").trim_matches('…').trim()
}

/// Whether finding the quote would say anything: `}` stands in every file.
fn tells(quote: &str) -> bool {
    fold(quote).chars().filter(|c| c.is_alphanumeric()).count() >= MIN_QUOTE
}

fn file_name_words(path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
}

fn is_prose(path: &str) -> bool {
    [".md", ".mdx", ".txt"].iter().any(|end| path.to_ascii_lowercase().ends_with(end))
}

/// Files that hold secrets by convention. They may be cited; their lines are not repeated.
fn holds_secrets(path: &RelPath) -> bool {
    let path = path.as_str().to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let ends = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".asc"];
    let names = [".npmrc", ".netrc", ".pypirc", ".git-credentials", ".htpasswd", ".pgpass"];
    path.split('/').any(|part| part == ".git" || part == ".ssh" || part == ".aws")
        || (name.starts_with(".env") && !name.ends_with("example") && !name.ends_with("sample"))
        || name.starts_with("id_rsa")
        || name.starts_with("id_ed25519")
        || name.contains("secret")
        || name.contains("credential")
        || names.contains(&name)
        || ends.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests;
