//! Rules about several axes of one runtime.

use super::{
    ConfigFormat, Draft, ExtendedHookEvent, HomeKind, HookEvents, HooksSurface, InstallSurface,
};
use crate::diag::{Level, Rule};
use crate::json::{Fields, Sink, one_of};

/// Hooks go to a file that the install does not make known.
pub(super) static HOOKS_SURFACE: Rule = Rule {
    code: "runtime/hooks-surface",
    level: Level::Error,
    summary: "the surface of hooks does not go with the install surface",
    docs: include_str!("hooks_surface.md"),
};

/// An extended event is not one of the dialect.
pub(super) static EXTENDED_EVENTS: Rule = Rule {
    code: "runtime/extended-events",
    level: Level::Error,
    summary: "an extended event does not belong to the dialect of the host",
    docs: include_str!("extended_events.md"),
};

/// The format of settings does not go with the install surface.
pub(super) static CONFIG_FORMAT: Rule = Rule {
    code: "runtime/config-format",
    level: Level::Error,
    summary: "the format of settings does not go with the install surface",
    docs: include_str!("config_format.md"),
};

/// The local folder is missing, or there although the host has no home.
pub(super) static LOCAL_DIR: Rule = Rule {
    code: "runtime/local-dir",
    level: Level::Error,
    summary: "localConfigDir does not go with the configuration home",
    docs: include_str!("local_dir.md"),
};

impl InstallSurface {
    /// The surfaces that hooks may have with it.
    const fn hooks(self) -> &'static [HooksSurface] {
        match self {
            Self::SettingsJson => &[HooksSurface::SettingsJson, HooksSurface::None],
            Self::CodexToml => &[HooksSurface::CodexHooksJson],
            Self::CopilotInstructions => &[HooksSurface::CopilotInline],
            Self::ClineRules => &[HooksSurface::ClineRules],
            Self::CursorHooksJson => &[HooksSurface::CursorHooksJson],
            Self::ProfileMarkerOnly => {
                &[HooksSurface::None, HooksSurface::KimiHooksToml, HooksSurface::WindsurfHooksJson]
            }
            Self::None => &[HooksSurface::None],
        }
    }

    /// The format that settings have with it.
    const fn format(self) -> ConfigFormat {
        match self {
            Self::SettingsJson => ConfigFormat::SettingsJson,
            Self::CodexToml => ConfigFormat::Toml,
            Self::CopilotInstructions => ConfigFormat::Markdown,
            Self::ClineRules => ConfigFormat::MarkdownDir,
            Self::CursorHooksJson | Self::ProfileMarkerOnly | Self::None => ConfigFormat::None,
        }
    }
}

impl ExtendedHookEvent {
    const fn dialect(self) -> HookEvents {
        match self {
            Self::BeforeAgent | Self::AfterAgent | Self::BeforeModel => HookEvents::Gemini,
            Self::SubagentStop
            | Self::Stop
            | Self::PreCompact
            | Self::FileChanged
            | Self::SubagentStart => HookEvents::Claude,
        }
    }
}

/// Checks what can be read, whatever else is wrong.
pub(super) fn check(draft: &Draft, fields: &Fields<'_>, sink: &mut Sink) {
    if let Some(install) = &draft.install_surface {
        if let Some(hooks) = &draft.hooks_surface
            && !install.hooks().contains(&hooks.value)
        {
            let expected = one_of(install.hooks().iter().map(|surface| surface.word()));
            let message = format!(
                "hooks in `{}` do not go with an install in `{}`",
                hooks.value, install.value
            );
            let at = sink.at(&hooks.span, &hooks.pointer);
            let there = sink.at(&install.span, &install.pointer);
            let diagnostic = HOOKS_SURFACE.at(at, message).label(format!("expected {expected}"));
            sink.push(diagnostic.also(there, "the install surface"));
        }
        if let Some(format) = &draft.config_format
            && format.value != install.format()
        {
            let expected = install.format();
            let message = format!(
                "settings as `{}` do not go with an install in `{}`",
                format.value, install.value
            );
            let at = sink.at(&format.span, &format.pointer);
            let there = sink.at(&install.span, &install.pointer);
            let diagnostic = CONFIG_FORMAT.at(at, message).label(format!("expected `{expected}`"));
            sink.push(
                diagnostic
                    .also(there, "the install surface")
                    .fix(format.span.clone(), format!("\"{expected}\"")),
            );
        }
    }
    // A dialect that is there but malformed was reported; what goes with it cannot be told.
    let dialect_known = draft.hook_events.is_some() || fields.peek("hookEvents").is_none();
    for event in draft.extended_hook_events.iter().filter(|_| dialect_known) {
        let dialect = event.dialect();
        if draft.hook_events != Some(dialect) {
            let message = format!("`{}` is an event of the dialect `{dialect}`", event.value);
            let at = sink.at(&event.span, &event.pointer);
            let diagnostic = EXTENDED_EVENTS.at(at, message).label("never happens here");
            sink.push(
                diagnostic.help(format!("set `hookEvents` to `{dialect}`, or remove the event")),
            );
        }
    }
    check_local_dir(draft, fields, sink);
}

fn check_local_dir(draft: &Draft, fields: &Fields<'_>, sink: &mut Sink) {
    let Some(home) = &draft.config_home else { return };
    let homeless = home.kind.value == HomeKind::None;
    match (&draft.local_config_dir, fields.peek("localConfigDir")) {
        (Some(Some(dir)), _) if homeless => {
            let at = sink.at(&dir.span, &dir.pointer);
            let message = "a host without a home has no folder in a project";
            let diagnostic = LOCAL_DIR.at(at, message).label("expected null");
            sink.push(diagnostic.fix(dir.span.clone(), "null"));
        }
        (None, None) if !homeless => {
            let diagnostic = LOCAL_DIR.at(fields.here(sink), "missing field `localConfigDir`");
            let diagnostic = diagnostic.label("is required for a host with a home");
            sink.push(diagnostic.help("write for example `\"localConfigDir\": \".acme\"`"));
        }
        (Some(None), _) if !homeless => {
            let message = "a host with a home has a folder in a project";
            let diagnostic = LOCAL_DIR.at(fields.name_at("localConfigDir", sink), message);
            sink.push(diagnostic.label("expected a folder such as `.claude`"));
        }
        (Some(_) | None, _) => {}
    }
}
