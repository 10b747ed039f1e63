//! Servers that speak the chat completions protocol: what is sent to them, and what their answers
//! mean.
//!
//! Everything here is pure; the transport sends and waits. An answer is judged by its status and
//! its content together: a text inside of a failure is no review, and neither is a failure inside
//! of a success.

pub mod body;
pub mod models;
pub mod thinking;
pub mod verdict;

use serde_json::{Value, json};

/// Whether the answer is asked for piece by piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streaming {
    /// So that a lane shows life, and a part of its answer survives a time limit.
    Asked,
    /// Exactly the two members that every server knows.
    Never,
}

/// The body of a request: the whole prompt as the one message of a user.
pub fn request(model: &str, prompt: &str, streaming: Streaming, num_ctx: Option<u64>) -> Vec<u8> {
    let mut body = json!({
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
    });
    if streaming == Streaming::Asked {
        body["stream"] = Value::from(true);
        // Without it a stream does not tell how much of the prompt was read.
        body["stream_options"] = json!({"include_usage": true});
    }
    if let Some(tokens) = num_ctx {
        body["options"] = json!({"num_ctx": tokens});
    }
    body.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_without_streaming_has_two_members() {
        let body = String::from_utf8(request("m\"1", "a\nb", Streaming::Never, None)).unwrap();
        let plain = r#"{"model":"m\"1","messages":[{"role":"user","content":"a\nb"}]}"#;
        assert_eq!(body, plain);
        let body = request("m", "p", Streaming::Asked, Some(8192));
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["stream"], true);
        assert_eq!(body["stream_options"]["include_usage"], true);
        assert_eq!(body["options"]["num_ctx"], 8192);
    }
}
