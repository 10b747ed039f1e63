//! One file for each command: thin, it calls the engine and chooses words.

mod capability;
mod completions;
mod config;
mod doctor;
mod explain;
mod lane;
mod lanes_catalog;
mod man;
mod plan_lint;
mod prompt_budget;
mod registry;
mod registry_index;
mod review;

use crate::Program;
use crate::args::{Cli, Command};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::parse::{Switch, There, definition, parse, parse_call};
use crate::tools::{self, Asked};
use crate::ui::{Ui, put};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::config::Flags;
use gsd_engine::lane::descriptor::rules::RESERVED_FLAGS;
use gsd_engine::lane::{LazyRoster, Roster};
use gsd_io::env::Env;
use gsd_io::fs;
use gsd_io::process::{self, guard};

/// The version that `engines.gsd` ranges are checked against.
pub(crate) const CONTRACT_VERSION: &str = gsd_engine::manifest::HOST_CONTRACT;

/// What every command is given.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) env: Env,
    /// The folder that holds `.planning`, or would.
    pub(crate) root: Utf8PathBuf,
    /// What `--project` names, else the current folder: paths that are typed are seen from there.
    pub(crate) seen_from: Utf8PathBuf,
    pub(crate) program: Program,
    roster: LazyRoster,
    /// The lanes' flags, for help and completions; empty where no command of the line has any.
    pub(crate) switches: Vec<Switch>,
    /// Slugs of the lanes whose flags were given, in roster order.
    pub(crate) flagged: Vec<String>,
    /// What `--config` says.
    pub(crate) settings: Flags,
}

impl Context {
    /// Every lane that there is. Only those who ask pay for reading them.
    pub(crate) fn roster(&self) -> &LazyRoster {
        &self.roster
    }
}

type Outcome = Result<ExitStatus, CommandError>;

/// Runs the program from the captured environment to its exit status.
pub(crate) fn run(program: Program) -> ExitStatus {
    let env = match Env::capture() {
        Ok(env) => env,
        Err(error) => {
            let error = CommandError::from_error(ExitStatus::Diagnostics, "environment", &error);
            return too_early(program, &error);
        }
    };
    let words = match gsd_io::env::arguments() {
        Ok(words) => words,
        Err(word) => {
            let message = format!("the argument `{word}` is not UTF-8");
            let error = CommandError::new(ExitStatus::Usage, "usage", message);
            return too_early(program, &error);
        }
    };
    // Not a command of the definition: only the program itself asks for it.
    if let [_, word, run] = words.as_slice()
        && word == guard::WORD
    {
        guard::serve(run);
        return ExitStatus::Done;
    }
    let program = called_by(program, &words);
    // Asked by every script that looks for the program: nothing else is read for it.
    if let [_, word] = words.as_slice()
        && matches!(word.as_str(), "--version" | "-V")
    {
        return print(&format!("{}\n", version_line(program)), ExitStatus::Done);
    }
    let Asked { words, pick, json_errors } = match program {
        Program::Gsd => Asked { words, ..Asked::default() },
        Program::GsdTools => tools::read(words),
    };
    // A project's overlays may bring lanes, and lanes bring flags: the project is known first.
    let given = crate::parse::project(&words);
    let root = project_root(&env, given.as_deref());
    let seen_from = if given.is_some() { root.clone() } else { env.cwd().to_owned() };
    let asks = |options: &[&str]| words.iter().any(|word| options.contains(&word.as_str()));
    let (for_help, for_json) = (asks(&["-h", "--help", "help"]), asks(&["--json"]));
    let roster = lanes(&env, &root);
    let mut switches = vec![];
    let parsed = match parse_call(program, &words) {
        Some(parsed) => Ok(parsed),
        None => {
            if for_help || may_have_lane_flags(&words) {
                switches = flags_of(&roster);
            }
            if for_help {
                look_for_programs(&mut switches, &roster, &env);
            }
            parse(program, &switches, words)
        }
    };
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) if json_errors && error.use_stderr() => return usage_as_line(&error),
        Err(error) if for_json && program == Program::Gsd && error.use_stderr() => {
            return usage_as_json(&error);
        }
        Err(error) => return show_clap(&error),
    };
    let Cli { global, command } = parsed.cli;
    let ui = Ui::new(&global, &env).spelled(program, pick, json_errors);
    if global.version {
        return version(&ui, program);
    }
    let flagged = parsed.flagged;
    let settings = Flags::default();
    let mut context =
        Context { env, root, seen_from, program, roster, switches, flagged, settings };
    let settings = config::flags(&context, &global.settings);
    let outcome = match (settings, command) {
        (Err(error), _) => Err(error),
        (Ok(settings), Some(command)) => {
            context.settings = settings;
            dispatch(&ui, &context, command)
        }
        (Ok(_), None) => {
            let help = definition(program, &context.switches).render_help().to_string();
            if ui.json {
                let error = CommandError::new(ExitStatus::Usage, "usage", "a command is missing");
                Err(error.detail("text", help))
            } else {
                ui.data(&help);
                Ok(ExitStatus::Usage)
            }
        }
    };
    let status = match outcome {
        Ok(status) => status,
        Err(error) => {
            ui.error(&error);
            error.status
        }
    };
    match ui.lost() {
        Some(why) => lost(why, status),
        None => status,
    }
}

