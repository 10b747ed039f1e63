//! What data cannot say about a lane: one file for each handler.

pub(super) mod antigravity;
pub mod openai_compatible;
pub mod opencode;
