//! `gsd doctor`: what works here, what does not, and what to do about it.

mod installed;

use super::{Context, Outcome};
use crate::exit::ExitStatus;
use crate::output::table::hang;
use crate::ui::{Tone, Ui};
use camino::Utf8Path;
use gsd_engine::config;
use gsd_engine::diag::Level;
use gsd_engine::lane::egress;
use gsd_engine::review::{self, LaneStatus};
use gsd_engine::text::printable;
use gsd_io::cancel::Cancel;
use gsd_io::{fs, process, sandbox};
use serde_json::json;

/// One thing that was looked at.
struct Finding {
    subject: &'static str,
    ok: bool,
    /// What is no matter of taste: how the command ends.
    fault: Option<Fault>,
    what: String,
    remedy: Option<String>,
}

/// What nobody can want so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// A file of settings is broken, so that not all that stands in it is in force.
    Settings,
    /// A record of gsd's own cannot be read.
    Record,
}

impl Finding {
    fn good(subject: &'static str, what: impl Into<String>) -> Self {
        Self { subject, ok: true, fault: None, what: what.into(), remedy: None }
    }

    fn bad(subject: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { subject, ok: false, fault: None, what: what.into(), remedy: Some(remedy.into()) }
    }

    fn corrupt(subject: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { fault: Some(Fault::Record), ..Self::bad(subject, what, remedy) }
    }
}

pub(super) fn run(ui: &Ui, context: &Context) -> Outcome {
    let mut findings = vec![project(context)];
    if findings[0].ok {
        findings.push(phase(context));
    }
    findings.extend([git(context), state(context), confinement()]);
    findings.extend(killed_runs(context));
    findings.extend(settings(context));
    findings.push(approvals(context));
    findings.extend(installed::look(context));
    findings.extend(lanes(context));
    Ok(show(ui, &findings))
}

/// `gsd capability doctor`: what is installed, by itself.
pub(super) fn of_installed(ui: &Ui, context: &Context) -> Outcome {
    Ok(show(ui, &installed::look(context)))
}

fn show(ui: &Ui, findings: &[Finding]) -> ExitStatus {
    let fault = findings.iter().filter_map(|finding| finding.fault).max();
    if ui.json {
        let details: Vec<_> = findings
            .iter()
            .map(
                |f| json!({ "subject": f.subject, "ok": f.ok, "what": f.what, "remedy": f.remedy }),
            )
            .collect();
        ui.document(&json!({ "ok": fault.is_none(), "details": details }));
    } else {
        let width = ui.prose_width();
        for finding in findings {
            let (tone, mark) = match (finding.ok, &finding.remedy) {
                (true, None) => (Tone::Good, "✔"),
                (true, Some(_)) => (Tone::Dim, "·"),
                (false, _) => (Tone::Warn, "!"),
            };
            let broken = |text: &str| hang(&printable(text, 300), INDENT, width);
            let what = broken(&finding.what);
            ui.line(format_args!("{} {:<9} {what}", ui.paint(tone, mark), finding.subject));
            if let Some(remedy) = &finding.remedy {
                ui.line(format_args!("{:INDENT$}{}", "", ui.paint(Tone::Dim, &broken(remedy))));
            }
        }
    }
    // Looking is always done, and what is missing here may be wanted so; but nobody should think that
    // all is well where a record or the settings cannot be read.
    match fault {
        None => ExitStatus::Done,
        Some(Fault::Settings) => ExitStatus::Diagnostics,
        Some(Fault::Record) => ExitStatus::Corrupt,
    }
}

/// Where what is told begins: behind the mark and the subject.
const INDENT: usize = 12;

/// What keeps reviewers from changing the project, on this machine.
fn confinement() -> Finding {
    let (what, remedy) = match sandbox::landlock() {
        Some(landlock) => (
            format!("landlock (version {}) and snapshot", landlock.abi),
            (!landlock.stops_truncation())
                .then_some("a file outside can be cut short under it; a later kernel forbids that"),
        ),
        None => (
            "snapshot only: this system has no Landlock".to_owned(),
            Some("landlock needs Linux 5.13 or later with Landlock turned on"),
        ),
    };
    Finding { remedy: remedy.map(str::to_owned), ..Finding::good("confine", what) }
}

fn approvals(context: &Context) -> Finding {
    match egress::approvals(&context.env) {
        Ok(approvals) => match approvals.iter().count() {
            0 => Finding::good("approvals", "none; a server on this machine needs none"),
            count => Finding::good(
                "approvals",
                format!(
                    "{}; see `gsd review trust list`",
                    crate::output::format::count(count, "server")
                ),
            ),
        },
        Err(error) => Finding::bad("approvals", error.to_string(), error.remedy()),
    }
}

