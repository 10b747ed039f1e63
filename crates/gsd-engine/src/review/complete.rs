//! From what lanes said to a whole record: their texts made fit to share, findings taken out of
//! them, each citation checked, what belongs together joined.

use super::clusters::{self, Correlation};
use super::findings::{self, Speaker};
use super::prepare::Project;
use super::record::{self, Record, TreeChangeKind};
use crate::evidence::{Earlier, WorkTree};
use crate::id::RelPath;
use crate::text::secrets::redact;
use std::collections::BTreeMap;

/// Completes a record that has its lanes and nothing that follows from them yet. Evidence is
/// checked against the project as it was before the first lane: what a lane changed is no evidence
/// of anything, least of all of what that lane says.
pub(super) fn complete(project: &Project, mut record: Record) -> Record {
    let mut tree = WorkTree::open(&project.root);
    // Reviewers name a plan by its file name alone.
    if let Ok(directory) = RelPath::parse(&record.phase.directory) {
        tree = tree.with_base(directory);
    }
    tree = tree.with_earlier(earlier(project, &record));
    for lane in &mut record.lanes {
        make_fit_to_share(lane, &tree);
    }
    let planned = project.planned_paths();
    for lane in record.lanes.iter_mut().filter(|lane| lane.state.counts()) {
        let mut extracted = findings::extract(&lane.identity, &lane.text, &record.plans);
        let speaker = if is_built_in(lane) { Speaker::OwnCheck } else { Speaker::Reviewer };
        findings::check_evidence(&mut extracted, &tree, &planned, speaker);
        lane.findings_source = extracted.source;
        lane.warnings.extend(extracted.lost());
        let malformed = extracted.malformed_lines();
        if malformed > 0 {
            let what = "of its citations name a line that is no line number";
            lane.warnings.push(format!("{malformed} {what}"));
        }
        record.findings.extend(extracted.findings);
    }
    record.clusters = clusters::build(&mut record.findings, &record.lanes, &Correlation::default());
    record
}

/// What stood, before the run, at the paths that changed while lanes ran.
fn earlier(project: &Project, record: &Record) -> BTreeMap<RelPath, Earlier> {
    let documents = project.phase.documents();
    let changes = record.lanes.iter().filter_map(|lane| lane.mutated_worktree.as_ref());
    let mut earlier = BTreeMap::new();
    for change in changes.flat_map(|mutation| &mutation.changes) {
        let Ok(path) = RelPath::parse(&change.path) else { continue };
        let document = documents.iter().find(|document| document.path == path);
        let state = match (document, change.change) {
            (Some(document), _) => Earlier::Text(document.file.text().to_owned()),
            (None, TreeChangeKind::Added) => Earlier::Missing,
            (None, _) => Earlier::Unknown,
        };
        // Of several changes of one path the first tells what was before.
        earlier.entry(path).or_insert(state);
    }
    earlier
}

/// The reviewer in this program: its text is the output of checks that are known.
fn is_built_in(lane: &record::Lane) -> bool {
    lane.slug == "plan-lint" && lane.capability == "plan-lint"
}

/// Takes out of a lane's text what must not be committed with a report: where this machine keeps
/// the project, and secrets that the lane came across.
fn make_fit_to_share(lane: &mut record::Lane, tree: &WorkTree) {
    let localized = tree.localize(&lane.text);
    if localized.foreign > 0 {
        lane.warnings.push(format!(
            "{} absolute path(s) outside the project stand in its text",
            localized.foreign
        ));
    }
    let (text, secrets) = redact(&localized.text, &[]);
    let secrets: u64 = secrets.values().sum();
    if secrets > 0 {
        lane.warnings.push(format!("{secrets} secret(s) in its text were replaced"));
    }
    lane.text = text;
    lane.stderr = redact(&tree.localize(&lane.stderr).text, &[]).0;
    // The sentence about a failure repeats what the program said, so it holds the same.
    if let Some(message) = &mut lane.message {
        *message = redact(&tree.localize(message).text, &[]).0;
    }
}
