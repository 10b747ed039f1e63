//! `gsd config explain`: one setting, and what each layer says about it.

use super::{declared, masked_below, origin, plain, read, unknown};
use crate::commands::{Context, Outcome};
use crate::exit::ExitStatus;
use crate::ui::{Tone, Ui};
use gsd_engine::config::{Config, Declaration, Kind, Setting};
use gsd_engine::json::to_value;
use gsd_engine::text::printable;
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, key: &str) -> Outcome {
    let declared = declared(context);
    let config = read(ui, context);
    let declaration = declared.find(key);
    let layers: Vec<Said> = config
        .all(key)
        .map(|setting| {
            let value = to_value(setting.node);
            Said {
                standing: Standing::of(&config, key, &setting, declaration),
                value: masked_below(&declared, key, &value),
                setting,
            }
        })
        .collect();
    let Some(declaration) = declaration else {
        if layers.is_empty() {
            return Err(unknown(&declared, key));
        }
        return Ok(show(ui, key, None, &layers));
    };
    Ok(show(ui, key, Some(declaration), &layers))
}

/// What one layer says.
struct Said<'a> {
    setting: Setting<'a>,
    value: Value,
    standing: Standing,
}

/// What becomes of a layer's word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Holds,
    /// A stronger layer says something else.
    Covered,
    /// Only the user may set it.
    NotAllowed,
    /// It holds, and whoever reads it takes it for unset: its type is wrong.
    WrongType,
}

impl Standing {
    fn of(
        config: &Config,
        key: &str,
        setting: &Setting<'_>,
        declaration: Option<&Declaration>,
    ) -> Self {
        if Config::is_ignored(key, setting.layer) {
            return Self::NotAllowed;
        }
        let same = |holds: Setting<'_>| std::ptr::eq(holds.node, setting.node);
        if !config.get(key).is_some_and(same) {
            return Self::Covered;
        }
        match declaration {
            Some(one) if !one.kind.accepts(&to_value(setting.node)) => Self::WrongType,
            Some(_) | None => Self::Holds,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Covered => "covered",
            Self::NotAllowed => "not-allowed",
            Self::WrongType => "wrong-type",
        }
    }

    const fn said(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Covered => "covered by a stronger layer",
            Self::NotAllowed => "does nothing: only the user's own file may set it",
            Self::WrongType => "counts as unset: it is of another type",
        }
    }
}

fn show(ui: &Ui, key: &str, declaration: Option<&Declaration>, layers: &[Said<'_>]) -> ExitStatus {
    let held = layers.iter().find(|said| said.standing == Standing::Holds);
    let default = declaration.and_then(|one| one.default.clone());
    if ui.json {
        let said: Vec<Value> = layers
            .iter()
            .map(|said| {
                json!({
                    "layer": said.setting.layer.word(),
                    "origin": origin(&said.setting),
                    "value": said.value,
                    "standing": said.standing.word(),
                })
            })
            .collect();
        ui.success(json!({
            "key": key,
            "value": held.map(|said| said.value.clone()).or(default.clone()),
            "type": declaration.map(|one| one.kind.word()),
            "takes": declaration.map(|one| one.kind.expected()),
            "values": declaration.and_then(words),
            "default": default,
            "description": declaration.map(|one| one.description.clone()),
            "owner": declaration.map(|one| one.owner.clone().unwrap_or("gsd".to_owned())),
            "userOnly": declaration.map(|one| one.user_only),
            "layers": said,
        }));
        return ExitStatus::Done;
    }
    let row = |name: &str, text: &str| ui.line(format_args!("{name:<8} {text}"));
    ui.line(ui.paint(Tone::Strong, &printable(key, 120)));
    match declaration {
        Some(one) => {
            row("what", &one.description);
            let only = if one.user_only { "; only in `~/.gsd/defaults.json`" } else { "" };
            row("takes", &format!("{}{only}", one.kind.expected()));
            row("owner", one.owner.as_deref().unwrap_or("gsd"));
            row("default", &default.as_ref().map_or("none".to_owned(), Value::to_string));
        }
        None => row("what", "nobody knows this setting; it is kept and does nothing"),
    }
    match (held, &default) {
        (Some(said), _) => {
            row("value", &format!("{} ({})", plain(&said.value), said.setting.origin()));
        }
        (None, Some(default)) => row("value", &format!("{} (default)", plain(default))),
        (None, None) => row("value", "unset"),
    }
    for said in layers {
        let line = format!(
            "{:<11} {} = {}: {}",
            said.setting.layer.word(),
            said.setting.origin(),
            said.value,
            said.standing.said()
        );
        let tone = match said.standing {
            Standing::Holds => Tone::Good,
            Standing::Covered => Tone::Dim,
            Standing::NotAllowed | Standing::WrongType => Tone::Warn,
        };
        ui.line(format_args!("  {}", ui.paint(tone, &printable(&line, 2000))));
    }
    ExitStatus::Done
}

fn words(declaration: &Declaration) -> Option<Vec<String>> {
    match &declaration.kind {
        Kind::Words(words) => Some(words.clone()),
        Kind::Any | Kind::Boolean | Kind::Text | Kind::Number(_) | Kind::List | Kind::Object => {
            None
        }
    }
}
