//! The documents of the public contract for lanes: the rows of a plan, the result of a call, and
//! the words that existing callers know.
//!
//! Only shapes are here. What a lane is and what became of it is decided elsewhere.

use super::InvokeSetting;
use super::about::millis;
use super::planner::{Planned, Planner, offer};
use super::prepare::Ask;
use super::preview::located;
use super::record;
use crate::diag::Diagnostic;
use crate::lane::descriptor::PromptChannel;
use crate::lane::egress;
use crate::lane::selection::Missing;
use crate::lane::settings::{Reviewers, Source};
use crate::lane::{CallPlan, During, Lane, LanePlan, Reason, State};
use gsd_io::env::Env;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The prompt in a folder that a caller of the contract made.
pub const PROMPT_FILE: &str = "gsd-review-prompt.md";

/// Plans lanes outside a run: all of them, or those that are named, in that order.
pub fn plan_lanes(
    setting: InvokeSetting<'_>,
    selected: &[String],
    lane_timeouts: &[(String, Duration)],
    found: &mut Vec<Diagnostic>,
) -> Vec<(String, Option<Planned>)> {
    let ask =
        Ask { named: vec![], all: false, exclude: vec![], missing: Missing::Note, lane_timeouts };
    let InvokeSetting { env, root, run_dir, config, roster, .. } = setting;
    let approvals = egress::approvals(env);
    let reviewers = Reviewers::default();
    let planner = Planner {
        root,
        config,
        approvals: &approvals,
        reviewers: &reviewers,
        ask: &ask,
        run_dir,
        offer: offer(),
    };
    let mut plan = |lane: &Lane| Some(planner.plan(lane, None, found));
    if selected.is_empty() {
        return roster.iter().map(|lane| (lane.slug().to_string(), plan(lane))).collect();
    }
    selected.iter().map(|slug| (slug.clone(), roster.by_slug(slug).and_then(&mut plan))).collect()
}

/// One row of a plan. `run_dir` is the folder as the caller wrote it.
pub fn plan_row(slug: &str, planned: Option<&Planned>, run_dir: &str) -> Value {
    match planned {
        None => undeclared(slug, "no such declared lane"),
        Some(Err(report)) => json!({
            "slug": slug,
            "ok": false,
            "reason": reason(report.state, report.reason, report.during, None, None),
            "detail": report.message,
        }),
        Some(Ok(plan)) => {
            let path = format!("{}/{PROMPT_FILE}", run_dir.trim_end_matches('/'));
            json!({
                "slug": slug,
                "ok": true,
                "section": plan.heading,
                "transport": plan.transport().word(),
                "promptBudget": plan.budget,
                "promptPath": is_sent(plan).then_some(path),
            })
        }
    }
}

/// What `plan --full` adds: all that is decided about the call, and where each value comes from.
pub fn more_of_plan(env: &Env, plan: &LanePlan) -> Map<String, Value> {
    let sourced =
        |value: Value, source: &Source| json!({ "value": value, "source": source.to_string() });
    let model = plan.model.as_ref().map(|model| sourced(json!(model.value), &model.source));
    let effort =
        plan.effort.as_ref().map(|level| sourced(json!(level.value.word()), &level.source));
    let mut more = Map::new();
    let mut add = |name: &str, value: Value| more.insert(name.to_owned(), value);
    add("model", json!(model));
    add("effort", json!(effort));
    add("timeout", sourced(json!(millis(plan.time_limit.value)), &plan.time_limit.source));
    add("channel", json!(plan.channel()));
    add("destination", json!(plan.destination()));
    let (path, argv, names) = match &plan.call {
        CallPlan::Spawn(spawn) => (located(env, spawn), spawn.argv("<prompt>"), spawn.env.clone()),
        CallPlan::OpenaiHttp(http) => (None, vec![], http.api_key_env.iter().cloned().collect()),
    };
    add("path", json!(path));
    add("argv", json!(argv));
    add("env", json!(names.iter().map(|name| name.as_str()).collect::<Vec<_>>()));
    add("reviewPath", json!(plan.artefacts.review.as_str()));
    add("errPath", json!(plan.artefacts.stderr.as_str()));
    add("notes", json!(plan.notes));
    more
}

