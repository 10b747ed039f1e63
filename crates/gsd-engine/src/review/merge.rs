//! Puts together what the lanes of a prepared run brought back, from one folder or from many.
//!
//! A result counts for the run that its folder names and for the prompt that was prepared; any
//! other is as good as none. Evidence is checked here, against the project as it is here.

use super::about::millis;
use super::census::census;
use super::complete::complete;
use super::prepare::Project;
use super::prepared_run::{PreparedRun, PreparedRunError};
use super::record::{self, Record};
use super::results::read_result;
use crate::lane::{Reason, State};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::clock;

/// Why results cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error(transparent)]
    Folder(#[from] PreparedRunError),
    #[error("no run was prepared in `{path}`")]
    NotPrepared { path: Utf8PathBuf },
    #[error("`{path}` belongs to another run than `{first}`")]
    OtherRun { path: Utf8PathBuf, first: Utf8PathBuf },
}

/// The prepared run that all these folders belong to.
pub fn prepared_in(folders: &[Utf8PathBuf]) -> Result<PreparedRun, MergeError> {
    let mut found: Option<(PreparedRun, &Utf8PathBuf)> = None;
    for path in folders {
        let run = PreparedRun::read(path)?
            .ok_or_else(|| MergeError::NotPrepared { path: path.clone() })?;
        match &found {
            None => found = Some((run, path)),
            Some((one, _)) if one.record.run.id == run.record.run.id => {}
            Some((_, first)) => {
                let first = (*first).clone();
                return Err(MergeError::OtherRun { path: path.clone(), first });
            }
        }
    }
    found.map(|(run, _)| run).ok_or(MergeError::NotPrepared { path: ".".into() })
}

/// The record of a prepared run, with the results that these folders hold.
pub fn merge(project: &Project, run: PreparedRun, folders: &[Utf8PathBuf]) -> Record {
    let PreparedRun { mut record, asks, prepared_ms } = run;
    for lane in &mut record.lanes {
        let expected = asks.iter().find(|ask| ask.identity == lane.identity);
        let results = folders.iter().filter_map(|folder| read_result(folder, &lane.identity));
        let results: Vec<record::Lane> =
            results.filter(|result| result.slug == lane.slug).collect();
        // A lane that was asked twice counts with the answer that is one.
        let Some(best) = results.iter().find(|lane| lane.state.counts()).or(results.last()) else {
            continue;
        };
        let digest = expected.and_then(|ask| ask.prompt_sha256.as_ref());
        if best.state.counts() && best.prompt_sha256.as_ref() != digest {
            lane.reason = Some(Reason::Other);
            lane.message = Some("its result answers another prompt".to_owned());
            continue;
        }
        *lane = best.clone();
    }
    record.run.finished_at = clock::timestamp();
    record.run.elapsed_ms = millis(clock::since_epoch()).saturating_sub(prepared_ms);
    record.run.interrupted = record.lanes.iter().any(|lane| lane.state == State::Cancelled);
    let changed = changed_plans(&record.plans, &census(&project.phase));
    if !changed.is_empty() {
        record.run.notes.push(format!(
            "Changed since the run was prepared, so the reviews speak of an earlier text: {}.",
            changed.join(", ")
        ));
    }
    complete(project, record)
}

/// The plans that are not what they were, by id.
fn changed_plans(then: &[record::Plan], now: &[record::Plan]) -> Vec<String> {
    let same = |plan: &record::Plan, others: &[record::Plan]| {
        others.iter().any(|other| other.path == plan.path && other.sha256 == plan.sha256)
    };
    let mut ids: Vec<String> = then
        .iter()
        .filter(|plan| !same(plan, now))
        .chain(now.iter().filter(|plan| !same(plan, then)))
        .map(|plan| plan.id.clone())
        .collect();
    ids.sort();
    ids.dedup();
    ids
}

/// The directory of the phase that a prepared run reviews, as a path that a phase can be found by.
pub fn phase_path(run: &PreparedRun, root: &Utf8Path) -> Utf8PathBuf {
    root.join(&run.record.phase.directory)
}
