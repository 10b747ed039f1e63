//! The grammars of single fields.

use crate::text::is_deceptive;
use serde_json::Value;

/// What a text may hold beside printable characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    One,
    Many,
}

/// No list of texts has more items, and no item is longer.
const MAX_ITEMS: usize = 50;
const MAX_ITEM: usize = 200;

/// A text that is not blank, of at most `max` characters.
pub(super) fn text(value: &Value, max: usize, lines: Lines) -> Result<String, String> {
    let Some(text) = value.as_str() else { return Err("expected a text".to_owned()) };
    let allowed = |c: char| lines == Lines::Many && matches!(c, '\n' | '\t');
    if text.trim().is_empty() {
        return Err("the text is blank".to_owned());
    }
    if text.chars().count() > max {
        return Err(format!("the text exceeds {max} characters"));
    }
    if text.chars().any(|c| is_deceptive(c) && !allowed(c)) {
        return Err("the text holds control or invisible characters".to_owned());
    }
    Ok(text.to_owned())
}

/// A text of a grammar.
pub(super) fn spelled(
    value: &Value,
    max: usize,
    fits: fn(&str) -> bool,
    expected: &str,
) -> Result<String, String> {
    let text = text(value, max, Lines::One)?;
    if fits(&text) { Ok(text) } else { Err(format!("expected {expected}")) }
}

/// A list of texts.
pub(super) fn texts(value: &Value) -> Result<Vec<String>, String> {
    let Some(items) = value.as_array() else { return Err("expected a list of texts".to_owned()) };
    if items.len() > MAX_ITEMS {
        return Err(format!("the list exceeds {MAX_ITEMS} items"));
    }
    items.iter().map(|item| text(item, MAX_ITEM, Lines::One)).collect()
}

pub(super) fn is_kebab(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(plain)
}

/// `owner/name`, as GitHub spells them.
pub(super) fn is_repository(text: &str) -> bool {
    let part = |part: &str| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        !part.is_empty() && !matches!(part, "." | "..") && part.bytes().all(plain)
    };
    text.split_once('/').is_some_and(|(owner, name)| part(owner) && part(name))
}

/// An SPDX expression, by its looks.
pub(super) fn is_license(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b" .+-()".contains(&b))
}

/// `*`, or clauses of an operator and a full version.
pub(super) fn is_host_range(text: &str) -> bool {
    let clause = |clause: &str| {
        let operators = [">=", "<=", ">", "<", "=", "^", "~"];
        let rest = operators.iter().find_map(|operator| clause.strip_prefix(operator));
        let rest = rest.unwrap_or(clause);
        semver::Version::parse(rest.strip_prefix('v').unwrap_or(rest)).is_ok()
    };
    text == "*" || text.split(' ').all(clause)
}

/// The address of a discussion on GitHub.
pub(super) fn is_discussion(text: &str) -> bool {
    let Some(path) = text.strip_prefix("https://github.com/") else { return false };
    let parts: Vec<&str> = path.split('/').collect();
    let (repository, number) = match parts.as_slice() {
        [owner, name, "discussions", number] => (format!("{owner}/{name}"), number),
        _ => return false,
    };
    is_repository(&repository) && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}
