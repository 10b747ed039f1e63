//! Phase numbers, compared part by part: `064.4` is `64.4`, and `9.10` is not `9.1`.

use std::cmp::Ordering;
use std::fmt;

/// `3`, `03`, `3.1`, `12A`, `64.4`: numeric parts, a letter after the first of them, and the
/// spelling it was read from. Equality and order ignore the spelling.
#[derive(Debug, Clone)]
pub struct PhaseNumber {
    parts: Vec<u32>,
    letter: Option<char>,
    spelling: String,
}

impl PhaseNumber {
    /// The number that the whole of `text` is.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, rest) = Self::leading(text)?;
        rest.is_empty().then_some(number)
    }

    /// The number that `text` begins with, and what follows it. What follows never begins with a
    /// letter, a digit or a point and a digit.
    pub fn leading(text: &str) -> Option<(Self, &str)> {
        let (first, mut rest) = digits(text)?;
        let mut parts = vec![first];
        let mut letter = None;
        if let Some(c) = rest.chars().next().filter(char::is_ascii_alphabetic) {
            letter = Some(c.to_ascii_uppercase());
            rest = &rest[1..];
        }
        while let Some((part, after)) = rest.strip_prefix('.').and_then(digits) {
            if parts.len() == MAX_PARTS {
                return None;
            }
            parts.push(part);
            rest = after;
        }
        if rest.starts_with(|c: char| c.is_alphanumeric()) {
            return None;
        }
        let spelling = text[..text.len() - rest.len()].to_owned();
        Some((Self { parts, letter, spelling }, rest))
    }

    /// As it was written: `03`.
    pub fn spelling(&self) -> &str {
        &self.spelling
    }
}

/// Nobody nests phases deeper; a bound keeps numbers of hostile names small.
const MAX_PARTS: usize = 8;

fn digits(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    // A longer run would not fit; it is an identifier, not a number of a phase.
    if length == 0 || length > 9 {
        return None;
    }
    Some((text[..length].parse().ok()?, &text[length..]))
}

impl PartialEq for PhaseNumber {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PhaseNumber {}

impl PartialOrd for PhaseNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PhaseNumber {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.parts[0], self.letter, &self.parts[1..]).cmp(&(
            other.parts[0],
            other.letter,
            &other.parts[1..],
        ))
    }
}

/// Without leading zeros: `3.1`.
impl fmt::Display for PhaseNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.parts[0])?;
        if let Some(letter) = self.letter {
            write!(f, "{letter}")?;
        }
        self.parts[1..].iter().try_for_each(|part| write!(f, ".{part}"))
    }
}

/// Compares names so that `02-2` stands before `02-10`: runs of digits by value, the rest by
/// character, and names that differ only in zeros by their text.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a, b);
    loop {
        let (run_x, run_y) = (digit_run(x), digit_run(y));
        let order = if !run_x.is_empty() && !run_y.is_empty() {
            let (p, q) = (run_x.trim_start_matches('0'), run_y.trim_start_matches('0'));
            x = &x[run_x.len()..];
            y = &y[run_y.len()..];
            p.len().cmp(&q.len()).then(p.cmp(q))
        } else {
            match (x.chars().next(), y.chars().next()) {
                (Some(c), Some(d)) => {
                    x = &x[c.len_utf8()..];
                    y = &y[d.len_utf8()..];
                    c.cmp(&d)
                }
                (None, None) => return a.cmp(b),
                (c, d) => return c.cmp(&d),
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn digit_run(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_parts() {
        let number = |text| PhaseNumber::parse(text).expect("a number");
        for (a, b) in [("3", "03"), ("64.4", "064.4"), ("9.1", "09.01"), ("12a", "12A")] {
            assert_eq!(number(a), number(b), "{a} {b}");
        }
        for (a, b) in [("9.1", "9.10"), ("9.2", "9.10"), ("3", "3.1"), ("3", "3A"), ("9", "10")] {
            assert!(number(a) < number(b), "{a} {b}");
        }
        for bad in
            ["", "x", "3.", "3..1", "3-x", "1234567890", ".1", "3ab", "٣", "1.1.1.1.1.1.1.1.1"]
        {
            assert_eq!(PhaseNumber::parse(bad), None, "{bad}");
        }
        assert_eq!(number("007.010").to_string(), "7.10");
        assert_eq!(number("007.010").spelling(), "007.010");
    }

    #[test]
    fn natural_order_of_names() {
        let mut names = vec!["02-10", "02-2", "PLAN", "02-02", "02", "1-1", "02-2b", "é"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["1-1", "02", "02-02", "02-2", "02-2b", "02-10", "PLAN", "é"]);
    }
}
