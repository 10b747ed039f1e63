//! `gsd lanes-catalog`.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct LanesCatalogArgs {
    #[command(subcommand)]
    pub(crate) command: LanesCatalogCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LanesCatalogCommand {
    /// Check every entry of the list
    Verify(LanesCatalogVerifyArgs),
    /// Print the page of the list, write it, or check that it is up to date
    Render(LanesCatalogRenderArgs),
}

#[derive(Debug, Args)]
pub(crate) struct LanesCatalogVerifyArgs {
    /// The list [default: docs/registries/reviewers.json of the project]
    #[arg(value_name = "FILE")]
    pub(crate) list: Option<Utf8PathBuf>,
    /// Compare each entry with the bundle in the folder of its id below this one
    #[arg(long, value_name = "DIR")]
    pub(crate) bundles: Option<Utf8PathBuf>,
    /// Refuse changes of owner since this older list, unless `hand-offs/ID.json` beside the list
    /// has the old owner's word
    #[arg(long, value_name = "FILE")]
    pub(crate) since: Option<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct LanesCatalogRenderArgs {
    /// The list [default: docs/registries/reviewers.json of the project]
    #[arg(value_name = "FILE")]
    pub(crate) list: Option<Utf8PathBuf>,
    /// Write the page beside the list
    #[arg(long)]
    pub(crate) write: bool,
    /// Exit 1 if the page beside the list is missing or is another one
    #[arg(long, conflicts_with = "write")]
    pub(crate) check: bool,
}
