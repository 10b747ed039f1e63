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

use super::artifact::{Makers, cycle_diagnostic, cycles, hooks};
use super::claim::{Claim, each_claim};
use super::cross::{
    Facts, check_central, check_runtimes, path_text, prefixes, tier_problem, unknown_requirement,
};
use super::{BlockedGate, Capability, Provenance, Reason, Registry, Scope, Skip, Unconsented};
use crate::diag::{Diagnostic, Level};
use crate::manifest::{Bundle, HOST_CONTRACT, Manifest};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

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

/// Names beyond these are not suggested.
const MAX_SUGGESTED: usize = 200;

/// More rounds than this are not played: the overlays that are left out then stay out.
const MAX_ROUNDS: usize = 16;

/// Composes a registry.
pub fn compose(first_party: Vec<Capability>, overlays: Vec<Overlay>) -> Composition {
    let mut sorted = Sorted::of(overlays);
    shadow(&mut sorted);
    let own: Vec<&Manifest> = first_party.iter().map(|capability| &capability.manifest).collect();
    let mut arena = Arena::new(&own, &sorted.candidates);
    let taken = arena.settle();
    let fates = arena.fates(&taken);
    let Sorted { candidates, mut skips, mut blocked_gates, unconsented } = sorted;
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
                let skip = Skip::new(&candidate.folder, candidate.scope, reason, message)
                    .of(&candidate.capability.manifest);
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

type Gates = Vec<crate::manifest::DeclaredGate>;

/// An overlay that can be used by itself.
#[derive(Debug)]
struct Candidate {
    scope: Scope,
    folder: String,
    capability: Capability,
    gates: Gates,
    notices: Vec<Diagnostic>,
}

/// Overlays, with those set aside that cannot be used by themselves.
#[derive(Debug, Default)]
struct Sorted {
    candidates: Vec<Candidate>,
    skips: Vec<Skip>,
    blocked_gates: Vec<BlockedGate>,
    unconsented: Vec<Unconsented>,
}

impl Sorted {
    fn of(mut overlays: Vec<Overlay>) -> Self {
        overlays.sort_by(|a, b| (a.scope, &a.folder).cmp(&(b.scope, &b.folder)));
        let mut sorted = Self::default();
        for overlay in overlays {
            sorted.add(overlay);
        }
        sorted
    }

    fn add(&mut self, overlay: Overlay) {
        let Overlay { scope, folder, standing, bundle } = overlay;
        let provenance = match standing {
            Standing::Unconsented => {
                self.unconsented.push(Unconsented { id: folder, scope });
                return;
            }
            Standing::Pending => {
                let message = "an install or update was begun and not finished";
                self.skips.push(Skip::new(&folder, scope, Reason::Pending, message));
                return;
            }
            Standing::Tampered => {
                let message = "its files differ from those that were consented to";
                let skip = Skip::new(&folder, scope, Reason::Tampered, message);
                let gates = bundle.map(|bundle| bundle.parsed.gates).unwrap_or_default();
                block_gates(&skip, &gates, &mut self.blocked_gates);
                self.skips.push(skip);
                return;
            }
            Standing::Disabled => {
                let message = "switched off";
                self.skips.push(Skip::new(&folder, scope, Reason::Disabled, message));
                return;
            }
            Standing::Approved => Provenance::Installed(scope),
            Standing::Unmanaged => Provenance::Unmanaged(scope),
        };
        let Some(Bundle { parsed, fragments }) = bundle else {
            self.skips.push(Skip::new(&folder, scope, Reason::Invalid, "it cannot be read"));
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
            let skip = Skip::new(&folder, scope, Reason::Invalid, message);
            block_gates(&skip, &gates, &mut self.blocked_gates);
            self.skips.push(skip.with(diagnostics));
            return;
        };
        if !manifest.fits_host() {
            let range =
                manifest.engines.as_ref().map(|r| r.as_str().to_owned()).unwrap_or_default();
            let message = format!("it needs a host {range}, this one is {HOST_CONTRACT}");
            let skip = Skip::new(&folder, scope, Reason::Incompatible, message).of(&manifest);
            block_gates(&skip, &gates, &mut self.blocked_gates);
            self.skips.push(skip);
            return;
        }
        let capability = Capability { manifest, fragments, provenance };
        let notices = diagnostics;
        self.candidates.push(Candidate { scope, folder, capability, gates, notices });
    }
}

fn block_gates(skip: &Skip, gates: &Gates, blocked: &mut Vec<BlockedGate>) {
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

/// Of two overlays of one id, that of the project stands in for the global one.
fn shadow(sorted: &mut Sorted) {
    let in_project: HashSet<String> = sorted
        .candidates
        .iter()
        .filter(|candidate| candidate.scope == Scope::Project)
        .map(|candidate| candidate.folder.clone())
        .collect();
    let (kept, lost): (Vec<Candidate>, Vec<Candidate>) =
        std::mem::take(&mut sorted.candidates).into_iter().partition(|candidate| {
            candidate.scope == Scope::Project || !in_project.contains(&candidate.folder)
        });
    sorted.candidates = kept;
    for candidate in lost {
        let message = "the capability of the same id in the project stands in for it";
        let skip = Skip::new(&candidate.folder, candidate.scope, Reason::Shadowed, message);
        sorted.skips.push(skip.of(&candidate.capability.manifest));
    }
}

/// Why a candidate is out.
type Fate = (Reason, Vec<Diagnostic>);

/// Who may still make what a hook lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hope {
    /// Candidates that lost in this round as well: they may win the next one.
    Losers,
    /// Only who is in. Whoever needs one that falls is looked at in the next round, since a loser
    /// may have come in by then.
    Nobody,
    /// As before, in the last round: whoever needs one that falls, falls with it.
    Over,
}

/// The state of the rounds. Manifests are numbered: gsd's own first, then the candidates.
struct Arena<'a> {
    manifests: Vec<&'a Manifest>,
    own: usize,
    /// Who is in whatever the others do: gsd's own, and what earlier settlements took.
    fixed: Vec<bool>,
    /// Candidates that are out because of who was in when they fell.
    suspended: Vec<bool>,
    /// Candidates that are out for good.
    fallen: Vec<Option<Fate>>,
    /// Candidates that lost in the last round, with their reasons.
    lost: Vec<Option<Fate>>,
}

