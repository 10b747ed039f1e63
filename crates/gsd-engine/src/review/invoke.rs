//! One lane by itself: in a folder that holds a prompt, or in one where a run was prepared.
//!
//! The lane is planned, probed, called and judged by the very steps of a run. What is different is
//! where its prompt comes from, and that its review is left as a file of its own.

use super::about::About;
use super::contract;
use super::inside_project::InsideProject;
use super::judged::Judged;
use super::one_call::Call;
use super::planner::{Planned, Planner, offer};
use super::prepare::{Ask, find_phase};
use super::prepared_run::{PreparedRun, PreparedRunError, prompt_path};
use super::prompts::LanePrompt;
use super::record;
use super::redaction::Redaction;
use super::report::stub;
use super::results::persist;
use super::run_dir::{RunDirError, check_folder};
use super::work_tree::Watch;
use crate::config::Config;
use crate::diag::Diagnostic;
use crate::lane::egress;
use crate::lane::plan::ArtefactPaths;
use crate::lane::roster::own;
use crate::lane::selection::Missing;
use crate::lane::settings::{Overrides, Reviewers, Source, Sourced};
use crate::lane::{self, CallPlan, Lane, LanePlan, LazyRoster, Progress, State};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::env::Env;
use gsd_io::fs::{self, Links, ReadError};
use std::time::Duration;

/// Which lane, and what the caller says about the call.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// A slug, or the name of an instance.
    pub name: &'a str,
    /// The name under which its files are written; else its own.
    pub written_as: Option<&'a str>,
    pub model: Option<&'a str>,
    pub agent: Option<&'a str>,
    /// Instead of `gsd-review-prompt.md` in the folder, for lanes that get the text itself.
    pub prompt_file: Option<&'a Utf8Path>,
    pub lane_timeouts: &'a [(String, Duration)],
}

