//! What a lane does, field by field. The types are taken apart whole, so that a field which is
//! added to a lane has to be given its place here or be called inert.

use crate::json::At;
use crate::lane::descriptor::{
    Arg, Descriptor, Effort, HttpInvoke, Invoke, Placeholder, SetupStep, SpawnInvoke,
};
use crate::lane::probe::Probe;
use serde_json::{Map, Value, json};

pub(super) fn lane(descriptor: &Descriptor) -> Value {
    let Descriptor {
        slug,
        flags,
        probe: probed,
        invoke: called,
        // How long to wait, the heading, and whether it looks at the files: known to do nothing.
        time_limit: _,
        heading: _,
        evidence: _,
        timeout_key,
        empty_output,
        requires_binaries,
        budget_key,
        model_key,
        handler,
        env,
        set_env,
        posture,
        confinement,
        // As the manifest spells it, it stands beside this one.
        state: _,
        setup,
        accept_exit,
        vendor,
    } = descriptor;
    json!({
        "slug": slug,
        "flags": flags,
        "probe": probe(probed),
        "invoke": invoke(called),
        "timeoutConfigKey": timeout_key,
        "emptyOutput": empty_output,
        "requiresBinaries": requires_binaries.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        "promptBudgetKey": budget_key,
        "modelConfigKey": model_key,
        "handler": handler,
        "env": env.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        "setEnv": pairs(set_env.iter().map(|(name, value)| (name.as_str(), value.as_str()))),
        "posture": posture,
        "confinement": confinement.map(|way| way.word()),
        "setup": setup.iter().map(step).collect::<Vec<_>>(),
        "acceptExit": accept_exit,
        "vendor": vendor,
    })
}

fn pairs<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Value {
    let members: Map<String, Value> =
        pairs.map(|(name, value)| (name.to_owned(), value.into())).collect();
    Value::Object(members)
}

fn probe(probe: &Probe) -> Value {
    match probe {
        Probe::CommandExists { binary } => json!({ "finds": binary.as_str() }),
        Probe::CommandCapability { binary, needle, limit } => json!({
            "runs": binary.as_str(),
            "args": ["--help"],
            "needle": needle,
            "limitMs": limit.as_millis(),
        }),
        Probe::HttpReachable { host_key, path, limit } => json!({
            "contacts": host_key,
            "path": path.as_str(),
            "limitMs": limit.as_millis(),
        }),
    }
}

fn invoke(invoke: &Invoke) -> Value {
    match invoke {
        Invoke::Spawn(spawn) => {
            let SpawnInvoke {
                binary,
                args,
                prompt,
                output,
                output_arg,
                model_arg,
                agent_arg,
                default_agent,
                effort,
                prompt_place,
                files,
            } = spawn;
            let Effort { channel, args: effort_args, levels, variable } = effort;
            json!({
                "binary": binary.as_str(),
                "args": words(args),
                "promptChannel": prompt,
                "outputChannel": output,
                "outputArg": output_arg,
                "modelArg": model_arg,
                "agentArg": agent_arg,
                "defaultAgent": default_agent,
                "effort": {
                    "channel": channel,
                    "args": effort_args,
                    "levels": levels,
                    "variable": variable.as_ref().map(|name| name.as_str()),
                },
                "promptPlace": prompt_place,
                "files": pairs(files.iter().map(|(name, text)| (name.as_str(), text.as_str()))),
            })
        }
        Invoke::OpenaiHttp(http) => {
            let HttpInvoke { host_key, default_host, path, discovery, fallback_model, streaming } =
                http;
            json!({
                "hostConfigKey": host_key,
                "defaultHost": default_host,
                "path": path.as_str(),
                "modelDiscovery": discovery,
                "fallbackModel": fallback_model,
                "streaming": format!("{streaming:?}").to_lowercase(),
            })
        }
    }
}

fn step(step: &SetupStep) -> Value {
    let SetupStep { args, capture, limit } = step;
    let capture = capture
        .as_ref()
        .map(|capture| json!({ "name": capture.name, "from": format!("{:?}", capture.from) }));
    json!({ "args": words(args), "capture": capture, "limitMs": limit.as_millis() })
}

fn words(args: &[Arg]) -> Vec<String> {
    let word = |arg: &Arg| match arg {
        Arg::Literal(text) => text.clone(),
        Arg::Placeholder(placeholder) => match placeholder {
            Placeholder::Model => "{{model}}".to_owned(),
            Placeholder::Effort => "{{effort}}".to_owned(),
            Placeholder::Output => "{{output}}".to_owned(),
            Placeholder::Prompt => "{{prompt}}".to_owned(),
            Placeholder::Agent => "{{agent}}".to_owned(),
            Placeholder::TimeLimit => "{{time-limit}}".to_owned(),
            Placeholder::File(name) => format!("{{{{file:{name}}}}}"),
            Placeholder::Captured(name) => format!("{{{{captured:{name}}}}}"),
        },
    };
    args.iter().map(word).collect()
}

/// The values of located things.
pub(super) fn values<T>(items: &[At<T>], text: impl Fn(&T) -> String) -> Vec<String> {
    items.iter().map(|item| text(&item.value)).collect()
}
