//! The plan of a program: what it is called with, and how its arguments come about.

use super::{ArtefactPaths, RunPaths};
use crate::lane::descriptor::{
    Arg, Binary, Capture, EffortChannel, EffortLevel, EnvName, Handler, OWN_BINARY, OutputChannel,
    Placeholder, PromptChannel, PromptPlace, SpawnInvoke,
};
use crate::lane::roster::{Lane, Origin};
use crate::lane::settings::{LaneSettings, Sourced};
use camino::Utf8PathBuf;
use std::collections::BTreeMap;
use std::time::Duration;

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpawnPlan {
    pub program: Program,
    pub args: Vec<PlannedArg>,
    pub prompt: PromptChannel,
    pub prompt_path: Utf8PathBuf,
    pub prompt_place: PromptPlace,
    pub output: PlannedOutput,
    /// Names of variables that the program may see beside those of every child.
    pub env: Vec<EnvName>,
    /// Variables that are set for it.
    pub set_env: BTreeMap<EnvName, String>,
    pub setup: Vec<PlannedStep>,
    pub accept_exit: Vec<i32>,
    /// Files to write before it starts.
    pub files: Vec<(Utf8PathBuf, String)>,
}

/// Which program it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// The running one.
    Own,
    /// Found on PATH, or by its absolute path.
    Named(Binary),
}

/// One element of the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedArg {
    Text(String),
    /// The prompt itself; where it is too long for one argument, a reference to its file.
    Prompt {
        reference: String,
    },
    /// What a step before the review printed, by its name.
    Captured(String),
}

/// A step before the review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedStep {
    pub args: Vec<PlannedArg>,
    pub capture: Option<Capture>,
    pub limit: Duration,
}

/// What the steps before a review printed, by name.
pub type Captured = BTreeMap<String, String>;

/// Where the review will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedOutput {
    Stdout,
    File(Utf8PathBuf),
}

/// Linux takes arguments of fewer bytes than this, its final zero included.
const MAX_ARGUMENT: usize = 131_072;

/// Puts the prompt and what was captured in their places. A value that is not known yet stays
/// visible by its name; the manifest's own rules see to it that none is used before it is there.
pub(in crate::lane) fn fill(args: &[PlannedArg], prompt: &str, captured: &Captured) -> Vec<String> {
    let fits = prompt.len() < MAX_ARGUMENT && !prompt.contains('\0');
    args.iter()
        .map(|arg| match arg {
            PlannedArg::Text(text) => text.clone(),
            PlannedArg::Prompt { .. } if fits => prompt.to_owned(),
            PlannedArg::Prompt { reference } => reference.clone(),
            PlannedArg::Captured(name) => match captured.get(name) {
                Some(value) => value.clone(),
                None => format!("<{name}>"),
            },
        })
        .collect()
}

impl SpawnPlan {
    /// The arguments with the prompt in its place, before any step ran.
    pub fn argv(&self, prompt: &str) -> Vec<String> {
        fill(&self.args, prompt, &Captured::new())
    }

    /// Whether the program gets the text of this prompt itself, not a reference to its file.
    pub fn passes_text(&self, prompt: &str) -> bool {
        match self.prompt {
            PromptChannel::Stdin => true,
            PromptChannel::ArgvInline => prompt.len() < MAX_ARGUMENT && !prompt.contains('\0'),
            PromptChannel::Argv | PromptChannel::ArgvFileRef | PromptChannel::None => false,
        }
    }
}

/// The level that the program knows and that is nearest to the wanted one.
pub(super) fn fit(
    invoke: &SpawnInvoke,
    wanted: Sourced<EffortLevel>,
    notes: &mut Vec<String>,
) -> Option<Sourced<EffortLevel>> {
    if !invoke.takes_effort() {
        return None;
    }
    let level = invoke.effort.nearest(wanted.value);
    if level != wanted.value {
        notes.push(format!("effort `{}` is not known here, `{level}` is used", wanted.value));
    }
    Some(Sourced::new(level, wanted.source))
}

pub(super) struct Spawn<'a> {
    pub(super) lane: &'a Lane,
    pub(super) invoke: &'a SpawnInvoke,
    pub(super) settings: &'a LaneSettings,
    pub(super) paths: &'a RunPaths,
    pub(super) artefacts: &'a ArtefactPaths,
}