/// Where and with what.
#[derive(Debug, Clone, Copy)]
pub struct InvokeSetting<'a> {
    pub env: &'a Env,
    /// The root of the project, canonical.
    pub root: &'a Utf8Path,
    /// Absolute.
    pub run_dir: &'a Utf8Path,
    pub config: &'a Config,
    /// Read only where a lane is none of gsd's own.
    pub roster: &'a LazyRoster,
    pub cancel: &'a Cancel,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Invoked {
    /// The lane's part of a record.
    pub lane: record::Lane,
    /// The program that is not there, where it is another one than the lane's own.
    pub lacks: Option<String>,
    /// Where its review stands, or what stands in its place.
    pub review: Utf8PathBuf,
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a lane was not even tried. Nothing was started, sent or written.
#[derive(Debug, thiserror::Error)]
pub enum InvokeError {
    #[error("there is no lane `{name}`")]
    UnknownLane { name: String },
    #[error(transparent)]
    Folder(#[from] RunDirError),
    #[error(transparent)]
    Prepared(#[from] PreparedRunError),
    #[error("there is no prompt to send")]
    NoPrompt { path: Utf8PathBuf, source: ReadError },
    #[error("the prompt `{path}` is empty")]
    BlankPrompt { path: Utf8PathBuf },
}

/// A prompt is never larger.
const MAX_PROMPT: u64 = 64 << 20;

/// Calls one lane and writes what came of it into the folder.
pub fn invoke(
    setting: InvokeSetting<'_>,
    invocation: &Invocation<'_>,
    progress: &dyn Fn(Progress),
) -> Result<Invoked, InvokeError> {
    check_folder(setting.run_dir)?;
    let prepared = PreparedRun::read(setting.run_dir)?;
    let who = Who::find(setting, invocation, prepared.as_ref())?;
    let mut diagnostics = vec![];
    let planned = who.plan(setting, invocation, &mut diagnostics);
    let plans = prepared.as_ref().map_or(&[][..], |run| &run.record.plans);
    let phase = phase(setting, prepared.as_ref());
    let artefacts = ArtefactPaths::of(setting.run_dir, &who.name);
    let (judged, lacks) = match planned {
        Err(report) => {
            let about = About::of_lane(&who.lane, &who.name);
            (Judged::absent(&about, &report, plans), report.lacks.clone())
        }
        Ok(mut plan) => {
            let prompt = who.prompt(setting, invocation, prepared.as_ref(), &plan)?;
            share_prompt_file(setting, &mut plan, &prompt);
            clear(&artefacts);
            let inside = InsideProject::open(setting.root, setting.run_dir, [&plan]);
            let probed = lane::probe_lane(&plan, setting.env, setting.root, setting.cancel);
            let (judged, lacks) = match probed {
                Err(report) => {
                    let about = About::of_plan(&plan);
                    (Judged::absent(&about, &report, plans), report.lacks.clone())
                }
                Ok(ready) => {
                    let watch =
                        Watch::begin(setting.env, setting.root, setting.run_dir, setting.cancel);
                    let call = Call {
                        env: setting.env,
                        root: setting.root,
                        phase: &phase,
                        run_dir: setting.run_dir,
                        cancel: setting.cancel,
                        plan: &plan,
                        ready: &ready,
                        prompt: &prompt,
                        redaction: &Redaction::of(setting.env, setting.config),
                        plans,
                        started: clock::now(),
                        deadline: None,
                        watch: &watch,
                    };
                    let mut judged = call.run(progress);
                    judged.see(watch.finish().marks);
                    (judged, None)
                }
            };
            gsd_io::process::sweep();
            drop(inside);
            (judged, lacks)
        }
    };
    write(setting.run_dir, &artefacts, &judged.lane);
    Ok(Invoked { lane: judged.lane, lacks, review: artefacts.review, diagnostics })
}

/// The lane that a name means, and what the name and the caller say about its call.
struct Who {
    lane: Lane,
    /// Its files bear this name.
    name: String,
    overrides: Overrides,
}

impl Who {
    fn find(
        setting: InvokeSetting<'_>,
        invocation: &Invocation<'_>,
        prepared: Option<&PreparedRun>,
    ) -> Result<Self, InvokeError> {
        let asked = invocation.name;
        let unknown = || InvokeError::UnknownLane { name: asked.to_owned() };
        let of = |value: &Option<String>| {
            value.clone().map(|value| Sourced::new(value, Source::Instance(asked.to_owned())))
        };
        let given = |value: Option<&str>, flag| {
            value.map(|value| Sourced::new(value.to_owned(), Source::Flag(flag)))
        };
        let lane_of = |slug: &str| own(slug).or_else(|| setting.roster.by_slug(slug).cloned());
        let (lane, mut overrides) = match prepared.and_then(|run| run.ask(asked)) {
            Some(ask) => {
                let said = Overrides {
                    model: of(&ask.model),
                    agent: of(&ask.agent),
                    time_limit: ask.timeout_ms.map(|limit| {
                        let limit = Duration::from_millis(limit);
                        Sourced::new(limit, Source::Flag("`--lane-timeout`"))
                    }),
                    ..Overrides::default()
                };
                (lane_of(&ask.slug), said)
            }
            None => match lane_of(asked) {
                Some(lane) => (Some(lane), Overrides::default()),
                None => {
                    let descriptors = setting.roster.descriptors();
                    let reviewers = Reviewers::read(setting.config, &descriptors);
                    let instance = reviewers.instances.get(asked).ok_or_else(unknown)?;
                    (lane_of(instance.lane.as_str()), Overrides::of(instance))
                }
            },
        };
        let lane = lane.ok_or_else(unknown)?;
        overrides.model = given(invocation.model, "`--model`").or(overrides.model);
        overrides.agent = given(invocation.agent, "`--agent`").or(overrides.agent);
        let name = plain_name(invocation.written_as.unwrap_or(asked));
        Ok(Self { lane, name, overrides })
    }

    fn plan(
        &self,
        setting: InvokeSetting<'_>,
        invocation: &Invocation<'_>,
        found: &mut Vec<Diagnostic>,
    ) -> Planned {
        let ask = Ask {
            named: vec![],
            all: false,
            exclude: vec![],
            missing: Missing::Error,
            lane_timeouts: invocation.lane_timeouts,
        };
        let approvals = egress::approvals(setting.env);
        let planner = Planner {
            root: setting.root,
            config: setting.config,
            approvals: &approvals,
            reviewers: &Reviewers::default(),
            ask: &ask,
            run_dir: setting.run_dir,
            offer: offer(),
        };
        let mut overrides = self.overrides.clone();
        overrides.time_limit = planner.time_limit(&self.lane, &self.name).or(overrides.time_limit);
        let drafted = planner.plan_as(&self.lane, &self.name, &overrides, found)?;
        let mut plan = planner.permit(drafted)?;
        if invocation.prompt_file.is_some() && plan.is_given_prompt() && !takes_text(&plan) {
            plan.notes.push(
                "`--prompt-file` is ignored: the lane is pointed at the prompt of the run folder"
                    .to_owned(),
            );
        }
        Ok(plan)
    }

    /// The prompt as it was prepared, else the file that the caller made.
    fn prompt(
        &self,
        setting: InvokeSetting<'_>,
        invocation: &Invocation<'_>,
        prepared: Option<&PreparedRun>,
        plan: &LanePlan,
    ) -> Result<LanePrompt, InvokeError> {
        if let Some(ask) = prepared.and_then(|run| run.ask(invocation.name)) {
            let prompt = ask.prompt(setting.run_dir)?;
            return Ok(LanePrompt { identity: plan.identity.clone(), ..prompt });
        }
        if !plan.is_given_prompt() {
            return Ok(LanePrompt::none(&plan.identity));
        }
        let path = match invocation.prompt_file {
            Some(path) if takes_text(plan) => path.to_owned(),
            Some(_) | None => default_prompt(setting.run_dir),
        };
        let bytes = match fs::read_bounded(&path, MAX_PROMPT, Links::Follow) {
            Ok(bytes) => bytes,
            Err(source) => return Err(InvokeError::NoPrompt { path, source }),
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.trim().is_empty() {
            return Err(InvokeError::BlankPrompt { path });
        }
        Ok(LanePrompt::given(plan, text, &Redaction::of(setting.env, setting.config)))
    }
}

/// The prompt that callers of the contract put into the folder.
fn default_prompt(run_dir: &Utf8Path) -> Utf8PathBuf {
    run_dir.join(contract::PROMPT_FILE)
}

/// Whether the lane gets the prompt itself and not the path of a file.
fn takes_text(plan: &LanePlan) -> bool {
    match &plan.call {
        CallPlan::Spawn(spawn) => spawn.prompt == lane::descriptor::PromptChannel::Stdin,
        CallPlan::OpenaiHttp(_) => true,
    }
}

/// A lane that opens its prompt by itself is pointed at the file that is there, if that file holds
/// the very text and stands where the lane may read.
fn share_prompt_file(setting: InvokeSetting<'_>, plan: &mut LanePlan, prompt: &LanePrompt) {
    let CallPlan::Spawn(spawn) = &plan.call else { return };
    let inside =
        spawn.prompt_path.starts_with(setting.run_dir) || setting.run_dir.starts_with(setting.root);
    let candidates =
        [prompt_path(setting.run_dir, &plan.identity), default_prompt(setting.run_dir)];
    let same = |path: &&Utf8PathBuf| {
        fs::read_bounded(path, MAX_PROMPT, Links::Refuse)
            .is_ok_and(|bytes| bytes == prompt.text.as_bytes())
    };
    if inside && let Some(path) = candidates.iter().find(same) {
        *plan = plan.clone().with_prompt_at(path);
    }
}

/// What stands there is of an earlier call.
fn clear(artefacts: &ArtefactPaths) {
    for path in [&artefacts.review, &artefacts.stderr, &artefacts.raw] {
        // What cannot be removed cannot be written either, and that is told.
        let _ = fs::remove_file(path);
    }
}

/// Leaves the review, or what stands in its place, with the whole story beside it.
fn write(run_dir: &Utf8Path, artefacts: &ArtefactPaths, lane: &record::Lane) {
    let mut text = if lane.state.counts() { lane.text.clone() } else { stub(lane) };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    // The result is returned in any case; the files are copies of it.
    let _ = fs::write_atomic(&artefacts.review, text.as_bytes());
    if lane.state.ran() && fs::kind(&artefacts.stderr).is_none() {
        // A server has no standard error; callers look for the file all the same.
        let _ = fs::write_private(&artefacts.stderr, b"");
    }
    persist(run_dir, lane);
}

/// The directory of the phase, relative to the root; empty where none can be told.
fn phase(setting: InvokeSetting<'_>, prepared: Option<&PreparedRun>) -> String {
    let named = prepared.map(|run| run.record.phase.directory.clone());
    let current = || {
        let phase = find_phase(setting.env, setting.root, None).ok()?;
        Some(phase.path.as_str().to_owned())
    };
    named.or_else(current).unwrap_or_default()
}

/// A name that can be part of a file's name.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    name.chars().map(plain).take(128).collect()
}

impl Invoked {
    /// Whether the lane was called at all.
    pub fn ran(&self) -> bool {
        contract::ran(&self.lane)
    }

    pub fn state(&self) -> State {
        self.lane.state
    }
}
