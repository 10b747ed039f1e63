//! Which models a server has, which of them can review, and whether two names mean the same one.

use crate::text::printable;
use serde_json::Value;

/// No list is kept longer; no name either.
const MOST_LISTED: usize = 200;
const LONGEST_ID: usize = 200;

/// Words of names whose models cannot chat.
const NO_CHAT: [&str; 12] = [
    "bge",
    "clip",
    "colbert",
    "dall",
    "diffusion",
    "e5",
    "gte",
    "minilm",
    "moderation",
    "mpnet",
    "tts",
    "whisper",
];

/// What a server's list of models says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Models {
    /// The first model that can chat.
    pub chosen: Option<String>,
    /// Every name in the list, in its order.
    pub listed: Vec<String>,
}

impl Models {
    /// Reads a list in any of the shapes that servers use; what is none gives an empty list.
    pub fn read(body: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        let entries = [&value["data"], &value["models"], &value]
            .into_iter()
            .find_map(|list| list.as_array().filter(|list| !list.is_empty()));
        let listed: Vec<String> =
            entries.into_iter().flatten().filter_map(id).take(MOST_LISTED).collect();
        let chosen = listed.iter().find(|id| can_chat(id)).cloned();
        Self { chosen, listed }
    }

    /// The first few names, for a message.
    pub fn some(&self) -> String {
        let few: Vec<String> =
            self.listed.iter().take(5).map(|id| format!("`{}`", printable(id, 60))).collect();
        let more = self.listed.len().saturating_sub(few.len());
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        few.join(", ") + &rest
    }
}

fn id(entry: &Value) -> Option<String> {
    let id = [&entry["id"], &entry["model"], &entry["name"], entry]
        .into_iter()
        .find_map(|field| field.as_str().map(str::trim).filter(|id| !id.is_empty()))?;
    (id.len() <= LONGEST_ID && !id.chars().any(crate::text::is_deceptive)).then(|| id.to_owned())
}

/// Whether a model of that name may be able to write a review: not if it makes vectors, ranks
/// texts, or works on sounds and pictures.
fn can_chat(id: &str) -> bool {
    let id = id.to_ascii_lowercase();
    let mut words = id.split(|c: char| !c.is_ascii_alphanumeric());
    !id.contains("embed") && !id.contains("rerank") && !words.any(|word| NO_CHAT.contains(&word))
}

/// Whether two names mean the same model: case, the provider before a `/` and a `:latest` behind
/// it do not count.
pub fn same(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        let name = name.trim().to_ascii_lowercase();
        let name = name.rsplit('/').next().unwrap_or_default();
        name.strip_suffix(":latest").unwrap_or(name).to_owned()
    };
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(body: &str) -> Option<String> {
        Models::read(body.as_bytes()).chosen
    }

    #[test]
    fn the_first_model_that_chats_is_chosen() {
        let list = r#"{"object":"list","data":[{"id":"text-embedding-nomic-embed-text-v1.5"},
            {"id":"bge-reranker-v2-m3"},{"id":"BAAI/bge-m3"},{"id":"intfloat/e5-large"},
            {"id":"qwen2.5-coder-7b"},{"id":"llama3:8b"}]}"#;
        assert_eq!(chosen(list).as_deref(), Some("qwen2.5-coder-7b"));
        let ids = r#"{"data":[{"id":""},{"id":7},null,{"id":"hf.co/a/b@c:Q4"}]}"#;
        assert_eq!(chosen(ids).as_deref(), Some("hf.co/a/b@c:Q4"));
        assert_eq!(chosen(r#"{"models":[{"name":"llama3"}]}"#).as_deref(), Some("llama3"));
        assert_eq!(chosen(r#"{"data":[],"models":[{"model":"m"}]}"#).as_deref(), Some("m"));
        assert_eq!(chosen(r#"["a","b"]"#).as_deref(), Some("a"));
        // Words, not parts of words.
        assert_eq!(chosen(r#"{"data":[{"id":"e5x-chat"}]}"#).as_deref(), Some("e5x-chat"));
    }

    #[test]
    fn nothing_to_choose_is_no_choice() {
        for body in [
            "",
            "null",
            "[]",
            "{}",
            "7",
            "\"m\"",
            "<html>",
            r#"{"data":null}"#,
            r#"{"data":[]}"#,
            r#"{"data":{"id":"m"}}"#,
            r#"{"data":[{"id":"nomic-embed-text"}]}"#,
            r#"{"data":[{"id":"a\u0007b"}]}"#,
        ] {
            assert_eq!(chosen(body), None, "{body}");
        }
        let only = Models::read(br#"{"data":[{"id":"nomic-embed-text"},{"id":"rerank-1"}]}"#);
        assert_eq!(only.some(), "`nomic-embed-text`, `rerank-1`");
    }

    #[test]
    fn case_provider_and_latest_do_not_make_a_model_another() {
        for (one, other) in [
            ("llama3", "llama3:latest"),
            ("Llama3", "llama3"),
            ("openai/gpt-x", "gpt-x"),
            ("a/b/M:latest", "m"),
        ] {
            assert!(same(one, other) && same(other, one), "{one} {other}");
        }
        for (one, other) in [("m1", "evil"), ("llama3:8b", "llama3:70b"), ("llama3", "llama31")] {
            assert!(!same(one, other), "{one} {other}");
        }
    }
}
