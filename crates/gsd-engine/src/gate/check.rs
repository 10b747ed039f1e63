//! What a gate checks: a query, a predicate, or the verdict of an agent.

use super::Predicate;
use crate::diag::{Level, Rule};
use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, quoted, record};
use crate::text::{is_deceptive, nearest};
use serde_json::json;

/// A gate does not check exactly one thing.
pub(super) static CHECK_FORM: Rule = Rule {
    code: "gate/check-form",
    level: Level::Error,
    summary: "a gate does not check exactly one thing",
    docs: include_str!("check_form.md"),
};

/// gsd has no check of that name.
pub(super) static UNKNOWN_QUERY: Rule = Rule {
    code: "gate/unknown-query",
    level: Level::Warning,
    summary: "there is no check of that name",
    docs: include_str!("unknown_query.md"),
};

/// The checks that hosts of the loop have, as queries spell them: the first dot or hyphen parts
/// the subject from the check.
pub const KNOWN_QUERIES: &[&str] = &[
    "api-coverage.verify-pre",
    "auto.mode",
    "decision-coverage.plan",
    "decision-coverage.verify",
    "gap-analysis.plan-post",
    "prohibition.enforcement",
    "tdd.review-checkpoint",
    "ui.plan-gate",
    "ui.safety-gate",
    "verify.codebase-drift",
    "verify.schema-drift",
];

/// What a gate checks.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// A check of the host, by name.
    Query(At<String>),
    /// A condition that gsd evaluates.
    Predicate(Predicate),
    /// The opinion of an agent. Advice only.
    AgentVerdict(AgentVerdict),
}

impl Check {
    /// The key, as manifests spell it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Query(_) => "query",
            Self::Predicate(_) => "predicate",
            Self::AgentVerdict(_) => "agentVerdict",
        }
    }
}

const FORMS: [&str; 3] = ["query", "predicate", "agentVerdict"];

impl Read for Check {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let mut fields = Fields::of(node, pointer, sink)?;
        let mut given = vec![];
        for key in FORMS {
            if fields.node(key).is_some() {
                given.push(key);
            }
        }
        let check = match given.as_slice() {
            ["query"] => read_query(&mut fields, sink).map(Self::Query),
            ["predicate"] => fields.optional("predicate", sink).map(Self::Predicate),
            [_] => fields.optional("agentVerdict", sink).map(Self::AgentVerdict),
            [] => {
                let message = "expected one of `query`, `predicate` and `agentVerdict`";
                sink.push(CHECK_FORM.at(fields.here(sink), message).label("checks nothing"));
                None
            }
            [first, second, ..] => {
                let at = fields.name_at(second, sink);
                let first = fields.name_at(first, sink);
                let message = format!("{} checks in one gate", given.len());
                let diagnostic = CHECK_FORM.at(at, message).label("one too many");
                sink.push(diagnostic.also(first, "first one here").help("make it two gates"));
                None
            }
        };
        fields.finish(sink);
        check
    }
}

fn read_query(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<At<String>> {
    let query: At<String> = fields.optional("query", sink)?;
    let at = sink.at(&query.span, &query.pointer);
    let name = query.as_str();
    if name.trim().is_empty() || name.chars().any(is_deceptive) || name.len() > 1024 {
        let message = format!("{} is not the name of a check", quoted(name));
        sink.push(CHECK_FORM.at(at, message).label("expected a name such as `ui.plan-gate`"));
        return None;
    }
    let plain = name.replace('.', "-");
    if !KNOWN_QUERIES.iter().any(|known| known.replace('.', "-") == plain) {
        let message = format!("no check is named {}", quoted(name));
        let mut diagnostic = UNKNOWN_QUERY.at(at, message).label("cannot be run");
        if let Some(near) = nearest(name, KNOWN_QUERIES.iter().copied()) {
            diagnostic = diagnostic
                .help(format!("did you mean `{near}`?"))
                .fix(query.span.clone(), format!("\"{near}\""));
        } else {
            diagnostic = diagnostic.help("use a `predicate` for a condition of your own");
        }
        sink.push(diagnostic);
    }
    Some(query)
}

impl Schema for Check {
    fn schema() -> serde_json::Value {
        let form = |key: &str| {
            let others: Vec<_> = FORMS.iter().filter(|other| **other != key).collect();
            json!({
                "required": [key],
                "not": { "anyOf": others.iter().map(|o| json!({ "required": [o] })).collect::<Vec<_>>() },
            })
        };
        json!({
            "type": "object",
            "properties": {
                "query": {
                    "description": "A check of the host, by name.",
                    "type": "string",
                    "pattern": "^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]{1,1024}$",
                    "examples": KNOWN_QUERIES,
                },
                "predicate": Predicate::schema(),
                "agentVerdict": AgentVerdict::schema(),
            },
            "oneOf": FORMS.map(form),
        })
    }
}

/// The agent that is asked, and the question.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentVerdict {
    pub agent: At<String>,
    pub prompt: Option<String>,
}

record! {
    /// An agent of this capability or of the host, and what it is asked.
    struct AgentVerdictObject, AgentVerdictDraft {
        /// The agent: its name, or `{"agent": NAME}`.
        required "ref" agent: At<AgentName>,
        /// The question.
        optional "prompt" prompt: String,
    }
}

/// The name of an agent, plain or as the member of an object.
#[derive(Debug, Clone, PartialEq)]
struct AgentName(String);

impl Read for AgentName {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let (node, pointer) = match node.as_object().and_then(|object| object.get("agent")) {
            Some(inner) => (inner, pointer.key("agent")),
            None => (node, pointer.clone()),
        };
        let name = String::read(node, &pointer, sink)?;
        if name.trim().is_empty() || name.chars().any(is_deceptive) {
            sink.invalid(node, &pointer, "the name of an agent", "a name such as `gsd-verifier`");
            return None;
        }
        Some(Self(name))
    }
}

impl Schema for AgentName {
    fn schema() -> serde_json::Value {
        let name =
            json!({ "type": "string", "pattern": "^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]+$" });
        json!({ "anyOf": [
            name,
            { "type": "object", "properties": { "agent": name }, "required": ["agent"] },
        ] })
    }
}

impl Read for AgentVerdict {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let (agent, prompt) = if node.as_str().is_some() {
            (At::<AgentName>::read(node, pointer, sink)?, None)
        } else {
            let object = AgentVerdictObject::read(node, pointer, sink)?;
            (object.agent, object.prompt)
        };
        let At { value: AgentName(name), span, pointer } = agent;
        Some(Self { agent: At { value: name, span, pointer }, prompt })
    }
}

impl Schema for AgentVerdict {
    fn schema() -> serde_json::Value {
        json!({ "anyOf": [AgentVerdictObject::schema(), AgentName::schema()["anyOf"][0]] })
    }
}
