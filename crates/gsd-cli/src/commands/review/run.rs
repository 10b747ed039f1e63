//! `gsd review`: prepares, runs with progress, writes the report, decides the exit code.

use super::{ask, phase_error, refuse, remarks, run_dir_error};
use crate::args::{FailOn, Format, ReportArgs, ReviewRunArgs};
use crate::commands::{Context, Outcome, tool};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::output::file::{OutputFile, refused};
use crate::output::progress::Progress;
use crate::output::summary::{self, Shown};
use crate::ui::Ui;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::lane::selection::Missing;
use gsd_engine::lane::settings::RunSettings;
use gsd_engine::lane::{Proof, State};
use gsd_engine::review::clusters;
use gsd_engine::review::record::{Lane, Record, Severity};
use gsd_engine::review::report::{self, Format as Rendering};
use gsd_engine::review::{self, Choice, Event, Keep, Options, Prepared, Project, RunDir, Setting};
use gsd_io::cancel::Cancel;
use gsd_io::process::guard;
use gsd_io::{clock, fs, signal};
use serde_json::json;
use std::sync::mpsc;
use std::time::Duration;

pub(super) fn run(ui: &Ui, context: &Context, args: &ReviewRunArgs) -> Outcome {
    let missing = if args.only_available { Missing::Note } else { Missing::Error };
    let ask = ask(context, &args.selection, missing, &args.lane_timeout);
    let phase = args.phase.phase.as_deref();
    if args.dry_run {
        return super::plan::show(ui, context, phase, &ask);
    }
    let project = review::open(&context.env, &context.root, phase, &context.settings)
        .map_err(|error| phase_error(&error))?;
    let outputs = Outputs::of(context, &args.output, &project)?;
    let directory = project.phase.directory.path.as_str();
    let given = args.run_dir.as_ref().map(|dir| context.env.absolute(dir));
    let choice = match (&given, args.resume) {
        (Some(path), _) => Choice::Given(path),
        (None, true) => Choice::Newest,
        (None, false) => Choice::New,
    };
    let run_dir = review::open_run(&context.env, &context.root, directory, choice)
        .map_err(|error| run_dir_error(&error))?;
    // Only SIGKILL needs it; if it does not start, that is no reason not to review.
    let _guard = guard::start(context.env.own_executable()).ok();
    let cancel = Cancel::new();
    let _watching = signal::watch(&cancel)
        .map_err(|error| CommandError::from_error(ExitStatus::Diagnostics, "signals", &error))?;
    let prepared =
        review::prepare(&context.env, &project, context.roster(), &ask, &run_dir.path, &cancel)
            .map_err(|error| phase_error(&error))?;
    diagnostics::warn(ui, &prepared.diagnostics);
    for plan in &prepared.unreadable_plans {
        ui.warn(format!("a plan is not reviewed, since it cannot be read: {plan}"));
    }
    remarks(ui, &prepared.selection.warnings, true);
    remarks(ui, &prepared.selection.infos, false);
    if !prepared.selection.errors.is_empty() {
        return Err(refuse(&prepared.selection.errors));
    }

    let mut found = vec![];
    let set = RunSettings::read(&project.config, &mut found);
    diagnostics::warn(ui, &found);
    let at_once = set.concurrency.map(|lanes| usize::try_from(lanes.get()).unwrap_or(usize::MAX));
    let options = Options {
        jobs: args.jobs.map(usize::from).or(at_once),
        deadline: args.deadline.or(set.deadline),
        resume: args.resume,
    };
    let tool = tool();
    let setting = Setting {
        env: &context.env,
        project: &project,
        run_dir: &run_dir,
        cancel: &cancel,
        tool: &tool,
    };
    let record = watch(ui, setting, &prepared, options, &run_dir);
    let status = finish(ui, context, &args.output, &project, &record, &outputs)?;
    if status == ExitStatus::Done {
        run_dir.succeeded(if args.keep_run { Keep::ForGood } else { Keep::UntilTheNext });
    }
    Ok(status)
}

/// The files that the user wants besides the report, looked at before anything runs.
#[derive(Debug)]
pub(super) struct Outputs(Vec<(OutputFile, Rendering)>);

