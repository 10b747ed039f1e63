//! A criterion cannot be checked.

use crate::diag::{Diagnostic, Level, Rule, Span};
use crate::lint::view::{View, is_work};
use crate::lint::{Check, prose};
use std::collections::HashSet;
use std::ops::Range;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/criteria-vague",
    level: Level::Warning,
    summary: "a criterion cannot be checked",
    docs: include_str!("criteria_vague.md"),
};

const VAGUE: [&str; 40] = [
    "properly",
    "appropriately",
    "correctly",
    "as needed",
    "as appropriate",
    "as necessary",
    "as expected",
    "as intended",
    "as required",
    "looks good",
    "look good",
    "looks right",
    "looks correct",
    "look correct",
    "looks nice",
    "works well",
    "work well",
    "works fine",
    "works correctly",
    "just works",
    "user-friendly",
    "user friendly",
    "gracefully",
    "reasonable",
    "reasonably",
    "sensible",
    "intuitive",
    "seamless",
    "seamlessly",
    "smoothly",
    "nicely",
    "robust",
    "well-structured",
    "well structured",
    "clean code",
    "high quality",
    "and so on",
    "etc",
    "etc.",
    "somehow",
];

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let mut seen = HashSet::new();
        let mut check = |span: &Span| {
            if seen.insert(span.start)
                && let Some((place, phrase)) = vague(plan.text(span))
            {
                let place = span.start + place.start..span.start + place.end;
                found.push(
                    RULE.at(plan.at(&place), format!("\"{phrase}\" cannot be checked"))
                        .help("say what somebody sees: a status, a text, a number, a command"),
                );
            }
        };
        for (_, task) in plan.tasks().filter(|(_, task)| is_work(task)) {
            for criterion in task.acceptance_criteria.iter().flat_map(|list| &list.value) {
                check(&criterion.span);
            }
            for line in task.done.iter().flat_map(|done| &done.lines) {
                check(&line.span);
            }
        }
        for line in plan.plan.success_criteria.iter().flat_map(|prose| &prose.lines) {
            check(&line.span);
        }
        let truths = plan.plan.frontmatter.must_haves.iter().flat_map(|must| &must.value.truths);
        for truth in truths {
            check(&truth.span);
        }
    }
}

/// A vague phrase in a criterion that holds nothing that could be measured: no code, no quote, no
/// number.
fn vague(text: &str) -> Option<(Range<usize>, &'static str)> {
    // A value of the frontmatter stands in quotes as a whole.
    let whole = text.len() > 1 && text.starts_with(['"', '\'']) && text.ends_with(['"', '\'']);
    let inner = if whole { &text[1..text.len() - 1] } else { text };
    let measured =
        inner.contains(['`', '"', '“', '→', '=']) || inner.bytes().any(|b| b.is_ascii_digit());
    if measured {
        return None;
    }
    let lower = inner.to_ascii_lowercase();
    let (span, phrase) = prose::phrases(&lower, &VAGUE).into_iter().next()?;
    // "fails gracefully: shows X" says what is seen after the colon.
    let explained = lower[span.end..].trim_start_matches('.').starts_with([':', '(', ','])
        || lower[span.end..].trim_start().starts_with("with ")
        || lower[span.end..].trim_start().starts_with("by ");
    if explained {
        return None;
    }
    let shift = usize::from(whole);
    Some((span.start + shift..span.end + shift, phrase.trim_end_matches('.')))
}

#[cfg(test)]
mod tests {
    use super::vague;

    #[test]
    fn what_can_be_measured_is_not_vague() {
        for text in [
            "- Errors are handled properly",
            "\"The page looks good\"",
            "Search, filter, etc.",
            "It works as expected",
        ] {
            assert!(vague(text).is_some(), "{text}");
        }
        for text in [
            "- An error is handled properly: the form shows its text",
            "- Totals are rounded correctly to 2 digits",
            "- Shows \"looks good\" after a vote",
            "- `etc` is read",
            "The properly-named file exists",
            "An improperly signed request answers with the status of a refusal",
        ] {
            assert!(vague(text).is_none(), "{text}");
        }
    }
}
