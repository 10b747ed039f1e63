//! `hostBehaviors`: switches for single hosts, over a closed vocabulary.
//!
//! Nothing in this bag makes a manifest invalid. A manifest may have been written for a newer
//! version of gsd, so a key or a value that this version does not know is ignored with a warning.

use crate::diag::{Level, Rule};
use crate::json::{Node, Pointer, Read, Schema, Sink, one_of, quoted};
use crate::text::nearest;
use serde_json::json;
use std::collections::BTreeMap;

/// A key outside the vocabulary.
pub(super) static UNKNOWN_HOST_BEHAVIOR: Rule = Rule {
    code: "runtime/unknown-host-behavior",
    level: Level::Warning,
    summary: "a key of hostBehaviors is not in the vocabulary and is ignored",
    docs: include_str!("unknown_host_behavior.md"),
};

/// A key with a value that it does not take.
pub(super) static HOST_BEHAVIOR: Rule = Rule {
    code: "runtime/host-behavior",
    level: Level::Warning,
    summary: "a key of hostBehaviors has a value that it does not take and is ignored",
    docs: include_str!("host_behavior.md"),
};

/// The removed way to declare a reviewer lane.
pub(super) static REVIEWER_CLI: Rule = Rule {
    code: "runtime/reviewer-cli",
    level: Level::Warning,
    summary: "hostBehaviors.reviewerCli no longer declares a reviewer lane",
    docs: include_str!("reviewer_cli.md"),
};

/// The values that a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BehaviorShape {
    /// true or false.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// true, false, or one of these words.
    FlagOrWord(&'static [&'static str]),
    /// A line of text.
    Text,
    /// A list of lines of text.
    Texts,
    /// An object of texts.
    TextMap,
    /// An object with these keys, all texts, all required.
    Parts(&'static [&'static str]),
    /// A list of such objects.
    PartsList(&'static [&'static str]),
}

/// One key of the vocabulary.
#[derive(Debug)]
pub struct Behavior {
    pub key: &'static str,
    pub shape: BehaviorShape,
    /// What it does, as one sentence.
    pub docs: &'static str,
}

macro_rules! behaviors {
    ($($key:literal $shape:expr, $docs:literal;)+) => {
        /// The vocabulary, sorted by key.
        pub static BEHAVIORS: &[Behavior] = &[
            $(Behavior { key: $key, shape: $shape, docs: $docs }),+
        ];
    };
}

use BehaviorShape::{Flag, FlagOrWord, Parts, PartsList, Text, TextMap, Texts, Word};

