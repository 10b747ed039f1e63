//! A plan leaves something open.

use crate::diag::{Diagnostic, Level, Rule, Span};
use crate::lint::view::View;
use crate::lint::{Check, prose};
use std::collections::HashSet;
use std::ops::Range;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/placeholder",
    level: Level::Warning,
    summary: "a plan leaves something open",
    docs: include_str!("placeholder.md"),
};

const OPEN: [&str; 11] = [
    "tbd",
    "to be determined",
    "to be decided",
    "to be defined",
    "???",
    "<fill in>",
    "[fill in]",
    "<insert here>",
    "[insert here]",
    "lorem ipsum",
    "tbc",
];

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let mut spans: Vec<Span> = vec![];
        for (_, task) in plan.tasks() {
            let parts = [
                &task.precondition,
                &task.behavior,
                &task.action,
                &task.done,
                &task.what_built,
                &task.how_to_verify,
                &task.decision,
                &task.options,
            ];
            spans.extend(parts.into_iter().flatten().map(|part| part.span.clone()));
            spans.extend(task.verify.iter().map(|verify| verify.prose.span.clone()));
            spans.extend(task.name.iter().map(|name| name.span.clone()));
            spans.extend(task.files.iter().map(|list| list.span.clone()));
            let criteria = task.acceptance_criteria.iter().flat_map(|list| &list.value);
            spans.extend(criteria.map(|criterion| criterion.span.clone()));
        }
        let parts = [
            &plan.plan.objective,
            &plan.plan.interfaces,
            &plan.plan.verification,
            &plan.plan.success_criteria,
        ];
        spans.extend(parts.into_iter().flatten().map(|part| part.span.clone()));
        let mut seen = HashSet::new();
        for span in spans {
            for (place, word) in open(plan.text(&span)) {
                let place = span.start + place.start..span.start + place.end;
                if seen.insert(place.start) {
                    found.push(
                        RULE.at(
                            plan.at(&place),
                            format!("\"{word}\" leaves the decision to whoever builds it"),
                        )
                        .help("decide it, or ask in CONTEXT or in a checkpoint"),
                    );
                }
            }
        }
    }
}

/// Marks of what is open, outside code and quotes.
fn open(text: &str) -> Vec<(Range<usize>, String)> {
    // Nearly every text has none of them.
    let unquoted = prose::unquoted(text);
    let mut found: Vec<(Range<usize>, String)> = prose::phrases(&unquoted, &OPEN)
        .into_iter()
        .filter(|(span, _)| !is_spoken_about(&unquoted, span) && stands_alone(&unquoted, span))
        .map(|(span, _)| (span.clone(), text[span].to_owned()))
        .collect();
    // In lower case these are words of a language or names of applications.
    for mark in ["TODO", "FIXME"] {
        for (start, _) in text.match_indices(mark) {
            let span = start..start + mark.len();
            // Code and quotes are blank in the other text.
            if !unquoted[span.clone()].eq_ignore_ascii_case(mark)
                || !prose::is_whole(text, span.clone())
            {
                continue;
            }
            let before = text[..start].trim_end_matches([' ', '-', '*', '[', '(', '\t']);
            let begins = before.is_empty() || before.ends_with(['\n', '.', ':', ';']);
            let after = &text[span.end..];
            let announces = after.starts_with([':', '(']) || after.starts_with("]:");
            let alone = after.trim_start_matches([']', ')']).trim().is_empty();
            if begins && (announces || alone) {
                found.push((span, mark.to_owned()));
            }
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

/// Three question marks after a word are wonder; by themselves they are a gap.
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    !text[span.clone()].starts_with('?')
        || (!text[..span.start].ends_with(|c: char| !c.is_whitespace() && c != '(')
            && !text[span.end..].starts_with(['?', '!']))
}

/// "no TBD is left" and "replace every TBD" speak about marks and are none.
fn is_spoken_about(text: &str, span: &Range<usize>) -> bool {
    // A few words of the same sentence are enough.
    let mut from = span.start.saturating_sub(60);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = &text[from..span.start];
    let before = before.rfind(". ").map_or(before, |end| &before[end..]);
    let words: Vec<&str> = prose::words(before).map(|(_, word)| word).collect();
    words.iter().rev().take(4).any(|word| {
        ["no", "not", "without", "replace", "remove", "resolve", "grep", "any", "contains", "every"]
            .contains(word)
    })
}

#[cfg(test)]
mod tests {
    use super::open;

    #[test]
    fn open_points_and_talk_about_them() {
        for text in [
            "The code is TBD.",
            "TODO: pick one",
            "- TODO(ann): x",
            "Use [fill in] here",
            "The limit (TBD)",
            "??? for the name",
        ] {
            assert_eq!(open(text).len(), 1, "{text}");
        }
        for text in [
            "No TODO comments remain",
            "`TODO` marks",
            "no TBD is left",
            "The Todo app lists todos",
            "Replace the TODO at src/a.ts:3",
            "says \"TBD\"",
            "a TODO list component",
            "Really???!x",
        ] {
            assert!(open(text).is_empty(), "{text}: {:?}", open(text));
        }
    }
}
