//! The fenced block `gsd-findings`, as models really write it: trailing commas, comments, raw line
//! breaks in strings, quotes that nobody escaped, an end that never comes. What is whole is read.

use serde_json::Value;
use std::borrow::Cow;
use std::ops::Range;

/// A fenced block tagged `gsd-findings`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// From the line of its opening fence to the end of its closing one.
    pub range: Range<usize>,
    pub body: &'a str,
}

impl Block<'_> {
    /// The number of its items, if every one of them could be read.
    pub fn count_if_whole(&self) -> Option<usize> {
        let read = items(self.body);
        (read.broken == 0 && !read.unreadable).then_some(read.items.len())
    }
}

/// Items of a block, and how many could not be read.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub(super) items: Vec<Value>,
    pub(super) broken: usize,
    /// There is no item, and nothing says that there is none to find.
    pub(super) unreadable: bool,
}

const TAG: &str = "gsd-findings";
/// More than any model writes; a block may be a bomb.
const MAX_ITEMS: usize = 2000;

/// A fence, of backticks or of tildes.
struct Fence {
    marker: char,
    length: usize,
}

impl Fence {
    /// The fence that opens a block of ours. It may stand in a list or a quotation.
    fn opens(line: &str) -> Option<Self> {
        let line = line.trim().trim_start_matches(['>', '-', '*', ' ']);
        let marker = ['`', '~'].into_iter().find(|marker| line.starts_with(*marker))?;
        let info = line.trim_start_matches(marker);
        let length = line.len() - info.len();
        let tagged = info
            .split(|c: char| c.is_whitespace() || "{}.,=\"".contains(c))
            .any(|word| word.eq_ignore_ascii_case(TAG));
        (length >= 3 && !info.contains('`') && tagged).then_some(Self { marker, length })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim().trim_start_matches(['>', ' ']);
        line.len() >= self.length && line.trim_start_matches(self.marker).is_empty()
    }
}

/// The blocks of a text, in order. One that is not closed goes on to the next one, or to the end.
///
/// Other fences are not looked at: a whole answer in a fence, or one that somebody forgot to close,
/// must not hide what the reviewer found.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = vec![];
    let mut offset = 0;
    let mut open: Option<(Fence, usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        if let Some((fence, begin, body)) = &open
            && fence.is_closed_by(line)
        {
            found.push(Block { range: *begin..offset, body: &text[*body..start] });
            open = None;
        } else if let Some(fence) = Fence::opens(line) {
            if let Some((_, begin, body)) = open {
                found.push(Block { range: begin..start, body: &text[body..start] });
            }
            open = Some((fence, start, offset));
        }
    }
    if let Some((_, begin, body)) = open {
        found.push(Block { range: begin..text.len(), body: &text[body..] });
    }
    found
}

/// The items of a block's body: the elements of its list, whether the list stands alone or under
/// `findings`, and whether or not it ends.
pub(super) fn items(body: &str) -> Items {
    let repaired = repair(&unquoted(body));
    let mut read = Items::default();
    let objects = objects(&repaired);
    // Objects that were opened and never closed hold what was cut off.
    read.broken += usize::from(objects.cut);
    for range in objects.ranges.into_iter().take(MAX_ITEMS) {
        match serde_json::from_str::<Value>(&repaired[range]) {
            Ok(Value::Object(object)) => match object.get("findings").or(object.get("items")) {
                Some(Value::Array(items)) => {
                    read.items.extend(items.iter().take(MAX_ITEMS).cloned());
                }
                // The wrapper, with something else in it than a list.
                Some(_) if object.contains_key("findings") => read.broken += 1,
                Some(_) | None => read.items.push(Value::Object(object)),
            },
            Ok(_) | Err(_) => read.broken += 1,
        }
    }
    read.items.truncate(MAX_ITEMS);
    read.unreadable = read.items.is_empty() && !is_empty_list(&repaired);
    read
}

/// Whether a body says that there is nothing: a list without elements.
fn is_empty_list(body: &str) -> bool {
    let first = serde_json::Deserializer::from_str(body).into_iter::<Value>().next();
    match first {
        Some(Ok(Value::Array(list))) => list.is_empty(),
        Some(Ok(Value::Object(object))) => {
            let list = object.get("findings").or(object.get("items")).and_then(Value::as_array);
            list.is_some_and(Vec::is_empty)
        }
        Some(_) | None => false,
    }
}

/// The body of a block in a quotation, without the marks of the quotation.
fn unquoted(body: &str) -> Cow<'_, str> {
    let mut lines = body.lines().filter(|line| !line.trim().is_empty());
    if body.trim().is_empty() || !lines.all(|line| line.trim_start().starts_with('>')) {
        return Cow::Borrowed(body);
    }
    let bare = |line: &str| -> String {
        let line = line.trim_start();
        format!("{}\n", line.strip_prefix('>').unwrap_or(line))
    };
    Cow::Owned(body.lines().map(bare).collect())
}

