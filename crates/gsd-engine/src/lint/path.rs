//! What in a plan names a path of the repository, and what does not.
//!
//! Two readings: an entry of a list of files is a path unless it cannot be one; a token of prose
//! is none unless it must be one. Globs, addresses, package names and paths into a home are never
//! judged.

use crate::id::RelPath;
use std::ops::Range;

/// No path that a plan means is longer, and longer tokens cost more than they are worth.
const MAX_TOKEN: usize = 300;

/// Lines of a file, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// What an entry of a list of files names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// A file, or a folder where it ends in `/`.
    Inside(String),
    /// A pattern: the part before its first wild card.
    Pattern(String),
    /// A path that leaves the repository, as written.
    Outside(String),
    /// No path, or none that can be judged.
    Nothing,
}

/// Reads an entry of a list: `src/a.ts`, `` `src/a.ts` (new) ``, `src/a.ts:10-40`, `@src/a.ts`.
pub(super) fn entry(text: &str) -> Named {
    let text = text.trim();
    let token = leading_token(text);
    if token.len() > MAX_TOKEN {
        return Named::Nothing;
    }
    let alone = token.len() + 2 >= text.len();
    let token = token.trim_start_matches('@');
    let (token, _) = split_lines(token.trim_end_matches([',', ';', ':', '.']));
    if token.is_empty()
        || token.contains(':')
        || token.contains(char::is_whitespace)
        || token.starts_with(['~', '$', '-', '#'])
    {
        return Named::Nothing;
    }
    if ["n/a", "none", "tbd"].contains(&token.to_ascii_lowercase().as_str()) {
        return Named::Nothing;
    }
    if let Some(at) = wild_card(token) {
        let before = &token[..at];
        let folder = before.rfind('/').map_or("", |slash| &before[..=slash]);
        return if token.contains('/') || has_known_extension(token) {
            Named::Pattern(folder.to_owned())
        } else {
            Named::Nothing
        };
    }
    let file = has_extension(token) || is_known_name(file_name(token));
    let plausible = if token.contains('/') {
        file || alone || token.ends_with('/')
    } else {
        has_known_extension(token) || is_known_name(token)
    };
    if !plausible {
        return Named::Nothing;
    }
    if token.starts_with('/') || token.split('/').any(|part| part == "..") {
        return Named::Outside(token.to_owned());
    }
    match RelPath::parse(token) {
        Ok(path) if token.ends_with('/') => Named::Inside(format!("{path}/")),
        Ok(path) => Named::Inside(path.to_string()),
        Err(_) => Named::Nothing,
    }
}

/// The path of an entry that names one file inside the repository, without doubt: it has an
/// extension that files have, or a name that stands for itself.
pub(super) fn file(text: &str) -> Option<String> {
    inside(text).filter(|path| has_known_extension(path) || is_known_name(file_name(path)))
}

/// The path of an entry that names one file or folder inside the repository.
pub(super) fn inside(text: &str) -> Option<String> {
    match entry(text) {
        Named::Inside(path) => Some(path),
        Named::Pattern(_) | Named::Outside(_) | Named::Nothing => None,
    }
}

fn leading_token(text: &str) -> &str {
    let text = text.trim_start_matches(['-', '*', '+', ' ']);
    if let Some(code) = text.strip_prefix('`') {
        return code.split('`').next().unwrap_or_default();
    }
    let text = text.trim_start_matches(['"', '\'']);
    let end = text
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ','))
        .unwrap_or(text.len());
    &text[..end]
}

/// A path that prose names without doubt, and where: `src/posts/store.ts`, `src/a.ts:10-12`,
/// `src/a.ts#L10`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) path: String,
    pub(super) lines: Option<Lines>,
    /// The token, lines included, relative to the text that was searched.
    pub(super) span: Range<usize>,
}

/// Every path that a text mentions.
pub(super) fn mentions(text: &str) -> Vec<Mention> {
    let mut found = vec![];
    for (start, token) in tokens(text) {
        // The cheapest test first: nearly every word of prose has neither.
        if token.len() > MAX_TOKEN || !token.bytes().any(|b| b == b'/' || b == b'.') {
            continue;
        }
        let (start, token) = trim_punctuation(start, token);
        let (path, lines) = split_lines(token);
        let named = path.trim_start_matches("./").trim_start_matches('@');
        let judged = (named.contains('/') || lines.is_some()) && has_known_extension(named);
        let first = named.split('/').next().unwrap_or_default();
        let foreign = token.contains("://")
            || token.starts_with(['~', '/', '$'])
            || (path.starts_with('@') && !path.starts_with("@."))
            || wild_card(named).is_some()
            || named.contains(':')
            || (named.contains('/') && first.contains('.') && !first.starts_with('.'));
        if !judged || foreign {
            continue;
        }
        if let Ok(path) = RelPath::parse(named) {
            found.push(Mention { path: path.to_string(), lines, span: start..start + token.len() });
        }
    }
    found
}

