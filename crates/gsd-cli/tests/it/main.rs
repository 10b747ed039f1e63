//! The one end-to-end test binary: the built program, real processes, real files.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests start programs and look at files"
)]

mod answers;
mod apart;
mod bad_input;
mod budget;
mod capability;
mod capability_names;
mod config;
mod config_compat;
mod confine;
mod converge;
mod egress;
mod exit_codes;
mod field;
mod http;
mod installed;
mod instances;
mod invoke;
mod kills;
mod lanes;
mod lanes_catalog;
mod looks;
mod mounts;
mod overlays;
mod registry;
mod registry_index;
mod run;
mod scenarios;
mod selection;
mod third_party;
mod tools;
mod withheld;
mod world;