impl Spawn<'_> {
    pub(super) fn plan(
        &self,
        limit: Duration,
        effort: Option<&Sourced<EffortLevel>>,
        notes: &mut Vec<String>,
    ) -> SpawnPlan {
        let invoke = self.invoke;
        let own = self.lane.origin == Origin::FirstParty && invoke.binary.as_str() == OWN_BINARY;
        let mut env = self.lane.descriptor.env.clone();
        env.extend(self.settings.env.iter().cloned());
        env.sort();
        env.dedup();
        let mut set_env = self.lane.descriptor.set_env.clone();
        if let (EffortChannel::Env, Some(name), Some(level)) =
            (invoke.effort.channel, &invoke.effort.variable, effort)
        {
            set_env.insert(name.clone(), level.value.to_string());
        }
        if let (Some(agent), None) = (&self.settings.agent, &invoke.agent_arg) {
            notes.push(format!("the agent of {} is ignored: the lane takes none", agent.source));
        }
        SpawnPlan {
            program: if own { Program::Own } else { Program::Named(invoke.binary.clone()) },
            args: invoke.args.iter().flat_map(|arg| self.expand(arg, limit, effort)).collect(),
            prompt: invoke.prompt,
            prompt_path: self.paths.prompt.clone(),
            prompt_place: invoke.prompt_place,
            output: match invoke.output {
                OutputChannel::Stdout => PlannedOutput::Stdout,
                OutputChannel::FileArg => PlannedOutput::File(self.artefacts.output.clone()),
            },
            env,
            set_env,
            setup: self
                .lane
                .descriptor
                .setup
                .iter()
                .map(|step| PlannedStep {
                    args: step
                        .args
                        .iter()
                        .flat_map(|arg| self.expand(arg, limit, effort))
                        .collect(),
                    capture: step.capture.clone(),
                    limit: step.limit,
                })
                .collect(),
            accept_exit: self.lane.descriptor.accept_exit.clone(),
            files: invoke
                .files
                .iter()
                .map(|(name, text)| (self.file(name), text.clone()))
                .collect(),
        }
    }

    fn file(&self, name: &str) -> Utf8PathBuf {
        self.artefacts.folder.join(name)
    }

    /// Each placeholder becomes zero or more elements; nothing is left of an empty one.
    fn expand(
        &self,
        arg: &Arg,
        limit: Duration,
        effort: Option<&Sourced<EffortLevel>>,
    ) -> Vec<PlannedArg> {
        let texts = |texts: Vec<String>| texts.into_iter().map(PlannedArg::Text).collect();
        let invoke = self.invoke;
        let pair = |name: &Option<String>, value: Option<String>| match (name, value) {
            (Some(name), Some(value)) => texts(vec![name.clone(), value]),
            (None, _) | (_, None) => vec![],
        };
        let placeholder = match arg {
            Arg::Literal(text) => return texts(vec![text.clone()]),
            Arg::Placeholder(placeholder) => placeholder,
        };
        match placeholder {
            Placeholder::Model => {
                pair(&invoke.model_arg, self.settings.model.as_ref().map(|m| m.value.clone()))
            }
            Placeholder::Agent => {
                let agent = self.settings.agent.as_ref().map(|agent| agent.value.clone());
                pair(&invoke.agent_arg, agent.or_else(|| invoke.default_agent.clone()))
            }
            Placeholder::Effort => match (invoke.effort.channel, effort) {
                (EffortChannel::Argv, Some(level)) => {
                    let level = level.value.word();
                    texts(
                        invoke.effort.args.iter().map(|a| a.replace("{{level}}", level)).collect(),
                    )
                }
                (EffortChannel::None | EffortChannel::Env, _) | (EffortChannel::Argv, None) => {
                    vec![]
                }
            },
            Placeholder::Output => match invoke.output {
                OutputChannel::FileArg => {
                    pair(&invoke.output_arg, Some(self.artefacts.output.to_string()))
                }
                OutputChannel::Stdout => vec![],
            },
            Placeholder::Prompt => match invoke.prompt {
                PromptChannel::Argv => texts(vec![self.paths.prompt.to_string()]),
                PromptChannel::ArgvFileRef => texts(vec![self.reference()]),
                PromptChannel::ArgvInline => {
                    vec![PlannedArg::Prompt { reference: self.reference() }]
                }
                PromptChannel::Stdin | PromptChannel::None => vec![],
            },
            Placeholder::TimeLimit => {
                texts(vec![format!("{}s", (limit.as_secs() * 9 / 10).max(1))])
            }
            Placeholder::File(name) => texts(vec![self.file(name).to_string()]),
            Placeholder::Captured(name) => vec![PlannedArg::Captured(name.clone())],
        }
    }

    /// What a program is told that opens the prompt file itself. It names the root because such
    /// programs do not always keep the directory that they are started in.
    fn reference(&self) -> String {
        let mut text = format!(
            "Open the file {} and read it to its last line; it holds your whole task. \
             The project is at {}: paths in the task are relative to that directory. \
             Answer with the review in Markdown and nothing else. \
             Do not create, change or delete any file.",
            self.paths.prompt, self.paths.root
        );
        if self.lane.descriptor.handler == Some(Handler::Antigravity) {
            text.push_str(&format!(
                " If you cannot open files below {}, let the first line of your answer be \
                 exactly {BLIND_MARK}.",
                self.paths.root
            ));
        }
        text
    }
}

/// The first line of a review whose reviewer could not open the repository.
pub const BLIND_MARK: &str = "REVIEWED-WITHOUT-REPO-ACCESS";
