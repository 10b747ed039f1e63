//! What to type instead of a text that was refused, as far as it can be told from the text.

use super::rules::{BAD_BINARY, BAD_FLAG, BAD_PATH, BAD_PLACEHOLDER, BAD_SLUG};
use super::{Binary, UrlPath};
use crate::diag::Rule;
use crate::id::{LaneFlag, LaneSlug};
use crate::text::{nearest, printable};

/// The words that stand in double braces.
pub(super) const WORDS: [&str; 6] = ["model", "effort", "output", "prompt", "agent", "time-limit"];

/// The remedy for `text`, which `rule` refused.
pub(super) fn remedy(rule: &'static Rule, text: &str) -> Option<String> {
    let of = |other: &'static Rule| rule.code == other.code;
    if of(&BAD_BINARY) {
        return binary(text);
    }
    if of(&BAD_PLACEHOLDER) {
        return placeholder(text);
    }
    if of(&BAD_FLAG) {
        let flag = format!("--{}", dashed(text));
        return LaneFlag::parse(&flag).ok().map(|flag| format!("write `\"{flag}\"`"));
    }
    if of(&BAD_SLUG) {
        return LaneSlug::parse(&dashed(text)).ok().map(|slug| format!("write `\"{slug}\"`"));
    }
    if of(&BAD_PATH) {
        let path = UrlPath::parse(&format!("/{text}")).ok()?;
        return Some(format!("write `\"{}\"`", path.as_str()));
    }
    None
}

/// Lower case, and hyphens for what divides words.
fn dashed(text: &str) -> String {
    let words = text.trim().trim_start_matches('-').to_ascii_lowercase();
    words.replace([' ', '_', '.', '/'], "-")
}

fn binary(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let (first, second) = (words.next()?, words.next());
    if let (false, Some(second)) = (first.contains('/'), second) {
        return Some(format!(
            "write `\"binary\": \"{}\"` and put `\"{}\"` first among `args`",
            printable(first, 40),
            printable(second, 40)
        ));
    }
    let name = text.rsplit(['/', '\\']).next().filter(|name| Binary::parse(name).is_ok())?;
    Some(format!(
        "put the program into a folder of PATH and write `\"{}\"`, or write its absolute path",
        printable(name, 40)
    ))
}

fn placeholder(text: &str) -> Option<String> {
    let open = text.find("{{")?;
    let length = text[open..].find("}}")?;
    let word = &text[open + 2..open + length];
    let (before, known) = (&text[..open], nearest(word, WORDS)?);
    if before.is_empty() && text.len() == length + 2 {
        return Some(format!("did you mean `{{{{{known}}}}}`?"));
    }
    let flag = printable(before.trim_end_matches(['=', ' ']), 40);
    Some(match (known, flag.as_str()) {
        (_, "") => format!("make `\"{{{{{known}}}}}\"` an argument of its own"),
        ("model", _) => {
            format!("write `\"{{{{model}}}}\"` alone, and `\"modelArg\": \"{flag}\"` beside `args`")
        }
        ("output", _) => {
            format!(
                "write `\"{{{{output}}}}\"` alone, and `\"outputArg\": \"{flag}\"` beside `args`"
            )
        }
        ("agent", _) => {
            format!("write `\"{{{{agent}}}}\"` alone, and `\"agentArg\": \"{flag}\"` beside `args`")
        }
        (_, _) => format!("write two arguments: `\"{flag}\", \"{{{{{known}}}}}\"`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_remedy_names_what_to_type() {
        for (rule, text, expected) in [
            (
                &BAD_BINARY,
                "python3 review.py",
                "write `\"binary\": \"python3\"` and put `\"review.py\"` first among `args`",
            ),
            (
                &BAD_BINARY,
                "./review.sh",
                "put the program into a folder of PATH and write `\"review.sh\"`, or write its absolute path",
            ),
            (
                &BAD_PLACEHOLDER,
                "--model={{model}}",
                "write `\"{{model}}\"` alone, and `\"modelArg\": \"--model\"` beside `args`",
            ),
            (&BAD_PLACEHOLDER, "{{modle}}", "did you mean `{{model}}`?"),
            (
                &BAD_PLACEHOLDER,
                "--prompt {{prompt}}",
                "write two arguments: `\"--prompt\", \"{{prompt}}\"`",
            ),
            (&BAD_PLACEHOLDER, "{{model}}-x", "make `\"{{model}}\"` an argument of its own"),
            (&BAD_FLAG, "acme", "write `\"--acme\"`"),
            (&BAD_FLAG, "-Acme Pro", "write `\"--acme-pro\"`"),
            (&BAD_SLUG, "Acme Pro", "write `\"acme-pro\"`"),
            (&BAD_PATH, "v1/chat", "write `\"/v1/chat\"`"),
        ] {
            assert_eq!(remedy(rule, text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(remedy(&BAD_FLAG, "!!"), None);
        assert_eq!(remedy(&BAD_BINARY, ".."), None);
    }
}
