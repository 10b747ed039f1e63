//! What the settings say about one lane: read once, typed, with its source.
//!
//! One reader for planner, probe and call, so that they cannot disagree. A value of another type
//! counts as unset and is reported; a text that is blank, `null` or `undefined` counts as unset.

mod reviewers;

pub use reviewers::{DEFAULTS_VARIABLE, DefaultReviewer, Instance, Reviewers};

use super::confinement::Way;
use super::descriptor::{Descriptor, EffortLevel, EnvName, Invoke};
use super::egress::ProxyUse;
use crate::config::{Config, Layer};
use crate::diag::{Diagnostic, Level, Rule};
use crate::json::Value;
use crate::text::{nearest, printable};
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
    &[&reviewers::BAD_INSTANCE, &reviewers::BAD_REVIEWERS, &BAD_SETTING, &WITHOUT_EFFECT];

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

/// What stands above the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overrides {
    pub model: Option<Sourced<String>>,
    pub agent: Option<Sourced<String>>,
    pub time_limit: Option<Sourced<Duration>>,
}

/// The limit of no setting is longer, so that arithmetic on clocks stays sound.
const MAX_TIME_LIMIT: Duration = Duration::from_secs(7 * 24 * 3600);

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
    let settings = LaneSettings {
        model: overrides.model.clone().or(configured_model),
        agent: overrides.agent.clone(),
        effort: effort(config, slug, found),
        host,
        time_limit: overrides.time_limit.clone().or_else(|| time_limit(config, lane, found)),
        budget: budget(config, lane, found),
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

/// The lane's own effort, else that of reviews, else the general one. `inherit` leaves it to the
/// program.
fn effort(
    config: &Config,
    slug: &str,
    found: &mut Vec<Diagnostic>,
) -> Option<Sourced<EffortLevel>> {
    let own = format!("review.efforts.{slug}");
    for key in [own.as_str(), "review.effort", "effort.default"] {
        let Some(setting) = text(config, key, found) else { continue };
        if setting.value == "inherit" {
            return None;
        }
        let level = EffortLevel::ALL.iter().copied().find(|level| level.word() == setting.value);
        if let Some(level) = level {
            return Some(Sourced::new(level, setting.source));
        }
        if let Some(place) = config.get(key) {
            let known = super::words::listed::<EffortLevel>();
            let message = format!("`{key}` takes {known}, not `{}`", printable(&setting.value, 40));
            let mut diagnostic = BAD_SETTING.at(place.at(), message).label("ignored");
            let words = EffortLevel::ALL.iter().map(|level| level.word());
            if let Some(near) = nearest(&setting.value, words) {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            }
            found.push(diagnostic);
        }
        return None;
    }
    None
}

/// Seconds under the key that the lane declares.
fn time_limit(
    config: &Config,
    lane: &Descriptor,
    found: &mut Vec<Diagnostic>,
) -> Option<Sourced<Duration>> {
    let key = lane.timeout_key.as_ref()?.as_str();
    let seconds = config.number(key, found)?;
    let setting = config.get(key)?;
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    let Some(limit) = limit.filter(|limit| *limit <= MAX_TIME_LIMIT) else {
        let message = format!("`{key}` takes seconds, more than 0 and at most a week");
        found.push(BAD_SETTING.at(setting.at(), message).label("ignored"));
        return None;
    };
    let source = Source::Setting { key: key.to_owned(), layer: setting.layer };
    Some(Sourced::new(limit, source))
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
