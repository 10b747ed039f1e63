//! Tasks of a Taskfile.

use super::{Missing, Tool, changed_folder, options, within, without_file};
use crate::lint::shell::Simple;
use crate::lint::tree::WorkTree;
use std::collections::BTreeSet;

pub(super) const TOOL: Tool = Tool { programs: &["task"], missing };

#[rustfmt::skip]
const FILES: [&str; 8] = [
    "Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml",
    "Taskfile.dist.yml", "Taskfile.dist.yaml", "taskfile.dist.yml", "taskfile.dist.yaml",
];

fn missing(tree: &WorkTree, command: &Simple, folder: &str) -> Option<Missing> {
    let read = options(
        command.arguments(),
        &["-d", "--dir"],
        &["-t", "--taskfile", "-g", "--global"],
        &[],
    );
    if read.elsewhere {
        return None;
    }
    let folder = changed_folder(folder, &read)?;
    let word =
        read.operands.first().filter(|word| !word.expands && !word.text.contains(['=', ':']))?;
    let Some(file) = FILES.iter().map(|name| within(&folder, name)).find(|path| tree.is_file(path))
    else {
        return without_file(tree, &folder, &FILES, word);
    };
    let text = tree.text(&file)?;
    let mut known = BTreeSet::new();
    let mut indent: Option<usize> = None;
    let mut inside = false;
    for line in text.text().lines() {
        let depth = line.len() - line.trim_start().len();
        let entry = line.trim();
        if entry.is_empty() || entry.starts_with('#') {
            continue;
        }
        if depth == 0 {
            if entry.starts_with("includes:") {
                return None;
            }
            inside = entry.starts_with("tasks:");
            continue;
        }
        if inside && *indent.get_or_insert(depth) == depth {
            let name = entry.split(':').next().unwrap_or_default();
            known.insert(name.trim_matches(['"', '\'']).to_owned());
        }
    }
    // Aliases and wild cards are declared below a task.
    if text.text().contains("aliases:") || known.iter().any(|name| name.contains('*')) {
        return None;
    }
    (!known.contains(&word.text)).then(|| Missing {
        what: "task",
        name: word.text.clone(),
        file,
        known,
        span: word.span.clone(),
    })
}
