//! From words to [`Cli`]: the lanes' own flags are added to the command before it parses.
//!
//! A first pass looks for `-C` only, since a project's overlays may bring lanes of their own.

mod exits;
mod suggest;

use crate::Program;
use crate::args::{self, Cli, LaneArgs, LaneCommand, ReviewArgs, ReviewCommand};
use camino::Utf8PathBuf;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, CommandFactory, FromArgMatches};

/// What the command line knows of a lane: the flags that select it.
#[derive(Debug, Clone)]
pub(crate) struct Switch {
    pub(crate) slug: String,
    pub(crate) heading: String,
    /// With their leading `--`; the first one is shown, the others are aliases.
    pub(crate) flags: Vec<String>,
    pub(crate) there: There,
}

/// What help says of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum There {
    /// Nobody looked, or it has no program to look for.
    Unsaid,
    OnPath,
    NotOnPath,
    /// It is installed and may not be used.
    Blocked,
    /// It may not be used, and nobody may say that it is a lane: help is silent about it.
    Unread,
}

/// A parsed command line.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) cli: Cli,
    /// Slugs of the lanes whose flags were given, in roster order.
    pub(crate) flagged: Vec<String>,
}

/// The project that the words name, found before anything else is understood. Where a word is the
/// value of another option, the second pass says what is wrong with it.
pub(crate) fn project(words: &[String]) -> Option<Utf8PathBuf> {
    let mut words = words.iter().skip(1).take_while(|word| *word != "--");
    let mut found = None;
    while let Some(word) = words.next() {
        if word == "-C" || word == "--project" {
            found = words.next().map(String::as_str);
        } else if let Some(value) = word.strip_prefix("--project=").or(word.strip_prefix("-C")) {
            found = Some(value.strip_prefix('=').unwrap_or(value));
        }
    }
    found.map(Utf8PathBuf::from)
}

/// The whole definition, with one flag for each lane and, where there are any, the exit codes of
/// reviews.
pub(crate) fn definition(program: Program, switches: &[Switch]) -> Command {
    let name = match program {
        Program::Gsd => "gsd",
        Program::GsdTools => "gsd-tools",
    };
    let command = Cli::command().name(name).bin_name(name);
    if switches.is_empty() {
        return command;
    }
    let plan = |plan| add_lane_flags(plan, switches);
    command
        .mut_subcommand("review", |review| {
            let review = add_lane_flags(at_once::<ReviewArgs>(review), switches)
                .mut_subcommand("plan", plan)
                .mut_subcommand("prepare", plan)
                .after_help(exits::help(exits::REVIEW));
            exits::VERBS.iter().fold(review, |review, (verb, codes)| {
                review.mut_subcommand(*verb, |verb| verb.after_help(exits::help(codes)))
            })
        })
        .mut_subcommand("lane", |lane| at_once::<LaneArgs>(lane).mut_subcommand("plan", plan))
}

/// A command whose options are made right away, so that more can be added to them.
fn at_once<A: Args>(command: Command) -> Command {
    let about = command.get_about().cloned().unwrap_or_default();
    A::augment_args(command.defer(|command| command)).about(about)
}

fn add_lane_flags(mut command: Command, switches: &[Switch]) -> Command {
    for lane in switches {
        let mut flags = lane.flags.iter().map(|flag| flag.trim_start_matches('-').to_owned());
        let Some(first) = flags.next() else { continue };
        let help = match lane.there {
            There::OnPath => format!("Ask {} (here)", lane.heading),
            There::NotOnPath => format!("Ask {} (not on PATH)", lane.heading),
            There::Blocked => format!("Ask {} (blocked)", lane.heading),
            There::Unsaid | There::Unread => format!("Ask {}", lane.heading),
        };
        let arg = Arg::new(lane_id(&lane.slug))
            .long(first)
            .visible_aliases(flags)
            .help(help)
            .hide(lane.there == There::Unread)
            .help_heading("Lanes")
            .action(ArgAction::SetTrue);
        command = command.arg(arg);
    }
    command
}

fn lane_id(slug: &str) -> String {
    format!("lane:{slug}")
}

/// Parses; an error holds what clap wants to say (help included).
pub(crate) fn parse(
    program: Program,
    switches: &[Switch],
    words: Vec<String>,
) -> Result<Parsed, clap::Error> {
    let mut command = definition(program, switches);
    let changes = words.iter().any(|word| word == "set" || word == "unset");
    let matches = command.try_get_matches_from_mut(words).map_err(|error| {
        let error = suggest::without_hidden_names(error, &command);
        if changes { suggest::with_layer(error) } else { error }
    })?;
    let flagged = switches
        .iter()
        .map(|lane| lane.slug.clone())
        .filter(|slug| lane_flag_given(&matches, slug))
        .collect();
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    Ok(Parsed { cli, flagged })
}

/// Parses the call of one lane, which takes no lane's flag, so that no lane need be read for it.
/// `None` for every other line, and for what must be said about this one with all flags in view.
pub(crate) fn parse_call(program: Program, words: &[String]) -> Option<Parsed> {
    if !words.iter().any(|word| word == "invoke") {
        return None;
    }
    let parsed = parse(program, &[], words.to_vec()).ok()?;
    let is_call = match &parsed.cli.command {
        Some(args::Command::Lane(args)) => matches!(args.command, LaneCommand::Invoke(_)),
        Some(args::Command::Review(args)) => {
            matches!(args.command, Some(ReviewCommand::Invoke(_)))
        }
        Some(_) | None => false,
    };
    is_call.then_some(parsed)
}

fn lane_flag_given(matches: &ArgMatches, slug: &str) -> bool {
    let id = lane_id(slug);
    let mut level = matches;
    while let Some((_, inner)) = level.subcommand() {
        if matches!(inner.try_get_one::<bool>(&id), Ok(Some(true))) {
            return true;
        }
        level = inner;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_found_in_any_spelling() {
        let of = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            project(&words).map(Utf8PathBuf::into_string)
        };
        for words in ["gsd -C p lane list", "gsd lane -Cp list", "gsd lane list --project=p"] {
            assert_eq!(of(words).as_deref(), Some("p"), "{words}");
        }
        assert_eq!(of("gsd lane list --project p").as_deref(), Some("p"));
        assert_eq!(of("gsd lane list"), None);
        assert_eq!(of("gsd lane show -- -C p"), None);
    }
}
