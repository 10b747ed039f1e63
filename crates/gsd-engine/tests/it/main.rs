//! The one integration test binary of the engine: a module for each topic.

#![allow(clippy::disallowed_methods, reason = "tests look at real files")]
// Helpers of tests are outside of `#[test]` functions, where clippy does not know them.
#![allow(clippy::unwrap_used)]

mod consent;
mod egress;
mod lane_spawn;
mod layers;
mod lint;
mod openai_http;
mod planning;
mod planted;
mod registry;
mod rules;
mod scenarios;
mod source;