impl Outputs {
    pub(super) fn of(
        context: &Context,
        args: &ReportArgs,
        project: &Project,
    ) -> Result<Self, CommandError> {
        let report = review::report_paths(&project.root, &project.phase.directory);
        let taken = [report.markdown, report.record];
        let wanted = [
            ("--html", &args.html, Rendering::Html),
            ("--sarif", &args.sarif, Rendering::Sarif),
            ("--json-out", &args.json_out, Rendering::Json),
        ];
        let mut files = vec![];
        for (option, path, form) in wanted {
            let Some(path) = path else { continue };
            let file = OutputFile::at(&context.env.absolute(path), &taken)
                .map_err(|message| refused(option, message))?;
            files.push((file, form));
        }
        Ok(Self(files))
    }

    /// Writes them all; the last failure, if there is one.
    fn write(&self, record: &Record) -> Option<CommandError> {
        let mut failed = None;
        for (file, form) in &self.0 {
            if let Err(error) = file.write(report::render(record, *form).as_bytes()) {
                failed = Some(CommandError::from_error(
                    ExitStatus::Diagnostics,
                    "report-not-written",
                    &error,
                ));
            }
        }
        failed
    }
}

/// Runs the engine on a thread of its own, so that the table moves while every lane is silent.
fn watch(
    ui: &Ui,
    setting: Setting<'_>,
    prepared: &Prepared,
    options: Options,
    run_dir: &RunDir,
) -> Record {
    const REDRAW: Duration = Duration::from_millis(200);
    let (sender, receiver) = mpsc::channel::<Event>();
    let log = run_dir.path.join("events.ndjson");
    std::thread::scope(|scope| {
        let engine = scope.spawn(move || {
            review::run(setting, prepared, options, &mut |event| {
                // The receiver lives until this thread is done.
                let _ = sender.send(event);
            })
        });
        let mut progress = Progress::new(ui);
        loop {
            match receiver.recv_timeout(REDRAW) {
                Ok(event) => {
                    let mut line = event.to_json(&clock::timestamp()).to_string();
                    line.push('\n');
                    // The log is for people who look for a fault; a run does not depend on it.
                    let _ = fs::append(&log, line.as_bytes());
                    progress.event(event, clock::now());
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            progress.draw(clock::now());
        }
        match engine.join() {
            Ok(record) => record,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Writes the report of a record, prints it, and says how the program ends.
pub(super) fn finish(
    ui: &Ui,
    context: &Context,
    args: &ReportArgs,
    project: &Project,
    record: &Record,
    outputs: &Outputs,
) -> Outcome {
    // An interrupted run without a single review leaves an earlier report alone.
    // Neither does a run in which nobody was asked; that a lane was blocked is news.
    let told = |lane: &Lane| lane.state.ran() || lane.state == State::Blocked;
    let worth = record.lanes.iter().any(told);
    let write = !args.no_write
        && (worth && !record.run.interrupted || record.lanes.iter().any(|l| l.state.counts()));
    let (record, written) = if write {
        match review::write(&project.root, &project.phase.directory, record) {
            Ok((record, report)) => (record, Ok(Some(report))),
            Err((record, error)) => (record, Err(error)),
        }
    } else {
        (Box::new(record.clone()), Ok(None))
    };
    let mut failed = outputs.write(&record);
    if let Err(error) = &written {
        failed = Some(
            CommandError::from_error(ExitStatus::Diagnostics, "report-not-written", error)
                .hint("the whole report was printed instead"),
        );
    }
    let unread = review::unread_findings(&record);
    let status = status(&record, args.fail_on, failed.is_some(), &unread);
    if args.fail_on != FailOn::Never {
        for (lane, lost) in &unread {
            ui.warn(format_args!(
                "what `{lane}` found is not known in full, so `--fail-on` cannot pass: {lost}"
            ));
        }
    }
    let report = written.as_ref().ok().and_then(Option::as_ref).map(|path| shown(context, path));
    print(ui, context, args, &record, report.as_deref(), failed.as_ref(), status);
    Ok(status)
}

fn print(
    ui: &Ui,
    context: &Context,
    args: &ReportArgs,
    record: &Record,
    report: Option<&str>,
    failed: Option<&CommandError>,
    status: ExitStatus,
) {
    let _ = context;
    if ui.json {
        let text = report::render(record, Rendering::Json);
        let value: serde_json::Value = serde_json::from_str(&text).expect("our own JSON");
        let mut details = serde_json::Map::new();
        details.insert("record".into(), value);
        details.insert("path".into(), json!(report));
        details.insert("exit".into(), json!(status.code()));
        if let Some(error) = failed {
            details.insert("report".into(), json!(report::render(record, Rendering::Markdown)));
            details.insert("causes".into(), json!(error.causes));
            ui.document(&json!({ "ok": false, "code": error.code, "message": error.message, "details": details }));
        } else if status == ExitStatus::Done {
            ui.success(details.into());
        } else {
            ui.document(&json!({
                "ok": false,
                "code": outcome_code(status),
                "message": status.meaning(),
                "details": details,
            }));
        }
        return;
    }
    if let Some(error) = failed {
        // Nothing is lost: what could not be written is printed, whole.
        ui.data(&report::render(record, Rendering::Markdown));
        ui.error(error);
        return;
    }
    match args.format {
        Format::Human if args.no_write && !ui.live => {
            ui.data(&report::render(record, Rendering::Markdown))
        }
        Format::Human => {
            ui.data(&summary::render(ui, record, report, Shown::First, ui.width_out()))
        }
        Format::Json => ui.data(&report::render(record, Rendering::Json)),
        Format::Sarif => ui.data(&report::render(record, Rendering::Sarif)),
        Format::Github => ui.data(&report::render(record, Rendering::Github)),
    }
}

const fn outcome_code(status: ExitStatus) -> &'static str {
    match status {
        ExitStatus::Interrupted => "interrupted",
        ExitStatus::NoReview => "no-review",
        ExitStatus::FindingsAtOrAbove => "findings",
        ExitStatus::SomeFailed => "some-lanes-failed",
        ExitStatus::Done
        | ExitStatus::Diagnostics
        | ExitStatus::Usage
        | ExitStatus::ConsentRequired
        | ExitStatus::Refused
        | ExitStatus::Integrity
        | ExitStatus::Unknown
        | ExitStatus::Corrupt
        | ExitStatus::Busy
        | ExitStatus::SourceUnreachable
        | ExitStatus::LaneCouldNotRun
        | ExitStatus::NotConverged
        | ExitStatus::Escalate
        | ExitStatus::NoVerdict
        | ExitStatus::Bug => "failed",
    }
}

/// The exit code of a run, the first that applies.
fn status(
    record: &Record,
    fail_on: FailOn,
    not_written: bool,
    unread: &[(String, String)],
) -> ExitStatus {
    if record.run.interrupted {
        return ExitStatus::Interrupted;
    }
    let reviewed =
        record.lanes.iter().any(|lane| lane.state.counts() && lane.proof != Proof::NotAsked);
    if !reviewed {
        return ExitStatus::NoReview;
    }
    let least = match fail_on {
        FailOn::High => Some(Severity::High),
        FailOn::Medium => Some(Severity::Medium),
        FailOn::Low => Some(Severity::Low),
        FailOn::Never => None,
    };
    let gates = |severity| record.clusters.iter().any(|found| clusters::gates(found, severity));
    if least.is_some_and(gates) {
        return ExitStatus::FindingsAtOrAbove;
    }
    if not_written {
        return ExitStatus::Diagnostics;
    }
    let failed = record.lanes.iter().any(|lane| {
        matches!(lane.state, State::Failed | State::TimedOut | State::Empty | State::Unproven)
    });
    // What could not be read may be the very finding that was to fail the run.
    let unknown = least.is_some() && !unread.is_empty();
    if failed || unknown { ExitStatus::SomeFailed } else { ExitStatus::Done }
}

/// A path as it should be typed from where the user is.
fn shown(context: &Context, path: &Utf8Path) -> String {
    let absolute: Utf8PathBuf = context.root.join(path);
    absolute.strip_prefix(context.env.cwd()).unwrap_or(&absolute).to_string()
}
