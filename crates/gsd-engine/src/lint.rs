//! The embedded reviewer `plan-lint`: deterministic, offline, grounded in the source.
//!
//! Each check is one file in `check/` with its rule, its page for `gsd explain` and its function;
//! `CHECKS` is the table of them. A check gets a `View`, which has worked out once what checks
//! have in common: the order of plans, who makes which file, the text without code.
//!
//! A false alarm costs more than a miss, since a reviewer that cries wolf is switched off. So a
//! check says something only where plans and source leave no doubt; what is unclear is let pass.
//! Nothing is written, no link out of the root is followed, reads are bounded, and time is linear
//! in the size of the plans. No diagnostic ever shows a secret.

mod check;
mod citations;
mod decisions;
mod exports;
mod files;
mod mentions;
mod needs;
mod order;
mod path;
mod prose;
mod requirements;
mod review;
mod scripts;
mod secret;
mod shell;
mod tree;
mod view;

pub use review::review_text;
pub use tree::WorkTree;

use crate::diag::{self, Diagnostic, Rule};
use crate::planning::Phase;
use std::collections::HashMap;
use view::View;

/// A rule and the function that looks for it.
pub(crate) struct Check {
    rule: &'static Rule,
    run: fn(&View<'_>, &mut Vec<Diagnostic>),
}

use check::CHECKS;

/// Every rule of this module, sorted by code.
pub static RULES: &[&Rule] = &{
    let mut rules = [CHECKS[0].rule; CHECKS.len()];
    let mut index = 0;
    while index < CHECKS.len() {
        rules[index] = CHECKS[index].rule;
        index += 1;
    }
    rules
};

/// Judges the plans of a phase. What could not be read of them is reported as well, so that a
/// broken plan never passes as a clean one. Sorted by file and place.
pub fn run(phase: &Phase, tree: &WorkTree) -> Vec<Diagnostic> {
    let view = View::of(phase, tree);
    let mut found = phase.diagnostics.clone();
    for check in CHECKS {
        (check.run)(&view, &mut found);
    }
    secret::conceal(&mut found);
    diag::sort(&mut found);
    bound(&mut found);
    found
}

/// More faults of one kind in one file tell nothing new, and a review has a bound.
const MAX_ALIKE: usize = 50;

/// Keeps the first faults of each kind in a file; the last one that is kept says how many went.
fn bound(found: &mut Vec<Diagnostic>) {
    let kind = |one: &Diagnostic| (one.at.file.name().to_owned(), one.rule.code);
    let mut counts: HashMap<(String, &'static str), usize> = HashMap::new();
    for one in found.iter() {
        *counts.entry(kind(one)).or_default() += 1;
    }
    let mut seen: HashMap<(String, &'static str), usize> = HashMap::new();
    found.retain_mut(|one| {
        let key = kind(one);
        let total = counts.get(&key).copied().unwrap_or(0);
        let number = seen.entry(key).or_default();
        *number += 1;
        if *number == MAX_ALIKE && total > MAX_ALIKE {
            one.help =
                Some(format!("{} more faults of this kind are in the file", total - MAX_ALIKE));
        }
        *number <= MAX_ALIKE
    });
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn rules_are_sorted_unique_and_documented() {
        for pair in RULES.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} {}", pair[0].code, pair[1].code);
        }
        for rule in RULES {
            assert!(rule.code.starts_with("plan/"), "{}", rule.code);
            assert!(rule.docs.contains("Wrong:") && rule.docs.contains("Right:"), "{}", rule.code);
            assert!(!rule.summary.ends_with('.'), "{}", rule.code);
        }
    }
}
