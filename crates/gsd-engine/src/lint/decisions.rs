//! Names of decisions in a text: `D-01`, and the short forms `D-01..D-05`, `D-01/02`.

use std::ops::Range;

/// A list that claims more than this is not expanded.
const MAX_RANGE: u32 = 60;

/// An id without leading zeros, in upper case: `D-7`.
pub(super) fn key(id: &str) -> String {
    super::order::without_zeros(id.trim()).to_ascii_uppercase()
}

/// Where a text names decisions, with the key of each.
pub(super) fn places(text: &str) -> Vec<(Range<usize>, String)> {
    let bytes = text.as_bytes();
    let mut found = vec![];
    for (at, _) in text.match_indices("D-") {
        if at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'-' | b'_'))
        {
            continue;
        }
        let digits = bytes[at + 2..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = at + 2 + digits;
        // `D-01f` is a decision of its own.
        let letter = bytes.get(end).is_some_and(u8::is_ascii_lowercase);
        if letter && !bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric) {
            end += 1;
        }
        let continued = bytes.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if digits > 0 && digits <= 4 && !continued {
            found.push((at..end, key(&text[at..end])));
        }
    }
    found
}

/// The keys of all decisions that a text names.
pub(super) fn named(text: &str) -> Vec<String> {
    let mut keys = vec![];
    for (span, key) in places(text) {
        let first: u32 = key[2..].parse().unwrap_or(u32::MAX);
        keys.push(key);
        let after = &text[span.end..];
        let joints = ["..", "–", "—", " - ", "-", " to ", " through ", " – ", " thru "];
        if let Some(last) = joints.iter().find_map(|joint| number(after.strip_prefix(joint)?))
            && last > first
            && last - first <= MAX_RANGE
        {
            keys.extend((first + 1..=last).map(|number| format!("D-{number}")));
        }
        let mut rest = after;
        while let Some(next) = rest.strip_prefix('/').or(rest.strip_prefix(", ")) {
            let digits = next.bytes().take_while(u8::is_ascii_digit).count();
            let Some(number) = number(next).filter(|_| (1..=3).contains(&digits)) else { break };
            keys.push(format!("D-{number}"));
            rest = &next[digits..];
        }
    }
    keys
}

fn number(text: &str) -> Option<u32> {
    let text = text.trim_start_matches('.').trim_start_matches("D-");
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_expanded() {
        assert_eq!(named("as D-01 and D-7 say"), ["D-1", "D-7"]);
        assert_eq!(named("D-01..D-04"), ["D-1", "D-2", "D-3", "D-4", "D-4"]);
        assert_eq!(named("(D-01 through D-03)"), ["D-1", "D-2", "D-3", "D-3"]);
        assert_eq!(named("D-01/02/03"), ["D-1", "D-2", "D-3"]);
        assert_eq!(named("D-05, 2 files"), ["D-5", "D-2"]);
        assert_eq!(named("D-01f and D-02"), ["D-1F", "D-2"]);
        assert_eq!(named("CD-01 D-1xy D- GRID-01"), Vec::<String>::new());
    }
}
