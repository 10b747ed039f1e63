//! Words of a text, as checks need them: without code and quotes, whole words only, and with
//! their places.

use std::collections::BTreeSet;
use std::ops::Range;

/// The text in ASCII lower case, byte for byte as long, with code fences, code spans and HTML
/// comments blanked. What stands there is quoted, not said.
pub(super) fn plain(text: &str) -> String {
    let mut bytes = text.as_bytes().to_ascii_lowercase();
    let mut fence: Option<(u8, usize)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let trimmed = line.trim_start_matches([' ', '\t', '>', '-', '*']);
        let mark = trimmed.bytes().next().filter(|b| *b == b'`' || *b == b'~');
        let run = mark.map_or(0, |mark| trimmed.bytes().take_while(|b| *b == mark).count());
        match (fence, mark) {
            (None, Some(mark)) if run >= 3 => {
                fence = Some((mark, run));
                blank(&mut bytes, start..end);
            }
            (Some((open, length)), Some(mark)) if open == mark && run >= length => {
                fence = None;
                blank(&mut bytes, start..end);
            }
            (Some(_), _) => blank(&mut bytes, start..end),
            (None, _) => blank_code_spans(&mut bytes, start..end),
        }
        start = end;
    }
    blank_between(&mut bytes, text, "<!--", "-->");
    // Only whole characters were blanked, each byte by a space.
    String::from_utf8(bytes).expect("ASCII lower case and blanks keep UTF-8")
}

/// [`plain`], with text between double quotes blanked as well.
pub(super) fn unquoted(text: &str) -> String {
    let mut bytes = plain(text).into_bytes();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let mut open = None;
        for at in start..end {
            let quote = match &bytes[at..] {
                [b'"', ..] => 1,
                [0xe2, 0x80, 0x9c | 0x9d, ..] => 3,
                _ => continue,
            };
            match open.take() {
                None => open = Some(at),
                Some(from) => blank(&mut bytes, from..at + quote),
            }
        }
        start = end;
    }
    String::from_utf8(bytes).expect("whole characters were blanked")
}

fn blank(bytes: &mut [u8], span: Range<usize>) {
    for byte in &mut bytes[span] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

fn blank_code_spans(bytes: &mut [u8], line: Range<usize>) {
    let mut at = line.start;
    while at < line.end {
        if bytes[at] != b'`' {
            at += 1;
            continue;
        }
        let run = bytes[at..line.end].iter().take_while(|b| **b == b'`').count();
        let mut close = at + run;
        // The closing run is as long as the opening one.
        let end = loop {
            match bytes[close..line.end].iter().position(|b| *b == b'`') {
                None => break None,
                Some(offset) => {
                    close += offset;
                    let length = bytes[close..line.end].iter().take_while(|b| **b == b'`').count();
                    close += length;
                    if length == run {
                        break Some(close);
                    }
                }
            }
        };
        match end {
            Some(end) => {
                blank(bytes, at..end);
                at = end;
            }
            None => at += run,
        }
    }
}

fn blank_between(bytes: &mut [u8], text: &str, open: &str, close: &str) {
    let mut at = 0;
    while let Some(start) = text[at..].find(open).map(|offset| at + offset) {
        let Some(end) = text[start..].find(close).map(|offset| start + offset + close.len()) else {
            return;
        };
        blank(bytes, start..end);
        at = end;
    }
}

/// Where phrases stand in a text as whole words, the longest first where several begin at one
/// place. The text is lower case already.
pub(super) fn phrases<'a>(text: &str, wanted: &[&'a str]) -> Vec<(Range<usize>, &'a str)> {
    let bytes = text.as_bytes();
    let mut found = vec![];
    let mut in_word = false;
    for (start, byte) in bytes.iter().enumerate() {
        let word = byte.is_ascii_alphanumeric() || !byte.is_ascii();
        // Inside a word no phrase begins; that is where nearly all bytes are.
        if !(word && std::mem::replace(&mut in_word, word)) && *byte != b' ' {
            for phrase in wanted {
                if phrase.as_bytes()[0] == *byte && bytes[start..].starts_with(phrase.as_bytes()) {
                    let span = start..start + phrase.len();
                    if is_whole(text, span.clone()) {
                        found.push((span, *phrase));
                    }
                }
            }
        }
        in_word = word;
    }
    found.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    found
}

/// Whether neither side of a span continues a word.
pub(super) fn is_whole(text: &str, span: Range<usize>) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let inner = &text[span.clone()];
    let opens = inner.chars().next().is_some_and(word);
    let closes = inner.chars().next_back().is_some_and(word);
    let before = text[..span.start].chars().next_back();
    let after = text[span.end..].chars().next();
    let joins = |c: char| word(c) || c == '-';
    let continued = (opens && before.is_some_and(joins)) || (closes && after.is_some_and(joins));
    !continued
}

/// Whether a text names an identifier such as `D-07` or `AUTH-01` as a whole word.
pub(super) fn names(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + id.len()..].chars().next();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-')
            && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// No sentence is longer; a bound keeps the search linear in texts without any full stop.
const MAX_SENTENCE: usize = 1000;

