use super::*;
use crate::evidence::Verdict;
use crate::lane::State;
use crate::review::record::Coverage;
use crate::review::sample;

const TEXT: &str = "# Plan";

/// A review of one plan in its n-th version with these concerns.
fn review(version: u8, concerns: &[(&str, Severity)]) -> Record {
    let mut record = sample::record();
    record.run.itself = None;
    record.lanes.truncate(2);
    record.plans.truncate(1);
    record.plans[0].sha256 = format!("{version:02x}").repeat(32);
    for lane in &mut record.lanes {
        lane.coverage = Coverage { covered: vec!["03-01".into()], missing: vec![] };
    }
    record.findings = concerns
        .iter()
        .map(|(title, severity)| {
            let place = format!("src/{title}.rs");
            sample::finding("claude", *severity, title, &[(&place, 1, Verdict::Verified)])
        })
        .collect();
    let correlation = clusters::Correlation::default();
    record.clusters = clusters::build(&mut record.findings, &record.lanes, &correlation);
    record
}

/// The newest review, with the earlier ones behind it.
fn after(mut newest: Record, earlier: impl IntoIterator<Item = Record>) -> Record {
    newest.history = earlier.into_iter().collect();
    newest
}

/// What is decided while the plans are as they were reviewed.
fn decide_with(record: &Record, text: &str, max_cycles: usize) -> Convergence {
    let plans: Vec<PlanNow<'_>> = record
        .plans
        .iter()
        .map(|plan| PlanNow { path: &plan.path, sha256: &plan.sha256, text })
        .collect();
    converge(record, &plans, bounds(max_cycles), Duration::ZERO)
}

fn bounds(cycles: usize) -> Bounds {
    Bounds { cycles, deadline: None }
}

fn decided(record: &Record) -> Decision {
    decide_with(record, TEXT, 10).decision
}

use Severity::{High, Low, Medium};

#[test]
fn a_real_review_without_concerns_converges() {
    let found = decide_with(&review(1, &[]), TEXT, 3);
    assert_eq!((found.decision, found.cycle, found.totals), (Decision::Converged, 1, vec![0]));
}

#[test]
fn half_a_review_without_concerns_tells_nothing() {
    let mut half = review(1, &[]);
    half.lanes[0].state = State::Incomplete;
    assert_eq!(decided(&half), Decision::Invalid);
    let mut open = review(1, &[("a", High)]);
    open.lanes[0].state = State::Incomplete;
    assert_eq!(decided(&open), Decision::Continue);
}

#[test]
fn open_concerns_go_on_and_are_counted_by_severity() {
    let record = review(1, &[("alpha", High), ("beta", Medium), ("gamma", Low)]);
    let found = decide_with(&record, TEXT, 3);
    assert_eq!(found.decision, Decision::Continue);
    assert_eq!((found.high.len(), found.actionable.len()), (1, 2));
    assert_eq!(found.why, "1 high and 2 other concerns are open");
}

#[test]
fn a_plan_answers_what_is_not_high() {
    let record = review(1, &[("alpha", High), ("beta", Medium)]);
    let found = decide_with(&record, "Rejected: f-beta. Rejected: f-alpha.", 3);
    assert_eq!(found.decision, Decision::Continue, "what is high must be gone");
    assert_eq!((found.high.len(), found.actionable.len(), found.answered.len()), (1, 0, 1));
    let record = review(1, &[("beta", Medium)]);
    assert_eq!(decide_with(&record, "Put off: f-beta", 3).decision, Decision::Converged);
}

#[test]
fn findings_without_ground_never_keep_a_loop_going() {
    let mut record = review(1, &[("alpha", High)]);
    record.findings[0].evidence[0].verdict = Verdict::Ungrounded;
    let correlation = clusters::Correlation::default();
    record.clusters = clusters::build(&mut record.findings, &record.lanes, &correlation);
    assert_eq!(decided(&record), Decision::Converged);
}

#[test]
fn a_review_in_which_nobody_reviewed_decides_nothing() {
    let mut stubbed = review(1, &[]);
    for lane in &mut stubbed.lanes {
        lane.state = State::Failed;
    }
    assert_eq!(decided(&stubbed), Decision::Invalid);
    // The program that runs the loop is no judge of its own plans.
    let mut alone = review(1, &[]);
    alone.run.itself = Some(alone.lanes[0].slug.clone());
    alone.lanes.truncate(1);
    assert_eq!(decided(&alone), Decision::Invalid);
    let mut diff_only = review(1, &[]);
    for lane in &mut diff_only.lanes {
        lane.proof = Proof::NotAsked;
    }
    assert_eq!(decided(&diff_only), Decision::Invalid);
    let mut interrupted = review(1, &[]);
    interrupted.run.interrupted = true;
    assert_eq!(decided(&interrupted), Decision::Invalid);
    let mut unread = review(1, &[]);
    unread.run.unreadable_plans = vec!["03-02-PLAN.md: not UTF-8".into()];
    assert_eq!(decided(&unread), Decision::Invalid);
    let mut partly = review(1, &[]);
    for lane in &mut partly.lanes {
        lane.coverage = Coverage { covered: vec![], missing: vec!["03-01".into()] };
    }
    assert_eq!(decide_with(&partly, TEXT, 3).why, "no review speaks of 03-01");
}

