//! Answers, well-formed and otherwise.

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// A review in the shape that prompts ask for.
pub const REVIEW: &str = "## Summary\n\nThe plan works, but step 1 cannot be undone.\n\n\
## Strengths\n\n- The steps are small.\n\n\
## Concerns\n\n- **HIGH** PLAN.md:2 - the table is dropped before a backup is taken.\n\
- **LOW** PLAN.md:1 - nobody owns the plan.\n\n\
## Suggestions\n\n- Take a backup first.\n\n## Risk Assessment\n\nHIGH\n";

/// One thing that is done on the connection.
#[derive(Debug, Clone)]
pub enum Step {
    Send(Vec<u8>),
    /// The same bytes many times, made as they are sent.
    Repeat {
        bytes: Vec<u8>,
        times: u64,
    },
    /// One byte after another with a pause after each.
    Drip {
        bytes: Vec<u8>,
        every: Duration,
    },
    Wait(Duration),
    /// Nothing, until the client goes.
    Stall,
}

/// What is done on the connection before it is closed.
#[derive(Debug, Clone)]
pub struct Answer {
    pub steps: Vec<Step>,
}

impl Answer {
    pub fn steps(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// A whole answer with its true length.
    pub fn new(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let length = body.len().to_string();
        let mut all = headers.to_vec();
        all.push(("content-length", &length));
        let head = head(status, &all);
        Self { steps: vec![Step::Send([head, body.to_vec()].concat())] }
    }

    pub fn json(status: u16, body: &str) -> Self {
        Self::new(status, &[("content-type", "application/json")], body.as_bytes())
    }

    pub fn html(status: u16, body: &str) -> Self {
        Self::new(status, &[("content-type", "text/html; charset=utf-8")], body.as_bytes())
    }

    /// A chat completion of `model` with that text, and a token count.
    pub fn completion(model: &str, text: &str, prompt_tokens: u64) -> Self {
        Self::json(200, &completion_body(model, text, prompt_tokens))
    }

    /// A list of models.
    pub fn models(ids: &[&str]) -> Self {
        Self::json(200, &models_body(ids))
    }

    /// What llama.cpp's server says while it reads its model.
    pub fn loading() -> Self {
        let body = r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#;
        Self::json(503, body)
    }

    pub fn redirect(status: u16, location: &str) -> Self {
        Self::new(status, &[("location", location)], b"")
    }

    /// A body in pieces, by chunked transfer.
    pub fn chunked(content_type: &str, pieces: &[&[u8]]) -> Self {
        let fields = [("content-type", content_type), ("transfer-encoding", "chunked")];
        let mut steps = vec![Step::Send(head(200, &fields))];
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            steps.push(Step::Send(chunk(piece)));
        }
        steps.push(Step::Send(b"0\r\n\r\n".to_vec()));
        Self { steps }
    }

    /// The deltas of a streamed completion as server-sent events, with the marks of a real
    /// server: a null content first, the usage with no choices last.
    pub fn stream(model: &str, deltas: &[&str], finish: &str) -> Self {
        Self::counted_stream(model, deltas, finish, 9)
    }

