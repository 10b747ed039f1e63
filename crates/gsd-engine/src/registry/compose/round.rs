//! One round: candidates are taken one by one, unless something that they claim is taken.

use super::arena::{Arena, Fate};
use super::claimed::Claimed;
use crate::registry::Reason;
use crate::registry::cross::{
    self, Facts, check_runtimes, path_text, tier_problem, unknown_requirement,
};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Names beyond these are not suggested.
const MAX_SUGGESTED: usize = 200;

impl<'a> Arena<'a> {
    /// One round: takes every candidate that has what it requires and claims nothing that is
    /// taken. Returns who is in.
    pub(super) fn take(&mut self) -> Vec<bool> {
        let count = self.manifests.len();
        self.lost = vec![None; count];
        let mut taken = self.fixed.clone();
        let mut claimed = Claimed::default();
        for at in (0..count).filter(|at| self.fixed[*at]) {
            claimed.add(at, self.manifests[at]);
        }
        let by_id: HashMap<&str, usize> = (0..count)
            .rev()
            .filter(|at| self.fallen[*at].is_none())
            .map(|at| (self.manifests[at].id.as_str(), at))
            .collect();
        let facts = Facts::of(self.standing());
        // Whoever requires others waits for them; the smallest of those that wait for nobody is next.
        let mut waits = vec![0usize; count];
        let mut followers: Vec<Vec<usize>> = vec![vec![]; count];
        for at in self.candidates() {
            let required: HashSet<usize> = self.manifests[at]
                .requires
                .iter()
                .filter_map(|id| by_id.get(id.as_str()).copied())
                .filter(|other| !self.fixed[*other] && *other != at)
                .collect();
            waits[at] = required.len();
            for other in required {
                followers[other].push(at);
            }
        }
        let mut ready: BinaryHeap<Reverse<usize>> =
            self.candidates().filter(|at| waits[*at] == 0).map(Reverse).collect();
        let mut seen = vec![false; count];
        while let Some(Reverse(at)) = ready.pop() {
            seen[at] = true;
            match self.obstacle(at, &taken, &by_id, &facts, &claimed) {
                None => {
                    taken[at] = true;
                    claimed.add(at, self.manifests[at]);
                }
                fate => self.lost[at] = fate,
            }
            for next in &followers[at] {
                waits[*next] -= 1;
                if waits[*next] == 0 {
                    ready.push(Reverse(*next));
                }
            }
        }
        for at in self.candidates().filter(|at| !seen[*at]).collect::<Vec<_>>() {
            self.lost[at] = Some(self.circle(at, &by_id, &seen));
        }
        taken
    }

    /// What keeps a candidate out, if anything does.
    fn obstacle(
        &self,
        at: usize,
        taken: &[bool],
        by_id: &HashMap<&str, usize>,
        facts: &Facts<'_>,
        claimed: &Claimed<'a>,
    ) -> Option<Fate> {
        let manifest = self.manifests[at];
        let found = claimed.collisions(at, &self.manifests, self.own);
        if !found.is_empty() {
            return Some((Reason::Collision, found));
        }
        let mut found = vec![];
        for required in &manifest.requires {
            let place = required.place(&manifest.file);
            match by_id.get(required.as_str()).copied() {
                None => {
                    // A suggestion is not worth comparing thousands of names with thousands.
                    let known = self.standing().map(|m| m.id.as_str()).take(MAX_SUGGESTED);
                    found.push(unknown_requirement(required.as_str(), place, known));
                }
                Some(other) if !taken[other] => {
                    let message =
                        format!("it requires `{}`, which is not in force", required.value);
                    let diagnostic = cross::UNKNOWN_REQUIREMENT.at(place, message);
                    found.push(diagnostic.label("skipped for a reason of its own"));
                }
                Some(other) => {
                    if let Some(problem) = tier_problem(manifest, self.manifests[other], place) {
                        return Some((Reason::Conflict, vec![problem]));
                    }
                }
            }
        }
        if !found.is_empty() {
            return Some((Reason::Unmet, found));
        }
        let found = check_runtimes(manifest, facts);
        (!found.is_empty()).then_some((Reason::Conflict, found))
    }

    /// A candidate that was never ready: it is in a circle, or requires one that is.
    fn circle(&self, at: usize, by_id: &HashMap<&str, usize>, seen: &[bool]) -> Fate {
        let next = |at: usize| {
            let manifest = self.manifests[at];
            manifest.requires.iter().find_map(|required| {
                let other = *by_id.get(required.as_str())?;
                (!self.fixed[other] && !seen[other]).then_some((other, required))
            })
        };
        let (mut path, mut here) = (vec![], at);
        let mut positions: HashMap<usize, usize> = HashMap::new();
        while !positions.contains_key(&here) {
            positions.insert(here, path.len());
            path.push(here);
            match next(here) {
                Some((other, _)) if path.len() < 64 => here = other,
                Some(_) | None => break,
            }
        }
        let begin = positions.get(&here).copied().unwrap_or(0);
        let mut names: Vec<&str> =
            path[begin..].iter().map(|at| self.manifests[*at].id.as_str()).collect();
        names.push(self.manifests[here].id.as_str());
        let message = if path.get(begin) == Some(&at) {
            format!("capabilities require each other: {}", path_text(&names))
        } else {
            format!("it requires capabilities that require each other: {}", path_text(&names))
        };
        let place = next(at).map_or_else(
            || self.manifests[at].at(),
            |(_, required)| required.place(&self.manifests[at].file),
        );
        let diagnostic = cross::REQUIREMENT_CYCLE.at(place, message);
        (Reason::Conflict, vec![diagnostic.label("leads into the circle")])
    }
}