struct Objects {
    ranges: Vec<Range<usize>>,
    cut: bool,
}

/// The outermost complete objects of a text whose strings are well formed.
fn objects(text: &str) -> Objects {
    let mut ranges: Vec<Range<usize>> = vec![];
    let mut open = vec![];
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => open.push(at),
            b'}' => {
                if let Some(start) = open.pop() {
                    while ranges.last().is_some_and(|inner| inner.start > start) {
                        ranges.pop();
                    }
                    ranges.push(start..at + 1);
                }
            }
            _ => {}
        }
    }
    // Only the innermost unclosed object lost something; what is around it is the wrapper.
    let wrapper_only = open.len() == 1
        && text[open[0]..].trim_start_matches(['{', ' ', '\n']).starts_with("\"findings\"");
    Objects { ranges, cut: !open.is_empty() && !wrapper_only || in_string }
}

/// JSON with the usual slips mended: comments and trailing commas gone, line breaks and stray
/// quotes in strings escaped.
fn repair(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 16);
    let mut in_string = false;
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if in_string {
            match c {
                '\\' => {
                    // A lone backslash before another character, as in a Windows path or a regular
                    // expression, is meant as one.
                    match chars.get(at + 1) {
                        Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => {
                            out.push('\\');
                            out.push(chars[at + 1]);
                            at += 1;
                        }
                        Some('u') if is_unicode_escape(&chars[at + 2..]) => out.push('\\'),
                        Some(_) | None => out.push_str("\\\\"),
                    }
                }
                '"' if ends_string(&chars[at + 1..]) => {
                    in_string = false;
                    out.push('"');
                }
                '"' => out.push_str("\\\""),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                c if c.is_control() => {}
                c => out.push(c),
            }
            at += 1;
            continue;
        }
        match c {
            '"' => {
                in_string = true;
                out.push('"');
            }
            '/' if matches!(chars.get(at + 1), Some('/' | '*')) => {
                at = skip_comment(&chars, at);
                continue;
            }
            ',' if matches!(next_token(&chars, at + 1), None | Some('}' | ']')) => {}
            c => out.push(c),
        }
        at += 1;
    }
    out
}

fn is_unicode_escape(rest: &[char]) -> bool {
    rest.len() >= 4 && rest[..4].iter().all(char::is_ascii_hexdigit)
}

/// Where a comment that begins at `at` ends.
fn skip_comment(chars: &[char], mut at: usize) -> usize {
    if chars.get(at + 1) == Some(&'/') {
        while at < chars.len() && chars[at] != '\n' {
            at += 1;
        }
        return at;
    }
    at += 2;
    while at < chars.len() {
        if chars[at] == '*' && chars.get(at + 1) == Some(&'/') {
            return at + 2;
        }
        at += 1;
    }
    at
}

/// The next character that is neither white space nor in a comment. Looks only so far: a run of
/// white space between each two characters of a megabyte must not take a square of time.
fn next_token(chars: &[char], mut at: usize) -> Option<char> {
    let end = chars.len().min(at + 2000);
    while at < end {
        match chars[at] {
            '/' if matches!(chars.get(at + 1), Some('/' | '*')) => at = skip_comment(chars, at),
            c if c.is_whitespace() => at += 1,
            c => return Some(c),
        }
    }
    if at < chars.len() { Some(' ') } else { None }
}

