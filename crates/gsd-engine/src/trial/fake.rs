//! Programs that stand in for the one that a lane runs: shell scripts that take the prompt and give
//! the answer over the very channels that the lane's manifest declares.

use crate::lane::Descriptor;
use crate::lane::descriptor::{
    Arg, CaptureFrom, Handler, OutputChannel, PromptChannel, SetupStep, SpawnInvoke,
};
use crate::lane::probe::Probe;

/// How the stand-ins of one lane talk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fake<'a> {
    pub(super) lane: &'a Descriptor,
    pub(super) invoke: &'a SpawnInvoke,
}

/// What a good reviewer says. One line, so that it fits into any format.
pub(super) const REVIEW: &str = "Both plans hold: 01-01 keeps notes and 01-02 lists them.";

impl Fake<'_> {
    /// A program that answers the lane's probe and its steps, and else does `body`.
    pub(super) fn program(&self, body: &str) -> String {
        let mut script = "#!/bin/sh\n".to_owned();
        let needle = match &self.lane.probe {
            Probe::CommandCapability { needle, .. } => needle.as_str(),
            Probe::CommandExists { .. } | Probe::HttpReachable { .. } => "",
        };
        script.push_str(&format!(
            "if [ \"$*\" = --help ]; then printf '%s\\n' usage {}; exit 0; fi\n",
            quoted(needle)
        ));
        for step in &self.lane.setup {
            script.push_str(&format!(
                "case \"$*\" in {}) {}; exit 0;; esac\n",
                pattern(step),
                said(step)
            ));
        }
        script + body + "\n"
    }

    /// A program whose help text is `help`, whatever it is asked.
    pub(super) fn helpless(&self, help: &str) -> String {
        format!("#!/bin/sh\n{help}\n{}\n", self.review())
    }

    /// A program whose steps before the review do `body`.
    pub(super) fn broken_setup(&self, body: &str) -> String {
        let steps: Vec<String> = self.lane.setup.iter().map(pattern).collect();
        format!("#!/bin/sh\ncase \"$*\" in {}) {body};; esac\n{}\n", steps.join("|"), self.review())
    }

    /// Reads all of the prompt, wherever it is, and keeps its read marks.
    pub(super) fn take_prompt(&self) -> &'static str {
        match self.invoke.prompt {
            PromptChannel::Stdin => "m=; cat >/dev/null",
            PromptChannel::None => "m=",
            PromptChannel::Argv | PromptChannel::ArgvFileRef | PromptChannel::ArgvInline => {
                "f=$(printf '%s\\n' \"$@\" | grep -o '/[^ ]*gsd-review-prompt[A-Za-z0-9_-]*\\.md' | head -1)\n\
                 [ -n \"$f\" ] || f=/dev/null\n\
                 m=$({ printf '%s\\n' \"$@\"; cat \"$f\"; } | \
                 sed -n 's/^\\[read mark of .*: \\(.*\\)\\]$/read-mark \\1/p' | tr '\\n' ' ')"
            }
        }
    }

    /// Gives a text as the answer, over the lane's output channel and in its format.
    pub(super) fn answer(&self, text: &str) -> String {
        let text = quoted(text);
        let print = match self.lane.handler {
            Some(Handler::Opencode) => {
                "printf '{\"type\":\"text\",\"part\":{\"text\":\"%s %s\"}}\\n\
                 {\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}\\n'"
            }
            Some(Handler::Antigravity | Handler::OpenaiCompatible) | None => "printf '%s %s\\n'",
        };
        match self.output_file() {
            Some(find) => format!("{find}\n{print} {text} \"$m\" >\"$o\""),
            None => format!("{print} {text} \"$m\""),
        }
    }

    /// Finds the path of the answer file among the arguments, for lanes that have one.
    pub(super) fn output_file(&self) -> Option<String> {
        match (self.invoke.output, &self.invoke.output_arg) {
            (OutputChannel::FileArg, Some(flag)) => Some(format!(
                "o=; p=; for a in \"$@\"; do [ \"$p\" = {} ] && o=$a; p=$a; done",
                quoted(flag)
            )),
            (OutputChannel::FileArg, None) | (OutputChannel::Stdout, _) => None,
        }
    }

    /// What a good reviewer does.
    pub(super) fn review(&self) -> String {
        format!("{}\n{}", self.take_prompt(), self.answer(REVIEW))
    }
}

/// The arguments of a step as a pattern of the shell.
fn pattern(step: &SetupStep) -> String {
    let words: Vec<String> = step
        .args
        .iter()
        .map(|arg| match arg {
            Arg::Literal(text) => quoted(text),
            Arg::Placeholder(_) => "*".to_owned(),
        })
        .collect();
    words.join("' '")
}

/// What a step prints, so that its value can be found.
fn said(step: &SetupStep) -> String {
    const VALUE: &str = "trial-7";
    match step.capture.as_ref().map(|capture| &capture.from) {
        None => ":".to_owned(),
        Some(CaptureFrom::FirstLine) => format!("echo {VALUE}"),
        Some(CaptureFrom::After(text)) => {
            format!("printf '%s%s\\n' {} {VALUE}", quoted(text))
        }
        Some(CaptureFrom::Pointer(pointer)) => {
            let mut document = serde_json::json!(VALUE);
            for part in pointer.split('/').skip(1).collect::<Vec<_>>().into_iter().rev() {
                document = serde_json::json!({ part: document });
            }
            format!("printf '%s\\n' {}", quoted(&document.to_string()))
        }
    }
}

/// A word as the shell takes it.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
