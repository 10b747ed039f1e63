//! Whether a planned call may be made: pure, approvals in, a decision out.

use super::approval::{Approvals, Endpoint, Holds};
use crate::config::Layer;
use crate::lane::plan::{HttpPlan, LanePlan};
use crate::lane::settings::Source;
use crate::lane::{During, LaneReport, Origin, Reason, State};
use camino::Utf8Path;

/// Whether a prompt may be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// To a server on this machine, and to no other.
    ThisMachine,
    /// The user approved this place and no other.
    Approved(Endpoint),
    Denied {
        reason: Reason,
        message: String,
        remedy: String,
    },
}

impl Permission {
    /// The report of a lane that may not be asked.
    pub fn refusal(&self) -> Option<LaneReport> {
        match self {
            Self::ThisMachine | Self::Approved(_) => None,
            Self::Denied { reason, message, remedy } => {
                let report = LaneReport::not_called(State::Blocked, *reason, message);
                Some(report.during(During::Probe).remedy(remedy))
            }
        }
    }
}

/// Whether a call needs an approval of the user. What a third party's manifest names does, also on
/// this machine: the user agreed to one server, not to whatever listens here.
pub fn needs_approval(plan: &LanePlan, http: &HttpPlan) -> bool {
    match plan.origin {
        Origin::FirstParty => !http.destination.is_loopback(),
        Origin::Overlay | Origin::Unapproved => true,
    }
}

/// Where an approval of this call would hold. An address that a repository names is approved for
/// that repository; one of the user's own or of gsd itself for all of them.
pub fn holds(plan: &LanePlan, http: &HttpPlan, project: &Utf8Path) -> Holds {
    let own = match &http.host.source {
        Source::Setting { layer, .. } => *layer == Layer::User,
        Source::Manifest => plan.origin == Origin::FirstParty,
        Source::Flag(_) | Source::Instance(_) => false,
    };
    if own { Holds::Everywhere } else { Holds::InProject(project.to_owned()) }
}

/// Decides about a call. `project` is the real path of the project.
pub fn permission(
    plan: &LanePlan,
    http: &HttpPlan,
    approvals: &Approvals,
    project: &Utf8Path,
) -> Permission {
    let slug = &plan.slug;
    let endpoint = match Endpoint::of(&http.destination, http.path.as_str()) {
        Ok(endpoint) => endpoint,
        Err(error) => {
            return Permission::Denied {
                reason: Reason::Policy,
                message: format!(
                    "`{}` cannot follow the address of the server: {error}",
                    http.path.as_str()
                ),
                remedy: "correct the lane's manifest".to_owned(),
            };
        }
    };
    if !needs_approval(plan, http) {
        return Permission::ThisMachine;
    }
    match approvals.of(&plan.capability, project) {
        Some(approval) if approval.endpoint == endpoint => Permission::Approved(endpoint),
        Some(approval) => Permission::Denied {
            reason: Reason::HostChanged,
            message: format!(
                "plans may go to {} only, and {} now says {endpoint}",
                approval.endpoint, http.host.source
            ),
            remedy: format!(
                "set the address back, or look at the new one and approve it with `gsd review \
                 trust-host {slug}`"
            ),
        },
        None => {
            let foreign = if http.destination.is_loopback() {
                "was named by an installed capability"
            } else {
                "is not this machine"
            };
            Permission::Denied {
                reason: Reason::NotConsented,
                message: format!("{endpoint} {foreign}, and nobody approved sending plans there"),
                remedy: format!(
                    "`gsd review trust-host {slug}` shows what would go there and asks"
                ),
            }
        }
    }
}
