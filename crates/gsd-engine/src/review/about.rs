//! What the record says about a lane whatever becomes of it.

use super::record::{self, EvidenceClass};
use crate::id::CapabilityId;
use crate::lane::confinement::Confinement;
use crate::lane::descriptor::{self, Descriptor, Posture};
use crate::lane::{During, Lane, LanePlan, LaneReport, Proof, Withheld};
use gsd_io::sandbox::landlock;
use std::time::Duration;

/// A lane by its names and kinds.
#[derive(Debug, Clone)]
pub struct About {
    pub slug: String,
    /// The slug, or the name of an instance.
    pub identity: String,
    pub heading: String,
    pub capability: String,
    pub limit: Duration,
    vendor: Option<String>,
    transport: &'static str,
    evidence: descriptor::EvidenceClass,
    repository_access: bool,
    posture: Posture,
    confinement: Confinement,
    notes: Vec<String>,
}

impl About {
    /// From a lane that is declared and will not be called.
    pub(super) fn of_lane(lane: &Lane, identity: &str) -> Self {
        Self::declared(&lane.descriptor, &lane.capability, identity)
    }

    /// From one that may not be used. Where its manifest is not read there is little to say.
    pub(super) fn of_withheld(withheld: &Withheld, identity: &str) -> Self {
        match &withheld.descriptor {
            Some(descriptor) => Self::declared(descriptor, &withheld.capability, identity),
            None => Self {
                slug: withheld.name().to_owned(),
                identity: identity.to_owned(),
                heading: withheld.heading().to_owned(),
                capability: withheld.capability.to_string(),
                limit: Duration::ZERO,
                vendor: None,
                transport: "unknown",
                evidence: descriptor::EvidenceClass::SourceGrounded,
                repository_access: false,
                posture: Posture::ReadOnly,
                confinement: Confinement::None,
                notes: vec![],
            },
        }
    }

    fn declared(declared: &Descriptor, capability: &CapabilityId, identity: &str) -> Self {
        let Descriptor { slug, heading, vendor, evidence, time_limit, posture, .. } = declared;
        Self {
            slug: slug.to_string(),
            identity: identity.to_owned(),
            heading: heading.as_str().to_owned(),
            capability: capability.to_string(),
            limit: *time_limit,
            vendor: vendor.clone(),
            transport: declared.transport().word(),
            evidence: *evidence,
            repository_access: declared.transport() == descriptor::Transport::Spawn,
            posture: *posture,
            confinement: Confinement::None,
            notes: vec![],
        }
    }

    /// From a call that is planned.
    pub(super) fn of_plan(plan: &LanePlan) -> Self {
        Self {
            slug: plan.slug.to_string(),
            identity: plan.identity.clone(),
            heading: plan.heading.clone(),
            capability: plan.capability.to_string(),
            limit: plan.time_limit.value,
            vendor: plan.vendor.clone(),
            transport: plan.transport().word(),
            evidence: plan.evidence,
            repository_access: plan.reads_repository(),
            posture: plan.posture,
            confinement: plan.confinement,
            notes: plan.notes.clone(),
        }
    }

    /// The lane's part of the record before its text is judged.
    pub(super) fn lane(&self, report: &LaneReport, plans: &[record::Plan]) -> record::Lane {
        // A program that was not started was not confined.
        let started = report.state.ran() && report.during != Some(During::Start);
        let confinement = if started { self.confinement } else { Confinement::None };
        record::Lane {
            slug: self.slug.clone(),
            identity: self.identity.clone(),
            heading: self.heading.clone(),
            capability: self.capability.clone(),
            vendor: self.vendor.clone(),
            transport: self.transport.to_owned(),
            evidence_class: match self.evidence {
                descriptor::EvidenceClass::SourceGrounded => EvidenceClass::SourceGrounded,
                descriptor::EvidenceClass::DiffOnly => EvidenceClass::DiffOnly,
            },
            repository_access: self.repository_access && !report.blind,
            state: report.state,
            reason: report.reason,
            during: report.during,
            message: report.message.clone(),
            remedy: report.remedy.clone(),
            proof: Proof::None,
            coverage: record::Coverage {
                covered: vec![],
                missing: plans.iter().map(|plan| plan.id.clone()).collect(),
            },
            findings_source: record::FindingsSource::None,
            timing: record::Timing {
                start_ms: 0,
                elapsed_ms: millis(report.elapsed),
                first_byte_ms: report.first_byte.map(millis),
                limit_ms: millis(self.limit),
            },
            sizes: record::Sizes {
                prompt: 0,
                output: report.sizes.output,
                stderr: report.sizes.stderr,
            },
            trimmed: None,
            prompt_sha256: None,
            exit_status: report.exit_status,
            signal: report.signal,
            http_status: report.http_status,
            model_requested: report.model_requested.clone(),
            model_source: report.model_source.clone(),
            model_served: report.model_served.clone(),
            destination: report.destination.clone(),
            program_sha256: report.program_sha256.clone(),
            posture: self.posture,
            confinement,
            landlock_abi: confinement.restricts().then(landlock).flatten().map(|found| found.abi),
            mutated_worktree: None,
            warnings: self.notes.iter().chain(&report.warnings).cloned().collect(),
            text: report.text.clone(),
            stderr: report.stderr.clone(),
        }
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
