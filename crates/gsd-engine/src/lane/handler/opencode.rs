//! OpenCode's stream of events: the review is rebuilt from the assistant's text, never from the
//! stream itself.
//!
//! One JSON object a line, or one array of them. Lines that are no JSON and events that nobody
//! knows are skipped; an `error` event is a failure, whatever the exit status says.

use crate::lane::Reason;
use crate::lane::vendor;
use crate::text::printable;
use serde_json::Value;

/// What a stream holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stream {
    pub text: String,
    pub failure: Option<(Reason, String)>,
    /// There is text, but no step was said to have finished.
    pub truncated: bool,
    pub warnings: Vec<String>,
}

/// Longer lines are no events.
const MAX_LINE: usize = 8 * 1024 * 1024;

/// Reads the bytes of a stream; total over any input.
pub fn read(bytes: &[u8]) -> Stream {
    let text = String::from_utf8_lossy(bytes);
    let mut parts: Vec<(Option<String>, String)> = vec![];
    let mut error = None;
    let (mut finished, mut reason, mut tokens) = (false, None, None);
    for event in events(&text) {
        let part = &event["part"];
        match event["type"].as_str() {
            Some("text") => {
                if let Some(text) = part["text"].as_str() {
                    let message = part["messageID"].as_str().map(str::to_owned);
                    parts.push((message, text.to_owned()));
                }
            }
            Some("step_finish") => {
                finished = true;
                reason = part["reason"].as_str().map(str::to_owned).or(reason);
                tokens = part["tokens"]["output"].as_u64().or(tokens);
            }
            Some("error") => error = Some(message_of(&event)),
            Some(_) | None => {}
        }
    }
    // What was said before the last message is talk on the way ("let me look at the files").
    let last = parts.last().and_then(|(message, _)| message.clone());
    let text: Vec<String> = parts
        .into_iter()
        .filter(|(message, _)| last.is_none() || *message == last)
        .map(|(_, text)| text)
        .collect();
    let text = text.join("\n");
    let mut stream = Stream { text, ..Stream::default() };
    if let Some(message) = error {
        let reason = vendor::cause_of_failure(&message).unwrap_or(Reason::VendorError);
        stream.failure =
            Some((reason, format!("it reported an error: {}", printable(&message, 300))));
    } else if stream.text.trim().is_empty() {
        let reason = reason.as_deref().map_or("?".to_owned(), |reason| printable(reason, 60));
        let tokens = tokens.map_or("?".to_owned(), |tokens| tokens.to_string());
        stream
            .warnings
            .push(format!("no assistant text came: stop reason {reason}, output tokens {tokens}"));
    } else {
        stream.truncated = !finished || reason.as_deref() == Some("length");
    }
    stream
}

fn events(text: &str) -> Vec<Value> {
    if let Ok(Value::Array(events)) = serde_json::from_str(text.trim()) {
        return events;
    }
    text.lines()
        .map(str::trim)
        .filter(|line| line.starts_with('{') && line.len() <= MAX_LINE)
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// The text of an `error` event in any of the shapes that were seen.
fn message_of(event: &Value) -> String {
    let error = &event["error"];
    [&error["data"]["message"], &error["message"], &event["message"], error, &error["name"]]
        .iter()
        .find_map(|value| value.as_str())
        .map_or_else(|| error.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_is_joined_and_noise_is_skipped() {
        let stream = read(
            b"banner\r\n{\"type\":\"step_start\"}\r\n{\"type\":\"text\",\"part\":{\"text\":\"## Sum\"}}\n\
              {\"type\":\"text\",\"part\":null}\n{\"type\":\"tool_use\"}\nnot json {\n\
              {\"type\":\"text\",\"part\":{\"text\":\"\"}}\n{\"type\":\"text\",\"part\":{\"text\":\"end\"}}\n\
              {\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\",\"tokens\":{\"output\":9}}}\n",
        );
        assert_eq!(stream, Stream { text: "## Sum\n\nend".to_owned(), ..Stream::default() });
    }

    #[test]
    fn only_the_last_message_is_the_review() {
        let stream = read(
            b"{\"type\":\"text\",\"part\":{\"messageID\":\"a\",\"text\":\"I look first\"}}\n\
              {\"type\":\"text\",\"part\":{\"messageID\":\"b\",\"text\":\"Review\"}}\n\
              {\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}",
        );
        assert_eq!(stream.text, "Review");
    }

    #[test]
    fn an_error_is_a_failure_and_a_cut_stream_is_seen() {
        let failed = read(b"{\"type\":\"text\",\"part\":{\"text\":\"x\"}}\n{\"type\":\"error\",\"error\":{\"data\":{\"message\":\"429 Too Many Requests\"}}}");
        assert_eq!(failed.failure.map(|(reason, _)| reason), Some(Reason::RateLimited));
        assert!(
            read(b"{\"type\":\"text\",\"part\":{\"text\":\"half\"}}\n{\"type\":\"te").truncated
        );
        let length = read(b"{\"type\":\"text\",\"part\":{\"text\":\"half\"}}\n{\"type\":\"step_finish\",\"part\":{\"reason\":\"length\"}}");
        assert!(length.truncated);
    }

    #[test]
    fn no_text_names_the_stop_reason() {
        let stream = read(
            b"{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\",\"tokens\":{\"output\":0}}}",
        );
        assert_eq!(stream.warnings, ["no assistant text came: stop reason stop, output tokens 0"]);
        assert!(read(b"").warnings[0].contains("stop reason ?"));
    }

    #[test]
    fn an_array_is_read_as_well() {
        let stream = read(b"[{\"type\":\"text\",\"part\":{\"text\":\"a\"}},{\"type\":\"step_finish\",\"part\":{}}]");
        assert_eq!(stream, Stream { text: "a".to_owned(), ..Stream::default() });
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            read(&bytes);
        }
    }
}
