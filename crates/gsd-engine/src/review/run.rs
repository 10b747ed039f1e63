//! One run: prompts out, answers in, a record at the end.
//!
//! Everything was decided before (see `prepare`); this does it. A lane's result is written into
//! the run folder the moment it is there, so that an interrupted run can be resumed.

use super::about::millis;
use super::commit;
use super::complete::complete;
use super::event::{Event, Planned, PlannedLane};
use super::inside_project::{InsideProject, sweep_project};
use super::judged::{Judged, concerns};
use super::one_call::Call;
use super::prepare::{Prepared, Project};
use super::prompts::{Marks, prompts, redactions};
use super::record::{self, Record};
use super::redaction::Redaction;
use super::results::{finished_before, persist};
use super::run_dir::RunDir;
use super::schedule::{self, Job, Message};
use super::work_tree::Watch;
use crate::lane::confinement::is_apart;
use crate::lane::{LanePlan, Progress};
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::env::Env;
use std::collections::BTreeMap;
use std::time::Duration;

/// How to run what was prepared.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Lanes at once; `None` for one of each adapter.
    pub jobs: Option<usize>,
    /// For the whole run.
    pub deadline: Option<Duration>,
    /// Take over the finished lanes of the run folder.
    pub resume: bool,
}

/// Where and with what a run works.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    pub env: &'a Env,
    pub project: &'a Project,
    pub run_dir: &'a RunDir,
    pub cancel: &'a Cancel,
    /// The version of the program, for the record.
    pub tool: &'a record::Tool,
}

/// Asks every lane and returns the record. Never fails: what goes wrong with a lane is its outcome.
pub fn run(
    setting: Setting<'_>,
    prepared: &Prepared,
    options: Options,
    emit: &mut dyn FnMut(Event),
) -> Record {
    let started = clock::now();
    let started_at = clock::timestamp();
    let commit = commit::commit(setting.env, &setting.project.root, setting.cancel);
    let marks = Marks::of_run(&setting.run_dir.path, &prepared.plans, options.resume);
    let redaction = Redaction::of(setting.env, &setting.project.config);
    let built = prompts(
        setting.project,
        &prepared.plans,
        prepared.asked.iter().map(|asked| &asked.plan),
        &marks,
        &redaction,
    );
    let kept = if options.resume {
        finished_before(&setting.run_dir.path, &built)
    } else {
        BTreeMap::new()
    };

    emit(Event::Planned(Planned {
        phase: prepared.phase.clone(),
        plans: prepared.plans.len(),
        unreadable_plans: prepared.unreadable_plans.clone(),
        prompt_bytes: built.iter().map(|p| p.text.len() as u64).max().unwrap_or(0),
        prompt_tokens: built.iter().map(|p| p.tokens).max().unwrap_or(0),
        lanes: rows(prepared),
    }));
    let mut lanes: BTreeMap<usize, record::Lane> = BTreeMap::new();
    let offset = prepared.asked.len();
    for (index, absent) in prepared.not_asked.iter().enumerate() {
        let mut lane = Judged::absent(&absent.about, &absent.report, &prepared.plans);
        lane.lane.trimmed.clone_from(&absent.trimmed);
        emit(Event::Finished { lane: offset + index, result: lane.finished() });
        lanes.insert(offset + index, lane.lane);
    }
    let mut jobs = vec![];
    let mut indices = vec![];
    for (index, asked) in prepared.asked.iter().enumerate() {
        if let Some(lane) = kept.get(&asked.plan.identity) {
            let judged = Judged { lane: lane.clone(), concerns: concerns(lane, &prepared.plans) };
            emit(Event::Finished { lane: index, result: judged.finished() });
            lanes.insert(index, judged.lane);
            continue;
        }
        indices.push(index);
        jobs.push(Job { adapter: asked.plan.adapter().to_owned(), work: index });
    }
    let at_once = options.jobs.unwrap_or(usize::MAX);
    let root = &setting.project.root;
    sweep_project(root);
    let inside = InsideProject::open(
        root,
        &setting.run_dir.path,
        prepared.asked.iter().map(|asked| &asked.plan),
    );
    let together = together(setting, prepared);
    let watch = Watch::begin(setting.env, root, &setting.run_dir.path, setting.cancel);
    schedule::run(
        jobs,
        at_once,
        |index, tell: &dyn Fn(Event)| {
            let asked = &prepared.asked[index];
            tell(Event::Started { lane: index });
            let call = Call {
                env: setting.env,
                root,
                phase: &prepared.phase.directory,
                run_dir: &setting.run_dir.path,
                cancel: setting.cancel,
                plan: &asked.plan,
                ready: &asked.ready,
                prompt: &built[index],
                redaction: &redaction,
                plans: &prepared.plans,
                started,
                deadline: options.deadline,
                watch: &watch,
            };
            call.run(&|progress: Progress| match progress {
                Progress::Output { bytes, silent_for } => {
                    tell(Event::Output { lane: index, bytes, silent_for });
                }
                Progress::Pausing { wait } => tell(Event::Pausing { lane: index, wait }),
                // The lane was probed before, and its start was told already.
                Progress::Probing | Progress::Started => {}
            })
        },
        |message| match message {
            Message::Event(event) => emit(event),
            Message::Done(job, result) => {
                let index = indices[job];
                let judged = result
                    .unwrap_or_else(|| Judged::bug(&prepared.asked[index].plan, &prepared.plans));
                persist(&setting.run_dir.path, &judged.lane);
                emit(Event::Finished { lane: index, result: judged.finished() });
                lanes.insert(index, judged.lane);
            }
        },
    );
    gsd_io::process::sweep();
    drop(inside);

    let mut seen = watch.finish();
    for lane in lanes.values_mut() {
        if let Some(mark) = seen.marks.remove(&lane.identity) {
            lane.warnings.push(mark.sentence(&lane.identity));
            lane.mutated_worktree = Some(mark);
            persist(&setting.run_dir.path, lane);
        }
    }
    let mut notes = notes(prepared);
    notes.extend(together);
    notes.extend(seen.notes);
    let mut lanes: Vec<record::Lane> = lanes.into_values().collect();
    lanes.sort_by_key(|lane| prepared.rank(lane));
    let record = Record {
        schema: record::SCHEMA,
        tool: setting.tool.clone(),
        run: record::Run {
            id: setting.run_dir.id.clone(),
            started_at,
            finished_at: clock::timestamp(),
            elapsed_ms: millis(clock::now() - started),
            selection: prepared.selection.source.word().to_owned(),
            itself: prepared.itself.clone(),
            interrupted: setting.cancel.is_cancelled(),
            notes,
            unreadable_plans: prepared.unreadable_plans.clone(),
        },
        phase: prepared.phase.clone(),
        commit,
        plans: prepared.plans.clone(),
        lanes,
        findings: vec![],
        clusters: vec![],
        redactions: redactions(&built),
        kept: record::Kept::default(),
        history: vec![],
    };
    complete(setting.project, record)
}