/// A failure before anything is known but the words.
fn too_early(program: Program, error: &CommandError) -> ExitStatus {
    if program == Program::Gsd && gsd_io::env::is_among_arguments("--json") {
        let document = serde_json::json!({
            "ok": false, "code": error.code, "message": error.message,
            "details": { "causes": error.causes },
        });
        return print(&format!("{document:#}\n"), error.status);
    }
    let message = gsd_engine::text::printable(&error.message, 400);
    eprint(&format!("error: {message}\n"));
    error.status
}

/// Says that data did not reach stdout. What had failed already has failed for its own reason.
fn lost(why: &str, status: ExitStatus) -> ExitStatus {
    eprint(&format!("error: the output could not be written: {why}\n"));
    if status == ExitStatus::Done { ExitStatus::Diagnostics } else { status }
}

/// Prints data where there is no [`Ui`] yet.
fn print(text: &str, status: ExitStatus) -> ExitStatus {
    match put(text) {
        Ok(()) => status,
        Err(why) => lost(&why, status),
    }
}

fn dispatch(ui: &Ui, context: &Context, command: Command) -> Outcome {
    match command {
        Command::Review(args) => review::run(ui, context, *args),
        Command::Lane(args) => lane::run(ui, context, &args),
        Command::PlanLint(args) => plan_lint::run(ui, context, &args),
        Command::Capability(args) => capability::run(ui, context, &args),
        Command::Registry(args) => registry::run(ui, context, &args),
        Command::RegistryIndex(args) => registry_index::run(ui, context, &args),
        Command::LanesCatalog(args) => lanes_catalog::run(ui, context, &args),
        Command::Config(args) => config::run(ui, context, &args),
        Command::ConfigGet(args) => config::get_compat(ui, context, &args),
        Command::ConfigSet(args) => config::set_compat(ui, context, &args),
        Command::PromptBudget(args) => prompt_budget::run(ui, context, &args),
        Command::Explain(args) => explain::run(ui, context, &args),
        Command::Doctor => doctor::run(ui, context),
        Command::Completions(args) => completions::run(ui, context, &args),
        Command::Man => man::run(ui, context),
    }
}

/// The lanes of a project, not read yet.
fn lanes(env: &Env, root: &Utf8Path) -> LazyRoster {
    let (env, root) = (env.clone(), root.to_owned());
    LazyRoster::new(Box::new(move || capability::lanes(&env, &root)))
}

/// Whether a command that takes lanes' flags, or shows them, may be among the words.
fn may_have_lane_flags(words: &[String]) -> bool {
    let commands = ["review", "lane", "review-lane", "completions", "man"];
    words.iter().any(|word| commands.contains(&word.as_str()))
}

/// The flags of every lane that is declared, and of what is withheld: who names that is told why.
pub(crate) fn flags_of(roster: &Roster) -> Vec<Switch> {
    let mut switches: Vec<Switch> = roster
        .iter()
        .map(|lane| Switch {
            slug: lane.slug().to_string(),
            heading: lane.descriptor.heading.as_str().to_owned(),
            flags: lane.descriptor.flags.iter().map(ToString::to_string).collect(),
            there: There::Unsaid,
        })
        .collect();
    for withheld in roster.withheld() {
        let taken = |flag: &String| {
            RESERVED_FLAGS.contains(&flag.as_str())
                || switches.iter().any(|switch| switch.flags.contains(flag))
        };
        let flags: Vec<String> = withheld.flags().into_iter().filter(|f| !taken(f)).collect();
        if flags.is_empty() || switches.iter().any(|switch| switch.slug == withheld.name()) {
            continue;
        }
        let there = if withheld.descriptor.is_some() { There::Blocked } else { There::Unread };
        let (slug, heading) = (withheld.name().to_owned(), withheld.heading().to_owned());
        switches.push(Switch { slug, heading, flags, there });
    }
    switches
}

