//! Which reviewers a user wants when nobody names one, and which instances of lanes there are.

use crate::config::{Config, Setting};
use crate::diag::{Diagnostic, Level, Location, Rule};
use crate::id::{InstanceName, LaneSlug};
use crate::json::{Node, Value};
use crate::lane::descriptor::{Descriptor, Invoke};
use crate::text::{nearest, printable};
use std::collections::BTreeMap;

/// `review.default_reviewers` cannot be used.
pub(super) static BAD_REVIEWERS: Rule = Rule {
    code: "lane/bad-reviewers",
    level: Level::Error,
    summary: "`review.default_reviewers` is no list of reviewers",
    docs: include_str!("bad_reviewers.md"),
};

/// An instance cannot be used.
pub(super) static BAD_INSTANCE: Rule = Rule {
    code: "lane/bad-instance",
    level: Level::Error,
    summary: "an instance of a lane cannot be used",
    docs: include_str!("bad_instance.md"),
};

/// A lane under a name of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    pub name: InstanceName,
    /// The lane that it runs.
    pub lane: LaneSlug,
    pub model: Option<String>,
    pub agent: Option<String>,
}

/// One member of `review.default_reviewers`, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultReviewer {
    pub name: String,
    pub at: Option<Location>,
}

/// The reviewers of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reviewers {
    /// `None` if the key is absent.
    pub defaults: Option<Vec<DefaultReviewer>>,
    pub instances: BTreeMap<String, Instance>,
    /// What is wrong with them; reported even where the command line decides.
    pub found: Vec<Diagnostic>,
}

const DEFAULTS: &str = "review.default_reviewers";
const INSTANCES: &str = "review.reviewer_instances";
/// This variable replaces `review.default_reviewers` for one run: a list with commas.
pub const DEFAULTS_VARIABLE: &str = "GSD_DEFAULT_REVIEWERS";
/// More instances than this are a mistake.
const MAX_INSTANCES: usize = 64;

impl Reviewers {
    /// Reads both keys. `lanes` are all lanes that there are.
    pub fn read(config: &Config, env: &gsd_io::env::Env, lanes: &[&Descriptor]) -> Self {
        let mut reviewers = Self::default();
        if let Some(setting) = config.get(INSTANCES) {
            reviewers.read_instances(&setting, lanes);
        }
        match env.var(DEFAULTS_VARIABLE) {
            Some(list) => {
                let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
                reviewers.defaults = Some(
                    names
                        .map(|name| DefaultReviewer { name: name.to_lowercase(), at: None })
                        .collect(),
                );
            }
            None => {
                if let Some(setting) = config.get(DEFAULTS) {
                    reviewers.read_defaults(&setting);
                }
            }
        }
        reviewers
    }

    fn read_defaults(&mut self, setting: &Setting<'_>) {
        let items = match &setting.node.value {
            Value::Null => return,
            Value::Array(items) => items,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                let message =
                    format!("`{DEFAULTS}` takes a list of names, not {}", setting.node.kind());
                self.found.push(BAD_REVIEWERS.at(setting.at(), message));
                self.defaults = Some(vec![]);
                return;
            }
        };
        if items.is_empty() {
            let message = format!("`{DEFAULTS}` is empty; leave it out to ask every reviewer");
            self.found.push(BAD_REVIEWERS.at(setting.at(), message));
        }
        let mut names: Vec<DefaultReviewer> = vec![];
        for item in items {
            let at = setting.place(item.span.clone());
            let Some(text) = item.as_str() else {
                let message = format!("expected a name, found {}", item.kind());
                self.found.push(BAD_REVIEWERS.at(at, message));
                continue;
            };
            let word = !text.is_empty()
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
            if !word {
                let message = format!("`{}` is no name of a reviewer", printable(text, 80));
                self.found.push(BAD_REVIEWERS.at(at, message));
                continue;
            }
            let name = text.to_lowercase();
            if names.iter().all(|known| known.name != name) {
                names.push(DefaultReviewer { name, at: Some(at) });
            }
        }
        self.defaults = Some(names);
    }

    fn read_instances(&mut self, setting: &Setting<'_>, lanes: &[&Descriptor]) {
        if matches!(setting.node.value, Value::Null) {
            return;
        }
        let Some(object) = setting.node.as_object() else {
            let message =
                format!("`{INSTANCES}` takes an object of instances, not {}", setting.node.kind());
            self.found.push(BAD_INSTANCE.at(setting.at(), message));
            return;
        };
        for (count, member) in object.members.iter().enumerate() {
            if count == MAX_INSTANCES {
                let message = format!("only the first {MAX_INSTANCES} instances are read");
                self.found.push(BAD_INSTANCE.at(setting.at(), message));
                return;
            }
            match read_instance(&member.name, &member.value, lanes) {
                Ok(instance) => {
                    self.instances.insert(instance.name.as_str().to_owned(), instance);
                }
                Err((message, help)) => {
                    let at = setting.place(member.name_span.clone());
                    let name = printable(&member.name, 80);
                    let mut diagnostic =
                        BAD_INSTANCE.at(at, format!("instance `{name}`: {message}"));
                    diagnostic.help = help;
                    self.found.push(diagnostic);
                }
            }
        }
    }
}

type Fault = (String, Option<String>);

fn read_instance(name: &str, node: &Node, lanes: &[&Descriptor]) -> Result<Instance, Fault> {
    let plain = |message: &str| (message.to_owned(), None);
    let name = InstanceName::parse(name).map_err(|error| plain(error.expected))?;
    if lanes.iter().any(|lane| lane.slug.as_str() == name.as_str()) {
        return Err(plain("the name is the slug of a lane; choose another"));
    }
    let object = node.as_object().ok_or_else(|| plain("expected an object"))?;
    let text = |key: &str| -> Result<Option<String>, Fault> {
        match object.get(key).map(|node| &node.value) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Err(plain(&format!("`{key}` takes a text")))
            }
        }
    };
    let cli = text("cli")?.ok_or_else(|| plain("`cli` is missing: the slug of its lane"))?;
    let cli = cli.to_lowercase();
    let Some(lane) = lanes.iter().find(|lane| lane.slug.as_str() == cli) else {
        let near = nearest(&cli, lanes.iter().map(|lane| lane.slug.as_str()));
        let help = near.map(|near| format!("did you mean `{near}`?"));
        return Err((format!("there is no lane `{}`", printable(&cli, 80)), help));
    };
    let (model, agent) = (text("model")?, text("agent")?);
    if model.is_some() && lane.model_key.is_none() {
        return Err((format!("lane `{cli}` does not take a model"), Some("remove `model`".into())));
    }
    let takes_agent = match &lane.invoke {
        Invoke::Spawn(spawn) => spawn.agent_arg.is_some(),
        Invoke::OpenaiHttp(_) => false,
    };
    if agent.is_some() && !takes_agent {
        return Err((
            format!("lane `{cli}` does not take an agent"),
            Some("remove `agent`".into()),
        ));
    }
    Ok(Instance { name, lane: lane.slug.clone(), model, agent })
}