/// The sentence around an offset: from the end of the last one, or the beginning of the list
/// item, to its own end. A sentence may be wrapped over lines.
pub(super) fn sentence(text: &str, at: usize) -> Range<usize> {
    let (mut first, mut last) =
        (at.saturating_sub(MAX_SENTENCE), (at + MAX_SENTENCE).min(text.len()));
    while !text.is_char_boundary(first) {
        first += 1;
    }
    while !text.is_char_boundary(last) {
        last -= 1;
    }
    let start = text[first..at].char_indices().rev().find_map(|(index, c)| {
        ends_sentence(text, first + index, c).then_some(first + index + c.len_utf8())
    });
    let stop = text[at..last]
        .char_indices()
        .find_map(|(index, c)| ends_sentence(text, at + index, c).then_some(at + index));
    start.unwrap_or(first)..stop.unwrap_or(last)
}

fn ends_sentence(text: &str, at: usize, c: char) -> bool {
    let rest = &text[at + c.len_utf8()..];
    match c {
        '.' | '!' | '?' | ';' => rest.is_empty() || rest.starts_with(char::is_whitespace),
        '\n' => {
            let next = rest.trim_start_matches([' ', '\t']);
            let digits = next.bytes().take(4).take_while(u8::is_ascii_digit).count();
            next.is_empty()
                || next.starts_with(['\n', '\r', '-', '*', '+', '#', '|', '<', '>'])
                || (digits > 0 && next[digits..].starts_with(". "))
        }
        _ => false,
    }
}

/// Words that say what a text is about: lower case, without endings, without the words that every
/// plan has.
pub(super) fn topics(text: &str) -> BTreeSet<String> {
    words(text).filter_map(|(_, word)| topic(word)).collect()
}

/// The same words in their order.
pub(super) fn topic_list(text: &str) -> Vec<String> {
    words(text).filter_map(|(_, word)| topic(word)).collect()
}

/// Runs of letters and digits, with their places.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - base, word))
}

/// The stem of a word that means something; `None` for a word that every plan has.
pub(super) fn topic(word: &str) -> Option<String> {
    if word.len() < 3 || word.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let lower = word.to_lowercase();
    COMMON.binary_search(&lower.as_str()).is_err().then(|| stem(&lower))
}

/// A word without its commonest English endings: enough to make `replies` and `reply` equal.
fn stem(word: &str) -> String {
    for (ending, instead) in [
        ("ations", "at"),
        ("ation", "at"),
        ("ings", ""),
        ("ing", ""),
        ("ies", "y"),
        ("ied", "y"),
        ("sses", "ss"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
        ("ed", ""),
        ("ers", "er"),
        ("es", "e"),
        ("s", ""),
    ] {
        if let Some(root) = word.strip_suffix(ending)
            && root.len() >= 3
            && !word.ends_with("ss")
        {
            let root = format!("{root}{instead}");
            return root.trim_end_matches('e').to_owned();
        }
    }
    word.trim_end_matches('e').to_owned()
}

#[rustfmt::skip]
const COMMON: [&str; 129] = [
    "add", "added", "adds", "advanced", "after", "all", "also", "and", "any", "are", "based",
    "basic", "before", "but", "can", "change", "changes", "code", "could", "create", "created",
    "creates", "data", "each", "every", "feature", "features", "file", "files", "first", "for",
    "from", "full", "future", "get", "had", "handle", "handles", "handling", "has", "have",
    "here", "how", "implement", "implements", "integration", "integrations", "into", "item",
    "items", "its", "last", "later", "less", "list", "made", "make", "makes", "may", "more",
    "most", "must", "new", "not", "now", "off", "old", "one", "only", "other", "our", "out",
    "over", "page", "pages", "part", "per", "phase", "plan", "plans", "same", "set", "should",
    "show", "shows", "simple", "support", "supports", "system", "task", "tasks", "than", "that",
    "the", "their", "them", "then", "there", "they", "this", "three", "two", "under", "until",
    "use", "used", "user", "uses", "using", "version", "via", "was", "were", "what", "when",
    "where", "which", "while", "who", "whose", "why", "will", "with", "work", "working", "works",
    "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn code_and_quotes_are_blank() {
        let text = "Say `TODO` now\n```sh\nTODO\n```\nand \"TODO\" <!-- TODO --> TODO";
        assert_eq!(phrases(&plain(text), &["todo"]).len(), 2);
        assert_eq!(phrases(&unquoted(text), &["todo"]).len(), 1);
        assert_eq!(plain(text).len(), text.len());
    }

    #[test]
    fn phrases_are_whole_words() {
        assert_eq!(phrases("properly, improperly; proper-ly", &["properly"]).len(), 1);
        assert!(names("as D-07 says", "D-07") && !names("D-071 and XD-07", "D-07"));
    }

    #[test]
    fn sentences_wrap_and_lists_do_not() {
        let text = "One two\nthree. Four `a.ts` five\n- six\n- seven";
        let around = |word: &str| text[sentence(text, text.find(word).unwrap())].trim().to_owned();
        assert_eq!(around("two"), "One two\nthree");
        assert_eq!(around("five"), "Four `a.ts` five");
        assert_eq!(around("six"), "- six");
    }

    #[test]
    fn topics_ignore_endings() {
        assert_eq!(topics("Threaded replies to comments"), topics("thread reply comment"));
        assert!(topics("add the new file for each user").is_empty());
    }

    proptest! {
        #[test]
        fn places_hold_for_any_text(text in any::<String>()) {
            prop_assert_eq!(plain(&text).len(), text.len());
            prop_assert_eq!(unquoted(&text).len(), text.len());
            for (start, word) in words(&text) {
                prop_assert_eq!(&text[start..start + word.len()], word);
                prop_assert!(text.get(sentence(&text, start)).is_some());
            }
        }
    }
}
