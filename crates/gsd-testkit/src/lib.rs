//! Fake programs, a fake model server and private homes. For tests only.

pub mod fake_cli;
pub mod left_over;
pub mod model_server;
pub mod project;
pub mod tls;
