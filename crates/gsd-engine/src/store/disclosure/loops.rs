//! What takes part in the loop: steps, contributions, gates, the texts that end up in prompts, and
//! the settings that a capability asks for. Nothing of it starts a program, but a text can steer an
//! agent as well as a script could.

use super::files::BundleFiles;
use super::raw::{list, members, text, texts};
use serde_json::Value;

/// A place in the loop that a capability takes.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopEntry {
    pub point: String,
    /// `step`, `contribution` or `gate`.
    pub kind: &'static str,
    /// Whether it can stop the loop.
    pub blocking: bool,
    /// What runs, whom it speaks to, or what is checked, as it is declared.
    pub what: Value,
}

/// A text that becomes part of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptText {
    /// `skill`, `agent` or `fragment`.
    pub kind: &'static str,
    pub name: String,
    /// Below the bundle; empty for a text inside the manifest.
    pub path: String,
    /// `None` where the bundle has no such file.
    pub bytes: Option<u64>,
    pub sha256: String,
}

/// A setting that a capability declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub key: String,
    pub kind: String,
    pub default: Value,
}

pub(super) fn loops(manifest: &Value) -> Vec<LoopEntry> {
    let entries = |list_name: &str, kind: &'static str, what: &'static str| {
        let entry = |value: &Value| {
            value.is_object().then(|| LoopEntry {
                point: text(value, "point").to_owned(),
                kind,
                // What is no plain `false` is shown as if it could stop the loop.
                blocking: kind == "gate" && value.get("blocking") != Some(&Value::Bool(false)),
                what: value.get(what).cloned().unwrap_or_default(),
            })
        };
        list(manifest, list_name).iter().filter_map(entry).collect::<Vec<_>>()
    };
    let mut all = entries("steps", "step", "ref");
    all.extend(entries("contributions", "contribution", "into"));
    all.extend(entries("gates", "gate", "check"));
    all
}

pub(super) fn prompts(manifest: &Value, files: &BundleFiles) -> Vec<PromptText> {
    let of_file = |kind: &'static str, name: String, path: String| {
        let file = files.get(&path);
        PromptText {
            kind,
            name,
            bytes: file.map(|file| file.bytes),
            sha256: file.map(|file| file.sha256.clone()).unwrap_or_default(),
            path,
        }
    };
    let skills = texts(manifest, "skills").into_iter().map(|name| {
        let path = format!("skills/{name}/SKILL.md");
        of_file("skill", name, path)
    });
    let agents = texts(manifest, "agents").into_iter().map(|name| {
        let path = format!("agents/{name}.md");
        of_file("agent", name, path)
    });
    let hooks = ["steps", "contributions"].into_iter().flat_map(|key| list(manifest, key));
    let fragments = hooks.filter_map(|hook| {
        let fragment = hook.get("fragment")?;
        let name = text(hook, "point").to_owned();
        match (text(fragment, "path"), text(fragment, "inline")) {
            ("", "") => None,
            ("", inline) => {
                let digests = BundleFiles::of([("inline", inline.as_bytes())]);
                let file = digests.get("inline").cloned();
                Some(PromptText {
                    kind: "fragment",
                    name,
                    path: String::new(),
                    bytes: file.as_ref().map(|file| file.bytes),
                    sha256: file.map(|file| file.sha256).unwrap_or_default(),
                })
            }
            (path, _) => Some(of_file("fragment", name, path.to_owned())),
        }
    });
    skills.chain(agents).chain(fragments).collect()
}

pub(super) fn settings(manifest: &Value) -> Vec<Setting> {
    let setting = |(key, entry): (&str, &Value)| Setting {
        key: key.to_owned(),
        kind: text(entry, "type").to_owned(),
        default: entry.get("default").cloned().unwrap_or_default(),
    };
    members(manifest, "config").map(setting).collect()
}
