//! What a server's answer says: total over any bytes, whatever their status was.
//!
//! Servers answer a request for one JSON object with an object, with a stream of events, with
//! either behind a byte order mark or keep-alive comments, with an error inside a success, or with
//! the sign-in page of a proxy. Each of these is a value here; none is a panic, and none of them is
//! taken for a review by accident.

use super::thinking;
use crate::text::{clean, printable};
use serde_json::Value;

/// What a body is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Completion(Completion),
    Error(ProviderError),
    Foreign(Foreign),
}

/// An answer of a model, with or without text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// The text without its thinking, cleaned. It may be empty.
    pub text: String,
    pub finish: Finish,
    /// The model that answered, as the server names it.
    pub model: Option<String>,
    pub prompt_tokens: Option<u64>,
    /// Bytes of thinking, inside the text or beside it.
    pub thought: usize,
    pub tool_calls: bool,
    /// What the model said in place of an answer.
    pub refusal: Option<String>,
    /// Whether there was a choice at all.
    pub chosen: bool,
}

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Finish {
    Stop,
    /// At its limit of tokens.
    Length,
    Filter,
    ToolCalls,
    /// A stream that ended without its end.
    Cut,
    Other(String),
    #[default]
    Unsaid,
}

impl Finish {
    fn read(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "stop" | "eos" | "end_turn" | "stop_sequence" => Self::Stop,
            "length" | "max_tokens" | "max_output_tokens" => Self::Length,
            "content_filter" | "safety" => Self::Filter,
            "tool_calls" | "function_call" | "tool_use" => Self::ToolCalls,
            "" => Self::Unsaid,
            _ => Self::Other(printable(word, 40)),
        }
    }

    /// Whether the text may lack its end.
    pub const fn is_early(&self) -> bool {
        match self {
            Self::Length | Self::Filter | Self::Cut => true,
            Self::Stop | Self::ToolCalls | Self::Other(_) | Self::Unsaid => false,
        }
    }

    /// The word for a message.
    pub fn word(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::Filter => "content_filter",
            Self::ToolCalls => "tool_calls",
            Self::Cut => "none, the stream broke off",
            Self::Other(word) => word,
            Self::Unsaid => "none",
        }
    }
}

/// What the server says went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProviderError {
    /// One line.
    pub message: String,
    /// Its `type` and `code`, where it has them, for telling kinds of errors apart.
    pub kind: String,
    /// Tokens of the prompt and of the context window, of an error that tells them.
    pub context: Option<(u64, u64)>,
    /// Text that came before the error.
    pub partial: String,
}

/// What a body is that is no answer of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    Blank,
    Html,
    NotJson,
    /// JSON of another shape.
    OtherShape,
}

/// Reads a body.
pub fn parse(body: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(body);
    let text = skip_preamble(&text);
    if text.is_empty() {
        return Answer::Foreign(Foreign::Blank);
    }
    if ["data:", "event:", "id:", "retry:"].iter().any(|field| text.starts_with(field)) {
        return stream(text);
    }
    if text.starts_with('<') {
        return Answer::Foreign(Foreign::Html);
    }
    match json(text) {
        Some(value) => whole(&value),
        None => Answer::Foreign(Foreign::NotJson),
    }
}

/// Byte order mark, white space and comment lines, which keep a connection alive.
fn skip_preamble(text: &str) -> &str {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let mut text = text.trim_start_matches(blank);
    while text.starts_with(':') {
        let end = text.find(['\n', '\r']).unwrap_or(text.len());
        text = text[end..].trim_start_matches(blank);
    }
    text
}

/// No single value is longer: in memory it takes many times as much.
const LONGEST_JSON: usize = 8 << 20;

/// JSON, also where a server cut a surrogate pair of an escaped emoji in two.
fn json(text: &str) -> Option<Value> {
    if text.len() > LONGEST_JSON {
        return None;
    }
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&replace_lone_surrogates(text)))
        .ok()
}

