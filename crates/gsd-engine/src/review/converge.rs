//! Plan, review, plan again: is it enough? The machine's half of that loop.
//!
//! Pure: the record of the last review, with the earlier ones in its history, and the plans as they
//! are now. Counts come from findings whose evidence was checked, never from what a reviewer says
//! about its own findings. A review in which nobody reviewed decides nothing.

use super::clusters;
use super::record::{Cluster, Plan, Record, Severity};
use crate::lane::{Proof, State};
use gsd_io::clock;
use std::collections::BTreeSet;
use std::time::Duration;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Nothing that counts is open.
    Converged,
    /// Plan again, and review.
    Continue,
    /// The same, but the last cycle made nothing better.
    Stalled,
    /// People must look: it goes round in circles, or it took too long.
    Escalate,
    /// The last review does not tell.
    Invalid,
}

impl Decision {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Continue => "continue",
            Self::Stalled => "stalled",
            Self::Escalate => "escalate",
            Self::Invalid => "invalid",
        }
    }
}

/// A concern that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// The ids of its findings, stable from cycle to cycle; the first one speaks for it.
    pub ids: Vec<String>,
    pub severity: Severity,
    pub plan: Option<String>,
    pub title: String,
}

/// The decision, and what it is based on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convergence {
    pub decision: Decision,
    /// One sentence.
    pub why: String,
    pub high: Vec<Open>,
    /// Medium and low ones that no plan answers.
    pub actionable: Vec<Open>,
    /// Medium and low ones whose ids stand in a plan: taken up, put off or rejected there.
    pub answered: Vec<Open>,
    /// The number of this cycle, from 1.
    pub cycle: usize,
    /// How many concerns each cycle had, the newest first.
    pub totals: Vec<usize>,
}

/// A plan as it is now: its digest and text.
#[derive(Debug, Clone, Copy)]
pub struct PlanNow<'a> {
    pub path: &'a str,
    pub sha256: &'a str,
    pub text: &'a str,
}

/// How long a loop may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub cycles: usize,
    /// From the start of its first review on.
    pub deadline: Option<Duration>,
}

