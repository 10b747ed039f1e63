//! Servers that speak the chat completions protocol: what is sent to them, and what their answers
//! mean.
//!
//! Everything here is pure; the transport sends and waits. An answer is judged by its status and
//! its content together: a text inside of a failure is no review, and neither is a failure inside
//! of a success.

pub mod body;
pub mod models;
pub mod thinking;
