//! Which lanes are here: their probes, without a review.

use super::planner::{Planner, offer};
use super::prepare::{Ask, probe_all};
use crate::config::Config;
use crate::id::{CapabilityId, LaneSlug};
use crate::lane::egress;
use crate::lane::selection::Missing;
use crate::lane::settings::Reviewers;
use crate::lane::{Descriptor, Reason, Roster, State};
use camino::Utf8Path;
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::fs;

/// One lane and whether it is here.
#[derive(Debug, Clone)]
pub struct LaneStatus {
    pub slug: String,
    pub heading: String,
    pub flags: Vec<String>,
    pub capability: String,
    pub transport: &'static str,
    /// What the probe found, else what it looked for.
    pub destination: String,
    /// `None` for a lane that is here.
    pub state: Option<State>,
    pub reason: Option<Reason>,
    pub message: Option<String>,
    pub remedy: Option<String>,
}

impl LaneStatus {
    /// What its manifest says of a lane.
    fn declared(descriptor: &Descriptor, capability: &CapabilityId) -> Self {
        Self {
            slug: descriptor.slug.to_string(),
            heading: descriptor.heading.as_str().to_owned(),
            flags: descriptor.flags.iter().map(ToString::to_string).collect(),
            capability: capability.to_string(),
            transport: descriptor.transport().word(),
            destination: String::new(),
            state: None,
            reason: None,
            message: None,
            remedy: None,
        }
    }

    /// Whether the lane is simply not here, which is no fault.
    pub fn is_absent(&self) -> bool {
        self.reason.is_some_and(Reason::is_absence)
    }
}

/// Probes lanes, all of them or those that are named, in roster order. Those that are installed and
/// may not be used come last.
pub fn lane_statuses(
    env: &Env,
    root: &Utf8Path,
    config: &Config,
    roster: &Roster,
    slugs: &[String],
    cancel: &Cancel,
) -> Vec<LaneStatus> {
    let ask = Ask {
        named: vec![],
        all: true,
        exclude: vec![],
        missing: Missing::Note,
        lane_timeouts: &[],
    };
    let root = &fs::canonical(root).unwrap_or_else(|| root.to_owned());
    let approvals = egress::approvals(env);
    let reviewers = Reviewers::default();
    let run_dir = Utf8Path::new("");
    let planner = Planner {
        root,
        config,
        approvals: &approvals,
        reviewers: &reviewers,
        ask: &ask,
        run_dir,
        offer: offer(),
    };
    let wanted: Vec<_> = roster
        .iter()
        .filter(|lane| slugs.is_empty() || slugs.iter().any(|slug| slug == lane.slug().as_str()))
        .collect();
    let candidates: Vec<(LaneSlug, _)> = wanted
        .iter()
        .map(|lane| (lane.slug().clone(), planner.plan(lane, None, &mut vec![])))
        .collect();
    let mut probed = probe_all(env, root, candidates, cancel);
    let withheld: Vec<LaneStatus> = roster
        .withheld()
        .filter(|_| slugs.is_empty())
        .filter_map(|one| one.descriptor.as_ref().map(|descriptor| (one, descriptor)))
        .map(|(one, descriptor)| LaneStatus {
            state: Some(State::Blocked),
            reason: Some(one.reason),
            message: Some(one.why.clone()),
            remedy: Some(one.remedy.clone()),
            ..LaneStatus::declared(descriptor, &one.capability)
        })
        .collect();
    wanted
        .into_iter()
        .filter_map(|lane| {
            let (plan, result) = probed.remove(lane.slug())?;
            let mut status = LaneStatus {
                destination: plan.map_or_else(|_| String::new(), |plan| plan.destination()),
                ..LaneStatus::declared(&lane.descriptor, &lane.capability)
            };
            match result {
                Ok(ready) => status.destination = ready.destination().to_owned(),
                Err(report) => {
                    status.state = Some(report.state);
                    status.reason = report.reason;
                    status.message = report.message;
                    status.remedy = report.remedy;
                }
            }
            Some(status)
        })
        .chain(withheld)
        .collect()
}
