//! The options of the `gsd capability` verbs that read and write manifests.

use super::{
    CapabilityAdoptArgs, CapabilityInstallArgs, CapabilityLockArgs, CapabilityOutdatedArgs,
    CapabilityReconcileArgs, CapabilityRemoveArgs, CapabilitySwitchArgs, CapabilityTrustArgs,
    CapabilityUpdateArgs, Format,
};
use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueEnum};

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
