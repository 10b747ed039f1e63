//! Planning directories, read from disk.

mod example;
