//! What the settings say about one lane: read once, typed, with its source.
//!
//! One reader for planner, probe and call, so that they cannot disagree. A value of another type
//! counts as unset and is reported; a text that is blank, `null` or `undefined` counts as unset.

mod edit;
mod instance;
mod limit;
mod reviewers;

pub use edit::{Edit, check_edit, faults_of_edit};
pub use instance::Instance;
pub use limit::{Fault, PhaseLimits};
pub use reviewers::{DefaultReviewer, Reviewers};

use super::confinement::Way;
use super::descriptor::{Descriptor, EffortLevel, EnvName, Invoke};
use super::egress::ProxyUse;
use crate::config::{Config, Layer};
use crate::diag::{Diagnostic, Level, Rule};
use crate::json::Value;
use std::num::NonZeroU64;
use std::time::Duration;

/// A value of a lane's settings cannot be used.
pub static BAD_SETTING: Rule = Rule {
    code: "lane/bad-setting",
    level: Level::Warning,
    summary: "a setting of a lane has a value that cannot be used",
    docs: include_str!("settings/bad_setting.md"),
};

/// A setting of a lane has no effect.
pub static WITHOUT_EFFECT: Rule = Rule {
    code: "lane/setting-without-effect",
    level: Level::Warning,
    summary: "a setting has no effect on this lane",
    docs: include_str!("settings/setting_without_effect.md"),
};

/// Every rule of this module.
pub static RULES: &[&Rule] =
    &[&instance::BAD_INSTANCE, &reviewers::BAD_REVIEWERS, &BAD_SETTING, &WITHOUT_EFFECT];

/// Where a value of a lane comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A key of the settings, in a layer.
    Setting { key: String, layer: Layer },
    /// An option of the command line.
    Flag(&'static str),
    /// The instance that is run.
    Instance(String),
    /// The lane's manifest.
    Manifest,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Setting { key, layer } => write!(f, "`{key}` ({})", layer.word()),
            Self::Flag(flag) => f.write_str(flag),
            Self::Instance(name) => write!(f, "instance `{name}`"),
            Self::Manifest => f.write_str("the lane's manifest"),
        }
    }
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    pub value: T,
    pub source: Source,
}

impl<T> Sourced<T> {
    pub fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }
}

/// What the settings, an instance and the command line say about one lane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaneSettings {
    pub model: Option<Sourced<String>>,
    pub agent: Option<Sourced<String>>,
    pub effort: Option<Sourced<EffortLevel>>,
    /// The base address of a server.
    pub host: Option<Sourced<String>>,
    /// The limit of the whole call.
    pub time_limit: Option<Sourced<Duration>>,
    /// The limits of its parts.
    pub phases: PhaseLimits,
    /// How long to wait before a reviewer that is rate limited is asked once more, where it does
    /// not say when; `None` takes the usual pause.
    pub retry_pause: Option<Duration>,
    /// Tokens that a prompt may have; `None` never trims.
    pub budget: Option<NonZeroU64>,
    /// Variables that the user lets the program see.
    pub env: Vec<EnvName>,
    /// The ways to confine the program that the user allows, best first; empty for the usual ones.
    pub confinement: Vec<Way>,
    /// The variable that holds the key for a server.
    pub api_key_env: Option<EnvName>,
    /// The context that a server is asked to keep.
    pub num_ctx: Option<u64>,
    pub proxy: ProxyUse,
}

/// What the settings say about a whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunSettings {
    /// Lanes at once; `None` for one of each adapter.
    pub concurrency: Option<NonZeroU64>,
    /// For the whole run.
    pub deadline: Option<Duration>,
}

