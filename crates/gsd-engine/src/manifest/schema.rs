//! The JSON Schema (2020-12) of manifests, put together from the types that read them.
//!
//! The schema serves editors: completion, descriptions, errors while typing. It refuses nothing
//! that the validator accepts. Some rules it cannot state (they need two fields, or two files); a
//! test lists them and compares the verdicts of both over a large corpus.

mod reviewer;

use super::envelope::{Author, CompatVersions, Engines, Integrity, Provenance, Role, Text, Tier};
use super::{Command, RuntimeCompat, config_slice, mcp};
use crate::gate::Gate;
use crate::hook::{Contribution, LifecycleHook, Step};
use crate::id::{CapabilityId, ConfigKey, Stem};
use crate::json::{Field, Schema, described, object};
use crate::runtime::{ConfigHome, Runtime};
use serde_json::{Value, json};

/// The name that manifests may give as their `$schema`.
pub(super) const SCHEMA_ID: &str = "urn:gsd:capability-manifest:1";

/// The whole schema.
pub fn schema() -> Value {
    let mut schema = object(
        "Capability manifest",
        &["A capability of gsd: an envelope, and the body that belongs to its role."],
        [envelope(), feature(), bodies()].into_iter().flatten().collect(),
    );
    let required = ["id", "role", "version", "title", "description", "tier", "requires"];
    schema["required"] = json!(required);
    schema["allOf"] = json!([
        when(
            Role::Feature,
            json!({
                "required": [
                    "runtimeCompat", "skills", "agents", "config", "steps", "contributions", "gates"
                ],
                "properties": { "reviewer": false },
            })
        ),
        when(Role::Runtime, json!({ "required": ["runtime"], "properties": no_feature_fields() })),
        when(Role::Reviewer, {
            let mut properties = no_feature_fields();
            properties["runtime"] = json!(false);
            json!({ "required": ["reviewer"], "properties": properties })
        }),
    ]);
    schema["$defs"] = json!({ "configHome": ConfigHome::schema() });
    let mut out = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
    });
    if let (Value::Object(out), Value::Object(schema)) = (&mut out, schema) {
        out.extend(schema);
    }
    out
}

fn when(role: Role, then: Value) -> Value {
    json!({
        "if": { "properties": { "role": { "const": role.word() } }, "required": ["role"] },
        "then": then,
    })
}

fn no_feature_fields() -> Value {
    super::FEATURE_ONLY.iter().map(|key| ((*key).to_owned(), json!(false))).collect()
}

fn field(
    key: &'static str,
    docs: &'static [&'static str],
    example: &'static str,
    schema: Value,
) -> Field {
    Field { key, required: false, docs, example, schema }
}

fn envelope() -> Vec<Field> {
    let text = String::schema;
    vec![
        field(
            "$schema",
            &["Where editors find the schema: a path from this file."],
            r#""../capability.schema.json""#,
            text(),
        ),
        field(
            "id",
            &[
                "The name of the capability, and of its folder. `gsd-` and `anthropic-` are reserved.",
            ],
            r#""acme-review""#,
            CapabilityId::schema(),
        ),
        field(
            "role",
            &["What the capability is; it decides which body belongs here."],
            "",
            Role::schema(),
        ),
        field(
            "version",
            &["The version of the capability: full SemVer."],
            r#""1.0.0""#,
            semver::Version::schema(),
        ),
        field("title", &["A short name for people."], r#""Acme Review""#, Text::schema()),
        field("description", &["What it does, in a sentence."], "", Text::schema()),
        field(
            "tier",
            &["The smallest install profile that has it. What it requires must not be rarer."],
            "",
            Tier::schema(),
        ),
        field(
            "requires",
            &["Ids of capabilities that have to be there."],
            "[]",
            Vec::<CapabilityId>::schema(),
        ),
        field(
            "engines",
            &["The versions of gsd that it works with."],
            r#"{"gsd": ">=1.9.0"}"#,
            Engines::schema(),
        ),
        field(
            "runtimeCompat",
            &["The runtimes that it works with."],
            r#"{"supported": ["*"], "unsupported": []}"#,
            RuntimeCompat::schema(),
        ),
        field(
            "compatVersions",
            &["Older versions of it, and the hosts that each works with."],
            r#"{"0.9.0": ">=1.6.0 <1.9.0"}"#,
            CompatVersions::schema(),
        ),
        field(
            "integrity",
            &["The hash of the bundle, as `gsd capability pack` prints it."],
            "",
            Integrity::schema(),
        ),
        field("provenance", &["Where the bundle was built from."], "", Provenance::schema()),
        field("author", &["Who wrote it."], r#"{"name": "Acme"}"#, Author::schema()),
        field("homepage", &["A page about it."], "", text()),
        field("repository", &["Its source."], "", text()),
        field("license", &["Its licence, as SPDX spells it."], r#""MIT""#, text()),
        field("keywords", &["Words to find it by."], "", Vec::<String>::schema()),
        field("config", &[], "", config_slice::slice_schema()),
        field(
            "commands",
            &["Words of the command line that it brings."],
            "",
            Vec::<Command>::schema(),
        ),
        field("mcpServers", &[], "", mcp::servers_schema()),
    ]
}

fn feature() -> Vec<Field> {
    vec![
        field("skills", &["The skills that it owns, by their stems."], "[]", Vec::<Stem>::schema()),
        field("agents", &["The agents that it owns."], "[]", Vec::<Stem>::schema()),
        field("hooks", &["Scripts for events of the host."], "[]", Vec::<LifecycleHook>::schema()),
        field("steps", &["What runs at points of the loop."], "[]", Vec::<Step>::schema()),
        field(
            "contributions",
            &["Texts for the prompts of the host's agents."],
            "[]",
            Vec::<Contribution>::schema(),
        ),
        field("gates", &["Conditions that can stop the loop."], "[]", Vec::<Gate>::schema()),
        field(
            "activationKey",
            &["The setting, one of its own, that switches the whole capability."],
            "",
            ConfigKey::schema(),
        ),
    ]
}

fn bodies() -> Vec<Field> {
    vec![
        Field {
            key: "runtime",
            required: false,
            docs: &[],
            example: "",
            schema: described(Runtime::schema(), "How a host CLI takes the files of capabilities."),
        },
        field("reviewer", &[], "", reviewer::schema()),
    ]
}
