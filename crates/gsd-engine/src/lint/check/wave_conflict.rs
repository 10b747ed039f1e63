//! Two plans of one wave change one file.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::files::Touch;
use crate::lint::order::When;
use crate::lint::view::View;
use std::collections::BTreeMap;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/wave-conflict",
    level: Level::Error,
    summary: "two plans of one wave change one file",
    docs: include_str!("wave_conflict.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for (path, touches) in view.files.touched() {
        if path.starts_with(".planning/") || view.tree.is_generated(path) {
            continue;
        }
        // The first place of each plan; `files_modified` says it best.
        let mut places: BTreeMap<usize, &Touch> = BTreeMap::new();
        for touch in touches {
            let place = places.entry(touch.plan).or_insert(touch);
            if touch.task.is_none() && place.task.is_some() {
                *place = touch;
            }
        }
        let plans: Vec<usize> = places.keys().copied().collect();
        for (position, plan) in plans.iter().enumerate().skip(1) {
            let rivals: Vec<usize> = plans[..position]
                .iter()
                .copied()
                .filter(|other| view.order.when(*other, *plan) == When::Beside)
                // A dependency within a wave is a fault of its own.
                .filter(|other| {
                    !view.order.reaches(*other, *plan) && !view.order.reaches(*plan, *other)
                })
                .collect();
            let Some(wave) = view.order.wave(*plan).filter(|_| !rivals.is_empty()) else {
                continue;
            };
            let own = &view.plans[*plan];
            let mut diagnostic = RULE
                .at(
                    own.at(&places[plan].span),
                    format!(
                        "{} and {} change `{path}`, both in wave {wave}",
                        view.names(&rivals),
                        own.id()
                    ),
                )
                .help(format!(
                    "move {} to wave {} and let it depend on {}",
                    own.id(),
                    wave.saturating_add(1),
                    view.names(&rivals)
                ));
            for rival in rivals {
                let other = &view.plans[rival];
                diagnostic =
                    diagnostic.also(other.at(&places[&rival].span), format!("{} too", other.id()));
            }
            found.push(diagnostic);
        }
    }
}
