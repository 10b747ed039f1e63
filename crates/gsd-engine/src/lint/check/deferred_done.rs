//! A task builds what CONTEXT has deferred.

use crate::diag::{Diagnostic, Level, Rule, Span};
use crate::lint::view::{PlanView, View, is_work, task_name};
use crate::lint::{Check, prose, requirements};
use crate::planning::{Context, Task};
use std::collections::BTreeSet;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/deferred-done",
    level: Level::Error,
    summary: "a task builds what CONTEXT has deferred",
    docs: include_str!("deferred_done.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for context in &view.phase.contexts {
        for idea in &context.deferred {
            let topics = prose::topic_list(subject(&idea.value));
            let pairs = distinctive(view, context, &idea.value);
            let whole = prose::topics(&idea.value);
            for plan in &view.plans {
                let said = built(plan, &topics).or_else(|| described(plan, &pairs, &whole));
                let Some((place, index, level)) = said else { continue };
                found.push(
                    RULE.at(
                        plan.at_line_of(&place),
                        format!("{} builds what CONTEXT defers", task_name(index)),
                    )
                    .with_level(level)
                    .also(context.document.file.at(idea.span.clone()), "deferred here")
                    .help("leave it out, or let the user decide again"),
                );
            }
        }
    }
}

/// The idea without its reason: what stands before the first colon, dash or bracket.
fn subject(idea: &str) -> &str {
    let idea = idea.trim_start_matches(['-', '*', ' ']);
    let ends = [": ", ":** ", " - ", " – ", " — ", " (", ". ", "; "];
    let end = ends.iter().filter_map(|mark| idea.find(mark)).min().unwrap_or(idea.len());
    // A colon after one word is a label; the idea follows it.
    let subject = &idea[..end];
    if subject.split_whitespace().count() <= 1 {
        idea.lines().next().unwrap_or(idea)
    } else {
        subject
    }
}

/// A task whose name, or one sentence of whose action, has every word of the idea.
fn built(plan: &PlanView<'_>, topics: &[String]) -> Option<(Span, usize, Level)> {
    // One word means nothing by itself.
    if topics.len() < 2 {
        return None;
    }
    for (index, task) in plan.tasks().filter(|(_, task)| is_work(task)) {
        if let Some(name) = &task.name
            && says(plan.plain(&name.span), topics)
            && !is_denied(plan.plain(&name.span))
        {
            return Some((name.span.clone(), index, Level::Error));
        }
        let place = sentence_of(plan, task, |text| {
            topics.iter().all(|topic| text.contains(topic.as_str()))
                && in_running_text(text, topics)
        });
        if let Some(place) = place {
            return Some((place, index, Level::Warning));
        }
    }
    None
}

/// How many words of an idea a sentence has to have besides two that follow each other.
const DESCRIBED: usize = 4;

/// A sentence that has two words of the idea side by side, as only the idea has them, and several
/// of its other words: the idea under another name.
fn described(
    plan: &PlanView<'_>,
    pairs: &[(String, String)],
    whole: &BTreeSet<String>,
) -> Option<(Span, usize, Level)> {
    if pairs.is_empty() || whole.len() < DESCRIBED {
        return None;
    }
    plan.tasks().filter(|(_, task)| is_work(task)).find_map(|(index, task)| {
        let place = sentence_of(plan, task, |text| {
            let near =
                pairs.iter().any(|(a, b)| text.contains(a.as_str()) && text.contains(b.as_str()));
            near && pairs_of(text).iter().any(|pair| pairs.contains(pair))
                && prose::topics(text).intersection(whole).count() >= DESCRIBED
        })?;
        Some((place, index, Level::Warning))
    })
}

/// Two words of an idea that follow each other there, and nowhere in what was decided for the phase.
fn distinctive(view: &View<'_>, context: &Context, idea: &str) -> Vec<(String, String)> {
    let mut pairs = pairs_of(idea);
    let decisions = context.decisions.iter().map(|decision| decision.text.value.as_str());
    let of_phase = requirements::of_phase(view);
    let requirements = view
        .phase
        .requirements
        .iter()
        .flat_map(|all| &all.requirements)
        .filter(|one| of_phase.iter().any(|(id, _)| *id == one.id.value.as_str()))
        .map(|one| one.text.value.as_str());
    let goals = view.phase.on_roadmap().into_iter().flat_map(|phase| &phase.success_criteria);
    let texts = decisions.chain(requirements).chain(goals.map(|goal| goal.value.as_str()));
    for text in texts {
        let known = pairs_of(text);
        pairs.retain(|pair| !known.contains(pair));
    }
    pairs
}

fn pairs_of(text: &str) -> Vec<(String, String)> {
    let words: Vec<Option<String>> =
        prose::words(text).map(|(_, word)| prose::topic(word)).collect();
    words
        .windows(2)
        .filter_map(|pair| Some((pair[0].clone()?, pair[1].clone()?)))
        .filter(|(a, b)| a != b)
        .collect()
}

/// The first sentence of the action that `wanted` accepts and that rules nothing out.
fn sentence_of(plan: &PlanView<'_>, task: &Task, wanted: impl Fn(&str) -> bool) -> Option<Span> {
    let action = task.action.as_ref()?;
    let plain = plan.plain(&action.span);
    let mut start = 0;
    while start < plain.len() {
        let sentence = prose::sentence(plain, start);
        let text = &plain[sentence.clone()];
        if wanted(text) && !is_denied(text) {
            return Some(trimmed(
                plan,
                action.span.start + sentence.start..action.span.start + sentence.end,
            ));
        }
        start = sentence.end.max(start) + 1;
        while start < plain.len() && !plain.is_char_boundary(start) {
            start += 1;
        }
    }
    None
}

/// Whether a text has all the words; two words have to stand side by side, as in the idea.
fn says(text: &str, topics: &[String]) -> bool {
    let said = prose::topic_list(text);
    if topics.len() == 2 {
        return said.windows(2).any(|pair| pair == topics);
    }
    topics.iter().all(|topic| said.contains(topic))
}

/// In running text two words meet by chance, so they have to follow each other directly.
fn in_running_text(text: &str, topics: &[String]) -> bool {
    let [first, second] = topics else { return says(text, topics) };
    let words: Vec<&str> = prose::words(text).map(|(_, word)| word).collect();
    words.windows(2).any(|pair| {
        prose::topic(pair[0]).as_ref() == Some(first)
            && prose::topic(pair[1]).as_ref() == Some(second)
    })
}

fn trimmed(plan: &PlanView<'_>, span: Span) -> Span {
    let text = plan.text(&span);
    let start = span.start + (text.len() - text.trim_start().len());
    start..start + text.trim().len()
}

/// A sentence that rules the idea out.
fn is_denied(text: &str) -> bool {
    let denials = [
        "no",
        "not",
        "never",
        "without",
        "don't",
        "defer",
        "deferred",
        "later",
        "out of scope",
        "skip",
        "exclude",
        "excludes",
        "instead of",
        "ignore",
        "remove",
        "removes",
    ];
    !prose::phrases(text, &denials).is_empty()
}
