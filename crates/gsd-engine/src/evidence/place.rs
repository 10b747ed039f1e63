//! The ways in which people and models write a place in a file.
//!
//! `path:12`, `path:12-20`, `path:12:5`, `path#L12`, `path#L12-L20`, `path (line 12)`,
//! `` `path`, lines 12-20 ``. In prose a word is a place only if it looks like a file; a URL, a time
//! or a ratio never is.

/// A path as it was written, with its lines if it names any.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub path: String,
    pub line: Option<u64>,
    pub end_line: Option<u64>,
}

/// No path that means something is longer.
const MAX_PATH: usize = 1024;

/// Extensions that make a bare name a file, also without a folder before it.
const EXTENSIONS: &[&str] = &[
    "astro", "bash", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "cts", "cxx",
    "dart", "env", "erl", "ex", "exs", "fish", "go", "gql", "gradle", "graphql", "h", "hpp", "hs",
    "html", "ini", "ipynb", "java", "jl", "js", "json", "jsonc", "jsx", "kt", "kts", "less",
    "lock", "lua", "m", "md", "mdx", "mjs", "ml", "mm", "mts", "nix", "php", "pl", "prisma",
    "proto", "ps1", "py", "pyi", "r", "rb", "rs", "sass", "scala", "scss", "sh", "sol", "sql",
    "svelte", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zig", "zsh",
];

/// Files that have no extension.
const NAMES: &[&str] =
    &["Makefile", "Dockerfile", "Justfile", "justfile", "Gemfile", "Rakefile", "Procfile"];

impl Place {
    /// Reads a text that is a place as a whole, such as a value of a structured block. Any path is
    /// taken, whether it looks like a file or not: somebody meant it as one.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_matches(['`', '"', '\'', '*']).trim();
        if text.is_empty() || text.len() > MAX_PATH {
            return None;
        }
        let (path, lines) = split_lines(text);
        let (path, lines) = match lines {
            Some(lines) => (path, Some(lines)),
            None => match words_split(text) {
                Some((path, lines)) => (path, Some(lines)),
                None => (text, None),
            },
        };
        let path = path.trim_end_matches(['`', ' ', ',']).to_owned();
        let (line, end_line) = lines.map_or((None, None), |(line, end)| (Some(line), end));
        (!path.is_empty()).then_some(Self { path, line, end_line })
    }
}

/// The places that a text names, in order, each once, at most `max`.
pub fn places(text: &str, max: usize) -> Vec<Place> {
    let mut found: Vec<Place> = vec![];
    let mut rest = text;
    while !rest.is_empty() && found.len() < max {
        let Some(start) = rest.find(in_word) else { break };
        let length = rest[start..].find(|c| !in_word(c)).unwrap_or(rest.len() - start);
        let (word, after) = rest[start..].split_at(length);
        rest = after;
        // `[shown](destination)` is two words.
        for part in word.split("](") {
            let Some(place) = place_of(part, after) else { continue };
            // A link repeats its text as its destination: the one with the line wins.
            let known = found.iter_mut().find(|known| {
                known.path == place.path
                    && (known.line.is_none() || place.line.is_none() || **known == place)
            });
            match known {
                Some(known) if known.line.is_none() => *known = place,
                Some(_) => {}
                None => found.push(place),
            }
        }
    }
    found
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || "_./\\-~@+$[]():#%=".contains(c)
}

fn place_of(word: &str, after: &str) -> Option<Place> {
    let word = trim_brackets(word);
    if word.len() < 3 || word.len() > MAX_PATH || word.contains("://") || word.starts_with("//") {
        return None;
    }
    let (path, lines) = split_lines(word);
    let lines = lines.or_else(|| leading_lines(after));
    if !is_file_like(path, lines.is_some()) {
        return None;
    }
    let (line, end_line) = lines.map_or((None, None), |(line, end)| (Some(line), end));
    Some(Place { path: path.to_owned(), line, end_line })
}

/// Takes off brackets that the word does not open itself, and punctuation at its end.
fn trim_brackets(mut word: &str) -> &str {
    loop {
        let before = word;
        word = word
            .trim_end_matches(['.', ':', '=', '-', '#'])
            .trim_start_matches(['@', '=', ':', '#']);
        for (open, close) in [('(', ')'), ('[', ']')] {
            let count = |c: char| word.matches(c).count();
            if word.ends_with(close) && count(close) > count(open) {
                word = &word[..word.len() - 1];
            } else if word.starts_with(open)
                && (count(open) > count(close) || word.ends_with(close) && !word.contains('/'))
            {
                word = &word[1..];
            } else if word.starts_with(open) && word.ends_with(close) && !word[1..].contains(open) {
                word = &word[1..word.len() - 1];
            }
        }
        if word == before {
            return word;
        }
    }
}

