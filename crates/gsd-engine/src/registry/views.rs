//! The registry and its views: who owns what, what happens at a point, which settings there are.

use super::artifact::HookKind;
use super::{Capability, Provenance};
use crate::config::Declarations;
use crate::gate::Gate;
use crate::hook::order::{Item, order};
use crate::hook::{Contribution, Step};
use crate::id::Point;
use crate::lane::roster::{Lane, Origin, Roster};
use crate::manifest::{Command, ConfigEntry, Role, Tier};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Every capability in force, by id.
#[derive(Debug, Default)]
pub struct Registry {
    capabilities: BTreeMap<String, Capability>,
}

/// The hooks at one point, in the order in which they run.
#[derive(Debug, Default)]
pub struct HooksAtPoint<'a> {
    pub steps: Vec<(&'a Capability, &'a Step)>,
    pub contributions: Vec<(&'a Capability, &'a Contribution)>,
    pub gates: Vec<(&'a Capability, &'a Gate)>,
}

impl Registry {
    /// Puts capabilities together that were checked against each other.
    pub(super) fn of(capabilities: Vec<Capability>) -> Self {
        let by_id = |capability: Capability| (capability.id().as_str().to_owned(), capability);
        Self { capabilities: capabilities.into_iter().map(by_id).collect() }
    }

    /// All capabilities, by id.
    pub fn capabilities(&self) -> impl Iterator<Item = &Capability> {
        self.capabilities.values()
    }

    pub fn get(&self, id: &str) -> Option<&Capability> {
        self.capabilities.get(id)
    }

    pub fn len(&self) -> usize {
        self.capabilities.len()
    }

    pub fn is_empty(&self) -> bool {
        self.capabilities.is_empty()
    }

    /// Skill → its capability.
    pub fn by_skill(&self) -> BTreeMap<&str, &str> {
        self.owned(|capability| {
            let feature = capability.manifest.feature();
            feature.into_iter().flat_map(|f| f.skills.iter().map(|s| s.as_str())).collect()
        })
    }

    /// Agent → its capability.
    pub fn by_agent(&self) -> BTreeMap<&str, &str> {
        self.owned(|capability| {
            let feature = capability.manifest.feature();
            feature.into_iter().flat_map(|f| f.agents.iter().map(|a| a.as_str())).collect()
        })
    }

    /// The settings of gsd and of every capability in force.
    pub fn declarations(&self) -> Declarations {
        Declarations::with(self.capabilities().flat_map(|capability| {
            let id = capability.id().as_str();
            capability.manifest.config.iter().map(move |entry| entry.declaration(id))
        }))
    }

    /// Key of a setting → its capability.
    pub fn config_keys(&self) -> BTreeMap<&str, &str> {
        self.owned(|capability| capability.manifest.config.iter().map(|e| e.key.as_str()).collect())
    }

    fn owned<'a>(
        &'a self,
        names: impl Fn(&'a Capability) -> Vec<&'a str>,
    ) -> BTreeMap<&'a str, &'a str> {
        let mut owned = BTreeMap::new();
        for capability in self.capabilities() {
            for name in names(capability) {
                owned.insert(name, capability.id().as_str());
            }
        }
        owned
    }

    /// Key of a setting → its capability and what it declares.
    pub fn config_schema(&self) -> BTreeMap<&str, (&Capability, &ConfigEntry)> {
        let entries = self.capabilities().flat_map(|capability| {
            capability.manifest.config.iter().map(move |entry| (capability, entry))
        });
        entries.map(|(capability, entry)| (entry.key.as_str(), (capability, entry))).collect()
    }

    /// Command family → its capability and what it declares.
    pub fn command_families(&self) -> BTreeMap<&str, (&Capability, &Command)> {
        let commands = self.capabilities().flat_map(|capability| {
            capability.manifest.commands.iter().map(move |command| (capability, command))
        });
        commands.map(|(owner, command)| (command.family.as_str(), (owner, command))).collect()
    }

    /// The capabilities that describe runtimes.
    pub fn runtimes(&self) -> impl Iterator<Item = &Capability> {
        self.capabilities().filter(|capability| capability.manifest.role == Role::Runtime)
    }

    /// Features with skills → their skills, sorted.
    pub fn clusters(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut clusters = BTreeMap::new();
        for capability in self.capabilities() {
            let Some(feature) = capability.manifest.feature() else { continue };
            let mut skills: Vec<&str> = feature.skills.iter().map(|s| s.as_str()).collect();
            skills.sort_unstable();
            if !skills.is_empty() {
                clusters.insert(capability.id().as_str(), skills);
            }
        }
        clusters
    }

