//! What a run will do, decided before anything is sent: the phase, the census, who is asked and
//! how. Probes run here, since who is here decides who is asked; nothing of the project leaves.

use super::about::About;
use super::census::{census, left_out, phase_of, unreadable_plans};
use super::planner::{Planned, Planner, offer};
use super::prompts::{Marks, prompts};
use super::record;
use super::redaction::{Redaction, cleans_prompts};
use super::unread::asked_for_want_of_settings;
use super::work_tree::can_copy;
use crate::config::{self, Config, Flags};
use crate::diag::Diagnostic;
use crate::id::{LaneSlug, RelPath};
use crate::lane::egress::{self, HostsError};
use crate::lane::selection::{
    Absence, Detected, Identity, Itself, Missing, Remark, RemarkKind, Request, Selection, Why,
    itself, select, to_probe,
};
use crate::lane::settings::Reviewers;
use crate::lane::{self, CallPlan, LanePlan, LaneReport, Ready, Reason, Roster, State};
use crate::planning::{Phase, PhaseDir, PhaseError, PhaseSpec, Planning, PlanningError};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::fs;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What the user asks for.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// Slugs and instance names, from flags and `--lanes`.
    pub named: Vec<String>,
    pub all: bool,
    pub exclude: Vec<String>,
    pub missing: Missing,
    pub lane_timeouts: &'a [(String, Duration)],
}

impl Ask<'_> {
    pub(super) fn request(&self, host: &Itself) -> Request {
        Request {
            named: self.named.clone(),
            all: self.all,
            exclude: self.exclude.clone(),
            missing: self.missing,
            itself: host.clone(),
        }
    }

    /// A limit for somebody who is not there is a typing error.
    pub(super) fn check_timeouts(
        &self,
        reviewers: &Reviewers,
        roster: &Roster,
        errors: &mut Vec<Remark>,
    ) {
        for (name, _) in self.lane_timeouts {
            if roster.by_slug(name).is_none() && !reviewers.instances.contains_key(name) {
                errors.push(Remark::unknown(name, reviewers, roster, None));
            }
        }
    }
}

/// The project as a review sees it: its settings and the phase.
#[derive(Debug)]
pub struct Project {
    /// Canonical.
    pub root: Utf8PathBuf,
    pub phase: Phase,
    pub config: Config,
    /// About settings files: said, never in the way.
    pub diagnostics: Vec<Diagnostic>,
}

/// A lane that will be asked.
#[derive(Debug, Clone)]
pub struct Asked {
    pub identity: Identity,
    pub plan: LanePlan,
    pub ready: Ready,
}

/// A lane that will not be asked, with the report that stands for it.
#[derive(Debug, Clone)]
pub struct NotAsked {
    pub about: About,
    pub report: LaneReport,
    /// What its budget was, where that is too small.
    pub trimmed: Option<record::Trimmed>,
}

/// Everything that is decided before a run.
#[derive(Debug)]
pub struct Prepared {
    pub phase: record::Phase,
    /// The census.
    pub plans: Vec<record::Plan>,
    pub selection: Selection,
    pub asked: Vec<Asked>,
    pub not_asked: Vec<NotAsked>,
    /// The lane that is the host running gsd.
    pub itself: Option<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// What a reader of the report must know that belongs to no lane.
    pub notes: Vec<String>,
    /// Plans that are there and cannot be read, each with the reason. Nobody reviews them.
    pub unreadable_plans: Vec<String>,
    /// Whether secrets are taken out of prompts that leave this machine.
    pub redacts: bool,
    order: Vec<LaneSlug>,
}