fn replace_lone_surrogates(text: &str) -> String {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = text[at..].find('\\').map(|found| at + found) {
        out.push_str(&text[at..found]);
        at = match (unit(found), unit(found + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => {
                out.push_str(&text[found..found + 12]);
                found + 12
            }
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                found + 6
            }
            (Some(_) | None, _) => {
                // The backslash and what it escapes, so that `\\u` is not taken for an escape.
                let next = text[found + 1..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&text[found..found + 1 + next]);
                found + 1 + next
            }
        };
    }
    out.push_str(&text[at..]);
    out
}

/// A body that is one JSON value.
fn whole(value: &Value) -> Answer {
    // Some gateways wrap the error into a list.
    let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    if let Some(error) = error(value) {
        return Answer::Error(error);
    }
    let mut parts = Parts::default();
    if !parts.add(value) {
        return Answer::Foreign(Foreign::OtherShape);
    }
    if parts.failed {
        return Answer::Error(choice_error(value, &parts));
    }
    Answer::Completion(parts.finish())
}

/// The error of a body, in the shapes that servers use.
fn error(value: &Value) -> Option<ProviderError> {
    let error = match &value["error"] {
        Value::Null if value["object"] == "error" => value,
        Value::Null if value["choices"].is_null() && value["message"].is_string() => value,
        Value::Null if value["choices"].is_null() && !value["detail"].is_null() => &value["detail"],
        Value::Null | Value::Bool(false) => return None,
        error => error,
    };
    // Gateways put the error of the server behind them into their own.
    let inner = if error["error"].is_null() { error } else { &error["error"] };
    let message = [inner, &inner["message"], &inner["msg"], &error["message"], &value["message"]]
        .into_iter()
        .find_map(Value::as_str)
        .map_or_else(|| inner.to_string(), str::to_owned);
    let word = |field: &Value| match field {
        Value::String(text) => printable(text, 80),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
    };
    let context = inner["n_prompt_tokens"].as_u64().zip(inner["n_ctx"].as_u64());
    Some(ProviderError {
        message: printable(message.trim(), 500),
        kind: format!("{} {}", word(&inner["type"]), word(&inner["code"])).trim().to_owned(),
        context,
        partial: String::new(),
    })
}

/// The error of a choice whose finish reason is one.
fn choice_error(value: &Value, parts: &Parts) -> ProviderError {
    let mut found = error(&value["choices"][0]).unwrap_or_else(|| ProviderError {
        message: "the model stopped with an error".into(),
        ..ProviderError::default()
    });
    found.partial = parts.text();
    found
}

/// The pieces of an answer, from one object or from many.
#[derive(Default)]
struct Parts {
    content: String,
    finish: Finish,
    failed: bool,
    model: Option<String>,
    prompt_tokens: Option<u64>,
    thought: usize,
    tool_calls: bool,
    refusal: String,
    chosen: bool,
}