impl<'a> Arena<'a> {
    fn new(own: &[&'a Manifest], candidates: &'a [Candidate]) -> Self {
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
    fn settle(&mut self) -> Vec<bool> {
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

    /// One round: takes every candidate that has what it requires and claims nothing that is
    /// taken. Returns who is in.
    fn take(&mut self) -> Vec<bool> {
        let count = self.manifests.len();
        self.lost = vec![None; count];
        let mut taken = self.fixed.clone();
        let mut claims: HashMap<Claim<'a>, usize> = HashMap::new();
        let mut keys: HashMap<&'a str, usize> = HashMap::new();
        let mut beginnings: HashMap<&'a str, usize> = HashMap::new();
        for at in (0..count).filter(|at| self.fixed[*at]) {
            self.claim(at, &mut claims, &mut keys, &mut beginnings);
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
            match self.obstacle(at, &taken, &by_id, &facts, &claims, &keys, &beginnings) {
                None => {
                    taken[at] = true;
                    self.claim(at, &mut claims, &mut keys, &mut beginnings);
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

    /// Candidates that are neither in nor out for good.
    fn candidates(&self) -> impl Iterator<Item = usize> {
        let open = |at: &usize| !self.fixed[*at] && self.fallen[*at].is_none();
        (0..self.manifests.len()).filter(open)
    }

    fn standing(&self) -> impl Iterator<Item = &'a Manifest> {
        self.manifests.iter().zip(&self.fallen).filter(|(_, fate)| fate.is_none()).map(|(m, _)| *m)
    }

    fn claim(
        &self,
        at: usize,
        claims: &mut HashMap<Claim<'a>, usize>,
        keys: &mut HashMap<&'a str, usize>,
        beginnings: &mut HashMap<&'a str, usize>,
    ) {
        each_claim(self.manifests[at], |claim, _| {
            claims.entry(claim).or_insert(at);
        });
        for entry in &self.manifests[at].config {
            keys.insert(entry.key.as_str(), at);
            for beginning in prefixes(entry.key.as_str()) {
                beginnings.insert(beginning, at);
            }
        }
    }

    /// What keeps a candidate out, if anything does.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of one round, borrowed piece by piece"
    )]
    fn obstacle(
        &self,
        at: usize,
        taken: &[bool],
        by_id: &HashMap<&str, usize>,
        facts: &Facts<'_>,
        claims: &HashMap<Claim<'a>, usize>,
        keys: &HashMap<&str, usize>,
        beginnings: &HashMap<&str, usize>,
    ) -> Option<Fate> {
        let manifest = self.manifests[at];
        let mut found = vec![];
        each_claim(manifest, |claim, place| {
            // A hook of its own may make an artefact at a point twice; `found` then names itself.
            if let Some(owner) = claims.get(&claim).filter(|owner| **owner != at) {
                let owner = self.manifests[*owner];
                let message = format!("{} belongs to `{}`", claim.phrase(), owner.id.value);
                let diagnostic = claim.rule().at(place(), message).label("taken");
                found.push(diagnostic.also(owner.at(), "by this capability"));
            }
        });
        let mut own: HashSet<Claim<'_>> = HashSet::new();
        each_claim(manifest, |claim, place| {
            if let Claim::Producer(..) = claim
                && !own.insert(claim.clone())
            {
                let message = format!("{} is made by two hooks", claim.phrase());
                found.push(claim.rule().at(place(), message).label("made twice"));
            }
        });
        for entry in &manifest.config {
            let key = entry.key.as_str();
            let above = prefixes(key).find_map(|prefix| keys.get(prefix));
            let other = above.or_else(|| beginnings.get(key)).filter(|owner| **owner != at);
            if let Some(owner) = other {
                let owner = self.manifests[*owner];
                let message =
                    format!("the setting `{key}` does not go beside one of `{}`", owner.id.value);
                let diagnostic =
                    super::cross::CONFIG_OVERLAP.at(entry.key.place(&manifest.file), message);
                found.push(diagnostic.label("one key is the beginning of the other"));
            }
        }
        if !found.is_empty() {
            return Some((Reason::Collision, found));
        }
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
                    let diagnostic = super::cross::UNKNOWN_REQUIREMENT.at(place, message);
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
        let diagnostic = super::cross::REQUIREMENT_CYCLE.at(place, message);
        (Reason::Conflict, vec![diagnostic.label("leads into the circle")])
    }

    /// Takes out, for good, candidates whose hooks cannot work among those that are in, or may
    /// still come in. Returns how many fell.
    fn fall(&mut self, taken: &[bool], hope: Hope) -> usize {
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
                        let found = super::cross::UNKNOWN_REQUIREMENT.at(place, message);
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

    /// What became of each candidate, in order: `None` is in force.
    fn fates(self, taken: &[bool]) -> Vec<Option<Fate>> {
        let fates = self.fallen.into_iter().zip(self.lost).zip(taken).skip(self.own);
        let out = |taken: &bool| (!*taken).then(|| (Reason::Conflict, vec![]));
        fates.map(|((fallen, lost), taken)| fallen.or(lost).or_else(|| out(taken))).collect()
    }
}
