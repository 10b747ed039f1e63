//! Takes a model's thinking out of its answer.
//!
//! Models that think aloud put it between tags, in several spellings; servers drop the opening tag
//! or the model never gets to the closing one. Thinking is not the review and is never shown as
//! such. A tag that stands in code is an example and stays.

/// The names of the tags, in lower case.
const NAMES: [&str; 5] = ["think", "thinking", "thought", "reasoning", "seed:think"];

/// An answer without its thinking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripped {
    pub text: String,
    /// Bytes of thinking that were taken out.
    pub thought: usize,
}

/// Takes out closed blocks, what stands before a closing tag that nothing opened, and a last block
/// that nothing closes.
pub fn strip(answer: &str) -> Stripped {
    let mut text = String::with_capacity(answer.len());
    let mut thought = 0;
    let mut opened_before = false;
    let mut at = 0;
    let mut code = Code::default();
    while at < answer.len() {
        let rest = &answer[at..];
        if let Some(length) = code.step(answer, at) {
            text.push_str(&rest[..length]);
            at += length;
            continue;
        }
        match tag(rest) {
            Some((Tag::Open, length)) => {
                opened_before = true;
                let end = block_end(&rest[length..]).map_or(answer.len(), |end| at + length + end);
                thought += end - at;
                at = end;
            }
            Some((Tag::Close, length)) => {
                // Some servers swallow the opening tag. A later one is only a slip of the model.
                if !opened_before {
                    thought += text.len();
                    text.clear();
                    opened_before = true;
                }
                thought += length;
                at += length;
            }
            None => {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                text.push_str(&rest[..length]);
                at += length;
            }
        }
    }
    Stripped { text: text.trim().to_owned(), thought }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Open,
    Close,
}

/// The tag that the text starts with, and its length.
fn tag(text: &str) -> Option<(Tag, usize)> {
    for (mark, tag) in [("◁think▷", Tag::Open), ("◁/think▷", Tag::Close)] {
        if text.starts_with(mark) {
            return Some((tag, mark.len()));
        }
    }
    let inner = text.strip_prefix('<')?;
    let (kind, inner) = match inner.strip_prefix('/') {
        Some(inner) => (Tag::Close, inner),
        None => (Tag::Open, inner),
    };
    // No name is longer than 20 bytes, attributes and spaces included.
    let end = inner.bytes().take(20).position(|b| b == b'>')?;
    let name = inner[..end].trim().to_ascii_lowercase();
    let length = text.len() - inner.len() + end + 1;
    NAMES.contains(&name.as_str()).then_some((kind, length))
}

/// Where the block ends that was just opened: behind its closing tag. Code does not matter here,
/// since thinking breaks off in the middle of it. Blocks within blocks are counted.
fn block_end(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut last = None;
    for (at, _) in text.match_indices(['<', '◁']) {
        match tag(&text[at..]) {
            Some((Tag::Open, _)) => depth += 1,
            Some((Tag::Close, length)) => {
                depth -= 1;
                last = Some(at + length);
                if depth == 0 {
                    return last;
                }
            }
            None => {}
        }
    }
    // Thinking that names the tag in passing seems to open one block too many.
    last
}

/// Whether a place is inside of code, as CommonMark has it: fenced blocks and code spans.
#[derive(Default)]
struct Code {
    /// The character and the length of the open fence.
    fence: Option<(u8, usize)>,
}

impl Code {
    /// The length of what stands at `at` and is code or a mark of it; `None` if it is neither.
    fn step(&mut self, text: &str, at: usize) -> Option<usize> {
        let line_start = at == 0 || text.as_bytes()[at - 1] == b'\n';
        let line = || text[at..].find('\n').map_or(text.len() - at, |end| end + 1);
        if line_start {
            let length = line();
            let here = fence(&text[at..at + length]);
            match (self.fence, here) {
                (None, Some((mark, count, _))) => {
                    self.fence = Some((mark, count));
                    return Some(length);
                }
                (Some((open, least)), Some((mark, count, bare)))
                    if open == mark && count >= least && bare =>
                {
                    self.fence = None;
                    return Some(length);
                }
                (Some(_), Some(_) | None) | (None, None) => {}
            }
        }
        if self.fence.is_some() {
            return Some(line());
        }
        span(&text[at..])
    }
}

