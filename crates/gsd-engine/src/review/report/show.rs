//! Words that more than one format shows: durations, counts, verdicts, places.

use crate::lane::{Proof, State};
use crate::review::clusters;
use crate::review::record::{
    Cluster, Evidence, Finding, FindingsSource, Kind, Lane, Record, Severity, Verdict,
};

/// `0.1 s`, `58 s`, `1 m 58 s`, `1 h 02 m`.
pub(super) fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..10 => format!("{}.{} s", seconds, ms % 1000 / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} m {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} m", seconds / 3600, seconds / 60 % 60),
    }
}

pub(super) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The state of a lane and, where it has one, its reason.
pub(super) fn state(lane: &Lane) -> String {
    match lane.reason {
        Some(reason) => format!("{} ({reason})", lane.state),
        None => lane.state.to_string(),
    }
}

/// How many of the plans the review speaks of.
pub(super) fn read(lane: &Lane) -> String {
    if !lane.state.counts() {
        return "–".to_owned();
    }
    match lane.proof {
        Proof::NotAsked => "not asked".to_owned(),
        Proof::Delivered | Proof::Echoed | Proof::Observed | Proof::None => {
            let covered = lane.coverage.covered.len();
            format!("{covered}/{}", covered + lane.coverage.missing.len())
        }
    }
}

/// What shows that a lane read the plans, as a phrase.
pub(super) const fn proof(proof: Proof) -> &'static str {
    match proof {
        Proof::Delivered => "the plans were delivered to it",
        Proof::Echoed => "it repeated the marks of the plans",
        Proof::Observed => "it was seen to read the plans",
        Proof::NotAsked => "it is not given the plans",
        Proof::None => "nothing shows that it read the plans",
    }
}

/// `3 high, 2 medium`: the concerns of a lane; what is no concern is counted apart.
pub(super) fn findings(record: &Record, lane: &Lane) -> String {
    if !lane.state.counts() {
        return "–".to_owned();
    }
    if lane.findings_source == FindingsSource::None {
        return "no findings structure".to_owned();
    }
    let own: Vec<&Finding> = record.findings.iter().filter(|f| f.lane == lane.identity).collect();
    let mut parts: Vec<String> = vec![];
    for severity in Severity::ALL {
        let count =
            own.iter().filter(|f| f.kind == Kind::Concern && f.severity == severity).count();
        if count > 0 {
            parts.push(format!("{count} {}", severity.word()));
        }
    }
    let others = own.iter().filter(|f| f.kind != Kind::Concern).count();
    if others > 0 {
        parts.push(format!("{others} other"));
    }
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// What it means that no finding is listed.
pub(super) fn no_findings(record: &Record) -> &'static str {
    let mut counting = record.lanes.iter().filter(|lane| lane.state.counts()).peekable();
    if counting.peek().is_none() {
        return "No lane produced a review, so nothing can be said about these plans.";
    }
    if counting.any(|lane| lane.findings_source == FindingsSource::None) {
        return "None in a form that could be read: the texts of the reviewers stand below.";
    }
    "None."
}

/// `4 plans, 1 of them unreadable`; nothing where all could be read.
pub(super) fn unreadable_plans(record: &Record) -> Option<String> {
    let unreadable = record.run.unreadable_plans.len();
    let all = record.plans.len() + unreadable;
    (unreadable > 0).then(|| format!("{}, {unreadable} of them unreadable", plural(all, "plan")))
}

/// How many lanes ended in each state, as one sentence without its end.
pub(super) fn states(record: &Record) -> String {
    let count = |state: State| record.lanes.iter().filter(|lane| lane.state == state).count();
    let reviewed = count(State::Reviewed);
    let mut parts = vec![format!("{} reviewed", plural(reviewed, "lane"))];
    for state in State::ALL.iter().copied().filter(|state| *state != State::Reviewed) {
        let count = count(state);
        if count > 0 {
            parts.push(format!("{count} {state}"));
        }
    }
    parts.join(", ")
}

/// The name of the phase: `phase 03: post-feed`.
pub(super) fn phase(record: &Record) -> String {
    match &record.phase.number {
        Some(number) => format!("phase {number}: {}", record.phase.name),
        None => format!("phase {}", record.phase.name),
    }
}

/// A mark and a word; the mark is never alone.
pub(super) const fn verdict(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Verified) => "✔ verified",
        Some(Verdict::Moved) => "↷ moved",
        Some(Verdict::Planned) => "◌ planned",
        Some(Verdict::Located) => "○ located",
        Some(Verdict::Ungrounded) => "✘ ungrounded",
        Some(Verdict::Contradicted) => "≠ contradicted",
        Some(Verdict::Outside) => "⊘ outside",
        None => "· no citation",
    }
}

/// The verdict on a cluster; that it holds only in part is said.
pub(super) fn cluster_verdict(record: &Record, cluster: &Cluster) -> &'static str {
    if clusters::is_mixed(cluster, &record.findings) {
        return "◐ mixed: not all that it cites stands there";
    }
    verdict(cluster.verdict)
}

/// `HIGH`, `LOW question`: what is no concern is not taken for one.
pub(super) fn label(cluster: &Cluster) -> String {
    let severity = cluster.severity.word().to_ascii_uppercase();
    match cluster.kind {
        Kind::Concern => severity,
        Kind::Suggestion | Kind::Question | Kind::Strength => {
            format!("{severity} {}", cluster.kind.word())
        }
    }
}

/// The line where a citation really stands.
pub(super) fn line(evidence: &Evidence) -> Option<u64> {
    evidence.resolved_line.or(evidence.line)
}

