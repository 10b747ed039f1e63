//! The test kit's own programs.

mod model_server;
