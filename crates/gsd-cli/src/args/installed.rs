//! `gsd capability install` and the other verbs that change what is installed or trusted.

use super::{ScopeWord, parse_duration};
use clap::{Args, Subcommand};
use std::time::Duration;

/// Where a change is made.
#[derive(Debug, Args)]
pub(crate) struct ScopeArg {
    /// For all projects of yours, or for this one [default: where it is, else global]
    #[arg(long, value_enum, value_name = "SCOPE")]
    pub(crate) scope: Option<ScopeWord>,
}

/// What every change takes.
#[derive(Debug, Args)]
pub(crate) struct ChangeArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArg,
    /// Say what would be done; write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How long to wait for another change to end, such as `30s`
    #[arg(long, value_name = "DUR", default_value = "10s", value_parser = parse_duration)]
    pub(crate) lock_timeout: Duration,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityTrustArgs {
    #[command(subcommand)]
    pub(crate) command: CapabilityTrustCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CapabilityTrustCommand {
    /// What you agreed to: capability, where it holds, since when
    List(TrustListArgs),
    /// What you agreed to of one capability, and what lies there now
    Show(TrustShowArgs),
    /// Agree to a capability that lies there already, as it is
    Grant(TrustGrantArgs),
    /// Take your word back; the capability stays and does nothing any more
    Revoke(TrustRevokeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TrustListArgs {
    /// Only of this scope
    #[arg(long, value_enum, value_name = "SCOPE")]
    pub(crate) scope: Option<ScopeWord>,
}

#[derive(Debug, Args)]
pub(crate) struct TrustShowArgs {
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) scope: ScopeArg,
}

#[derive(Debug, Args)]
pub(crate) struct TrustGrantArgs {
    pub(crate) id: String,
    /// Agree without a question
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TrustRevokeArgs {
    /// The capability
    #[arg(required_unless_present = "all")]
    pub(crate) id: Option<String>,
    /// Everything that you agreed to in the scope
    #[arg(long, conflicts_with = "id")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}
