//! `review converge`: the options of the loop.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ConvergeArgs {
    /// The phase: a number, a directory name, or a path [default: the current one]
    #[arg(value_name = "PHASE")]
    pub(crate) phase: Option<String>,
    /// The loop has so many cycles and no more
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=10))]
    pub(crate) max_cycles: u8,
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