/// Words of prose: cut at white space, quotes, code marks, commas, pipes and equals signs.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let cut =
        |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | ';' | '|' | '=' | '→');
    let base = text.as_ptr() as usize;
    text.split(cut)
        .filter(|token| !token.is_empty())
        .map(move |token| (token.as_ptr() as usize - base, token))
}

fn trim_punctuation(mut start: usize, mut token: &str) -> (usize, &str) {
    loop {
        let before = token.len();
        for (open, close) in [('(', ')'), ('[', ']'), ('<', '>'), ('{', '}')] {
            if token.starts_with(open)
                && token.matches(close).count() <= 1
                && !token[1..].contains(open)
            {
                start += 1;
                token = &token[1..];
            }
            if token.ends_with(close) && !token.contains(open) {
                token = &token[..token.len() - 1];
            }
        }
        token = token.trim_end_matches(['.', ':', '!', '?', '*']);
        let starred = token.trim_start_matches('*');
        start += token.len() - starred.len();
        token = starred;
        if token.len() == before || token.is_empty() {
            return (start, token);
        }
    }
}

/// Takes `:10`, `:10-12`, `:10:4`, `#L10` or `#L10-L12` off the end of a path; another `#…` is an
/// anchor and goes as well.
fn split_lines(token: &str) -> (&str, Option<Lines>) {
    if let Some((path, anchor)) = token.split_once('#') {
        let lines = anchor.strip_prefix('L').and_then(|rest| {
            let (first, last) = rest.split_once('-').unwrap_or((rest, rest));
            range(first, last.trim_start_matches('L'))
        });
        return (path, lines);
    }
    let Some((path, numbers)) = token.split_once(':') else { return (token, None) };
    let numbers = numbers.split(':').next().unwrap_or_default();
    let numbers = numbers.trim_start_matches(['L', 'l']);
    let (first, last) = numbers.split_once(['-', '–']).unwrap_or((numbers, numbers));
    match range(first, last.trim_start_matches(['L', 'l'])) {
        Some(lines) => (path, Some(lines)),
        None => (token, None),
    }
}

fn range(first: &str, last: &str) -> Option<Lines> {
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0 && first <= last).then_some(Lines { first, last })
}

/// Where a glob or a placeholder begins. Square brackets and a final `...` inside them belong to
/// the file names of some frameworks.
fn wild_card(token: &str) -> Option<usize> {
    let bytes = token.as_bytes();
    (0..bytes.len()).find(|at| match bytes[*at] {
        b'*' | b'?' | b'{' | b'}' | b'<' | b'>' | b'|' | b'\\' => true,
        b'$' => bytes.get(at + 1).is_some_and(|b| *b == b'{' || *b == b'('),
        b'.' => token[*at..].starts_with("...") && (*at == 0 || bytes[at - 1] != b'['),
        0xe2 => token[*at..].starts_with('…'),
        b'X' | b'N' => {
            // `XX-name` and `NN-name` stand for numbers.
            bytes.get(at + 1) == Some(&bytes[*at])
                && bytes.get(at + 2).is_some_and(|b| *b == b'-' || *b == b'_')
                && (*at == 0 || bytes[at - 1] == b'/')
        }
        _ => false,
    })
}

pub(super) fn file_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

pub(super) fn extension(path: &str) -> Option<&str> {
    let name = file_name(path);
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() || name.len() > 1).then_some(extension)
}

fn has_extension(path: &str) -> bool {
    extension(path).is_some_and(|extension| {
        (1..=10).contains(&extension.len())
            && extension.bytes().all(|b| b.is_ascii_alphanumeric())
            && !extension.bytes().all(|b| b.is_ascii_digit())
    })
}

pub(super) fn has_known_extension(path: &str) -> bool {
    extension(path).is_some_and(|extension| {
        EXTENSIONS.binary_search(&extension.to_ascii_lowercase().as_str()).is_ok()
    })
}

fn is_known_name(name: &str) -> bool {
    NAMES.contains(&name)
}

