//! Findings that say the same, how many independent voices say it, and what comes first.
//!
//! No model is asked: two findings are the same if their evidence overlaps, or if they share code
//! identifiers and their titles are close. The result depends on the findings and the roster alone,
//! not on which lane was done first.
//!
//! What several lanes say is not more true for that: they are trained on the same texts. So voices
//! are counted by how independent they are (`support`), and evidence goes before support.

mod same;
mod support;

pub use support::{Correlation, SUPPORT};

use super::record::{Cluster, EvidenceClass, Finding, Kind, Lane, Severity, Verdict};
use std::cmp::Reverse;
use support::Voice;

/// Groups the findings of the lanes that count, writes the id of its cluster into each, and returns
/// the clusters, the most important first. `lanes` is in roster order.
pub fn build(findings: &mut [Finding], lanes: &[Lane], correlation: &Correlation) -> Vec<Cluster> {
    let place = |identity: &str| {
        lanes.iter().position(|lane| lane.identity == identity).unwrap_or(lanes.len())
    };
    // Roster order, then the order in which a lane said it.
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|index| place(&findings[*index].lane));
    let groups = same::group(findings, &order);
    let mut clusters: Vec<Cluster> = groups
        .iter()
        .map(|group| {
            let members: Vec<&Finding> = group.iter().map(|index| &findings[*index]).collect();
            cluster(&members, lanes, correlation)
        })
        .collect();
    for (group, cluster) in groups.iter().zip(&clusters) {
        for index in group {
            findings[*index].cluster.clone_from(&cluster.id);
        }
    }
    // Of equal rank, what stands together is read together.
    let place = |cluster: &Cluster| {
        let members = findings.iter().filter(|finding| finding.cluster == cluster.id);
        let places = members.flat_map(|finding| &finding.evidence);
        places.map(|e| (e.path.clone(), e.resolved_line.or(e.line))).min()
    };
    clusters.sort_by_cached_key(|c| (Reverse(rank(c)), place(c), c.id.clone()));
    clusters
}

fn cluster(members: &[&Finding], lanes: &[Lane], correlation: &Correlation) -> Cluster {
    // What proved wrong does not speak for what holds.
    let weight = |finding: &Finding| {
        (!is_refuted(finding), finding.severity, evidence_weight(best(finding)))
    };
    let mut by_weight = members.to_vec();
    by_weight.sort_by_key(|finding| Reverse(weight(finding)));
    let speaker = by_weight[0];
    let mut ids: Vec<String> = vec![];
    for finding in &by_weight {
        if !ids.contains(&finding.id) {
            ids.push(finding.id.clone());
        }
    }
    let says = |lane: &&Lane| members.iter().any(|finding| finding.lane == lane.identity);
    let voices: Vec<&Lane> = lanes.iter().filter(says).collect();
    let support = support::effective(
        &voices
            .iter()
            .filter(|lane| lane.state.counts())
            .map(|lane| Voice::of(lane))
            .collect::<Vec<_>>(),
        correlation,
    );
    let lowest = ids.iter().min().map(String::as_str).unwrap_or("");
    Cluster {
        id: format!("c-{}", lowest.trim_start_matches("f-")),
        kind: speaker.kind,
        severity: severity(members, &voices),
        title: speaker.title.clone(),
        verdict: members.iter().filter_map(|finding| best(finding)).max(),
        findings: ids,
        lanes: voices.iter().map(|lane| lane.identity.clone()).collect(),
        // Two decimals are what the report shows; more would make records differ by rounding.
        support: (support * 100.0).round() / 100.0,
    }
}

