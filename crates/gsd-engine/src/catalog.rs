//! The public list of reviewer lanes: one JSON array, an entry for each lane, and the page that is
//! rendered from it.
//!
//! The list is documentation: nothing is installed or loaded because of it. Its entries come from
//! strangers by pull request, so every field has a grammar, unknown ones are refused, and nothing
//! in a text can become structure of the page.

mod bundle;
mod entry;
mod field;
mod install;
mod page;
mod since;

pub use bundle::compare;
pub use entry::{Entry, check};
pub use page::page;
pub use since::{HandOff, check_since};

/// The list, below the folder of a project. Its page stands beside it.
pub const LIST: &str = "docs/registries/reviewers.json";

/// No list has more entries.
const MAX_ENTRIES: usize = 2000;

/// Something that is wrong with a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place of the entry, from 0; `None` for a fault of the whole list.
    pub index: Option<usize>,
    pub id: Option<String>,
    /// The field, dotted; empty for the whole.
    pub field: String,
    pub reason: String,
}

impl Fault {
    fn of_list(reason: impl Into<String>) -> Self {
        Self { index: None, id: None, field: String::new(), reason: reason.into() }
    }

    /// A fault of an entry.
    fn of(entry: &Entry, field: &str, reason: impl Into<String>) -> Self {
        Self {
            index: Some(entry.index),
            id: Some(entry.id.clone()),
            field: field.to_owned(),
            reason: reason.into(),
        }
    }

    pub fn to_json(&self) -> serde_json::Value {
        let index = self.index.and_then(|index| i64::try_from(index).ok()).unwrap_or(-1);
        let mut fault =
            serde_json::json!({ "index": index, "field": self.field, "reason": self.reason });
        if let Some(id) = &self.id {
            fault["id"] = id.as_str().into();
        }
        fault
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.index, &self.id) {
            (Some(index), Some(id)) => write!(f, "entry {index} (`{id}`): ")?,
            (Some(index), None) => write!(f, "entry {index}: ")?,
            (None, _) => {}
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.reason)
    }
}

#[cfg(test)]
mod tests;
