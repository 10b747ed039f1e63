//! The arguments of a program against what the rest of its `invoke` object says.

use super::invoke::{Arg, EffortChannel, ModelKey, OutputChannel, Placeholder, SpawnInvoke};
use super::rules::*;
use crate::json::{Fields, Sink};
use crate::text::printable;

/// Channels and placeholders must say the same thing; otherwise the lane runs without its prompt,
/// waits for a file that nobody writes, or ignores the model.
pub(super) fn check(
    invoke: &SpawnInvoke,
    model_key: ModelKey,
    fields: &Fields<'_>,
    sink: &mut Sink,
) {
    let has = |wanted: &Placeholder| {
        invoke.args.iter().any(|arg| matches!(arg, Arg::Placeholder(found) if found == wanted))
    };
    let mut say = |rule: &'static crate::diag::Rule, message: String, help: &str| {
        let place = fields.value_at("args", sink);
        sink.push(rule.at(place, message).help(help));
    };
    let channel = invoke.prompt;
    match (channel.uses_argv(), has(&Placeholder::Prompt)) {
        (true, false) => say(
            &PROMPT_PLACEHOLDER,
            format!("promptChannel `{channel}` needs `{{{{prompt}}}}` among the arguments"),
            "without it the program never hears of the prompt",
        ),
        (false, true) => say(
            &PROMPT_PLACEHOLDER,
            format!("`{{{{prompt}}}}` has no meaning with promptChannel `{channel}`"),
            "remove it, or use `argv-file-ref`",
        ),
        (true, true) | (false, false) => {}
    }
    match (invoke.output, has(&Placeholder::Output)) {
        (OutputChannel::FileArg, false) => say(
            &OUTPUT_PLACEHOLDER,
            "outputChannel `file-arg` needs `{{output}}` among the arguments".to_owned(),
            "without it nobody tells the program where to write",
        ),
        (OutputChannel::Stdout, true) => say(
            &OUTPUT_PLACEHOLDER,
            "`{{output}}` has no meaning with outputChannel `stdout`".to_owned(),
            "remove it, or use `file-arg`",
        ),
        (OutputChannel::FileArg, true) | (OutputChannel::Stdout, false) => {}
    }
    match (invoke.model_arg.is_some(), has(&Placeholder::Model)) {
        (true, false) => say(
            &MODEL_PLACEHOLDER,
            "`modelArg` needs `{{model}}` among the arguments".to_owned(),
            "without it the configured model is ignored",
        ),
        (false, true) => say(
            &MODEL_PLACEHOLDER,
            "`{{model}}` needs `modelArg`, the argument before the model".to_owned(),
            "without it the placeholder is always empty",
        ),
        (true, true) | (false, false) => {}
    }
    match (invoke.model_arg.is_some(), model_key) {
        (true, ModelKey::Absent) => say(
            &MODEL_KEY,
            "`modelArg` without `modelConfigKey`: nobody can choose the model".to_owned(),
            "name the key that holds the model",
        ),
        (false, ModelKey::Named) => say(
            &MODEL_KEY,
            "`modelConfigKey` without `modelArg`: the model is never passed on".to_owned(),
            "name the argument that takes the model",
        ),
        (true, ModelKey::Named | ModelKey::Faulty)
        | (false, ModelKey::Absent | ModelKey::Faulty) => {}
    }
    if invoke.agent_arg.is_some() != has(&Placeholder::Agent) {
        say(
            &AGENT_PLACEHOLDER,
            "`agentArg` and `{{agent}}` go together".to_owned(),
            "declare both or none",
        );
    }
    for arg in &invoke.args {
        if let Arg::Placeholder(Placeholder::File(name)) = arg
            && !invoke.files.contains_key(name)
        {
            say(
                &BAD_PLACEHOLDER,
                format!("`{{{{file:{}}}}}` names no file of `files`", printable(name, 60)),
                "declare it under `files`",
            );
        }
    }
    if invoke.effort.channel == EffortChannel::Argv {
        check_effort(!invoke.effort.args.is_empty(), has(&Placeholder::Effort), fields, sink);
    }
}

/// `effortArgs` say how a level is written, `{{effort}}` says where: one without the other is lost.
fn check_effort(has_args: bool, has_place: bool, fields: &Fields<'_>, sink: &mut Sink) {
    const ARGS: &str = "write for example `\"effortArgs\": [\"--effort\", \"{{level}}\"]`";
    const PLACE: &str = "put `\"{{effort}}\"` among `args`";
    let (message, missing) = match (has_args, has_place) {
        (true, true) => return,
        (false, true) => {
            ("`{{effort}}` stays empty, because `effortArgs` is missing", ARGS.to_owned())
        }
        (true, false) => {
            ("`effortArgs` are never used, because `args` has no `{{effort}}`", PLACE.to_owned())
        }
        (false, false) => (
            "`argv` needs `effortArgs`, and `{{effort}}` among `args`",
            format!("{ARGS} and {PLACE}"),
        ),
    };
    let help = format!("{missing}, or write `\"effortChannel\": \"none\"`");
    let at = fields.value_at("effortChannel", sink);
    sink.push(EFFORT_WITHOUT_EFFECT.at(at, message).help(help));
}
