//! Composition: first-party capabilities and overlays become one registry.
//!
//! 1. What cannot be used by itself is set aside: unconsented, tampered, pending, invalid,
//!    incompatible.
//! 2. Overlays come in one order (global before project, then by id), but never before what they
//!    require. Each is taken unless it claims what is taken already.
//! 3. Hooks whose artefacts nobody makes, and hooks that wait for each other, take their
//!    capability out, and whoever requires it. What had lost against one of those gets its chance
//!    in another round.
//!
//! An overlay that is out takes nobody with it, with one exception: where overlays make and need
//! artefacts of each other in a ring, which of them stays can depend on one that does not.

mod arena;
mod aside;
mod claimed;
mod fall;
mod round;

use super::{BlockedGate, Capability, Registry, Scope, Skip, Unconsented};
use crate::diag::Diagnostic;
use crate::manifest::{Bundle, Manifest};
use arena::Arena;
use aside::{SetAside, block_gates};
use camino::Utf8PathBuf;

/// What is known of an overlay beside its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Installed, and what it runs was consented to.
    Approved,
    /// In the user's folder, but nobody installed it.
    Unmanaged,
    /// Of a project, and nobody on this machine consented to it.
    Unconsented,
    /// Its files are not those that were consented to.
    Tampered,
    /// An install or update was begun and not finished.
    Pending,
    /// Switched off by the user.
    Disabled,
}

/// A capability that was found in one of the overlay folders.
#[derive(Debug, Clone)]
pub struct Overlay {
    pub scope: Scope,
    /// The name of its folder.
    pub folder: String,
    /// Where it lies, if no ledger says that it was installed: whoever put it there has to take it
    /// away.
    pub by_hand: Option<Utf8PathBuf>,
    pub standing: Standing,
    /// Its files; `None` for what must not be read before it is consented to.
    pub bundle: Option<Bundle>,
}

/// What came of a composition.
#[derive(Debug)]
pub struct Composition {
    pub registry: Registry,
    /// Overlays that are not in force, each once.
    pub skips: Vec<Skip>,
    /// Overlays that wait for consent. They are counted, not described.
    pub unconsented: Vec<Unconsented>,
    /// Gates of skipped overlays.
    pub blocked_gates: Vec<BlockedGate>,
    /// What there is to say about overlays that are in force.
    pub notices: Vec<Diagnostic>,
}

/// Composes a registry.
pub fn compose(first_party: Vec<Capability>, overlays: Vec<Overlay>) -> Composition {
    let aside = SetAside::of(overlays);
    let own: Vec<&Manifest> = first_party.iter().map(|capability| &capability.manifest).collect();
    let mut arena = Arena::new(&own, &aside.candidates);
    let taken = arena.settle();
    let fates = arena.fates(&taken);
    let SetAside { candidates, mut skips, mut blocked_gates, unconsented } = aside;
    let mut capabilities = first_party;
    let mut notices = vec![];
    for (candidate, fate) in candidates.into_iter().zip(fates) {
        match fate {
            None => {
                notices.extend(candidate.notices);
                capabilities.push(candidate.capability);
            }
            Some((reason, diagnostics)) => {
                let message = diagnostics.first().map(|d| d.message.clone()).unwrap_or_default();
                let skip = candidate.skip(reason, message);
                block_gates(&skip, &candidate.gates, &mut blocked_gates);
                skips.push(skip.with(diagnostics));
            }
        }
    }
    skips.sort_by(|a, b| (a.scope, &a.id).cmp(&(b.scope, &b.id)));
    blocked_gates
        .sort_by(|a, b| (a.point, a.scope, &a.capability).cmp(&(b.point, b.scope, &b.capability)));
    Composition { registry: Registry::of(capabilities), skips, unconsented, blocked_gates, notices }
}
