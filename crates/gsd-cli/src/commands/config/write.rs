//! `gsd config set` and `unset`: one member of one file; everything else in it stays.

use super::{declared, masked, plain, unknown};
use crate::args::LayerWord;
use crate::commands::{Context, Outcome};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::ui::Ui;
use gsd_engine::config::{
    self, Change, ChangeError, Changed, Config, Declaration, Declarations, Layer, Place, Places,
    WORKSTREAM_VARIABLE,
};
use gsd_engine::diag::{Diagnostic, SourceFile};
use gsd_engine::lane::settings::check_edit;
use gsd_engine::text::printable;
use gsd_io::fs::ReadError;
use serde_json::{Value, json};
use std::sync::Arc;

/// A change that was made.
pub(super) struct Made {
    pub(super) place: Place,
    /// `None` if the setting was removed.
    pub(super) value: Option<Value>,
    pub(super) changed: Changed,
}

pub(super) fn set(
    ui: &Ui,
    context: &Context,
    key: &str,
    typed: &str,
    layer: Option<LayerWord>,
) -> Outcome {
    let declared = declared(context);
    let declaration = declared.find(key).ok_or_else(|| unknown(&declared, key))?;
    let value = parse(declaration, key, typed)?;
    let made = make(ui, context, &declared, key, Some(value), layer)?;
    Ok(tell(ui, context, declaration, key, &made))
}

pub(super) fn unset(ui: &Ui, context: &Context, key: &str, layer: Option<LayerWord>) -> Outcome {
    let declared = declared(context);
    let made = make(ui, context, &declared, key, None, layer)?;
    let known = declared.find(key);
    if made.changed.previous.is_none() && known.is_none() {
        return Err(unknown(&declared, key));
    }
    let nobody = Declaration {
        key: key.to_owned(),
        kind: gsd_engine::config::Kind::Any,
        default: None,
        description: String::new(),
        owner: None,
        user_only: false,
        secret: false,
    };
    Ok(tell(ui, context, known.unwrap_or(&nobody), key, &made))
}

/// A typed value of the type that the key takes.
pub(super) fn parse(
    declaration: &Declaration,
    key: &str,
    typed: &str,
) -> Result<Value, CommandError> {
    declaration.kind.parse(typed).map_err(|expected| {
        let shown = if declaration.secret { "this" } else { &printable(typed, 80) };
        let message = format!("`{key}` takes {expected}, not `{shown}`");
        let error = CommandError::new(ExitStatus::Refused, "config-value", message);
        match declaration.kind {
            // `7` or `true` may well be meant as a text.
            config::Kind::Text => error.hint(format!("for a text write '\"{shown}\"'")),
            config::Kind::List => error.hint(format!("write it as '[\"{shown}\"]'")),
            config::Kind::Any
            | config::Kind::Boolean
            | config::Kind::Number(_)
            | config::Kind::Words(_)
            | config::Kind::Object => error.hint(more(key)),
        }
    })
}

fn more(key: &str) -> String {
    format!("`gsd config explain {key}` tells more")
}

/// Makes the change in the file of a layer; a null removes the setting.
pub(super) fn make(
    ui: &Ui,
    context: &Context,
    declared: &Declarations,
    key: &str,
    value: Option<Value>,
    layer: Option<LayerWord>,
) -> Result<Made, CommandError> {
    let user_only = Config::is_ignored(key, Layer::Project);
    let place = place(context, key, user_only, layer)?;
    let value = value.filter(|value| !value.is_null());
    let roster = super::super::capability::compose(context).0.registry.lanes();
    let lanes = roster.descriptors();
    let (value, hints) = match value {
        Some(value) => {
            let edit = check_edit(key, value, &lanes).map_err(|fault| {
                let error = CommandError::new(ExitStatus::Refused, "config-value", fault.message);
                error.hint(fault.help.unwrap_or_else(|| more(key)))
            })?;
            (Some(edit.value), edit.hints)
        }
        None => (None, vec![]),
    };
    for hint in hints {
        ui.warn(printable(&hint, 400));
    }
    let (config, _) = config::read(&context.env, &context.root, &context.settings);
    let refuse = |file: &Arc<SourceFile>| -> Vec<Diagnostic> {
        gsd_engine::lane::settings::faults_of_edit(&config, place.layer, file, key, &lanes)
    };
    let change = Change { key, value: value.as_ref() };
    let changed = config::change(&context.env, &place, change, &refuse)
        .map_err(|error| refused(ui, error, declared, key))?;
    Ok(Made { place, value, changed })
}