/// Whether a quote ends its string: what follows it must be able to follow a string.
fn ends_string(rest: &[char]) -> bool {
    let mut rest = rest.iter().take(2000).skip_while(|c| c.is_whitespace());
    match rest.next() {
        None | Some(':' | '}' | ']') => true,
        Some('/') => matches!(rest.next(), Some('/' | '*')),
        Some(',') => {
            let after: String = rest.skip_while(|c| c.is_whitespace()).take(5).collect();
            after.is_empty()
                || after.starts_with(['"', '{', '[', '}', ']', '-', '/'])
                || after.starts_with(|c: char| c.is_ascii_digit())
                || ["true", "false", "null"].iter().any(|word| after.starts_with(word))
        }
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn titles(body: &str) -> (Vec<String>, usize) {
        let read = items(body);
        let titles = read
            .items
            .iter()
            .map(|item| item["title"].as_str().unwrap_or("-").to_owned())
            .collect();
        (titles, read.broken)
    }

    #[test]
    fn slips_are_mended() {
        for (body, wanted, broken) in [
            (r#"[{"title":"a"},{"title":"b"}]"#, vec!["a", "b"], 0),
            (r#"{"version":1,"findings":[{"title":"a"},],}"#, vec!["a"], 0),
            (r#"{"title":"a"}"#, vec!["a"], 0),
            ("{\"title\":\"a\"}\n{\"title\":\"b\"}", vec!["a", "b"], 0),
            ("[ // first\n {\"title\":\"a\" /* x */,},\n]", vec!["a"], 0),
            ("[{\"title\":\"a\nb\"}]", vec!["a\nb"], 0),
            (r#"[{"title":"say "no" twice"},{"title":"b"}]"#, vec!["say \"no\" twice", "b"], 0),
            (r#"[{"title":"C:\path\d+"}]"#, vec!["C:\\path\\d+"], 0),
            (r#"[{"title":"a"},{"title":"b","evidence":[{"path":"x"#, vec!["a"], 1),
            (r#"{"findings":[{"title":"a"},{"title":"b"}"#, vec!["a", "b"], 0),
            (r#"[{"title":"a"},{"title":oops},{"title":"c"}]"#, vec!["a", "c"], 1),
            (r#"[]"#, vec![], 0),
            ("", vec![], 0),
        ] {
            let (found, lost) = titles(body);
            assert_eq!(found, wanted, "{body}");
            assert_eq!(lost, broken, "{body}");
        }
    }

    #[test]
    fn blocks_are_found_by_their_tag() {
        let text = "# R\n```json\n[1]\n```\n- ```gsd-findings\n[]\n  ```\n~~~json gsd-findings\n{}\n~~~\n``` {.gsd-findings}\nopen";
        let bodies: Vec<&str> = blocks(text).iter().map(|block| block.body).collect();
        assert_eq!(bodies, ["[]\n", "{}\n", "open"]);
        for block in blocks(text) {
            assert!(text[block.range.clone()].contains(block.body));
        }
    }

    #[test]
    fn no_other_fence_hides_a_block() {
        let block = "```gsd-findings\n[{\"title\":\"a\"}]\n```\n";
        for text in [
            format!("```markdown\n# Review\n{block}```\n"),
            format!("````markdown\n# Review\n{block}````\n"),
            format!("```ts\nlet x = 1;\n\n{block}"),
            format!("~~~~\n{block}"),
            format!("~~~~\n{block}~~~~\n"),
        ] {
            let bodies: Vec<&str> = blocks(&text).iter().map(|block| block.body).collect();
            assert_eq!(bodies, ["[{\"title\":\"a\"}]\n"], "{text}");
        }
        // One that is not closed ends where the next one begins.
        let two = format!("```gsd-findings\n[]\n{block}");
        assert_eq!(blocks(&two).len(), 2);
        let quoted =
            "> ```gsd-findings\n> [{\"title\":\"a\"},\n>  {\"title\":\"b\"}]\n> ```\nmore\n";
        assert_eq!(titles(blocks(quoted)[0].body), (vec!["a".to_owned(), "b".to_owned()], 0));
    }

    #[test]
    fn a_body_that_is_no_list_is_unreadable_and_an_empty_list_is_not() {
        for body in [
            "",
            "null",
            "none",
            "[1, 2]",
            "{\"findings\": {\"F1\": {\"title\": \"a\"}}}",
            "{\"findings\": null}",
            "[{\"title\": ",
            "{{{",
        ] {
            assert!(items(body).unreadable, "{body}");
        }
        for body in
            ["[]", " [ ] // none", "{\"findings\": []}", "[]\nNothing.", "[{\"title\":\"a\"}]"]
        {
            assert!(!items(body).unreadable, "{body}");
        }
    }

    #[test]
    fn a_bomb_takes_no_square_of_time() {
        let bomb = "{\"a\":[".repeat(200_000);
        assert!(items(&bomb).items.is_empty());
        let commas = ",    ".repeat(200_000);
        assert!(items(&commas).items.is_empty());
    }

    proptest! {
        #[test]
        fn any_body_is_read(body in any::<String>()) {
            items(&body);
            for block in blocks(&body) {
                prop_assert!(body.get(block.range).is_some());
            }
        }

        #[test]
        fn nasty_bodies_too(body in "[\\[\\]{}\":,/*\\\\u0 \ntitle`~>-]{0,120}") {
            items(&body);
            blocks(&body);
        }

        /// Whatever is cut off, the items before it stay.
        #[test]
        fn a_truncated_block_keeps_what_is_whole(count in 1usize..6, cut in 0usize..400) {
            let items_json: Vec<String> = (0..count)
                .map(|n| format!(r#"{{"title":"t{n}","evidence":[{{"path":"a, b","line":{n}}}]}}"#))
                .collect();
            let text = format!("[{}]", items_json.join(","));
            let cut = cut.min(text.len());
            let read = items(&text[..cut]);
            let mut end = 0;
            let whole = items_json.iter().take_while(|item| { end += item.len() + 1; end <= cut }).count();
            let titles = read.items.iter().filter(|item| item.get("title").is_some()).count();
            prop_assert!(titles >= whole, "{titles} of {whole}");
        }
    }
}
