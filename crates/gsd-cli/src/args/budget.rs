//! `prompt-budget`: the options that existing workflows give.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct PromptBudgetArgs {
    /// Tokens that the prompt may have
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,
    /// What the reviewer is asked to do
    #[arg(long, value_name = "FILE")]
    pub(crate) instructions_file: Utf8PathBuf,
    /// The phase on the roadmap
    #[arg(long, value_name = "FILE")]
    pub(crate) roadmap_file: Utf8PathBuf,
    /// A plan; may be repeated
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) plan_file: Vec<Utf8PathBuf>,
    /// PROJECT.md
    #[arg(long, value_name = "FILE")]
    pub(crate) project_file: Option<Utf8PathBuf>,
    /// The decisions of the user
    #[arg(long, value_name = "FILE")]
    pub(crate) context_file: Option<Utf8PathBuf>,
    /// What was found out
    #[arg(long, value_name = "FILE")]
    pub(crate) research_file: Option<Utf8PathBuf>,
    /// The requirements
    #[arg(long, value_name = "FILE")]
    pub(crate) requirements_file: Option<Utf8PathBuf>,
    /// Where the prompt is written
    #[arg(long, value_name = "FILE")]
    pub(crate) output_prompt: Utf8PathBuf,
    /// Where it is written what was cut
    #[arg(long, value_name = "FILE")]
    pub(crate) output_metadata: Utf8PathBuf,
    /// Percent of the budget that stay free
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u64).range(0..100))]
    pub(crate) safety_margin_pct: u64,
    /// Lines of PROJECT.md that stay longest
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) project_md_head_lines: usize,
    /// How to cut [default: compatible for `gsd-tools`, monotone for `gsd`]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) mode: Option<CutMode>,
}

/// How a prompt is cut to a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CutMode {
    /// As existing workflows know it: plans first
    Compatible,
    /// More budget never keeps less, and plans are cut last
    Monotone,
}
