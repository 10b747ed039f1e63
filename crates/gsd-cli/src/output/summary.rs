//! What a person sees when a review is done, or shown again: what matters most, what happened,
//! what to type next. Made from the record alone.

use super::format::{count, duration, plans};
use super::table::{fit, wrap};
use crate::ui::{Tone, Ui};
use gsd_engine::evidence::Verdict;
use gsd_engine::lane::State;
use gsd_engine::review::clusters;
use gsd_engine::review::record::{
    Cluster, Evidence, Finding, FindingsSource, Kind, Lane, Record, Severity,
};
use gsd_engine::text::printable;
use std::collections::BTreeMap;
use std::time::Duration;

/// How many findings are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The first few: at the end of a run, where the screen is short.
    First,
    All,
}

impl Shown {
    const fn count(self) -> usize {
        match self {
            Self::First => 8,
            Self::All => usize::MAX,
        }
    }
}

/// Renders the summary. `report` is the path of the written report, as it should be typed.
pub(crate) fn render(
    ui: &Ui,
    record: &Record,
    report: Option<&str>,
    shown: Shown,
    width: usize,
) -> String {
    let width = width.clamp(44, 120);
    let mut out = String::new();
    out.push_str(&format!("{}\n\n", ui.paint(Tone::Strong, &fit(&headline(record), width))));
    let concerns: Vec<&Cluster> =
        record.clusters.iter().filter(|cluster| cluster.kind == Kind::Concern).collect();
    if concerns.is_empty() {
        out.push_str(&format!("{}\n\n", without_concerns(record)));
    }
    for cluster in concerns.iter().take(shown.count()) {
        finding(ui, record, cluster, width, &mut out);
    }
    let ungrounded =
        concerns.iter().filter(|cluster| cluster.verdict == Some(Verdict::Ungrounded)).count();
    let mut more = vec![];
    if concerns.len() > shown.count() {
        more.push(format!("{} more", concerns.len() - shown.count()));
    }
    if ungrounded > 0 {
        let verb = if ungrounded == 1 { "rests" } else { "rest" };
        let findings = count(ungrounded, "finding");
        more.push(format!("{findings} {verb} on citations that do not exist"));
    }
    if !more.is_empty() {
        let text = format!("… {} (see the report)", more.join(" · "));
        out.push_str(&format!("{}\n", ui.paint(Tone::Dim, &text)));
    }
    if !out.ends_with("\n\n") {
        out.push('\n');
    }
    not_covered(ui, record, width, &mut out);
    changed(ui, record, width, &mut out);
    let mut row = |name: &str, text: &str| {
        out.push_str(&format!("{} {text}\n", ui.paint(Tone::Dim, &format!("{name:<13}"))));
    };
    if let Some(report) = report {
        row("report", report);
    }
    for (index, command) in next(ui, record, &concerns, shown, report.is_some()).iter().enumerate()
    {
        row(if index == 0 { "next" } else { "" }, command);
    }
    out
}

/// What it means that no concern is listed.
fn without_concerns(record: &Record) -> &'static str {
    let mut counting = record.lanes.iter().filter(|lane| lane.state.counts()).peekable();
    if counting.peek().is_none() {
        return "no lane produced a review";
    }
    let (read, unread): (Vec<&Lane>, Vec<&Lane>) = counting.partition(|lane| says_findings(lane));
    match (read.is_empty(), unread.is_empty()) {
        (_, true) => "no concerns",
        (false, false) => "no concerns in what could be read as findings",
        (true, false) => "nothing could be read as findings: the text is in the report",
    }
}

/// Whether a lane wrote findings, or that it has none, in a form that could be read.
fn says_findings(lane: &Lane) -> bool {
    match lane.findings_source {
        FindingsSource::Block | FindingsSource::Prose => true,
        FindingsSource::None => false,
    }
}

