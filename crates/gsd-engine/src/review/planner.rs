//! Plans calls with the settings of a project: how a lane is confined, whether its call is permitted,
//! where its files stand.

use super::inside_project::project_folder;
use super::prepare::Ask;
use super::prepared_run::prompt_path;
use crate::config::Config;
use crate::diag::Diagnostic;
use crate::lane::confinement::{self, Confinement, Offer, Wish};
use crate::lane::descriptor::{Invoke, Posture, PromptPlace, Transport};
use crate::lane::egress::{self, Approvals, HostsError};
use crate::lane::selection::Identity;
use crate::lane::settings::{self, Overrides, Reviewers, Source, Sourced};
use crate::lane::{
    self, CallPlan, Lane, LanePlan, LaneReport, LaneSettings, Origin, PlanError, Reason, RunPaths,
    State,
};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::sandbox::landlock;
use std::time::Duration;

/// A planned call, or the report that stands for a lane that cannot be called.
pub(super) type Planned = Result<LanePlan, Box<LaneReport>>;

/// How a lane is confined. Only a program of ours is trusted; a manifest from elsewhere may say so,
/// but nobody has reason to believe it.
fn confine(
    lane: &Lane,
    settings: &LaneSettings,
    offer: &Offer,
) -> Result<Confinement, confinement::Refusal> {
    let descriptor = &lane.descriptor;
    if descriptor.transport() != Transport::Spawn {
        return Ok(Confinement::None);
    }
    let posture = match (descriptor.posture, lane.origin) {
        (Posture::Trusted, Origin::Overlay | Origin::Unapproved) => Posture::ReadOnly,
        (posture, Origin::FirstParty | Origin::Overlay | Origin::Unapproved) => posture,
    };
    let allowed = &settings.confinement;
    confinement::choose(&Wish { posture, fitting: descriptor.confinement, allowed }, offer)
}

/// Where a lane's copy of the project stands. Its last part is the name of the project's folder,
/// because programs show it.
pub(super) fn copy_root(root: &Utf8Path, run_dir: &Utf8Path, identity: &str) -> Utf8PathBuf {
    let name = root.file_name().unwrap_or("project");
    run_dir.join(format!("gsd-review-{identity}.copy")).join(name)
}

/// Plans calls with the settings of the project.
pub(super) struct Planner<'a> {
    pub(super) root: &'a Utf8Path,
    pub(super) config: &'a Config,
    pub(super) approvals: &'a Result<Approvals, HostsError>,
    pub(super) reviewers: &'a Reviewers,
    pub(super) ask: &'a Ask<'a>,
    pub(super) run_dir: &'a Utf8Path,
    pub(super) offer: Offer,
}

/// What this machine offers, as long as nobody has looked at the project.
pub(super) fn offer() -> Offer {
    Offer { landlock: landlock(), no_snapshot: None }
}