fn rows(prepared: &Prepared) -> Vec<PlannedLane> {
    let asked = prepared.asked.iter().map(|asked| PlannedLane {
        identity: asked.plan.identity.clone(),
        limit: asked.plan.time_limit.value,
        asked: true,
    });
    let absent = prepared.not_asked.iter().map(|absent| PlannedLane {
        identity: absent.about.identity.clone(),
        limit: absent.about.limit,
        asked: false,
    });
    asked.chain(absent).collect()
}

/// Which reviewers could read what others were given and wrote, where there are others.
fn together(setting: Setting<'_>, prepared: &Prepared) -> Option<String> {
    let root = &setting.project.root;
    let apart = |plan: &LanePlan| {
        plan.is_local() || !plan.reads_repository() || is_apart(plan, root, setting.env)
    };
    let plans = prepared.asked.iter().map(|asked| &asked.plan);
    let names: Vec<String> =
        plans.filter(|plan| !apart(plan)).map(|plan| format!("`{}`", plan.identity)).collect();
    (!names.is_empty() && prepared.asked.len() > 1).then(|| {
        format!("Nothing kept {} from reading what other reviewers wrote.", names.join(", "))
    })
}

/// What a reader of the report must know about the run.
fn notes(prepared: &Prepared) -> Vec<String> {
    let mut notes = prepared.notes.clone();
    let agents =
        prepared.asked.iter().any(|asked| !asked.plan.is_local() && asked.plan.reads_repository());
    if agents && prepared.redacts {
        notes.push(
            "Secrets are taken out of prompts; what an agent reads by itself cannot be redacted."
                .to_owned(),
        );
    }
    notes
}