#[rustfmt::skip]
const NAMES: [&str; 16] = [
    "Makefile", "GNUmakefile", "makefile", "Dockerfile", "Containerfile", "justfile", "Justfile",
    "Procfile", "Gemfile", "Rakefile", "Vagrantfile", "Jenkinsfile", "LICENSE", "CODEOWNERS",
    "Caddyfile", "Brewfile",
];

#[rustfmt::skip]
const EXTENSIONS: [&str; 109] = [
    "astro", "bash", "bat", "c", "cc", "cfg", "cjs", "clj", "cljs", "conf", "cpp", "cs", "css",
    "csv", "cts", "dart", "ejs", "el", "elm", "erb", "erl", "ex", "exs", "fish", "fs", "gif",
    "gitignore", "go", "gql", "gradle", "graphql", "h", "hbs", "hcl", "heex", "hh", "hpp", "hs",
    "htm", "html", "ico", "ini", "ipynb", "j2", "java", "jl", "jpeg", "jpg", "js", "json",
    "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less", "lock", "lua", "m", "md", "mdx", "mjs",
    "mm", "mod", "mts", "nim", "njk", "php", "pl", "plist", "pm", "png", "prisma", "properties",
    "proto", "ps1", "pug", "py", "pyi", "r", "rb", "rs", "rst", "sass", "scala", "scss", "sh",
    "snap", "sql", "sum", "svelte", "svg", "swift", "tf", "tmpl", "toml", "tpl", "ts", "tsv",
    "tsx", "txt", "vue", "webp", "xml", "yaml", "yml", "zig", "zsh",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_lists() {
        for (text, path) in [
            ("src/a.ts", "src/a.ts"),
            ("`src/a.ts` (new)", "src/a.ts"),
            ("./src//a.ts", "src/a.ts"),
            ("src/a.ts:10-40", "src/a.ts"),
            ("src/a.ts (lines 1-20)", "src/a.ts"),
            ("@src/a.ts", "src/a.ts"),
            ("src/app/(auth)/[id]/page.tsx", "src/app/(auth)/[id]/page.tsx"),
            ("src/routes/[...slug]/+page.svelte", "src/routes/[...slug]/+page.svelte"),
            ("Makefile", "Makefile"),
            ("package.json", "package.json"),
            (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
            ("src/components/", "src/components/"),
            ("src/bin/tool", "src/bin/tool"),
            ("docs/README.md#usage", "docs/README.md"),
        ] {
            assert_eq!(entry(text), Named::Inside(path.into()), "{text}");
        }
        for text in [
            "",
            "none",
            "N/A",
            "tests",
            "the parser tests",
            "https://example.org/a.ts",
            "~/.bashrc",
            "$HOME/a.sh",
            "client/server split",
            "22.18",
            "e.g. nothing",
        ] {
            assert_eq!(entry(text), Named::Nothing, "{text}");
        }
        assert_eq!(entry("src/*.ts"), Named::Pattern("src/".into()));
        assert_eq!(entry("src/{a,b}.ts"), Named::Pattern("src/".into()));
        assert_eq!(entry("src/<name>/a.ts"), Named::Pattern("src/".into()));
        assert_eq!(entry("../other/a.ts"), Named::Outside("../other/a.ts".into()));
        assert_eq!(entry("/etc/hosts.conf"), Named::Outside("/etc/hosts.conf".into()));
    }

    #[test]
    fn paths_in_prose() {
        let text = "See `src/a.ts:10-12`, (src/b.py#L3), docs/x.md. And **lib/c.rs**: done";
        let found = mentions(text);
        let paths: Vec<&str> = found.iter().map(|m| m.path.as_str()).collect();
        assert_eq!(paths, ["src/a.ts", "src/b.py", "docs/x.md", "lib/c.rs"]);
        assert_eq!(found[0].lines, Some(Lines { first: 10, last: 12 }));
        assert_eq!(&text[found[0].span.clone()], "src/a.ts:10-12");
        assert_eq!(&text[found[1].span.clone()], "src/b.py#L3");
        for text in [
            "https://a.org/x/y.html and example.com/a/b.html",
            "and/or, n/a, client/server, v1.2/3",
            "`@scope/pkg/index.js` `~/x/y.md` `/etc/x.conf` `src/*.ts` `a/<b>.ts`",
            "at 12:30, localhost:3000, 127.0.0.1:9, node:fs, std::io",
            "`GET /posts/:id.json`",
            "in phases/XX-name/a.md",
        ] {
            assert_eq!(mentions(text), [], "{text}");
        }
    }
}