    /// The same with that many tokens of the prompt.
    pub fn counted_stream(model: &str, deltas: &[&str], finish: &str, prompt_tokens: u64) -> Self {
        let event = |value: Value| format!("data: {value}\n\n");
        let delta = |delta: Value, finish: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            event(json!({"object": "chat.completion.chunk", "model": model, "choices": [choice]}))
        };
        let mut events = vec![delta(json!({"role": "assistant", "content": null}), Value::Null)];
        events.extend(deltas.iter().map(|text| delta(json!({"content": text}), Value::Null)));
        events.push(delta(json!({}), finish.into()));
        let usage = json!({"prompt_tokens": prompt_tokens});
        events.push(event(json!({"model": model, "choices": [], "usage": usage})));
        events.push("data: [DONE]\n\n".into());
        let pieces: Vec<&[u8]> = events.iter().map(String::as_bytes).collect();
        Self::chunked("text/event-stream", &pieces)
    }

    pub fn gzip(body: &[u8]) -> Self {
        Self::json_encoded("gzip", &gzip(body))
    }

    /// Deflate as the standard means it: zlib.
    pub fn deflate(body: &[u8]) -> Self {
        let mut encoder = ZlibEncoder::new(vec![], Compression::best());
        encoder.write_all(body).expect("memory");
        Self::json_encoded("deflate", &encoder.finish().expect("memory"))
    }

    /// Deflate as some servers mean it: without the zlib frame.
    pub fn raw_deflate(body: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(vec![], Compression::best());
        encoder.write_all(body).expect("memory");
        Self::json_encoded("deflate", &encoder.finish().expect("memory"))
    }

    fn json_encoded(encoding: &str, body: &[u8]) -> Self {
        let fields = [("content-type", "application/json"), ("content-encoding", encoding)];
        Self::new(200, &fields, body)
    }

    /// Gzip without the header that says so.
    pub fn unannounced_gzip(body: &[u8]) -> Self {
        Self::new(200, &[("content-type", "application/json")], &gzip(body))
    }

    /// About 10 MB that unpack to 10 GB of spaces. Only the end of the connection ends them, so
    /// that nothing announces them.
    pub fn gzip_bomb() -> Self {
        let bytes = gzip(&vec![b' '; 10 << 20]);
        let fields = [("content-type", "application/json"), ("content-encoding", "gzip")];
        let send = Step::Repeat { bytes, times: 1000 };
        Self { steps: vec![Step::Send(head(200, &fields)), send] }
    }

    /// That many bytes of JSON white space, made as they are sent, by chunked transfer so that
    /// nothing announces them.
    pub fn huge(bytes: u64) -> Self {
        let fields = [("content-type", "application/json"), ("transfer-encoding", "chunked")];
        let piece = vec![b' '; 64 * 1024];
        let times = bytes.div_ceil(piece.len() as u64);
        Self {
            steps: vec![
                Step::Send(head(200, &fields)),
                Step::Repeat { bytes: chunk(&piece), times },
                Step::Send(b"0\r\n\r\n".to_vec()),
            ],
        }
    }

    /// A head that promises more than comes, then a closed connection.
    pub fn short_body(body: &[u8], announced: usize) -> Self {
        let announced = announced.to_string();
        let fields = [("content-type", "application/json"), ("content-length", &*announced)];
        Self { steps: vec![Step::Send([head(200, &fields), body.to_vec()].concat())] }
    }

    /// The head, a part of the body, then silence.
    pub fn stall_after(part: &[u8]) -> Self {
        let fields = [("content-type", "application/json"), ("content-length", "100000")];
        let sent = [head(200, &fields), part.to_vec()].concat();
        Self { steps: vec![Step::Send(sent), Step::Stall] }
    }

    /// A head that comes byte by byte and would take hours.
    pub fn slow_head() -> Self {
        let bytes = format!("HTTP/1.1 200 OK\r\nx-filler: {}", "a".repeat(1 << 20)).into_bytes();
        Self { steps: vec![Step::Drip { bytes, every: Duration::from_millis(20) }] }
    }

    /// A body that comes byte by byte, each in time, for hours.
    pub fn slow_body() -> Self {
        let fields = [("content-type", "application/json"), ("content-length", "1000000")];
        let drip = Step::Drip { bytes: vec![b' '; 1_000_000], every: Duration::from_millis(20) };
        Self { steps: vec![Step::Send(head(200, &fields)), drip] }
    }

    /// Reads the request and says nothing.
    pub fn silence() -> Self {
        Self { steps: vec![Step::Stall] }
    }

    /// The same answer after a pause.
    pub fn after(mut self, pause: Duration) -> Self {
        self.steps.insert(0, Step::Wait(pause));
        self
    }
}

/// A chat completion as JSON.
pub fn completion_body(model: &str, text: &str, prompt_tokens: u64) -> String {
    let message = json!({"role": "assistant", "content": text});
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 50},
    })
    .to_string()
}

/// A list of models as JSON, as llama.cpp writes it: the standard list and Ollama's beside it.
pub fn models_body(ids: &[&str]) -> String {
    let data: Vec<Value> = ids.iter().map(|id| json!({"id": id, "object": "model"})).collect();
    let models: Vec<Value> = ids.iter().map(|id| json!({"name": id, "model": id})).collect();
    json!({"object": "list", "models": models, "data": data}).to_string()
}

fn head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Status\r\nconnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    (text + "\r\n").into_bytes()
}

fn chunk(piece: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}
