//! Targets of a Makefile.

use super::{Missing, Tool, changed_folder, options, within, without_file};
use crate::lint::shell::{Simple, Word};
use crate::lint::tree::WorkTree;
use std::collections::BTreeSet;

pub(super) const TOOL: Tool = Tool { programs: &["make", "gmake"], missing };

/// The first one is what is written today.
const MAKEFILES: [&str; 3] = ["Makefile", "makefile", "GNUmakefile"];

fn missing(tree: &WorkTree, command: &Simple, folder: &str) -> Option<Missing> {
    let read = options(
        command.arguments(),
        &["-C", "--directory"],
        &["-f", "--file", "--makefile"],
        &["-j", "-l", "-o", "-I", "-W"],
    );
    if read.elsewhere {
        return None;
    }
    let folder = changed_folder(folder, &read)?;
    let Some(file) =
        MAKEFILES.iter().rev().map(|name| within(&folder, name)).find(|path| tree.is_file(path))
    else {
        // Without a makefile there are the rules that make knows by itself, for files.
        let target = |word: &&&Word| {
            !word.expands && !word.text.contains(['=', '.']) && !word.text.starts_with('-')
        };
        return without_file(tree, &folder, &MAKEFILES, read.operands.iter().find(target)?);
    };
    let text = tree.text(&file)?;
    let mut known = BTreeSet::new();
    for line in text.text().lines() {
        if line.starts_with(['\t', ' ', '#']) {
            continue;
        }
        let first = line.split_whitespace().next().unwrap_or_default();
        if matches!(first, "include" | "-include" | "sinclude" | "define")
            || line.contains("$(eval")
        {
            return None;
        }
        let Some((targets, rest)) = line.split_once(':') else { continue };
        if rest.starts_with('=') || targets.contains('=') {
            continue;
        }
        // A pattern or a computed target may make anything.
        if targets.contains(['%', '$']) {
            return None;
        }
        known.extend(targets.split_whitespace().map(str::to_owned));
    }
    read.operands
        .iter()
        .find(|word| {
            let name = word.text.as_str();
            !word.expands
                && !name.contains('=')
                && !name.bytes().all(|b| b.is_ascii_digit())
                && !known.contains(name)
                && tree.is_absent(&within(&folder, name))
        })
        .map(|word| Missing {
            what: "target",
            name: word.text.clone(),
            file,
            known: known.iter().filter(|name| !name.starts_with('.')).cloned().collect(),
            span: word.span.clone(),
        })
}
