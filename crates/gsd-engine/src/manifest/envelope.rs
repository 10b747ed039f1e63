//! The envelope: what manifests of every role have.

use super::{Context, Origin, Range, range};
use crate::diag::{Level, Rule};
use crate::id::CapabilityId;
use crate::json::{
    At, Fields, Node, Pointer, Read, Schema, Sink, pattern_schema, quoted, read_text, record,
    vocabulary,
};
use std::collections::BTreeMap;

/// The id breaks the grammar.
pub(super) static ID: Rule = Rule {
    code: "manifest/id",
    level: Level::Error,
    summary: "the id is not lower-case kebab",
    docs: include_str!("id.md"),
};

/// The id is not the name of the folder.
pub(super) static ID_FOLDER: Rule = Rule {
    code: "manifest/id-folder",
    level: Level::Error,
    summary: "the id is not the name of the folder",
    docs: include_str!("id_folder.md"),
};

/// A third party uses a prefix that is gsd's own.
pub(super) static RESERVED_ID: Rule = Rule {
    code: "manifest/reserved-id",
    level: Level::Error,
    summary: "the id starts with a prefix that is reserved",
    docs: include_str!("reserved_id.md"),
};

/// A name means something to JavaScript objects.
pub(super) static RESERVED_NAME: Rule = Rule {
    code: "manifest/reserved-name",
    level: Level::Error,
    summary: "a name means something to JavaScript objects",
    docs: include_str!("reserved_name.md"),
};

/// The version is no SemVer.
pub(super) static VERSION: Rule = Rule {
    code: "manifest/version",
    level: Level::Error,
    summary: "a version is not a full SemVer version",
    docs: include_str!("version.md"),
};

/// A text is blank.
pub(super) static BLANK_TEXT: Rule = Rule {
    code: "manifest/blank-text",
    level: Level::Error,
    summary: "a text that people read is blank",
    docs: include_str!("blank_text.md"),
};

/// The integrity string is no SHA-512.
pub(super) static INTEGRITY: Rule = Rule {
    code: "manifest/integrity",
    level: Level::Error,
    summary: "the integrity string is not a SHA-512 in base64",
    docs: include_str!("integrity.md"),
};

/// A capability requires itself.
pub(super) static REQUIRES_ITSELF: Rule = Rule {
    code: "manifest/requires-itself",
    level: Level::Error,
    summary: "a capability requires itself",
    docs: include_str!("requires_itself.md"),
};

/// A list holds the same thing twice.
pub(super) static DUPLICATE_ENTRY: Rule = Rule {
    code: "manifest/duplicate-entry",
    level: Level::Warning,
    summary: "a list holds the same thing twice",
    docs: include_str!("duplicate_entry.md"),
};

vocabulary! {
    /// What a capability is.
    pub enum Role "role" {
        /// It adds to the loop: skills, agents, steps, contributions, gates.
        Feature = "feature",
        /// It describes a host CLI that gsd installs into.
        Runtime = "runtime",
        /// It is one reviewer lane and nothing else.
        Reviewer = "reviewer",
    }
}

vocabulary! {
    /// The smallest install profile that has the capability. What is required must not be rarer.
    pub enum Tier "tier" {
        /// In every install.
        Core = "core",
        /// In the standard install and in the full one.
        Standard = "standard",
        /// In the full install only.
        Full = "full",
    }
}

/// A text for people: not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(pub String);

impl Read for Text {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = String::read(node, pointer, sink)?;
        if text.trim().is_empty() {
            let diagnostic = BLANK_TEXT.at(sink.at(&node.span, pointer), "the text is blank");
            sink.push(diagnostic.label("expected a text that people can read"));
            return None;
        }
        Some(Self(text))
    }
}

impl Schema for Text {
    fn schema() -> serde_json::Value {
        pattern_schema("\\S")
    }
}

/// No number of a version has more digits: JavaScript counts no further without gaps.
const MAX_NUMBER: u64 = 999_999_999_999_999;

/// A version of three numbers that every host can count to.
fn full_version(text: &str) -> Option<semver::Version> {
    let version = semver::Version::parse(text).ok()?;
    let numbers = [version.major, version.minor, version.patch];
    numbers.iter().all(|number| *number <= MAX_NUMBER).then_some(version)
}

/// A full SemVer version.
impl Read for semver::Version {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = String::read(node, pointer, sink)?;
        let version = full_version(&text);
        if version.is_none() {
            let message = format!("{} is not a version", quoted(&text));
            let diagnostic = VERSION.at(sink.at(&node.span, pointer), message);
            let diagnostic = diagnostic.label("expected a full version such as `1.2.3`");
            sink.push(match completed(&text) {
                Some(full) => diagnostic
                    .help(format!("write `{full}`"))
                    .fix(node.span.clone(), format!("\"{full}\"")),
                None => diagnostic,
            });
        }
        version
    }
}

