//! The options of `gsd review` and of its steps.

use super::values::{parse_duration, parse_folder, parse_lane_timeout, parse_name};
use super::{ConvergeArgs, Format, PhaseArg, ReviewTrustArgs, ReviewTrustHostArgs};
use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueEnum};
use std::time::Duration;

/// The main job: plans in, a report out.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ReviewCommand>,
    #[command(flatten)]
    pub(crate) run: ReviewRunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewRunArgs {
    #[command(flatten)]
    pub(crate) phase: PhaseArg,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// Lanes that run at once [default: one for each adapter]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
    /// The whole run ends after this long, such as `45m`
    #[arg(long, value_name = "DUR", value_parser = parse_duration)]
    pub(crate) deadline: Option<Duration>,
    /// The limit of one lane, such as `codex=20m`; may be repeated
    #[arg(long, value_name = "SLUG=DUR", value_parser = parse_lane_timeout)]
    pub(crate) lane_timeout: Vec<(String, Duration)>,
    /// Leave out named lanes that are not here instead of stopping
    #[arg(long)]
    pub(crate) only_available: bool,
    /// Take over the finished lanes of the newest run of this phase
    #[arg(long)]
    pub(crate) resume: bool,
    /// Work in this folder instead of one below the state folder
    #[arg(long, value_name = "DIR", value_parser = parse_folder)]
    pub(crate) run_dir: Option<Utf8PathBuf>,
    /// Keep the run folder also after a later run has succeeded
    #[arg(long)]
    pub(crate) keep_run: bool,
    /// Print what would be sent where, and send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) output: ReportArgs,
}

/// What is made of a record, and when it is a reason to fail.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReportArgs {
    /// Exit 13 if there is a finding of this severity or above
    #[arg(long, value_enum, value_name = "SEVERITY", default_value = "never")]
    pub(crate) fail_on: FailOn,
    /// What to print on stdout
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) format: Format,
    /// Write the HTML page here as well
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<Utf8PathBuf>,
    /// Write SARIF here as well
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<Utf8PathBuf>,
    /// Write the record here as well
    #[arg(long, value_name = "FILE")]
    pub(crate) json_out: Option<Utf8PathBuf>,
    /// Print only; write no report
    #[arg(long)]
    pub(crate) no_write: bool,
}

/// Which lanes. One flag for each lane is added to these.
#[derive(Debug, Clone, Args)]
pub(crate) struct SelectionArgs {
    /// Every lane that is here
    #[arg(long)]
    pub(crate) all: bool,
    /// Lanes or instances by name
    #[arg(long, value_delimiter = ',', value_name = "NAMES", value_parser = parse_name)]
    pub(crate) lanes: Vec<String>,
    /// Leave these out; acts last
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) exclude: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Print what would be sent where; send nothing
    Plan(PlanArgs),
    /// Call one lane and leave its result in a run folder
    Invoke(InvokeArgs),
    /// Write a run folder whose lanes are called elsewhere
    Prepare(PrepareArgs),
    /// Put the results of a prepared run together and write the report
    Merge(MergeArgs),
    /// Say whether the plans are good enough, from the record of the last review
    Converge(ConvergeArgs),
    /// Print the last report of a phase
    Show(ReviewShowArgs),
    /// Render a record in another format, running nothing
    Render(ReviewRenderArgs),
    /// Approve the server of a lane that is not on this machine
    TrustHost(ReviewTrustHostArgs),
    /// The servers that you approved
    Trust(ReviewTrustArgs),
}

/// What `review plan` and `lane plan` take.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) phase: PhaseArg,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// The limit of one lane, such as `codex=20m`; may be repeated
    #[arg(long, value_name = "SLUG=DUR", value_parser = parse_lane_timeout)]
    pub(crate) lane_timeout: Vec<(String, Duration)>,
    #[command(flatten)]
    pub(crate) apart: ApartArgs,
    /// With `--json`: also program, arguments, address, limits and where each value comes from
    #[arg(long)]
    pub(crate) full: bool,
    /// One document a line
    #[arg(long)]
    pub(crate) ndjson: bool,
}

/// Lanes by themselves, outside a review.
#[derive(Debug, Args)]
pub(crate) struct ApartArgs {
    /// Only these slugs, in this order
    #[arg(long, value_delimiter = ',', value_name = "SLUGS")]
    pub(crate) selected: Option<Vec<String>>,
    /// One lane by its slug, or an instance by its name
    #[arg(long, visible_alias = "lane", value_name = "SLUG")]
    pub(crate) slug: Option<String>,
    /// The folder that holds the prompt and gets the results [default: .]
    #[arg(long, value_name = "DIR")]
    pub(crate) run_dir: Option<Utf8PathBuf>,
    /// The project, where it is not the one of `-C`
    #[arg(long, value_name = "DIR")]
    pub(crate) repo_root: Option<Utf8PathBuf>,
    /// Accepted for older callers
    #[arg(long, hide = true)]
    pub(crate) raw: bool,
}

/// What `review invoke` and `lane invoke` take.
#[derive(Debug, Args)]
pub(crate) struct InvokeArgs {
    #[command(flatten)]
    pub(crate) apart: ApartArgs,
    /// Write its files under this name
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) written_as: Option<String>,
    /// The model for this call
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The agent for this call, for lanes that have agents
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// The prompt, instead of `gsd-review-prompt.md` in the run folder
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt_file: Option<Utf8PathBuf>,
    /// The limit of the lane, such as `codex=20m`
    #[arg(long, value_name = "SLUG=DUR", value_parser = parse_lane_timeout)]
    pub(crate) lane_timeout: Vec<(String, Duration)>,
    /// Somebody asked for this very lane: say so if it is not here
    #[arg(long)]
    pub(crate) explicit: bool,
    /// The result on one line
    #[arg(long)]
    pub(crate) ndjson: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PrepareArgs {
    #[command(flatten)]
    pub(crate) phase: PhaseArg,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// The folder to write; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) run_dir: Utf8PathBuf,
    /// The limit of one lane, such as `codex=20m`; may be repeated
    #[arg(long, value_name = "SLUG=DUR", value_parser = parse_lane_timeout)]
    pub(crate) lane_timeout: Vec<(String, Duration)>,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The prepared folder, or its copies that came back with results
    #[arg(long, value_name = "DIR", required = true, num_args = 1..)]
    pub(crate) run_dir: Vec<Utf8PathBuf>,
    #[command(flatten)]
    pub(crate) output: ReportArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewShowArgs {
    #[command(flatten)]
    pub(crate) phase: PhaseArg,
    /// What to print
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) format: RenderFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewRenderArgs {
    /// The record: a `NN-REVIEWS.json`
    #[arg(long, value_name = "RECORD.json")]
    pub(crate) from: Utf8PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value = "markdown", value_name = "FORMAT")]
    pub(crate) format: RenderFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderFormat {
    Human,
    Markdown,
    Json,
    Sarif,
    Github,
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    High,
    Medium,
    Low,
    Never,
}
