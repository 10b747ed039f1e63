//! One run: prompts out, answers in, a record at the end.
//!
//! Everything was decided before (see `prepare`); this does it. A lane's result is written into
//! the run folder the moment it is there, so that an interrupted run can be resumed.

use super::about::{About, millis};
use super::clusters::{self, Correlation};
use super::event::{Event, Finished, Planned, PlannedLane};
use super::judge::{Channel, Facts, judge};
use super::prepare::{Asked, Prepared, Project, project_folder};
use super::prompts::{LanePrompt, Marks, prompts};
use super::record::{self, Record};
use super::run_dir::RunDir;
use super::schedule::{self, Job, Message};
use super::{commit, findings};
use crate::evidence::WorkTree;
use crate::id::RelPath;
use crate::lane::{
    self, CallContext, CallPlan, Delivery, LanePlan, LaneReport, Progress, Reason, State,
};
use crate::text::secrets::redact;
use camino::Utf8PathBuf;
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::env::Env;
use gsd_io::fs;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

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
    let built = prompts(setting.project, prepared, &marks, &own_secrets(setting.env));
    let kept =
        if options.resume { finished_before(setting.run_dir, &built) } else { BTreeMap::new() };

    emit(Event::Planned(Planned {
        phase: prepared.phase.clone(),
        plans: prepared.plans.len(),
        prompt_bytes: built.iter().map(|p| p.text.len() as u64).max().unwrap_or(0),
        prompt_tokens: built.iter().map(|p| p.tokens).max().unwrap_or(0),
        lanes: rows(prepared),
    }));
    let mut lanes: BTreeMap<usize, record::Lane> = BTreeMap::new();
    let offset = prepared.asked.len();
    for (index, absent) in prepared.not_asked.iter().enumerate() {
        let lane = Judged::absent(&absent.about, &absent.report, prepared);
        emit(Event::Finished { lane: offset + index, result: lane.finished() });
        lanes.insert(offset + index, lane.lane);
    }
    let mut jobs = vec![];
    let mut indices = vec![];
    for (index, asked) in prepared.asked.iter().enumerate() {
        if let Some(lane) = kept.get(&asked.plan.identity) {
            let judged = Judged { lane: lane.clone(), concerns: concerns(lane, prepared) };
            emit(Event::Finished { lane: index, result: judged.finished() });
            lanes.insert(index, judged.lane);
            continue;
        }
        indices.push(index);
        jobs.push(Job { adapter: asked.plan.adapter().to_owned(), work: index });
    }
    let at_once = options.jobs.unwrap_or(usize::MAX);
    let inside = InsideProject::open(setting, prepared);
    schedule::run(
        jobs,
        at_once,
        |index, tell: &dyn Fn(Event)| {
            let asked = &prepared.asked[index];
            tell(Event::Started { lane: index });
            let job = Call { setting, prepared, asked, prompt: &built[index], started, options };
            job.run(&|progress: Progress| match progress {
                Progress::Output { bytes, silent_for } => {
                    tell(Event::Output { lane: index, bytes, silent_for });
                }
                // The lane was probed before, and its start was told already.
                Progress::Probing | Progress::Started => {}
            })
        },
        |message| match message {
            Message::Event(event) => emit(event),
            Message::Done(job, result) => {
                let index = indices[job];
                let judged =
                    result.unwrap_or_else(|| Judged::bug(&prepared.asked[index].plan, prepared));
                persist(setting.run_dir, &judged.lane);
                emit(Event::Finished { lane: index, result: judged.finished() });
                lanes.insert(index, judged.lane);
            }
        },
    );
    gsd_io::process::sweep();
    drop(inside);

    let mut lanes: Vec<record::Lane> = lanes.into_values().collect();
    lanes.sort_by_key(|lane| prepared.rank(lane));
    let mut tree = WorkTree::open(&setting.project.root);
    // Reviewers name a plan by its file name alone.
    if let Ok(directory) = RelPath::parse(&prepared.phase.directory) {
        tree = tree.with_base(directory);
    }
    for lane in &mut lanes {
        make_fit_to_share(lane, &tree);
    }
    let planned = setting.project.planned_paths();
    let mut all = vec![];
    for lane in lanes.iter_mut().filter(|lane| lane.state.counts()) {
        let mut extracted = findings::extract(&lane.identity, &lane.text, &prepared.plans);
        findings::check_evidence(&mut extracted, &tree, &planned);
        lane.findings_source = extracted.source;
        if extracted.dropped > 0 {
            lane.warnings.push(format!("{} of its findings could not be read", extracted.dropped));
        }
        all.extend(extracted.findings);
    }
    let clusters = clusters::build(&mut all, &lanes, &Correlation::default());
    let redactions = redactions(&prepared.asked, &built);
    let mut notes = prepared.notes.clone();
    if prepared.asked.iter().any(|asked| !asked.plan.is_local() && asked.plan.reads_repository()) {
        notes.push(
            "Secrets are taken out of prompts; what an agent reads by itself cannot be redacted."
                .to_owned(),
        );
    }
    Record {
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
        },
        phase: prepared.phase.clone(),
        commit,
        plans: prepared.plans.clone(),
        lanes,
        findings: all,
        clusters,
        redactions,
        kept: record::Kept::default(),
        history: vec![],
    }
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

