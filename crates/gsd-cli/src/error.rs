//! A command that could not be done: one chain of causes, a hint, an exit code.

use crate::exit::ExitStatus;
use serde_json::{Map, Value};

/// Why a command failed, for people and for scripts.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) status: ExitStatus,
    /// What scripts match on: kebab-case, stable.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) causes: Vec<String>,
    /// Names the next command to type.
    pub(crate) hint: Option<String>,
    /// Boxed, so that a result stays small.
    pub(crate) details: Box<Map<String, Value>>,
}

impl CommandError {
    pub(crate) fn new(status: ExitStatus, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            causes: vec![],
            hint: None,
            details: Box::default(),
        }
    }

    /// An error of a library with all its sources.
    pub(crate) fn from_error(
        status: ExitStatus,
        code: &'static str,
        error: &dyn std::error::Error,
    ) -> Self {
        let mut this = Self::new(status, code, error.to_string());
        let mut source = error.source();
        while let Some(cause) = source {
            this.causes.push(cause.to_string());
            source = cause.source();
        }
        this
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }
}
