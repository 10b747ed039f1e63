//! The plain axes of a runtime: closed vocabularies without behaviour.

use crate::json::{Node, Pointer, Read, Schema, Sink, vocabulary};

vocabulary! {
    /// How a host's settings are written.
    pub enum ConfigFormat "format of settings" {
        /// A `settings.json`.
        SettingsJson = "settings-json",
        /// A `config.toml`.
        Toml = "toml",
        /// One Markdown file of instructions.
        Markdown = "markdown",
        /// A folder of Markdown rules.
        MarkdownDir = "markdown-dir",
        /// No settings that we write.
        None = "none",
    }
}

vocabulary! {
    /// How a host spells commands.
    pub enum CommandStyle "style of commands" {
        /// `/gsd-plan-phase`.
        SlashHyphen = "slash-hyphen",
        /// `$gsd-plan-phase`.
        ShellVar = "shell-var",
    }
}

vocabulary! {
    /// Which file takes hooks.
    pub enum HooksSurface "surface of hooks" {
        SettingsJson = "settings-json",
        CodexHooksJson = "codex-hooks-json",
        CursorHooksJson = "cursor-hooks-json",
        CopilotInline = "copilot-inline",
        ClineRules = "cline-rules",
        KimiHooksToml = "kimi-hooks-toml",
        WindsurfHooksJson = "windsurf-hooks-json",
        /// The host takes no hooks.
        None = "none",
    }
}

vocabulary! {
    /// Whose names a host uses for the events of its life.
    pub enum HookEvents "dialect of events" {
        Claude = "claude",
        Gemini = "gemini",
    }
}

vocabulary! {
    /// Whose names a host uses for the events of its extensions.
    pub enum ExtensionEvents "dialect of extension events" {
        Opencode = "opencode",
        Pi = "pi",
        Hermes = "hermes",
        Kilo = "kilo",
        None = "none",
    }
}

vocabulary! {
    /// What a host's own sandbox can do.
    pub enum SandboxTier "sandbox tier" {
        /// None that we can set.
        None = "none",
        /// One sandbox for each agent, which only `codex` has.
        CodexAgentSandbox = "codex-agent-sandbox",
    }
}

vocabulary! {
    /// Which file makes an install known to a host.
    pub enum InstallSurface "install surface" {
        SettingsJson = "settings-json",
        CodexToml = "codex-toml",
        CopilotInstructions = "copilot-instructions",
        ClineRules = "cline-rules",
        CursorHooksJson = "cursor-hooks-json",
        /// Only a marker of ours.
        ProfileMarkerOnly = "profile-marker-only",
        /// Nothing is installed.
        None = "none",
    }
}

vocabulary! {
    /// Who writes permissions at the end of an install.
    pub enum PermissionWriter "writer of permissions" {
        Opencode = "opencode",
        Kilo = "kilo",
        Antigravity = "antigravity",
    }
}

vocabulary! {
    /// An event beyond those that every host of the dialect has.
    pub enum ExtendedHookEvent "extended event" {
        SubagentStop = "SubagentStop",
        Stop = "Stop",
        PreCompact = "PreCompact",
        FileChanged = "FileChanged",
        SubagentStart = "SubagentStart",
        BeforeAgent = "BeforeAgent",
        AfterAgent = "AfterAgent",
        BeforeModel = "BeforeModel",
    }
}

/// How well a host is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SupportTier {
    /// Fully.
    First,
    /// Less.
    Second,
}

impl Read for SupportTier {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        match node.as_f64() {
            Some(1.0) => Some(Self::First),
            Some(2.0) => Some(Self::Second),
            Some(other) => {
                let message = format!("`{other}` is no support tier");
                let diagnostic = sink.value.at(sink.at(&node.span, pointer), message);
                sink.push(diagnostic.label("expected 1 or 2"));
                None
            }
            None => {
                sink.wrong(node, pointer, "1 or 2");
                None
            }
        }
    }
}

impl Schema for SupportTier {
    fn schema() -> serde_json::Value {
        serde_json::json!({ "enum": [1, 2] })
    }
}
