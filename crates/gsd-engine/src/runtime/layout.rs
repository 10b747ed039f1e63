//! What is written where, and in which dialect.

use crate::diag::{Level, Rule};
use crate::id::RelPath;
use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, quoted, record, vocabulary};

/// A converter makes another kind of file than the entry is for.
pub(super) static CONVERTER_KIND: Rule = Rule {
    code: "runtime/converter-kind",
    level: Level::Error,
    summary: "a converter does not make the kind of file that the entry is for",
    docs: include_str!("converter_kind.md"),
};

/// A local entry names a home of its own.
pub(super) static LOCAL_HOME: Rule = Rule {
    code: "runtime/local-home",
    level: Level::Error,
    summary: "a local entry names a home of its own",
    docs: include_str!("local_home.md"),
};

/// Two entries write into one folder.
pub(super) static SHARED_DESTINATION: Rule = Rule {
    code: "runtime/shared-destination",
    level: Level::Warning,
    summary: "two entries write files of one name into one folder",
    docs: include_str!("shared_destination.md"),
};

vocabulary! {
    /// What an entry of a layout holds.
    pub enum ArtifactKind "kind of files" {
        Commands = "commands",
        Agents = "agents",
        Skills = "skills",
        /// One root agent and its sub-agents, in YAML.
        KimiAgents = "kimi-agents",
    }
}

vocabulary! {
    /// How skills lie in their folder.
    pub enum Nesting "nesting" {
        /// All side by side.
        Flat = "flat",
        /// Below the router that leads to them.
        Nested = "nested",
    }
}

/// The table of converters: each one belongs to one kind of files.
macro_rules! converters {
    ($($variant:ident = $word:literal makes $kind:ident),+ $(,)?) => {
        vocabulary! {
            /// How a text is turned into the dialect of a host.
            pub enum Converter "converter" { $($variant = $word),+ }
        }

        impl Converter {
            /// The kind of files that it makes.
            pub const fn makes(self) -> ArtifactKind {
                match self { $(Self::$variant => ArtifactKind::$kind),+ }
            }
        }
    };
}

converters! {
    AntigravitySkill = "convertClaudeCommandToAntigravitySkill" makes Skills,
    AugmentSkill = "convertClaudeCommandToAugmentSkill" makes Skills,
    ClaudeSkill = "convertClaudeCommandToClaudeSkill" makes Skills,
    ClineSkill = "convertClaudeCommandToClineSkill" makes Skills,
    CodebuddySkill = "convertClaudeCommandToCodebuddySkill" makes Skills,
    CodexSkill = "convertClaudeCommandToCodexSkill" makes Skills,
    CopilotSkill = "convertClaudeCommandToCopilotSkill" makes Skills,
    CursorSkill = "convertClaudeCommandToCursorSkill" makes Skills,
    KiloSkill = "convertClaudeCommandToKiloSkill" makes Skills,
    KimiSkill = "convertClaudeCommandToKimiSkill" makes Skills,
    KimiCodeSkill = "convertClaudeCommandToKimiCodeSkill" makes Skills,
    OpencodeSkill = "convertClaudeCommandToOpencodeSkill" makes Skills,
    TraeSkill = "convertClaudeCommandToTraeSkill" makes Skills,
    WindsurfSkill = "convertClaudeCommandToWindsurfSkill" makes Skills,
    CodebuddyCommand = "convertClaudeCommandToCodebuddyCommand" makes Commands,
    WindsurfWorkflow = "convertClaudeCommandToWindsurfWorkflow" makes Commands,
    CopilotAgent = "convertClaudeAgentToCopilotAgent" makes Agents,
    AntigravityAgent = "convertClaudeAgentToAntigravityAgent" makes Agents,
    CursorAgent = "convertClaudeAgentToCursorAgent" makes Agents,
    WindsurfAgent = "convertClaudeAgentToWindsurfAgent" makes Agents,
    AugmentAgent = "convertClaudeAgentToAugmentAgent" makes Agents,
    TraeAgent = "convertClaudeAgentToTraeAgent" makes Agents,
    CodebuddyAgent = "convertClaudeAgentToCodebuddyAgent" makes Agents,
    ClineAgent = "convertClaudeAgentToClineAgent" makes Agents,
    CodexAgent = "convertClaudeAgentToCodexAgent" makes Agents,
    QwenAgent = "convertClaudeAgentToQwenAgent" makes Agents,
}

