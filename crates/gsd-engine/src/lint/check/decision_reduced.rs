//! A plan does less than a decision asks for.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, decisions, prose};
use std::collections::HashSet;
use std::ops::Range;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/decision-reduced",
    level: Level::Warning,
    summary: "a plan does less than a decision asks for",
    docs: include_str!("decision_reduced.md"),
};

const REDUCED: [&str; 17] = [
    "for now",
    "stub",
    "stubbed",
    "a stub",
    "v1 only",
    "in v1",
    "placeholder",
    "hard-coded",
    "hardcoded",
    "hard-code",
    "hardcode",
    "not wired",
    "wired later",
    "future enhancement",
    "skip for",
    "later phase",
    "mocked",
];

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let decided: Vec<(String, String)> = view
        .phase
        .contexts
        .iter()
        .flat_map(|context| &context.decisions)
        .filter_map(|decision| {
            let id = decision.id.as_ref()?;
            Some((decisions::key(&id.value), decision.text.value.to_ascii_lowercase()))
        })
        .collect();
    for plan in &view.plans {
        let body = plan.body();
        let text = plan.text(&body);
        let plain = plan.plain(&body);
        let mut told = HashSet::new();
        let mut sentence = 0..0;
        let mut reducing: Vec<(Range<usize>, &str)> = vec![];
        for (place, key) in decisions::places(text) {
            // A sentence that names many decisions is looked at once.
            if !sentence.contains(&place.start) {
                sentence = prose::sentence(plain, place.start);
                let said = &plain[sentence.clone()];
                reducing = prose::phrases(said, &REDUCED);
                reducing.retain(|(span, phrase)| {
                    !is_denied(said, span.start) && !means_another_thing(said, span.end, phrase)
                });
            }
            let own =
                decided.iter().find(|(id, _)| *id == key).map_or("", |(_, text)| text.as_str());
            let reduced = reducing.iter().find(|(_, phrase)| !own.contains(phrase));
            let Some((span, phrase)) = reduced else { continue };
            let start = body.start + sentence.start + span.start;
            if !told.insert(start) {
                continue;
            }
            let id = &text[place];
            found.push(
                RULE.at(
                    plan.at(&(start..start + phrase.len())),
                    format!("\"{phrase}\" does less than {id} asks for"),
                )
                .help(format!("do all of {id}, or ask the user to change it")),
            );
        }
    }
}

/// "no stub", "never hard-coded", "instead of a placeholder".
fn is_denied(sentence: &str, at: usize) -> bool {
    let before: Vec<&str> = prose::words(&sentence[..at]).map(|(_, word)| word).collect();
    before.iter().rev().take(3).any(|word| {
        [
            "no", "not", "never", "without", "instead", "replace", "replaces", "remove", "removes",
            "avoid",
        ]
        .contains(word)
    })
}

/// The placeholder of an input field is its text, and tests have stubs.
fn means_another_thing(sentence: &str, end: usize, phrase: &str) -> bool {
    match phrase {
        "placeholder" => {
            let after = sentence[end..].trim_start();
            ["text", "attribute", "image", "copy", "value", "string", "label", ":", "="]
                .iter()
                .any(|word| after.starts_with(word))
        }
        "stub" | "a stub" | "stubbed" | "mocked" => {
            let testing = ["test", "tests", "spec", "fixture", "fixtures", "suite"];
            !prose::phrases(sentence, &testing).is_empty()
        }
        _ => false,
    }
}
