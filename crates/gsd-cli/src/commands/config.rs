//! `gsd config`: what holds, where it comes from, and changing it.

mod compat;
mod explain;
mod list;
mod validate;
mod write;

pub(super) use compat::{get as get_compat, set as set_compat};
pub(super) use validate::found as faults;

use super::{Context, Outcome};
use crate::args::{ConfigArgs, ConfigCommand, LayerWord};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::ui::Ui;
use gsd_engine::config::{self, Config, Declaration, Declarations, Flags, Layer, Setting};
use gsd_engine::text::printable;
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, args: &ConfigArgs) -> Outcome {
    match &args.command {
        ConfigCommand::Get(args) => get(ui, context, &args.key),
        ConfigCommand::Set(args) => {
            write::set(ui, context, &args.key, &args.value, args.layer.layer)
        }
        ConfigCommand::Unset(args) => write::unset(ui, context, &args.key, args.layer.layer),
        ConfigCommand::List(args) => list::run(ui, context, args),
        ConfigCommand::Explain(args) => explain::run(ui, context, &args.key),
        ConfigCommand::Validate(args) => validate::run(ui, context, args),
    }
}

/// What `--config KEY=VALUE` says, with values of the type that each key takes.
pub(super) fn flags(context: &Context, given: &[String]) -> Result<Flags, CommandError> {
    let mut flags = Flags::default();
    if given.is_empty() {
        return Ok(flags);
    }
    let declared = declared(context);
    for text in given {
        let Some((key, typed)) = text.split_once('=') else {
            let message = format!("`--config {}` has no `=`", printable(text, 80));
            return Err(CommandError::new(ExitStatus::Usage, "usage", message)
                .hint("write `--config KEY=VALUE`, such as `--config review.effort=high`"));
        };
        let declaration = declared.find(key).ok_or_else(|| unknown(&declared, key))?;
        let value = declaration.kind.parse(typed).map_err(|expected| {
            let message = format!("`--config {key}` takes {expected}");
            CommandError::new(ExitStatus::Usage, "config-value", message)
                .hint(format!("`gsd config explain {key}` tells more"))
        })?;
        flags.0.push((key.to_owned(), value));
    }
    Ok(flags)
}

/// The settings of gsd and of every capability in force.
fn declared(context: &Context) -> Declarations {
    super::capability::compose(context).0.registry.declarations()
}

/// Whether there is a setting of that name.
pub(super) fn is_setting(context: &Context, key: &str) -> bool {
    key.contains('.') && declared(context).find(key).is_some()
}

/// All layers; what is wrong with a file is said.
fn read(ui: &Ui, context: &Context) -> Config {
    let (config, found) = config::read(&context.env, &context.root, &context.settings);
    diagnostics::warn(ui, &found);
    config
}

/// Those of some settings that the project's own file makes.
pub(super) fn set_in_project(context: &Context, keys: &[String]) -> Vec<String> {
    let (config, _) = config::read(&context.env, &context.root, &context.settings);
    let in_project = |key: &&String| config.all(key).any(|one| one.layer == Layer::Project);
    keys.iter().filter(in_project).cloned().collect()
}

/// Takes settings out of the project's own file; gives those that it took out.
pub(super) fn purge(
    ui: &Ui,
    context: &Context,
    keys: &[String],
) -> Result<Vec<String>, CommandError> {
    let declared = declared(context);
    for key in keys {
        write::make(ui, context, &declared, key, None, Some(LayerWord::Project))?;
    }
    Ok(keys.to_vec())
}

fn unknown(declared: &Declarations, key: &str) -> CommandError {
    let shown = printable(key, 120);
    let error = CommandError::new(
        ExitStatus::Unknown,
        "config-unknown-key",
        format!("no setting `{shown}`"),
    );
    let below: Vec<&str> = declared.below(key).map(|one| one.key.as_str()).take(8).collect();
    if let [first, ..] = below.as_slice() {
        return error
            .hint(format!("it is a group, not a setting; set one of it, such as `{first}`"));
    }
    match declared.nearest(key) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`gsd config list --all` shows every setting"),
    }
}

/// A value that may be shown: of a secret only its end.
fn masked(declaration: Option<&Declaration>, value: &Value) -> Value {
    match value {
        Value::String(text) if declaration.is_some_and(|one| one.secret) && !text.is_empty() => {
            let count = text.chars().count();
            let shown = if count > 8 { 4 } else { 0 };
            let tail: String = text.chars().skip(count - shown).collect();
            Value::from(format!("****{tail}"))
        }
        other => other.clone(),
    }
}

/// Masks what is secret anywhere in a group of settings.
fn masked_below(declared: &Declarations, key: &str, value: &Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| {
                    (name.clone(), masked_below(declared, &format!("{key}.{name}"), value))
                })
                .collect(),
        ),
        other => masked(declared.find(key), other),
    }
}

/// A value as it is printed for people: texts without quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => printable(text, 2000),
        other => other.to_string(),
    }
}

fn origin(setting: &Setting<'_>) -> Value {
    let at = setting.at();
    let position = at.position();
    json!({
        "layer": setting.layer.word(),
        "file": at.file.name(),
        "line": position.line,
        "column": position.column,
    })
}

/// `gsd config get`: the value alone, so that scripts can use it; its origin with `--json`.
fn get(ui: &Ui, context: &Context, key: &str) -> Outcome {
    let declared = declared(context);
    let config = read(ui, context);
    let setting = config.get(key);
    let declaration = declared.find(key);
    let value = config.value(key).map(|value| masked_below(&declared, key, &value));
    let default = declaration.and_then(|one| one.default.clone());
    let Some(holds) = value.clone().or(default) else {
        if declaration.is_none() {
            return Err(unknown(&declared, key));
        }
        let message = format!("`{key}` is not set");
        return Err(CommandError::new(ExitStatus::Unknown, "config-not-set", message)
            .hint(format!("`gsd config set {key} VALUE` sets it")));
    };
    if ui.json {
        ui.success(json!({
            "key": key,
            "value": holds,
            "layer": setting.map_or("default", |setting| setting.layer.word()),
            "origin": setting.map(|setting| origin(&setting)),
        }));
    } else {
        ui.line(plain(&holds));
    }
    Ok(ExitStatus::Done)
}