/// Decides about the last review. `now` is counted from the epoch.
pub fn converge(
    record: &Record,
    plans: &[PlanNow<'_>],
    bounds: Bounds,
    now: Duration,
) -> Convergence {
    let mut found = Convergence {
        decision: Decision::Invalid,
        why: String::new(),
        high: vec![],
        actionable: vec![],
        answered: vec![],
        cycle: 0,
        totals: vec![],
    };
    for open in concerns(record) {
        let answered = || open.ids.iter().any(|id| plans.iter().any(|plan| plan.text.contains(id)));
        match open.severity {
            Severity::High => found.high.push(open),
            Severity::Medium | Severity::Low if answered() => found.answered.push(open),
            Severity::Medium | Severity::Low => found.actionable.push(open),
        }
    }
    let cycles = cycles(record);
    found.cycle = cycles.len();
    found.totals = cycles.iter().map(|cycle| concerns(cycle).len()).collect();
    let (decision, why) = decide(record, plans, bounds, now, &cycles, &found);
    found.decision = decision;
    found.why = why;
    found
}

fn decide(
    record: &Record,
    plans: &[PlanNow<'_>],
    bounds: Bounds,
    now: Duration,
    cycles: &[&Record],
    found: &Convergence,
) -> (Decision, String) {
    if let Some(why) = tells_nothing(record) {
        return (Decision::Invalid, why);
    }
    let changed = changed(&record.plans, plans);
    if !changed.is_empty() {
        let why = format!("changed since the last review: {}", changed.join(", "));
        return (Decision::Continue, why);
    }
    let (high, others) = (found.high.len(), found.actionable.len());
    if high + others == 0 {
        // What half a review did not say may be what is open.
        let halves: Vec<&str> = record
            .lanes
            .iter()
            .filter(|lane| lane.state == State::Incomplete)
            .map(|lane| lane.identity.as_str())
            .collect();
        if !halves.is_empty() {
            let why = format!("nothing is open, but incomplete: {}", halves.join(", "));
            return (Decision::Invalid, why);
        }
        return (Decision::Converged, "nothing that counts is open".to_owned());
    }
    let open = format!("{high} high and {others} other concerns are open");
    if let Some(id) = returned(cycles) {
        return (Decision::Escalate, format!("{open}; `{id}` was gone and is back"));
    }
    let no_better = |newer: usize| {
        let pair = found.totals.get(newer).zip(found.totals.get(newer + 1));
        pair.is_some_and(|(now, before)| now >= before)
    };
    if no_better(0) && no_better(1) {
        return (Decision::Escalate, format!("{open}; two cycles made nothing better"));
    }
    if cycles.len() >= bounds.cycles {
        return (Decision::Escalate, format!("{open} after {} cycles", bounds.cycles));
    }
    let began = cycles.last().and_then(|first| clock::parse_rfc3339(&first.run.started_at));
    if let (Some(deadline), Some(began)) = (bounds.deadline, began)
        && now.saturating_sub(Duration::from_secs(began)) >= deadline
    {
        return (Decision::Escalate, format!("{open}, and the deadline of the loop has passed"));
    }
    if no_better(0) {
        return (Decision::Stalled, format!("{open}; the last cycle made nothing better"));
    }
    (Decision::Continue, open)
}

/// Why a review says nothing about its plans.
fn tells_nothing(record: &Record) -> Option<String> {
    let itself = record.run.itself.as_deref();
    let reviews = || {
        record.lanes.iter().filter(move |lane| {
            let independent = Some(lane.slug.as_str()) != itself;
            lane.state.counts() && lane.proof != Proof::NotAsked && independent
        })
    };
    if record.run.interrupted {
        return Some("the last review was interrupted".to_owned());
    }
    if reviews().next().is_none() {
        return Some("no independent lane reviewed the plans".to_owned());
    }
    if !record.run.unreadable_plans.is_empty() {
        let list = record.run.unreadable_plans.join("; ");
        return Some(format!("plans could not be read: {list}"));
    }
    let covered: BTreeSet<&str> =
        reviews().flat_map(|lane| lane.coverage.covered.iter().map(String::as_str)).collect();
    let missing: Vec<&str> = record
        .plans
        .iter()
        .map(|plan| plan.id.as_str())
        .filter(|id| !covered.contains(id))
        .collect();
    (!missing.is_empty()).then(|| format!("no review speaks of {}", missing.join(", ")))
}

/// The plans that are not those that were reviewed.
fn changed(then: &[Plan], now: &[PlanNow<'_>]) -> Vec<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let gone = then
        .iter()
        .filter(|plan| !now.iter().any(|now| now.path == plan.path && now.sha256 == plan.sha256))
        .map(|plan| name(&plan.path));
    let new = now
        .iter()
        .filter(|now| !then.iter().any(|plan| plan.path == now.path))
        .map(|now| name(now.path));
    gone.chain(new).collect()
}

/// The cycles of this loop, the newest first: a review of the same plans counts once, one that told
/// nothing not at all, and the loop begins after the last review that left nothing open.
fn cycles(record: &Record) -> Vec<&Record> {
    let digests = |record: &Record| -> BTreeSet<String> {
        record.plans.iter().map(|plan| plan.sha256.clone()).collect()
    };
    let mut cycles: Vec<&Record> = vec![];
    for run in std::iter::once(record).chain(&record.history) {
        if tells_nothing(run).is_some() {
            continue;
        }
        if cycles.last().is_some_and(|newer| digests(newer) == digests(run)) {
            continue;
        }
        if !cycles.is_empty() && concerns(run).is_empty() {
            break;
        }
        cycles.push(run);
    }
    cycles
}

/// A concern that an earlier cycle had, the one before did not, and this one has again.
fn returned(cycles: &[&Record]) -> Option<String> {
    let ids = |record: &Record| -> BTreeSet<String> {
        concerns(record).into_iter().flat_map(|open| open.ids).collect()
    };
    let (now, before) = (ids(cycles.first()?), ids(cycles.get(1)?));
    let earlier: BTreeSet<String> = cycles.iter().skip(2).flat_map(|cycle| ids(cycle)).collect();
    now.into_iter().find(|id| !before.contains(id) && earlier.contains(id))
}

/// The concerns of a review that count: those whose evidence holds, or that cite none.
fn concerns(record: &Record) -> Vec<Open> {
    let counts = |cluster: &&Cluster| clusters::gates(cluster, Severity::Low);
    let open = |cluster: &Cluster| {
        let speaks = cluster.findings.first();
        let plan = record.findings.iter().find(|finding| Some(&finding.id) == speaks);
        Open {
            severity: cluster.severity,
            plan: plan.and_then(|finding| finding.plan.clone()),
            title: cluster.title.clone(),
            ids: cluster.findings.clone(),
        }
    };
    record.clusters.iter().filter(counts).map(open).collect()
}

#[cfg(test)]
mod tests;