/// `path:12`, `path:12-20`, `path`.
pub(super) fn place(path: &str, evidence: &Evidence) -> String {
    match (evidence.resolved_line, evidence.line, evidence.end_line) {
        (Some(line), _, _) | (None, Some(line), None) => format!("{path}:{line}"),
        (None, Some(line), Some(end)) => format!("{path}:{line}-{end}"),
        (None, None, _) => path.to_owned(),
    }
}

/// Support as the report says it: `1.4 of 2`, or `1.0` for one lane.
pub(super) fn support(cluster: &Cluster) -> String {
    match cluster.lanes.len() {
        1 => format!("{:.1}", cluster.support),
        lanes => format!("{:.1} of {lanes}", cluster.support),
    }
}

/// The findings of a cluster, its speaker first, then in roster order.
pub(super) fn members<'a>(record: &'a Record, cluster: &Cluster) -> Vec<&'a Finding> {
    let lane = |finding: &Finding| {
        cluster.lanes.iter().position(|l| *l == finding.lane).unwrap_or(usize::MAX)
    };
    let mut members: Vec<&Finding> =
        record.findings.iter().filter(|finding| finding.cluster == cluster.id).collect();
    let speaker = cluster.findings.first();
    members.sort_by_key(|f| (Some(&f.id) != speaker || f.title != cluster.title, lane(f)));
    members
}

/// The citations of a cluster, each place once, the best verdict first.
pub(super) fn evidence<'a>(members: &[&'a Finding]) -> Vec<&'a Evidence> {
    let mut all: Vec<&Evidence> = vec![];
    for evidence in members.iter().flat_map(|finding| &finding.evidence) {
        let same = |known: &&Evidence| known.path == evidence.path && line(known) == line(evidence);
        match all.iter_mut().find(|known| same(known)) {
            // Of two citations of a place the one that shows more.
            Some(known) => {
                if (evidence.verdict, evidence.snippet.is_some())
                    > (known.verdict, known.snippet.is_some())
                {
                    *known = evidence;
                }
            }
            None => all.push(evidence),
        }
    }
    all.sort_by_key(|evidence| std::cmp::Reverse(evidence.verdict));
    all
}

/// What a reader must not take for covered, one sentence each, with names in backticks. It is text,
/// not Markdown: it holds words of lanes.
pub(super) fn not_covered(record: &Record) -> Vec<String> {
    let mut list: Vec<String> = vec![];
    let counting: Vec<&Lane> = record.lanes.iter().filter(|lane| lane.state.counts()).collect();
    let covers = |lane: &&Lane, id: &String| lane.coverage.covered.contains(id);
    let unspoken: Vec<&str> = record
        .plans
        .iter()
        .filter(|plan| !counting.iter().any(|lane| covers(lane, &plan.id)))
        .map(|plan| plan.id.as_str())
        .collect();
    if !unspoken.is_empty() && !counting.is_empty() {
        list.push(format!("No lane speaks of {}.", unspoken.join(", ")));
    }
    for lane in &counting {
        let (covered, missing) = (lane.coverage.covered.len(), &lane.coverage.missing);
        if covered > 0 && !missing.is_empty() {
            list.push(format!(
                "`{}` speaks of {covered} of {} plans, not of {}.",
                lane.identity,
                covered + missing.len(),
                missing.join(", ")
            ));
        }
        if lane.findings_source == FindingsSource::None {
            list.push(format!(
                "`{}` names no finding in a form that could be read; its text stands below.",
                lane.identity
            ));
        }
    }
    let missed = |lane: &&Lane| !lane.state.counts() && !record.is_bystander(lane);
    for lane in record.lanes.iter().filter(missed) {
        let message = match &lane.message {
            Some(message) => format!(": {}", message.trim_end_matches('.')),
            None => String::new(),
        };
        list.push(format!("`{}` gave no review, {}{message}.", lane.identity, state(lane)));
    }
    let discredited = record.clusters.iter().filter(|c| clusters::is_discredited(c)).count();
    if discredited > 0 {
        let rest = if discredited == 1 { "rests" } else { "rest" };
        list.push(format!(
            "{} {rest} on citations that could not be confirmed.",
            plural(discredited, "finding")
        ));
    }
    if !record.redactions.is_empty() {
        let kinds: Vec<String> =
            record.redactions.iter().map(|r| format!("{} × {}", r.count, r.kind)).collect();
        list.push(format!("Replaced in the prompts as secrets: {}.", kinds.join(", ")));
    }
    list.extend(record.run.notes.iter().cloned());
    list
}

/// Lanes that are not here and that nobody named, in backticks: one line for all of them.
pub(super) fn not_here(record: &Record) -> Option<String> {
    let absent = record.lanes.iter().filter(|lane| record.is_bystander(lane));
    let names: Vec<String> = absent.map(|lane| format!("`{}`", lane.identity)).collect();
    (!names.is_empty()).then(|| format!("Not here, and named by nobody: {}.", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{duration, verdict};
    use crate::review::record::Verdict;

    #[test]
    fn each_verdict_has_its_one_sign() {
        for one in Verdict::ALL {
            assert_eq!(verdict(Some(one)), format!("{} {}", one.mark(), one.word()));
        }
    }

    #[test]
    fn durations() {
        for (ms, shown) in [
            (0, "0.0 s"),
            (140, "0.1 s"),
            (9_999, "9.9 s"),
            (58_400, "58 s"),
            (118_000, "1 m 58 s"),
            (3_725_000, "1 h 02 m"),
        ] {
            assert_eq!(duration(ms), shown);
        }
    }
}
