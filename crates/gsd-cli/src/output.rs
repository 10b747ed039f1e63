//! Shapes of output: tables, progress, summaries. They consume events and records and decide
//! nothing.

pub(crate) mod format;
pub(crate) mod progress;
pub(crate) mod table;
