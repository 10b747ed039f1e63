//! How a program is told how hard to think.

use super::forbid;
use crate::json::{Fields, Node, Pointer, Sink};
use crate::lane::descriptor::rules::{BAD_VARIABLE, EFFORT_WITHOUT_EFFECT, EMPTY_TEXT};
use crate::lane::descriptor::{EnvName, field};
use crate::lane::words::{read_word, words};

words! {
    /// How a program is told how hard to think.
    EffortChannel {
        None = "none",
        Argv = "argv",
        Env = "env",
    }
}

words! {
    /// How hard to think, weakest first.
    EffortLevel {
        Minimal = "minimal",
        Low = "low",
        Medium = "medium",
        High = "high",
        Xhigh = "xhigh",
        Max = "max",
    }
}

/// How a program is told how hard to think, and which words it knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    pub channel: EffortChannel,
    /// Arguments in which `{{level}}` becomes the level.
    pub args: Vec<String>,
    /// The levels that the program knows, weakest first.
    pub levels: Vec<EffortLevel>,
    /// The variable that holds the level, for [`EffortChannel::Env`].
    pub variable: Option<EnvName>,
}

impl Effort {
    /// The nearest level that the program knows; of two equally near ones the weaker.
    pub fn nearest(&self, wanted: EffortLevel) -> EffortLevel {
        let distance = |level: &EffortLevel| (*level as i8 - wanted as i8).unsigned_abs();
        self.levels.iter().copied().min_by_key(|level| (distance(level), *level)).unwrap_or(wanted)
    }
}

pub(super) fn read(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<Effort> {
    let channel = field::word::<EffortChannel>(fields, "effortChannel", sink);
    let args = field::optional_texts(fields, "effortArgs", sink, &EMPTY_TEXT, field::not_empty);
    let levels = match fields.node("effortLevels") {
        None => Some(EffortLevel::ALL.to_vec()),
        Some(node) => read_levels(node, &fields.pointer.key("effortLevels"), sink),
    };
    let variable =
        field::optional_text(fields, "effortEnv", sink, &BAD_VARIABLE, EnvName::parse_declared);
    let effort = Effort { channel: channel?, args: args?, levels: levels?, variable: variable? };
    match effort.channel {
        EffortChannel::None => {
            forbid(fields, "effortArgs", "effortChannel `none`", sink);
            forbid(fields, "effortEnv", "effortChannel `none`", sink);
        }
        EffortChannel::Argv => forbid(fields, "effortEnv", "effortChannel `argv`", sink),
        EffortChannel::Env => {
            forbid(fields, "effortArgs", "effortChannel `env`", sink);
            if effort.variable.is_none() {
                let at = fields.value_at("effortChannel", sink);
                let message = "`env` does nothing without `effortEnv`, the name of the variable";
                let help = "write for example `\"effortEnv\": \"ACME_EFFORT\"`, or use `none`";
                sink.push(EFFORT_WITHOUT_EFFECT.at(at, message).help(help));
            }
        }
    }
    Some(effort)
}

fn read_levels(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Vec<EffortLevel>> {
    let Some(items) = node.as_array() else {
        sink.wrong(node, pointer, "an array of effort levels");
        return None;
    };
    let read: Vec<Option<EffortLevel>> = items
        .iter()
        .enumerate()
        .map(|(index, item)| read_word(item, &pointer.index(index), sink))
        .collect();
    let mut levels = read.into_iter().collect::<Option<Vec<_>>>()?;
    levels.sort_unstable();
    levels.dedup();
    Some(if levels.is_empty() { EffortLevel::ALL.to_vec() } else { levels })
}