#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    #[error(transparent)]
    Planning(#[from] PlanningError),
    #[error(transparent)]
    Phase(#[from] PhaseError),
    #[error("phase `{directory}` has no plan to review{}", listed(.unreadable))]
    NoPlans {
        directory: String,
        /// The plans that are there and cannot be read, each with the reason.
        unreadable: Vec<String>,
    },
    #[error(transparent)]
    Approvals(HostsError),
}

impl PrepareError {
    /// The phase has no plan that could be reviewed.
    pub fn no_plans(phase: &Phase) -> Self {
        let directory = phase.directory.path.to_string();
        Self::NoPlans { directory, unreadable: unreadable_plans(phase) }
    }
}

fn listed(unreadable: &[String]) -> String {
    match unreadable {
        [] => String::new(),
        several => format!("; what it has cannot be read: {}", several.join("; ")),
    }
}

/// Finds a phase: the one that is named, else the current one.
pub fn find_phase(
    env: &Env,
    root: &Utf8Path,
    phase: Option<&str>,
) -> Result<PhaseDir, PrepareError> {
    locate(&Planning::open(root)?, env, phase)
}

fn locate(planning: &Planning, env: &Env, phase: Option<&str>) -> Result<PhaseDir, PrepareError> {
    let Some(text) = phase else {
        return match planning.current() {
            // Where there is one phase only, nobody needs to say which.
            Err(PhaseError::NoCurrent { known }) => match planning.phases()?.as_slice() {
                [only] => Ok(only.clone()),
                _ => Err(PhaseError::NoCurrent { known }.into()),
            },
            other => Ok(other?),
        };
    };
    let spec = PhaseSpec::parse(text, env.cwd())
        .ok_or_else(|| PhaseError::Malformed { text: crate::text::printable(text, 80) })?;
    Ok(planning.find(&spec)?)
}

/// Opens the project and reads the phase. `flags` are the settings of this command.
pub fn open(
    env: &Env,
    root: &Utf8Path,
    phase: Option<&str>,
    flags: &Flags,
) -> Result<Project, PrepareError> {
    let planning = Planning::open(root)?;
    let directory = locate(&planning, env, phase)?;
    let phase = planning.load(&directory)?;
    let root = fs::canonical(root).unwrap_or_else(|| root.to_owned());
    let (config, diagnostics) = config::read(env, &root, flags);
    Ok(Project { root, phase, config, diagnostics })
}

impl Project {
    /// The paths that the plans of the phase create or change: a citation of one that does not
    /// exist yet is planned, not ungrounded.
    pub(super) fn planned_paths(&self) -> BTreeSet<RelPath> {
        let plans = self.phase.counted();
        let listed = plans.flat_map(|plan| {
            let own = plan.frontmatter.files_modified.iter();
            let tasks = plan.tasks.iter().filter_map(|task| task.files.as_ref());
            own.chain(tasks).flat_map(|list| list.value.iter().map(|item| item.value.as_str()))
        });
        let artifacts = self.phase.counted().flat_map(|plan| {
            let haves = plan.frontmatter.must_haves.iter();
            haves
                .flat_map(|haves| &haves.value.artifacts)
                .filter_map(|artifact| artifact.value.path.as_ref())
                .map(|path| path.value.as_str())
        });
        listed.chain(artifacts).filter_map(|path| RelPath::parse(path.trim()).ok()).collect()
    }
}

/// Decides who is asked and how. Probes run side by side, each of them bounded. `run_dir` is only
/// named here; nothing is written.
pub fn prepare(
    env: &Env,
    project: &Project,
    roster: &Roster,
    ask: &Ask<'_>,
    run_dir: &Utf8Path,
    cancel: &Cancel,
) -> Result<Prepared, PrepareError> {
    let plans = census(&project.phase);
    if plans.is_empty() {
        return Err(PrepareError::no_plans(&project.phase));
    }
    let mut diagnostics = project.diagnostics.clone();
    let reviewers = Reviewers::read(&project.config, &roster.descriptors());
    let host = itself(env);
    let request = ask.request(&host);
    let approvals = egress::approvals(env);
    let wanted = to_probe(&request, &reviewers, roster);
    let mut planner = Planner {
        root: &project.root,
        config: &project.config,
        approvals: &approvals,
        reviewers: &reviewers,
        ask,
        run_dir,
        offer: offer(),
    };
    if roster.iter().any(|lane| wanted.contains(lane.slug()) && planner.would_copy(lane)) {
        let copied = can_copy(env, &project.root, run_dir, cancel);
        planner.offer.no_snapshot = copied.err().map(|error| error.to_string());
    }
    let candidates: Vec<(LaneSlug, Planned)> = roster
        .iter()
        .filter(|lane| wanted.contains(lane.slug()))
        .map(|lane| (lane.slug().clone(), planner.draft(lane, None, &mut diagnostics)))
        .collect();
    let asks_elsewhere = candidates.iter().any(|(_, plan)| plan.as_ref().is_ok_and(leaves));
    match &approvals {
        Err(error) if asks_elsewhere && error.is_about_the_file() => {
            return Err(PrepareError::Approvals(approvals.expect_err("it was matched")));
        }
        Ok(_) | Err(_) => {}
    }
    let candidates = candidates
        .into_iter()
        .map(|(slug, plan)| (slug, plan.and_then(|plan| planner.permit(plan))))
        .collect();
    let probed = probe_all(env, &project.root, candidates, cancel);
    let detected: Detected = probed
        .iter()
        .map(|(slug, (_, result))| {
            (slug.clone(), result.as_ref().map(|_| ()).map_err(|report| absence(report)))
        })
        .collect();
    let mut selection = select(&request, &reviewers, roster, &detected);
    ask.check_timeouts(&reviewers, roster, &mut selection.errors);
    let for_want = asked_for_want_of_settings(&selection, &project.config, &project.diagnostics);
    let unread_settings = for_want.as_ref().map(|remark| format!("{}.", remark.message));
    selection.warnings.extend(for_want);
    let mut asked = vec![];
    let mut not_asked = vec![];
    for identity in &selection.selected {
        let (Some(lane), Some((_, Ok(ready)))) =
            (roster.by_slug(identity.lane.as_str()), probed.get(&identity.lane))
        else {
            continue;
        };
        match planner.plan(lane, Some(identity), &mut diagnostics) {
            Ok(plan) => {
                asked.push(Asked { identity: identity.clone(), plan, ready: ready.clone() })
            }
            Err(report) => {
                let about = About::of_lane(lane, &identity.name);
                not_asked.push(NotAsked { about, report: *report, trimmed: None });
            }
        }
    }
    for (name, why) in &selection.not_selected {
        let slug = reviewers.instances.get(name).map_or(name.as_str(), |one| one.lane.as_str());
        let Some(lane) = roster.by_slug(slug) else {
            if let Some(withheld) = roster.withheld_as(slug) {
                let about = About::of_withheld(withheld, name);
                not_asked.push(NotAsked { about, report: withheld.report(), trimmed: None });
            }
            continue;
        };
        let report = match why {
            Why::NotAsked => continue,
            Why::NotHere => match probed.get(lane.slug()) {
                Some((_, Err(report))) => (**report).clone(),
                Some((_, Ok(_))) | None => continue,
            },
            Why::Itself => LaneReport::not_called(
                State::Skipped,
                Reason::Itself,
                "it is the program that runs gsd",
            )
            .remedy(format!("name it with `--lanes {name}` to ask it all the same")),
            Why::Excluded => {
                LaneReport::not_called(State::Skipped, Reason::Excluded, "left out by `--exclude`")
            }
        };
        not_asked.push(NotAsked { about: About::of_lane(lane, name), report, trimmed: None });
    }
    let asked = within_budget(env, project, &plans, ask, asked, &mut selection, &mut not_asked);
    // Read here once more for what is wrong with it.
    project.config.flag("review.redact", &mut diagnostics);
    let redacts = cleans_prompts(&project.config);
    let mut notes = notes(&selection, &project.phase);
    notes.extend(unread_settings);
    if !redacts && asked.iter().any(|asked| !asked.plan.is_local()) {
        notes.push("No secret was taken out of the prompts: `review.redact` is off.".to_owned());
    }
    diagnostics.dedup();
    Ok(Prepared {
        phase: phase_of(&project.phase),
        plans,
        notes,
        unreadable_plans: unreadable_plans(&project.phase),
        selection,
        asked,
        not_asked,
        redacts,
        itself: match host {
            Itself::Nobody => None,
            Itself::Lane(slug) => Some(slug.to_string()),
        },
        diagnostics,
        order: roster.iter().map(|lane| lane.slug().clone()).collect(),
    })
}

/// Takes out the lanes whose budget holds not even the least of their prompt. One that was named
/// stops the run.
fn within_budget(
    env: &Env,
    project: &Project,
    plans: &[record::Plan],
    ask: &Ask<'_>,
    asked: Vec<Asked>,
    selection: &mut Selection,
    not_asked: &mut Vec<NotAsked>,
) -> Vec<Asked> {
    let (limited, mut within): (Vec<Asked>, Vec<Asked>) =
        asked.into_iter().partition(|asked| asked.plan.budget.is_some());
    let redaction = Redaction::of(env, &project.config);
    let calls = limited.iter().map(|asked| &asked.plan);
    let built = prompts(project, plans, calls, &Marks::new(plans), &redaction);
    for (asked, prompt) in limited.into_iter().zip(built) {
        let Some(report) = prompt.refusal() else {
            within.push(asked);
            continue;
        };
        let name = &asked.identity.name;
        if ask.named.iter().any(|named| named.eq_ignore_ascii_case(name)) {
            let message = report.message.as_deref().unwrap_or_default();
            let remark = Remark {
                subject: name.clone(),
                kind: RemarkKind::OverBudget,
                message: format!("`{name}` cannot be asked: {message}"),
                help: report.remedy.clone(),
                at: None,
            };
            match ask.missing {
                Missing::Error => selection.errors.push(remark),
                Missing::Note => selection.infos.push(remark),
            }
        }
        let about = About::of_plan(&asked.plan);
        not_asked.push(NotAsked { about, report, trimmed: prompt.trimmed });
    }
    let place = |asked: &Asked| {
        selection.selected.iter().position(|identity| identity.name == asked.identity.name)
    };
    within.sort_by_key(place);
    within
}

impl Prepared {
    /// The place of a lane in the report: roster order, instances after their lane.
    pub(super) fn rank(&self, lane: &record::Lane) -> (usize, bool, String) {
        let place = self.order.iter().position(|slug| slug.as_str() == lane.slug);
        let instance = lane.identity != lane.slug;
        (place.unwrap_or(usize::MAX), instance, lane.identity.clone())
    }
}

pub(super) fn notes(selection: &Selection, phase: &Phase) -> Vec<String> {
    let mut notes = vec![];
    if selection.shared_adapter {
        notes.push("Some reviewers share an adapter; their agreement counts for less.".to_owned());
    }
    for identity in selection.selected.iter().filter(|identity| !identity.independent) {
        notes.push(format!(
            "`{}` is the program that runs gsd and is no independent voice.",
            identity.name
        ));
    }
    notes.extend(left_out(phase));
    notes
}

type Probed = BTreeMap<LaneSlug, (Planned, Result<Ready, Box<LaneReport>>)>;

fn absence(report: &LaneReport) -> Absence {
    let why = report.message.clone().unwrap_or_else(|| report.state.to_string());
    Absence { why, remedy: report.remedy.clone() }
}

/// Whether a call needs the user's approval.
fn leaves(plan: &LanePlan) -> bool {
    match &plan.call {
        CallPlan::Spawn(_) => false,
        CallPlan::OpenaiHttp(http) => egress::needs_approval(plan, http),
    }
}

/// Probes every lane that could be planned, all at once: each probe has its own limit.
pub(super) fn probe_all(
    env: &Env,
    root: &Utf8Path,
    candidates: Vec<(LaneSlug, Planned)>,
    cancel: &Cancel,
) -> Probed {
    std::thread::scope(|scope| {
        let probes: Vec<_> = candidates
            .into_iter()
            .map(|(slug, plan)| {
                let thread = scope.spawn(move || {
                    let result = match &plan {
                        Ok(plan) => lane::probe_lane(plan, env, root, cancel),
                        Err(report) => Err(report.clone()),
                    };
                    (plan, result)
                });
                (slug, thread)
            })
            .collect();
        probes
            .into_iter()
            .map(|(slug, thread)| match thread.join() {
                Ok(probed) => (slug, probed),
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}
