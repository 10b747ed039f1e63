//! The options of `gsd lane`.

use super::{InvokeArgs, PlanArgs};
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct LaneArgs {
    #[command(subcommand)]
    pub(crate) command: LaneCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LaneCommand {
    /// Every lane: heading, transport, destination, and whether it is here
    List,
    /// One line for each lane: its slug, a tab, its heading
    Sections(LaneSelectedArgs),
    /// One line for each flag that selects a lane
    Flags(LaneSelectedArgs),
    /// Everything about one lane
    Show(LaneShowArgs),
    /// Run the probes of lanes: are they here and usable?
    Probe(LaneProbeArgs),
    /// Print how lanes would be called; call none
    Plan(PlanArgs),
    /// Call one lane and leave its result in a run folder
    Invoke(InvokeArgs),
    /// Put a lane into friendly and hostile worlds of stand-ins and print what it withstands
    Test(LaneTestArgs),
}

#[derive(Debug, Args)]
pub(crate) struct LaneTestArgs {
    /// A lane by its slug, or the manifest or folder of one
    #[arg(value_name = "SLUG|PATH")]
    pub(crate) lane: String,
}

#[derive(Debug, Args)]
pub(crate) struct LaneSelectedArgs {
    /// Only these slugs, in this order
    #[arg(long, value_delimiter = ',', value_name = "SLUGS")]
    pub(crate) selected: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LaneShowArgs {
    pub(crate) slug: String,
}

#[derive(Debug, Args)]
pub(crate) struct LaneProbeArgs {
    /// Which lanes [default: all]
    pub(crate) slugs: Vec<String>,
}
