//! Shapes of output: tables, progress, summaries. They consume events and records and decide
//! nothing.

pub(crate) mod diagnostics;
pub(crate) mod file;
pub(crate) mod format;
pub(crate) mod github;
pub(crate) mod json_v1;
pub(crate) mod progress;
pub(crate) mod sarif;
pub(crate) mod summary;
pub(crate) mod table;