/// The gravest severity that is said, but never `high` where only lanes say it that were not given
/// the plans, unless they speak of code and the code bears them out.
fn severity(members: &[&Finding], voices: &[&Lane]) -> Severity {
    // The proof of one finding lends no weight to another one whose own proof failed.
    let some_hold = members.iter().any(|finding| !is_refuted(finding));
    let counted = members.iter().filter(|finding| !(some_hold && is_refuted(finding)));
    let said = counted.map(|finding| finding.severity).max().unwrap_or(Severity::Low);
    let diff_only = !voices.is_empty()
        && voices.iter().all(|lane| lane.evidence_class == EvidenceClass::DiffOnly);
    let of_code = members.iter().any(|finding| {
        finding.plan.is_none()
            && finding.evidence.iter().any(|e| {
                matches!(e.verdict, Verdict::Verified | Verdict::Moved)
                    && !e.path.starts_with(".planning/")
            })
    });
    if diff_only && !of_code { said.min(Severity::Medium) } else { said }
}

/// The best verdict among the citations of a finding.
fn best(finding: &Finding) -> Option<Verdict> {
    finding.evidence.iter().map(|evidence| evidence.verdict).max()
}

/// Whether all that a finding cites proved wrong.
fn is_refuted(finding: &Finding) -> bool {
    best(finding).is_some_and(Verdict::refutes)
}

/// A finding that cites nothing, or a place without words of it, stands above one whose citation
/// proved wrong.
fn evidence_weight(verdict: Option<Verdict>) -> u8 {
    match verdict {
        Some(Verdict::Verified) => 6,
        Some(Verdict::Moved) => 5,
        Some(Verdict::Planned) => 4,
        Some(Verdict::Located) | None => 3,
        Some(Verdict::Ungrounded) => 2,
        Some(Verdict::Contradicted) => 1,
        Some(Verdict::Outside) => 0,
    }
}

/// Whether all that a cluster cites proved wrong. Such a cluster stays visible, after all others,
/// and never stops a run.
pub fn is_discredited(cluster: &Cluster) -> bool {
    cluster.verdict.is_some_and(Verdict::refutes)
}

/// Whether what a cluster rests on holds only in part: each of its findings that cites something
/// which holds also cites something that does not.
pub fn is_mixed(cluster: &Cluster, findings: &[Finding]) -> bool {
    let members = findings.iter().filter(|finding| finding.cluster == cluster.id);
    let holds = |finding: &Finding| !finding.evidence.iter().any(|e| e.verdict.refutes());
    let mut cited = members.filter(|finding| !finding.evidence.is_empty());
    cluster.verdict.is_some_and(|verdict| verdict.holds()) && !cited.any(holds)
}

/// Whether a cluster is a concern of at least this severity that may fail a run.
pub fn gates(cluster: &Cluster, at_least: Severity) -> bool {
    let concern = match cluster.kind {
        Kind::Concern => true,
        Kind::Strength | Kind::Suggestion | Kind::Question => false,
    };
    concern && cluster.severity >= at_least && !is_discredited(cluster)
}

/// Whether independent lanes agree on a cluster: at least two whose adapters differ and that read
/// the plans. Two instances of one adapter are one opinion heard twice.
pub fn is_agreed(cluster: &Cluster, lanes: &[Lane]) -> bool {
    let voices = lanes.iter().filter(|lane| {
        cluster.lanes.contains(&lane.identity)
            && lane.state.counts()
            && lane.evidence_class == EvidenceClass::SourceGrounded
    });
    let mut adapters: Vec<&str> = voices.map(|lane| lane.slug.as_str()).collect();
    adapters.sort_unstable();
    adapters.dedup();
    adapters.len() > 1
}

/// What comes first. A cluster whose citations hold, or that cites nothing, is never below one
/// whose citations proved wrong, however many lanes share it.
fn rank(cluster: &Cluster) -> (bool, Severity, u8, u64, Reverse<Kind>) {
    // Support has two decimals and is never negative.
    let support = (cluster.support * 100.0).round() as u64;
    (
        !is_discredited(cluster),
        cluster.severity,
        evidence_weight(cluster.verdict),
        support,
        Reverse(cluster.kind),
    )
}

#[cfg(test)]
mod tests;
