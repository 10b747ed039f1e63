//! Prepares a run whose lanes are asked elsewhere: other jobs, other machines.
//!
//! Nobody is probed, since who is here says nothing about who is there. What is decided is kept in
//! a folder: the census, the prompts, and who is asked.

use super::about::{About, millis};
use super::census::{census, phase_of};
use super::commit;
use super::planner::{Planned, Planner};
use super::prepare::{Ask, PrepareError, Project};
use super::prepared_run::{PreparedAsk, PreparedRun, PreparedRunError};
use super::prompts::{Marks, prompts, redactions};
use super::record::{self, Record};
use super::redaction::Redaction;
use super::run_dir::{RunDirError, new_id, open_folder};
use crate::lane::egress;
use crate::lane::selection::{Detected, Identity, Remark, itself, select, to_probe};
use crate::lane::settings::Reviewers;
use crate::lane::{Lane, LaneReport, Offer, Reason, Roster, State};
use camino::Utf8Path;
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::env::Env;

/// Why a run could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareApartError {
    #[error(transparent)]
    Phase(#[from] PrepareError),
    #[error(transparent)]
    Folder(#[from] RunDirError),
    #[error(transparent)]
    Write(#[from] PreparedRunError),
    /// A lane that was named does not exist, or cannot be planned.
    #[error("{}", first(.0))]
    Selection(Vec<Remark>),
}

fn first(remarks: &[Remark]) -> &str {
    remarks.first().map_or("nothing is left to ask", |remark| &remark.message)
}

/// Decides everything that does not depend on the machine of a lane, and writes it into `folder`.
pub fn prepare_apart(
    env: &Env,
    project: &Project,
    roster: &Roster,
    ask: &Ask<'_>,
    folder: &Utf8Path,
    tool: &record::Tool,
    cancel: &Cancel,
) -> Result<PreparedRun, PrepareApartError> {
    let plans = census(&project.phase);
    if plans.is_empty() {
        return Err(PrepareError::no_plans(&project.phase).into());
    }
    let reviewers = Reviewers::read(&project.config, &roster.descriptors());
    let host = itself(env);
    let request = ask.request(&host);
    // Every lane counts as being there; the one that is not says so where it is asked.
    let there: Detected =
        to_probe(&request, &reviewers, roster).into_iter().map(|slug| (slug, Ok(()))).collect();
    let mut selection = select(&request, &reviewers, roster, &there);
    ask.check_timeouts(&reviewers, roster, &mut selection.errors);
    if !selection.errors.is_empty() || selection.selected.is_empty() {
        return Err(PrepareApartError::Selection(selection.errors));
    }
    // Whether a server elsewhere may be asked is asked where the lane is called.
    let approvals = egress::approvals(env);
    let planner = Planner {
        root: &project.root,
        config: &project.config,
        approvals: &approvals,
        reviewers: &reviewers,
        ask,
        run_dir: folder,
        // How a lane is confined is decided where it runs.
        offer: Offer::anywhere(),
    };
    let mut found = vec![];
    let mut planned: Vec<(&Identity, &Lane, Planned)> = vec![];
    for identity in &selection.selected {
        let Some(lane) = roster.by_slug(identity.lane.as_str()) else { continue };
        planned.push((identity, lane, planner.draft(lane, Some(identity), &mut found)));
    }
    let marks = Marks::new(&plans);
    let redaction = Redaction::of(env, &project.config);
    let asked = planned.iter().filter_map(|(.., plan)| plan.as_ref().ok());
    let built = prompts(project, &plans, asked, &marks, &redaction);
    let mut prompt_of = built.iter();
    let mut lanes = vec![];
    let mut asks = vec![];
    for (identity, lane, plan) in &planned {
        let about = About::of_lane(lane, &identity.name);
        let plan = match plan {
            Ok(plan) => plan,
            // A server whose address is not known here may be known there.
            Err(report) => {
                lanes.push(about.lane(report, &plans));
                continue;
            }
        };
        let Some(prompt) = prompt_of.next() else { continue };
        if let Some(report) = prompt.refusal() {
            let trimmed = prompt.trimmed.clone();
            lanes.push(record::Lane { trimmed, ..about.lane(&report, &plans) });
            continue;
        }
        let message = "no result of it was brought back";
        let report = LaneReport::not_called(State::Failed, Reason::OutputMissing, message)
            .remedy(format!("run `gsd review invoke --run-dir DIR --lane {}`", identity.name));
        lanes.push(about.lane(&report, &plans));
        asks.push(PreparedAsk {
            identity: identity.name.clone(),
            slug: plan.slug.to_string(),
            model: identity.model.clone(),
            agent: identity.agent.clone(),
            prompt_sha256: plan.is_given_prompt().then(|| prompt.sha256.clone()),
            marks: prompt.marks.clone(),
            timeout_ms: planner.time_limit(lane, &identity.name).map(|limit| millis(limit.value)),
            trimmed: prompt.trimmed.clone(),
        });
    }
    let now = clock::timestamp();
    let run = PreparedRun {
        record: Record {
            schema: record::SCHEMA,
            tool: tool.clone(),
            run: record::Run {
                id: new_id(),
                started_at: now.clone(),
                finished_at: now,
                elapsed_ms: 0,
                selection: selection.source.word().to_owned(),
                itself: host.slug().map(ToString::to_string),
                interrupted: false,
                notes: super::prepare::notes(&selection, &project.phase),
                unreadable_plans: super::census::unreadable_plans(&project.phase),
            },
            phase: phase_of(&project.phase),
            commit: commit::commit(env, &project.root, cancel),
            plans,
            lanes,
            findings: vec![],
            clusters: vec![],
            redactions: redactions(&built),
            kept: record::Kept::default(),
            history: vec![],
        },
        asks,
        prepared_ms: millis(clock::since_epoch()),
    };
    open_folder(folder)?;
    run.write(folder, &built)?;
    Ok(run)
}
