//! `review converge`: the options of the loop.

use super::{PhaseArg, parse_duration};
use clap::{Args, ValueEnum};
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct ConvergeArgs {
    /// The phase: a number, a directory name, or a path [default: the current one]
    #[arg(value_name = "PHASE", conflicts_with = "phase")]
    pub(crate) named: Option<String>,
    #[command(flatten)]
    pub(crate) phase: PhaseArg,
    /// The loop has so many cycles and no more
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=10))]
    pub(crate) max_cycles: u8,
    /// The loop may take so long from its first review on, such as `3h`
    #[arg(long, value_name = "DUR", value_parser = parse_duration)]
    pub(crate) deadline: Option<Duration>,
    /// What an escalation means where nobody can be asked
    #[arg(long, value_enum, value_name = "POLICY", default_value = "fail")]
    pub(crate) on_escalate: OnEscalate,
}

/// How the program ends where people should decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnEscalate {
    /// With the exit code of an escalation
    Fail,
    /// As if the plans had converged
    Proceed,
}
