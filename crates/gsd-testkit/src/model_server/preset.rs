//! A server that behaves, and under `/f/NAME/` misbehaves in the named way, so that one process
//! serves every case of an end-to-end test.

use super::{Answer, REVIEW, Recorded, Step, completion_body};
use serde_json::{Value, json};
use std::time::Duration;

/// The models of the well-behaved server; the first one cannot chat.
const MODELS: [&str; 2] = ["text-embedding-small", "m1"];

/// The answer of the preset server. `seen` is how often this path was asked before.
///
/// Names below `/f/`: `loading` (503 three times, then well), `stall`, `silence`, `slow-head`,
/// `slow-body`, `redirect-301|302|307:PORT`, `gzip`, `gzip-bomb`, `deflate`, `short`, `garbage`,
/// `error-200`, `error-500` (with choices), `context` (400, too long), `not-found` (404),
/// `unauthorized`, `quota` (429), `stream`, `comments` (keep-alive lines first), `bom`, `parts`,
/// `reasoning`, `thinks`, `length`, `empty`, `huge` (700 MB), `wrong-model`, `html`, `truncated`
/// (few prompt tokens), `no-models`, `echo` (the prompt), `reset`.
pub fn preset(request: &Recorded, seen: usize) -> Answer {
    let path = request.path.split('?').next().unwrap_or_default();
    let (fault, rest) = match path.strip_prefix("/f/").and_then(|rest| rest.split_once('/')) {
        Some((fault, rest)) => (fault, format!("/{rest}")),
        None => ("", path.to_owned()),
    };
    if let Some((status, port)) = fault.strip_prefix("redirect-").and_then(|f| f.split_once(':')) {
        let status = status.parse().unwrap_or(302);
        return Answer::redirect(status, &format!("http://127.0.0.1:{port}{rest}"));
    }
    if rest.ends_with("/models") {
        return match fault {
            "no-models" => Answer::models(&[]),
            "loading" if seen < 3 => Answer::loading(),
            _ => Answer::models(&MODELS),
        };
    }
    if !rest.ends_with("/chat/completions") {
        return Answer::json(404, r#"{"error":{"message":"File Not Found","code":404}}"#);
    }
    let asked = request.json();
    let prompt = prompt(&asked);
    let tokens = (prompt.len() as u64).div_ceil(4);
    let model = asked["model"].as_str().unwrap_or("m1");
    let well = || Answer::completion(model, REVIEW, tokens);
    let body = || completion_body(model, REVIEW, tokens);
    let message = |message: Value, finish: &str| {
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        let usage = json!({"prompt_tokens": tokens, "completion_tokens": 50});
        let whole = json!({"model": model, "choices": [choice], "usage": usage});
        Answer::json(200, &whole.to_string())
    };
    match fault {
        "loading" if seen < 3 => Answer::loading(),
        "stall" => Answer::stall_after(&body().as_bytes()[..20]),
        "silence" => Answer::silence(),
        "slow-head" => Answer::slow_head(),
        "slow-body" => Answer::slow_body(),
        "gzip" => Answer::gzip(body().as_bytes()),
        "gzip-bomb" => Answer::gzip_bomb(),
        "deflate" => Answer::deflate(body().as_bytes()),
        "short" => Answer::short_body(body().as_bytes(), body().len() + 100),
        "garbage" => Answer::json(200, &(body() + "}garbage")),
        "error-200" => Answer::json(200, r#"{"error":{"message":"out of memory"}}"#),
        "error-500" => Answer::json(500, &body()),
        "context" => Answer::json(400, &context_error(tokens)),
        "not-found" => Answer::json(404, r#"{"error":{"message":"model 'm1' not found"}}"#),
        "unauthorized" => Answer::json(401, r#"{"error":{"message":"invalid api key"}}"#),
        "quota" => Answer::json(429, r#"{"error":{"message":"rate limit reached"}}"#),
        "stream" => Answer::stream(model, &[&REVIEW[..40], &REVIEW[40..]], "stop"),
        "comments" => Answer::json(200, &format!(": PROCESSING\n\n: PROCESSING\n\n{}", body())),
        "bom" => Answer::json(200, &format!("\u{feff}{}", body())),
        "parts" => {
            let parts = json!([
                {"type": "text", "text": &REVIEW[..40]},
                {"type": "text", "text": &REVIEW[40..]},
            ]);
            message(json!({"role": "assistant", "content": parts}), "stop")
        }
        "reasoning" => {
            let thought = "let me see, the plan has two steps";
            message(json!({"content": null, "reasoning_content": thought}), "length")
        }
        "thinks" => message(json!({"content": format!("<think>hm</think>\n\n{REVIEW}")}), "stop"),
        "length" => message(json!({"content": &REVIEW[..60]}), "length"),
        "empty" => message(json!({"content": ""}), "stop"),
        "huge" => Answer::huge(700_000_000),
        "wrong-model" => Answer::completion("evil", REVIEW, tokens),
        "html" => Answer::html(200, "<html><body>Please sign in</body></html>"),
        "truncated" => Answer::completion(model, REVIEW, tokens / 8),
        "echo" => Answer::completion(model, &prompt, tokens),
        "reset" => Answer::steps(vec![Step::Wait(Duration::ZERO)]),
        _ => well(),
    }
}

/// The text of the last message.
fn prompt(asked: &Value) -> String {
    let last = asked["messages"].as_array().and_then(|messages| messages.last());
    last.and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}

fn context_error(tokens: u64) -> String {
    json!({"error": {
        "code": 400,
        "message": "the request exceeds the available context size",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": tokens,
        "n_ctx": 8192,
    }})
    .to_string()
}
