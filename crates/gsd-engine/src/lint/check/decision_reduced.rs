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
            let id = place.start - sentence.start..place.end - sentence.start;
            let reduced = reducing.iter().find(|(span, phrase)| {
                !own.contains(phrase) && is_about(&plain[sentence.clone()], &id, span, phrase, own)
            });
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

/// Phrases that put a part off; the others name something that is less.
const PUT_OFF: [&str; 8] = [
    "for now",
    "v1 only",
    "in v1",
    "not wired",
    "wired later",
    "later phase",
    "future enhancement",
    "skip for",
];

/// Whether the phrase takes something from the decision. Where the decision stands in brackets or
/// after "per", it may be what asks for the thing: "a placeholder (D-03)". Then only a phrase that
/// puts something off counts, and behind it only if the decision itself knows of no "later".
fn is_about(
    sentence: &str,
    id: &Range<usize>,
    phrase: &Range<usize>,
    word: &str,
    decision: &str,
) -> bool {
    let before = sentence[..id.start].trim_end();
    let open = |bracket: char, close: char| {
        before.matches(bracket).count() > before.matches(close).count()
    };
    let bracketed = open('(', ')') || open('[', ']') || before.ends_with("per");
    if !bracketed {
        return true;
    }
    let times = [
        "now",
        "later",
        "first",
        "initial",
        "until",
        "temporary",
        "v1",
        "deferred",
        "phase",
        "stub",
        "placeholder",
        "start",
    ];
    let whole = !decision.is_empty() && prose::phrases(decision, &times).is_empty();
    PUT_OFF.contains(&word) && (id.start < phrase.end || whole)
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

#[cfg(test)]
mod tests {
    use super::is_about;

    #[test]
    fn who_asks_for_it() {
        let about = |text: &str, word: &str| {
            let id = text.find("d-0").expect("a decision");
            let phrase = text.find(word).expect("a phrase");
            let decision =
                if text.contains("d-07") { "four attempts" } else { "presets until later" };
            is_about(text, &(id..id + 4), &(phrase..phrase + word.len()), word, decision)
        };
        assert!(about("d-06: for now it is only logged", "for now"));
        assert!(about("for d-06 a stub is enough", "stub"));
        assert!(about("amounts are hard-coded, d-04 comes after", "hard-coded"));
        assert!(about("log it (d-06) for now", "for now"));
        assert!(about("one attempt is enough for now (d-07)", "for now"));
        assert!(!about("an honest placeholder (d-03)", "placeholder"));
        assert!(!about("a timeout, hardcoded (per d-02)", "hardcoded"));
        assert!(!about("use the preset deck for now (d-03)", "for now"));
        assert!(!about("the list (d-03) has a placeholder row", "placeholder"));
    }
}