impl RunSettings {
    pub fn read(config: &Config, found: &mut Vec<Diagnostic>) -> Self {
        const CONCURRENCY: &str = "review.concurrency";
        let lanes = config.whole(CONCURRENCY, found);
        if let (Some(0), Some(setting)) = (lanes, config.get(CONCURRENCY)) {
            let message = format!("`{CONCURRENCY}` takes a number of lanes, at least 1");
            found.push(BAD_SETTING.at(setting.at(), message).label("ignored"));
        }
        let deadline = limit::of_key(config, "review.deadline", found);
        Self {
            concurrency: lanes.and_then(NonZeroU64::new),
            deadline: deadline.map(|limit| limit.value),
        }
    }
}

/// What stands above the settings of a lane: an instance, and the command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overrides {
    pub model: Option<Sourced<String>>,
    pub agent: Option<Sourced<String>>,
    pub effort: Option<Sourced<EffortLevel>>,
    pub time_limit: Option<Sourced<Duration>>,
    pub first_byte: Option<Sourced<Duration>>,
    pub idle: Option<Sourced<Duration>>,
    /// Tokens; 0 never trims.
    pub budget: Option<u64>,
}

impl Overrides {
    /// What an instance says.
    pub fn of(instance: &Instance) -> Self {
        let name = instance.name.as_str();
        Self {
            model: of_instance(name, instance.model.clone()),
            agent: of_instance(name, instance.agent.clone()),
            effort: of_instance(name, instance.effort),
            time_limit: of_instance(name, instance.time_limit),
            first_byte: of_instance(name, instance.first_byte),
            idle: of_instance(name, instance.idle),
            budget: instance.budget,
        }
    }
}

fn of_instance<T>(name: &str, value: Option<T>) -> Option<Sourced<T>> {
    value.map(|value| Sourced::new(value, Source::Instance(name.to_owned())))
}

/// Reads what concerns one lane.
pub fn read(
    config: &Config,
    lane: &Descriptor,
    overrides: &Overrides,
    found: &mut Vec<Diagnostic>,
) -> LaneSettings {
    let slug = lane.slug.as_str();
    let host = match &lane.invoke {
        Invoke::Spawn(_) => None,
        Invoke::OpenaiHttp(http) => text(config, http.host_key.as_str(), found),
    };
    let configured_model =
        lane.model_key.as_ref().and_then(|key| text(config, key.as_str(), found));
    let effort = limit::effort(config, lane, found);
    let configured_limit =
        lane.timeout_key.as_ref().and_then(|key| limit::of_key(config, key.as_str(), found));
    let mut phase = |phase: &str| limit::of_phase(config, slug, phase, found);
    let phases = PhaseLimits {
        probe: phase("probe"),
        first_byte: overrides.first_byte.clone().or_else(|| phase("first_byte")),
        idle: overrides.idle.clone().or_else(|| phase("idle")),
    };
    let settings = LaneSettings {
        model: overrides.model.clone().or(configured_model),
        agent: overrides.agent.clone(),
        effort: overrides.effort.clone().or(effort),
        host,
        time_limit: overrides.time_limit.clone().or(configured_limit),
        phases,
        retry_pause: retry_pause(config, found),
        budget: match overrides.budget {
            Some(tokens) => NonZeroU64::new(tokens),
            None => budget(config, lane, found),
        },
        env: env(config, slug, found),
        confinement: confinement(config, slug, found),
        api_key_env: api_key_env(config, slug, found),
        num_ctx: config.whole(&format!("review.num_ctx.{slug}"), found),
        proxy: match config.flag("review.proxy", found) {
            Some(true) => ProxyUse::Environment,
            Some(false) | None => ProxyUse::Never,
        },
    };
    unused_model(config, lane, found);
    settings
}

/// `review.retry_pause`: 0 asks again at once.
fn retry_pause(config: &Config, found: &mut Vec<Diagnostic>) -> Option<Duration> {
    match config.number("review.retry_pause", found)? {
        0.0 => Some(Duration::ZERO),
        _ => limit::of_key(config, "review.retry_pause", found).map(|pause| pause.value),
    }
}

fn text(config: &Config, key: &str, found: &mut Vec<Diagnostic>) -> Option<Sourced<String>> {
    let value = config.text(key, found)?;
    let layer = config.get(key)?.layer;
    Some(Sourced::new(value, Source::Setting { key: key.to_owned(), layer }))
}