/// The file to change.
fn place(
    context: &Context,
    key: &str,
    user_only: bool,
    layer: Option<LayerWord>,
) -> Result<Place, CommandError> {
    let places = Places::of(&context.env, &context.root);
    if places.refused_workstream.is_some() {
        let message = format!("`{WORKSTREAM_VARIABLE}` does not name a workstream");
        return Err(CommandError::new(ExitStatus::Usage, "workstream", message)
            .hint("a name has letters, digits, `-`, `_` and `.`"));
    }
    let in_project = gsd_io::fs::kind(&context.root.join(".planning")).is_some();
    let layer = match layer {
        Some(LayerWord::User) => Layer::User,
        Some(LayerWord::Project) => Layer::Project,
        Some(LayerWord::Workstream) => Layer::Workstream,
        None if user_only || !in_project => Layer::User,
        None if places.workstream.is_some() => Layer::Workstream,
        None => Layer::Project,
    };
    if user_only && layer != Layer::User {
        let message = format!("only the user may set `{key}`; in a project it does nothing");
        return Err(CommandError::new(ExitStatus::Refused, "config-user-only", message)
            .hint(format!("`gsd config set {key} VALUE --layer user`")));
    }
    Place::of(&places, &context.root, layer).ok_or_else(|| {
        let (message, hint) = match layer {
            Layer::Workstream => ("no workstream is chosen", "set GSD_WORKSTREAM to its name"),
            Layer::User | Layer::Project | Layer::Environment | Layer::Flag => {
                ("there is no home for the user's settings", "set HOME to a folder of yours")
            }
        };
        CommandError::new(ExitStatus::Usage, "config-layer", message).hint(hint)
    })
}

fn refused(ui: &Ui, error: ChangeError, declared: &Declarations, key: &str) -> CommandError {
    let from = |status, code| CommandError::from_error(status, code, &error);
    match &error {
        ChangeError::Busy(_) => from(ExitStatus::Busy, "busy").hint("try again in a moment"),
        ChangeError::Broken { name, fault } => {
            if !ui.json {
                ui.talk(diagnostics::human(ui, std::slice::from_ref(fault)));
            }
            let line = fault.at.line();
            from(ExitStatus::Corrupt, "config-broken")
                .hint(format!("mend line {line} of `{name}`, then try again"))
                .detail("file", name.as_str())
                .detail("line", line)
        }
        ChangeError::Unreadable { name, source: ReadError::NotUtf8 { .. } } => {
            from(ExitStatus::Corrupt, "config-unreadable")
                .hint(format!("save `{name}` as UTF-8, then try again"))
        }
        ChangeError::Unreadable { name, .. } => from(ExitStatus::Corrupt, "config-unreadable")
            .hint(format!("look at `{name}` with `ls -l`")),
        ChangeError::Outside { .. } => from(ExitStatus::Refused, "config-outside")
            .hint("replace the link by a file of the project"),
        ChangeError::InTheWay { path, .. } => {
            let error = from(ExitStatus::Refused, "config-in-the-way");
            match declared.find(path) {
                Some(_) => error.hint(format!("`{key}` is no setting below `{path}`")),
                None => error.hint(format!("`gsd config unset {path}` takes it away")),
            }
        }
        ChangeError::Refused(faults) => {
            let first = &faults[0];
            let error =
                CommandError::new(ExitStatus::Refused, "config-value", first.message.clone());
            error.hint(first.help.clone().unwrap_or_else(|| more(key)))
        }
        ChangeError::NoStateHome | ChangeError::Lock(_) | ChangeError::Write(_) => {
            from(ExitStatus::Diagnostics, "config-not-written")
                .hint("look at the permissions of the folder")
        }
    }
}

fn tell(
    ui: &Ui,
    context: &Context,
    declaration: &Declaration,
    key: &str,
    made: &Made,
) -> ExitStatus {
    let Made { place, value, changed } = made;
    let (config, _) = config::read(&context.env, &context.root, &context.settings);
    let stronger = config.get(key).filter(|holds| holds.layer > place.layer);
    if ui.json {
        ui.success(json!({
            "key": key,
            "value": value.as_ref().map(|value| masked(declaration.into(), value)),
            "previousValue": changed.previous.as_ref().map(|old| masked(declaration.into(), old)),
            "file": place.name,
            "layer": place.layer.word(),
            "written": changed.written,
            "covered": stronger.map(|holds| holds.origin()),
        }));
        return ExitStatus::Done;
    }
    let old = match &changed.previous {
        Some(old) if value.is_some() && changed.written => {
            format!(" (was {})", plain(&masked(declaration.into(), old)))
        }
        Some(_) | None => String::new(),
    };
    let what = match (value, changed.written) {
        (Some(value), true) => {
            format!("{key} = {}{old}", plain(&masked(declaration.into(), value)))
        }
        (Some(_), false) => format!("{key} has this value already"),
        (None, true) => format!("{key} is removed"),
        (None, false) => format!("{key} is not set there"),
    };
    ui.say(format_args!("{}: {}", place.name, printable(&what, 400)));
    if let Some(holds) = stronger {
        ui.warn(format_args!("{} says otherwise and holds", holds.origin()));
    }
    ExitStatus::Done
}
