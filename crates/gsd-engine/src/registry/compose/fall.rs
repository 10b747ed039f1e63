//! Who falls: candidates whose hooks cannot work among those that are in.

use super::arena::Arena;
use crate::manifest::Manifest;
use crate::registry::artifact::{Makers, cycle_diagnostic, cycles, hooks};
use crate::registry::{Reason, cross};
use std::collections::{BTreeMap, HashMap};

/// Who may still make what a hook lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hope {
    /// Candidates that lost in this round as well: they may win the next one.
    Losers,
    /// Only who is in. Whoever needs one that falls is looked at in the next round, since a loser
    /// may have come in by then.
    Nobody,
    /// As before, in the last round: whoever needs one that falls, falls with it.
    Over,
}

impl Arena<'_> {
    /// Takes out, for good, candidates whose hooks cannot work among those that are in, or may
    /// still come in. Returns how many fell.
    pub(super) fn fall(&mut self, taken: &[bool], hope: Hope) -> usize {
        let makers = Makers::of(self.manifests.iter().copied().enumerate());
        let mut alive = match hope {
            Hope::Losers => self.fallen.iter().map(Option::is_none).collect(),
            Hope::Nobody | Hope::Over => taken.to_vec(),
        };
        // Who needs what somebody makes: if the maker falls, they are looked at again.
        let mut users: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for at in self.own..self.manifests.len() {
            for hook in hooks(self.manifests[at]) {
                for artifact in hook.consumes {
                    users.entry(artifact.as_str()).or_default().push(at);
                }
            }
        }
        let mut requirers: HashMap<&str, Vec<usize>> = HashMap::new();
        for at in self.own..self.manifests.len() {
            for required in &self.manifests[at].requires {
                requirers.entry(required.as_str()).or_default().push(at);
            }
        }
        let mut queue: Vec<usize> = self.candidates().filter(|at| alive[*at]).collect();
        queue.reverse();
        let mut fallen = 0;
        let mut fell: Vec<usize> = vec![];
        while let Some(at) = queue.pop() {
            if !alive[at] || self.fixed[at] {
                continue;
            }
            let manifest = self.manifests[at];
            let mut found = vec![];
            for hook in hooks(manifest) {
                for artifact in hook.consumes {
                    let name = artifact.as_str();
                    if let Some(lack) = makers.lacks(at, &hook, name, |other| alive[other]) {
                        found.push(lack.diagnostic(
                            hook.point,
                            name,
                            artifact.place(&manifest.file),
                        ));
                    }
                }
            }
            if !found.is_empty() {
                self.fallen[at] = Some((Reason::Conflict, found));
                self.suspended[at] = hope != Hope::Losers;
                fell.push(at);
            }
            while let Some(at) = fell.pop() {
                fallen += 1;
                if hope == Hope::Nobody {
                    continue;
                }
                alive[at] = false;
                for hook in hooks(self.manifests[at]) {
                    for artifact in hook.produces {
                        queue.extend(users.get(artifact.as_str()).into_iter().flatten());
                    }
                }
                let id = self.manifests[at].id.as_str();
                for next in requirers.get(id).into_iter().flatten().copied() {
                    if alive[next] && !self.fixed[next] && self.fallen[next].is_none() {
                        let message = format!("it requires `{id}`, which is not in force");
                        let place = self.manifests[next].at();
                        let found = cross::UNKNOWN_REQUIREMENT.at(place, message);
                        self.fallen[next] = Some((Reason::Unmet, vec![found]));
                        self.suspended[next] = hope != Hope::Losers;
                        fell.push(next);
                    }
                }
            }
        }
        match hope {
            // A circle that leads through a loser is none yet.
            Hope::Losers => fallen,
            // Another lack may open the circle by itself.
            Hope::Nobody if fallen > 0 => fallen,
            Hope::Nobody | Hope::Over => fallen + self.fall_in_cycles(&alive),
        }
    }

    /// Of overlays whose hooks wait for each other the last one falls, so that no more of them go
    /// than must.
    fn fall_in_cycles(&mut self, alive: &[bool]) -> usize {
        let standing: Vec<usize> = (0..alive.len()).filter(|at| alive[*at]).collect();
        let manifests: Vec<&Manifest> = standing.iter().map(|at| self.manifests[*at]).collect();
        let mut fallen = 0;
        for cycle in cycles(&manifests) {
            let diagnostic = cycle_diagnostic(&manifests, &cycle);
            let open = |at: &usize| !self.fixed[*at] && self.fallen[*at].is_none();
            let members = cycle.members.iter().map(|(position, ..)| standing[*position]);
            if let Some(at) = members.filter(open).max() {
                self.fallen[at] = Some((Reason::Conflict, vec![diagnostic]));
                self.suspended[at] = true;
                fallen += 1;
            }
        }
        fallen
    }
}
