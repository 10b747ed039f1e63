//! `config-get` and `config-set`: the shapes that existing workflows read.
//!
//! They print JSON without a line break at its end. What holds is decided as everywhere else.

use super::{declared, masked, masked_below, read, unknown, write};
use crate::args::{ConfigGetCompatArgs, ConfigSetCompatArgs};
use crate::commands::{Context, Outcome};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::config::{Config, Layer, Places};
use gsd_io::fs;
use serde_json::{Map, Value};

/// The value of a key or of a group of keys; a number picks an element of a list.
pub(in crate::commands) fn get(ui: &Ui, context: &Context, args: &ConfigGetCompatArgs) -> Outcome {
    let key = args.key.as_str();
    if key.is_empty() {
        return Err(CommandError::new(ExitStatus::Usage, "usage", "the key is empty")
            .hint("config-get KEY [--default VALUE]"));
    }
    refuse_broken(context)?;
    let declared = declared(context);
    let config = read(ui, context);
    let set = value(&config, key).map(|value| masked_below(&declared, key, &value));
    let declaration = declared.find(key);
    let given = || args.default.as_deref().map(Value::from);
    let default = || declaration.and_then(|one| one.default.clone());
    let Some(value) =
        set.or_else(|| given().map(|text| masked(declaration, &text))).or_else(default)
    else {
        let (code, message) = match config.texts().any(|(layer, ..)| layer >= Layer::Project) {
            true => ("config-key-not-found", format!("key not found: {key}")),
            false => ("config-no-file", "there is no .planning/config.json".to_owned()),
        };
        return Err(CommandError::new(ExitStatus::Unknown, code, message)
            .hint("`gsd config list --all` shows every setting"));
    };
    match (&value, args.raw) {
        (Value::String(text), true) => ui.data(text),
        (value, _) => ui.data(&document(value)),
    }
    Ok(ExitStatus::Done)
}

/// The value of a key, or the element of a list that its last part counts.
fn value(config: &Config, key: &str) -> Option<Value> {
    if let Some(value) = config.value(key) {
        return Some(value);
    }
    let (list, index) = key.rsplit_once('.')?;
    let index: usize = index.parse().ok()?;
    config.value(list)?.as_array()?.get(index).cloned()
}

/// Whoever reads one value wants no default where the file that holds it cannot be read.
fn refuse_broken(context: &Context) -> Result<(), CommandError> {
    let places = Places::of(&context.env, &context.root);
    let (config, found) = gsd_engine::config::read(&context.env, &context.root, &context.settings);
    for layer in [Layer::Project, Layer::Workstream] {
        let Some(path) = places.file(layer) else { continue };
        let there = fs::kind(path).is_some();
        if !there || config.texts().any(|(read, ..)| read == layer) {
            continue;
        }
        let name = places.name(layer);
        let fault = found.iter().find(|diagnostic| diagnostic.at.file.name() == name);
        let message = match fault {
            Some(fault) => format!("`{name}` cannot be read: {}", fault.message),
            None => format!("`{name}` cannot be read"),
        };
        return Err(CommandError::new(ExitStatus::Corrupt, "config-parse-failed", message)
            .hint(format!("mend `{name}`; `gsd config validate` shows where")));
    }
    Ok(())
}

/// Sets a key, or removes it with `null`.
pub(in crate::commands) fn set(ui: &Ui, context: &Context, args: &ConfigSetCompatArgs) -> Outcome {
    let key = args.key.as_str();
    let declared = declared(context);
    let declaration = declared.find(key).ok_or_else(|| unknown(&declared, key))?;
    let value = write::parse(declaration, key, &args.value)?;
    let made = write::make(ui, context, &declared, key, Some(value), None)?;
    if args.raw {
        let value =
            made.value.as_ref().map_or(Value::Null, |value| masked(Some(declaration), value));
        ui.data(&format!("{key}={}", super::plain(&value)));
        return Ok(ExitStatus::Done);
    }
    let mut out = Map::new();
    let removed = made.value.is_none();
    let previous = made.changed.previous.clone();
    out.insert("updated".into(), (!removed || previous.is_some()).into());
    if removed {
        out.insert("unset".into(), true.into());
    }
    out.insert("key".into(), key.into());
    let shown = |value: &Value| masked(Some(declaration), value);
    out.insert("value".into(), made.value.as_ref().map_or(Value::Null, shown));
    if let Some(previous) = &previous {
        out.insert("previousValue".into(), shown(previous));
    }
    if declaration.secret {
        out.insert("masked".into(), true.into());
    }
    ui.data(&document(&Value::Object(out)));
    Ok(ExitStatus::Done)
}

fn document(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a value always serialises")
}
