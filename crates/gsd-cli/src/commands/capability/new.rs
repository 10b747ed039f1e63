//! `gsd capability new`: a bundle that validates as it is.

use super::{Context, Outcome};
use crate::args::{CapabilityNewArgs, RoleWord};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::diag::SourceFile;
use gsd_engine::id::CapabilityId;
use gsd_engine::manifest::{Role, template};
use gsd_engine::registry::validate_text;
use gsd_engine::store::check::refused_ids;
use gsd_engine::text::printable;
use gsd_io::fs;
use serde_json::json;
use std::io::{BufRead, IsTerminal};

pub(super) fn run(ui: &Ui, context: &Context, args: &CapabilityNewArgs) -> Outcome {
    let id = CapabilityId::parse(&args.id).map_err(|error| {
        let message = format!("`{}` is not an id", printable(&args.id, 80));
        CommandError::new(ExitStatus::Usage, "id-invalid", message).hint(error.expected)
    })?;
    let hint = "choose an id that starts with a name of yours";
    // Nobody could install it.
    if let Some(refusal) = refused_ids([id.as_str()]).pop() {
        let refused = CommandError::new(ExitStatus::Usage, "id-reserved", refusal.message);
        return Err(refused.hint(hint));
    }
    let role = match args.role {
        Some(word) => role(word),
        None => ask(ui)?,
    };
    let folder = context.env.absolute(&args.dir).join(id.as_str());
    if fs::kind(&folder).is_some() {
        let message = format!("`{}` is there already", args.dir.join(id.as_str()));
        let hint = "choose another id, or another folder with `--dir`";
        return Err(CommandError::new(ExitStatus::Refused, "exists", message).hint(hint));
    }
    let files = template::files(&id, role);
    let manifest = SourceFile::new(files[0].0.as_str(), files[0].1.as_str());
    if let Some(fault) = validate_text(&manifest, &id).first() {
        let message =
            format!("a {} with the id `{id}` is not valid: {}", role.word(), fault.message);
        return Err(CommandError::new(ExitStatus::Usage, "id-taken", message).hint(hint));
    }
    for (path, text) in &files {
        let full = folder.join(path);
        let parent = full.parent().unwrap_or(&folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write_atomic(&full, text.as_bytes()))
            .map_err(|error| {
                CommandError::from_error(ExitStatus::Diagnostics, "not-written", &error)
            })?;
    }
    let shown = args.dir.join(id.as_str());
    let shown = shown.strip_prefix(".").unwrap_or(&shown);
    let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    if ui.json {
        ui.success(
            json!({ "id": id, "role": role.word(), "folder": shown.as_str(), "files": names }),
        );
        return Ok(ExitStatus::Done);
    }
    for name in names {
        ui.line(shown.join(name));
    }
    ui.say(format_args!(
        "next: read {shown}/README.md, then gsd capability validate {shown} --strict"
    ));
    Ok(ExitStatus::Done)
}

const fn role(word: RoleWord) -> Role {
    match word {
        RoleWord::Feature => Role::Feature,
        RoleWord::Runtime => Role::Runtime,
        RoleWord::Reviewer => Role::Reviewer,
    }
}

/// Asks a person. Nobody is asked who could not answer.
fn ask(ui: &Ui) -> Result<Role, CommandError> {
    let usage = || {
        let message = "what is it: a feature, a runtime or a reviewer?";
        let hint = "add `--role feature`, `--role runtime` or `--role reviewer`";
        CommandError::new(ExitStatus::Usage, "role-missing", message).hint(hint)
    };
    if ui.json || !std::io::stdin().is_terminal() {
        return Err(usage());
    }
    ui.talk(
        "What is it?\n  1  feature   steps, texts and gates for the loop\n  2  runtime   a host CLI to install into\n  3  reviewer  a reviewer of plans\n[1/2/3] ",
    );
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(|_| usage())?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "1" | "feature" => Ok(Role::Feature),
        "2" | "runtime" => Ok(Role::Runtime),
        "3" | "reviewer" => Ok(Role::Reviewer),
        _ => Err(usage()),
    }
}