/// `v1.2`, ` 1.2.3`, `1`: what was surely meant.
fn completed(text: &str) -> Option<String> {
    let bare = text.trim().trim_start_matches(['v', 'V']);
    let numbers: Vec<&str> = bare.split('.').collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if numbers.len() > 3 || !numbers.iter().all(digits) || bare.len() > 40 {
        return None;
    }
    let mut full = bare.to_owned();
    for _ in numbers.len()..3 {
        full.push_str(".0");
    }
    full_version(&full).map(|version| version.to_string())
}

impl Schema for semver::Version {
    fn schema() -> serde_json::Value {
        pattern_schema(concat!(
            "^(0|[1-9]\\d{0,14})\\.(0|[1-9]\\d{0,14})\\.(0|[1-9]\\d{0,14})",
            "(-(0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)(\\.(0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*))*)?",
            "(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$"
        ))
    }
}

record! {
    /// The versions of hosts that the capability works with.
    pub struct Engines, EnginesDraft {
        /// A range of versions of gsd's contract.
        optional "gsd" gsd: At<Range> = r#"">=1.9.0 <3.0.0""#,
    }
}

/// The hash of a bundle: `sha512-` and base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integrity(String);

impl Integrity {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for Integrity {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = String::read(node, pointer, sink)?;
        let base64 = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
        let hash = text.strip_prefix("sha512-").and_then(|rest| rest.strip_suffix("=="));
        if hash.is_some_and(|hash| hash.len() == 86 && hash.bytes().all(base64)) {
            return Some(Self(text));
        }
        let message = format!("{} is not an integrity string", quoted(&text));
        let diagnostic = INTEGRITY.at(sink.at(&node.span, pointer), message);
        sink.push(
            diagnostic
                .label("expected `sha512-` and 64 bytes in base64")
                .help("`gsd capability pack` prints the string of a bundle"),
        );
        None
    }
}

impl Schema for Integrity {
    fn schema() -> serde_json::Value {
        pattern_schema("^sha512-[A-Za-z0-9+/]{86}==$")
    }
}

record! {
    /// Where a bundle was built from.
    pub struct Provenance, ProvenanceDraft {
        /// The repository.
        required "sourceRepo" source_repo: Text = r#""https://github.com/acme/acme-review""#,
        /// The commit.
        required "commit" commit: Text,
    }
}

/// Who wrote a capability: an object, or `Name <mail>` as one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author(pub String);

record! {
    /// Who wrote a capability.
    struct AuthorObject, AuthorDraft {
        /// The name.
        required "name" name: Text,
        /// An address.
        optional "email" email: String,
        /// A page.
        optional "url" url: String,
    }
}

impl Read for Author {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        if node.as_str().is_some() {
            return Text::read(node, pointer, sink).map(|text| Self(text.0));
        }
        AuthorObject::read(node, pointer, sink).map(|author| Self(author.name.0))
    }
}

impl Schema for Author {
    fn schema() -> serde_json::Value {
        serde_json::json!({ "anyOf": [AuthorObject::schema(), Text::schema()] })
    }
}

/// A map from versions of the capability to the hosts that each works with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompatVersions(pub BTreeMap<semver::Version, Range>);

impl Read for CompatVersions {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let Some(object) = node.as_object() else {
            sink.wrong(node, pointer, "an object");
            return None;
        };
        let mut read = BTreeMap::new();
        for member in &object.members {
            let below = pointer.key(&member.name);
            let version = full_version(&member.name);
            if version.is_none() {
                let message = format!("{} is not a version", quoted(&member.name));
                let diagnostic = VERSION.at(sink.at(&member.name_span, &below), message);
                sink.push(diagnostic.label("expected a full version such as `1.2.3`"));
            }
            let range = Range::read(&member.value, &below, sink);
            if let (Some(version), Some(range)) = (version, range) {
                read.insert(version, range);
            }
        }
        Some(Self(read))
    }
}

impl Schema for CompatVersions {
    fn schema() -> serde_json::Value {
        serde_json::json!({
            "type": "object",
            "propertyNames": semver::Version::schema(),
            "additionalProperties": Range::schema(),
        })
    }
}

/// What people and installers want to know, and no rule of composition needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Details {
    pub compat_versions: CompatVersions,
    pub integrity: Option<Integrity>,
    pub provenance: Option<Provenance>,
    pub author: Option<Author>,
    pub homepage: Option<String>,
    pub repository: Option<String>,
    pub license: Option<String>,
    pub keywords: Vec<String>,
}

/// What could be read of an envelope.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) id: Option<At<CapabilityId>>,
    pub(super) role: Option<Role>,
    pub(super) version: Option<semver::Version>,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) tier: Option<At<Tier>>,
    pub(super) requires: Vec<At<CapabilityId>>,
    pub(super) engines: Option<At<Range>>,
    pub(super) details: Details,
}

