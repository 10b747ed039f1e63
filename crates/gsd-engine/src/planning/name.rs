//! Which files of a phase directory are plans.
//!
//! The rule: a name in `.md` is a plan's when `PLAN`, in capitals, is its last word (`03-01-PLAN`,
//! `09.1-GAP-PLAN`, `PLAN`), or when what follows that word is a number or a lower-case slug
//! (`01-PLAN-01-foundation`, `01-PLAN-data-contract`). A capital word behind it names a document
//! about plans (`3-PLAN-REVIEW`), as capitals name kinds of documents everywhere in a phase. Words
//! are what stands between hyphens. Names that come close and are none are listed, so that no
//! plan disappears in silence.

use super::plan::PlanId;

/// What a file name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    Plan(PlanId),
    Context,
    Research,
    /// Resembles a plan's name; the text says why it is none.
    Resembles(&'static str),
    Other,
}

/// Kinds of documents; a plan's slug never holds one of them in capitals.
const KINDS: [&str; 14] = [
    "CHECK",
    "CONTEXT",
    "DECISIONS",
    "DISCUSSION",
    "INPUTS",
    "LOG",
    "NOTES",
    "RESEARCH",
    "REVIEW",
    "REVIEWS",
    "SUMMARY",
    "UAT",
    "VALIDATION",
    "VERIFICATION",
];

/// What the name of a file in a phase directory says.
pub(super) fn named(name: &str) -> Named {
    let resembles = name.to_ascii_lowercase().contains("plan");
    if name.starts_with('.') {
        return if resembles { Named::Resembles("a hidden file") } else { Named::Other };
    }
    let Some(stem) = name.strip_suffix(".md") else {
        return if resembles { Named::Resembles("not a `.md` file") } else { Named::Other };
    };
    let words: Vec<&str> = stem.split('-').collect();
    match words.last() {
        Some(&"CONTEXT") => return Named::Context,
        Some(&"RESEARCH") => return Named::Research,
        Some(_) | None => {}
    }
    let Some(at) = words.iter().rposition(|word| *word == "PLAN") else {
        return match resembles {
            false => Named::Other,
            true if words.iter().any(|word| word.eq_ignore_ascii_case("plan")) => {
                Named::Resembles("`PLAN` is not in capitals")
            }
            true => Named::Resembles("`PLAN` is no word of its own"),
        };
    };
    let after = &words[at + 1..];
    let Some(first) = after.first() else {
        let id =
            stem.strip_suffix("-PLAN").filter(|id| !matches!(*id, "" | "PLAN")).unwrap_or(stem);
        return Named::Plan(PlanId(id.to_owned()));
    };
    let capital = first.len() > 1 && first.bytes().all(|b| b.is_ascii_uppercase());
    if capital || first.is_empty() || after.iter().any(|word| KINDS.contains(word)) {
        return Named::Resembles("a document about a plan");
    }
    Named::Plan(PlanId(stem.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names found in public projects, and what each of them is.
    #[test]
    fn names_from_the_field() {
        for (name, id) in [
            ("02-01-PLAN.md", "02-01"),
            ("64.4-16-PLAN.md", "64.4-16"),
            ("01-PLAN.md", "01"),
            ("PLAN.md", "PLAN"),
            ("01-PLAN-01-foundation.md", "01-PLAN-01-foundation"),
            ("01-PLAN-data-contract.md", "01-PLAN-data-contract"),
            ("34-01-slug-PLAN.md", "34-01-slug"),
            ("141-P0-PLAN.md", "141-P0"),
            ("09.1-GAP-PLAN.md", "09.1-GAP"),
            ("260709-uk6-PLAN.md", "260709-uk6"),
            ("03-02B-PLAN.md", "03-02B"),
            ("PLAN-01.md", "PLAN-01"),
            ("PLAN-PLAN.md", "PLAN-PLAN"),
        ] {
            assert_eq!(named(name), Named::Plan(PlanId(id.to_owned())), "{name}");
        }
        for name in [
            "64.4-PLAN-REVIEW-DECISIONS.md",
            "3-PLAN-REVIEW.md",
            "3-PLAN-CHECK.md",
            "9.1-RECOVERY-PLAN-DECISIONS.md",
            "3-REPLAN-INPUTS.md",
            "01-PLAN-01-SUMMARY.md",
            "02-01-plan.md",
            "02-01-PLAN.md.bak",
            "02-01-PLAN.txt",
            "._02-01-PLAN.md",
            "PLAN-.md",
        ] {
            assert!(matches!(named(name), Named::Resembles(_)), "{name}: {:?}", named(name));
        }
        for name in ["02-01-SUMMARY.md", "02-REVIEWS.md", "02-VALIDATION.md", "notes.txt", ""] {
            assert_eq!(named(name), Named::Other, "{name}");
        }
        assert_eq!(named("02-CONTEXT.md"), Named::Context);
        assert_eq!(named("RESEARCH.md"), Named::Research);
    }
}
