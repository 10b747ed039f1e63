//! Scripts of composer.json.

use super::{Missing, Tool, changed_folder, json_file, names, options, within, without_file};
use crate::lint::shell::Simple;
use crate::lint::tree::WorkTree;
use std::collections::BTreeSet;

pub(super) const TOOL: Tool = Tool { programs: &["composer"], missing };

fn missing(tree: &WorkTree, command: &Simple, folder: &str) -> Option<Missing> {
    let read = options(command.arguments(), &["-d", "--working-dir"], &["-g"], &[]);
    if read.elsewhere {
        return None;
    }
    let folder = changed_folder(folder, &read)?;
    let [verb, word, ..] = read.operands.as_slice() else { return None };
    if !["run", "run-script"].contains(&verb.text.as_str()) || word.expands {
        return None;
    }
    let file = within(&folder, "composer.json");
    if tree.is_absent(&file) {
        return without_file(tree, &folder, &["composer.json"], word);
    }
    let known = match json_file(tree, &file)?.as_object()?.get("scripts") {
        Some(scripts) => names(scripts)?,
        None => BTreeSet::new(),
    };
    (!known.contains(&word.text)).then(|| Missing {
        what: "script",
        name: word.text.clone(),
        file,
        known,
        span: word.span.clone(),
    })
}
