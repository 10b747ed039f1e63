//! Small facts about text: nearness of words, and text from outside made harmless.
//!
//! Text from outside is hostile: it may move the cursor, hide characters or turn the direction of
//! a line. [`printable`] is the one way such text reaches a terminal.

pub mod secrets;

/// The nearest known word, if it is near enough to be meant: at most one edit for each three
/// characters, and never more than three.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A word of a hostile manifest may have megabytes; no known word is that long.
    if word.len() > 100 {
        return None;
    }
    let allowed = (word.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, removals, replacements and swaps of neighbours between two words
/// (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// Whether a character changes how the text around it is shown instead of showing itself:
/// controls, bidirectional overrides and isolates, zero-width characters, line and paragraph
/// separators, fillers that are letters and show nothing, variation selectors, tags.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// One line of text that is safe to print: deceptive characters become visible `\u{…}` escapes,
/// and what is longer than `max` characters is cut with a mark.
pub fn printable(text: &str, max: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == max {
            out.push('…');
            break;
        }
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push(' '),
            c if is_deceptive(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// What [`clean`] had to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cleaned {
    pub text: String,
    /// Invalid UTF-8 sequences that became U+FFFD.
    pub replacements: usize,
    /// Escape sequences and deceptive characters that were removed.
    pub removed: usize,
}

/// Output of a foreign program as text to keep: decoded once, lossily; terminal sequences (CSI,
/// OSC, DCS and the like, ECMA-48) and deceptive characters removed; line ends are `\n`. Tabs and
/// line breaks stay.
pub fn clean(bytes: &[u8]) -> Cleaned {
    let decoded = String::from_utf8_lossy(bytes);
    let valid_marks = match &decoded {
        std::borrow::Cow::Borrowed(_) => decoded.matches('\u{fffd}').count(),
        // U+FFFD may stand in the input itself as well; only the new ones are counted.
        std::borrow::Cow::Owned(_) => bytes.windows(3).filter(|w| *w == [0xef, 0xbf, 0xbd]).count(),
    };
    let replacements = decoded.matches('\u{fffd}').count() - valid_marks;
    let mut out = String::with_capacity(decoded.len());
    let mut removed = 0;
    let mut chars = decoded.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                removed += 1;
                skip_escape(&mut chars);
            }
            '\u{9b}' => {
                removed += 1;
                skip_csi(&mut chars);
            }
            '\r' => {
                if chars.peek() == Some(&'\n') {
                    chars.next();
                }
                out.push('\n');
            }
            '\n' | '\t' => out.push(c),
            c if is_deceptive(c) => removed += 1,
            c => out.push(c),
        }
    }
    Cleaned { text: out, replacements, removed }
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_csi(chars);
        }
        // OSC, DCS, SOS, PM and APC hold a string that ends with BEL or ST. One that never ends
        // stops at the line break, so that a stray ESC cannot swallow a review.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' || c == '\u{9c}' {
                    break;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    break;
                }
            }
        }
        Some(' '..='/') => {
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(|c| ('0'..='~').contains(c));
        }
        Some('0'..='~') => {
            chars.next();
        }
        Some(_) | None => {}
    }
}

fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
    chars.next_if(|c| ('@'..='~').contains(c));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn near_words_are_suggested_and_far_ones_are_not() {
        assert_eq!(nearest("spwan", ["spawn", "openai-http"]), Some("spawn"));
        assert_eq!(nearest("slugg", ["slug", "flags"]), Some("slug"));
        assert_eq!(nearest("banana", ["spawn", "openai-http"]), None);
        assert_eq!(nearest(&"x".repeat(1 << 20), ["spawn"]), None);
    }

    #[test]
    fn terminal_sequences_go_and_text_stays() {
        let dirty = b"\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x1b\\ a\r\nb\rc\0\xe2\x80\xae\xff";
        let cleaned = clean(dirty);
        assert_eq!(cleaned.text, "red link a\nb\nc\u{fffd}");
        assert_eq!(cleaned.replacements, 1);
        assert_eq!(cleaned.removed, 6);
        assert_eq!(clean("\u{feff} \n\u{1b}[0m".as_bytes()).text.trim(), "");
        assert_eq!(clean("kept \u{fffd}".as_bytes()).replacements, 0);
    }

    #[test]
    fn an_endless_sequence_ends_with_its_line() {
        assert_eq!(clean(b"a\x1b]0;never ends\nnext line").text, "a\nnext line");
    }

    #[test]
    fn printable_shows_what_hides() {
        assert_eq!(printable("a\u{202e}b\u{1b}[2K\nc", 80), "a\\u{202e}b\\u{1b}[2K\\nc");
        assert_eq!(printable("abcdef", 3), "abc…");
        let unseen = "\u{3164}\u{115f}\u{1160}\u{ffa0}\u{fe00}\u{fe0f}\u{e0100}\u{e01ef}";
        assert!(unseen.chars().all(is_deceptive));
        assert_eq!(printable("a\u{3164}b", 80), "a\\u{3164}b");
    }

    proptest! {
        #[test]
        fn clean_text_is_clean_already(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let once = clean(&bytes);
            let twice = clean(once.text.as_bytes());
            prop_assert_eq!(&twice.text, &once.text);
            prop_assert!(once.text.chars().all(|c| c == '\n' || c == '\t' || !is_deceptive(c)));
        }
    }
}
