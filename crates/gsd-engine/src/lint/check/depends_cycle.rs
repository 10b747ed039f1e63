//! Plans depend on each other in a circle.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::order::Target;
use crate::lint::view::View;
use crate::planning::Spanned;
use std::collections::VecDeque;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/depends-cycle",
    level: Level::Error,
    summary: "plans depend on each other in a circle",
    docs: include_str!("depends_cycle.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let mut told = vec![false; view.plans.len()];
    for plan in &view.plans {
        let start = plan.index;
        if told[start] || !view.order.reaches(start, start) {
            continue;
        }
        let circle = circle(view, start);
        for member in &circle {
            told[*member] = true;
        }
        let Some(entry) = entry(view, start, circle.get(1).copied().unwrap_or(start)) else {
            continue;
        };
        let mut names: Vec<&str> = circle.iter().map(|plan| view.plans[*plan].id()).collect();
        names.push(plan.id());
        let mut diagnostic = RULE
            .at(plan.at(&entry.span), format!("plans wait for each other: {}", names.join(" -> ")))
            .help("take one of these dependencies away");
        for (index, member) in circle.iter().enumerate().skip(1) {
            let next = circle.get(index + 1).copied().unwrap_or(start);
            if let Some(entry) = self::entry(view, *member, next) {
                let other = &view.plans[*member];
                diagnostic =
                    diagnostic.also(other.at(&entry.span), format!("{} waits here", other.id()));
            }
        }
        found.push(diagnostic);
    }
}

/// A shortest way from a plan back to itself, without its end.
fn circle(view: &View<'_>, start: usize) -> Vec<usize> {
    let mut came_from: Vec<Option<usize>> = vec![None; view.plans.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(plan) = queue.pop_front() {
        for target in targets(view, plan) {
            if target == start {
                let mut way = vec![plan];
                while way.last() != Some(&start) {
                    let Some(previous) = way.last().and_then(|last| came_from[*last]) else {
                        break;
                    };
                    way.push(previous);
                }
                way.reverse();
                return way;
            }
            if came_from[target].is_none() {
                came_from[target] = Some(plan);
                queue.push_back(target);
            }
        }
    }
    vec![start]
}

fn targets(view: &View<'_>, plan: usize) -> impl Iterator<Item = usize> {
    view.order.depends[plan].iter().filter_map(|dependency| match dependency.target {
        Target::Plan(target) => Some(target),
        Target::Elsewhere | Target::Unknown | Target::Nothing => None,
    })
}

fn entry<'a>(view: &View<'a>, plan: usize, target: usize) -> Option<&'a Spanned<String>> {
    let wanted = Target::Plan(target);
    view.order.depends[plan].iter().find(|one| one.target == wanted).map(|one| one.entry)
}
