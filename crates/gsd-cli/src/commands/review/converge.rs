//! `gsd review converge`: whether the loop of planning and reviewing is done.
//!
//! stdout has the line and the two sections that existing workflows read; what it means is said on
//! stderr and by the exit code.

use super::phase_error;
use super::render::load;
use crate::args::{ConvergeArgs, OnEscalate};
use crate::commands::{Context, Outcome};
use crate::exit::ExitStatus;
use crate::ui::Ui;
use gsd_engine::review::{self, Bounds, Convergence, Decision, Open, PlanNow};
use gsd_engine::text::printable;
use gsd_io::clock;
use gsd_io::fs::Links;
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, args: &ConvergeArgs) -> Outcome {
    let phase = args.named.as_deref().or(args.phase.phase.as_deref());
    let project = review::open(&context.env, &context.root, phase, &context.settings)
        .map_err(|error| phase_error(&error))?;
    let paths = review::report_paths(&project.root, &project.phase.directory);
    let record = load(&paths.record, Links::Refuse)?;
    let plans: Vec<PlanNow<'_>> = project
        .phase
        .counted()
        .map(|plan| PlanNow {
            path: plan.document.path.as_str(),
            sha256: &plan.document.sha256,
            text: plan.document.file.text(),
        })
        .collect();
    let found = review::converge(
        &record,
        &plans,
        Bounds { cycles: usize::from(args.max_cycles), deadline: args.deadline },
        clock::since_epoch(),
    );
    let status = match (found.decision, args.on_escalate) {
        (Decision::Converged, _) | (Decision::Escalate, OnEscalate::Proceed) => ExitStatus::Done,
        (Decision::Continue | Decision::Stalled, _) => ExitStatus::NotConverged,
        (Decision::Escalate, OnEscalate::Fail) => ExitStatus::Escalate,
        (Decision::Invalid, _) => ExitStatus::NoVerdict,
    };
    if ui.json {
        let details = as_json(&found, args.max_cycles);
        if status == ExitStatus::Done {
            ui.success(details);
        } else {
            ui.document(&json!({
                "ok": false,
                "code": format!("review-{}", found.decision.word()),
                "message": found.why,
                "details": details,
            }));
        }
        return Ok(status);
    }
    ui.line(format_args!(
        "CYCLE_SUMMARY: current_high={} current_actionable={}",
        found.high.len(),
        found.actionable.len()
    ));
    section(ui, "Current HIGH Concerns", &found.high);
    section(ui, "Current Actionable Non-HIGH Concerns", &found.actionable);
    ui.say(format_args!("{}: {}", found.decision.word(), printable(&found.why, 600)));
    let here = ui.program_here();
    let phase = record.phase.number.as_deref().unwrap_or(&record.phase.name);
    ui.say(match found.decision {
        Decision::Converged => format!("cycle {} of {}", found.cycle, args.max_cycles),
        Decision::Continue | Decision::Stalled => format!(
            "cycle {} of {}: mend the plans, or put the id of a concern that is not high into one \
             of them with your answer; then `{here} review --phase {phase}`",
            found.cycle, args.max_cycles
        ),
        Decision::Escalate => "somebody must decide; `--on-escalate proceed` goes on".to_owned(),
        Decision::Invalid => format!("run `{here} review --phase {phase}` again"),
    });
    Ok(status)
}

fn section(ui: &Ui, heading: &str, open: &[Open]) {
    ui.line(format_args!("\n## {heading}\n"));
    if open.is_empty() {
        ui.line("None.");
    }
    for concern in open {
        let id = concern.ids.first().map_or("", String::as_str);
        let plan = concern.plan.as_deref().map(|plan| format!(" {}:", printable(plan, 60)));
        ui.line(format_args!(
            "- [{id}]{} {}",
            plan.unwrap_or_default(),
            printable(&concern.title, 300)
        ));
    }
}

fn as_json(found: &Convergence, max_cycles: u8) -> Value {
    let list = |open: &[Open]| -> Vec<Value> {
        open.iter()
            .map(|concern| {
                json!({
                    "ids": concern.ids,
                    "severity": concern.severity.word(),
                    "plan": concern.plan,
                    "title": concern.title,
                })
            })
            .collect()
    };
    json!({
        "decision": found.decision.word(),
        "why": found.why,
        "cycle": found.cycle,
        "max_cycles": max_cycles,
        "current_high": found.high.len(),
        "current_actionable": found.actionable.len(),
        "high": list(&found.high),
        "actionable": list(&found.actionable),
        "answered": list(&found.answered),
        "totals": found.totals,
    })
}
