//! What a claim names, and the few claims that a plain search can refute.
//!
//! A wrong `contradicted` sinks a true finding, so only sentences of fixed forms about one quoted
//! name count, never a condition, a wish or what somebody else is said to have said.

use super::tree::Source;

/// Names taken from a claim; more would verify anything.
const MAX_NAMES: usize = 24;

/// The code identifiers that a text names: what stands in backticks, and words of mixed case or
/// with an underscore, and words that are called. In order, each once.
pub fn identifiers(text: &str) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    for (index, part) in text.split('`').enumerate() {
        let quoted = index % 2 == 1;
        for word in part.split_whitespace() {
            // A path is where, not what.
            if word.contains('/') || (!quoted && word.contains("://")) {
                continue;
            }
            let mut rest = word;
            while let Some(start) = rest.find(is_start) {
                let tail = &rest[start..];
                let end = tail.find(|c| !is_inner(c)).unwrap_or(tail.len());
                let (name, after) = tail.split_at(end);
                rest = after;
                let called = after.starts_with('(');
                let code = quoted || called || has_shape(name);
                if code && name.len() > 1 && name.len() <= 80 && !is_keyword(name) {
                    let name = name.to_owned();
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
        }
    }
    names.truncate(MAX_NAMES);
    names
}

/// Plain words of a claim, lower case and without their usual endings. In prose shorter words tell
/// something as well.
pub(super) fn words(text: &str, in_prose: bool) -> Vec<String> {
    let shortest = if in_prose { 4 } else { 5 };
    let mut words: Vec<String> = vec![];
    for chunk in text.split_whitespace() {
        let place = chunk.contains('/') || chunk.bytes().any(|b| b.is_ascii_digit());
        if place {
            continue;
        }
        for word in chunk.split(|c: char| !c.is_alphabetic()) {
            let word = word.to_lowercase();
            let known = STOP.contains(&word.as_str()) || is_keyword(&word);
            if word.len() < shortest || known || (!in_prose && PLAN_WORDS.contains(&word.as_str()))
            {
                continue;
            }
            let stem = ["ing", "es", "ed", "s"]
                .iter()
                .find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= shortest))
                .unwrap_or(&word)
                .to_owned();
            if !words.contains(&stem) {
                words.push(stem);
            }
        }
    }
    words.truncate(MAX_NAMES);
    words
}

/// The name that a symbol such as `Posts::find()` stands under in a line: its last part.
pub(super) fn symbol_name(symbol: &str) -> Option<String> {
    symbol.split(|c: char| !is_inner(c)).rfind(|part| part.starts_with(is_start)).map(str::to_owned)
}

/// Whether a name stands in a line as a whole word.
pub(super) fn stands_in(name: &str, line: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        !line[..at].ends_with(is_inner) && !line[at + name.len()..].starts_with(is_inner)
    })
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn is_inner(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// `camelCase`, `PascalCase`, `snake_case`; neither `Word` nor `HTTP`.
fn has_shape(name: &str) -> bool {
    let hump =
        name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let inner = name.trim_matches('_');
    hump || (inner.contains('_') && inner.chars().any(char::is_alphabetic))
}

pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name.to_ascii_lowercase().as_str())
}

const KEYWORDS: &[&str] = &[
    "and",
    "any",
    "as",
    "async",
    "await",
    "bool",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "high",
    "if",
    "impl",
    "import",
    "in",
    "int",
    "interface",
    "is",
    "let",
    "low",
    "match",
    "medium",
    "mod",
    "mut",
    "new",
    "nil",
    "none",
    "not",
    "null",
    "number",
    "of",
    "or",
    "pub",
    "public",
    "return",
    "self",
    "static",
    "str",
    "string",
    "struct",
    "switch",
    "the",
    "this",
    "throw",
    "to",
    "trait",
    "true",
    "try",
    "type",
    "undefined",
    "use",
    "using",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Words that stand in any text.
const STOP: &[&str] = &[
    "about", "after", "again", "against", "already", "also", "although", "always", "another",
    "because", "been", "before", "being", "between", "both", "break", "breaks", "called", "calls",
    "cannot", "cause", "change", "changes", "check", "checks", "claim", "clear", "could", "does",
    "doesn", "during", "each", "either", "error", "errors", "even", "every", "exist", "exists",
    "fails", "field", "file", "files", "first", "found", "handle", "have", "having", "here",
    "into", "issue", "just", "lack", "lacks", "leave", "line", "lines", "make", "makes", "more",
    "most", "might", "missing", "must", "name", "names", "need", "needs", "never", "nothing",
    "only", "onto", "order", "other", "over", "phase", "place", "please", "problem", "rather",
    "really", "result", "right", "same", "second", "seems", "should", "since", "some", "still",
    "such", "than", "that", "their", "them", "then", "there", "these", "they", "thing", "things",
    "this", "those", "three", "through", "under", "until", "upon", "used", "value", "values",
    "very", "well", "what", "when", "where", "whether", "which", "will", "with", "without",
    "would", "wrong", "your",
];

/// Words that stand in any plan's review; in a plan they are its own words.
const PLAN_WORDS: &[&str] = &["plan", "plans", "task", "tasks", "test", "tests", "wave"];

/// What a sentence says of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Not defined at all: refuted by a definition in the cited file.
    Undefined,
    /// Not in the cited file: refuted by the name anywhere in it.
    NotInFile,
    /// Not on the cited lines: refuted by the name on them.
    NotHere,
    /// In the cited file: refuted if the name is nowhere in it.
    InFile,
}

