//! The bundle that `gsd capability new` writes: it validates as it is, and its README says what to
//! change.

use super::Role;
use crate::id::CapabilityId;
use crate::lane::descriptor::Heading;
use crate::lane::descriptor::rules::RESERVED_FLAGS;
use crate::lane::roster;
use serde_json::{Value, json};

/// The files of a new bundle, by their paths below its folder.
pub fn files(id: &CapabilityId, role: Role) -> Vec<(String, String)> {
    let (manifest, mut files) = match role {
        Role::Feature => feature(id),
        Role::Runtime => runtime(id),
        Role::Reviewer => reviewer(id),
    };
    let text = serde_json::to_string_pretty(&manifest).expect("a value always serialises");
    files.insert(0, ("capability.json".to_owned(), format!("{text}\n")));
    files
}

/// `acme-review` as people write it: `Acme Review`.
fn title(id: &CapabilityId) -> String {
    let words = id.as_str().split('-').filter(|word| !word.is_empty()).map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

fn envelope(id: &CapabilityId, role: Role, description: &str) -> Value {
    json!({
        "id": id,
        "role": role.word(),
        "version": "0.1.0",
        "title": title(id),
        "description": description,
        "tier": "full",
        "requires": [],
        "engines": { "gsd": ">=1.9.0" },
    })
}

fn merge(mut envelope: Value, body: Value) -> Value {
    if let (Value::Object(envelope), Value::Object(body)) = (&mut envelope, body) {
        envelope.extend(body);
    }
    envelope
}

type Files = Vec<(String, String)>;

fn feature(id: &CapabilityId) -> (Value, Files) {
    let toggle = format!("{id}.enabled");
    let artifact = format!("{}.md", id.as_str().to_ascii_uppercase());
    let manifest = merge(
        envelope(id, Role::Feature, "Says in a sentence what this capability adds to the loop."),
        json!({
            "runtimeCompat": { "supported": ["*"], "unsupported": [] },
            "skills": [id],
            "agents": [],
            "hooks": [],
            "config": {
                toggle.clone(): {
                    "type": "boolean",
                    "default": true,
                    "description": "Run the step and hand its rules to the planner.",
                },
            },
            "steps": [{
                "point": "plan:pre",
                "ref": { "skill": id },
                "produces": [artifact],
                "consumes": ["CONTEXT.md"],
                "when": toggle,
                "onError": "skip",
            }],
            "contributions": [{
                "point": "plan:pre",
                "into": "planner",
                "produces": [],
                "consumes": [artifact],
                "fragment": { "path": "fragments/planner.md" },
                "when": toggle,
                "onError": "skip",
            }],
            "gates": [{
                "point": "execute:pre",
                "check": { "predicate": { "kind": "artifact-exists", "artifact": artifact } },
                "when": toggle,
                "blocking": false,
                "onError": "skip",
            }],
        }),
    );
    let skill = format!(
        "---\nname: {id}\ndescription: Writes {artifact} for a phase before its plans are written.\n---\n\n\
         Read CONTEXT.md of the phase. Write {artifact} into the phase folder: what the plans must \
         respect, one point a line, each with the place in the code that it comes from.\n"
    );
    let fragment = format!(
        "Read {artifact} before you write the plans. Every point of it is covered by a task, or the \
         plan says why not.\n"
    );
    let readme = format!(
        "# {title}\n\n\
         A capability of gsd, made by `gsd capability new {id} --role feature`. To make it yours:\n\n\
         1. `capability.json`: the description, and which points of the loop it hooks into. Take out \
         the step, the contribution or the gate that you do not need.\n\
         2. `skills/{id}/SKILL.md`: what the agent does that runs the step.\n\
         3. `fragments/planner.md`: what the planner is told.\n\n\
         Check it with `gsd capability validate . --strict`, try it with \
         `gsd capability install .`, and hand it on with `gsd capability pack .`.\n",
        title = title(id),
    );
    let files = vec![
        ("README.md".to_owned(), readme),
        (format!("skills/{id}/SKILL.md"), skill),
        ("fragments/planner.md".to_owned(), fragment),
    ];
    (manifest, files)
}

fn runtime(id: &CapabilityId) -> (Value, Files) {
    let folder = format!(".{id}");
    let variable = format!("{}_HOME", id.as_str().to_ascii_uppercase().replace('-', "_"));
    let entry = |kind: &str| {
        json!({
            "kind": kind,
            "destSubpath": kind,
            "prefix": "gsd-",
            "nesting": "flat",
            "recursive": false,
            "converter": if kind == "skills" { json!("convertClaudeCommandToClaudeSkill") } else { Value::Null },
        })
    };
    let manifest = merge(
        envelope(id, Role::Runtime, "Says in a sentence which host CLI this is."),
        json!({
            "runtime": {
                "configHome": { "kind": "dot-home", "name": folder, "env": [variable] },
                "localConfigDir": folder,
                "configFormat": "none",
                "artifactLayout": {
                    "global": [entry("skills"), entry("agents")],
                    "local": [entry("skills"), entry("agents")],
                },
                "commandStyle": "slash-hyphen",
                "hooksSurface": "none",
                "sandboxTier": "none",
                "supportTier": 2,
                "installSurface": "profile-marker-only",
                "writesSharedSettings": false,
                "permissionWriter": null,
                "extendedHookEvents": [],
                "hostIntegration": {
                    "embeddingMode": "undocumented",
                    "commandSurface": "undocumented",
                    "dispatch": {
                        "namedDispatch": "undocumented",
                        "nested": "undocumented",
                        "maxDepth": "undocumented",
                        "background": "undocumented",
                        "subagentToolkit": "undocumented",
                        "backgroundDispatch": "undocumented",
                    },
                    "modelMode": "undocumented",
                    "hookBus": "undocumented",
                    "stateIO": "undocumented",
                    "transport": "undocumented",
                    "runtime": "undocumented",
                },
            },
        }),
    );
    let readme = format!(
        "# {title}\n\n\
         A runtime for gsd, made by `gsd capability new {id} --role runtime`. To make it yours:\n\n\
         1. `configHome`: where the host keeps its configuration, and the variables that move it.\n\
         2. `artifactLayout`: which folders take skills, agents and commands, and in which dialect.\n\
         3. `hooksSurface`, `installSurface`, `configFormat`: which file takes hooks and settings; \
         the three go together (`gsd explain runtime/hooks-surface`).\n\
         4. `hostIntegration`: what the host's documentation says it can do. Leave `undocumented` \
         what it does not say.\n\n\
         If the same program can review plans, add a `reviewer` body beside `runtime`.\n\n\
         Check it with `gsd capability validate . --strict`.\n",
        title = title(id),
    );
    (manifest, vec![("README.md".to_owned(), readme)])
}

/// The flag of a reviewer: its id, unless `gsd review` or a lane of gsd's own has that flag.
fn flag(id: &CapabilityId) -> String {
    let plain = format!("--{id}");
    let is_own = |flag: &str| {
        let lanes = roster::first_party();
        lanes.iter().any(|lane| lane.descriptor.flags.iter().any(|own| own.as_str() == flag))
    };
    let is_taken = RESERVED_FLAGS.contains(&plain.as_str()) || is_own(&plain);
    if is_taken { format!("{plain}-review") } else { plain }
}

/// The heading of a reviewer: its title, unless that is a heading of the report or of a lane of
/// gsd's own.
fn heading(id: &CapabilityId) -> String {
    let title = title(id);
    let is_free = Heading::parse(&title).is_ok_and(|heading| {
        let lanes = roster::first_party();
        lanes.iter().all(|lane| lane.descriptor.heading.folded() != heading.folded())
    });
    if is_free { title } else { format!("{title} Reviewer") }
}

fn reviewer(id: &CapabilityId) -> (Value, Files) {
    let (model, timeout) = (format!("review.models.{id}"), format!("review.timeouts.{id}"));
    let heading = heading(id);
    let manifest = merge(
        envelope(id, Role::Reviewer, "Says in a sentence who reviews here."),
        json!({
            "reviewer": {
                "slug": id,
                "flags": [flag(id)],
                "transport": "spawn",
                "probe": { "kind": "command-exists", "binary": id },
                "invoke": {
                    "binary": id,
                    "args": ["review", "{{model}}", "-"],
                    "promptChannel": "stdin",
                    "outputChannel": "stdout",
                    "modelArg": "--model",
                    "effortChannel": "none",
                },
                "timeoutFloorMs": 900_000,
                "timeoutConfigKey": timeout,
                "emptyOutput": "stub-with-stderr",
                "reviewsSection": heading,
                "evidenceClass": "source-grounded",
                "requiresBinaries": [],
                "promptBudgetKey": null,
                "modelConfigKey": model,
                "handler": null,
                "env": [],
                "posture": "read-only",
            },
            "config": {
                model.clone(): {
                    "type": "string",
                    "default": "",
                    "description": format!("The model that {heading} uses; empty for its own choice."),
                },
                timeout.clone(): {
                    "type": "number",
                    "default": -1,
                    "description": format!("Seconds that one call of {heading} may take; -1 keeps the lane's own limit."),
                },
            },
        }),
    );
    let readme = format!(
        "# {heading}\n\n\
         A reviewer lane for gsd, made by `gsd capability new {id} --role reviewer`. To make it \
         yours:\n\n\
         1. `invoke.binary` and `probe.binary`: the program's name.\n\
         2. `invoke.args`: how it is asked for a review. `{{{{model}}}}` becomes `--model NAME` when a \
         model is set, else nothing.\n\
         3. `invoke.promptChannel`: `stdin` if it reads the prompt there, `argv-file-ref` with \
         `{{{{prompt}}}}` among the arguments if it takes a prompt as an argument.\n\
         4. `env`: the variables it needs, such as the one that holds its API key. It sees no others.\n\
         5. `timeoutFloorMs`: how long a review may take.\n\n\
         Check it with `gsd capability validate . --strict`, see what would be run with \
         `gsd lane plan --slug {id}`, and try it against fakes with `gsd lane test .`.\n",
    );
    (manifest, vec![("README.md".to_owned(), readme)])
}

#[cfg(test)]
mod tests {
    use super::files;
    use crate::diag::SourceFile;
    use crate::id::CapabilityId;
    use crate::lane::descriptor::rules::RESERVED_FLAGS;
    use crate::manifest::{Context, Origin, Role, parse};

    #[test]
    fn every_template_validates_without_a_word() {
        let flags = RESERVED_FLAGS.iter().map(|flag| flag.trim_start_matches('-'));
        for role in Role::ALL {
            for id in ["acme", "a", "acme-review-2", "x-", "agy"].into_iter().chain(flags.clone()) {
                let id = CapabilityId::parse(id).expect("an id");
                let files = files(&id, *role);
                let file = SourceFile::new("capability.json", files[0].1.clone());
                let context = Context { origin: Origin::ThirdParty, folder: Some(id.as_str()) };
                let parsed = parse(&file, context);
                assert_eq!(parsed.diagnostics, [], "{role} {id}");
                assert!(parsed.manifest.is_some());
            }
        }
    }
}
