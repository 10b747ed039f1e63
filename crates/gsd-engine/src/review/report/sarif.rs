//! SARIF 2.1.0, for the places that show results of analyses beside the code.

use super::show;
use crate::review::clusters;
use crate::review::record::{Cluster, Evidence, Finding, Kind, Record, Severity, Verdict};
use crate::text::is_deceptive;
use serde_json::{Value, json};

const VERSION: &str = "2.1.0";
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// What viewers show of a message.
const MAX_MESSAGE: usize = 4000;

pub(super) fn render(record: &Record) -> String {
    let clusters: Vec<&Cluster> =
        record.clusters.iter().filter(|cluster| cluster.kind != Kind::Strength).collect();
    let rules = rules(record, &clusters);
    let results: Vec<Value> =
        clusters.iter().flat_map(|cluster| result(record, cluster, &rules)).collect();
    let mut run = json!({
        "tool": { "driver": {
            "name": record.tool.name,
            "semanticVersion": record.tool.version,
            "rules": rules.iter().map(|rule| rule.shown.clone()).collect::<Vec<_>>(),
        }},
        "invocations": [{
            "executionSuccessful": record.lanes.iter().any(|lane| lane.state.counts()),
            "startTimeUtc": record.run.started_at,
            "endTimeUtc": record.run.finished_at,
        }],
        "automationDetails": { "id": format!("{}/{}", record.phase.directory, record.run.id) },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": { "ROOT": { "description": { "text": "The root of the project." } } },
        "results": results,
    });
    if let Some(commit) = &record.commit {
        run["properties"] = json!({ "commit": commit.id, "dirty": commit.dirty });
    }
    let log = json!({ "$schema": SCHEMA, "version": VERSION, "runs": [run] });
    let mut text = serde_json::to_string_pretty(&log).expect("plain data is JSON");
    text.push('\n');
    text
}

struct Rule {
    id: String,
    shown: Value,
}

/// One rule for each code of a check, and one for each kind of finding that has none.
fn rules(record: &Record, clusters: &[&Cluster]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = vec![];
    for cluster in clusters {
        let members = show::members(record, cluster);
        let id = rule_id(cluster, &members);
        if rules.iter().any(|rule| rule.id == id) {
            continue;
        }
        let text = match members.iter().any(|member| member.code.is_some()) {
            true => format!("a check of the plans: {id}"),
            false => format!("a {} of a reviewer", cluster.kind.word()),
        };
        let shown = json!({ "id": id, "shortDescription": { "text": text } });
        rules.push(Rule { id, shown });
    }
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    rules
}

fn rule_id(cluster: &Cluster, members: &[&Finding]) -> String {
    let code = members.iter().find_map(|member| member.code.clone());
    code.unwrap_or_else(|| format!("review/{}", cluster.kind.word()))
}

fn result(record: &Record, cluster: &Cluster, rules: &[Rule]) -> Option<Value> {
    let members = show::members(record, cluster);
    let speaker = members.first()?;
    let rule = rule_id(cluster, &members);
    let index = rules.iter().position(|known| known.id == rule)?;
    let evidence = show::evidence(&members);
    let places: Vec<Value> = evidence.iter().filter_map(|e| location(e)).collect();
    // Viewers show a result at its first place; the others explain it.
    let (first, related) = match places.split_first() {
        Some((first, rest)) => (vec![first.clone()], rest.to_vec()),
        // Some viewers drop a result without a place; the plan it speaks of is one.
        None => (plan_location(record, speaker).into_iter().collect(), vec![]),
    };
    let mut text = plain(&speaker.title);
    if speaker.claim != speaker.title {
        text.push_str("\n\n");
        text.push_str(&plain(&speaker.claim));
    }
    if let Some(suggestion) = members.iter().find_map(|member| member.suggestion.as_deref()) {
        text.push_str("\n\nDo: ");
        text.push_str(&plain(suggestion));
    }
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": level(cluster),
        "message": { "text": bounded(&text) },
        "locations": first,
        "partialFingerprints": { "gsdFinding/v1": cluster.findings.first()? },
        "rank": rank(cluster),
        "properties": {
            "cluster": cluster.id,
            "severity": cluster.severity.word(),
            "verdict": cluster.verdict.map(Verdict::word),
            "support": cluster.support,
            "lanes": cluster.lanes,
        },
    });
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    Some(result)
}

fn location(evidence: &Evidence) -> Option<Value> {
    if evidence.verdict == Verdict::Outside {
        return None;
    }
    let mut physical =
        json!({ "artifactLocation": { "uri": uri(&evidence.path), "uriBaseId": "ROOT" } });
    if let Some(line) = show::line(evidence).filter(|line| *line > 0) {
        let end = evidence.end_line.filter(|end| evidence.resolved_line.is_none() && *end > line);
        physical["region"] = match end {
            Some(end) => json!({ "startLine": line, "endLine": end }),
            None => json!({ "startLine": line }),
        };
    }
    Some(json!({
        "physicalLocation": physical,
        "message": { "text": format!("evidence: {}", evidence.verdict.word()) },
    }))
}

fn plan_location(record: &Record, finding: &Finding) -> Option<Value> {
    let id = finding.plan.as_deref();
    let plan = record.plans.iter().find(|plan| Some(plan.id.as_str()) == id);
    let plan = plan.or(record.plans.first())?;
    Some(json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&plan.path), "uriBaseId": "ROOT" },
        "region": { "startLine": 1 },
    }}))
}

/// A finding whose citations proved wrong is never more than a note.
fn level(cluster: &Cluster) -> &'static str {
    if clusters::is_discredited(cluster) {
        return "note";
    }
    match (cluster.kind, cluster.severity) {
        (Kind::Concern, Severity::High) => "error",
        (Kind::Concern, Severity::Medium) => "warning",
        (Kind::Concern, Severity::Low) => "note",
        (Kind::Strength | Kind::Suggestion | Kind::Question, _) => "note",
    }
}

fn rank(cluster: &Cluster) -> f64 {
    let severity = match cluster.severity {
        Severity::High => 90.0,
        Severity::Medium => 50.0,
        Severity::Low => 10.0,
    };
    if clusters::is_discredited(cluster) { 1.0 } else { severity }
}

/// A relative URI reference: `/` stays, all that is not unreserved is encoded.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| *c == '\n' || !is_deceptive(*c)).collect()
}

fn bounded(text: &str) -> String {
    if text.chars().count() <= MAX_MESSAGE {
        return text.to_owned();
    }
    text.chars().take(MAX_MESSAGE - 1).chain(['…']).collect()
}
