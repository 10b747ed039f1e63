//! `gsd review trust-host` and `gsd review trust`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct ReviewTrustHostArgs {
    /// The lane, such as `ollama`
    #[arg(value_name = "SLUG")]
    pub(crate) slug: String,
    /// Approve it without a question
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewTrustArgs {
    #[command(subcommand)]
    pub(crate) command: ReviewTrustCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewTrustCommand {
    /// What was approved: capability, address, where it holds, since when
    List,
    /// Take back every approval of a lane
    Revoke(ReviewRevokeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ReviewRevokeArgs {
    /// The lane, or the capability that declares it
    #[arg(value_name = "SLUG")]
    pub(crate) slug: String,
}
