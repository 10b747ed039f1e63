//! The shape of the command line: clap types only. What a command does stands in `commands/`.

mod budget;
mod capability;
mod config;
mod converge;
mod installed;
mod lane;
mod lanes_catalog;
mod registry;
mod review;
mod trust;
mod values;

pub(crate) use budget::{CutMode, PromptBudgetArgs};
pub(crate) use capability::{
    CapabilityArgs, CapabilityCommand, CapabilityListArgs, CapabilityNewArgs, CapabilityPackArgs,
    CapabilityShowArgs, CapabilityValidateArgs, RoleWord, ScopeWord,
};
pub(crate) use config::{
    ConfigArgs, ConfigCommand, ConfigGetCompatArgs, ConfigListArgs, ConfigSetCompatArgs,
    ConfigValidateArgs, LayerWord,
};
pub(crate) use converge::{ConvergeArgs, OnEscalate};
pub(crate) use installed::{
    CapabilityAdoptArgs, CapabilityInstallArgs, CapabilityLockArgs, CapabilityOutdatedArgs,
    CapabilityReconcileArgs, CapabilityRemoveArgs, CapabilitySwitchArgs, CapabilityTrustArgs,
    CapabilityTrustCommand, CapabilityUpdateArgs, ChangeArgs, FetchArgs, ScopeArg, TrustGrantArgs,
    TrustListArgs, TrustRevokeArgs, TrustShowArgs,
};
pub(crate) use lane::{LaneArgs, LaneCommand, LaneSelectedArgs, LaneTestArgs};
pub(crate) use lanes_catalog::{
    LanesCatalogArgs, LanesCatalogCommand, LanesCatalogRenderArgs, LanesCatalogVerifyArgs,
};
pub(crate) use registry::{
    RegistryArgs, RegistryCommand, RegistryIndexArgs, RegistryIndexBuildArgs, RegistryIndexCommand,
};
pub(crate) use review::{
    ApartArgs, FailOn, InvokeArgs, MergeArgs, PlanArgs, PrepareArgs, RenderFormat, ReportArgs,
    ReviewArgs, ReviewCommand, ReviewRenderArgs, ReviewRunArgs, ReviewShowArgs, SelectionArgs,
};
pub(crate) use trust::{ReviewTrustArgs, ReviewTrustCommand, ReviewTrustHostArgs};
pub(crate) use values::parse_duration;

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Reviews of plans that can be trusted: many reviewers, checked evidence, one report.
#[derive(Debug, Parser)]
#[command(name = "gsd", disable_version_flag = true, arg_required_else_help = true)]
#[command(infer_subcommands = false, propagate_version = false)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command, before or after the verb.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// The project: the folder that holds `.planning` [default: the nearest one upwards]
    #[arg(
        short = 'C',
        long = "project",
        global = true,
        help_heading = "Everywhere",
        value_name = "DIR"
    )]
    pub(crate) project: Option<Utf8PathBuf>,
    /// One JSON document on stdout, nothing else there
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) json: bool,
    /// When to use colour
    #[arg(
        long,
        global = true,
        help_heading = "Everywhere",
        value_enum,
        default_value = "auto",
        value_name = "WHEN"
    )]
    pub(crate) color: Color,
    /// Say only what went wrong
    #[arg(short, long, global = true, help_heading = "Everywhere", conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub(crate) verbose: bool,
    /// No live table, one line per change
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) no_progress: bool,
    /// A setting for this command, above every file; may be repeated
    #[arg(long = "config", global = true, help_heading = "Everywhere", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Print the versions
    #[arg(short = 'V', long, global = true, help_heading = "Everywhere")]
    pub(crate) version: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

// Each line of words uses one of these: the options of the others are not even made.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Review the plans of a phase and write one report
    Review(Box<ReviewArgs>),
    /// The reviewing lanes: what they are, whether they are here, one at a time
    #[command(alias = "review-lane")]
    Lane(LaneArgs),
    /// Check plans with the built-in reviewer: offline, in milliseconds
    PlanLint(PlanLintArgs),
    /// Capabilities: write, check, pack and list them
    Capability(CapabilityArgs),
    /// All capabilities together, as one document
    Registry(RegistryArgs),
    /// A registry to publish: the index of a folder of packed capabilities
    RegistryIndex(RegistryIndexArgs),
    /// The public list of reviewer lanes: check it, render its page
    LanesCatalog(LanesCatalogArgs),
    /// Settings: what holds, where it comes from, and changing it
    Config(ConfigArgs),
    /// The spelling of `config get` that existing workflows call
    #[command(hide = true)]
    ConfigGet(ConfigGetCompatArgs),
    /// The spelling of `config set` that existing workflows call
    #[command(hide = true)]
    ConfigSet(ConfigSetCompatArgs),
    /// Cut a prompt of separate files to a budget, for workflows that build their own
    #[command(hide = true)]
    PromptBudget(Box<PromptBudgetArgs>),
    /// Explain a code that a diagnostic or finding shows
    Explain(ExplainArgs),
    /// Look at this machine and project: what works, what does not, what to do
    Doctor,
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct PhaseArg {
    /// The phase: a number (`3`, `03`, `3.1`), a slug or a path [default: the current one]
    #[arg(long, value_name = "N")]
    pub(crate) phase: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
    Sarif,
    Github,
}

#[derive(Debug, Args)]
pub(crate) struct PlanLintArgs {
    #[command(flatten)]
    pub(crate) phase: PhaseArg,
    /// What to print
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) format: LintFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    Human,
    Json,
    Sarif,
    Github,
    /// The form as a reviewing lane
    Review,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A code such as `plan/wave-conflict`, a state or reason of a lane, or an exit code; none lists
    /// all codes
    pub(crate) code: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
