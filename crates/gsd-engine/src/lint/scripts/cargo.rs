//! Packages and aliases of a Cargo workspace.

use super::{Missing, Tool, within};
use crate::lint::shell::Simple;
use crate::lint::tree::WorkTree;
use std::collections::BTreeSet;

pub(super) const TOOL: Tool = Tool { programs: &["cargo"], missing };

fn missing(tree: &WorkTree, command: &Simple, folder: &str) -> Option<Missing> {
    let file = within(folder, "Cargo.toml");
    let mut rest = command.arguments().iter().peekable();
    let verb = loop {
        let word = rest.next()?;
        if !word.text.starts_with(['-', '+']) {
            break word;
        }
    };
    if verb.text == "xtask" {
        let alias = [".cargo/config.toml", ".cargo/config"].iter().any(|name| {
            tree.text(&within(folder, name)).is_some_and(|text| text.text().contains("xtask"))
        });
        // Parent folders and the user's home may hold the alias as well; only a project that has
        // no package of that name and no alias is told so.
        let known = packages(tree, folder)?;
        return (!alias && !known.contains("xtask")).then(|| Missing {
            what: "alias",
            name: "xtask".to_owned(),
            file: within(folder, ".cargo/config.toml"),
            known: BTreeSet::new(),
            span: verb.span.clone(),
        });
    }
    let knows_packages =
        ["test", "t", "build", "b", "run", "r", "check", "c", "clippy", "bench", "doc", "nextest"];
    if !knows_packages.contains(&verb.text.as_str()) {
        return None;
    }
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "--" => return None,
            "--manifest-path" => return None,
            "-p" | "--package" => {
                let name = rest.next().filter(|name| !name.expands)?;
                let known = packages(tree, folder)?;
                let plain = name.text.split('@').next().unwrap_or_default();
                let locked = tree
                    .text(&within(folder, "Cargo.lock"))
                    .is_some_and(|lock| lock.text().contains(&format!("name = \"{plain}\"")));
                if !known.contains(plain) && !locked && !name.text.contains(['/', ':', '*']) {
                    return Some(Missing {
                        what: "package",
                        name: name.text.clone(),
                        file,
                        known,
                        span: name.span.clone(),
                    });
                }
            }
            _ => {}
        }
    }
    None
}

/// The names of the packages of a Cargo workspace; `None` where they cannot all be told.
fn packages(tree: &WorkTree, folder: &str) -> Option<BTreeSet<String>> {
    let root = tree.text(&within(folder, "Cargo.toml"))?;
    let mut names: BTreeSet<String> = package_name(root.text()).into_iter().collect();
    for member in members(root.text()) {
        match member.split_once('*') {
            None => {
                let manifest = tree.text(&within(folder, &format!("{member}/Cargo.toml")))?;
                names.extend(package_name(manifest.text()));
            }
            Some((before, "")) if before.ends_with('/') => {
                let parent = within(folder, before.trim_end_matches('/'));
                for name in tree.names(&parent).iter().filter_map(|name| name.strip_suffix('/')) {
                    if let Some(manifest) = tree.text(&format!("{parent}/{name}/Cargo.toml")) {
                        names.extend(package_name(manifest.text()));
                    }
                }
            }
            Some(_) => return None,
        }
    }
    // Path dependencies are members without being listed.
    for text in root.text().lines().filter(|line| line.contains("path")) {
        if let Some((_, rest)) = text.split_once("path") {
            let path = rest.split('"').nth(1).unwrap_or_default();
            if let Some(manifest) = tree.text(&within(folder, &format!("{path}/Cargo.toml"))) {
                names.extend(package_name(manifest.text()));
            }
        }
    }
    Some(names)
}

fn package_name(manifest: &str) -> Option<String> {
    let (_, package) = manifest.split_once("[package]")?;
    package
        .lines()
        .take_while(|line| !line.trim_start().starts_with('['))
        .find_map(|line| line.trim().strip_prefix("name")?.split('"').nth(1))
        .map(str::to_owned)
}

fn members(manifest: &str) -> Vec<String> {
    let Some((_, workspace)) = manifest.split_once("[workspace]") else { return vec![] };
    let Some((_, list)) = workspace.split_once("members") else { return vec![] };
    let Some((_, list)) = list.split_once('[') else { return vec![] };
    let list = list.split(']').next().unwrap_or_default();
    list.split('"').skip(1).step_by(2).map(|name| name.trim_end_matches('/').to_owned()).collect()
}
