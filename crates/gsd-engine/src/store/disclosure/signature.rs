//! The two signatures.

use super::Disclosure;
use super::stringify::{sort_texts, stringify};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Three sorted lists of surfaces, and a fourth one where there is a lane. Each surface is a list of
/// its components, written as JSON, so that no delimiter in a component can imitate another one.
pub(super) fn v1(disclosure: &Disclosure) -> String {
    let hooks = disclosure.hooks.iter().map(|hook| json!(["hook", hook.event, hook.script]));
    let modules = disclosure
        .modules
        .iter()
        .map(|module| json!(["mod", module.family, module.module, module.router]));
    let servers = disclosure.servers.iter().map(|server| {
        json!([
            "mcp",
            server.name,
            server.transport,
            server.command,
            server.args,
            server.url,
            object(&server.headers),
            object(&server.env),
            server.cwd,
            server.config,
        ])
    });
    let mut classes =
        vec![class(hooks.collect()), class(modules.collect()), class(servers.collect())];
    if let Some(lane) = &disclosure.lane {
        classes.push(class(vec![json!([
            "lane",
            lane.slug,
            lane.transport,
            lane.binary,
            lane.args,
            lane.host_key,
            lane.prompt_channel,
            lane.handler,
        ])]));
    }
    Value::Array(classes).to_string()
}

/// A hash over all that an approval is bound to.
pub(super) fn v2(bound: &Value) -> String {
    // Numbers stay as they are written: what ends up in a file is not what JavaScript makes of it.
    let mut bound = bound.clone();
    bound.sort_all_objects();
    let digest = Sha256::digest(bound.to_string().as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("v2:{hex}")
}

fn class(surfaces: Vec<Value>) -> Value {
    let mut texts: Vec<String> = surfaces.iter().map(stringify).collect();
    sort_texts(&mut texts);
    texts.into()
}

fn object(pairs: &[(String, String)]) -> Value {
    let members: Map<String, Value> =
        pairs.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    Value::Object(members)
}
