//! The words that reviewers use for severity and kind.

use crate::review::record::{Kind, Severity};

/// What a single word says of severity.
pub(super) fn severity(word: &str) -> Option<Severity> {
    let word = word.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    Some(match word.as_str() {
        "critical" | "blocker" | "blocking" | "severe" | "high" | "major" | "fatal" | "urgent"
        | "must-fix" | "p0" | "p1" => Severity::High,
        "medium" | "moderate" | "med" | "should-fix" | "p2" => Severity::Medium,
        "low" | "minor" | "nit" | "nitpick" | "trivial" | "cosmetic" | "p3" | "p4" => Severity::Low,
        _ => return None,
    })
}

/// The same for the value of a field, where more words are clear.
pub(super) fn severity_field(text: &str) -> Option<Severity> {
    let first = text
        .split(|c: char| c.is_whitespace() || ",/(".contains(c))
        .find(|word| word.contains(char::is_alphanumeric))?;
    severity(first).or_else(|| {
        Some(match first.to_ascii_lowercase().as_str() {
            "error" => Severity::High,
            "warning" | "warn" | "important" => Severity::Medium,
            "info" | "informational" | "note" | "hint" => Severity::Low,
            _ => return None,
        })
    })
}

/// The kind that a field or a label in the singular names.
pub(super) fn kind(word: &str) -> Option<Kind> {
    let word = word.trim().to_ascii_lowercase();
    Some(match word.as_str() {
        "concern" | "issue" | "risk" | "problem" | "bug" | "finding" | "weakness" | "blocker"
        | "defect" | "gap" => Kind::Concern,
        "strength" | "positive" | "praise" => Kind::Strength,
        "suggestion" | "recommendation" | "improvement" => Kind::Suggestion,
        "question" | "open question" | "open-question" | "unknown" => Kind::Question,
        _ => return None,
    })
}

/// What the heading of a section says of the items under it. `None` for a heading that says
/// nothing about kinds; `Some(None)` for a section that holds no findings.
pub(super) fn section(heading: &str) -> Option<Option<Kind>> {
    let lower = heading.to_lowercase();
    let has = |words: &[&str]| {
        lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
    };
    if has(&["strengths", "positives", "pros", "strong", "well"]) {
        Some(Some(Kind::Strength))
    } else if has(&["questions"]) {
        Some(Some(Kind::Question))
    } else if has(&["suggestions", "recommendations", "improvements", "recommended", "suggested"]) {
        Some(Some(Kind::Suggestion))
    } else if has(&[
        "assessment",
        "summary",
        "overview",
        "verdict",
        "conclusion",
        "scope",
        "approach",
    ]) && !has(&["concerns", "issues"])
    {
        Some(None)
    } else if has(&[
        "concerns",
        "concern",
        "risks",
        "issues",
        "problems",
        "weaknesses",
        "findings",
        "blockers",
        "gaps",
        "bugs",
        "defects",
        "cons",
        "critical",
    ]) {
        Some(Some(Kind::Concern))
    } else {
        None
    }
}

/// A severity that a text begins with, and the rest of it. `High availability` is none: the word
/// must stand alone, in brackets, bold, or before a mark.
pub(super) fn leading_severity(text: &str) -> Option<(Severity, &str)> {
    let trimmed = text.trim_start();
    let opened = trimmed.trim_start_matches(|c: char| {
        !c.is_alphanumeric() && c != '`' && c != '<' && c != '/' && c != '.'
    });
    let mut marked = opened.len() < trimmed.len();
    let mut body = opened;
    for label in ["severity", "Severity", "SEVERITY", "priority", "Priority"] {
        if let Some(rest) = body.strip_prefix(label) {
            body = rest.trim_start_matches([':', '*', ' ', '=', '-']);
            marked = true;
        }
    }
    let end = body.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(body.len());
    let (word, rest) = body.split_at(end);
    let severity = severity(word)?;
    let rest = rest.trim_start_matches([' ']);
    let qualified = ["severity", "priority", "risk", "concern", "issue"].iter().find_map(|noun| {
        let head = rest.get(..noun.len())?;
        head.eq_ignore_ascii_case(noun).then(|| &rest[noun.len()..])
    });
    let closes = |rest: &str| {
        rest.is_empty()
            || rest.starts_with([
                ':', ']', ')', '*', '|', '-', '–', '—', '·', '/', '(', '_', '【', '】',
            ])
    };
    let rest = match qualified.map(str::trim_start) {
        Some(rest) if closes(rest) || marked => rest,
        Some(_) | None if closes(rest) => rest,
        Some(_) | None => return None,
    };
    // First what closes the word itself, then what leads over to the text, whose own emphasis stays.
    let rest = rest.trim_start_matches(['*', '_', ']', ')', ':', '】']);
    Some((severity, rest.trim_start_matches([' ', ':', '|', '-', '–', '—', '·'])))
}

