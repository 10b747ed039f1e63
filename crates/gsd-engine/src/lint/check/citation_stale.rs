//! What a citation names does not stand there.

use crate::diag::{Diagnostic, Level, Rule, Span};
use crate::lint::view::View;
use crate::lint::{Check, prose};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/citation-stale",
    level: Level::Warning,
    summary: "what a citation names does not stand there",
    docs: include_str!("citation_stale.md"),
};

/// What stands this near is found by whoever looks.
const NEAR: u64 = 8;

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for citation in view.citations() {
        let Some(file) = view.tree.text(&citation.path) else { continue };
        let count = file.line_count() as u64;
        if citation.lines.last > count {
            continue;
        }
        if let Some(quote) = quoted(citation.file.text(), &citation.span)
            && !folded(file.text()).contains(&folded(quote))
        {
            found.push(
                RULE.at(
                    citation.at(),
                    format!("the quoted text is nowhere in `{}`", citation.path),
                )
                .label("not here"),
            );
            continue;
        }
        let Some(name) = named(citation.file.text(), &citation.span) else { continue };
        let places: Vec<u64> = (1..=count)
            .filter(|line| {
                let line = usize::try_from(*line).ok().and_then(|line| file.line(line));
                line.is_some_and(|line| prose::names(line, name))
            })
            .collect();
        let near = |line: &u64| {
            *line + NEAR >= citation.lines.first && *line <= citation.lines.last + NEAR
        };
        if places.iter().any(near) {
            continue;
        }
        let message = match places.first() {
            Some(line) => format!("`{name}` stands in line {line} of `{}`", citation.path),
            None => format!("`{name}` is nowhere in `{}`", citation.path),
        };
        found.push(RULE.at(citation.at(), message).label("not here"));
    }
}

/// A quotation of code right behind the citation: `` `path:1`: "if (x) {" ``. Words in quotes may be
/// a name that the author gives to something, so only what looks like code is taken.
fn quoted<'a>(text: &'a str, span: &Span) -> Option<&'a str> {
    let after = text[span.end..].strip_prefix('`').unwrap_or(&text[span.end..]);
    let after =
        after.strip_prefix(':').or(after.strip_prefix(" (")).or(after.strip_prefix(" says"));
    let quote = after?.trim_start_matches(' ').strip_prefix('"')?;
    let quote = &quote[..quote.find(['"', '\n'])?];
    let code =
        quote.contains(['(', '{', '=', ';', '_']) && !quote.contains("...") && !quote.contains('…');
    (quote.len() >= 8 && code).then_some(quote)
}

/// A text with every run of white space as one space.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The identifier that the text ties to a citation: `` `name` at `path:1` ``, `` `name` (`path:1`) ``
/// or `` From `path:1`: `name` ``.
fn named<'a>(text: &'a str, span: &Span) -> Option<&'a str> {
    let line_start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at);
    let before = text[line_start..span.start].trim_end_matches(['`', '(']);
    let before = before.trim_end();
    let before = before.strip_suffix(" at").unwrap_or(before);
    let opens_with = &text[line_start + before.len()..span.start];
    if let Some(code) = before.strip_suffix('`')
        && matches!(opens_with, " at `" | " (`" | " at " | " (")
    {
        return identifier(&code[code.rfind('`')? + 1..]);
    }
    let after = text[span.end..line_end].strip_prefix('`')?;
    let after = after.strip_prefix(": `")?;
    let introduced = text[line_start..span.start].trim_start_matches(['-', '*', ' ', '\t']);
    if introduced != "From `" && introduced != "from `" {
        return None;
    }
    identifier(after.split('`').next()?)
}

/// The first name of a piece of code that is not a word of the language.
fn identifier(code: &str) -> Option<&str> {
    prose::words(code)
        .filter(|(start, _)| !code[..*start].ends_with('_'))
        .map(|(start, word)| {
            let rest = &code[start..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            if end < word.len() { word } else { &rest[..end] }
        })
        .find(|word| !KEYWORDS.contains(word))
        .filter(|word| word.len() >= 4 && word.starts_with(|c: char| c.is_alphabetic()))
        // A phrase in code marks is no name.
        .filter(|word| {
            let at = code.find(word).unwrap_or(0);
            !code[at + word.len()..].starts_with([' ', '/', '-', '.'])
                || code[..at].trim_end().len() < at
        })
}

const KEYWORDS: [&str; 22] = [
    "export",
    "function",
    "const",
    "async",
    "def",
    "fn",
    "pub",
    "class",
    "interface",
    "type",
    "func",
    "let",
    "struct",
    "impl",
    "public",
    "static",
    "private",
    "return",
    "trait",
    "enum",
    "default",
    "import",
];
