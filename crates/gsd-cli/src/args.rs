//! The shape of the command line: clap types only. What a command does stands in `commands/`.

mod budget;
mod converge;
mod installed;
mod lanes_catalog;
mod trust;

pub(crate) use budget::{CutMode, PromptBudgetArgs};
pub(crate) use converge::{ConvergeArgs, OnEscalate};
pub(crate) use installed::{
    CapabilityAdoptArgs, CapabilityInstallArgs, CapabilityLockArgs, CapabilityOutdatedArgs,
    CapabilityReconcileArgs, CapabilityRemoveArgs, CapabilitySwitchArgs, CapabilityTrustArgs,
    CapabilityTrustCommand, CapabilityUpdateArgs, ChangeArgs, FetchArgs, ScopeArg, TrustGrantArgs,
    TrustListArgs, TrustRevokeArgs, TrustShowArgs,
};
pub(crate) use lanes_catalog::{
    LanesCatalogArgs, LanesCatalogCommand, LanesCatalogRenderArgs, LanesCatalogVerifyArgs,
};
pub(crate) use trust::{ReviewTrustArgs, ReviewTrustCommand, ReviewTrustHostArgs};

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::time::Duration;

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

#[derive(Debug, Subcommand)]
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

#[derive(Debug, Clone, Args)]
pub(crate) struct PhaseArg {
    /// The phase: a number (`3`, `03`, `3.1`), a slug or a path [default: the current one]
    #[arg(long, value_name = "N")]
    pub(crate) phase: Option<String>,
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
pub(crate) enum Format {
    Human,
    Json,
    Sarif,
    Github,
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
pub(crate) struct CapabilityArgs {
    #[command(subcommand)]
    pub(crate) command: CapabilityCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CapabilityCommand {
    /// Write a new capability that validates as it is
    New(CapabilityNewArgs),
    /// Check manifests: each alone, and all together with what gsd brings
    Validate(CapabilityValidateArgs),
    /// Print the JSON Schema of manifests, for editors
    Schema,
    /// Pack a bundle into an archive and print its integrity string
    Pack(CapabilityPackArgs),
    /// Install a capability: fetch, check, show, ask, and put it in its place
    Install(CapabilityInstallArgs),
    /// Take over what the source of an installed capability has now
    Update(CapabilityUpdateArgs),
    /// Take a capability away
    Remove(CapabilityRemoveArgs),
    /// Switch a capability on again
    Enable(CapabilitySwitchArgs),
    /// Switch a capability off; it stays installed
    Disable(CapabilitySwitchArgs),
    /// Record a capability that lies there and that nobody installed
    Adopt(CapabilityAdoptArgs),
    /// Write `capabilities.lock`: exactly what is installed, for `install --frozen`
    Lock(CapabilityLockArgs),
    /// What has a newer version where it came from
    Outdated(CapabilityOutdatedArgs),
    /// End what an interrupted change left unfinished
    Reconcile(CapabilityReconcileArgs),
    /// Look at what is installed: what is wrong, and what to do
    Doctor,
    /// Every capability with its state
    List(CapabilityListArgs),
    /// Everything about one capability
    Show(CapabilityShowArgs),
    /// What you agreed to: bundles that may run, send and be run
    Trust(CapabilityTrustArgs),
    /// The catalogue: one table for each role
    Matrix,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityNewArgs {
    /// The id, which is also the name of the folder
    pub(crate) id: String,
    /// What it is [default: asked for on a terminal]
    #[arg(long, value_enum, value_name = "ROLE")]
    pub(crate) role: Option<RoleWord>,
    /// Write the folder in here
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: Utf8PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleWord {
    /// Steps, texts and gates for the loop
    Feature,
    /// A host CLI to install into
    Runtime,
    /// A reviewer of plans
    Reviewer,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityValidateArgs {
    /// Manifests, bundles, or folders of bundles
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<Utf8PathBuf>,
    /// Every warning is an error
    #[arg(long)]
    pub(crate) strict: bool,
    /// Write the fixes that need no decision into the files
    #[arg(long)]
    pub(crate) fix: bool,
    /// What to print
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityPackArgs {
    /// The bundle: a folder with a capability.json
    pub(crate) path: Utf8PathBuf,
    /// The archive [default: ID-VERSION.tgz here]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<Utf8PathBuf>,
    /// Print the integrity string only; write nothing
    #[arg(long, conflicts_with = "out")]
    pub(crate) integrity: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityListArgs {
    /// Only installed capabilities of this scope, beside gsd's own
    #[arg(long, value_enum, value_name = "SCOPE")]
    pub(crate) scope: Option<ScopeWord>,
    /// JSON; `gsd-tools` always prints it
    #[arg(long, hide = true)]
    pub(crate) raw: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeWord {
    Global,
    Project,
}

#[derive(Debug, Args)]
pub(crate) struct CapabilityShowArgs {
    pub(crate) id: String,
}

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

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the value that holds
    Get(ConfigKeyArgs),
    /// Give a setting a value; everything else in the file stays as it is
    Set(ConfigSetArgs),
    /// Remove a setting from a file
    Unset(ConfigUnsetArgs),
    /// Every setting that is made, with its place
    List(ConfigListArgs),
    /// Everything about one setting: type, default, and what each layer says
    Explain(ConfigKeyArgs),
    /// Look for what is wrong in the settings files
    Validate(ConfigValidateArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ConfigKeyArgs {
    /// The dotted key, such as `review.models.codex`
    pub(crate) key: String,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigSetArgs {
    /// The dotted key, such as `review.models.codex`
    pub(crate) key: String,
    /// The value: a text, `true`, a number, a list (`a,b` or JSON); `null` removes the setting
    #[arg(allow_negative_numbers = true)]
    pub(crate) value: String,
    #[command(flatten)]
    pub(crate) layer: ConfigLayerArg,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigUnsetArgs {
    /// The dotted key, such as `review.models.codex`
    pub(crate) key: String,
    #[command(flatten)]
    pub(crate) layer: ConfigLayerArg,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigLayerArg {
    /// The file to change [default: the project's, in a project; the user's for what only the user
    /// may set]
    #[arg(long, value_enum, value_name = "LAYER")]
    pub(crate) layer: Option<LayerWord>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayerWord {
    /// `~/.gsd/defaults.json`
    User,
    /// `.planning/config.json`
    Project,
    /// `.planning/workstreams/<GSD_WORKSTREAM>/config.json`
    Workstream,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigListArgs {
    /// Only keys that are this one or stand below it
    pub(crate) prefix: Option<String>,
    /// Also settings that nobody makes, with their defaults
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigValidateArgs {
    /// Every warning is an error
    #[arg(long)]
    pub(crate) strict: bool,
    /// What to print
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigGetCompatArgs {
    pub(crate) key: String,
    /// What to print if there is no such setting
    #[arg(long, num_args = 0..=1, default_missing_value = "", value_name = "VALUE")]
    pub(crate) default: Option<String>,
    /// A text without its quotes
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigSetCompatArgs {
    pub(crate) key: String,
    #[arg(allow_negative_numbers = true)]
    pub(crate) value: String,
    /// `key=value` instead of JSON
    #[arg(long)]
    pub(crate) raw: bool,
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

/// Reads `90s`, `15m`, `1h30m`: whole numbers with units, the larger unit first.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str = "expected a duration such as 90s, 15m or 1h30m";
    let mut rest = text;
    let mut seconds: u64 = 0;
    for (unit, factor) in [("h", 3600), ("m", 60), ("s", 1)] {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 && rest[digits..].starts_with(unit) {
            let count: u64 = rest[..digits].parse().map_err(|_| EXPECTED.to_owned())?;
            seconds = count
                .checked_mul(factor)
                .and_then(|more| seconds.checked_add(more))
                .ok_or(EXPECTED)?;
            rest = &rest[digits + unit.len()..];
        }
    }
    // A year is longer than any review, and far below where clocks overflow.
    match (rest.is_empty(), seconds) {
        (true, 1..=31_536_000) => Ok(Duration::from_secs(seconds)),
        _ => Err(EXPECTED.to_owned()),
    }
}

/// A name of a list: an empty one is a variable that was not set, and asks for nobody, not for all.
fn parse_name(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a name is missing".to_owned()),
        name => Ok(name.to_owned()),
    }
}

fn parse_folder(text: &str) -> Result<Utf8PathBuf, String> {
    if text.is_empty() { Err("a directory is missing".to_owned()) } else { Ok(text.into()) }
}

fn parse_lane_timeout(text: &str) -> Result<(String, Duration), String> {
    let (slug, duration) =
        text.split_once('=').ok_or("expected SLUG=DUR, such as codex=20m".to_owned())?;
    if slug.is_empty() {
        return Err("expected a slug before `=`".to_owned());
    }
    Ok((slug.to_ascii_lowercase(), parse_duration(duration)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let seconds = |text| parse_duration(text).ok().map(|d| d.as_secs());
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("15m"), Some(900));
        assert_eq!(seconds("1h30m"), Some(5400));
        assert_eq!(seconds("1h1s"), Some(3601));
        for bad in ["", "0s", "5", "m", "1m1h", "1.5h", "-1s", "1d", "99999999999999999999s", "1s "]
        {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
