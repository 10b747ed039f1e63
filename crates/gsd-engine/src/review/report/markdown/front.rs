//! The frontmatter: the keys that existing readers rely on, in YAML that every reader takes.

use super::findings;
use crate::lane::{Reason, State};
use crate::review::record::{Lane, Record, Trimmed};

/// The keys that are ours. All others of an existing report stay as they are.
pub(in crate::review::report) const KEYS: [&str; 7] = [
    "phase",
    "reviewers",
    "failed_reviewers",
    "reviewed_at",
    "plans_reviewed",
    "concern_counts",
    "trimmed_reviewers",
];

pub(super) fn matter(record: &Record) -> String {
    let phase = record.phase.number.as_deref().unwrap_or(&record.phase.name);
    let reviewers = record.lanes.iter().filter(|lane| lane.state.counts());
    let reviewers: Vec<String> = reviewers.map(|lane| scalar(&lane.identity)).collect();
    let failed: Vec<String> = record.lanes.iter().filter(|lane| failed(lane)).map(why).collect();
    let plans: Vec<String> = record
        .plans
        .iter()
        .map(|plan| scalar(plan.path.rsplit('/').next().unwrap_or(&plan.path)))
        .collect();
    let [high, medium, low] = findings::counts(record);
    let mut out = String::from("---\n");
    out.push_str(&format!("phase: {}\n", quoted(phase)));
    out.push_str(&format!("reviewers: [{}]\n", reviewers.join(", ")));
    out.push_str(&format!("failed_reviewers: {{{}}}\n", failed.join(", ")));
    out.push_str(&format!("reviewed_at: {}\n", moment(&record.run.finished_at)));
    out.push_str(&format!("plans_reviewed: [{}]\n", plans.join(", ")));
    out.push_str(&format!("concern_counts: {{high: {high}, medium: {medium}, low: {low}}}\n"));
    let trimmed: Vec<(&Lane, &Trimmed)> =
        record.lanes.iter().filter_map(|lane| Some((lane, lane.trimmed.as_ref()?))).collect();
    if !trimmed.is_empty() {
        out.push_str("trimmed_reviewers:\n");
        for (lane, cut) in trimmed {
            let omitted: Vec<String> = cut.omitted.iter().map(|name| scalar(name)).collect();
            out.push_str(&format!("  {}:\n", scalar(&lane.identity)));
            out.push_str(&format!("    budget: {}\n", cut.budget));
            out.push_str(&format!("    effective_budget: {}\n", cut.effective_budget));
            out.push_str(&format!("    estimated_tokens: {}\n", cut.estimated_tokens));
            out.push_str(&format!("    omitted: [{}]\n", omitted.join(", ")));
            out.push_str(&format!("    project_md_shrunk: {}\n", cut.project_md_shrunk));
            out.push_str(&format!("    plan_truncation_pct: {}\n", cut.plan_truncation_pct));
            out.push_str(&format!("    hard_failed: {}\n", cut.hard_failed));
            out.push_str(&format!("    note_injected: {}\n", cut.note_injected));
        }
    }
    let kept = record.kept.frontmatter.trim_end_matches('\n');
    if !kept.is_empty() {
        out.push_str(kept);
        out.push('\n');
    }
    out.push_str("---\n");
    out
}

/// Lanes that were wanted and gave no review. One that is left out on purpose did not fail.
fn failed(lane: &Lane) -> bool {
    // A program that is not installed, or a server that does not run, did not fail: nobody named
    // it, since a named one would have stopped the run.
    if lane.reason.is_some_and(Reason::is_absence) {
        return false;
    }
    match lane.state {
        State::Reviewed | State::Incomplete | State::Skipped => false,
        State::Unproven
        | State::Empty
        | State::Failed
        | State::TimedOut
        | State::Unavailable
        | State::Blocked
        | State::Cancelled => true,
    }
}

fn why(lane: &Lane) -> String {
    let why = lane.reason.map_or(lane.state.word(), |reason| reason.word());
    format!("{}: {why}", scalar(&lane.identity))
}

/// A plain scalar where every reader takes it for a text, else a quoted one.
fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c.is_ascii_digit())
        && text.chars().any(|c| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let lower = text.to_ascii_lowercase();
    let word =
        ["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(&lower.as_str());
    // `1e5`, `0x1f` and `12-01` begin like numbers or dates.
    let number = text.starts_with(|c: char| c.is_ascii_digit()) && !text.ends_with(".md");
    if plain && !word && !number { text.to_owned() } else { quoted(text) }
}

/// A double-quoted scalar. JSON's escapes are YAML's as well.
fn quoted(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !crate::text::is_deceptive(*c)).collect();
    serde_json::to_string(&clean).expect("a string is JSON")
}

/// A time as it is, if it is one.
fn moment(text: &str) -> String {
    let plain =
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b"-:TZ.+".contains(&b));
    if plain { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_stay_texts() {
        for (text, wanted) in [
            ("plan-lint", "plan-lint"),
            ("03-01-PLAN.md", "03-01-PLAN.md"),
            ("no", "\"no\""),
            ("12", "\"12\""),
            ("1e5", "\"1e5\""),
            ("a: b", "\"a: b\""),
            ("", "\"\""),
            ("x\u{202e}\ny", "\"xy\""),
            ("- a", "\"- a\""),
        ] {
            assert_eq!(scalar(text), wanted);
        }
        assert_eq!(moment("2026-11-30T21:04:12Z"), "2026-11-30T21:04:12Z");
        assert_eq!(moment("now: x"), "\"now: x\"");
    }
}
