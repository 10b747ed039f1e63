//! What a call of a lane will be, decided before anything happens: pure, values in, value out.
//!
//! Nothing is looked up, read or started here. `gsd review plan` shows these values, and a call
//! does what they say. Every argument is one element; nothing is ever split or quoted.

mod spawn;

pub(super) use spawn::fill;
pub use spawn::{BLIND_MARK, Captured, PlannedArg, PlannedOutput, PlannedStep, Program, SpawnPlan};

use super::confinement::Confinement;
use super::descriptor::{
    Binary, Descriptor, EffortLevel, EnvName, EvidenceClass, Handler, Invoke, ModelDiscovery,
    OWN_BINARY, Posture, PromptChannel, SpawnInvoke, StatePlace, Transport, UrlPath,
};
use super::egress::ProxyUse;
use super::handler::openai_compatible::Streaming;
use super::probe::Probe;
use super::roster::{Lane, Origin};
use super::settings::{LaneSettings, PhaseLimits, Source, Sourced};
use crate::id::{CapabilityId, ConfigKey, LaneSlug};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::http::{Destination, DestinationError};
use spawn::{Spawn, fit};
use std::num::NonZeroU64;
use std::time::Duration;

/// Where a lane's files of a run stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPaths {
    /// The folder that holds `.planning`, as the lane is told.
    pub root: Utf8PathBuf,
    /// The directory of the run.
    pub run_dir: Utf8PathBuf,
    /// The prompt file that this lane is pointed at.
    pub prompt: Utf8PathBuf,
    /// How the lane is kept from changing the project; where it works on a copy, `root` is that.
    pub confinement: Confinement,
}

/// The names of a lane's files in the directory of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtefactPaths {
    /// The lane's own folder: what the program may write to. No other lane gets it.
    pub folder: Utf8PathBuf,
    /// The review, cleaned.
    pub review: Utf8PathBuf,
    /// Its standard error.
    pub stderr: Utf8PathBuf,
    /// What it printed, byte for byte.
    pub raw: Utf8PathBuf,
    /// The file that a `file-arg` lane writes.
    pub output: Utf8PathBuf,
}

impl ArtefactPaths {
    /// The paths of an identity. Whatever is no plain character becomes `-`.
    pub fn of(run_dir: &Utf8Path, identity: &str) -> Self {
        let name: String = identity
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
            .collect();
        let file = |extension: &str| run_dir.join(format!("gsd-review-{name}.{extension}"));
        let folder = run_dir.join(format!("gsd-review-{name}"));
        let output = folder.join(format!("gsd-review-{name}.out"));
        Self { review: file("md"), stderr: file("err"), raw: file("raw"), folder, output }
    }
}

/// One call of one lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanePlan {
    /// The slug, or the name of the instance.
    pub identity: String,
    pub slug: LaneSlug,
    pub capability: CapabilityId,
    pub origin: Origin,
    pub heading: String,
    pub vendor: Option<String>,
    pub evidence: EvidenceClass,
    pub posture: Posture,
    pub confinement: Confinement,
    /// Where it works: the project, or the copy of it.
    pub root: Utf8PathBuf,
    /// Where a confined program may write beside the folder of the run.
    pub state: Vec<StatePlace>,
    pub probe: Probe,
    pub requires_binaries: Vec<Binary>,
    pub handler: Option<Handler>,
    pub call: CallPlan,
    pub model: Option<Sourced<String>>,
    /// The key that names the model, for the remedy of a lane whose model is not there.
    pub model_key: Option<ConfigKey>,
    pub effort: Option<Sourced<EffortLevel>>,
    pub time_limit: Sourced<Duration>,
    /// The limits of parts of the call.
    pub phases: PhaseLimits,
    /// The wait before a reviewer that is rate limited is asked once more, where it does not say
    /// when it has time again.
    pub retry_pause: Duration,
    /// The key that raises the limit, for the message of a lane that ran out of it.
    pub timeout_key: Option<ConfigKey>,
    pub budget: Option<NonZeroU64>,
    pub artefacts: ArtefactPaths,
    /// Things that a user should hear about the plan.
    pub notes: Vec<String>,
}

/// How the lane is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallPlan {
    Spawn(SpawnPlan),
    OpenaiHttp(HttpPlan),
}

