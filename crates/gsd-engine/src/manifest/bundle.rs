//! A bundle: the folder of a capability. The manifest may name files of it; each must be there, be
//! a regular file of modest size, and lie inside the folder, links resolved.

use super::{Context, Manifest, Parsed, parse};
use crate::diag::{Diagnostic, Level, Location, Rule, SourceFile};
use crate::json::{At, quoted};
use camino::Utf8Path;
use gsd_io::fs::{self, Kind, Links, ReadError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A manifest that cannot be read at all.
pub(super) static UNREADABLE: Rule = Rule {
    code: "manifest/unreadable",
    level: Level::Error,
    summary: "a manifest is missing, is no regular file, is too large, is not UTF-8, or lies behind a link",
    docs: include_str!("unreadable.md"),
};

/// A fragment cannot be read from the bundle.
pub(super) static FRAGMENT_FILE: Rule = Rule {
    code: "manifest/fragment-file",
    level: Level::Error,
    summary: "the file of a fragment cannot be read from the bundle",
    docs: include_str!("fragment_file.md"),
};

/// A script is not in the bundle.
pub(super) static SCRIPT_FILE: Rule = Rule {
    code: "manifest/script-file",
    level: Level::Warning,
    summary: "a script or module that is named is not in the bundle",
    docs: include_str!("script_file.md"),
};

/// A skill or an agent has no text.
pub(super) static TEXT_FILE: Rule = Rule {
    code: "manifest/text-file",
    level: Level::Warning,
    summary: "a skill or an agent has no text in the bundle",
    docs: include_str!("text_file.md"),
};

/// No manifest and no fragment is larger.
pub const MAX_MANIFEST: u64 = 8 * 1024 * 1024;

/// A manifest with the files that it names.
#[derive(Debug, Clone)]
pub struct Bundle {
    pub parsed: Parsed,
    /// The texts of fragments, by the path that the manifest gives.
    pub fragments: BTreeMap<String, String>,
}

impl Bundle {
    /// The manifest, unless something is wrong with it or with what it names.
    pub fn manifest(&self) -> Option<&Manifest> {
        let broken = self.parsed.diagnostics.iter().any(|found| found.level == Level::Error);
        self.parsed.manifest.as_ref().filter(|_| !broken)
    }
}

/// Reads the bundle in a folder. `name` is how the manifest is called in messages. Nothing outside
/// the folder is read.
pub fn read_bundle(folder: &Utf8Path, name: &str, context: Context<'_>) -> Bundle {
    let text = match fs::read_text(&folder.join("capability.json"), MAX_MANIFEST, Links::Refuse) {
        Ok(text) => text,
        Err(error) => return unreadable_bundle(name, &error),
    };
    let mut parsed = parse(&SourceFile::new(name, text), context);
    let mut fragments = BTreeMap::new();
    if let Some(manifest) = &parsed.manifest {
        let found = &mut parsed.diagnostics;
        read_fragments(manifest, folder, &mut fragments, found);
        look_for_files(manifest, folder, found);
    }
    Bundle { parsed, fragments }
}

/// What came of a manifest that cannot be read.
pub fn unreadable_bundle(name: &str, error: &ReadError) -> Bundle {
    refused(name, |at| {
        UNREADABLE.at(at, format!("the manifest cannot be read: {}", unreadable(error)))
    })
}

/// What came of a folder that is a link: it may lead anywhere, and somewhere else tomorrow, so
/// nothing behind it is read.
pub fn linked_bundle(name: &str) -> Bundle {
    refused(name, |at| {
        UNREADABLE.at(at, "its folder is a link").help("copy the folder that it leads to")
    })
}

fn refused(name: &str, say: impl FnOnce(Location) -> Diagnostic) -> Bundle {
    let empty = SourceFile::new(name, "");
    let diagnostics = vec![say(empty.at_start().with_pointer(""))];
    let parsed = Parsed { file: empty, manifest: None, diagnostics, gates: vec![] };
    Bundle { parsed, fragments: BTreeMap::new() }
}

/// What is wrong with a file, without naming a path of this machine.
fn unreadable(error: &ReadError) -> String {
    match error {
        ReadError::NotFound { .. } => "there is no such file".into(),
        ReadError::NotAFile { what, .. } => format!("it is {what}, not a regular file"),
        ReadError::TooLarge { bytes, max, .. } => {
            format!("it has {bytes} bytes; at most {max} are read")
        }
        ReadError::NotUtf8 { offset, .. } => format!("it is not UTF-8: byte {offset} is invalid"),
        ReadError::Io { .. } => "it cannot be read".into(),
    }
}

fn read_fragments(
    manifest: &Manifest,
    folder: &Utf8Path,
    fragments: &mut BTreeMap<String, String>,
    found: &mut Vec<Diagnostic>,
) {
    let Some(feature) = manifest.feature() else { return };
    let steps = feature.steps.iter().filter_map(|step| step.fragment.as_ref());
    let contributions = feature.contributions.iter().map(|contribution| &contribution.fragment);
    for path in steps.chain(contributions).filter_map(|fragment| fragment.path.as_ref()) {
        let name = path.as_str();
        if fragments.contains_key(name) {
            continue;
        }
        match read_inside(folder, name) {
            Ok(text) if !text.trim().is_empty() => {
                fragments.insert(name.to_owned(), text);
            }
            Ok(_) => found.push(fragment_problem(path, &manifest.file, "the file is blank")),
            Err(problem) => found.push(fragment_problem(path, &manifest.file, &problem)),
        }
    }
}

fn fragment_problem<T: AsText>(path: &At<T>, file: &Arc<SourceFile>, problem: &str) -> Diagnostic {
    let message = format!("the fragment {} cannot be used: {problem}", quoted(path.value.text()));
    FRAGMENT_FILE.at(path.place(file), message).label("names no usable file of the bundle")
}

/// Anything that names a file of a bundle.
trait AsText {
    fn text(&self) -> &str;
}

impl AsText for crate::hook::FragmentPath {
    fn text(&self) -> &str {
        self.as_str()
    }
}

/// Reads a file of the bundle. Links may lead to other files of it, never out of it.
fn read_inside(folder: &Utf8Path, path: &str) -> Result<String, String> {
    let full = folder.join(path);
    let root = fs::canonical(folder).ok_or("the bundle cannot be read")?;
    let real = fs::canonical(&full).ok_or("there is no such file")?;
    if !real.starts_with(&root) || real == root {
        return Err("it lies outside the bundle".into());
    }
    fs::read_text(&real, MAX_MANIFEST, Links::Refuse).map_err(|error| unreadable(&error))
}

fn look_for_files(manifest: &Manifest, folder: &Utf8Path, found: &mut Vec<Diagnostic>) {
    let missing = |path: &str| match fs::kind(&folder.join(path)) {
        Some(Kind::File { .. } | Kind::Link) => false,
        Some(Kind::Directory | Kind::Special) | None => true,
    };
    let say = |rule: &'static Rule, at: Location, path: &str| {
        let message = format!("the bundle has no file {}", quoted(path));
        rule.at(at, message).label("is not there")
    };
    if let Some(feature) = manifest.feature() {
        for hook in feature.hooks.iter().filter(|hook| missing(hook.script.as_str())) {
            let at = hook.script.place(&manifest.file);
            found.push(say(&SCRIPT_FILE, at, hook.script.as_str()));
        }
        for skill in &feature.skills {
            let path = format!("skills/{}/SKILL.md", skill.value);
            if missing(&path) {
                found.push(say(&TEXT_FILE, skill.place(&manifest.file), &path));
            }
        }
        for agent in &feature.agents {
            let path = format!("agents/{}.md", agent.value);
            if missing(&path) {
                found.push(say(&TEXT_FILE, agent.place(&manifest.file), &path));
            }
        }
    }
    for command in manifest.commands.iter().filter(|command| missing(command.module.as_str())) {
        let at = command.family.place(&manifest.file);
        found.push(say(&SCRIPT_FILE, at, command.module.as_str()));
    }
}
