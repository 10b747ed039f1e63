//! `gsd review trust-host SLUG`: shows what would go where, asks, and records the approval.

use super::trust::{as_json, hosts_error};
use crate::args::ReviewTrustHostArgs;
use crate::commands::{Context, Outcome, lane};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::diagnostics;
use crate::ui::{Tone, Ui};
use camino::Utf8Path;
use gsd_engine::config;
use gsd_engine::lane::confinement::Confinement;
use gsd_engine::lane::egress::{self, Approval, Endpoint, Holds, Hosts, ProxyUse};
use gsd_engine::lane::plan::HttpPlan;
use gsd_engine::lane::{self as lanes, CallPlan, LanePlan, Overrides, RunPaths, settings};
use gsd_engine::text::printable;
use gsd_io::cancel::Cancel;
use gsd_io::{clock, fs, terminal};
use serde_json::{Value, json};

/// What goes to a server that reviews.
const SENT: [&str; 4] = [
    "the plans of the phase, whole",
    "the requirements and the part of the roadmap that they serve",
    "the decisions in the context files, and the research",
    "the description of the project",
];

pub(super) fn run(ui: &Ui, context: &Context, args: &ReviewTrustHostArgs) -> Outcome {
    lane::known(context, &args.slug)?;
    let root = fs::canonical(&context.root).unwrap_or_else(|| context.root.clone());
    let (config, mut found) = config::read(&context.env, &root, &context.settings);
    let plan = plan(context, &config, &root, &args.slug, &mut found)?;
    let CallPlan::OpenaiHttp(http) = &plan.call else {
        let message = format!("`{}` runs a program, it asks no server of its own", plan.slug);
        return Err(CommandError::new(ExitStatus::Usage, "lane-has-no-host", message)
            .hint(format!("`gsd lane show {}` tells what it runs", plan.slug)));
    };
    let endpoint = Endpoint::of(&http.destination, http.path.as_str()).map_err(|error| {
        CommandError::from_error(ExitStatus::Refused, "address-invalid", &error)
    })?;
    let hosts = Hosts::of_user(&context.env).map_err(|error| hosts_error(&error))?;
    let approvals = hosts.read().map_err(|error| hosts_error(&error))?;
    let asked = Question {
        plan: &plan,
        http,
        endpoint: &endpoint,
        holds: egress::holds(&plan, http, &root),
        before: approvals.of(&plan.capability, &root),
        redacts: config.flag("review.redact", &mut found).unwrap_or(true),
    };
    if !ui.json {
        diagnostics::warn(ui, &found);
        asked.show(ui);
    }
    let agreed = args.yes || (!ui.json && terminal::can_ask() && agrees(ui));
    if !agreed {
        let message = format!("`{}` was not approved", plan.slug);
        return Err(CommandError::new(ExitStatus::ConsentRequired, "consent-required", message)
            .hint(format!("`gsd review trust-host {} --yes` approves it", plan.slug))
            .detail("disclosure", asked.as_json()));
    }
    let approval = Approval {
        capability: plan.capability.clone(),
        endpoint: endpoint.clone(),
        holds: asked.holds.clone(),
        approved_at: clock::timestamp(),
    };
    hosts.approve(&approval, &root, &Cancel::new()).map_err(|error| hosts_error(&error))?;
    if ui.json {
        ui.success(json!({ "approved": as_json(&approval), "file": hosts.path().as_str() }));
    } else {
        ui.line(format_args!("approved {endpoint} for `{}`", plan.slug));
        ui.say(format_args!("`gsd review trust revoke {}` takes it back", plan.slug));
    }
    Ok(ExitStatus::Done)
}

/// The call as a review would plan it.
fn plan(
    context: &Context,
    config: &gsd_engine::config::Config,
    root: &Utf8Path,
    slug: &str,
    found: &mut Vec<gsd_engine::diag::Diagnostic>,
) -> Result<LanePlan, CommandError> {
    let lane = context.roster().by_slug(slug).expect("it was looked up");
    let settings = settings::read(config, &lane.descriptor, &Overrides::default(), found);
    // Nothing is written for a question.
    let paths = RunPaths {
        root: root.to_owned(),
        run_dir: "".into(),
        prompt: "".into(),
        confinement: Confinement::None,
    };
    lanes::plan(lane, slug, &settings, &paths)
        .map_err(|error| CommandError::from_error(ExitStatus::Refused, "address-invalid", &error))
}

/// What the user is asked to agree to.
struct Question<'a> {
    plan: &'a LanePlan,
    http: &'a HttpPlan,
    endpoint: &'a Endpoint,
    holds: Holds,
    before: Option<&'a Approval>,
    redacts: bool,
}

impl Question<'_> {
    fn show(&self, ui: &Ui) {
        let row = |name: &str, text: &str| {
            let name = format!("{name:<10}");
            ui.line(format_args!("  {} {}", ui.paint(Tone::Dim, &name), printable(text, 400)));
        };
        ui.line(ui.paint(Tone::Strong, &format!("{} would send to", self.plan.heading)));
        row("server", &self.endpoint.to_string());
        row("named by", &self.http.host.source.to_string());
        if let Some(before) = self.before.filter(|before| before.endpoint != *self.endpoint) {
            row("instead of", &before.endpoint.to_string());
        }
        for (index, class) in SENT.iter().enumerate() {
            row(if index == 0 { "what" } else { "" }, class);
        }
        row("secrets", self.secrets());
        if let Some(name) = &self.http.api_key_env {
            row("key", &format!("the value of `{}`", name.as_str()));
        }
        row("way", &self.way());
        row("holds in", &self.holds.phrase());
    }

    fn secrets(&self) -> &'static str {
        match (self.http.destination.is_loopback(), self.redacts) {
            (true, _) => "stay in the text: the server is this machine",
            (false, true) => "are replaced by placeholders before anything is sent",
            (false, false) => "stay in the text: `review.redact` is off",
        }
    }

    fn way(&self) -> String {
        let coded = if self.http.destination.is_https() { "encrypted" } else { "NOT encrypted" };
        let through = match (self.http.destination.is_loopback(), self.http.proxy) {
            (true, _) | (false, ProxyUse::Never) => "directly",
            (false, ProxyUse::Environment) => "through the proxy of the environment",
        };
        format!("{coded}, {through}, redirects refused")
    }

    fn as_json(&self) -> Value {
        json!({
            "lane": self.plan.slug.as_str(),
            "capability": self.plan.capability.as_str(),
            "origin": self.endpoint.origin().as_str(),
            "path": self.endpoint.path(),
            "named_by": self.http.host.source.to_string(),
            "instead_of": self.before.map(as_json),
            "sends": SENT,
            "redacts": self.redacts && !self.http.destination.is_loopback(),
            "key_variable": self.http.api_key_env.as_ref().map(|name| name.as_str()),
            "encrypted": self.http.destination.is_https(),
            "proxy": self.http.proxy == ProxyUse::Environment,
            "project": match &self.holds {
                Holds::Everywhere => None,
                Holds::InProject(root) => Some(root.as_str()),
            },
        })
    }
}

/// Asks on the terminal; anything but a yes is a no.
fn agrees(ui: &Ui) -> bool {
    ui.talk("Send plans there? [y/N] ");
    terminal::answer()
        .is_some_and(|answer| ["y", "yes"].iter().any(|yes| answer.eq_ignore_ascii_case(yes)))
}