/// A server to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpPlan {
    pub destination: Destination,
    /// Where the address comes from.
    pub host: Sourced<String>,
    pub path: UrlPath,
    pub discovery: ModelDiscovery,
    pub fallback_model: Option<String>,
    /// The variable that holds the key.
    pub api_key_env: Option<EnvName>,
    pub num_ctx: Option<u64>,
    pub proxy: ProxyUse,
    pub streaming: Streaming,
}

/// Why a lane cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("no server is configured; set `{key}`")]
    NoHost { key: ConfigKey },
    #[error("`{key}` is not the address of a server: {error}")]
    Host { key: ConfigKey, error: DestinationError },
    #[error("the {what} of {place} begins with `-`, and the program would take it as an option")]
    OptionLike { what: &'static str, place: String },
}

/// Long enough for most limits that count requests by the minute or less.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

impl LanePlan {
    /// Whether the reviewer can open files of the repository.
    pub fn reads_repository(&self) -> bool {
        match self.call {
            CallPlan::Spawn(_) => true,
            CallPlan::OpenaiHttp(_) => false,
        }
    }

    /// Whether the lane is given the plans at all.
    pub fn is_given_plans(&self) -> bool {
        match (&self.call, self.evidence) {
            (_, EvidenceClass::DiffOnly) => false,
            (CallPlan::Spawn(_) | CallPlan::OpenaiHttp(_), EvidenceClass::SourceGrounded) => true,
        }
    }

    /// Whether a prompt is built for the lane; one that looks for the plans itself needs none.
    pub fn is_given_prompt(&self) -> bool {
        match &self.call {
            CallPlan::Spawn(spawn) => spawn.prompt != PromptChannel::None,
            CallPlan::OpenaiHttp(_) => true,
        }
    }

    pub fn transport(&self) -> Transport {
        match self.call {
            CallPlan::Spawn(_) => Transport::Spawn,
            CallPlan::OpenaiHttp(_) => Transport::OpenaiHttp,
        }
    }

    /// How the prompt travels: the channel of a program, or `body`.
    pub fn channel(&self) -> &'static str {
        match &self.call {
            CallPlan::Spawn(spawn) => spawn.prompt.word(),
            CallPlan::OpenaiHttp(_) => "body",
        }
    }

    /// Whether the lane must repeat marks from the prompt to show that it read it, because
    /// nothing of ours can see how much of it was taken.
    pub fn needs_echo(&self) -> bool {
        match &self.call {
            CallPlan::Spawn(spawn) => spawn.prompt.uses_argv() && self.is_given_plans(),
            CallPlan::OpenaiHttp(_) => false,
        }
    }

    /// Whether the lane's work stays on this machine for certain.
    pub fn is_local(&self) -> bool {
        match &self.call {
            CallPlan::Spawn(spawn) => spawn.program == Program::Own,
            CallPlan::OpenaiHttp(http) => http.destination.is_loopback(),
        }
    }

    /// Lanes with the same key share a program or a server and are run one after the other.
    pub fn adapter(&self) -> &str {
        self.slug.as_str()
    }

    /// The same call with its prompt in another file.
    pub fn with_prompt_at(mut self, path: &Utf8Path) -> Self {
        if let CallPlan::Spawn(spawn) = &mut self.call {
            let old = std::mem::replace(&mut spawn.prompt_path, path.to_owned());
            let steps = spawn.setup.iter_mut().flat_map(|step| &mut step.args);
            for arg in spawn.args.iter_mut().chain(steps) {
                match arg {
                    PlannedArg::Text(text) | PlannedArg::Prompt { reference: text } => {
                        *text = text.replace(old.as_str(), path.as_str());
                    }
                    PlannedArg::Captured(_) => {}
                }
            }
        }
        self
    }

    /// Where the prompt goes, as far as it is known before the program is looked up.
    pub fn destination(&self) -> String {
        match &self.call {
            CallPlan::Spawn(spawn) => match &spawn.program {
                Program::Own => OWN_BINARY.to_owned(),
                Program::Named(binary) => binary.to_string(),
            },
            CallPlan::OpenaiHttp(http) => http.destination.to_string(),
        }
    }
}

