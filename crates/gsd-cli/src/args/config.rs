//! The options of `gsd config` and of its older spellings.

use super::Format;
use clap::{Args, Subcommand, ValueEnum};

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