/// A word that looks like a file. Where a line follows, a folder before the name is enough;
/// without one the name must have an extension, and a folder too, since `Node.js` is no file.
fn is_file_like(path: &str, has_line: bool) -> bool {
    let path = path.trim_end_matches('/');
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let has_folder = path.len() > name.len();
    if name.is_empty() || !path.contains(|c: char| c.is_alphabetic()) {
        return false;
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).filter(|extension| {
        extension.len() <= 10
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    let known = extension.is_some_and(|e| EXTENSIONS.contains(&e.to_ascii_lowercase().as_str()));
    let named = NAMES.contains(&name);
    match (has_folder, has_line) {
        (true, true) => true,
        (true, false) => extension.is_some() && !path.contains('=') || named,
        (false, true) => known || named,
        (false, false) => false,
    }
}

type Lines = (u64, Option<u64>);

/// Splits `path:12-20`, `path:12:5`, `path#L12-L20` and their kin.
fn split_lines(text: &str) -> (&str, Option<Lines>) {
    if let Some((path, anchor)) = text.rsplit_once('#')
        && let Some(lines) = range(anchor)
    {
        return (path, Some(lines));
    }
    // From the left, so that `path:12:5` is line 12 and not a path with a colon.
    for (at, _) in text.match_indices(':') {
        let (path, suffix) = (&text[..at], &text[at + 1..]);
        // `C:\x` has no line there.
        if path.is_empty() || path.len() == 1 {
            continue;
        }
        let suffix = suffix.strip_suffix(':').unwrap_or(suffix);
        if let Some(lines) = range(suffix) {
            return (path, Some(lines));
        }
        if let Some((line, column)) = suffix.split_once(':')
            && column.split(['-', ':']).all(|part| part.parse::<u64>().is_ok())
            && let Some(lines) = range(line)
        {
            return (path, Some(lines));
        }
    }
    (text, None)
}

/// `12`, `L12`, `12-20`, `L12-L20`, with any dash.
fn range(text: &str) -> Option<Lines> {
    let number = |part: &str| -> Option<u64> {
        let digits = part.trim().trim_start_matches(['L', 'l']);
        // Ten digits are more than any file has lines.
        (digits.len() <= 10 && digits.bytes().all(|b| b.is_ascii_digit()))
            .then(|| digits.parse().ok())
            .flatten()
    };
    match text.split_once(['-', '–', '—']) {
        None => Some((number(text)?, None)),
        Some((line, end)) => {
            let (line, end) = (number(line)?, number(end)?);
            Some((line, (end > line).then_some(end)))
        }
    }
}

/// `path (line 12)`, `path, lines 12-20`, as a whole text.
fn words_split(text: &str) -> Option<(&str, Lines)> {
    for (at, c) in text.char_indices() {
        if matches!(c, ' ' | ',' | '(')
            && let Some(lines) = leading_lines(&text[at..])
        {
            return Some((&text[..at], lines));
        }
    }
    None
}

/// The lines that the text right after a path names in words.
fn leading_lines(after: &str) -> Option<Lines> {
    let mut rest = after.trim_start_matches(['`', '*', '"', '\'', ')']);
    rest = rest.trim_start_matches([' ', ',', '(', '[']);
    for word in ["at ", "on ", "around ", "near "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let numbers = ["lines ", "Lines ", "line ", "Line ", "ll. ", "l. "]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
        .or_else(|| {
            rest.strip_prefix('L').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
        })?;
    let end = numbers
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '–' | '—' | 'L')))
        .unwrap_or(numbers.len());
    range(numbers[..end].trim_end_matches(['-', '–', '—']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place(path: &str, line: u64, end: u64) -> Place {
        let some = |n| (n > 0).then_some(n);
        Place { path: path.into(), line: some(line), end_line: some(end) }
    }

    #[test]
    fn whole_texts() {
        for (text, wanted) in [
            ("src/a.rs:12", place("src/a.rs", 12, 0)),
            ("src/a.rs:12-20", place("src/a.rs", 12, 20)),
            ("src/a.rs:12–20", place("src/a.rs", 12, 20)),
            ("src/a.rs:12:5", place("src/a.rs", 12, 0)),
            ("src/a.rs#L12", place("src/a.rs", 12, 0)),
            ("src/a.rs#L12-L20", place("src/a.rs", 12, 20)),
            ("`src/a.rs`, lines 12-20", place("src/a.rs", 12, 20)),
            ("src/a.rs (line 12)", place("src/a.rs", 12, 0)),
            ("src/a.rs", place("src/a.rs", 0, 0)),
            ("/etc/passwd", place("/etc/passwd", 0, 0)),
            ("C:\\x\\a.rs:7", place("C:\\x\\a.rs", 7, 0)),
            ("https://x.org/a.rs#L3", place("https://x.org/a.rs", 3, 0)),
        ] {
            assert_eq!(Place::parse(text), Some(wanted), "{text}");
        }
        assert_eq!(Place::parse("  "), None);
    }

    #[test]
    fn places_in_prose() {
        let text = "See `src/app/feed/page.tsx:14`, src/app/[slug]/page.tsx:3 and (lib/a.ts:9). \
                    [a.rs](/home/me/repo/src/a.rs:4); `src/b.ts` (lines 3-9). At 12:30 the ratio 1:2 \
                    on localhost:3000, http://x.org/a.ts:80, Node.js, and/or, posts.ts:88 v1.2:3 \
                    [src/c.rs:4](src/c.rs#L4) Makefile:7 src/(group)/x.ts#L2 .planning/x/03-01-PLAN.md.";
        let shown: Vec<String> = places(text, 50)
            .into_iter()
            .map(|p| format!("{} {:?} {:?}", p.path, p.line, p.end_line))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r"
        src/app/feed/page.tsx Some(14) None
        src/app/[slug]/page.tsx Some(3) None
        lib/a.ts Some(9) None
        /home/me/repo/src/a.rs Some(4) None
        src/b.ts Some(3) Some(9)
        posts.ts Some(88) None
        src/c.rs Some(4) None
        Makefile Some(7) None
        src/(group)/x.ts Some(2) None
        .planning/x/03-01-PLAN.md None None
        ");
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in any::<String>(), max in 0usize..20) {
            Place::parse(&text);
            prop_assert!(places(&text, max).len() <= max);
        }

        #[test]
        fn nasty_words_too(text in "[a-zA-Z0-9_./\\\\:#()\\[\\]`L –-]{0,80}") {
            Place::parse(&text);
            for place in places(&text, 20) {
                prop_assert!(!place.path.is_empty());
                prop_assert!(text.contains(&place.path));
            }
        }
    }
}