/// Whether a plain search shows the opposite of what the claim says.
pub(super) fn contradicted(
    source: &Source,
    claim: &str,
    cited: Option<(u64, u64)>,
    file_name: &str,
) -> bool {
    statements(claim, file_name).into_iter().any(|(name, says)| match says {
        Says::Undefined => source.lines(1, u64::MAX).any(|(_, line)| defines(line, name)),
        Says::NotInFile => {
            source.text().contains(name)
                && source.lines(1, u64::MAX).any(|(_, line)| stands_in(name, line))
        }
        Says::NotHere => cited.is_some_and(|(first, last)| {
            source.lines(first, last).any(|(_, line)| stands_in(name, line))
        }),
        Says::InFile => !source.text().contains(name),
    })
}

/// The statements of a claim about names in backticks.
fn statements<'a>(claim: &'a str, file_name: &str) -> Vec<(&'a str, Says)> {
    let mut found = vec![];
    let parts: Vec<&str> = claim.split('`').collect();
    for index in (1..parts.len().saturating_sub(1)).step_by(2) {
        let name = parts[index].trim_end_matches("()");
        let is_name = name.len() > 1
            && name.starts_with(is_start)
            && name.chars().all(is_inner)
            && !is_keyword(name);
        if !is_name {
            continue;
        }
        // The sentence around the name, with names in backticks left out of both sides.
        let before = last_sentence(parts[index - 1]).to_lowercase();
        let after = parts[index + 1].to_lowercase();
        let after_sentence = after.split(['.', ';', '\n', '!', '?']).next().unwrap_or("");
        if is_conditional(&before) || is_conditional(after_sentence) {
            continue;
        }
        let next = parts.get(index + 2).copied().unwrap_or("");
        let in_file = |rest: &str| {
            let rest = rest.trim_start();
            let named = |text: &str| {
                !file_name.is_empty() && (text.ends_with(file_name) || text.starts_with(file_name))
            };
            ["in this file", "from this file", "in the file", "from the file"]
                .iter()
                .any(|scope| rest.starts_with(scope))
                || (matches!(rest, "in " | "from " | "in" | "from") && named(next))
                || ["in ", "from "].iter().any(|word| {
                    rest.strip_prefix(word).is_some_and(|rest| {
                        rest.split_whitespace()
                            .next()
                            .is_some_and(|word| named(word.trim_end_matches([',', '.'])))
                    })
                })
        };
        if let Some(says) = said_after(&after, in_file).or_else(|| said_before(&before, &after)) {
            found.push((name, says));
        }
    }
    found
}

fn said_after(after: &str, in_file: impl Fn(&str) -> bool) -> Option<Says> {
    let after = after.strip_prefix(' ')?;
    let rest_of = |forms: &[&str]| forms.iter().find_map(|form| after.strip_prefix(form));
    if let Some(rest) = rest_of(&[
        "does not exist",
        "doesn't exist",
        "is not defined",
        "isn't defined",
        "is never defined",
        "is not declared",
        "is never declared",
        "is nowhere defined",
    ]) {
        return Some(if in_file(rest) { Says::NotInFile } else { Says::Undefined });
    }
    if let Some(rest) = rest_of(&["is missing", "is absent", "does not appear", "is not present"]) {
        return in_file(rest).then_some(Says::NotInFile);
    }
    let rest = rest_of(&["already exists", "exists", "is already defined", "is defined"])?;
    in_file(rest).then_some(Says::InFile)
}

fn said_before(before: &str, after: &str) -> Option<Says> {
    let before = before.trim_end();
    let ends = |forms: &[&str]| forms.iter().any(|form| before.ends_with(form));
    if ends(&["no such function", "no such method", "no such class", "no such type"]) {
        return Some(Says::Undefined);
    }
    // "lacks `x` on errors" is about a case, not about the line.
    let ends_there = after.trim_start().is_empty() || after.starts_with(['.', ',', ';', ')']);
    let here =
        ["this line lacks", "this line does not call", "this line never calls", "there is no"];
    (ends_there && ends(&here)).then_some(Says::NotHere)
}

