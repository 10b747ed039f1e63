//! Whether an answer breaks off in the middle of a sentence.
//!
//! Several programs end with success and half an answer when their model has reached its limit,
//! and say nothing of it. What is left is the text: in one whose sentences end as sentences do, the
//! last one alone does not.

use super::findings::blocks;

/// Shorter lines are labels: `Risk: HIGH`.
const WORDS: usize = 4;
/// So many others must end as they should before the last one means anything.
const LEAST: usize = 2;

/// An answer that brought its block of findings has come to its end.
pub(super) fn breaks_off(text: &str) -> bool {
    if !blocks(text).is_empty() {
        return false;
    }
    let mut prose = paragraphs(text);
    prose.retain(|paragraph| paragraph.words >= WORDS);
    let Some((last, others)) = prose.split_last() else { return false };
    let ended = others.iter().filter(|paragraph| paragraph.is_ended()).count();
    // Some write a line here and there without a full stop.
    let usual = ended >= LEAST && (others.len() - ended) * 4 <= others.len();
    usual && !last.is_ended() && text.trim_end().ends_with(last.line)
}

/// A paragraph or an item of a list.
struct Paragraph<'a> {
    words: usize,
    /// Its last line.
    line: &'a str,
}

impl Paragraph<'_> {
    /// A sentence ends with a mark, or with what may stand behind one; a word goes on.
    fn is_ended(&self) -> bool {
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, ',' | ';' | '-' | '(' | '[');
        !self.line.ends_with(goes_on)
    }
}

fn paragraphs(text: &str) -> Vec<Paragraph<'_>> {
    let mut found: Vec<Paragraph<'_>> = vec![];
    let mut open = false;
    for line in text.lines().map(str::trim) {
        let words = line.split_whitespace().count();
        match found.last_mut() {
            Some(paragraph) if open && is_prose(line) && !is_item(line) => {
                paragraph.words += words;
                paragraph.line = line;
            }
            _ if is_prose(line) => found.push(Paragraph { words, line }),
            _ => {}
        }
        open = is_prose(line);
    }
    found
}

/// Not a heading, a row of a table, a fence or a rule.
fn is_prose(line: &str) -> bool {
    !line.starts_with(['#', '|', '`', '~', '=']) && line.contains(char::is_alphanumeric)
}

fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("+ ")
        || line.starts_with('>')
        || number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REVIEW: &str = "## 03-01-PLAN.md\n\nThe plan can be built, but it loses data on the way.\n\n\
        - **HIGH** `src/store.js:5` - nothing writes a copy before the\n  table goes.\n\
        - **LOW** the order of the notes is written down nowhere.\n\n\
        **Risk** High: the loss cannot be undone.\n";

    #[test]
    fn half_a_review_is_told_from_a_whole_one() {
        assert!(!breaks_off(REVIEW));
        let cut = |until: &str| &REVIEW[..REVIEW.find(until).unwrap()];
        assert!(breaks_off(cut("cannot be undone")));
        assert!(breaks_off(cut("ten down nowhere")));
        // Programs that try again join the halves.
        let half = cut("ten down nowhere");
        assert!(breaks_off(&half.repeat(3)));
    }

    #[test]
    fn who_writes_no_full_stops_has_come_to_an_end() {
        for end in [
            "Risk: HIGH",
            "## Verdict of the whole phase: not yet",
            "| 03-01 | the loss cannot be undone |",
            "Do what stands in `src/store.js`",
            "**The loss of the notes cannot be undone**",
        ] {
            assert!(!breaks_off(&format!("{REVIEW}\n{end}\n")), "{end}");
        }
        let bare = "- nothing writes a copy first\n- the order is written down nowhere\n- no test";
        assert!(!breaks_off(bare));
        assert!(!breaks_off(&format!("{bare} covers the removal")));
        let block = "```gsd-findings\n[]\n```\n";
        assert!(!breaks_off(&format!("{REVIEW}{block}\nand that is all that I have to say")));
        assert!(!breaks_off(""));
    }

    proptest! {
        #[test]
        fn any_text_is_looked_at(text in any::<String>()) {
            let _ = breaks_off(&text);
        }
    }
}
