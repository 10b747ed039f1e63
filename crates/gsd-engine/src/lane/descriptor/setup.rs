//! What is run before the review, with the same program: steps that a tool needs first.
//!
//! A step is a list of arguments, or an object that also says how long it may take and which value
//! of its output later arguments need, such as the id of a session.

use super::field;
use super::invoke::{Arg, Placeholder};
use super::rules::{BAD_NUMBER, BAD_PLACEHOLDER, EMPTY_TEXT, FORBIDDEN_FIELD, TOO_MANY};
use crate::json::{Fields, Node, Pointer, Sink, Value};
use crate::text::printable;
use std::time::Duration;

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupStep {
    pub args: Vec<Arg>,
    /// The value that later arguments need.
    pub capture: Option<Capture>,
    /// The limit of the step.
    pub limit: Duration,
}

/// A value taken out of what a step prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// `{{captured:NAME}}` stands for the value.
    pub name: String,
    pub from: CaptureFrom,
}

/// Where in the output of a step a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaptureFrom {
    /// The first line that is not blank.
    FirstLine,
    /// The first word after this text.
    After(String),
    /// At this JSON Pointer: the output is one JSON document.
    Pointer(String),
}

/// A step without a limit of its own.
const DEFAULT_LIMIT: Duration = Duration::from_secs(60);
const MAX_LIMIT_MS: u64 = 10 * 60 * 1000;
const MAX_STEPS: usize = 16;
/// No id of a session is longer.
const MAX_VALUE: usize = 256;

impl Capture {
    /// The value, if the output holds one that can be an argument: one word, and no option.
    pub fn find(&self, output: &str) -> Option<String> {
        let value = match &self.from {
            CaptureFrom::FirstLine => {
                output.lines().map(str::trim).find(|line| !line.is_empty())?.to_owned()
            }
            CaptureFrom::After(text) => {
                let (_, rest) = output.split_once(text.as_str())?;
                rest.split_whitespace().next()?.to_owned()
            }
            CaptureFrom::Pointer(pointer) => {
                let document: serde_json::Value = serde_json::from_str(output.trim()).ok()?;
                match document.pointer(pointer)? {
                    serde_json::Value::String(text) => text.clone(),
                    serde_json::Value::Number(number) => number.to_string(),
                    serde_json::Value::Null
                    | serde_json::Value::Bool(_)
                    | serde_json::Value::Array(_)
                    | serde_json::Value::Object(_) => return None,
                }
            }
        };
        let word = value.bytes().all(|byte| byte.is_ascii_graphic()) && !value.starts_with('-');
        (word && !value.is_empty() && value.len() <= MAX_VALUE).then_some(value)
    }
}

