//! Runtimes: how one host CLI takes our files. A runtime is data: every difference between hosts is
//! a value over a closed vocabulary, never code in a manifest.

mod axis;
mod behaviors;
mod consistency;
mod home;
mod integration;
mod layout;

pub use axis::{
    CommandStyle, ConfigFormat, ExtendedHookEvent, ExtensionEvents, HookEvents, HooksSurface,
    InstallSurface, PermissionWriter, SandboxTier, SupportTier,
};
pub use behaviors::{BEHAVIORS, Behavior, BehaviorShape, HostBehaviors};
pub use home::{ConfigHome, HomeKind, HomePath};
pub use integration::{
    CommandSurface, Depth, Dispatch, Documented, EffortSurface, EmbeddingMode, HookBus,
    HostIntegration, HostRuntime, HostTransport, Isolation, ModelMode, StateIo, SubagentToolkit,
};
pub use layout::{ArtifactKind, ArtifactLayout, Converter, LayoutEntry, Nesting};

use crate::diag::Rule;
use crate::json::{At, Node, Pointer, Read, Schema, Sink, quoted, record};
use crate::text::is_deceptive;

/// Every rule of this module.
pub static RULES: &[&Rule] = &[
    &consistency::CONFIG_FORMAT,
    &layout::CONVERTER_KIND,
    &consistency::EXTENDED_EVENTS,
    &home::HOME_FORM,
    &behaviors::HOST_BEHAVIOR,
    &consistency::HOOKS_SURFACE,
    &consistency::LOCAL_DIR,
    &layout::LOCAL_HOME,
    &behaviors::REVIEWER_CLI,
    &layout::SHARED_DESTINATION,
    &behaviors::UNKNOWN_HOST_BEHAVIOR,
];

record! {
    /// How a host CLI takes the files of capabilities.
    pub struct Runtime, Draft, checked by consistency::check {
        /// Where the host keeps its own configuration.
        required "configHome" config_home: ConfigHome =
            r#"{ "kind": "dot-home", "name": ".acme", "env": [] }"#,
        /// The folder of a project that the host reads; null where there is none.
        optional "localConfigDir" local_config_dir: Option<At<LocalDir>> = r#"".claude""#,
        /// How the host's settings are written.
        required "configFormat" config_format: At<ConfigFormat>,
        /// The kinds of artefacts that are installed, for the user (`global`) and for one project (`local`).
        required "artifactLayout" artifact_layout: ArtifactLayout =
            r#"{ "global": [], "local": [] }"#,
        /// How the host spells commands.
        required "commandStyle" command_style: CommandStyle,
        /// Which file takes hooks.
        required "hooksSurface" hooks_surface: At<HooksSurface>,
        /// Whose names the host uses for the events of its life.
        optional "hookEvents" hook_events: HookEvents,
        /// Whose names the host uses for the events of its extensions.
        optional "extensionEvents" extension_events: ExtensionEvents,
        /// What the host's own sandbox can do.
        required "sandboxTier" sandbox_tier: SandboxTier,
        /// How well the host is tested: 1 or 2.
        required "supportTier" support_tier: SupportTier,
        /// Which file makes an install known to the host.
        required "installSurface" install_surface: At<InstallSurface>,
        /// Whether a settings file that others write too is written.
        required "writesSharedSettings" writes_shared_settings: bool,
        /// Who writes permissions at the end of an install; null where nobody does.
        required "permissionWriter" permission_writer: Option<PermissionWriter>,
        /// Events beyond those that every host of the dialect has.
        required_list "extendedHookEvents" extended_hook_events: At<ExtendedHookEvent>,
        /// What the host can do for an orchestrator.
        required "hostIntegration" host_integration: HostIntegration,
        /// How the host is started to execute a plan by itself.
        optional "orchestratorExec" orchestrator_exec: OrchestratorExec,
        /// The words that make the host isolate a sub-agent.
        optional "harnessIsolationFlag" harness_isolation_flag: OneLine,
        /// Switches for single hosts, over a closed vocabulary. Keys outside it are ignored with
        /// a warning.
        optional "hostBehaviors" host_behaviors: HostBehaviors,
    }
}

record! {
    /// How a host is started without a person in front of it.
    pub struct OrchestratorExec, OrchestratorExecDraft {
        /// The program.
        required "command" command: OneLine = r#""codex""#,
        /// Words that always follow it.
        optional_list "args" args: String = r#"["exec"]"#,
        /// The option that names the working directory.
        optional "cwdFlag" cwd_flag: Option<String> = r#""--cd""#,
        /// The option that takes the prompt; null if the prompt comes last.
        optional "promptFlag" prompt_flag: Option<String>,
    }
}

/// One line of printable text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneLine(String);

impl OneLine {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for OneLine {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = String::read(node, pointer, sink)?;
        let reserved = crate::id::RESERVED.contains(&text.as_str());
        if reserved || text.trim().is_empty() || text.chars().any(is_deceptive) {
            sink.invalid(node, pointer, "a line of text", "one line of printable text");
            return None;
        }
        Some(Self(text))
    }
}

impl Schema for OneLine {
    fn schema() -> serde_json::Value {
        crate::json::pattern_schema(
            "^(?!(__proto__|constructor|prototype)$)(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]+$",
        )
    }
}

/// A folder of the project that belongs to a host: `.claude`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalDir(String);

impl LocalDir {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for LocalDir {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = String::read(node, pointer, sink)?;
        if text.starts_with('.') && crate::id::RelPath::parse(&text).is_ok() {
            return Some(Self(text));
        }
        let message =
            format!("{} is not a folder of the project that starts with a dot", quoted(&text));
        let diagnostic = consistency::LOCAL_DIR.at(sink.at(&node.span, pointer), message);
        sink.push(diagnostic.label("expected a folder such as `.claude`"));
        None
    }
}

impl Schema for LocalDir {
    fn schema() -> serde_json::Value {
        let mut schema = crate::id::RelPath::schema();
        schema["allOf"] = serde_json::json!([{ "pattern": "^\\." }]);
        schema
    }
}
