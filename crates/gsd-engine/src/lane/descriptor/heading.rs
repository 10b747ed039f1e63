//! The heading of a lane in the report.

use std::fmt;

/// Headings of the report itself, in lower case. A lane must not be able to pass for one.
const OWN: [&str; 14] = [
    "agreed concerns",
    "agreed strengths",
    "clusters",
    "consensus",
    "consensus summary",
    "coverage",
    "divergent views",
    "findings",
    "lanes",
    "not covered",
    "previous cycles",
    "reviews",
    "summary",
    "votes",
];

/// One line of text under which a lane's review stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading(String);

impl Heading {
    pub const EXPECTED: &'static str = "one trimmed line of 1 to 80 printable characters that does not start with `#` and is no heading of the report itself";

    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let length = text.chars().count();
        let plain =
            !text.chars().any(|c| crate::text::is_deceptive(c) || matches!(c, '<' | '>' | '`'));
        let heading = Self(text.to_owned());
        let own = OWN.contains(&heading.folded().trim_end_matches(" review"));
        let fits = (1..=80).contains(&length) && text.trim() == text && !text.starts_with('#');
        if fits && plain && !own { Ok(heading) } else { Err(Self::EXPECTED) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The heading for comparison: white space collapsed, case folded. Two lanes whose headings
    /// fold to the same text would look like one in the report.
    pub fn folded(&self) -> String {
        self.0.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    }
}

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Heading;

    #[test]
    fn headings_are_one_plain_line() {
        for good in ["Claude", "llama.cpp", "Acme Review", "Ünïcode 模型"] {
            assert!(Heading::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "  ",
            " padded",
            "# x",
            "X\n## Consensus Summary",
            "Consensus  SUMMARY",
            "Findings Review",
            "a\u{202e}b",
            "<!-- x",
        ] {
            assert!(Heading::parse(bad).is_err(), "{bad:?}");
        }
        assert!(Heading::parse(&"x".repeat(81)).is_err());
    }

    #[test]
    fn folding_ignores_case_and_spacing() {
        let fold = |text| Heading::parse(text).expect("valid").folded();
        assert_eq!(fold("Kimi  Code"), fold("kimi code"));
    }
}