/// Reads `setup`. `None` means that at least one error was reported.
pub(super) fn read(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<Vec<SetupStep>> {
    let pointer = fields.pointer.key("setup");
    let Some(node) = fields.node("setup") else { return Some(vec![]) };
    let Some(items) = node.as_array() else {
        sink.wrong(node, &pointer, "an array of steps");
        return None;
    };
    if items.len() > MAX_STEPS {
        let at = sink.at(&node.span, &pointer);
        let message = format!("{} steps; at most {MAX_STEPS} are read", items.len());
        sink.push(TOO_MANY.at(at, message));
        return None;
    }
    let mut steps = vec![];
    for (index, item) in items.iter().enumerate() {
        steps.push(read_step(item, &pointer.index(index), sink));
    }
    let steps: Vec<SetupStep> = steps.into_iter().collect::<Option<_>>()?;
    let mut known: Vec<&str> = vec![];
    for (index, step) in steps.iter().enumerate() {
        let at = pointer.index(index);
        if !check(&step.args, &known, &items[index], &at, sink) {
            return None;
        }
        known.extend(step.capture.iter().map(|capture| capture.name.as_str()));
    }
    Some(steps)
}

/// Whether every captured value that these arguments need is there before they are.
pub(super) fn check(
    args: &[Arg],
    known: &[&str],
    node: &Node,
    pointer: &Pointer,
    sink: &mut Sink,
) -> bool {
    let missing = args.iter().find_map(|arg| match arg {
        Arg::Placeholder(Placeholder::Captured(name)) if !known.contains(&name.as_str()) => {
            Some(name)
        }
        Arg::Placeholder(_) | Arg::Literal(_) => None,
    });
    let Some(name) = missing else { return true };
    let at = sink.at(&node.span, pointer);
    let message = format!(
        "`{{{{captured:{}}}}}` is a value that no earlier step captures",
        printable(name, 60)
    );
    sink.push(
        BAD_PLACEHOLDER.at(at, message).help("declare it with `capture` in a step of `setup`"),
    );
    false
}

fn read_step(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<SetupStep> {
    if let Value::Array(_) = &node.value {
        let args = read_args(node, pointer, sink)?;
        return Some(SetupStep { args, capture: None, limit: DEFAULT_LIMIT });
    }
    let mut fields = Fields::of(node, pointer, sink)?;
    let args = fields
        .required_node("args", sink)
        .and_then(|node| read_args(node, &fields.pointer.key("args"), sink));
    let limit = match fields.node("timeoutMs") {
        None => Some(DEFAULT_LIMIT),
        Some(node) => {
            let pointer = fields.pointer.key("timeoutMs");
            field::whole_number(node, &pointer, 1..=MAX_LIMIT_MS, "milliseconds", sink)
                .map(Duration::from_millis)
        }
    };
    let capture = match fields.node("capture") {
        None => Some(None),
        Some(node) => read_capture(node, &fields.pointer.key("capture"), sink).map(Some),
    };
    fields.finish(sink);
    Some(SetupStep { args: args?, capture: capture?, limit: limit? })
}

fn read_args(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Vec<Arg>> {
    let args = field::texts(node, pointer, sink, &BAD_PLACEHOLDER, Arg::parse)?;
    if args.is_empty() {
        let at = sink.at(&node.span, pointer);
        sink.push(BAD_NUMBER.at(at, "a step needs at least one argument"));
        return None;
    }
    Some(args)
}

fn read_capture(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Capture> {
    let mut fields = Fields::of(node, pointer, sink)?;
    let name = field::text(&mut fields, "name", sink, &EMPTY_TEXT, |text| {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if !text.is_empty() && text.len() <= 40 && text.bytes().all(plain) {
            Ok(text.to_owned())
        } else {
            Err("one lower-case word, as `session`")
        }
    });
    let after = field::optional_text(&mut fields, "after", sink, &EMPTY_TEXT, field::not_empty);
    let at = field::optional_text(&mut fields, "pointer", sink, &EMPTY_TEXT, |text| {
        if text.starts_with('/') { Ok(text.to_owned()) } else { Err("a JSON Pointer, as `/id`") }
    });
    let from = match (after?, at?) {
        (None, None) => CaptureFrom::FirstLine,
        (Some(text), None) => CaptureFrom::After(text),
        (None, Some(pointer)) => CaptureFrom::Pointer(pointer),
        (Some(_), Some(_)) => {
            let place = fields.value_at("pointer", sink);
            let message = "a value stands `after` a text or at a `pointer`, not both";
            sink.push(FORBIDDEN_FIELD.at(place, message));
            fields.finish(sink);
            return None;
        }
    };
    fields.finish(sink);
    Some(Capture { name: name?, from })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(from: CaptureFrom, output: &str) -> Option<String> {
        Capture { name: "session".into(), from }.find(output)
    }

    #[test]
    fn a_value_is_one_word_of_the_output() {
        let after = || CaptureFrom::After("session: ".into());
        assert_eq!(found(after(), "made\nsession: s-7 ok\n").as_deref(), Some("s-7"));
        assert_eq!(found(CaptureFrom::FirstLine, "\n  s-7  \nmore").as_deref(), Some("s-7"));
        let pointer = || CaptureFrom::Pointer("/session/id".into());
        assert_eq!(found(pointer(), "{\"session\":{\"id\":\"s-7\"}}").as_deref(), Some("s-7"));
        assert_eq!(found(pointer(), "{\"session\":{\"id\":7}}").as_deref(), Some("7"));
    }

    #[test]
    fn what_could_be_an_option_or_a_text_is_no_value() {
        for output in ["", "\n", "--yolo", "two words", "\u{1b}[1mred", &"x".repeat(300)] {
            assert_eq!(found(CaptureFrom::FirstLine, output), None, "{output}");
        }
        assert_eq!(found(CaptureFrom::Pointer("/id".into()), "no json"), None);
        assert_eq!(found(CaptureFrom::After("session".into()), "nothing"), None);
    }
}