/// The folder inside the project for prompts of programs that can read nowhere else. It keeps
/// itself out of version control, and is gone with this value.
struct InsideProject(Option<Utf8PathBuf>);

impl InsideProject {
    fn open(setting: Setting<'_>, prepared: &Prepared) -> Self {
        let folder = project_folder(&setting.project.root, &setting.run_dir.path);
        let wanted = prepared.asked.iter().any(|asked| match &asked.plan.call {
            CallPlan::Spawn(spawn) => spawn.prompt_path.starts_with(&folder),
            CallPlan::OpenaiHttp(_) => false,
        });
        if !wanted {
            return Self(None);
        }
        // A folder that cannot be made fails the lanes that need it, each with its own message.
        let _ = fs::create_private_dir_all(&folder);
        if let Some(parent) = folder.parent() {
            let _ = fs::write_private(&parent.join(".gitignore"), b"*\n");
        }
        Self(Some(folder))
    }
}

impl Drop for InsideProject {
    fn drop(&mut self) {
        let Some(folder) = &self.0 else { return };
        let _ = fs::remove_dir_all(folder);
        // The parent may hold the prompts of another run; only an empty one goes.
        if let Some(parent) = folder.parent()
            && fs::list(parent, 3)
                .is_ok_and(|entries| entries.iter().all(|e| e.name == ".gitignore"))
        {
            let _ = fs::remove_dir_all(parent);
        }
    }
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

/// Values of this process's own variables that look like secrets: they must not leave in a prompt.
pub(super) fn own_secrets(env: &Env) -> Vec<String> {
    const NAMES: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];
    env.vars()
        .filter(|(name, value)| {
            let name = name.to_uppercase();
            // Short values would be found in any text.
            value.len() >= 8 && NAMES.iter().any(|word| name.contains(word))
        })
        .map(|(_, value)| value.to_owned())
        .collect()
}

/// One call and what is needed for it.
struct Call<'a> {
    setting: Setting<'a>,
    prepared: &'a Prepared,
    asked: &'a Asked,
    prompt: &'a LanePrompt,
    started: Instant,
    options: Options,
}

impl Call<'_> {
    fn run(&self, progress: &dyn Fn(Progress)) -> Judged {
        let plan = &self.asked.plan;
        let start = clock::now() - self.started;
        let report = match self.refusal(start) {
            Some(report) => report,
            None => {
                let context = CallContext {
                    env: self.setting.env,
                    root: &self.setting.project.root,
                    phase_dir: &self.setting.project.root.join(&self.prepared.phase.directory),
                    run_dir: &self.setting.run_dir.path,
                    cancel: self.setting.cancel,
                    limit: self.limit(start),
                };
                lane::call(plan, &self.asked.ready, &self.prompt.text, &context, progress)
            }
        };
        let mut judged = Judged::of(plan, &report, self.prompt, self.prepared);
        judged.lane.timing.start_ms = millis(start);
        judged
    }

    /// What stops a call before it starts.
    fn refusal(&self, start: Duration) -> Option<LaneReport> {
        let plan = &self.asked.plan;
        if self.setting.cancel.is_cancelled() {
            let message = "interrupted before it started";
            return Some(LaneReport::not_called(State::Cancelled, Reason::Interrupted, message));
        }
        if self.options.deadline.is_some_and(|deadline| start >= deadline) {
            let message = "the deadline of the run passed before it started";
            let report = LaneReport::not_called(State::TimedOut, Reason::TimeLimit, message);
            return Some(report.remedy("raise `--deadline`, or ask fewer lanes"));
        }
        let budget = plan.budget?.get();
        (self.prompt.tokens > budget).then(|| {
            let message = format!(
                "the prompt needs about {} tokens, its budget is {budget}",
                self.prompt.tokens
            );
            LaneReport::not_called(State::Skipped, Reason::OverBudget, message)
                .remedy("raise its budget setting, or set it to 0 for none")
        })
    }

    fn limit(&self, start: Duration) -> Duration {
        let own = self.asked.plan.time_limit.value;
        match self.options.deadline {
            Some(deadline) => own.min(deadline.saturating_sub(start)),
            None => own,
        }
    }
}

/// A lane's part of the record, and its concerns for the table.
struct Judged {
    lane: record::Lane,
    concerns: [usize; 3],
}