impl Planner<'_> {
    /// Whether the lane would work on a copy of the project.
    pub(super) fn would_copy(&self, lane: &Lane) -> bool {
        let settings =
            settings::read(self.config, &lane.descriptor, &Overrides::default(), &mut vec![]);
        confine(lane, &settings, &self.offer).is_ok_and(Confinement::copies)
    }

    /// Plans the call of a lane, or of an instance of it, if the user lets it go where it would go.
    pub(super) fn plan(
        &self,
        lane: &Lane,
        identity: Option<&Identity>,
        found: &mut Vec<Diagnostic>,
    ) -> Planned {
        self.draft(lane, identity, found).and_then(|plan| self.permit(plan))
    }

    /// Stops a call that the user did not approve.
    pub(super) fn permit(&self, plan: LanePlan) -> Planned {
        let refusal = match (&plan.call, self.approvals) {
            (CallPlan::Spawn(_), _) => None,
            (CallPlan::OpenaiHttp(http), _) if !egress::needs_approval(&plan, http) => None,
            (CallPlan::OpenaiHttp(_), Err(error)) => Some(error.report()),
            (CallPlan::OpenaiHttp(http), Ok(approvals)) => {
                egress::permission(&plan, http, approvals, self.root).refusal()
            }
        };
        match refusal {
            None => Ok(plan),
            Some(report) => {
                let destination = Some(plan.destination());
                Err(Box::new(LaneReport { destination, ..report }))
            }
        }
    }

    /// Plans a call; whether it is permitted is another question.
    pub(super) fn draft(
        &self,
        lane: &Lane,
        identity: Option<&Identity>,
        found: &mut Vec<Diagnostic>,
    ) -> Planned {
        let name = identity.map_or(lane.slug().as_str(), |identity| identity.name.as_str());
        let instance = identity.and_then(|identity| self.reviewers.instances.get(&identity.name));
        let mut overrides = instance.map(Overrides::of).unwrap_or_default();
        overrides.time_limit = self.time_limit(lane, name).or(overrides.time_limit);
        self.plan_as(lane, name, &overrides, found)
    }

    /// The limit that the command line gives a lane or an instance.
    pub(super) fn time_limit(&self, lane: &Lane, name: &str) -> Option<Sourced<Duration>> {
        let slug = lane.slug().as_str();
        let mut given = self.ask.lane_timeouts.iter().rev();
        let (_, limit) = given.find(|(named, _)| named == name || named == slug)?;
        Some(Sourced::new(*limit, Source::Flag("`--lane-timeout`")))
    }

    /// Plans the call of a lane under a name, with what its caller overrides.
    pub(super) fn plan_as(
        &self,
        lane: &Lane,
        name: &str,
        overrides: &Overrides,
        found: &mut Vec<Diagnostic>,
    ) -> Planned {
        if lane.origin == Origin::Unapproved {
            let message = "nobody approved the capability that declares it";
            let report = LaneReport::not_called(State::Blocked, Reason::NotConsented, message);
            let id = &lane.capability;
            return Err(Box::new(report.remedy(format!(
                "look at it with `gsd capability show {id}`, then `gsd capability trust grant {id} \
                 --scope global`"
            ))));
        }
        let settings = settings::read(self.config, &lane.descriptor, overrides, found);
        let confinement = confine(lane, &settings, &self.offer).map_err(|refusal| {
            let report =
                LaneReport::not_called(State::Blocked, Reason::Policy, refusal.to_string());
            Box::new(report.remedy(format!(
                "to let it run without, put `\"none\"` last in the list `review.confinements.{}` of \
                 `~/.gsd/defaults.json`",
                lane.slug()
            )))
        })?;
        let paths = self.paths(lane, name, confinement);
        lane::plan(lane, name, &settings, &paths).map_err(|error| {
            let message = error.to_string();
            let report = match error {
                PlanError::NoHost { .. } => {
                    LaneReport::not_called(State::Unavailable, Reason::Unreachable, message)
                }
                PlanError::Host { .. } => {
                    LaneReport::not_called(State::Unavailable, Reason::Other, message)
                        .remedy("give an address such as `http://localhost:8080`")
                }
                PlanError::OptionLike { .. } => {
                    LaneReport::not_called(State::Blocked, Reason::Policy, message)
                        .remedy("write the name alone")
                }
            };
            Box::new(report)
        })
    }

    /// A lane's prompt stands in the run folder, or inside the project for programs that cannot
    /// read anywhere else.
    fn paths(&self, lane: &Lane, name: &str, confinement: Confinement) -> RunPaths {
        let copy = copy_root(self.root, self.run_dir, name);
        let root = if confinement.copies() { &copy } else { self.root };
        let place = match &lane.descriptor.invoke {
            Invoke::Spawn(invoke) => invoke.prompt_place,
            Invoke::OpenaiHttp(_) => PromptPlace::RunDir,
        };
        let folder = match place {
            PromptPlace::RunDir => self.run_dir.to_owned(),
            PromptPlace::Project => project_folder(root, self.run_dir),
        };
        RunPaths {
            root: root.to_owned(),
            run_dir: self.run_dir.to_owned(),
            prompt: prompt_path(&folder, name),
            confinement,
        }
    }
}
