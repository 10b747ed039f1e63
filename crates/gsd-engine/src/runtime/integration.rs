//! What a host can do for an orchestrator. Every answer may be `undocumented`: nobody should have to
//! guess.

use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, record, vocabulary};
use serde_json::json;

/// A value that is known, or that the host does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Documented<T> {
    Known(T),
    Undocumented,
}

const UNDOCUMENTED: &str = "undocumented";

impl<T: Read> Read for Documented<T> {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        if node.as_str() == Some(UNDOCUMENTED) {
            return Some(Self::Undocumented);
        }
        T::read(node, pointer, sink).map(Self::Known)
    }
}

impl<T: Schema> Schema for Documented<T> {
    fn schema() -> serde_json::Value {
        json!({ "anyOf": [T::schema(), { "const": UNDOCUMENTED }] })
    }
}

vocabulary! {
    /// Whether the host is told what to do or reads it.
    pub enum EmbeddingMode "embedding mode" {
        Imperative = "imperative",
        Declarative = "declarative",
    }
}

vocabulary! {
    /// How a person starts a command.
    pub enum CommandSurface "command surface" {
        SlashFile = "slash-file",
        SlashProgrammatic = "slash-programmatic",
        SlashToml = "slash-toml",
        Palette = "palette",
        ProseOnly = "prose-only",
    }
}

vocabulary! {
    /// Whether we choose the model.
    pub enum ModelMode "model mode" {
        Active = "active",
        Passive = "passive",
    }
}

vocabulary! {
    /// Who raises the events of hooks.
    pub enum HookBus "hook bus" {
        Host = "host",
        Engine = "engine",
        None = "none",
    }
}

vocabulary! {
    /// Where state is kept.
    pub enum StateIo "place of state" {
        Filesystem = "filesystem",
        SandboxedStorage = "sandboxed-storage",
        SessionLogAppend = "session-log-append",
    }
}

vocabulary! {
    /// How tools reach the host.
    pub enum HostTransport "transport of tools" {
        Mcp = "mcp",
        NativeExtension = "native-extension",
    }
}

vocabulary! {
    /// What the host runs on.
    pub enum HostRuntime "language runtime" {
        Node = "node",
        Bun = "bun",
        SandboxedWeb = "sandboxed-web",
        Python = "python",
        Go = "go",
        Rust = "rust",
        Electron = "electron",
        Other = "other",
    }
}

vocabulary! {
    /// How effort is chosen.
    pub enum EffortSurface "effort surface" {
        Argv = "argv",
        None = "none",
    }
}

vocabulary! {
    /// The tools that a sub-agent has.
    pub enum SubagentToolkit "toolkit" {
        Full = "full",
        ReadOnly = "read-only",
        BuiltInOnly = "built-in-only",
    }
}

vocabulary! {
    /// How sub-agents are kept apart.
    pub enum Isolation "isolation" {
        HarnessWorktree = "harness-worktree",
        OrchestratorWorktree = "orchestrator-worktree",
        None = "none",
    }
}

/// How deep sub-agents may nest: -1 is without end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depth(pub i64);

impl Read for Depth {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let Some(depth) = node.as_f64() else {
            sink.wrong(node, pointer, "a whole number of at least -1, or `undocumented`");
            return None;
        };
        if depth.fract() != 0.0 || !(-1.0..=1_000_000.0).contains(&depth) {
            let message = format!("`{depth}` is no depth");
            let diagnostic = sink.value.at(sink.at(&node.span, pointer), message);
            sink.push(diagnostic.label("expected a whole number of at least -1"));
            return None;
        }
        #[allow(clippy::cast_possible_truncation, reason = "checked just above")]
        Some(Self(depth as i64))
    }
}

impl Schema for Depth {
    fn schema() -> serde_json::Value {
        json!({ "type": "integer", "minimum": -1, "maximum": 1_000_000 })
    }
}

record! {
    /// What a host can do for an orchestrator.
    pub struct HostIntegration, HostIntegrationDraft, checked by no_reserved_names {
        /// Whether the host is told what to do or reads it.
        required "embeddingMode" embedding_mode: Documented<EmbeddingMode>,
        /// How a person starts a command.
        required "commandSurface" command_surface: Documented<CommandSurface>,
        /// What it can start, and how.
        required "dispatch" dispatch: Dispatch,
        /// Whether we choose the model.
        required "modelMode" model_mode: Documented<ModelMode>,
        /// Who raises the events of hooks.
        required "hookBus" hook_bus: Documented<HookBus>,
        /// Where state is kept.
        required "stateIO" state_io: Documented<StateIo>,
        /// How tools reach the host.
        required "transport" transport: Documented<HostTransport>,
        /// What the host runs on.
        required "runtime" runtime: Documented<HostRuntime>,
        /// How effort is chosen.
        optional "effortSurface" effort_surface: Documented<EffortSurface>,
    }
}

record! {
    /// How a host starts sub-agents.
    pub struct Dispatch, DispatchDraft, checked by no_reserved_dispatch_names {
        /// Whether a sub-agent can be started by name.
        required "namedDispatch" named_dispatch: Documented<bool>,
        /// Whether sub-agents can start sub-agents.
        required "nested" nested: Documented<bool>,
        /// How deep: -1 is without end.
        required "maxDepth" max_depth: Documented<Depth>,
        /// Whether sub-agents can run in the background.
        required "background" background: Documented<bool>,
        /// The tools that a sub-agent has.
        required "subagentToolkit" subagent_toolkit: Documented<SubagentToolkit>,
        /// Whether background work can be started by an agent.
        required "backgroundDispatch" background_dispatch: Documented<bool>,
        /// How sub-agents are kept apart.
        optional "isolation" isolation: Documented<Isolation>,
        /// The sub-agents that the host brings along.
        optional "builtInSubagents" built_in_subagents: Documented<Vec<At<String>>>,
    }
}

fn no_reserved_names(_: &HostIntegrationDraft, fields: &Fields<'_>, sink: &mut Sink) {
    refuse_reserved(fields, sink);
}

fn no_reserved_dispatch_names(_: &DispatchDraft, fields: &Fields<'_>, sink: &mut Sink) {
    refuse_reserved(fields, sink);
}

/// Keys that mean something to JavaScript objects must not reach a host that merges these tables.
fn refuse_reserved(fields: &Fields<'_>, sink: &mut Sink) {
    for name in crate::id::RESERVED {
        if fields.peek(name).is_some() {
            let at = fields.name_at(name, sink);
            sink.push(sink.value.at(at, format!("`{name}` cannot be a key")).label("reserved"));
        }
    }
}

impl<T: PartialEq> Documented<T> {
    /// Whether it is known to be that value.
    pub fn is(&self, value: &T) -> bool {
        match self {
            Self::Known(known) => known == value,
            Self::Undocumented => false,
        }
    }
}
