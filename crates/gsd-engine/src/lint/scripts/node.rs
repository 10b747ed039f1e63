//! Scripts of package.json, under the tools that run them.

use super::{Missing, Tool, changed_folder, json_file, names, options, within, without_file};
use crate::lint::shell::Simple;
use crate::lint::tree::WorkTree;
use std::collections::BTreeSet;

pub(super) const TOOL: Tool = Tool { programs: &["npm", "pnpm", "yarn", "bun"], missing };

fn missing(tree: &WorkTree, command: &Simple, folder: &str) -> Option<Missing> {
    let tool = command.program();
    let read = options(
        command.arguments(),
        &["--prefix", "-C", "--dir", "--cwd"],
        &[
            "-w",
            "--workspace",
            "-ws",
            "--workspaces",
            "--filter",
            "-F",
            "-r",
            "--recursive",
            "--if-present",
        ],
        &["--loglevel"],
    );
    if read.elsewhere {
        return None;
    }
    let folder = changed_folder(folder, &read)?;
    let verb = read.operands.first()?;
    let (name, word) = match verb.text.as_str() {
        "run" | "run-script" | "rum" | "urn" => {
            let name = read.operands.get(1)?;
            (name.text.as_str(), name)
        }
        "test" | "t" | "tst" if tool != "bun" => ("test", verb),
        "start" if tool == "npm" => ("start", verb),
        _ => return None,
    };
    // yarn and bun also run programs of installed packages, so only a name that no program has
    // can be judged; that is one with a colon.
    let runs_programs = matches!(tool, "yarn" | "bun") && name != "test";
    if word.expands || name.is_empty() || (runs_programs && !name.contains(':')) {
        return None;
    }
    let file = within(&folder, "package.json");
    if tree.is_absent(&file) {
        return without_file(tree, &folder, &["package.json"], word);
    }
    let node = json_file(tree, &file)?;
    let known: BTreeSet<String> = match node.as_object()?.get("scripts") {
        Some(scripts) => names(scripts)?,
        None => BTreeSet::new(),
    };
    // npm starts `server.js` where no script says how to start.
    if known.contains(name) || (name == "start" && tree.is_file(&within(&folder, "server.js"))) {
        return None;
    }
    Some(Missing { what: "script", name: name.to_owned(), file, known, span: word.span.clone() })
}