/// Plans one call.
pub fn plan(
    lane: &Lane,
    identity: &str,
    settings: &LaneSettings,
    paths: &RunPaths,
) -> Result<LanePlan, PlanError> {
    let descriptor = &lane.descriptor;
    let time_limit = settings
        .time_limit
        .clone()
        .unwrap_or_else(|| Sourced::new(descriptor.time_limit, Source::Manifest));
    let artefacts = ArtefactPaths::of(&paths.run_dir, identity);
    let mut notes = vec![];
    let mut effort = None;
    let call = match &descriptor.invoke {
        Invoke::Spawn(invoke) => {
            refuse_options(invoke, settings)?;
            effort = settings.effort.clone().and_then(|wanted| fit(invoke, wanted, &mut notes));
            let context = Spawn { lane, invoke, settings, paths, artefacts: &artefacts };
            CallPlan::Spawn(context.plan(time_limit.value, effort.as_ref(), &mut notes))
        }
        Invoke::OpenaiHttp(invoke) => {
            let key = &invoke.host_key;
            let host = settings.host.clone().or_else(|| {
                let host = invoke.default_host.clone()?;
                Some(Sourced::new(host, Source::Manifest))
            });
            let host = host.ok_or_else(|| PlanError::NoHost { key: key.clone() })?;
            let destination = Destination::parse(&host.value)
                .map_err(|error| PlanError::Host { key: key.clone(), error })?;
            CallPlan::OpenaiHttp(HttpPlan {
                destination,
                host,
                path: invoke.path.clone(),
                discovery: invoke.discovery,
                fallback_model: invoke.fallback_model.clone(),
                api_key_env: settings.api_key_env.clone(),
                num_ctx: settings.num_ctx,
                proxy: settings.proxy,
                streaming: invoke.streaming,
            })
        }
    };
    let takes_model = match &descriptor.invoke {
        Invoke::Spawn(invoke) => invoke.model_arg.is_some(),
        Invoke::OpenaiHttp(_) => true,
    };
    let model = settings.model.clone().filter(|_| takes_model);
    if let (Some(unused), false) = (&settings.model, takes_model) {
        notes.push(format!("the model of {} is ignored: the lane takes none", unused.source));
    }
    Ok(LanePlan {
        identity: identity.to_owned(),
        slug: descriptor.slug.clone(),
        capability: lane.capability.clone(),
        origin: lane.origin,
        heading: descriptor.heading.as_str().to_owned(),
        vendor: descriptor.vendor.clone(),
        evidence: descriptor.evidence,
        posture: descriptor.posture,
        confinement: paths.confinement,
        root: paths.root.clone(),
        state: state(descriptor),
        probe: match &settings.phases.probe {
            Some(limit) => descriptor.probe.clone().within(limit.value),
            None => descriptor.probe.clone(),
        },
        requires_binaries: descriptor.requires_binaries.clone(),
        handler: descriptor.handler,
        call,
        model,
        model_key: descriptor.model_key.clone(),
        effort,
        time_limit,
        phases: settings.phases.clone(),
        retry_pause: settings.retry_pause.unwrap_or(RETRY_PAUSE),
        timeout_key: descriptor.timeout_key.clone(),
        budget: settings.budget,
        artefacts,
        notes,
    })
}

/// A project chooses models and agents, not the options of the user's programs.
fn refuse_options(invoke: &SpawnInvoke, settings: &LaneSettings) -> Result<(), PlanError> {
    let chosen = [
        ("model", settings.model.as_ref().filter(|_| invoke.model_arg.is_some())),
        ("agent", settings.agent.as_ref().filter(|_| invoke.agent_arg.is_some())),
    ];
    for (what, value) in chosen {
        if let Some(value) = value.filter(|value| value.value.starts_with('-')) {
            return Err(PlanError::OptionLike { what, place: value.source.to_string() });
        }
    }
    Ok(())
}

/// Where the program keeps its own files.
fn state(descriptor: &Descriptor) -> Vec<StatePlace> {
    match (&descriptor.state, &descriptor.invoke) {
        (Some(declared), _) => declared.clone(),
        (None, Invoke::Spawn(invoke)) => StatePlace::conventional(invoke.binary.as_str()),
        (None, Invoke::OpenaiHttp(_)) => vec![],
    }
}

#[cfg(test)]
mod tests;
