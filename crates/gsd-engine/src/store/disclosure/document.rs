//! A disclosure for programs: raw values, nothing cut.

use super::destination::is_this_machine;
use super::{Destination, Disclosure, LaneSurface, LoopEntry, PromptText, Server};
use serde_json::{Map, Value, json};

pub(super) fn document(disclosure: &Disclosure) -> Value {
    let signatures = disclosure.signatures();
    let digest = |path: &str| disclosure.files.get(path).map(|file| file.sha256.clone());
    let hooks = disclosure.hooks.iter().map(|hook| {
        json!({
            "event": hook.event,
            "script": hook.script,
            "matcher": hook.matcher,
            "sha256": digest(&hook.script),
        })
    });
    let modules = disclosure.modules.iter().map(|module| {
        json!({
            "family": module.family,
            "module": module.module,
            "router": module.router,
            "sha256": digest(&module.module),
        })
    });
    let gate_commands = disclosure
        .gate_commands
        .iter()
        .map(|gate| json!({ "point": gate.point, "command": gate.command }));
    let settings = disclosure.settings.iter().map(
        |setting| json!({ "key": setting.key, "type": setting.kind, "default": setting.default }),
    );
    let files = disclosure
        .files
        .iter()
        .map(|(path, file)| json!({ "path": path, "bytes": file.bytes, "sha256": file.sha256 }));
    json!({
        "requiresConsent": disclosure.requires_consent(),
        "hooks": hooks.collect::<Vec<_>>(),
        "commands": modules.collect::<Vec<_>>(),
        "mcpServers": disclosure.servers.iter().map(server).collect::<Vec<_>>(),
        "gateCommands": gate_commands.collect::<Vec<_>>(),
        "lane": disclosure.lane.as_ref().map(lane),
        "loop": disclosure.loops.iter().map(loop_entry).collect::<Vec<_>>(),
        "prompts": disclosure.prompts.iter().map(prompt).collect::<Vec<_>>(),
        "config": settings.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "missing": disclosure.missing,
        "signatures": { "v1": signatures.v1, "v2": signatures.v2 },
        "bound": disclosure.bound,
    })
}

fn server(server: &Server) -> Value {
    json!({
        "name": server.name,
        "transport": server.transport,
        "command": server.command,
        "args": server.args,
        "url": server.url,
        "local": (!server.url.is_empty()).then(|| is_this_machine(&server.url)),
        "headers": object(&server.headers),
        "env": object(&server.env),
        "cwd": server.cwd,
        "config": server.config,
    })
}

fn lane(lane: &LaneSurface) -> Value {
    let runs = lane
        .runs
        .iter()
        .map(|run| json!({ "phase": run.phase, "program": run.program, "args": run.args }));
    let destination = lane.destination.as_ref().map(|destination| match destination {
        Destination::Resolved { address, local } => json!({ "address": address, "local": local }),
        Destination::Unresolved { why } => json!({ "address": null, "why": why }),
    });
    json!({
        "slug": lane.slug,
        "flags": lane.flags,
        "transport": lane.transport,
        "runs": runs.collect::<Vec<_>>(),
        "looksFor": lane.looks_for,
        "hostConfigKey": lane.host_key,
        "destination": destination,
        "probePath": lane.probe_path,
        "promptChannel": lane.prompt_channel,
        "handler": lane.handler,
        "sends": lane.payload,
        "env": lane.env,
        "setEnv": object(&lane.set_env),
        "files": object(&lane.files),
        "state": lane.state,
        "posture": lane.posture,
        "confinement": lane.confinement,
    })
}

fn loop_entry(entry: &LoopEntry) -> Value {
    json!({
        "point": entry.point,
        "kind": entry.kind,
        "blocking": entry.blocking,
        "what": entry.what,
    })
}

fn prompt(text: &PromptText) -> Value {
    json!({
        "kind": text.kind,
        "name": text.name,
        "path": text.path,
        "bytes": text.bytes,
        "sha256": text.sha256,
    })
}

fn object(pairs: &[(String, String)]) -> Value {
    let members: Map<String, Value> =
        pairs.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    Value::Object(members)
}
