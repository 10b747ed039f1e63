//! Workflow commands of GitHub: one line each, shown beside the line of the file it is about.
//!
//! A line of a log that begins with `::` is a command, so text from outside must never begin one
//! and never end ours: line breaks and the marks of the syntax are percent-encoded.

use super::show;
use crate::review::clusters;
use crate::review::record::{Cluster, Evidence, Kind, Record, Severity, Verdict};
use crate::text::is_deceptive;

/// GitHub shows ten of each level for a step; more only make the log long.
const MAX_LINES: usize = 50;

pub(super) fn render(record: &Record) -> String {
    let mut out = String::new();
    let shown = record.clusters.iter().filter(|cluster| cluster.kind != Kind::Strength);
    for cluster in shown.take(MAX_LINES) {
        out.push_str(&command(record, cluster));
        out.push('\n');
    }
    out
}

fn command(record: &Record, cluster: &Cluster) -> String {
    let members = show::members(record, cluster);
    let evidence = show::evidence(&members);
    let place = evidence.first().filter(|e| e.verdict != Verdict::Outside);
    let mut properties = vec![];
    if let Some(place) = place {
        properties.push(format!("file={}", property(&place.path)));
        properties.extend(lines(place));
    }
    properties.push(format!("title={}", property(&cluster.title)));
    let claim = members.first().map_or(cluster.title.as_str(), |member| member.claim.as_str());
    let message = format!(
        "{} · {} · {} · support {}\n{claim}",
        cluster.severity.word(),
        show::cluster_verdict(record, cluster),
        cluster.lanes.join(", "),
        show::support(cluster),
    );
    format!("::{} {}::{}", level(cluster), properties.join(","), data(&message))
}

fn lines(place: &Evidence) -> Option<String> {
    let line = show::line(place).filter(|line| *line > 0)?;
    let end = place.end_line.filter(|end| place.resolved_line.is_none() && *end > line);
    Some(match end {
        Some(end) => format!("line={line},endLine={end}"),
        None => format!("line={line}"),
    })
}

fn level(cluster: &Cluster) -> &'static str {
    if clusters::is_discredited(cluster) {
        return "notice";
    }
    match (cluster.kind, cluster.severity) {
        (Kind::Concern, Severity::High) => "error",
        (Kind::Concern, Severity::Medium) => "warning",
        (Kind::Concern, Severity::Low) => "notice",
        (Kind::Strength | Kind::Suggestion | Kind::Question, _) => "notice",
    }
}

fn data(text: &str) -> String {
    let kept: String = text.chars().filter(|c| *c == '\n' || !is_deceptive(*c)).collect();
    kept.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