/// What a result says beyond the contract.
pub fn more_of_result(invoked: &super::Invoked) -> Map<String, Value> {
    let lane = &invoked.lane;
    let mut more = Map::new();
    let mut add = |name: &str, value: Value| more.insert(name.to_owned(), value);
    add("identity", json!(lane.identity));
    add("state", json!(lane.state.word()));
    add("state_reason", json!(lane.reason.map(Reason::word)));
    add("during", json!(lane.during.map(During::word)));
    add("message", json!(lane.message));
    add("remedy", json!(lane.remedy));
    add("proof", json!(lane.proof.word()));
    add("exit_status", json!(lane.exit_status));
    add("signal", json!(lane.signal));
    add("http_status", json!(lane.http_status));
    add("duration_ms", json!(lane.timing.elapsed_ms));
    add("bytes_out", json!(lane.sizes.output));
    add("truncated", json!(lane.reason == Some(Reason::Truncated)));
    add("model_requested", json!(lane.model_requested));
    add("model_served", json!(lane.model_served));
    add("destination", json!(lane.destination));
    add("confinement", json!(lane.confinement));
    add("review_path", json!(invoked.review.as_str()));
    add("warnings", json!(lane.warnings));
    more
}

/// Whether the text of the prompt goes to the lane, so that its caller must have it.
fn is_sent(plan: &LanePlan) -> bool {
    match &plan.call {
        CallPlan::Spawn(spawn) => spawn.prompt == PromptChannel::Stdin,
        CallPlan::OpenaiHttp(_) => true,
    }
}

/// The row, or the result, of a slug that nobody declares.
pub fn undeclared(slug: &str, detail: &str) -> Value {
    json!({ "slug": slug, "ok": false, "reason": "malformed_lane", "detail": detail })
}

/// The result of a lane that was not even tried.
pub fn not_tried(slug: &str, reason: &str, detail: &str) -> Value {
    json!({ "slug": slug, "stubbed": false, "ok": false, "reason": reason, "detail": detail })
}

/// The result of a call: `ok` says that the lane was started, `stubbed` that it brought nothing
/// that counts.
pub fn result(lane: &record::Lane, lacks: Option<&str>) -> Value {
    if ran(lane) {
        return json!({ "slug": lane.slug, "ok": true, "stubbed": !lane.state.counts() });
    }
    let reason = reason(lane.state, lane.reason, lane.during, Some(lane.transport.as_str()), lacks);
    not_tried(&lane.slug, &reason, lane.message.as_deref().unwrap_or_default())
}

/// Whether a lane was started: one that could not be, that did not answer when it was looked for, or
/// that was interrupted, was not.
pub fn ran(lane: &record::Lane) -> bool {
    let before = matches!(lane.during, Some(During::Probe | During::Start));
    lane.state.ran() && lane.state != State::Cancelled && !before
}

/// The word that callers of the contract know; for what it has no word for, ours.
fn reason(
    state: State,
    reason: Option<Reason>,
    during: Option<During>,
    transport: Option<&str>,
    lacks: Option<&str>,
) -> String {
    let server = transport == Some("openai-http");
    let word = match reason {
        Some(Reason::NotFound | Reason::NotExecutable) if lacks.is_some() => {
            "missing_required_binary"
        }
        Some(Reason::NotFound | Reason::NotExecutable) => "missing_binary",
        Some(Reason::HostChanged) => "egress_host_changed",
        Some(Reason::OverBudget) => "budget_too_small",
        Some(_) if server && state == State::Unavailable => "host_unreachable",
        Some(Reason::TimeLimit) if server && during == Some(During::Probe) => "host_unreachable",
        Some(Reason::WrongProgram) => "probe_failed",
        Some(Reason::TimeLimit) if during == Some(During::Probe) => "probe_timeout",
        // Without a transport nothing was planned: the manifest or a setting is at fault.
        None | Some(_) if transport.is_none() => "malformed_lane",
        Some(other) => return other.word().replace('-', "_"),
        None => "probe_failed",
    };
    word.to_owned()
}