/// A model that is set by the lane's name although the lane takes none, or takes it elsewhere.
fn unused_model(config: &Config, lane: &Descriptor, found: &mut Vec<Diagnostic>) {
    let key = format!("review.models.{}", lane.slug);
    if lane.model_key.as_ref().is_some_and(|own| own.as_str() == key) {
        return;
    }
    let mut ignored = vec![];
    if config.text(&key, &mut ignored).is_some()
        && let Some(setting) = config.get(&key)
    {
        let help = match &lane.model_key {
            Some(own) => format!("this lane reads `{own}`"),
            None => "this lane does not take a model".to_owned(),
        };
        let message = format!("`{key}` has no effect");
        found.push(WITHOUT_EFFECT.at(setting.at(), message).help(help));
    }
}

/// The lane's own budget, else the one of all lanes. 0 means that nothing is trimmed.
fn budget(config: &Config, lane: &Descriptor, found: &mut Vec<Diagnostic>) -> Option<NonZeroU64> {
    let own = lane.budget_key.as_ref().and_then(|key| config.whole(key.as_str(), found));
    NonZeroU64::new(own.or_else(|| config.whole("review.max_prompt_tokens", found))?)
}

/// `review.env.<slug>`: one name or a list of names.
fn env(config: &Config, slug: &str, found: &mut Vec<Diagnostic>) -> Vec<EnvName> {
    let key = format!("review.env.{slug}");
    let Some(setting) = config.get(&key) else { return vec![] };
    let names: Vec<Option<&str>> = match &setting.node.value {
        Value::Null => return vec![],
        Value::String(text) => text.split(',').map(|name| Some(name.trim())).collect(),
        Value::Array(items) => items.iter().map(|item| item.as_str()).collect(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => vec![None],
    };
    let mut env = vec![];
    for name in names {
        match name.map(EnvName::parse) {
            Some(Ok(name)) => env.push(name),
            Some(Err(_)) | None => {
                let message = format!("`{key}` takes a list of names of variables");
                found.push(BAD_SETTING.at(setting.at(), message).label("ignored"));
            }
        }
    }
    env
}

/// `review.confinements.<slug>`, else `review.confinement`: one way or a list of them. A word that
/// nobody knows makes the whole setting void, because the rest might allow more than was meant.
fn confinement(config: &Config, slug: &str, found: &mut Vec<Diagnostic>) -> Vec<Way> {
    let own = format!("review.confinements.{slug}");
    for key in [own.as_str(), "review.confinement"] {
        let Some(setting) = config.get(key) else { continue };
        let words: Option<Vec<&str>> = match &setting.node.value {
            Value::Null => continue,
            Value::String(text) => Some(vec![text.trim()]),
            Value::Array(items) => items.iter().map(|item| item.as_str()).collect(),
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        };
        let way = |word: &str| Way::ALL.iter().copied().find(|way| way.word() == word);
        let ways: Option<Vec<Way>> = words.and_then(|words| words.into_iter().map(way).collect());
        if let Some(ways) = ways {
            return ways;
        }
        let message = format!("`{key}` takes {}, or a list of them", super::words::listed::<Way>());
        found.push(BAD_SETTING.at(setting.at(), message).label("ignored"));
    }
    vec![]
}

fn api_key_env(config: &Config, slug: &str, found: &mut Vec<Diagnostic>) -> Option<EnvName> {
    let key = format!("review.api_key_env.{slug}");
    let name = config.text(&key, found)?;
    if let Ok(name) = EnvName::parse(&name) {
        return Some(name);
    }
    if let Some(setting) = config.get(&key) {
        // The value is not shown: somebody may have put the key itself here.
        let message = format!("`{key}` takes the name of a variable, never the key itself");
        found.push(BAD_SETTING.at(setting.at(), message).label("ignored"));
    }
    None
}

#[cfg(test)]
mod tests;
