//! A bundle: the folder of a capability. The manifest may name files of it; each must be there, be
//! a regular file of modest size, and lie inside the folder, links resolved.

use super::{Context, Manifest, Parsed, parse};
use crate::diag::{Diagnostic, Level, Location, Rule, SourceFile};
use crate::json::{At, quoted};
use camino::Utf8Path;
use gsd_io::fs::{self, Kind, Links, ReadError};
use std::cell::LazyCell;
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

/// No manifest and no fragment is larger. Real ones have a few thousand bytes.
pub const MAX_MANIFEST: u64 = 1024 * 1024;

/// All fragments of a bundle together are no larger: they are kept in memory.
const MAX_FRAGMENTS: u64 = 4 * 1024 * 1024;

/// More missing files of one bundle tell nothing new.
const MAX_MISSING: usize = 50;

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
        let message = format!("the manifest cannot be read: {}", unreadable(error));
        UNREADABLE.at(at, message).help(match error {
            ReadError::NotFound { .. } => "`gsd capability new ID` writes one",
            ReadError::NotAFile { .. } => "put a plain file in its place",
            ReadError::TooLarge { .. } => "make several capabilities of it",
            ReadError::NotUtf8 { .. } => "save it as UTF-8",
            ReadError::Io { .. } => "see whether you may read it",
        })
    })
}

/// What may be a bundle and is not looked at.
pub fn passed_over(folder: &Arc<SourceFile>, why: &str, help: &str) -> Diagnostic {
    let message = format!("this folder was not checked: {why}");
    let mut warning = UNREADABLE.at(folder.at_start().with_pointer(""), message).help(help);
    warning.level = Level::Warning;
    warning
}

/// What came of a folder that is a link: it may lead anywhere, and somewhere else tomorrow, so
/// nothing behind it is read.
pub fn linked_bundle(name: &str) -> Bundle {
    refused(name, |at| {
        UNREADABLE.at(at, "its folder is a link").help("copy the folder that it leads to")
    })
}

/// What came of a folder whose name is no text: no manifest can have its id.
pub fn misnamed_bundle(name: &str) -> Bundle {
    refused(name, |at| {
        UNREADABLE
            .at(at, "the name of its folder is not UTF-8")
            .help("give the folder the id of its capability as its name")
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
    let (mut left, mut wrong) = (MAX_FRAGMENTS, 0);
    let root = LazyCell::new(|| fs::canonical(folder));
    for path in steps.chain(contributions).filter_map(|fragment| fragment.path.as_ref()) {
        let name = path.as_str();
        if fragments.contains_key(name) {
            continue;
        }
        if wrong == MAX_MISSING {
            break;
        }
        match read_inside(root.as_deref(), name, left.min(MAX_MANIFEST)) {
            Ok(text) if !text.trim().is_empty() => {
                left -= text.len() as u64;
                fragments.insert(name.to_owned(), text);
            }
            Ok(_) => {
                found.push(fragment_problem(path, &manifest.file, "the file is blank"));
                wrong += 1;
            }
            Err(problem) => {
                found.push(fragment_problem(path, &manifest.file, &problem));
                wrong += 1;
            }
        }
    }
}

fn fragment_problem<T: AsText>(path: &At<T>, file: &Arc<SourceFile>, problem: &str) -> Diagnostic {
    let message = format!("the fragment {} cannot be used: {problem}", quoted(path.value.text()));
    FRAGMENT_FILE.at(path.place(file), message).label("names no usable file of the bundle").help(
        format!("write its text into {}, beside `capability.json`", quoted(path.value.text())),
    )
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

/// Reads a file of the bundle at `root`, which has no links in it. Links may lead to other files of
/// the bundle, never out of it.
fn read_inside(root: Option<&Utf8Path>, path: &str, max: u64) -> Result<String, String> {
    let root = root.ok_or("the bundle cannot be read")?;
    let real = fs::canonical(&root.join(path)).ok_or("there is no such file")?;
    if !real.starts_with(root) || real == root {
        return Err("it lies outside the bundle".into());
    }
    fs::read_text(&real, max, Links::Refuse).map_err(|error| unreadable(&error))
}

fn look_for_files(manifest: &Manifest, folder: &Utf8Path, found: &mut Vec<Diagnostic>) {
    let there = |path: &str| match fs::kind(&folder.join(path)) {
        Some(Kind::File { .. } | Kind::Link) => true,
        Some(Kind::Directory | Kind::Special) | None => false,
    };
    let file = &manifest.file;
    let feature = manifest.feature();
    let scripts = feature.into_iter().flat_map(|feature| &feature.hooks).map(|hook| {
        (&SCRIPT_FILE, hook.script.as_str().to_owned(), hook.script.place(file), "`hooks`")
    });
    let skills = feature.into_iter().flat_map(|feature| &feature.skills).map(|skill| {
        let path = format!("skills/{}/SKILL.md", skill.value);
        (&TEXT_FILE, path, skill.place(file), "`skills`")
    });
    let agents = feature.into_iter().flat_map(|feature| &feature.agents).map(|agent| {
        let path = format!("agents/{}.md", agent.value);
        (&TEXT_FILE, path, agent.place(file), "`agents`")
    });
    let modules = manifest.commands.iter().map(|command| {
        let path = command.module.as_str().to_owned();
        (&SCRIPT_FILE, path, command.family.place(file), "`commands`")
    });
    let named = scripts.chain(skills).chain(agents).chain(modules);
    let missing = named.filter(|(_, path, ..)| !there(path)).take(MAX_MISSING);
    found.extend(missing.map(|(rule, path, at, list): (&'static Rule, String, Location, _)| {
        let path = quoted(&path);
        rule.at(at, format!("the bundle has no file {path}"))
            .label("is not there")
            .help(format!("write {path}, or take this out of {list}"))
    }));
}
