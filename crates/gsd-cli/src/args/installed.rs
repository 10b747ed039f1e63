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

#[derive(Debug, Args)]
pub(crate) struct CapabilityInstallArgs {
    /// Where it comes from: a folder such as `./my-lane`, or another kind of source
    #[arg(value_name = "SPEC", required_unless_present = "frozen")]
    pub(crate) spec: Option<String>,
    /// Install what `capabilities.lock` names, exactly, or nothing; into the project unless `--scope`
    /// says otherwise
    #[arg(long, conflicts_with_all = ["integrity", "adopt", "replace"])]
    pub(crate) frozen: bool,
    /// The digest that the archive must have: `sha512-…`
    #[arg(long, value_name = "SRI")]
    pub(crate) integrity: Option<String>,
    /// Let another source, another signing key or none take over what is installed
    #[arg(long)]
    pub(crate) replace: bool,
    /// Put it in the place of a folder that nobody installed, which is kept beside it
    #[arg(long)]
    pub(crate) adopt: bool,
    #[command(flatten)]
    pub(crate) fetch: FetchArgs,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityLockArgs {
    /// Whose capabilities are locked [default: project]
    #[command(flatten)]
    pub(crate) scope: ScopeArg,
    /// Write nothing; end with 1 if the file would change
    #[arg(long)]
    pub(crate) check: bool,
}

/// What a change takes that fetches something.
#[derive(Debug, Args)]
pub(crate) struct FetchArgs {
    /// Agree without a question
    #[arg(long)]
    pub(crate) yes: bool,
    /// Put its hooks and servers into this settings file of a host, below the root of the scope; may
    /// be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) shared_file: Vec<String>,
    /// Go back to an older version if that is what the source has
    #[arg(long)]
    pub(crate) allow_downgrade: bool,
    /// Fetch also where nobody vouches for the connection
    #[arg(long)]
    pub(crate) allow_insecure_transport: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityUpdateArgs {
    /// The capability
    #[arg(required_unless_present = "all")]
    pub(crate) id: Option<String>,
    /// Everything that is installed in the scope
    #[arg(long, conflicts_with = "id")]
    pub(crate) all: bool,
    /// Take its hooks and servers out of the files that hold them
    #[arg(long, conflicts_with = "shared_file")]
    pub(crate) no_shared_files: bool,
    #[command(flatten)]
    pub(crate) fetch: FetchArgs,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityRemoveArgs {
    pub(crate) id: String,
    /// Also remove what the capability itself wrote
    #[arg(long)]
    pub(crate) purge_data: bool,
    /// Also remove its settings from the settings of the project
    #[arg(long)]
    pub(crate) purge_config: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilitySwitchArgs {
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityAdoptArgs {
    pub(crate) id: String,
    /// Agree without a question
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityReconcileArgs {
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityOutdatedArgs {
    /// Only of this scope
    #[arg(long, value_enum, value_name = "SCOPE")]
    pub(crate) scope: Option<ScopeWord>,
    /// Ask nobody; look at folders of this machine only
    #[arg(long)]
    pub(crate) offline: bool,
    /// All answers have to come in this time
    #[arg(long, value_name = "DUR", default_value = "30s", value_parser = parse_duration)]
    pub(crate) deadline: Duration,
}
