//! `command-exit-zero`: a command of the project ends with 0.

use super::{Kind, KindWord, Predicate};
use crate::json::{At, Fields, Node, Pointer, Read, Schema, Sink, record};
use std::time::Duration;

/// What a shell is asked to run has to fit on a page.
const MAX_COMMAND: usize = 4096;

record! {
    /// Holds when a command ends with exit code 0 in time.
    pub struct CommandExitZero, Draft, checked by check_command {
        /// Always `command-exit-zero`.
        required "kind" kind: KindWord,
        /// The command line.
        required "command" command: At<String> = r#""npm test""#,
        /// How many seconds it may take; 30 where nothing is said.
        optional "timeout" timeout: Seconds = "60",
    }
}

fn check_command(draft: &Draft, _: &Fields<'_>, sink: &mut Sink) {
    let Some(command) = &draft.command else { return };
    let problem = if command.trim().is_empty() {
        "the command is blank".to_owned()
    } else if command.chars().count() > MAX_COMMAND {
        format!("the command has more than {MAX_COMMAND} characters")
    } else {
        return;
    };
    let at = sink.at(&command.span, &command.pointer);
    sink.push(sink.value.at(at, problem).label("expected a command line"));
}

impl CommandExitZero {
    /// How long the command may take.
    pub fn limit(&self) -> Duration {
        self.timeout.map_or(Duration::from_secs(30), |seconds| seconds.0)
    }
}

/// A positive number of seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds(pub Duration);

impl Read for Seconds {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let Some(seconds) = node.as_f64() else {
            sink.wrong(node, pointer, "a number of seconds");
            return None;
        };
        let duration = Duration::try_from_secs_f64(seconds).ok().filter(|d| !d.is_zero());
        if duration.is_none() {
            let at = sink.at(&node.span, pointer);
            let diagnostic = sink.value.at(at, format!("`{seconds}` is no span of time"));
            sink.push(diagnostic.label("expected a positive number of seconds"));
        }
        duration.map(Self)
    }
}

impl Schema for Seconds {
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "number", "exclusiveMinimum": 0 })
    }
}

pub(super) const KIND: Kind = Kind {
    word: "command-exit-zero",
    read: |node, pointer, sink| {
        CommandExitZero::read(node, pointer, sink).map(Predicate::CommandExitZero)
    },
    schema: || {
        let mut schema = CommandExitZero::schema();
        schema["properties"]["command"]["pattern"] = "\\S".into();
        schema["properties"]["command"]["maxLength"] = MAX_COMMAND.into();
        schema
    },
};
