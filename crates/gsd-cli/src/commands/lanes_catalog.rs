//! `gsd lanes-catalog`: the public list of reviewer lanes and its page.

use super::{Context, Outcome};
use crate::args::{
    LanesCatalogArgs, LanesCatalogCommand, LanesCatalogRenderArgs, LanesCatalogVerifyArgs,
};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::catalog::{Entry, Fault, HandOff, LIST, check, check_since, compare, page};
use gsd_engine::manifest::{self, read_bundle};
use gsd_engine::text::printable;
use gsd_io::fs::{self, Links};
use serde_json::json;
use std::collections::BTreeMap;

/// No list and no page is larger.
const MAX_LIST: u64 = 8 * 1024 * 1024;
const MAX_HAND_OFF: u64 = 64 * 1024;

pub(super) fn run(ui: &Ui, context: &Context, args: &LanesCatalogArgs) -> Outcome {
    match &args.command {
        LanesCatalogCommand::Verify(args) => verify(ui, context, args),
        LanesCatalogCommand::Render(args) => render(ui, context, args),
    }
}

/// The list, and how it is called in messages.
fn list_of(context: &Context, given: Option<&Utf8Path>) -> (Utf8PathBuf, String) {
    match given {
        Some(file) => (context.env.absolute(file), printable(file.as_str(), 200)),
        None => (context.root.join(LIST), LIST.to_owned()),
    }
}

/// A list as far as it can be read.
fn read(path: &Utf8Path) -> (Vec<Entry>, Vec<Fault>) {
    match fs::read_text(path, MAX_LIST, Links::Follow) {
        Ok(text) => check(&text),
        Err(_) => {
            let reason = "the file is missing, is no plain file of text, or is too large";
            let fault =
                Fault { index: None, id: None, field: String::new(), reason: reason.into() };
            (vec![], vec![fault])
        }
    }
}

fn verify(ui: &Ui, context: &Context, args: &LanesCatalogVerifyArgs) -> Outcome {
    let (path, name) = list_of(context, args.list.as_deref());
    let (entries, mut faults) = read(&path);
    if let Some(older) = &args.since {
        let (before, broken) = read(&context.env.absolute(older));
        if let Some(fault) = broken.first() {
            let message = format!("the older list cannot be used: {fault}");
            return Err(CommandError::new(ExitStatus::Diagnostics, "list-unreadable", message)
                .hint("name the list as it was before, such as one that `git show` printed"));
        }
        let hand_offs = hand_offs(&path, &entries, &mut faults);
        faults.extend(check_since(&before, &entries, &hand_offs));
    }
    if let Some(folder) = &args.bundles {
        let folder = context.env.absolute(folder);
        faults.extend(entries.iter().flat_map(|entry| compared(entry, &folder)));
    }
    faults.sort_by_key(|fault| fault.index);
    let is_right = faults.is_empty();
    let status = if is_right { ExitStatus::Done } else { ExitStatus::Diagnostics };
    if ui.json {
        let errors: Vec<_> = faults.iter().map(Fault::to_json).collect();
        let result = json!({ "file": name, "type": "reviewer", "ok": is_right, "errors": errors });
        ui.document(&json!({ "ok": is_right, "details": { "ok": is_right, "results": [result] } }));
        return Ok(status);
    }
    for fault in &faults {
        ui.line(format_args!("{name}: {fault}"));
    }
    if is_right {
        ui.say(format_args!("{name}: {} right", count(entries.len())));
    } else {
        ui.say("next: correct the list, then `gsd lanes-catalog verify` again");
    }
    Ok(status)
}

fn count(entries: usize) -> String {
    if entries == 1 { "1 entry is".to_owned() } else { format!("{entries} entries are") }
}

/// What old owners said, beside the list.
fn hand_offs(
    list: &Utf8Path,
    entries: &[Entry],
    faults: &mut Vec<Fault>,
) -> BTreeMap<String, HandOff> {
    let folder = list.parent().unwrap_or(Utf8Path::new("/")).join("hand-offs");
    let mut known = BTreeMap::new();
    for entry in entries {
        let path = folder.join(format!("{}.json", entry.id));
        let Ok(text) = fs::read_text(&path, MAX_HAND_OFF, Links::Refuse) else { continue };
        match HandOff::parse(&text) {
            Ok(hand_off) => drop(known.insert(entry.id.clone(), hand_off)),
            Err(reason) => faults.push(Fault {
                index: Some(entry.index),
                id: Some(entry.id.clone()),
                field: format!("hand-offs/{}.json", entry.id),
                reason,
            }),
        }
    }
    known
}

/// An entry beside its bundle.
fn compared(entry: &Entry, folder: &Utf8Path) -> Vec<Fault> {
    let context =
        manifest::Context { origin: manifest::Origin::ThirdParty, folder: Some(&entry.id) };
    let bundle = read_bundle(&folder.join(&entry.id), &entry.id, context);
    match bundle.manifest() {
        Some(manifest) => compare(entry, manifest),
        None => vec![Fault {
            index: Some(entry.index),
            id: Some(entry.id.clone()),
            field: String::new(),
            reason: "its bundle cannot be used: `gsd capability validate` says why".to_owned(),
        }],
    }
}

fn render(ui: &Ui, context: &Context, args: &LanesCatalogRenderArgs) -> Outcome {
    let (path, name) = list_of(context, args.list.as_deref());
    let (entries, faults) = read(&path);
    if let Some(fault) = faults.first() {
        let message = format!("{name} has faults, the first is: {fault}");
        return Err(CommandError::new(ExitStatus::Diagnostics, "list-faulty", message)
            .hint("gsd lanes-catalog verify"));
    }
    let text = page(&entries);
    let page_path = path.with_extension("md");
    let page_name = Utf8Path::new(&name).with_extension("md");
    if args.check {
        let written = fs::read_text(&page_path, MAX_LIST, Links::Follow);
        // Git may have changed the line ends.
        let is_same = written.as_ref().is_ok_and(|old| old.replace('\r', "") == text);
        if !is_same {
            let what = if written.is_ok() { "is another one" } else { "is missing" };
            let message = format!("the page {page_name} {what}");
            return Err(CommandError::new(ExitStatus::Diagnostics, "page-stale", message)
                .hint("gsd lanes-catalog render --write"));
        }
        if ui.json {
            ui.success(json!({ "page": page_name.as_str(), "entries": entries.len() }));
        } else {
            ui.say(format_args!("{page_name} is up to date"));
        }
        return Ok(ExitStatus::Done);
    }
    if args.write {
        fs::write_atomic(&page_path, text.as_bytes()).map_err(|error| {
            CommandError::from_error(ExitStatus::Diagnostics, "not-written", &error)
        })?;
        if ui.json {
            ui.success(json!({ "page": page_name.as_str(), "entries": entries.len() }));
        } else {
            ui.say(format_args!("{page_name}: {} on it", count(entries.len())));
        }
        return Ok(ExitStatus::Done);
    }
    if ui.json {
        ui.success(json!({ "markdown": text, "entries": entries.len() }));
    } else {
        ui.data(&text);
    }
    Ok(ExitStatus::Done)
}