record! {
    /// What is written for all projects of a user, and what for one project.
    pub struct ArtifactLayout, LayoutDraft, checked by check_layout {
        /// For all projects.
        required_list "global" global: LayoutEntry,
        /// For one project.
        required_list "local" local: LayoutEntry,
    }
}

record! {
    /// One kind of files and the folder that they go to.
    pub struct LayoutEntry, EntryDraft, checked by check_converter {
        /// What the files are.
        required "kind" kind: At<ArtifactKind>,
        /// The folder below the host's own.
        required "destSubpath" dest_subpath: At<Destination> = r#""skills""#,
        /// What every name starts with.
        required "prefix" prefix: At<Prefix> = r#""gsd-""#,
        /// How they lie in the folder.
        required "nesting" nesting: Nesting,
        /// Whether folders below it count.
        optional "recursive" recursive: bool,
        /// How the texts are turned into the host's dialect; null to leave them as they are.
        required "converter" converter: Option<At<Converter>>,
        /// Another home for these files, below the user's home. Global entries only.
        optional "home" home: At<Destination> = r#"".agents""#,
    }
}

fn check_converter(draft: &EntryDraft, fields: &Fields<'_>, sink: &mut Sink) {
    let (Some(kind), Some(converter)) = (&draft.kind, &draft.converter) else { return };
    let kind = kind.value;
    match converter {
        Some(converter) if converter.makes() != kind => {
            let makes = converter.makes();
            let message = format!("this converter makes {makes}, the entry is for {kind}");
            let at = sink.at(&converter.span, &converter.pointer);
            let diagnostic = CONVERTER_KIND.at(at, message).label(format!("makes {makes}"));
            sink.push(diagnostic.help(format!("take a converter for {kind}, or change `kind`")));
        }
        None if kind == ArtifactKind::Skills => {
            let at = fields.name_at("converter", sink);
            let message = "skills need a converter: no host reads commands as skills";
            sink.push(CONVERTER_KIND.at(at, message).label("expected the name of a converter"));
        }
        Some(_) | None => {}
    }
}

fn check_layout(draft: &LayoutDraft, _: &Fields<'_>, sink: &mut Sink) {
    for entry in &draft.local {
        if let Some(home) = &entry.home {
            let at = sink.at(&home.span, &home.pointer);
            let diagnostic = LOCAL_HOME.at(at, "only global entries may have a `home`");
            sink.push(diagnostic.label("a project has one place").help("remove `home`"));
        }
    }
    for entries in [&draft.global, &draft.local] {
        for (index, entry) in entries.iter().enumerate() {
            let same = |other: &&LayoutEntry| {
                other.dest_subpath.value == entry.dest_subpath.value
                    && other.prefix.value == entry.prefix.value
                    && other.home == entry.home
            };
            if let Some(first) = entries[..index.min(64)].iter().find(same) {
                let folder = quoted(entry.dest_subpath.as_str());
                let message = format!("two entries write into {folder} with one prefix");
                let dest = &entry.dest_subpath;
                let first = sink.at(&first.dest_subpath.span, &first.dest_subpath.pointer);
                let diagnostic = SHARED_DESTINATION.at(sink.at(&dest.span, &dest.pointer), message);
                let diagnostic = diagnostic.also(first, "the other one");
                sink.push(diagnostic.help("give one of them another `destSubpath` or `prefix`"));
            }
        }
    }
}

/// A folder below another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination(RelPath);

impl Destination {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl Read for Destination {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let path = RelPath::read(node, pointer, sink)?;
        if path.as_str().trim().is_empty() {
            sink.invalid(node, pointer, "a folder", "a path below the root");
            return None;
        }
        Some(Self(path))
    }
}

impl Schema for Destination {
    fn schema() -> serde_json::Value {
        let mut schema = RelPath::schema();
        schema["allOf"] = serde_json::json!([{ "pattern": "\\S" }]);
        schema
    }
}

/// What file names start with. It may be empty, but it may not lead anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix(String);

impl Prefix {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for Prefix {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let expected = "letters, digits, `.`, `_` and `-`, not starting with a dot";
        crate::json::read_text(node, pointer, sink, "a prefix", expected, |text| {
            let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
            if plain && !text.starts_with('.') { Ok(Self(text.to_owned())) } else { Err(()) }
        })
    }
}

impl Schema for Prefix {
    fn schema() -> serde_json::Value {
        crate::json::pattern_schema("^(?!\\.)[A-Za-z0-9._-]*$")
    }
}
