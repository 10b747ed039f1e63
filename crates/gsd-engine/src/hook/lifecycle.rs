//! Hooks of the host's own life: a script of the bundle that runs when something happens there.

use crate::diag::{Level, Rule};
use crate::id::{RESERVED, RelPath};
use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, quoted, record};
use crate::text::{is_deceptive, nearest};

/// A script's path could do more than name a file of the bundle.
pub(super) static SCRIPT: Rule = Rule {
    code: "hook/script",
    level: Level::Error,
    summary: "the path of a script holds more than a file name may",
    docs: include_str!("script.md"),
};

/// No known host raises that event.
pub(super) static UNKNOWN_EVENT: Rule = Rule {
    code: "hook/unknown-event",
    level: Level::Warning,
    summary: "no known host raises that event",
    docs: include_str!("unknown_event.md"),
};

/// A matcher is not one line of text.
pub(super) static MATCHER: Rule = Rule {
    code: "hook/matcher",
    level: Level::Error,
    summary: "a matcher is not one line of printable text",
    docs: include_str!("matcher.md"),
};

/// The events of the hosts that gsd knows, of all dialects.
pub const KNOWN_EVENTS: &[&str] = &[
    "AfterAgent",
    "AfterModel",
    "AfterTool",
    "BeforeAgent",
    "BeforeModel",
    "BeforeTool",
    "BeforeToolSelection",
    "FileChanged",
    "Notification",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PreCompress",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
];

record! {
    /// A script of the bundle that the host runs when an event happens.
    pub struct LifecycleHook, LifecycleHookDraft, checked by check_event {
        /// The event, as the host names it.
        required "event" event: At<String> = r#""PostToolUse""#,
        /// The script: a path below the bundle.
        required "script" script: At<ScriptPath> = r#""hooks/after-write.js""#,
        /// Which uses of the event count; without it all do.
        optional "matcher" matcher: At<String> = r#""Write|Edit""#,
    }
}

fn check_event(draft: &LifecycleHookDraft, _: &Fields<'_>, sink: &mut Sink) {
    if let Some(event) = &draft.event {
        let at = sink.at(&event.span, &event.pointer);
        let odd = event.trim().is_empty() || event.chars().any(is_deceptive);
        if odd || RESERVED.contains(&event.as_str()) {
            let message = format!("{} is not the name of an event", quoted(event));
            sink.push(sink.value.at(at, message).label("expected a name such as `SessionStart`"));
        } else if !KNOWN_EVENTS.contains(&event.as_str()) {
            let message = format!("no known host raises {}", quoted(event));
            let mut diagnostic = UNKNOWN_EVENT.at(at, message).label("never happens");
            diagnostic = match nearest(event, KNOWN_EVENTS.iter().copied()) {
                Some(near) => diagnostic
                    .help(format!("did you mean `{near}`?"))
                    .fix(event.span.clone(), format!("\"{near}\"")),
                None => diagnostic.help("look the name up in the documentation of the host"),
            };
            sink.push(diagnostic);
        }
    }
    if let Some(matcher) = &draft.matcher
        && (matcher.trim().is_empty() || matcher.chars().any(is_deceptive))
    {
        let at = sink.at(&matcher.span, &matcher.pointer);
        let message = format!("{} is not a matcher", quoted(matcher));
        let diagnostic = MATCHER.at(at, message).label("expected one line of printable text");
        sink.push(diagnostic.help("leave `matcher` out to match everything"));
    }
}

/// The path of a script: only characters that no shell reads as anything else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScriptPath(RelPath);

impl ScriptPath {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl Read for ScriptPath {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let text = String::read(node, pointer, sink)?;
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._/-".contains(&b);
        let harmless = text.bytes().all(plain) && !text.split('/').any(|p| p.starts_with('-'));
        if harmless && let Ok(path) = RelPath::parse(&text) {
            return Some(Self(path));
        }
        let message = format!("{} is not the path of a script", quoted(&text));
        let diagnostic = SCRIPT.at(sink.at(&node.span, pointer), message);
        sink.push(
            diagnostic
                .label("expected a path below the bundle of letters, digits, `.`, `_`, `-`, `/`"),
        );
        None
    }
}

impl Schema for ScriptPath {
    fn schema() -> serde_json::Value {
        crate::json::pattern_schema(
            "^(?!/)(?!(.*/)?\\.\\.(/|$))(?!(.*/)?-)[A-Za-z0-9._/-]*[A-Za-z0-9_-][A-Za-z0-9._/-]*$",
        )
    }
}