/// A line of three or more backticks or tildes: the mark, how many, and whether nothing follows.
fn fence(line: &str) -> Option<(u8, usize, bool)> {
    let indent = line.bytes().take_while(|b| *b == b' ').count();
    let rest = line.get(indent..).filter(|_| indent <= 3)?;
    let mark = *rest.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
    let count = rest.bytes().take_while(|b| *b == mark).count();
    let info = &rest[count..];
    // A backtick after the mark makes it a code span.
    let opens = count >= 3 && !(mark == b'`' && info.contains('`'));
    opens.then(|| (mark, count, info.trim().is_empty()))
}

/// A span that is longer closes by chance, and looking further for each mark would take for ever.
const LONGEST_SPAN: usize = 4096;

/// The length of a code span at the start of the text; of the mark alone if nothing closes it in
/// the same paragraph.
fn span(text: &str) -> Option<usize> {
    let count = text.bytes().take_while(|b| *b == b'`').count();
    if count == 0 {
        return None;
    }
    let near = &text[..text.floor_char_boundary(count + LONGEST_SPAN)];
    let paragraph = near.find("\n\n").map_or(near, |end| &near[..end]);
    let mut at = count;
    while let Some(start) = paragraph[at..].find('`') {
        let run = paragraph[at + start..].bytes().take_while(|b| *b == b'`').count();
        at += start + run;
        if run == count {
            return Some(at);
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(answer: &str) -> String {
        strip(answer).text
    }

    #[test]
    fn every_spelling_goes() {
        for answer in [
            "<think>a</think>Review",
            "<think>\na\n</think>\n\nReview",
            "<THINK>a</THINK>Review",
            "<thinking>a</thinking>Review",
            "<Thinking >a</ thinking>Review",
            "<thought>a</thought>Review",
            "<reasoning>a</reasoning>Review",
            "<seed:think>a</seed:think>Review",
            "◁think▷a◁/think▷Review",
            "a</think>Review",
            "a\n```\ncode\n```\nb</think>\nReview",
            "<think>a <think> b</think> c</think>Review",
            "<think>how do I close <think>?</think>Review",
            "<think>a</think><think>b</think>Review",
            "<think>```\nunclosed code</think>Review",
            "Review <think>tail never closed",
            "<think>a</think>Review</think>",
            "Review",
        ] {
            assert_eq!(text(answer), "Review", "{answer}");
        }
    }

    #[test]
    fn nothing_is_left_of_thinking_alone() {
        for answer in ["<think>all thought", "<think>a</think>", "a</think>", "<think>", "</think>"]
        {
            assert_eq!(text(answer), "", "{answer}");
            assert_eq!(strip(answer).thought, answer.len(), "{answer}");
        }
    }

    #[test]
    fn an_example_in_code_stays() {
        for answer in [
            "Use `<think>` to mark it.",
            "A ``span with ` and <think>`` too.",
            "```html\n<think>a</think>\n```\nend",
            "~~~\n<think>\n```\n</think>\n~~~\nend",
            "  ````\n```\n<think>\n````\nend",
            "a < think and b > 1",
            "<thinker>no tag of ours</thinker>",
        ] {
            assert_eq!(text(answer), answer.trim(), "{answer}");
            assert_eq!(strip(answer).thought, 0, "{answer}");
        }
        assert_eq!(text("```\n<think>\n```\n<think>a</think>b"), "```\n<think>\n```\nb");
        assert_eq!(text("a ` stray\n\n<think>b</think> c"), "a ` stray\n\n c");
    }

    #[test]
    fn a_hostile_answer_takes_no_longer_than_another() {
        let runs: String = (1..600).map(|n| "`".repeat(n) + " ").collect();
        for answer in [runs, "`a`".repeat(60_000), "`".repeat(200_000), "<think>".repeat(60_000)] {
            let stripped = strip(&answer);
            assert!(stripped.text.is_empty() || stripped.text == answer.trim());
        }
    }

    proptest! {
        #[test]
        fn it_is_total_and_only_takes_away(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("<think>".to_owned()), Just("</think>".to_owned()), Just("`".to_owned()),
                    Just("```\n".to_owned()), Just("\n".to_owned()), Just("◁/think▷".to_owned()),
                    ".{0,4}".prop_map(|s| s),
                ],
                0..24,
            )
        ) {
            let answer = parts.concat();
            let stripped = strip(&answer);
            prop_assert!(stripped.text.len() + stripped.thought <= answer.len());
            if !answer.contains(['<', '◁']) {
                prop_assert_eq!(&stripped.text, answer.trim());
            }
        }
    }
}
