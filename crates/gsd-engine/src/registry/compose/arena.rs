//! Who is in: rounds are played until nothing changes.

use super::aside::Candidate;
use super::fall::Hope;
use crate::diag::Diagnostic;
use crate::manifest::Manifest;
use crate::registry::Reason;
use crate::registry::cross::check_central;

/// More rounds than this are not played: the overlays that are left out then stay out.
const MAX_ROUNDS: usize = 16;

/// Why a candidate is out.
pub(super) type Fate = (Reason, Vec<Diagnostic>);

/// The state of the rounds. Manifests are numbered: gsd's own first, then the candidates.
pub(super) struct Arena<'a> {
    pub(super) manifests: Vec<&'a Manifest>,
    pub(super) own: usize,
    /// Who is in whatever the others do: gsd's own, and what earlier settlements took.
    pub(super) fixed: Vec<bool>,
    /// Candidates that are out because of who was in when they fell.
    pub(super) suspended: Vec<bool>,
    /// Candidates that are out for good.
    pub(super) fallen: Vec<Option<Fate>>,
    /// Candidates that lost in the last round, with their reasons.
    pub(super) lost: Vec<Option<Fate>>,
}

impl<'a> Arena<'a> {
    pub(super) fn new(own: &[&'a Manifest], candidates: &'a [Candidate]) -> Self {
        let manifests: Vec<&Manifest> =
            own.iter().copied().chain(candidates.iter().map(|c| &c.capability.manifest)).collect();
        let mut arena = Self {
            own: own.len(),
            fixed: (0..manifests.len()).map(|at| at < own.len()).collect(),
            suspended: vec![false; manifests.len()],
            fallen: vec![None; manifests.len()],
            lost: vec![None; manifests.len()],
            manifests,
        };
        for at in arena.own..arena.manifests.len() {
            let found = check_central(arena.manifests[at]);
            if !found.is_empty() {
                arena.fallen[at] = Some((Reason::Collision, found));
            }
        }
        arena
    }

    /// Plays rounds until nobody falls any more, then gives those a chance beside the winners who
    /// fell because of a candidate that is out itself by now. Returns who is in.
    pub(super) fn settle(&mut self) -> Vec<bool> {
        loop {
            let mut rounds = 0;
            let taken = loop {
                rounds += 1;
                let taken = self.take();
                let last = rounds == MAX_ROUNDS;
                // First only what nobody could ever help: if the maker of an artefact falls, whoever
                // had lost against it may make that artefact in the next round.
                let fallen = if last {
                    self.fall(&taken, Hope::Over)
                } else {
                    match self.fall(&taken, Hope::Losers) {
                        0 => self.fall(&taken, Hope::Nobody),
                        fallen => fallen,
                    }
                };
                if fallen == 0 || last {
                    break taken;
                }
            };
            let in_force = |at: usize| taken[at] && self.fallen[at].is_none();
            let won = (0..taken.len()).filter(|at| in_force(*at) && !self.fixed[*at]).count();
            if won == 0 || !self.suspended.contains(&true) {
                return (0..taken.len()).map(in_force).collect();
            }
            self.fixed = (0..taken.len()).map(in_force).collect();
            for at in 0..self.fallen.len() {
                if std::mem::take(&mut self.suspended[at]) {
                    self.fallen[at] = None;
                }
            }
        }
    }

    /// Candidates that are neither in nor out for good.
    pub(super) fn candidates(&self) -> impl Iterator<Item = usize> {
        let open = |at: &usize| !self.fixed[*at] && self.fallen[*at].is_none();
        (0..self.manifests.len()).filter(open)
    }

    pub(super) fn standing(&self) -> impl Iterator<Item = &'a Manifest> {
        self.manifests.iter().zip(&self.fallen).filter(|(_, fate)| fate.is_none()).map(|(m, _)| *m)
    }

    /// What became of each candidate, in order: `None` is in force.
    pub(super) fn fates(self, taken: &[bool]) -> Vec<Option<Fate>> {
        let fates = self.fallen.into_iter().zip(self.lost).zip(taken).skip(self.own);
        let out = |taken: &bool| (!*taken).then(|| (Reason::Conflict, vec![]));
        fates.map(|((fallen, lost), taken)| fallen.or(lost).or_else(|| out(taken))).collect()
    }
}
