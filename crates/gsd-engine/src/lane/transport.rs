//! The ways to reach a reviewer: one file for each.

pub mod openai_http;
