//! The one integration test binary of the engine: a module for each topic.

#![allow(clippy::disallowed_methods, reason = "tests look at real files")]

mod layers;
mod openai_http;
mod planning;