/// Says of each lane that is a program whether it is on PATH. Starts nothing and asks nobody, so
/// that help stays as quick as it should be.
fn look_for_programs(switches: &mut [Switch], roster: &Roster, env: &Env) {
    for (switch, lane) in switches.iter_mut().zip(roster.iter()) {
        if let Some(program) = lane.descriptor.program() {
            let found = process::which(program, env).is_ok();
            switch.there = if found { There::OnPath } else { There::NotOnPath };
        }
    }
}

/// The program as records name it.
fn tool() -> gsd_engine::review::record::Tool {
    gsd_engine::review::record::Tool {
        name: "gsd".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        contract: CONTRACT_VERSION.to_owned(),
    }
}

fn version_line(program: Program) -> String {
    let name = match program {
        Program::Gsd => "gsd",
        Program::GsdTools => "gsd-tools",
    };
    let version = env!("CARGO_PKG_VERSION");
    format!("{name} {version} (host contract {CONTRACT_VERSION})")
}

fn version(ui: &Ui, program: Program) -> ExitStatus {
    let version = env!("CARGO_PKG_VERSION");
    if ui.json {
        let details = serde_json::json!({ "version": version, "contract": CONTRACT_VERSION });
        ui.success(details);
    } else {
        ui.line(version_line(program));
    }
    ExitStatus::Done
}

/// clap's own words: help goes to stdout and is no error, everything else is usage.
fn show_clap(error: &clap::Error) -> ExitStatus {
    match error.print() {
        _ if error.use_stderr() => ExitStatus::Usage,
        // A reader that has seen enough is no fault.
        Err(why) if why.kind() != std::io::ErrorKind::BrokenPipe => {
            lost(&why.to_string(), ExitStatus::Done)
        }
        // What is still kept back is written now, or said to be lost.
        Ok(()) | Err(_) => print("", ExitStatus::Done),
    }
}

/// The same program is `gsd-tools` when it is called by that name, through a link for example.
fn called_by(built: Program, words: &[String]) -> Program {
    match words.first().and_then(|word| Utf8Path::new(word).file_stem()) {
        Some("gsd-tools") => Program::GsdTools,
        Some(_) | None => built,
    }
}

/// What clap has to say: its first line without the word "error", and the whole.
fn usage_text(error: &clap::Error) -> (String, String) {
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    (first.strip_prefix("error: ").unwrap_or(first).to_owned(), text)
}

/// What clap has to say, as the one line of JSON that `--json-errors` asks for.
fn usage_as_line(error: &clap::Error) -> ExitStatus {
    let (message, _) = usage_text(error);
    let line = serde_json::json!({ "ok": false, "reason": "usage", "message": message });
    eprint(&format!("{line}\n"));
    ExitStatus::Usage
}

/// What is wrong with a command line, as every other failure in `--json` mode.
fn usage_as_json(error: &clap::Error) -> ExitStatus {
    let (message, text) = usage_text(error);
    let document = serde_json::json!({
        "ok": false,
        "code": "usage",
        "message": message,
        "details": { "text": text },
    });
    print(&format!("{document:#}\n"), ExitStatus::Usage)
}

/// `-C`, else the nearest folder upwards with `.planning`, else the root of the git work tree,
/// else the working directory.
fn project_root(env: &Env, given: Option<&Utf8Path>) -> Utf8PathBuf {
    if let Some(given) = given {
        let path = env.absolute(given);
        return fs::canonical(&path).unwrap_or(path);
    }
    let upwards =
        |name: &str| env.cwd().ancestors().find(|dir| fs::kind(&dir.join(name)).is_some());
    upwards(".planning").or_else(|| upwards(".git")).unwrap_or(env.cwd()).to_owned()
}

/// A bug of ours: one line to report, nothing of the build machine.
pub(crate) fn report_bug(what: &str) {
    let what = gsd_engine::text::printable(what, 300);
    eprint(&format!(
        "error: gsd has a bug: {what}\nhint: please report it, with the command that you typed and \
         the line above\n"
    ));
}

fn eprint(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().write_all(text.as_bytes());
}