behaviors! {
    "agentFileExtension" Text, "What the file names of agents end in.";
    "agentFrontmatterExtensions" Texts, "Fields that this host adds to the frontmatter of agents.";
    "agentManifestStyle" Word(&["none", "kimi-nested"]), "How agents are listed for the host.";
    "agentTomlFiles" Flag, "Each agent has a TOML file of its own.";
    "attributionConfigResolver" Word(&["kilo", "opencode"]), "Whose configuration names the co-author of commits.";
    "attributionSource" Word(&["settings-json-commit"]), "Where the co-author of commits is read.";
    "authorsCanonicalWorkflow" Flag, "The texts of workflows are written for this host and stay as they are.";
    "brandingRewrites" TextMap, "Words of texts and what they become for this host.";
    "cleanupSkillSidecars" Flag, "Files that older installs left beside skills are removed.";
    "clineRulesSurface" Flag, "Instructions go into a folder of rules.";
    "combinedFamilyInstall" Flag, "Skills and commands are installed together.";
    "commandBodyConverter" Word(&["convertClaudeToAugmentMarkdown"]), "How the bodies of plain commands are turned into the dialect.";
    "doneBannerStyle" Word(&["kimi-code", "kimi-agent-file"]), "What is said at the end of an install.";
    "flatCommandDir" Text, "The folder that takes commands side by side.";
    "frontmatterDialect" Word(&["cline", "codex", "cursor", "kilo", "opencode"]), "The dialect of frontmatter.";
    "globalDirResolver" Word(&["antigravity"]), "Who finds the global folder among several.";
    "hookPathStyle" Word(&["raw"]), "How the paths of hook scripts are written.";
    "hooksJsonSurface" Flag, "Hooks go into a file of their own.";
    "hyphenNameAgentBody" Flag, "Commands named in the texts of agents are spelled with a hyphen.";
    "installsCommandBodiesForWorkflowDelegation" Flag, "The texts of commands are installed for workflows that refer to them.";
    "legacyCommandsGsdCleanup" Flag, "The commands folder of older installs is removed.";
    "legacyCommandsGsdInstallMigration" Flag, "The commands folder of older installs is moved.";
    "legacyCommandsGsdUninstall" FlagOrWord(&["global"]), "An uninstall also removes the commands folder of older installs.";
    "legacyDevinSkillsCleanup" Flag, "Skills that older installs put into a shared folder are removed.";
    "localCommandsViaRules" Flag, "In a project, commands are rules.";
    "localInstallDeferred" Flag, "There is no install for one project yet; a notice says so.";
    "localInstallStyle" Word(&["legacy-flat"]), "A project takes commands and agents side by side instead of skills.";
    "localTargetIsProjectRoot" Flag, "In a project, files go to its root.";
    "managedHookEvents" Texts, "The events whose hooks we manage, as the host names them.";
    "mcpCompanion" Word(&["settings-json"]), "Which file takes the entry of our server of tools.";
    "namedSubagentsSupported" Flag, "Whether a sub-agent can be started by name.";
    "nativeModelAliases" Flag, "The host knows the names of models that texts use.";
    "nativePlugin" Parts(&["dir", "file", "source"]), "A plugin of the host's own kind that is installed.";
    "noPathRewrite" Flag, "Paths in texts stay as they are.";
    "ownsClaudePaths" Flag, "Paths in texts are this host's own.";
    "permissionsSchema" Word(&["claude"]), "How permissions are merged into the settings.";
    "pluginOnlyInstall" Flag, "Only the plugin is installed.";
    "projectInstructionFile" Text, "The file of a project that the host reads for instructions.";
    "reapplyCommand" Text, "What a person types after an update.";
    "reportCommandsDir" Flag, "The install says where commands went.";
    "reportSkillsCount" Flag, "The install says how many skills there are.";
    "retiredArtifacts" PartsList(&["destSubpath", "prefix", "suffix"]), "Files of older installs that are removed.";
    "settingsFileByScope" Parts(&["local", "global"]), "The settings file of each scope.";
    "sharedHooksDirName" Text, "The folder that takes the scripts of hooks.";
    "skillFrontmatterVersion" Flag, "Skills say their version.";
    "skillPriorityFrontmatter" Flag, "Skills say their priority.";
    "skillsGlobalOnboarding" Flag, "A first global install explains skills.";
    "skillsManifestPrefix" Text, "What the entries of the list of skills start with.";
    "skipCodexSkillsManifest" Flag, "The list of skills is not written.";
    "skipHomePrefixSubstitution" Flag, "The home folder in texts stays as it is.";
    "skipSettingsUi" Flag, "Nobody is asked about settings.";
    "skipSharedHooksInstall" Flag, "The scripts of hooks are not installed.";
    "skipUpdateBannerCommand" Flag, "The banner for updates is not installed.";
    "soloStageMetadata" Text, "The stage that skills say they belong to.";
    "sourceMarkerFile" Text, "A file that says where the commands came from.";
    "tomlConfigInstall" Flag, "The settings are TOML and keep what others wrote.";
    "trackCategoryDescription" Flag, "The text that describes the category belongs to the install.";
    "verificationStyle" Word(&["kimi-code", "kimi", "windsurf-workflows"]), "What is checked at the end of an install.";
    "writeCategoryDescription" Flag, "A text that describes the category is written.";
}

/// What a manifest says for its host.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HostBehaviors {
    values: BTreeMap<&'static str, serde_json::Value>,
}

impl HostBehaviors {
    /// Whether a switch is on.
    pub fn flag(&self, key: &str) -> bool {
        self.values.get(key).is_some_and(|value| value == &json!(true))
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key)?.as_str()
    }

    /// The value of a key, of the shape that the vocabulary says.
    pub fn value(&self, key: &str) -> Option<&serde_json::Value> {
        self.values.get(key)
    }
}

/// More notices than this are counted, not listed.
const MAX_NOTICES: usize = 10;

const REMOVED: &str = "reviewerCli";

impl Read for HostBehaviors {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let mut read = Self::default();
        let Some(object) = node.as_object() else {
            let message = format!("expected an object, found {}; it is ignored", node.kind());
            sink.push(HOST_BEHAVIOR.at(sink.at(&node.span, pointer), message));
            return Some(read);
        };
        let mut unknown = 0usize;
        for member in &object.members {
            let name_at = |sink: &Sink| sink.at(&member.name_span, &pointer.key(&member.name));
            if member.name == REMOVED {
                let message = "`reviewerCli` was removed; it declares no reviewer lane";
                let diagnostic = REVIEWER_CLI.at(name_at(sink), message).label("has no effect");
                sink.push(diagnostic.help("remove it; what declares a lane is a `reviewer` body"));
                continue;
            }
            let known = BEHAVIORS.binary_search_by(|known| known.key.cmp(member.name.as_str()));
            let Ok(known) = known else {
                unknown += 1;
                if unknown <= MAX_NOTICES {
                    let message = format!("unknown host behaviour {}", quoted(&member.name));
                    let mut diagnostic = UNKNOWN_HOST_BEHAVIOR.at(name_at(sink), message);
                    let keys = BEHAVIORS.iter().map(|known| known.key);
                    diagnostic = match nearest(&member.name, keys) {
                        Some(near) if object.get(near).is_some() => {
                            diagnostic.help(format!("remove it: `{near}` is there already"))
                        }
                        Some(near) => diagnostic
                            .help(format!("did you mean `{near}`?"))
                            .fix(member.name_span.clone(), format!("\"{near}\"")),
                        None => diagnostic.help("remove it; gsd does nothing with it"),
                    };
                    sink.push(diagnostic.label("is ignored"));
                }
                continue;
            };
            let known = &BEHAVIORS[known];
            match value_of(known.shape, &member.value) {
                Some(value) => {
                    read.values.insert(known.key, value);
                }
                None => {
                    let message = format!(
                        "`{}` takes {}; this value is ignored",
                        known.key,
                        known.shape.phrase()
                    );
                    let at = sink.at(&member.value.span, &pointer.key(&member.name));
                    let help = format!("write {}, or remove it", known.shape.phrase());
                    sink.push(HOST_BEHAVIOR.at(at, message).label("is ignored").help(help));
                }
            }
        }
        if unknown > MAX_NOTICES {
            let message = format!("{} more unknown host behaviours", unknown - MAX_NOTICES);
            let at = sink.at(&(node.span.start..node.span.start + 1), pointer);
            sink.push(UNKNOWN_HOST_BEHAVIOR.at(at, message).label("not listed one by one"));
        }
        Some(read)
    }
}

