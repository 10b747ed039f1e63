//! How a call reaches its server: the permission, the key, the way and the authorities, as the
//! user's approvals, variables and files say at this moment.

use super::approval::{Approvals, Endpoint};
use super::hosts::approvals;
use super::permission::{Permission, needs_approval, permission};
use crate::lane::plan::{HttpPlan, LanePlan};
use crate::lane::{During, LaneReport, Reason, State};
use camino::Utf8Path;
use gsd_io::env::Env;
use gsd_io::fs::{self, Links};
use gsd_io::http::{Proxies, Roots, Via};
use gsd_io::secret::Secret;

/// How a server may be reached.
#[derive(Debug, Clone)]
pub struct Access {
    pub permission: Permission,
    /// A key for the server, from the variable that the user named.
    pub secret: Option<Secret<String>>,
    pub via: Via,
    pub roots: Roots,
    /// What a reader of the report should know about the way.
    pub warnings: Vec<String>,
}

/// Whether a proxy may carry the prompt. Never where the server is this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProxyUse {
    #[default]
    Never,
    /// The one that the environment names.
    Environment,
}

/// A file of authorities is never larger.
const MAX_AUTHORITIES: u64 = 8 << 20;
const AUTHORITIES: &str = "SSL_CERT_FILE";

type Step<T> = Result<T, Box<LaneReport>>;

impl Access {
    /// This machine only, directly, without a key.
    pub fn this_machine() -> Self {
        Self {
            permission: Permission::ThisMachine,
            secret: None,
            via: Via::Direct,
            roots: Roots::BuiltIn,
            warnings: vec![],
        }
    }

    /// How a planned call may be made now. `project` is the real path of the project. The error is
    /// the report of a lane that cannot run.
    pub fn now(plan: &LanePlan, http: &HttpPlan, env: &Env, project: &Utf8Path) -> Step<Self> {
        let mut access = Self::this_machine();
        let approvals = if needs_approval(plan, http) || http.api_key_env.is_some() {
            approvals(env).map_err(|error| Box::new(error.report()))?
        } else {
            Approvals::default()
        };
        access.permission = permission(plan, http, &approvals, project);
        if let Permission::Denied { .. } = access.permission {
            return Ok(access);
        }
        if let Some(name) = &http.api_key_env {
            let endpoint = Endpoint::of(&http.destination, http.path.as_str()).ok();
            let approved = approvals.of(&plan.capability, project).map(|known| &known.endpoint);
            if approved.is_none_or(|approved| Some(approved) == endpoint.as_ref()) {
                access.secret = Some(key(env, name.as_str())?);
            } else {
                // Whoever can choose a port of this machine must not get the key of another server.
                access.warnings.push(format!(
                    "the key in `{}` was not sent: it belongs to another address",
                    name.as_str()
                ));
            }
        }
        if http.proxy == ProxyUse::Environment
            && let Ok(url) = http.destination.join(http.path.as_str())
        {
            access.via = Proxies::from_env(env).via(&url).map_err(|error| {
                let report = unavailable(Reason::Transport, error.to_string());
                Box::new(report.remedy("correct the variable, or unset `review.proxy`"))
            })?;
        }
        if http.destination.is_https()
            && let Some(path) = env.var(AUTHORITIES)
        {
            access.roots = authorities(&env.absolute(Utf8Path::new(path)))?;
        }
        Ok(access)
    }
}

fn unavailable(reason: Reason, message: String) -> LaneReport {
    LaneReport::not_called(State::Unavailable, reason, message).during(During::Probe)
}

fn key(env: &Env, name: &str) -> Step<Secret<String>> {
    let value = env.var(name).map(str::trim).filter(|value| !value.is_empty());
    let fits = |value: &&str| value.chars().all(|c| c.is_ascii_graphic());
    match value {
        Some(value) if fits(&value) => Ok(Secret::new(value.to_owned())),
        Some(_) => {
            let message = format!("the key in `{name}` has characters that no header may have");
            Err(Box::new(unavailable(Reason::Auth, message)))
        }
        None => {
            let message = format!("`{name}`, which holds the key of the server, is not set");
            let remedy = format!("export `{name}`, or name another variable");
            Err(Box::new(unavailable(Reason::Auth, message).remedy(remedy)))
        }
    }
}

fn authorities(path: &Utf8Path) -> Step<Roots> {
    match fs::read_bounded(path, MAX_AUTHORITIES, Links::Follow) {
        Ok(pem) => Ok(Roots::Pem(pem)),
        Err(error) => {
            let message = format!("`{AUTHORITIES}` names no readable file: {error}");
            let remedy = format!("correct `{AUTHORITIES}`, or unset it");
            Err(Box::new(unavailable(Reason::Transport, message).remedy(remedy)))
        }
    }
}
