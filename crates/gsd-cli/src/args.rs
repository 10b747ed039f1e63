//! The shape of the command line: clap types only. What a command does stands in `commands/`.

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
    #[arg(short = 'C', long = "project", global = true, value_name = "DIR")]
    pub(crate) project: Option<Utf8PathBuf>,
    /// One JSON document on stdout, nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: Color,
    /// Say only what went wrong
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// No live table, one line per change
    #[arg(long, global = true)]
    pub(crate) no_progress: bool,
    /// Print the versions
    #[arg(short = 'V', long, global = true)]
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
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
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
