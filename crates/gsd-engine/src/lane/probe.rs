//! Is the reviewer there? Asked before anything of the project is handed out.
//!
//! A probe never sends project data, is always bounded, and answers with a value: what it found
//! and where, or why the lane cannot run.

use super::descriptor::rules::{BAD_BINARY, BAD_PATH, EMPTY_TEXT, FORBIDDEN_FIELD};
use super::descriptor::{Binary, UrlPath, field};
use super::words::{read_word, words};
use crate::id::ConfigKey;
use crate::json::{Fields, Node, Pointer, Sink};
use std::time::Duration;

words! {
    /// How to find out whether a reviewer is there.
    ProbeKind {
        /// A program of that name is on PATH and may be executed. Nothing is started.
        CommandExists = "command-exists",
        /// Its help text mentions a word: for names that several programs bear.
        CommandCapability = "command-capability",
        /// A server answers.
        HttpReachable = "http-reachable",
    }
}

/// How to find out whether a reviewer is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    CommandExists { binary: Binary },
    CommandCapability { binary: Binary, needle: String, limit: Duration },
    HttpReachable { host_key: ConfigKey, path: UrlPath, limit: Duration },
}

impl Probe {
    /// The probe with another limit, for probes that take time.
    pub fn within(self, limit: Duration) -> Self {
        match self {
            Self::CommandExists { .. } => self,
            Self::CommandCapability { binary, needle, .. } => {
                Self::CommandCapability { binary, needle, limit }
            }
            Self::HttpReachable { host_key, path, .. } => {
                Self::HttpReachable { host_key, path, limit }
            }
        }
    }
}

/// No probe takes longer, whatever its manifest says.
pub const MAX_PROBE: Duration = Duration::from_secs(10);
const MAX_DECLARED_MS: u64 = 10 * 60 * 1000;

/// Reads a `probe` object.
pub(super) fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Probe> {
    let mut fields = Fields::of(node, pointer, sink)?;
    let kind = fields
        .required_node("kind", sink)
        .and_then(|node| read_word::<ProbeKind>(node, &fields.pointer.key("kind"), sink));
    let Some(kind) = kind else {
        // Which fields belong here depends on the kind, so none of them is judged.
        for key in ["binary", "needle", "timeoutMs", "hostConfigKey", "path"] {
            fields.node(key);
        }
        fields.finish(sink);
        return None;
    };
    let probe = match kind {
        ProbeKind::CommandExists => {
            forbid(&mut fields, kind, &["needle", "timeoutMs", "hostConfigKey", "path"], sink);
            read_binary(&mut fields, sink).map(|binary| Probe::CommandExists { binary })
        }
        ProbeKind::CommandCapability => {
            forbid(&mut fields, kind, &["hostConfigKey", "path"], sink);
            let binary = read_binary(&mut fields, sink);
            let needle = field::text(&mut fields, "needle", sink, &EMPTY_TEXT, field::not_empty);
            let limit = read_limit(&mut fields, sink);
            (|| Some(Probe::CommandCapability { binary: binary?, needle: needle?, limit: limit? }))(
            )
        }
        ProbeKind::HttpReachable => {
            forbid(&mut fields, kind, &["binary", "needle"], sink);
            let host_key = fields.required_node("hostConfigKey", sink).and_then(|node| {
                field::config_key(node, &fields.pointer.key("hostConfigKey"), sink)
            });
            let path = field::text(&mut fields, "path", sink, &BAD_PATH, UrlPath::parse);
            let limit = read_limit(&mut fields, sink);
            (|| Some(Probe::HttpReachable { host_key: host_key?, path: path?, limit: limit? }))()
        }
    };
    fields.finish(sink);
    probe
}

fn read_binary(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<Binary> {
    field::text(fields, "binary", sink, &BAD_BINARY, Binary::parse)
}

fn read_limit(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<Duration> {
    field::whole(fields, "timeoutMs", 1..=MAX_DECLARED_MS, "milliseconds", sink)
        .map(Duration::from_millis)
}

fn forbid(fields: &mut Fields<'_>, kind: ProbeKind, keys: &[&'static str], sink: &mut Sink) {
    for key in keys {
        let place = fields.name_span(key);
        if fields.node(key).is_some() {
            let at = sink.at(&place, &fields.pointer.key(key));
            let message = format!("`{key}` is not permitted in a `{kind}` probe");
            let diagnostic = FORBIDDEN_FIELD.at(at, message).label("has no effect");
            sink.push(diagnostic.help("remove it, or change `kind`"));
        }
    }
}
