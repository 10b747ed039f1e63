//! Instances: lanes under names of their own, each with its own model, agent, effort and limits.

use super::limit::{self, Fault};
use crate::config::Config;
use crate::diag::{Diagnostic, Level, Location, Rule};
use crate::id::{InstanceName, LaneSlug};
use crate::json::{Value, to_value};
use crate::lane::descriptor::{Descriptor, EffortLevel, Invoke};
use crate::text::{nearest, printable};
use std::time::Duration;

/// An instance cannot be used.
pub(super) static BAD_INSTANCE: Rule = Rule {
    code: "lane/bad-instance",
    level: Level::Error,
    summary: "an instance of a lane cannot be used",
    docs: include_str!("bad_instance.md"),
};

/// A lane under a name of its own. What is `None` is as the settings of the lane say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    pub name: InstanceName,
    /// The lane that it runs.
    pub lane: LaneSlug,
    pub model: Option<String>,
    pub agent: Option<String>,
    pub effort: Option<EffortLevel>,
    pub time_limit: Option<Duration>,
    pub first_byte: Option<Duration>,
    pub idle: Option<Duration>,
    /// Tokens; 0 never trims.
    pub budget: Option<u64>,
}

pub(super) const INSTANCES: &str = "review.reviewer_instances";
/// Why an instance cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) fault: Fault,
    /// It is only not whole yet: its lane is missing.
    pub(super) unfinished: bool,
}

impl Wrong {
    fn new(message: impl Into<String>) -> Self {
        Self { fault: Fault { message: message.into(), help: None }, unfinished: false }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.fault.help = Some(help.into());
        self
    }

    /// The diagnostic at the name of the instance.
    pub(super) fn at(self, at: Location, name: &str) -> Diagnostic {
        let message = format!("instance `{}`: {}", printable(name, 80), self.fault.message);
        let mut diagnostic = BAD_INSTANCE.at(at, message);
        diagnostic.help = self.fault.help;
        diagnostic
    }
}

impl From<Fault> for Wrong {
    fn from(fault: Fault) -> Self {
        Self { fault, unfinished: false }
    }
}

/// Reads an instance; its members may come from several layers.
pub(super) fn read(config: &Config, name: &str, lanes: &[&Descriptor]) -> Result<Instance, Wrong> {
    let parsed = InstanceName::parse(name).map_err(|error| Wrong::new(error.expected))?;
    if lanes.iter().any(|lane| lane.slug.as_str() == name) {
        return Err(Wrong::new("the name is the slug of a lane; choose another"));
    }
    let key = format!("{INSTANCES}.{name}");
    if config.get(&key).is_none_or(|setting| setting.node.as_object().is_none()) {
        return Err(Wrong::new("expected an object"));
    }
    let members = Members { config, key: &key };
    let Some(cli) = members.text("cli")? else {
        let wrong = Wrong::new("`cli` is missing: the slug of its lane");
        return Err(Wrong { unfinished: true, ..wrong });
    };
    let cli = cli.to_lowercase();
    let Some(lane) = lanes.iter().find(|lane| lane.slug.as_str() == cli) else {
        let wrong = Wrong::new(format!("there is no lane `{}`", printable(&cli, 80)));
        return Err(match nearest(&cli, lanes.iter().map(|lane| lane.slug.as_str())) {
            Some(near) => wrong.help(format!("did you mean `{near}`?")),
            None => wrong.help(format!(
                "install or enable the capability that brings the lane, or type \
                 `gsd config unset {INSTANCES}.{name}`"
            )),
        });
    };
    let instance = Instance {
        name: parsed,
        lane: lane.slug.clone(),
        model: members.text("model")?,
        agent: members.text("agent")?,
        effort: members.effort()?,
        time_limit: members.seconds("timeout")?,
        first_byte: members.seconds("first_byte_timeout")?,
        idle: members.seconds("idle_timeout")?,
        budget: members.tokens("max_prompt_tokens")?,
    };
    let (takes_agent, takes_effort) = match &lane.invoke {
        Invoke::Spawn(spawn) => (spawn.agent_arg.is_some(), spawn.takes_effort()),
        Invoke::OpenaiHttp(_) => (false, false),
    };
    let impossible = [
        ("model", "a model", instance.model.is_some() && lane.model_key.is_none()),
        ("agent", "an agent", instance.agent.is_some() && !takes_agent),
        ("effort", "an effort", instance.effort.is_some() && !takes_effort),
    ];
    if let Some((member, what, _)) = impossible.iter().find(|(.., wrong)| *wrong) {
        return Err(Wrong::new(format!("lane `{cli}` does not take {what}"))
            .help(format!("remove `{member}`")));
    }
    Ok(instance)
}

/// The members of one instance.
struct Members<'a> {
    config: &'a Config,
    key: &'a str,
}

impl Members<'_> {
    fn value(&self, member: &str) -> Option<serde_json::Value> {
        let key = format!("{}.{member}", self.key);
        let setting = self.config.get(&key)?;
        match setting.node.value {
            Value::Null => None,
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => Some(to_value(setting.node)),
        }
    }

    /// A blank text and null count as absent.
    fn text(&self, member: &str) -> Result<Option<String>, Wrong> {
        match self.value(member) {
            None => Ok(None),
            Some(serde_json::Value::String(text)) => {
                let text = text.trim();
                Ok((!text.is_empty()).then(|| text.to_owned()))
            }
            Some(_) => Err(Wrong::new(format!("`{member}` takes a text"))),
        }
    }

    fn effort(&self) -> Result<Option<EffortLevel>, Wrong> {
        let Some(word) = self.text("effort")? else { return Ok(None) };
        if word == "inherit" {
            return Ok(None);
        }
        Ok(Some(limit::effort_level("effort", &word)?))
    }

    fn number(&self, member: &str) -> Result<Option<f64>, Wrong> {
        match self.value(member) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(-1.0) => Ok(None),
                Some(number) => Ok(Some(number)),
                None => Err(Wrong::new(format!("`{member}` takes a number"))),
            },
        }
    }

    fn seconds(&self, member: &str) -> Result<Option<Duration>, Wrong> {
        let Some(number) = self.number(member)? else { return Ok(None) };
        Ok(Some(limit::seconds(member, number)?))
    }

    fn tokens(&self, member: &str) -> Result<Option<u64>, Wrong> {
        let Some(number) = self.number(member)? else { return Ok(None) };
        if number >= 0.0 && number.fract() == 0.0 && number < 1e15 {
            return Ok(Some(number as u64));
        }
        Err(Wrong::new(format!("`{member}` takes a whole number, -1 for unset")))
    }
}