fn last_sentence(text: &str) -> &str {
    text.rsplit(['.', ';', '\n', '!', '?']).next().unwrap_or(text)
}

/// Sentences that do not state a fact: conditions, wishes, and what a plan is said to say.
fn is_conditional(sentence: &str) -> bool {
    const WORDS: &[&str] = &[
        "after", "assume", "assumes", "before", "can", "check", "claim", "claims", "could",
        "ensure", "expects", "if", "may", "might", "must", "once", "says", "should", "states",
        "unless", "until", "verify", "when", "whether", "will", "would",
    ];
    sentence.split(|c: char| !c.is_alphabetic()).any(|word| WORDS.contains(&word))
}

/// Whether a line defines a name, in the ways that common languages do.
fn defines(line: &str, name: &str) -> bool {
    const WORDS: &[&str] = &[
        "class",
        "const",
        "def",
        "enum",
        "fn",
        "func",
        "fun",
        "function",
        "interface",
        "let",
        "macro_rules!",
        "mod",
        "module",
        "static",
        "struct",
        "table",
        "trait",
        "type",
        "var",
    ];
    let trimmed = line.trim_start();
    if ["//", "#", "*", "/*", "--"].iter().any(|comment| trimmed.starts_with(comment)) {
        return false;
    }
    line.match_indices(name).any(|(at, _)| {
        let whole =
            !line[..at].ends_with(is_inner) && !line[at + name.len()..].starts_with(is_inner);
        let before = line[..at].trim_end().trim_end_matches(['*', '"', '\'']).trim_end();
        let word = before.rsplit(char::is_whitespace).next().unwrap_or("");
        whole && WORDS.contains(&word.to_ascii_lowercase().as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_in_a_claim() {
        assert_eq!(
            identifiers(
                "The `feed query` in src/db/posts.ts ignores deleted_at; call getPosts() or HTTP. High `const`"
            ),
            ["feed", "query", "deleted_at", "getPosts"]
        );
        let claim = "the Posts query might break because posts lacks Task order at src/a.ts:5";
        assert_eq!(words(claim, false), ["posts", "query"]);
        assert_eq!(words(claim, true), ["post", "query", "task"]);
        assert_eq!(symbol_name("Posts::find()").as_deref(), Some("find"));
        assert!(stands_in("a_b", "x.a_b(") && !stands_in("a_b", "a_bc"));
    }

    fn refuted(claim: &str) -> bool {
        let source = Source::new(
            "import { db } from './db';\nexport function getPosts() {\n  return db.posts.filter(p => p.deleted_at);\n}\n"
                .into(),
        );
        contradicted(&source, claim, Some((3, 3)), "posts.ts")
    }

    #[test]
    fn only_plain_statements_are_refuted() {
        for claim in [
            "`getPosts` does not exist",
            "The function `getPosts()` is never defined.",
            "There is no such function `getPosts`.",
            "`deleted_at` does not appear in this file",
            "`deleted_at` is missing from `src/db/posts.ts`.",
            "`deleted_at` does not exist in posts.ts",
            "`softDelete` is already defined in posts.ts",
            "On line 3 there is no `filter`.",
        ] {
            assert!(refuted(claim), "{claim}");
        }
        for claim in [
            // A use is no definition: that the column is missing elsewhere may well be true.
            "`deleted_at` does not exist",
            "`deleted_at` is missing",
            "`deleted_at` does not exist in schema.ts",
            "If `getPosts` does not exist, the build breaks",
            "The plan says `getPosts` does not exist",
            "`getPosts` should exist in posts.ts",
            "`softDelete` does not exist",
            "`softDelete` would be defined in posts.ts",
            "there is no `filter` on errors",
            "there is no `transaction`",
            "getPosts does not exist",
            "`getPosts` ignores `deleted_at`",
        ] {
            assert!(!refuted(claim), "{claim}");
        }
    }

    proptest! {
        #[test]
        fn any_claim_is_read_without_panic(claim in any::<String>()) {
            let source = Source::new(claim.clone());
            identifiers(&claim);
            words(&claim, claim.len() % 2 == 0);
            contradicted(&source, &claim, Some((1, 2)), "x.rs");
        }

        #[test]
        fn nasty_claims_too(claim in "[`a-c. ()\n_'é]{0,60}(is not defined|exists in |there is no )[`a-c. ]{0,20}") {
            let source = Source::new(claim.clone());
            contradicted(&source, &claim, None, "a.b");
        }
    }
}