/// The value, if it has the shape.
fn value_of(shape: BehaviorShape, node: &Node) -> Option<serde_json::Value> {
    let line = |node: &Node| {
        let text = node.as_str()?;
        let plain = !text.is_empty() && !text.chars().any(crate::text::is_deceptive);
        plain.then(|| json!(text))
    };
    let word = |words: &[&str]| {
        let text = node.as_str()?;
        words.contains(&text).then(|| json!(text))
    };
    let flag = || node.as_bool().map(|value| json!(value));
    let parts = |keys: &[&str], node: &Node| {
        let object = node.as_object()?;
        if object.members.iter().any(|member| !keys.contains(&member.name.as_str())) {
            return None;
        }
        let values = keys.iter().map(|key| Some(((*key).to_owned(), line(object.get(key)?)?)));
        values.collect::<Option<serde_json::Map<_, _>>>().map(serde_json::Value::Object)
    };
    match shape {
        Flag => flag(),
        Word(words) => word(words),
        FlagOrWord(words) => flag().or_else(|| word(words)),
        Text => line(node),
        Texts => node.as_array()?.iter().map(line).collect(),
        TextMap => {
            let members = &node.as_object()?.members;
            let values = members.iter().map(|m| Some((m.name.clone(), line(&m.value)?)));
            values.collect::<Option<serde_json::Map<_, _>>>().map(serde_json::Value::Object)
        }
        Parts(keys) => parts(keys, node),
        PartsList(keys) => node.as_array()?.iter().map(|item| parts(keys, item)).collect(),
    }
}

impl BehaviorShape {
    /// What it takes, for messages and for the reference page.
    pub fn phrase(self) -> String {
        match self {
            Flag => "true or false".into(),
            Word(words) => one_of(words.iter().copied()),
            FlagOrWord(words) => format!("true, false or {}", one_of(words.iter().copied())),
            Text => "a line of text".into(),
            Texts => "a list of texts".into(),
            TextMap => "an object of texts".into(),
            Parts(keys) => format!("an object with the texts {}", and(keys)),
            PartsList(keys) => format!("a list of objects with the texts {}", and(keys)),
        }
    }

    fn schema(self) -> serde_json::Value {
        let parts = |keys: &[&str]| {
            let text = |key: &&str| ((*key).to_owned(), json!({ "type": "string" }));
            json!({
                "type": "object",
                "properties": keys.iter().map(text).collect::<serde_json::Map<_, _>>(),
                "required": keys,
            })
        };
        match self {
            Flag => json!({ "type": "boolean" }),
            Word(words) => json!({ "enum": words }),
            FlagOrWord(words) => json!({ "anyOf": [{ "type": "boolean" }, { "enum": words }] }),
            Text => json!({ "type": "string" }),
            Texts => json!({ "type": "array", "items": { "type": "string" } }),
            TextMap => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            Parts(keys) => parts(keys),
            PartsList(keys) => json!({ "type": "array", "items": parts(keys) }),
        }
    }
}

fn and(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}

impl Schema for HostBehaviors {
    /// Editors complete the keys and say what each takes. None of this is an error, so nothing is
    /// constrained: the shapes stand in `examples` and descriptions only.
    fn schema() -> serde_json::Value {
        let describe = |known: &Behavior| {
            let text = format!("{} Takes {}.", known.docs, known.shape.phrase());
            let schema = json!({ "description": text, "x-shape": known.shape.schema() });
            (known.key.to_owned(), schema)
        };
        json!({ "properties": BEHAVIORS.iter().map(describe).collect::<serde_json::Map<_, _>>() })
    }
}

#[cfg(test)]
mod tests {
    use super::BEHAVIORS;

    #[test]
    fn the_vocabulary_is_sorted_and_has_its_59_keys() {
        assert!(BEHAVIORS.is_sorted_by(|a, b| a.key < b.key));
        assert_eq!(BEHAVIORS.len(), 59);
    }
}
