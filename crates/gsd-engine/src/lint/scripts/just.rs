//! Recipes of a justfile.

use super::{Missing, Tool, options, within, without_file};
use crate::lint::shell::Simple;
use crate::lint::tree::WorkTree;
use std::collections::BTreeSet;

pub(super) const TOOL: Tool = Tool { programs: &["just"], missing };

const FILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];

fn missing(tree: &WorkTree, command: &Simple, folder: &str) -> Option<Missing> {
    let read = options(
        command.arguments(),
        &[],
        &["-f", "--justfile", "-d", "--working-directory", "--set"],
        &[],
    );
    let word = read.operands.first().filter(|word| !word.expands && !word.text.contains('='))?;
    if read.elsewhere || word.text.contains(['/', ':']) {
        return None;
    }
    // just looks upward for its file.
    let mut at = folder;
    let file = loop {
        let here = FILES.iter().map(|name| within(at, name));
        if let Some(found) = here.into_iter().find(|path| tree.is_file(path)) {
            break found;
        }
        if at.is_empty() {
            return without_file(tree, folder, &FILES, word);
        }
        at = at.rsplit_once('/').map_or("", |(parent, _)| parent);
    };
    let text = tree.text(&file)?;
    let mut known = BTreeSet::new();
    for line in text.text().lines() {
        if line.starts_with([' ', '\t', '#', '[']) {
            continue;
        }
        let first = line.split_whitespace().next().unwrap_or_default();
        match first {
            "import" | "import?" | "mod" | "mod?" => return None,
            "alias" => {
                known.extend(line.split_whitespace().nth(1).map(str::to_owned));
            }
            _ if line.contains(":=") => {}
            _ => {
                if let Some((head, _)) = line.split_once(':') {
                    let name = head.split_whitespace().next().unwrap_or_default();
                    known.insert(name.trim_start_matches('@').to_owned());
                }
            }
        }
    }
    (!known.contains(&word.text)).then(|| Missing {
        what: "recipe",
        name: word.text.clone(),
        file,
        known,
        span: word.span.clone(),
    })
}