pub(super) fn read(fields: &mut Fields<'_>, context: Context<'_>, sink: &mut Sink) -> Draft {
    // Editors find their schema through it.
    fields.optional::<String>("$schema", sink);
    let id = read_id(fields, context, sink);
    let role = fields.required("role", sink);
    let version = fields.required("version", sink);
    let title = fields.required::<Text>("title", sink).map(|text| text.0);
    let description = fields.required::<Text>("description", sink).map(|text| text.0);
    let tier = fields.required("tier", sink);
    let requires = fields.required_list("requires", sink);
    let draft = Draft {
        role,
        version,
        title,
        description,
        tier,
        requires,
        engines: fields.optional::<Engines>("engines", sink).and_then(|engines| engines.gsd),
        details: Details {
            compat_versions: fields.optional("compatVersions", sink).unwrap_or_default(),
            integrity: fields.optional("integrity", sink),
            provenance: fields.optional("provenance", sink),
            author: fields.optional("author", sink),
            homepage: fields.optional("homepage", sink),
            repository: fields.optional("repository", sink),
            license: fields.optional("license", sink),
            keywords: fields.optional_list("keywords", sink),
        },
        id,
    };
    for (index, required) in draft.requires.iter().enumerate() {
        let at = sink.at(&required.span, &required.pointer);
        if draft.id.as_ref().is_some_and(|id| id.value == required.value) {
            let diagnostic = REQUIRES_ITSELF.at(at, "the capability requires itself");
            sink.push(diagnostic.label("its own id").help("remove it"));
        } else {
            let before = draft.requires[..index.min(MAX_COMPARED)].iter();
            report_duplicate(required, before, "required", sink);
        }
    }
    draft
}

/// Lists longer than this are compared only with their first entries: no honest list is longer.
const MAX_COMPARED: usize = 256;

/// Warns if an entry stands among those before it.
pub(super) fn report_duplicate<'a, T: PartialEq + std::fmt::Display + 'a>(
    entry: &At<T>,
    mut before: impl Iterator<Item = &'a At<T>>,
    verb: &str,
    sink: &mut Sink,
) {
    if let Some(first) = before.find(|earlier| earlier.value == entry.value) {
        let message = format!("`{}` is {verb} twice", entry.value);
        let first = sink.at(&first.span, &first.pointer);
        let at = sink.at(&entry.span, &entry.pointer);
        sink.push(DUPLICATE_ENTRY.at(at, message).also(first, "first here").help("remove one"));
    }
}

/// The same for a whole list.
pub(super) fn report_duplicates<T: PartialEq + std::fmt::Display>(
    entries: &[At<T>],
    verb: &str,
    sink: &mut Sink,
) {
    for (index, entry) in entries.iter().enumerate() {
        report_duplicate(entry, entries[..index.min(MAX_COMPARED)].iter(), verb, sink);
    }
}

const RESERVED_PREFIXES: [&str; 3] = ["gsd-", "gsd-core-", "anthropic-"];

fn read_id(
    fields: &mut Fields<'_>,
    context: Context<'_>,
    sink: &mut Sink,
) -> Option<At<CapabilityId>> {
    let node = fields.required_node("id", sink)?;
    let pointer = fields.pointer.key("id");
    let text = String::read(node, &pointer, sink)?;
    let at = sink.at(&node.span, &pointer);
    let id = CapabilityId::parse(&text).ok();
    if id.is_none() {
        let message = format!("{} is not an id", quoted(&text));
        let diagnostic = ID.at(at.clone(), message);
        sink.push(diagnostic.label("expected lower-case letters, digits and hyphens"));
    }
    if context.origin == Origin::ThirdParty
        && let Some(prefix) = RESERVED_PREFIXES.into_iter().find(|p| text.starts_with(p))
    {
        let message = format!("ids that start with `{prefix}` are reserved");
        let diagnostic = RESERVED_ID.at(at.clone(), message).label("reserved");
        sink.push(diagnostic.help("choose an id that starts with a name of yours"));
    }
    if let Some(folder) = context.folder.filter(|folder| *folder != text) {
        let message =
            format!("the id {} is not the name of its folder, {}", quoted(&text), quoted(folder));
        let diagnostic = ID_FOLDER.at(at, message).label("differs from the folder");
        let diagnostic = match CapabilityId::parse(folder) {
            Ok(folder) => diagnostic.help(format!("write `{folder}`, or rename the folder")),
            Err(_) => diagnostic.help("rename the folder"),
        };
        sink.push(diagnostic);
    }
    Some(At { value: id?, span: node.span.clone(), pointer })
}

impl Read for Range {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let rule = std::mem::replace(&mut sink.value, &range::RANGE);
        let expected = "a range such as `>=1.9.0 <3.0.0`";
        let read = read_text(node, pointer, sink, "a range of versions", expected, Range::parse);
        sink.value = rule;
        read
    }
}
