//! Ranges of versions in npm's notation, for `engines.gsd` and `compatVersions`.
//!
//! Pre-releases count by their numbers alone: `1.11.0-beta.1` is in `>=1.11.0`. A host under test
//! has to be able to load what the finished one will load. A text that is no range is an error, so
//! nothing is ever let in by a range that nobody understood.

use crate::diag::{Level, Rule};
use crate::json::{Schema, pattern_schema};
use semver::Version;

/// A text is no range of versions.
pub(super) static RANGE: Rule = Rule {
    code: "manifest/range",
    level: Level::Error,
    summary: "a text is not a range of versions",
    docs: include_str!("range.md"),
};

/// A set of versions: one of several intervals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    text: String,
    /// Each from its first version to before its last one, as numbers.
    intervals: Vec<(Numbers, Option<Numbers>)>,
}

type Numbers = (u64, u64, u64);

/// No range needs more text.
const MAX_BYTES: usize = 1024;

impl Range {
    /// Reads a range: comparators, hyphen ranges, `x`, `*`, `~`, `^` and `||`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "a range of versions in npm's notation";
        // What separates is white space as JavaScript knows it, and U+0085 is none there.
        if text.trim().is_empty() || text.len() > MAX_BYTES || text.contains('\u{85}') {
            return Err(EXPECTED);
        }
        let intervals = text
            .split("||")
            .map(|part| conjunction(part.trim()))
            .collect::<Option<Vec<_>>>()
            .ok_or(EXPECTED)?;
        Ok(Self { text: text.to_owned(), intervals })
    }

    /// Whether a version is in it, by its numbers.
    pub fn contains(&self, version: &Version) -> bool {
        let numbers = (version.major, version.minor, version.patch);
        let within = |(low, high): &(Numbers, Option<Numbers>)| {
            *low <= numbers && high.is_none_or(|high| numbers < high)
        };
        self.intervals.iter().any(within)
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Schema for Range {
    /// A schema can state the alphabet, not the grammar.
    fn schema() -> serde_json::Value {
        pattern_schema("^(?=[\\s\\S]*([0-9xX*]|\\|\\|))[0-9A-Za-z.+|<>=~^*\\s-]{1,1024}$")
    }
}

type Interval = (Numbers, Option<Numbers>);

/// Comparators that hold together. `*` and nothing at all are every version.
fn conjunction(text: &str) -> Option<Interval> {
    if let Some((low, high)) = text.split_once(" - ") {
        let (low, high) = (partial(low.trim())?, partial(high.trim())?);
        return Some((low.first(), high.after()));
    }
    let mut interval: Interval = ((0, 0, 0), None);
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let operator = word.trim_start_matches(['<', '>', '=', '~', '^']);
        let (operator, mut version) = (&word[..word.len() - operator.len()], operator);
        if version.is_empty() {
            // `>= 1.2` is as good as `>=1.2`.
            version = words.next()?;
        }
        let (low, high) = comparator(operator, partial(version)?)?;
        interval.0 = interval.0.max(low);
        interval.1 = match (interval.1, high) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    Some(interval)
}

fn comparator(operator: &str, version: Partial) -> Option<Interval> {
    let zero = (0, 0, 0);
    Some(match operator {
        "" | "=" => (version.first(), version.after()),
        ">=" => (version.first(), None),
        // Greater than every version there is: no version at all.
        ">" => match version.after() {
            Some(after) => (after, None),
            None => (zero, Some(zero)),
        },
        "<" => (zero, Some(version.first())),
        "<=" => (zero, version.after()),
        "~" | "~>" => (version.first(), version.tilde()),
        "^" => (version.first(), version.caret()),
        _ => return None,
    })
}

/// A version of which the last numbers may be missing.
#[derive(Debug, Clone, Copy)]
struct Partial {
    major: Option<u64>,
    minor: Option<u64>,
    patch: Option<u64>,
}

fn partial(text: &str) -> Option<Partial> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (numbers, rest) = match text.find(['-', '+']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let mut given = [None; 3];
    let mut parts = numbers.split('.');
    let mut open = false;
    for slot in &mut given {
        match parts.next() {
            None => break,
            Some("x" | "X" | "*") => open = true,
            Some(digits) => {
                let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                let leading = digits.len() > 1 && digits.starts_with('0');
                if !plain || leading {
                    return None;
                }
                // What follows an `x` says nothing.
                let number = digits.parse().ok()?;
                *slot = if open { None } else { Some(number) };
            }
        }
    }
    if parts.next().is_some() || rest.is_some_and(|rest| given[2].is_none() || !is_suffix(rest)) {
        return None;
    }
    let [major, minor, patch] = given;
    Some(Partial { major, minor, patch })
}

fn is_suffix(text: &str) -> bool {
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    text.split(['.', '+']).all(word)
}

impl Partial {
    const fn or_zero(number: Option<u64>) -> u64 {
        match number {
            Some(number) => number,
            None => 0,
        }
    }

    const fn first(self) -> Numbers {
        (Self::or_zero(self.major), Self::or_zero(self.minor), Self::or_zero(self.patch))
    }

    /// The first version after all that it stands for; `None` if there is none.
    fn after(self) -> Option<Numbers> {
        let (major, minor, patch) = self.first();
        match (self.major, self.minor, self.patch) {
            (None, _, _) => None,
            (Some(_), None, _) => Some((major.saturating_add(1), 0, 0)),
            (Some(_), Some(_), None) => Some((major, minor.saturating_add(1), 0)),
            (Some(_), Some(_), Some(_)) => Some((major, minor, patch.saturating_add(1))),
        }
    }

    fn tilde(self) -> Option<Numbers> {
        let (major, minor, _) = self.first();
        match (self.major, self.minor) {
            (None, _) => None,
            (Some(_), None) => Some((major.saturating_add(1), 0, 0)),
            (Some(_), Some(_)) => Some((major, minor.saturating_add(1), 0)),
        }
    }

    fn caret(self) -> Option<Numbers> {
        let (major, minor, patch) = self.first();
        match (self.major, self.minor, self.patch) {
            (None, _, _) => None,
            (Some(1..), _, _) | (Some(0), None, _) => Some((major.saturating_add(1), 0, 0)),
            (Some(0), Some(1..), _) | (Some(0), Some(0), None) => {
                Some((0, minor.saturating_add(1), 0))
            }
            (Some(0), Some(0), Some(_)) => Some((0, 0, patch.saturating_add(1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Range;
    use proptest::prelude::*;
    use semver::Version;

    fn holds(range: &str, version: &str) -> Option<bool> {
        let version = Version::parse(version).expect("a version");
        Range::parse(range).ok().map(|range| range.contains(&version))
    }

    #[test]
    fn npm_notation() {
        for (range, inside, outside) in [
            (">=1.6.0", "1.6.0", "1.5.9"),
            (">=1.0.0 <2.0.0", "1.99.0", "2.0.0"),
            (">= 1.0.0 < 2.0.0", "1.99.0", "2.0.0"),
            (">=1.0.0\t<2.0.0\u{a0}", "1.99.0", "2.0.0"),
            ("^1.2.3", "1.9.0", "2.0.0"),
            ("^0.2.3", "0.2.9", "0.3.0"),
            ("^0.0.3", "0.0.3", "0.0.4"),
            ("^0.0", "0.0.9", "0.1.0"),
            ("^0", "0.9.0", "1.0.0"),
            ("~1.2.3", "1.2.9", "1.3.0"),
            ("~>1.2", "1.2.9", "1.3.0"),
            ("~1", "1.9.0", "2.0.0"),
            ("1.2.x", "1.2.9", "1.3.0"),
            ("1.X", "1.9.9", "2.0.0"),
            ("1", "1.9.9", "2.0.0"),
            ("1.2 - 2.3", "2.3.9", "2.4.0"),
            ("1.2.3 - 2.3.4", "2.3.4", "2.3.5"),
            ("<1.2 || >=3", "3.0.0", "1.2.0"),
            (">1.2", "1.3.0", "1.2.9"),
            ("<=1.2", "1.2.9", "1.3.0"),
            ("=1.2.3", "1.2.3", "1.2.4"),
            ("v1.2.3", "1.2.3", "1.2.2"),
        ] {
            assert_eq!(holds(range, inside), Some(true), "{range} has {inside}");
            assert_eq!(holds(range, outside), Some(false), "{range} has not {outside}");
        }
        assert_eq!(holds("*", "0.0.0"), Some(true));
        assert_eq!(holds(">*", "9.0.0"), Some(false));
        assert_eq!(holds(">=99.0.0", "1.11.0"), Some(false));
    }

    #[test]
    fn prereleases_count_by_their_numbers() {
        assert_eq!(holds(">=1.11.0", "1.11.0-beta.1"), Some(true));
        assert_eq!(holds("<1.11.0-beta.1", "1.11.0"), Some(false));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for bad in [
            "",
            " ",
            "latest",
            ">=",
            "foo1",
            "1.2.3.4",
            "01.2.3",
            ">=1.2.x.y",
            "1.2.3 -",
            "a - b",
            "1..2",
            ">>1",
            "1.2-beta",
            "|",
            "1.2.3-",
            "9999999999999999999999.0.0",
            ">=1.0.0\u{85}<2.0.0",
        ] {
            assert_eq!(holds(bad, "1.0.0"), None, "{bad}");
        }
        assert!(Range::parse(&"1 || ".repeat(300)).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "[0-9xX*.v^~<>=| +a-]{0,24}", version in "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}") {
            if let (Ok(range), Ok(version)) = (Range::parse(&text), Version::parse(&version)) {
                range.contains(&version);
            }
        }
    }
}
