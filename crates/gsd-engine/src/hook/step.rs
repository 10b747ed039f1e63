//! A step: a skill, an agent or a command that runs by itself at a point.

use super::{Artifact, Fragment};
use crate::diag::{Level, Rule};
use crate::id::{ConfigKey, OnError, Point, Stem};
use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, quoted, record};

/// A step does not name exactly one thing to run.
pub(super) static REF_FORM: Rule = Rule {
    code: "hook/ref-form",
    level: Level::Error,
    summary: "a step does not name exactly one of skill, agent and command",
    docs: include_str!("ref_form.md"),
};

/// A step names a skill with the prefix that hosts add themselves.
pub(super) static REF_PREFIX: Rule = Rule {
    code: "hook/ref-prefix",
    level: Level::Error,
    summary: "a step names a skill with the prefix that hosts add",
    docs: include_str!("ref_prefix.md"),
};

record! {
    /// A unit of work at a point of the loop. Steps at one point run in the order of what they
    /// produce and consume.
    pub struct Step, StepDraft {
        /// Where in the loop it runs.
        required "point" point: At<Point> = r#""plan:pre""#,
        /// What runs: exactly one of `skill`, `agent` and `command`.
        required "ref" target: At<Target> = r#"{"skill": "ui-phase"}"#,
        /// The artefacts that it leaves behind.
        required_list "produces" produces: At<Artifact> = r#"["UI-SPEC.md"]"#,
        /// The artefacts that it needs.
        required_list "consumes" consumes: At<Artifact> = r#"["CONTEXT.md"]"#,
        /// What happens when it fails.
        required "onError" on_error: OnError,
        /// A configuration key of this capability; the step is active while its value is true.
        optional "when" when: At<ConfigKey> = r#""workflow.ui_phase""#,
        /// Text for whoever runs the step.
        optional "fragment" fragment: Fragment,
    }
}

/// What a step runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Skill(Stem),
    Agent(Stem),
    /// A command line of gsd's, such as `intel api-surface`.
    Command(String),
}

impl Target {
    /// The key and the name, as manifests spell them.
    pub fn word_and_name(&self) -> (&'static str, &str) {
        match self {
            Self::Skill(stem) => ("skill", stem.as_str()),
            Self::Agent(stem) => ("agent", stem.as_str()),
            Self::Command(line) => ("command", line),
        }
    }
}

impl Read for Target {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let mut fields = Fields::of(node, pointer, sink)?;
        let given =
            ["skill", "agent", "command"].into_iter().filter(|key| fields.node(key).is_some());
        let given: Vec<&'static str> = given.collect();
        let target = match given.as_slice() {
            ["skill"] => read_skill(&mut fields, sink).map(Self::Skill),
            ["agent"] => fields.optional::<Stem>("agent", sink).map(Self::Agent),
            [_] => read_command(&mut fields, sink).map(Self::Command),
            [] => {
                let message = "expected one of `skill`, `agent` and `command`";
                sink.push(REF_FORM.at(fields.here(sink), message).label("names nothing to run"));
                None
            }
            [_, second, ..] => {
                let message = format!("{} things to run in one step", given.len());
                let at = fields.name_at(second, sink);
                let first = fields.name_at(given[0], sink);
                let diagnostic = REF_FORM.at(at, message).label("one too many");
                sink.push(diagnostic.also(first, "first named here").help("make it two steps"));
                None
            }
        };
        fields.finish(sink);
        target
    }
}

fn read_skill(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<Stem> {
    let node = fields.node("skill")?;
    let pointer = fields.pointer.key("skill");
    if let Some(bare) = node.as_str().and_then(|text| text.strip_prefix("gsd-")) {
        let diagnostic = REF_PREFIX
            .at(sink.at(&node.span, &pointer), "a skill is named without the prefix `gsd-`")
            .label("hosts add the prefix");
        let diagnostic = match Stem::parse(bare) {
            Ok(stem) => diagnostic
                .help(format!("write `{stem}`"))
                .fix(node.span.clone(), format!("\"{stem}\"")),
            Err(_) => diagnostic,
        };
        sink.push(diagnostic);
        return None;
    }
    Stem::read(node, &pointer, sink)
}

fn read_command(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<String> {
    let node = fields.node("command")?;
    let pointer = fields.pointer.key("command");
    let line = String::read(node, &pointer, sink)?;
    if line.trim().is_empty() || line.chars().any(crate::text::is_deceptive) || line.len() > 4096 {
        let message = format!("{} is not a command line", quoted(&line));
        let diagnostic = REF_FORM.at(sink.at(&node.span, &pointer), message);
        sink.push(diagnostic.label("expected one line of printable text"));
        return None;
    }
    Some(line)
}

impl Schema for Target {
    fn schema() -> serde_json::Value {
        let stem = Stem::schema();
        let mut skill = stem.clone();
        skill["description"] = "A skill of this capability, by its stem.".into();
        skill["not"] = serde_json::json!({ "pattern": "^gsd-" });
        let mut agent = stem;
        agent["description"] = "An agent of this capability.".into();
        serde_json::json!({
            "type": "object",
            "properties": {
                "skill": skill,
                "agent": agent,
                "command": {
                    "description": "A command line, its first word a command family.",
                    "type": "string",
                    "pattern": "^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]{1,4096}$",
                },
            },
            "oneOf": [
                { "required": ["skill"] },
                { "required": ["agent"] },
                { "required": ["command"] },
            ],
        })
    }
}
