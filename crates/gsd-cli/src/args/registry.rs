//! The options of `gsd registry` and `gsd registry-index`.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct RegistryArgs {
    #[command(subcommand)]
    pub(crate) command: RegistryCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RegistryCommand {
    /// Print the registry, or write it to a file
    Build(RegistryBuildArgs),
    /// Check that everything fits, and that a written registry is still true
    Check(RegistryCheckArgs),
    /// What the registry holds, in short
    Show(RegistryShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RegistryBuildArgs {
    /// Write it here
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<Utf8PathBuf>,
    /// Only what gsd brings, nothing installed
    #[arg(long)]
    pub(crate) first_party: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RegistryCheckArgs {
    /// The registry that `registry build --out` wrote
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<Utf8PathBuf>,
    /// Only what gsd brings, nothing installed
    #[arg(long)]
    pub(crate) first_party: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RegistryShowArgs {
    /// Only what gsd brings, nothing installed
    #[arg(long)]
    pub(crate) first_party: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RegistryIndexArgs {
    #[command(subcommand)]
    pub(crate) command: RegistryIndexCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RegistryIndexCommand {
    /// Look into every .tgz of a folder and write its index.json
    Build(RegistryIndexBuildArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RegistryIndexBuildArgs {
    #[arg(value_name = "DIR")]
    pub(crate) folder: Utf8PathBuf,
    /// Write it here instead of into the folder
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<Utf8PathBuf>,
}