fn headline(record: &Record) -> String {
    let phase = match &record.phase.number {
        Some(number) => format!("phase {number} {}", printable(&record.phase.name, 40)),
        None => format!("phase {}", printable(&record.phase.name, 40)),
    };
    let mut counts: BTreeMap<State, usize> = BTreeMap::new();
    for lane in &record.lanes {
        *counts.entry(lane.state).or_default() += 1;
    }
    let mut parts = vec![];
    let unreadable = record.run.unreadable_plans.len();
    if unreadable > 0 {
        parts.push(plans(record.plans.len(), unreadable));
    }
    for (state, number) in counts {
        match state {
            State::Reviewed => parts.push(format!("{} reviewed", count(number, "lane"))),
            State::Incomplete
            | State::Unproven
            | State::Empty
            | State::Failed
            | State::TimedOut
            | State::Unavailable
            | State::Blocked
            | State::Skipped
            | State::Cancelled => parts.push(format!("{number} {state}")),
        }
    }
    parts.push(duration(Duration::from_millis(record.run.elapsed_ms)));
    if record.run.interrupted {
        parts.push("interrupted".to_owned());
    }
    format!("{phase}: {}", parts.join(" · "))
}

fn finding(ui: &Ui, record: &Record, cluster: &Cluster, width: usize, out: &mut String) {
    let (tone, severity) = match cluster.severity {
        Severity::High => (Tone::Bad, "HIGH"),
        Severity::Medium => (Tone::Warn, "MEDIUM"),
        Severity::Low => (Tone::Plain, "LOW"),
    };
    let (mark, verdict) = match cluster.verdict {
        // Words that were made up beside words that are there.
        Some(_) if clusters::is_mixed(cluster, &record.findings) => ("◐", "mixed"),
        Some(verdict) => (verdict.mark(), verdict.word()),
        None => ("·", "no citation"),
    };
    let title = printable(&cluster.title, 300);
    let mut lines = wrap(&title, width - 25).into_iter();
    out.push_str(&format!(
        "{}  {mark} {verdict:<12}  {}\n",
        ui.paint(tone, &format!("{severity:<6}")),
        lines.next().unwrap_or_default()
    ));
    let more: Vec<String> = lines.collect();
    for (index, line) in more.iter().take(2).enumerate() {
        let cut = if index == 1 && more.len() > 2 { " …" } else { "" };
        out.push_str(&format!("{:24}{line}{cut}\n", ""));
    }
    let findings: Vec<&Finding> = cluster
        .findings
        .iter()
        .filter_map(|id| record.findings.iter().find(|finding| finding.id == *id))
        .collect();
    let mut places: Vec<String> = vec![];
    for evidence in findings.iter().flat_map(|finding| &finding.evidence) {
        let mut place = place(evidence);
        if evidence.verdict.refutes() {
            place.push_str(&format!(" {}", evidence.verdict.mark()));
        }
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let reviewed = record.lanes.iter().filter(|lane| lane.state.counts()).count();
    let says = match cluster.lanes.as_slice() {
        [one] => one.clone(),
        several => {
            format!(
                "{}: {} of {reviewed} lanes, {:.1} effective votes",
                several.join(", "),
                several.len(),
                cluster.support
            )
        }
    };
    let code = findings.iter().find_map(|finding| finding.code.as_deref());
    let says = match code {
        Some(code) => format!("{says} · {code}"),
        None => says,
    };
    let where_ = match places.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one}, {two}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
    };
    let indent = "        ";
    let detail = if where_.is_empty() { says } else { format!("{where_}   {says}") };
    for line in wrap_detail(&detail, width - indent.len()) {
        out.push_str(&format!("{indent}{}\n", ui.paint(Tone::Dim, &line)));
    }
}

/// The place and who says it: on one line if there is room, else on two.
fn wrap_detail(detail: &str, width: usize) -> Vec<String> {
    if detail.chars().count() <= width {
        return vec![detail.to_owned()];
    }
    match detail.split_once("   ") {
        Some((place, says)) => vec![fit(place, width), fit(says, width)],
        None => vec![fit(detail, width)],
    }
}