impl Judged {
    /// Judges what a call brought.
    fn of(plan: &LanePlan, report: &LaneReport, prompt: &LanePrompt, prepared: &Prepared) -> Self {
        let mut lane = About::of_plan(plan).lane(report, &prepared.plans);
        let given = plan.is_given_prompt() && report.delivery != Delivery::NotSent;
        lane.prompt_sha256 = given.then(|| prompt.sha256.clone());
        lane.sizes.prompt = if given { prompt.text.len() as u64 } else { 0 };
        if report.state.counts() {
            let channel = if !plan.is_given_plans() {
                Channel::NotGiven
            } else if let Some(marks) = &prompt.marks {
                Channel::Reference { marks: marks.clone() }
            } else if plan.is_given_prompt() {
                Channel::Ours { delivered: report.delivery.is_whole() }
            } else {
                Channel::Itself
            };
            let facts = Facts {
                channel,
                truncated: report.state == State::Incomplete,
                tokens: report.prompt_tokens.map(|counted| (prompt.tokens, counted)),
            };
            let extracted = findings::extract(&lane.identity, &report.text, &prepared.plans);
            let named =
                findings::coverage(&report.text, &extracted.findings, &prepared.plans).covered;
            let judgement = judge(&report.text, &prepared.plans, &named, &facts);
            lane.state = judgement.state;
            lane.reason = judgement.reason.or(report.reason);
            lane.proof = judgement.proof;
            lane.coverage = judgement.coverage;
            lane.message = judgement.message.or(lane.message);
            lane.remedy = judgement.remedy.or(lane.remedy);
            lane.warnings.extend(judgement.warnings);
        }
        let concerns = concerns(&lane, prepared);
        Self { lane, concerns }
    }

    /// A lane that was not called at all.
    fn absent(about: &About, report: &LaneReport, prepared: &Prepared) -> Self {
        Self { lane: about.lane(report, &prepared.plans), concerns: [0; 3] }
    }

    /// A lane whose handling panicked: its result is lost, the run is not.
    fn bug(plan: &LanePlan, prepared: &Prepared) -> Self {
        let message = "gsd has a bug in the handling of this lane";
        let report = LaneReport::not_called(State::Failed, Reason::Other, message)
            .remedy("please report it, with the lane's name");
        Self::absent(&About::of_plan(plan), &report, prepared)
    }

    fn finished(&self) -> Finished {
        let lane = &self.lane;
        let covered = lane.coverage.covered.len();
        Finished {
            state: lane.state,
            reason: lane.reason,
            message: lane.message.clone(),
            remedy: lane.remedy.clone(),
            elapsed: Duration::from_millis(lane.timing.elapsed_ms),
            covered: lane.state.counts().then(|| (covered, covered + lane.coverage.missing.len())),
            concerns: self.concerns,
        }
    }
}

fn concerns(lane: &record::Lane, prepared: &Prepared) -> [usize; 3] {
    let mut counts = [0; 3];
    if lane.state.counts() {
        let extracted = findings::extract(&lane.identity, &lane.text, &prepared.plans);
        for finding in extracted.findings {
            if finding.kind == record::Kind::Concern {
                counts[match finding.severity {
                    record::Severity::High => 0,
                    record::Severity::Medium => 1,
                    record::Severity::Low => 2,
                }] += 1;
            }
        }
    }
    counts
}

fn redactions(asked: &[Asked], prompts: &[LanePrompt]) -> Vec<record::Redaction> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, prompt) in asked.iter().zip(prompts) {
        for (kind, count) in &prompt.redactions {
            // Lanes get the same documents: the largest receipt is that of the documents.
            let entry = counts.entry(kind).or_default();
            *entry = (*entry).max(*count);
        }
    }
    counts
        .into_iter()
        .map(|(kind, count)| record::Redaction { kind: kind.to_owned(), count })
        .collect()
}

/// Where the result of a lane is kept.
fn result_path(run_dir: &RunDir, identity: &str) -> Utf8PathBuf {
    run_dir.path.join(format!("gsd-review-{identity}.json"))
}

fn persist(run_dir: &RunDir, lane: &record::Lane) {
    let bytes = serde_json::to_vec_pretty(lane).expect("a lane's record is plain data");
    // A result that cannot be kept can still be reported; only resuming it is lost.
    let _ = fs::write_atomic(&result_path(run_dir, &lane.identity), &bytes);
}

/// Lanes of an earlier run in this folder whose text counts and whose prompt was the same.
fn finished_before(run_dir: &RunDir, prompts: &[LanePrompt]) -> BTreeMap<String, record::Lane> {
    const MAX_RESULT: u64 = 32 * 1024 * 1024;
    prompts
        .iter()
        .filter_map(|prompt| {
            let path = result_path(run_dir, &prompt.identity);
            let text = fs::read_text(&path, MAX_RESULT, fs::Links::Refuse).ok()?;
            let lane: record::Lane = serde_json::from_str(&text).ok()?;
            let same = lane.prompt_sha256.as_ref().is_none_or(|digest| *digest == prompt.sha256);
            (lane.state.counts() && same).then(|| (prompt.identity.clone(), lane))
        })
        .collect()
}
