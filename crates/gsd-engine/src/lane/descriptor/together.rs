//! Fields of a body that are each right and do not go together.

use super::rules::{
    HANDLER_TRANSPORT, IMPLIED_HANDLER, NO_PROMPT_EVIDENCE, OUTPUT_OWNER, PROBE_MISMATCH,
};
use super::{
    EmptyOutput, EvidenceClass, Handler, Invoke, OWN_BINARY, PromptChannel, SetupStep, SpawnInvoke,
    Transport, setup,
};
use crate::json::{Fields, Sink};
use crate::lane::probe::Probe;
use crate::text::printable;

pub(super) fn check_handler(
    transport: Transport,
    handler: Handler,
    fields: &Fields<'_>,
    sink: &mut Sink,
) {
    if handler.transport() != transport {
        let at = fields.value_at("handler", sink);
        let message = format!("handler `{handler}` does not work on transport `{transport}`");
        let help = format!("it needs transport `{}`", handler.transport());
        sink.push(HANDLER_TRANSPORT.at(at, message).help(help));
    }
}

pub(super) fn check_output(
    transport: Option<Transport>,
    handler: Option<Option<Handler>>,
    empty_output: Option<EmptyOutput>,
    fields: &Fields<'_>,
    sink: &mut Sink,
) {
    let Some(handler) = handler else { return };
    if empty_output == Some(EmptyOutput::HandlerOwned) && !handler.is_some_and(Handler::owns_output)
    {
        let at = fields.value_at("emptyOutput", sink);
        let found = handler.map_or("no handler".to_owned(), |h| format!("handler `{h}`"));
        let message = format!("`handler-owned` needs a handler that owns the output, not {found}");
        sink.push(OUTPUT_OWNER.at(at, message).help("use `stub-with-stderr`"));
    }
    if transport == Some(Transport::OpenaiHttp) && handler.is_none() {
        let at = fields.value_at("handler", sink);
        let message = "`null` means `openai-compatible` on this transport";
        sink.push(IMPLIED_HANDLER.at(at, message).help("write `\"openai-compatible\"`"));
    }
}

pub(super) fn check_probe(probe: &Probe, invoke: &Invoke, fields: &Fields<'_>, sink: &mut Sink) {
    let message = match (probe, invoke) {
        (
            Probe::CommandExists { binary } | Probe::CommandCapability { binary, .. },
            Invoke::Spawn(spawn),
        ) if *binary != spawn.binary => format!(
            "the probe looks for `{}`, the lane runs `{}`",
            printable(binary.as_str(), 80),
            printable(spawn.binary.as_str(), 80)
        ),
        (Probe::HttpReachable { host_key, .. }, Invoke::OpenaiHttp(http))
            if *host_key != http.host_key =>
        {
            format!("the probe asks `{host_key}`, the lane talks to `{}`", http.host_key)
        }
        (Probe::CommandExists { .. } | Probe::CommandCapability { .. }, Invoke::OpenaiHttp(_)) => {
            "the probe looks for a program, the lane talks to a server".to_owned()
        }
        (Probe::HttpReachable { .. }, Invoke::Spawn(_)) => {
            "the probe asks a server, the lane runs a program".to_owned()
        }
        (Probe::CommandExists { .. } | Probe::CommandCapability { .. }, Invoke::Spawn(_))
        | (Probe::HttpReachable { .. }, Invoke::OpenaiHttp(_)) => return,
    };
    let named = match probe {
        Probe::CommandExists { .. } | Probe::CommandCapability { .. } => "binary",
        Probe::HttpReachable { .. } => "hostConfigKey",
    };
    let at = match fields.peek("probe").and_then(|node| node.as_object()?.get(named)) {
        Some(node) => sink.at(&node.span, &fields.pointer.key("probe").key(named)),
        None => fields.value_at("probe", sink),
    };
    sink.push(PROBE_MISMATCH.at(at, message).help("probe what the lane uses"));
}

/// The arguments may use what the steps before the review capture, and nothing else.
pub(super) fn check_captured(
    invoke: &SpawnInvoke,
    steps: &[SetupStep],
    fields: &Fields<'_>,
    sink: &mut Sink,
) {
    let known: Vec<&str> =
        steps.iter().filter_map(|step| step.capture.as_ref()).map(|c| c.name.as_str()).collect();
    let pointer = fields.pointer.key("invoke");
    if let Some(node) = fields.peek("invoke") {
        setup::check(&invoke.args, &known, node, &pointer, sink);
    }
}

pub(super) fn check_evidence(
    invoke: &Invoke,
    evidence: EvidenceClass,
    fields: &Fields<'_>,
    sink: &mut Sink,
) {
    let Invoke::Spawn(spawn) = invoke else { return };
    if evidence == EvidenceClass::SourceGrounded
        && spawn.prompt == PromptChannel::None
        && spawn.binary.as_str() != OWN_BINARY
    {
        let at = fields.value_at("evidenceClass", sink);
        let message = "a lane that gets no prompt cannot show that it read the plans";
        sink.push(
            NO_PROMPT_EVIDENCE.at(at, message).help("`diff-only` says what such a lane looks at"),
        );
    }
}