/// `03-01-PLAN.md:14` for files of the phase, the whole path for others.
fn place(evidence: &Evidence) -> String {
    let path = if evidence.path.starts_with(".planning/") {
        evidence.path.rsplit('/').next().unwrap_or(&evidence.path)
    } else {
        &evidence.path
    };
    let path = printable(path, 200);
    match evidence.resolved_line.or(evidence.line) {
        Some(line) => format!("{path}:{line}"),
        None => path,
    }
}

/// Lanes whose reviews are missing or partial: those that are simply not installed in one line,
/// the others with what happened and what to do.
fn not_covered(ui: &Ui, record: &Record, width: usize, out: &mut String) {
    let (absent, others): (Vec<&Lane>, Vec<&Lane>) = record
        .lanes
        .iter()
        .filter(|lane| lane.state != State::Reviewed)
        .partition(|lane| record.is_bystander(lane));
    let mut rows: Vec<(&str, String)> = others
        .into_iter()
        .map(|lane| {
            let mut text = format!("{}: {}", lane.identity, lane.state);
            if let Some(message) = &lane.message {
                text.push_str(&format!(", {}", printable(message, 200)));
            }
            if let Some(remedy) = &lane.remedy {
                text.push_str(&format!("; {}", printable(remedy, 200)));
            }
            (if lane.state.counts() { "incomplete" } else { "not covered" }, text)
        })
        .collect();
    let unread: Vec<&str> = record
        .lanes
        .iter()
        .filter(|lane| lane.state.counts() && !says_findings(lane))
        .map(|lane| lane.identity.as_str())
        .collect();
    if !unread.is_empty() {
        let names = unread.join(", ");
        rows.push(("text only", format!("{names}: nothing in it could be read as findings")));
    }
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|lane| lane.identity.as_str()).collect();
        rows.push(("not here", names.join(", ")));
    }
    for (label, text) in rows {
        put_row(ui, Tone::Dim, label, &wrap(&text, width - 14), out);
    }
}

/// A text behind its label; further lines begin where the first does.
fn put_row(ui: &Ui, tone: Tone, label: &str, lines: &[String], out: &mut String) {
    for (index, line) in lines.iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        out.push_str(&format!("{} {line}\n", ui.paint(tone, &format!("{label:<13}"))));
    }
}

/// What lanes changed in the project: nobody should hear of it only when he commits.
fn changed(ui: &Ui, record: &Record, width: usize, out: &mut String) {
    const NAMED: usize = 4;
    let mut by_paths: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
    for lane in &record.lanes {
        if let Some(mutation) = &lane.mutated_worktree {
            let paths = mutation.changes.iter().map(|change| change.path.as_str()).collect();
            by_paths.entry(paths).or_default().push(lane.identity.as_str());
        }
    }
    for (paths, lanes) in by_paths {
        let mut text: Vec<String> =
            paths.iter().take(NAMED).map(|path| printable(path, 80)).collect();
        if paths.len() > NAMED {
            text.push(format!("{} more", paths.len() - NAMED));
        }
        let text = format!("{} while {} ran", text.join(", "), lanes.join(", "));
        put_row(ui, Tone::Warn, "changed", &wrap(&text, width - 14), out);
    }
}

fn next(
    ui: &Ui,
    record: &Record,
    concerns: &[&Cluster],
    shown: Shown,
    written: bool,
) -> Vec<String> {
    let phase = record.phase.number.as_deref().unwrap_or(&record.phase.directory);
    let mut commands = vec![];
    if shown == Shown::First && written {
        commands.push(format!("{} review show --phase {phase}", ui.program_here()));
    }
    let first = concerns.iter().find_map(|cluster| {
        record
            .findings
            .iter()
            .find(|finding| cluster.findings.contains(&finding.id) && finding.code.is_some())
            .and_then(|finding| finding.code.clone())
    });
    if let Some(code) = first {
        commands.push(format!("gsd explain {code}"));
    }
    commands
}