#[test]
fn plans_that_changed_since_are_to_be_reviewed_first() {
    let record = review(1, &[]);
    let path = record.plans[0].path.clone();
    let changed = PlanNow { path: &path, sha256: "another", text: TEXT };
    let found = converge(&record, &[changed], bounds(3), Duration::ZERO);
    assert_eq!(found.decision, Decision::Continue);
    assert_eq!(found.why, "changed since the last review: 03-01-PLAN.md");
    let same = PlanNow { path: &path, sha256: &record.plans[0].sha256, text: TEXT };
    let new = PlanNow { path: ".planning/phases/03-post-feed/03-02-PLAN.md", ..changed };
    assert_eq!(
        converge(&record, &[same, new], bounds(3), Duration::ZERO).decision,
        Decision::Continue
    );
}

#[test]
fn no_progress_stalls_once_and_escalates_twice() {
    let one = review(1, &[("alpha", High), ("beta", High)]);
    let two = review(2, &[("gamma", High), ("delta", High)]);
    let three = review(3, &[("epsilon", High), ("zeta", High)]);
    let better = review(3, &[("epsilon", High)]);
    assert_eq!(decided(&after(two.clone(), [one.clone()])), Decision::Stalled);
    assert_eq!(decided(&after(three, [two.clone(), one.clone()])), Decision::Escalate);
    assert_eq!(decided(&after(better, [two, one])), Decision::Continue);
}

#[test]
fn what_was_gone_and_is_back_escalates() {
    let cycles = [
        review(3, &[("alpha", High)]),
        review(2, &[("beta", High), ("gamma", High)]),
        review(1, &[("alpha", High), ("delta", High), ("zeta", High)]),
    ];
    let [newest, before, first] = cycles;
    let found = decide_with(&after(newest, [before, first]), TEXT, 10);
    assert_eq!(found.decision, Decision::Escalate);
    assert!(found.why.ends_with("`f-alpha` was gone and is back"), "{}", found.why);
}

#[test]
fn a_loop_has_so_many_cycles_and_no_more() {
    let cycles = |count: u8| {
        let runs = (1..=count).rev().map(|n| {
            let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];
            let left: Vec<_> = names[n as usize..].iter().map(|name| (*name, High)).collect();
            review(n, &left)
        });
        let mut runs: Vec<Record> = runs.collect();
        let newest = runs.remove(0);
        after(newest, runs)
    };
    assert_eq!(decide_with(&cycles(2), TEXT, 3).decision, Decision::Continue);
    let found = decide_with(&cycles(3), TEXT, 3);
    assert_eq!((found.decision, found.cycle), (Decision::Escalate, 3));
    assert!(found.why.ends_with("after 3 cycles"), "{}", found.why);
}

#[test]
fn a_loop_has_a_deadline_from_its_first_review_on() {
    let mut first = review(1, &[("alpha", High), ("beta", High)]);
    first.run.started_at = "2026-11-30T21:00:00Z".into();
    let mut newest = review(2, &[("alpha", High)]);
    newest.run.started_at = "2026-11-30T22:30:00Z".into();
    let record = after(newest, [first]);
    let plan = PlanNow { path: &record.plans[0].path, sha256: &record.plans[0].sha256, text: TEXT };
    let at = |text: &str, hours: u64| {
        let bounds = Bounds { cycles: 10, deadline: Some(Duration::from_secs(hours * 3600)) };
        let now = Duration::from_secs(clock::parse_rfc3339(text).unwrap());
        converge(&record, &[plan], bounds, now)
    };
    assert_eq!(at("2026-11-30T22:59:59Z", 2).decision, Decision::Continue);
    let late = at("2026-11-30T23:00:00Z", 2);
    assert_eq!(late.decision, Decision::Escalate);
    assert!(late.why.ends_with("the deadline of the loop has passed"), "{}", late.why);
    assert_eq!(at("2026-11-30T23:00:00Z", 3).decision, Decision::Continue);
}

#[test]
fn reviews_of_the_same_plans_are_one_cycle_and_a_new_loop_counts_anew() {
    let again =
        after(review(1, &[("alpha", High)]), [review(1, &[("alpha", High), ("beta", High)])]);
    let found = decide_with(&again, TEXT, 3);
    assert_eq!((found.cycle, found.totals, found.decision), (1, vec![1], Decision::Continue));
    let anew = after(
        review(3, &[("alpha", High)]),
        [review(2, &[]), review(1, &[("alpha", High), ("beta", High)])],
    );
    assert_eq!(decide_with(&anew, TEXT, 3).cycle, 1);
}