impl Parts {
    /// Adds an object; false if it is no answer of a model.
    fn add(&mut self, value: &Value) -> bool {
        let model = value["model"].as_str().map(str::trim).filter(|model| !model.is_empty());
        self.model = self.model.take().or_else(|| model.map(|model| printable(model, 200)));
        let usage = &value["usage"];
        let tokens = [&usage["prompt_tokens"], &usage["input_tokens"], &value["prompt_eval_count"]];
        self.prompt_tokens =
            tokens.into_iter().find_map(Value::as_u64).or(self.prompt_tokens.take());
        let choices = value["choices"].as_array();
        // Ollama's own form has the message where others have choices.
        let choice = match choices {
            Some(choices) => choices.first(),
            None => Some(value).filter(|value| value["message"].is_object()),
        };
        let Some(choice) = choice else { return choices.is_some() };
        self.chosen = true;
        let said = [&choice["message"], &choice["delta"], choice]
            .into_iter()
            .find(|said| said.is_object())
            .unwrap_or(choice);
        let content = &said["content"];
        let text = if content.is_null() { &choice["text"] } else { content };
        self.thought += join(text, &mut self.content);
        self.thought += ["reasoning_content", "reasoning", "thinking"]
            .into_iter()
            .find_map(|field| said[field].as_str().filter(|text| !text.is_empty()))
            .map_or(0, str::len);
        self.tool_calls |= said["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty())
            || said["function_call"].is_object();
        self.refusal.push_str(said["refusal"].as_str().unwrap_or_default());
        let finish = choice["finish_reason"].as_str().or(choice["done_reason"].as_str());
        if let Some(word) = finish {
            self.failed |= word.eq_ignore_ascii_case("error");
            self.finish = Finish::read(word);
        }
        true
    }

    fn text(&self) -> String {
        thinking::strip(&clean(self.content.as_bytes()).text).text
    }

    fn finish(self) -> Completion {
        let stripped = thinking::strip(&clean(self.content.as_bytes()).text);
        let refusal = self.refusal.trim();
        Completion {
            text: stripped.text,
            finish: self.finish,
            model: self.model,
            prompt_tokens: self.prompt_tokens,
            thought: self.thought + stripped.thought,
            tool_calls: self.tool_calls,
            refusal: (!refusal.is_empty()).then(|| printable(refusal, 500)),
            chosen: self.chosen,
        }
    }
}

/// Appends the text of a content, which is a string or a list of parts. Returns the bytes of parts
/// that are thinking.
fn join(content: &Value, out: &mut String) -> usize {
    match content {
        Value::String(text) => {
            out.push_str(text);
            0
        }
        Value::Array(parts) => parts.iter().map(|part| join_part(part, out)).sum(),
        Value::Object(_) => join_part(content, out),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn join_part(part: &Value, out: &mut String) -> usize {
    let kind = part["type"].as_str().unwrap_or("text");
    let text = [part, &part["text"], &part["text"]["value"], &part["thinking"]]
        .into_iter()
        .find_map(Value::as_str)
        .unwrap_or_default();
    if matches!(kind, "thinking" | "reasoning" | "reasoning_text") {
        return if text.is_empty() { part["thinking"].to_string().len() } else { text.len() };
    }
    out.push_str(text);
    0
}

/// A body of server-sent events, whether or not it was asked for.
fn stream(text: &str) -> Answer {
    let mut parts = Parts::default();
    let (mut known, mut broken, mut done) = (false, false, false);
    for data in events(text) {
        if data.trim() == "[DONE]" {
            done = true;
            continue;
        }
        let Some(value) = json(&data) else {
            broken = true;
            continue;
        };
        if let Some(mut error) = error(&value) {
            error.partial = parts.text();
            return Answer::Error(error);
        }
        known |= parts.add(&value);
        if parts.failed {
            return Answer::Error(choice_error(&value, &parts));
        }
    }
    if !known && !done {
        return Answer::Foreign(if broken { Foreign::NotJson } else { Foreign::OtherShape });
    }
    if broken || (parts.finish == Finish::Unsaid && !done) {
        parts.finish = Finish::Cut;
    }
    Answer::Completion(parts.finish())
}

/// The data of each event; of the last one also where the empty line after it is missing.
fn events(text: &str) -> Vec<String> {
    let mut events = vec![];
    let mut data: Vec<&str> = vec![];
    let mut end = |data: &mut Vec<&str>| {
        if !data.is_empty() {
            events.push(data.join("\n"));
            data.clear();
        }
    };
    for line in
        text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
    {
        if line.is_empty() {
            end(&mut data);
        } else if let Some(rest) = line.strip_prefix("data:") {
            let rest = rest.strip_prefix(' ').unwrap_or(rest);
            // Some servers leave out the empty line between events.
            if rest == "[DONE]" || (rest.starts_with('{') && !data.is_empty()) {
                end(&mut data);
            }
            data.push(rest);
        }
    }
    end(&mut data);
    events
}

#[cfg(test)]
mod tests;
