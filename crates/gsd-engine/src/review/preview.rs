//! What a run would send where, without sending it.

use super::prepare::{Prepared, Project};
use super::prompts::{Marks, prompts};
use super::record;
use super::redaction::Redaction;
use crate::lane::confinement::{Confinement, places};
use crate::lane::plan::{Program, SpawnPlan};
use crate::lane::{CallPlan, LanePlan, LaneReport, Reason, State};
use gsd_io::env::Env;
use std::collections::BTreeMap;
use std::time::Duration;

/// One lane as it would be called, or why it would not.
#[derive(Debug, Clone)]
pub struct Preview {
    pub identity: String,
    /// `None` for a lane that would be asked.
    pub state: Option<State>,
    pub reason: Option<Reason>,
    pub message: Option<String>,
    pub remedy: Option<String>,
    /// Program and arguments; empty for a server.
    pub argv: Vec<String>,
    /// `stdin`, `argv`, `argv-file-ref`, `argv-inline`, `none` or `body`.
    pub channel: &'static str,
    pub prompt_bytes: u64,
    pub prompt_tokens: u64,
    pub budget: Option<u64>,
    /// What the budget cuts from the prompt; `None` if it goes out whole.
    pub trimmed: Option<record::Trimmed>,
    /// Whether secrets are taken out of the prompt: `on`, `off`, or `not-needed` where it stays on
    /// this machine or there is none.
    pub redaction: &'static str,
    /// What would be taken out of the prompt: kind and count.
    pub redactions: BTreeMap<String, u64>,
    pub destination: String,
    /// Names of the variables that the program would see beside those of every child.
    pub env: Vec<String>,
    pub confinement: Confinement,
    /// Where a confined program may write.
    pub writable: Vec<String>,
    pub limit: Duration,
    pub limit_source: String,
    pub model: Option<String>,
}

/// Previews every lane of a prepared run.
pub fn preview(env: &Env, project: &Project, prepared: &Prepared) -> Vec<Preview> {
    let marks = Marks::new(&prepared.plans);
    let built = prompts(
        project,
        &prepared.plans,
        prepared.asked.iter().map(|asked| &asked.plan),
        &marks,
        &Redaction::of(env, &project.config),
    );
    let asked = prepared.asked.iter().zip(&built).map(|(asked, prompt)| {
        let mut preview = base(&asked.plan);
        if asked.plan.confinement.restricts() {
            let places = places(&asked.plan, &project.root, env);
            preview.writable =
                places.writable.iter().chain(&places.temp).map(ToString::to_string).collect();
        }
        preview.destination = asked.ready.destination().to_owned();
        if let CallPlan::Spawn(spawn) = &asked.plan.call {
            preview.argv = vec![asked.ready.destination().to_owned()];
            preview.argv.extend(spawn.argv(&prompt.text));
        }
        preview.prompt_bytes = prompt.text.len() as u64;
        preview.prompt_tokens = prompt.tokens;
        if asked.plan.is_given_prompt() && !asked.plan.is_local() {
            preview.redaction = if prepared.redacts { "on" } else { "off" };
        }
        preview.redactions.clone_from(&prompt.redactions);
        preview.trimmed.clone_from(&prompt.trimmed);
        preview
    });
    let absent = prepared.not_asked.iter().map(|absent| {
        let mut preview = Preview::of(&absent.about.identity, absent.about.limit);
        preview.stands_for(&absent.report);
        preview.trimmed.clone_from(&absent.trimmed);
        preview.destination = absent.report.destination.clone().unwrap_or_default();
        preview
    });
    asked.chain(absent).collect()
}

/// One lane by itself, without a prompt: what its call would be. No process is started.
pub fn preview_lane(env: &Env, slug: &str, planned: &Result<LanePlan, Box<LaneReport>>) -> Preview {
    let plan = match planned {
        Ok(plan) => plan,
        Err(report) => {
            let mut preview = Preview::of(slug, Duration::ZERO);
            preview.stands_for(report);
            return preview;
        }
    };
    let mut preview = base(plan);
    if let CallPlan::Spawn(spawn) = &plan.call {
        let found = located(env, spawn);
        preview.destination = found.unwrap_or(preview.destination);
        preview.argv = vec![preview.destination.clone()];
        preview.argv.extend(spawn.argv("<prompt>"));
    }
    preview
}

/// The path of the program, where there is one.
pub(super) fn located(env: &Env, spawn: &SpawnPlan) -> Option<String> {
    match &spawn.program {
        Program::Own => Some(env.own_executable().to_string()),
        Program::Named(binary) => gsd_io::process::which(binary.as_str(), env).ok().map(Into::into),
    }
}

fn base(plan: &LanePlan) -> Preview {
    let mut preview = Preview::of(&plan.identity, plan.time_limit.value);
    preview.env = match &plan.call {
        CallPlan::Spawn(spawn) => spawn.env.iter().map(|name| name.as_str().to_owned()).collect(),
        CallPlan::OpenaiHttp(http) => {
            http.api_key_env.iter().map(|name| name.as_str().to_owned()).collect()
        }
    };
    preview.confinement = plan.confinement;
    preview.channel = plan.channel();
    preview.budget = plan.budget.map(std::num::NonZeroU64::get);
    preview.destination = plan.destination();
    preview.limit_source = plan.time_limit.source.to_string();
    preview.model = plan.model.as_ref().map(|model| model.value.clone());
    preview
}

impl Preview {
    /// A lane that would not be asked, and why.
    fn stands_for(&mut self, report: &LaneReport) {
        self.state = Some(report.state);
        self.reason = report.reason;
        self.message.clone_from(&report.message);
        self.remedy.clone_from(&report.remedy);
    }

    fn of(identity: &str, limit: Duration) -> Self {
        Self {
            identity: identity.to_owned(),
            state: None,
            reason: None,
            message: None,
            remedy: None,
            redaction: "not-needed",
            argv: vec![],
            channel: "none",
            prompt_bytes: 0,
            prompt_tokens: 0,
            budget: None,
            trimmed: None,
            redactions: BTreeMap::new(),
            destination: String::new(),
            env: vec![],
            confinement: Confinement::None,
            writable: vec![],
            limit,
            limit_source: String::new(),
            model: None,
        }
    }
}