    /// Features with skills → their tier and the profiles that have them.
    pub fn profile_membership(&self) -> BTreeMap<&str, (Tier, Vec<Tier>)> {
        let member = |id: &str| {
            let tier = self.capabilities[id].manifest.tier.value;
            (tier, Tier::ALL.iter().copied().filter(|profile| *profile >= tier).collect())
        };
        self.clusters().into_keys().map(|id| (id, member(id))).collect()
    }

    /// Every capability that a profile has: those of its tier and smaller ones, and all that they
    /// require.
    pub fn profile(&self, profile: Tier) -> BTreeSet<&str> {
        let of_tier = self.capabilities().filter(|c| c.manifest.tier.value <= profile);
        let mut members: BTreeSet<&str> = of_tier.map(|c| c.id().as_str()).collect();
        let start = members.iter().copied().collect();
        self.add_required(start, &mut members);
        members
    }

    /// All that a capability requires, directly or not, the nearest first, without itself.
    pub fn requires_closure(&self, id: &str) -> Vec<&str> {
        let start: VecDeque<&str> = self.get(id).map(|c| c.id().as_str()).into_iter().collect();
        let mut seen = start.iter().copied().collect();
        self.add_required(start, &mut seen)
    }

    /// Adds what those in the queue require to what was seen, each once, and says what was added.
    fn add_required<'a>(
        &'a self,
        mut queue: VecDeque<&'a str>,
        seen: &mut BTreeSet<&'a str>,
    ) -> Vec<&'a str> {
        let mut added = vec![];
        while let Some(id) = queue.pop_front() {
            let Some(capability) = self.capabilities.get(id) else { continue };
            for required in &capability.manifest.requires {
                if seen.insert(required.as_str()) {
                    added.push(required.as_str());
                    queue.push_back(required.as_str());
                }
            }
        }
        added
    }

    /// What hooks in at a point, in the order in which it runs: gates by id, the others so that who
    /// makes something comes before who needs it.
    pub fn at_point(&self, point: Point) -> HooksAtPoint<'_> {
        let mut at = HooksAtPoint::default();
        for capability in self.capabilities() {
            let Some(feature) = capability.manifest.feature() else { continue };
            let steps = feature.steps.iter().filter(|step| step.point.value == point);
            at.steps.extend(steps.map(|step| (capability, step)));
            let contributions = feature.contributions.iter().filter(|c| c.point.value == point);
            at.contributions.extend(contributions.map(|c| (capability, c)));
            let gates = feature.gates.iter().filter(|gate| gate.point.value == point);
            at.gates.extend(gates.map(|gate| (capability, gate)));
        }
        at.steps = sorted(at.steps, HookKind::Step, |step| (&step.produces, &step.consumes));
        at.contributions =
            sorted(at.contributions, HookKind::Contribution, |c| (&c.produces, &c.consumes));
        at
    }

    /// All lanes: gsd's own first, then those of overlays. Those whose capability may not run
    /// anything yet are there, too; whoever calls them has to look at `may_run`.
    pub fn lanes(&self) -> Roster {
        let lane = |capability: &Capability| {
            let descriptor = capability.manifest.lane()?.descriptor.clone();
            let origin = match capability.provenance {
                Provenance::FirstParty => Origin::FirstParty,
                Provenance::Installed(_) => Origin::Overlay,
                Provenance::Unmanaged(_) => Origin::Unapproved,
            };
            Some(Lane { capability: capability.id().clone(), origin, descriptor })
        };
        Roster::of(self.capabilities().filter_map(lane)).0
    }
}

type Artifacts<'a> = &'a [crate::json::At<crate::hook::Artifact>];

fn sorted<'a, T>(
    hooks: Vec<(&'a Capability, &'a T)>,
    kind: HookKind,
    artifacts: impl Fn(&'a T) -> (Artifacts<'a>, Artifacts<'a>),
) -> Vec<(&'a Capability, &'a T)> {
    let items: Vec<Item<'_>> = hooks
        .iter()
        .enumerate()
        .map(|(index, (capability, hook))| {
            let (produces, consumes) = artifacts(hook);
            Item {
                key: (capability.id().as_str(), index),
                produces: produces.iter().map(|a| a.as_str()).collect(),
                consumes: consumes.iter().map(|a| a.as_str()).collect(),
            }
        })
        .collect();
    match order(&items) {
        Ok(positions) => positions.into_iter().map(|at| hooks[at]).collect(),
        // Composition takes cycles out, and a test checks gsd's own capabilities.
        Err(cycle) => {
            unreachable!("{kind:?} of a composed registry wait for each other: {cycle:?}")
        }
    }
}
