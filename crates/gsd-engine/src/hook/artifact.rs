//! Names of artefacts: what hooks hand to each other.

use crate::diag::{Level, Rule};
use crate::id::RelPath;
use crate::json::{Node, Pointer, Read, Schema, Sink, quoted};

/// An artefact has a name that no later step can find.
pub(super) static ARTIFACT_NAME: Rule = Rule {
    code: "hook/artifact-name",
    level: Level::Warning,
    summary: "an artefact is neither a Markdown file of the phase nor a path below .planning/",
    docs: include_str!("artifact_name.md"),
};

/// A logical name (`PLAN.md`) for the file of the phase that ends in it, or a path below
/// `.planning/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Artifact(String);

impl Artifact {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Read for Artifact {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let path = RelPath::read(node, pointer, sink)?;
        if path.as_str().trim().is_empty() {
            sink.invalid(node, pointer, "a name of an artefact", "a name such as `RESEARCH.md`");
            return None;
        }
        let name = path.as_str();
        let in_phase = name.ends_with(".md") && !name.contains('/') && name.len() > 3;
        if !in_phase && !name.starts_with(".planning/") {
            let message = format!("{} is not a name that steps can share", quoted(name));
            let diagnostic = ARTIFACT_NAME.at(sink.at(&node.span, pointer), message);
            sink.push(diagnostic.label("expected `NAME.md` or a path below `.planning/`"));
        }
        Some(Self(name.to_owned()))
    }
}

impl Schema for Artifact {
    fn schema() -> serde_json::Value {
        let mut schema = RelPath::schema();
        schema["examples"] = serde_json::json!(["RESEARCH.md", ".planning/intel/API-SURFACE.md"]);
        schema["allOf"] = serde_json::json!([{ "pattern": "\\S" }]);
        schema
    }
}