/// Prompts that runs left inside the project when they were killed, and which are gone now.
fn killed_runs(context: &Context) -> Option<Finding> {
    let swept = review::sweep_project(&context.root);
    let runs = crate::output::format::count(swept, "run");
    (swept > 0).then(|| {
        Finding::good("swept", format!("what {runs} left in `.planning/.run` when killed"))
    })
}

fn project(context: &Context) -> Finding {
    let planning = context.root.join(".planning");
    match fs::kind(&planning) {
        Some(fs::Kind::Directory) => Finding::good("project", context.root.as_str()),
        Some(_) | None => Finding::bad(
            "project",
            format!("`{}` has no `.planning` folder", context.root),
            "go to a project that has one, or name it with `-C DIR`",
        ),
    }
}

fn phase(context: &Context) -> Finding {
    match review::open(&context.env, &context.root, None, &context.settings) {
        Ok(project) => Finding::good(
            "phase",
            format!(
                "{} is current, {} to review",
                project.phase.directory.path,
                crate::output::format::count(project.phase.counted().count(), "plan")
            ),
        ),
        Err(error) => {
            let error = super::review::phase_error(&error);
            Finding::bad("phase", error.message, error.hint.unwrap_or_default())
        }
    }
}

fn git(context: &Context) -> Finding {
    match process::which("git", &context.env) {
        Ok(path) => Finding::good("git", path.as_str()),
        Err(error) => Finding::bad(
            "git",
            error.to_string(),
            "reviews work without it; the report cannot name the commit",
        ),
    }
}

fn state(context: &Context) -> Finding {
    let Some(home) = context.env.state_home() else {
        return Finding::bad(
            "state",
            "there is no state folder",
            "set HOME or XDG_STATE_HOME to an absolute path",
        );
    };
    let folder = home.join("gsd");
    match writable(&folder) {
        Ok(()) => Finding::good("state", folder.as_str()),
        Err(error) => {
            Finding::bad("state", error, "set XDG_STATE_HOME to a folder that you may write to")
        }
    }
}

fn writable(folder: &Utf8Path) -> Result<(), String> {
    let probe = folder.join(format!(".doctor-{}", gsd_io::random::hex(8)));
    fs::create_private_dir_all(folder).map_err(|error| error.to_string())?;
    fs::write_private(&probe, b"").map_err(|error| error.to_string())?;
    fs::remove_file(&probe).map_err(|error| error.to_string())
}

fn settings(context: &Context) -> Vec<Finding> {
    let found = super::config::faults(context);
    if found.is_empty() {
        return vec![Finding::good("settings", "no fault")];
    }
    found
        .into_iter()
        .map(|diagnostic| {
            let position = diagnostic.at.position();
            let what = format!(
                "{}:{}:{}: {}",
                diagnostic.at.file.name(),
                position.line,
                position.column,
                diagnostic.message
            );
            let remedy =
                diagnostic.help.unwrap_or_else(|| format!("gsd explain {}", diagnostic.rule.code));
            let fault = (diagnostic.level == Level::Error).then_some(Fault::Settings);
            Finding { fault, ..Finding::bad("settings", what, remedy) }
        })
        .collect()
}

fn lanes(context: &Context) -> Vec<Finding> {
    let (config, _) = config::read(&context.env, &context.root, &context.settings);
    let statuses = review::lane_statuses(
        &context.env,
        &context.root,
        &config,
        context.roster(),
        &[],
        &Cancel::new(),
    );
    // What may not be used is told with its capability.
    let in_force = |status: &LaneStatus| context.roster().by_slug(&status.slug).is_some();
    let (absent, others): (Vec<LaneStatus>, Vec<LaneStatus>) =
        statuses.into_iter().filter(in_force).partition(LaneStatus::is_absent);
    let mut findings: Vec<Finding> = others.into_iter().map(lane).collect();
    // What nobody has installed is no fault.
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|status| status.slug.as_str()).collect();
        findings.push(Finding {
            subject: "not here",
            ok: true,
            fault: None,
            what: names.join(", "),
            remedy: Some("`gsd lane list` says why".to_owned()),
        });
    }
    findings
}

fn lane(status: LaneStatus) -> Finding {
    let LaneStatus { slug, destination, state, message, remedy, .. } = status;
    match state {
        None => Finding::good("lane", format!("{slug}: {destination}")),
        Some(state) => Finding::bad(
            "lane",
            format!("{slug}: {}", message.unwrap_or_else(|| state.to_string())),
            remedy.unwrap_or_else(|| format!("gsd lane show {slug}")),
        ),
    }
}
