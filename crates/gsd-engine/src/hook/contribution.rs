//! A contribution: text that goes into the prompt of an agent of the host.

use super::{Artifact, Fragment, host_contract};
use crate::diag::{Level, Rule};
use crate::id::{ConfigKey, OnError, Point};
use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, one_of, quoted, record};
use crate::text::nearest;

/// A contribution goes to an agent that the host does not start at that point.
pub(super) static UNKNOWN_ROLE: Rule = Rule {
    code: "hook/unknown-role",
    level: Level::Error,
    summary: "a contribution goes to an agent that the host does not start at that point",
    docs: include_str!("unknown_role.md"),
};

record! {
    /// Text for the prompt of an agent that the host starts around a point of the loop.
    pub struct Contribution, ContributionDraft, checked by check_role {
        /// Where in the loop it applies.
        required "point" point: At<Point> = r#""plan:pre""#,
        /// The agent whose prompt it goes into; each step of the loop has its own.
        required "into" into: At<String> = r#""planner""#,
        /// The artefacts that the agent leaves behind because of it.
        required_list "produces" produces: At<Artifact>,
        /// The artefacts that it speaks of.
        required_list "consumes" consumes: At<Artifact>,
        /// The text.
        required "fragment" fragment: Fragment = r#"{"path": "fragments/plan-pre.md"}"#,
        /// A configuration key of this capability; the text is there while its value is true.
        optional "when" when: At<ConfigKey>,
        /// What happens when the text cannot be had.
        optional "onError" on_error: OnError,
        /// Settings whose values the host hands over with the text: an alias and the key.
        optional "configValues" config_values: ConfigValues = r#"{"level": "workflow.level"}"#,
    }
}

fn check_role(draft: &ContributionDraft, _: &Fields<'_>, sink: &mut Sink) {
    let (Some(point), Some(into)) = (&draft.point, &draft.into) else { return };
    let roles = host_contract().step_at(point.value).roles.iter().map(String::as_str);
    if roles.clone().any(|role| role == into.value) {
        return;
    }
    let message = format!("no agent {} at {point}", quoted(into), point = point.value);
    let mut diagnostic = UNKNOWN_ROLE.at(sink.at(&into.span, &into.pointer), message);
    if let Some(near) = nearest(into, roles.clone()) {
        diagnostic = diagnostic
            .help(format!("did you mean `{near}`?"))
            .fix(into.span.clone(), format!("\"{near}\""));
    }
    sink.push(diagnostic.label(format!("expected {}", one_of(roles))));
}

/// Settings that go with a contribution: an alias and the key whose value it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConfigValues(pub Vec<(String, At<ConfigKey>)>);

impl Read for ConfigValues {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let Some(object) = node.as_object() else {
            sink.wrong(node, pointer, "an object");
            return None;
        };
        let read = |member: &crate::json::Member| {
            let key = At::<ConfigKey>::read(&member.value, &pointer.key(&member.name), sink)?;
            Some((member.name.clone(), key))
        };
        Some(Self(object.members.iter().filter_map(read).collect()))
    }
}

impl Schema for ConfigValues {
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "object", "additionalProperties": ConfigKey::schema() })
    }
}
