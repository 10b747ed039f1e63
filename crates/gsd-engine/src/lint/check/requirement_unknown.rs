//! A plan lists a requirement that does not exist.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::View;
use crate::lint::{Check, requirements};
use crate::text::nearest;
use std::collections::HashSet;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/requirement-unknown",
    level: Level::Error,
    summary: "a plan lists a requirement that does not exist",
    docs: include_str!("requirement_unknown.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let known = requirements::known(view);
    if known.is_empty() {
        return;
    }
    for plan in &view.plans {
        for (id, entry) in requirements::listed(plan) {
            if known.contains(id) || requirements::is_spoken_of(view, id) {
                continue;
            }
            let mut diagnostic = RULE
                .at(plan.at(&entry.span), format!("`{id}` stands in no list of requirements"))
                .label("unknown requirement");
            if let Some(help) = help(id, &known) {
                diagnostic = diagnostic.help(help);
            }
            found.push(diagnostic);
        }
    }
}

/// The id with another spelling of its letters or with its digits swapped, else what there is of
/// the same kind. Another number is no slip of the pen.
fn help(id: &str, known: &HashSet<&str>) -> Option<String> {
    let digits = |id: &str| {
        let mut digits: Vec<u8> = id.bytes().filter(u8::is_ascii_digit).collect();
        digits.sort_unstable();
        digits
    };
    let alike = known.iter().copied().filter(|other| digits(other) == digits(id));
    if let Some(near) = nearest(id, alike) {
        return Some(format!("did you mean `{near}`?"));
    }
    let (kind, _) = id.rsplit_once('-')?;
    let mut same: Vec<&str> = known
        .iter()
        .copied()
        .filter(|other| other.rsplit_once('-').is_some_and(|(own, _)| own == kind))
        .collect();
    same.sort_unstable();
    (!same.is_empty() && same.len() <= 12).then(|| format!("there is {}", same.join(", ")))
}
