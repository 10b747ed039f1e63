//! What cannot be used by itself is set aside before anybody is compared with anybody.

use super::{Overlay, Standing};
use crate::diag::{Diagnostic, Level};
use crate::manifest::{Bundle, DeclaredGate, HOST_CONTRACT};
use crate::registry::{BlockedGate, Capability, Provenance, Reason, Scope, Skip, Unconsented};
use camino::Utf8PathBuf;
use std::collections::HashSet;

/// An overlay that can be used by itself.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) scope: Scope,
    pub(super) folder: String,
    by_hand: Option<Utf8PathBuf>,
    pub(super) capability: Capability,
    pub(super) gates: Vec<DeclaredGate>,
    pub(super) notices: Vec<Diagnostic>,
}

impl Candidate {
    /// Leaves it out.
    pub(super) fn skip(&self, reason: Reason, message: impl Into<String>) -> Skip {
        Skip::new(&self.folder, self.scope, self.by_hand.as_deref(), reason, message)
            .of(&self.capability.manifest)
    }
}

/// Overlays, with those set aside that cannot be used by themselves.
#[derive(Debug, Default)]
pub(super) struct SetAside {
    pub(super) candidates: Vec<Candidate>,
    pub(super) skips: Vec<Skip>,
    pub(super) blocked_gates: Vec<BlockedGate>,
    pub(super) unconsented: Vec<Unconsented>,
}

impl SetAside {
    /// Looks at each overlay alone, in one order whatever the order they come in.
    pub(super) fn of(mut overlays: Vec<Overlay>) -> Self {
        overlays.sort_by(|a, b| (a.scope, &a.folder).cmp(&(b.scope, &b.folder)));
        let mut aside = Self::default();
        for overlay in overlays {
            aside.add(overlay);
        }
        aside.shadow();
        aside
    }

    fn add(&mut self, overlay: Overlay) {
        let Overlay { scope, folder, by_hand, standing, bundle } = overlay;
        let skip = |reason, message| Skip::new(&folder, scope, by_hand.as_deref(), reason, message);
        let manifest = bundle.as_ref().and_then(|bundle| bundle.parsed.manifest.as_ref());
        let provenance = match standing {
            Standing::Unconsented => {
                self.unconsented.push(Unconsented { id: folder, scope });
                return;
            }
            Standing::Pending => {
                let message = "an install or update was begun and not finished";
                self.skips.push(skip(Reason::Pending, message).declaring(manifest));
                return;
            }
            Standing::Tampered => {
                let message = "its files differ from those that were consented to";
                let skip = skip(Reason::Tampered, message).declaring(manifest);
                let gates = bundle.map(|bundle| bundle.parsed.gates).unwrap_or_default();
                block_gates(&skip, &gates, &mut self.blocked_gates);
                self.skips.push(skip);
                return;
            }
            Standing::Disabled => {
                self.skips.push(skip(Reason::Disabled, "switched off").declaring(manifest));
                return;
            }
            Standing::Approved => Provenance::Installed(scope),
            Standing::Unmanaged => Provenance::Unmanaged(scope),
        };
        let Some(Bundle { parsed, fragments }) = bundle else {
            self.skips.push(skip(Reason::Invalid, "it cannot be read"));
            return;
        };
        let (gates, diagnostics) = (parsed.gates, parsed.diagnostics);
        let broken = diagnostics.iter().any(|found| found.level == Level::Error);
        let Some(manifest) = parsed.manifest.filter(|_| !broken) else {
            let errors = diagnostics.iter().filter(|found| found.level == Level::Error);
            let mut errors = errors.map(|found| found.message.as_str());
            let first = errors.next().unwrap_or("it cannot be used");
            let message = match errors.count() {
                0 => first.to_owned(),
                more => format!("{first}, and {more} more"),
            };
            let skip = skip(Reason::Invalid, &message);
            block_gates(&skip, &gates, &mut self.blocked_gates);
            self.skips.push(skip.with(diagnostics));
            return;
        };
        if !manifest.fits_host() {
            let range =
                manifest.engines.as_ref().map(|r| r.as_str().to_owned()).unwrap_or_default();
            let message = format!("it needs a host {range}, this one is {HOST_CONTRACT}");
            let skip = skip(Reason::Incompatible, &message).of(&manifest);
            block_gates(&skip, &gates, &mut self.blocked_gates);
            self.skips.push(skip);
            return;
        }
        let capability = Capability { manifest, fragments, provenance };
        let notices = diagnostics;
        self.candidates.push(Candidate { scope, folder, by_hand, capability, gates, notices });
    }

    /// Of two overlays of one id, that of the project stands in for the global one.
    fn shadow(&mut self) {
        let in_project: HashSet<String> = self
            .candidates
            .iter()
            .filter(|candidate| candidate.scope == Scope::Project)
            .map(|candidate| candidate.folder.clone())
            .collect();
        let (kept, lost): (Vec<Candidate>, Vec<Candidate>) =
            std::mem::take(&mut self.candidates).into_iter().partition(|candidate| {
                candidate.scope == Scope::Project || !in_project.contains(&candidate.folder)
            });
        self.candidates = kept;
        for candidate in lost {
            let message = "the capability of the same id in the project stands in for it";
            self.skips.push(candidate.skip(Reason::Shadowed, message));
        }
    }
}

/// The gates of an overlay that is not in force.
pub(super) fn block_gates(skip: &Skip, gates: &[DeclaredGate], blocked: &mut Vec<BlockedGate>) {
    for gate in gates {
        blocked.push(BlockedGate {
            capability: skip.id.clone(),
            scope: skip.scope,
            point: gate.point,
            reason: skip.reason,
            message: skip.message.clone(),
            remedy: skip.remedy.clone(),
            on_load_failure: gate.on_load_failure,
        });
    }
}
