//! Looks at a change of the settings before it is written: what the type of a key cannot say.

use super::instance::{self, INSTANCES};
use super::limit::{self, Fault};
use super::reviewers::{DEFAULTS, Reviewers};
use crate::config::{Config, Layer};
use crate::diag::{Diagnostic, SourceFile};
use crate::id::ConfigKey;
use crate::lane::descriptor::{Descriptor, Invoke};
use crate::text::{nearest, printable};
use gsd_io::http::Destination;
use serde_json::Value;
use std::sync::Arc;

/// A value that may be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// As it should stand in the file.
    pub value: Value,
    /// What the user should hear.
    pub hints: Vec<String>,
}

/// Families of gsd's settings whose last part is the slug of a lane.
const BY_SLUG: [&str; 8] = [
    "review.api_key_env.",
    "review.confinements.",
    "review.efforts.",
    "review.env.",
    "review.first_byte_timeouts.",
    "review.idle_timeouts.",
    "review.num_ctx.",
    "review.probe_timeouts.",
];

/// Whether a key may have a value of its type.
pub fn check_edit(key: &str, value: Value, lanes: &[&Descriptor]) -> Result<Edit, Fault> {
    if key == DEFAULTS {
        return Ok(Edit { value: normalised(&value)?, hints: vec![] });
    }
    let is_host = |lane: &&&Descriptor| match &lane.invoke {
        Invoke::Spawn(_) => false,
        Invoke::OpenaiHttp(http) => http.host_key.as_str() == key,
    };
    let host = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    if let (Some(host), true) = (host, lanes.iter().any(|lane| is_host(&lane))) {
        // The address may hold a password, so it is not repeated.
        Destination::parse(host).map_err(|error| Fault {
            message: format!("`{key}` takes the address of a server: {error}"),
            help: Some("give an address such as `http://localhost:8080`".to_owned()),
        })?;
    }
    if let Some(number) = value.as_f64().filter(|number| *number != -1.0) {
        check_number(key, number, lanes)?;
    }
    Ok(Edit { hints: stray_slug(key, lanes).into_iter().collect(), value })
}

/// Limits and budgets of lanes; their manifests only say that they are numbers.
fn check_number(key: &str, number: f64, lanes: &[&Descriptor]) -> Result<(), Fault> {
    let is = |own: &Option<ConfigKey>| own.as_ref().is_some_and(|own| own.as_str() == key);
    if lanes.iter().any(|lane| is(&lane.timeout_key)) {
        limit::seconds(key, number)?;
    }
    if lanes.iter().any(|lane| is(&lane.budget_key)) && (number < 0.0 || number.fract() != 0.0) {
        let message = format!("`{key}` takes a whole number of tokens, -1 for unset");
        return Err(Fault { message, help: None });
    }
    Ok(())
}

/// A name that no lane has: nothing will read the setting.
fn stray_slug(key: &str, lanes: &[&Descriptor]) -> Option<String> {
    let slug = BY_SLUG.iter().find_map(|family| key.strip_prefix(family))?;
    let slugs = || lanes.iter().map(|lane| lane.slug.as_str());
    if slugs().any(|known| known == slug) {
        return None;
    }
    let near = nearest(slug, slugs()).map(|near| format!("; did you mean `{near}`?"));
    Some(format!("there is no lane `{}` here{}", printable(slug, 80), near.unwrap_or_default()))
}

/// The list of reviewers in lower case, each name once.
fn normalised(value: &Value) -> Result<Value, Fault> {
    let text = serde_json::json!({ DEFAULTS: value }).to_string();
    let (config, _) = Config::read(vec![(Layer::Flag, SourceFile::new("", text))]);
    let reviewers = Reviewers::read(&config, &[]);
    match reviewers.found.into_iter().next() {
        Some(fault) => Err(Fault { message: fault.message, help: fault.help }),
        None => {
            Ok(reviewers.defaults.unwrap_or_default().into_iter().map(|one| one.name).collect())
        }
    }
}

/// What would be wrong with the instance that a key belongs to, if the text of a layer were this
/// one. An instance that only lacks its lane is not wrong yet: its members are set one by one.
pub fn faults_of_edit(
    config: &Config,
    layer: Layer,
    file: &Arc<SourceFile>,
    key: &str,
    lanes: &[&Descriptor],
) -> Vec<Diagnostic> {
    let Some(rest) = key.strip_prefix(INSTANCES) else { return vec![] };
    let (config, _) = config.with(layer, Arc::clone(file));
    let name = rest.strip_prefix('.').and_then(|rest| rest.split('.').next());
    config
        .names_below(INSTANCES)
        .into_iter()
        .filter(|(known, _)| name.is_none_or(|name| name == *known))
        .filter_map(|(name, at)| {
            let wrong = instance::read(&config, name, lanes).err()?;
            (!wrong.unfinished).then(|| wrong.at(at, name))
        })
        .collect()
}
