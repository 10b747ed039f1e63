//! Packages, targets and aliases of a Cargo workspace.

use super::{Missing, Tool, within};
use crate::lint::shell::{Simple, Word};
use crate::lint::tree::WorkTree;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const TOOL: Tool = Tool { programs: &["cargo"], missing };

fn missing(tree: &WorkTree, command: &Simple, folder: &str) -> Option<Missing> {
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
        return (!alias && !known.contains_key("xtask")).then(|| Missing {
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
    let mut package: Option<&Word> = None;
    let mut target: Option<(&'static str, &Word)> = None;
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "--" => break,
            "--manifest-path" => return None,
            "-p" | "--package" => package = Some(rest.next().filter(|name| !name.expands)?),
            "--test" => target = Some(("tests", rest.next().filter(|name| !name.expands)?)),
            "--example" => target = Some(("examples", rest.next().filter(|name| !name.expands)?)),
            _ => {}
        }
    }
    if let Some(name) = package
        && let Some(missing) = unknown_package(tree, folder, name)
    {
        return Some(missing);
    }
    target.and_then(|(kind, name)| unknown_target(tree, folder, package, kind, name))
}

fn unknown_package(tree: &WorkTree, folder: &str, name: &Word) -> Option<Missing> {
    let known = packages(tree, folder)?;
    let plain = name.text.split('@').next().unwrap_or_default();
    let locked = tree
        .text(&within(folder, "Cargo.lock"))
        .is_some_and(|lock| lock.text().contains(&format!("name = \"{plain}\"")));
    if known.contains_key(plain) || locked || name.text.contains(['/', ':', '*']) {
        return None;
    }
    Some(Missing {
        what: "package",
        name: name.text.clone(),
        file: within(folder, "Cargo.toml"),
        known: known.into_keys().collect(),
        span: name.span.clone(),
    })
}

/// A test or an example is a file or a folder of that name, unless the manifest says otherwise.
fn unknown_target(
    tree: &WorkTree,
    folder: &str,
    package: Option<&Word>,
    kind: &'static str,
    name: &Word,
) -> Option<Missing> {
    let packages = packages(tree, folder)?;
    let folder = match package {
        Some(package) => packages.get(&package.text)?.clone(),
        // In a workspace each member may have it.
        None if packages.len() == 1 => packages.into_values().next()?,
        None => return None,
    };
    let manifest = tree.text(&within(&folder, "Cargo.toml"))?;
    let declared = manifest.text().contains("[[test]]") || manifest.text().contains("[[example]]");
    let file = within(&folder, &format!("{kind}/{}.rs", name.text));
    let entry = within(&folder, &format!("{kind}/{}/main.rs", name.text));
    let plain = name.text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if declared || !plain || !tree.is_absent(&file) || !tree.is_absent(&entry) {
        return None;
    }
    let known = tree.names(&within(&folder, kind));
    Some(Missing {
        what: kind.trim_end_matches('s'),
        name: name.text.clone(),
        file,
        known: known
            .iter()
            .filter_map(|name| name.strip_suffix(".rs"))
            .map(str::to_owned)
            .collect(),
        span: name.span.clone(),
    })
}

/// The packages of a Cargo workspace and their folders; `None` where they cannot all be told.
fn packages(tree: &WorkTree, folder: &str) -> Option<BTreeMap<String, String>> {
    let root = tree.text(&within(folder, "Cargo.toml"))?;
    let mut found = BTreeMap::new();
    let mut add = |text: &str, folder: String| {
        found.extend(package_name(text).map(|name| (name, folder)));
    };
    add(root.text(), folder.to_owned());
    for member in members(root.text()) {
        match member.split_once('*') {
            None => {
                let at = within(folder, &member);
                add(tree.text(&format!("{at}/Cargo.toml"))?.text(), at);
            }
            Some((before, "")) if before.ends_with('/') => {
                let parent = within(folder, before.trim_end_matches('/'));
                for name in tree.names(&parent).iter().filter_map(|name| name.strip_suffix('/')) {
                    let at = format!("{parent}/{name}");
                    if let Some(manifest) = tree.text(&format!("{at}/Cargo.toml")) {
                        add(manifest.text(), at);
                    }
                }
            }
            Some(_) => return None,
        }
    }
    // Path dependencies are members without being listed.
    for line in root.text().lines() {
        let Some((_, rest)) = line.split_once("path") else { continue };
        let at = within(folder, rest.split('"').nth(1).unwrap_or_default());
        if let Some(manifest) = tree.text(&format!("{at}/Cargo.toml")) {
            add(manifest.text(), at);
        }
    }
    Some(found)
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
