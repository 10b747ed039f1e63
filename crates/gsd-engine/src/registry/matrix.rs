//! The catalogue of capabilities, one table for each role. It says nothing that changes with every
//! release, so that it changes only when a capability does.

use super::{Capability, Registry};
use crate::id::Point;
use crate::manifest::Role;
use serde_json::{Value, json};

/// The catalogue as Markdown.
pub fn matrix_markdown(registry: &Registry) -> String {
    let mut out = String::from("# Capabilities\n\nWritten by `gsd capability matrix`.\n");
    for role in Role::ALL {
        let title = match role {
            Role::Feature => "Features",
            Role::Runtime => "Runtimes",
            Role::Reviewer => "Reviewers",
        };
        out.push_str(&format!(
            "\n## {title}\n\n| id | role | tier | hosts | points | hooks | source |\n| --- | --- | --- | --- | --- | --- | --- |\n"
        ));
        for capability in registry.capabilities().filter(|c| c.manifest.role == *role) {
            let row = Row::of(capability);
            let cells = [
                format!("`{}`", row.id),
                row.role.to_owned(),
                row.tier.to_owned(),
                code(row.engines.as_deref()),
                list(&row.points),
                list(&row.hooks),
                row.source.to_owned(),
            ];
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
    }
    out
}

/// The catalogue as JSON.
pub fn matrix_json(registry: &Registry) -> Value {
    let row = |capability: &Capability| {
        let row = Row::of(capability);
        json!({
            "id": row.id,
            "role": row.role,
            "tier": row.tier,
            "engines": row.engines,
            "extensionPoints": row.points,
            "hookKinds": row.hooks,
            "source": row.source,
        })
    };
    registry.capabilities().map(row).collect()
}

#[derive(Debug)]
struct Row<'a> {
    id: &'a str,
    role: &'static str,
    tier: &'static str,
    engines: Option<String>,
    /// In the order of the loop.
    points: Vec<&'static str>,
    /// In the order step, contribution, gate.
    hooks: Vec<&'static str>,
    source: &'static str,
}

impl<'a> Row<'a> {
    fn of(capability: &'a Capability) -> Self {
        let manifest = &capability.manifest;
        let (mut points, mut hooks): (Vec<Point>, Vec<&str>) = (vec![], vec![]);
        if let Some(feature) = manifest.feature() {
            points.extend(feature.steps.iter().map(|step| step.point.value));
            points.extend(feature.contributions.iter().map(|c| c.point.value));
            points.extend(feature.gates.iter().map(|gate| gate.point.value));
            points.sort_unstable();
            points.dedup();
            let kinds = [
                ("step", feature.steps.is_empty()),
                ("contribution", feature.contributions.is_empty()),
                ("gate", feature.gates.is_empty()),
            ];
            hooks.extend(kinds.into_iter().filter(|(_, none)| !none).map(|(kind, _)| kind));
        }
        Self {
            id: capability.id().as_str(),
            role: manifest.role.word(),
            tier: manifest.tier.value.word(),
            engines: manifest.engines.as_ref().map(|range| range.as_str().to_owned()),
            points: points.into_iter().map(Point::word).collect(),
            hooks,
            source: capability.provenance.scope_word(),
        }
    }
}

fn list(words: &[&str]) -> String {
    if words.is_empty() { "—".into() } else { words.join(", ") }
}

fn code(text: Option<&str>) -> String {
    // A range is of a small alphabet, but `||` would end a cell.
    text.map_or_else(|| "—".into(), |text| format!("`{}`", text.replace('|', "\\|")))
}