/// A severity in brackets or bold anywhere in a line, or after `Severity:`.
pub(super) fn marked_severity(line: &str) -> Option<Severity> {
    for (open, close) in [("(", ")"), ("[", "]"), ("**", "**")] {
        let mut rest = line;
        while let Some(at) = rest.find(open) {
            rest = &rest[at + open.len()..];
            let Some(end) = rest.find(close) else { break };
            let inner = &rest[..end];
            let word = inner.trim_end_matches(':').trim();
            let word =
                word.strip_suffix(" severity").or(word.strip_suffix(" priority")).unwrap_or(word);
            if let Some(found) = severity(word).filter(|_| !word.contains(' ')) {
                return Some(found);
            }
        }
    }
    let lower = line.to_lowercase();
    let at = lower.find("severity")?;
    let after = lower[at + "severity".len()..].trim_start_matches([':', '*', ' ', '`']);
    severity(after.split(|c: char| !c.is_alphanumeric()).next()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn severities_at_the_start() {
        for (text, wanted, rest) in [
            ("HIGH: x", Severity::High, "x"),
            ("**HIGH** — x", Severity::High, "x"),
            ("**[HIGH] Title**", Severity::High, "Title**"),
            ("[Critical] x", Severity::High, "x"),
            ("(medium) x", Severity::Medium, "x"),
            ("🔴 HIGH - x", Severity::High, "x"),
            ("Severity: Low. x", Severity::Low, ". x"),
            ("High severity: x", Severity::High, "x"),
            ("P1: x", Severity::High, "x"),
            ("HIGH", Severity::High, ""),
            ("**Medium risk:** x", Severity::Medium, "x"),
        ] {
            let found = leading_severity(text);
            if text.starts_with("Severity") {
                // A full stop is no mark; the field form is for lines of their own.
                assert_eq!(found, None, "{text}");
            } else {
                assert_eq!(found, Some((wanted, rest)), "{text}");
            }
        }
        for none in ["High availability is kept", "low-hanging fruit", "Lower it", "x HIGH", ""] {
            assert_eq!(leading_severity(none), None, "{none}");
        }
    }

    #[test]
    fn severities_elsewhere() {
        assert_eq!(marked_severity("the query is slow (HIGH)"), Some(Severity::High));
        assert_eq!(marked_severity("- **Severity:** medium"), Some(Severity::Medium));
        assert_eq!(marked_severity("a [Low] thing"), Some(Severity::Low));
        assert_eq!(marked_severity("a (high load) thing"), None);
        assert_eq!(marked_severity("see [docs](x)"), None);
    }

    #[test]
    fn sections() {
        for (heading, wanted) in [
            ("Concerns", Some(Some(Kind::Concern))),
            ("Key Risks & Issues", Some(Some(Kind::Concern))),
            ("Strengths", Some(Some(Kind::Strength))),
            ("What works well", Some(Some(Kind::Strength))),
            ("Open Questions", Some(Some(Kind::Question))),
            ("Suggestions", Some(Some(Kind::Suggestion))),
            ("Risk Assessment", Some(None)),
            ("Summary", Some(None)),
            ("Summary of concerns", Some(Some(Kind::Concern))),
            ("03-01-PLAN.md", None),
        ] {
            assert_eq!(section(heading), wanted, "{heading}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            leading_severity(&text);
            marked_severity(&text);
            section(&text);
            severity_field(&text);
        }

        #[test]
        fn nasty_texts_too(text in "[ *(\\[\\])HIGHhighSeverity:İß-]{0,40}") {
            leading_severity(&text);
            marked_severity(&text);
        }
    }
}
