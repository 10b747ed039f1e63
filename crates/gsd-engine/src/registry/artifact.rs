//! Whether every artefact that a hook needs is there when it runs.
//!
//! The host's own artefacts are there from a point of its contract on; those of hooks from the
//! point of the hook that makes them. A hook cannot wait for itself.

use super::MAX_ALIKE;
use crate::diag::{Diagnostic, Level, Location, Rule};
use crate::hook::order::{Cycle, Item, order};
use crate::hook::{Artifact, host_contract};
use crate::id::Point;
use crate::json::At;
use crate::manifest::Manifest;
use std::collections::{BTreeMap, HashMap};

/// A hook needs what only it makes.
pub(super) static ARTIFACT_OWN: Rule = Rule {
    code: "registry/artifact-own",
    level: Level::Error,
    summary: "a hook needs an artefact that only it makes",
    docs: include_str!("artifact_own.md"),
};

/// A hook needs what is made later.
pub(super) static ARTIFACT_LATE: Rule = Rule {
    code: "registry/artifact-late",
    level: Level::Error,
    summary: "a hook needs an artefact that is made later",
    docs: include_str!("artifact_late.md"),
};

/// A hook needs what nobody makes.
pub(super) static ARTIFACT_MISSING: Rule = Rule {
    code: "registry/artifact-missing",
    level: Level::Error,
    summary: "a hook needs an artefact that nobody makes",
    docs: include_str!("artifact_missing.md"),
};

/// Hooks at one point wait for each other.
pub(super) static ORDER_CYCLE: Rule = Rule {
    code: "registry/order-cycle",
    level: Level::Error,
    summary: "hooks at one point wait for each other",
    docs: include_str!("order_cycle.md"),
};

/// The hooks of a capability that make or need artefacts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hook<'a> {
    pub(super) kind: HookKind,
    /// The position among the capability's hooks of that kind.
    pub(super) index: usize,
    pub(super) point: Point,
    pub(super) point_at: &'a At<Point>,
    pub(super) produces: &'a [At<Artifact>],
    pub(super) consumes: &'a [At<Artifact>],
}

/// Steps and contributions are ordered apart from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum HookKind {
    Step,
    Contribution,
}

pub(super) fn hooks(manifest: &Manifest) -> impl Iterator<Item = Hook<'_>> {
    let feature = manifest.feature();
    let steps = feature.into_iter().flat_map(|feature| feature.steps.iter().enumerate());
    let contributions =
        feature.into_iter().flat_map(|feature| feature.contributions.iter().enumerate());
    let steps = steps.map(|(index, step)| Hook {
        kind: HookKind::Step,
        index,
        point: step.point.value,
        point_at: &step.point,
        produces: &step.produces,
        consumes: &step.consumes,
    });
    let contributions = contributions.map(|(index, contribution)| Hook {
        kind: HookKind::Contribution,
        index,
        point: contribution.point.value,
        point_at: &contribution.point,
        produces: &contribution.produces,
        consumes: &contribution.consumes,
    });
    steps.chain(contributions)
}

/// Who makes what, and when: for each artefact the points of its makers.
#[derive(Debug, Default)]
pub(super) struct Makers<'a> {
    /// Each maker as (point, capability, kind, index), the earliest first.
    by_artifact: HashMap<&'a str, Vec<Maker>>,
}

type Maker = (Point, usize, HookKind, usize);

impl<'a> Makers<'a> {
    pub(super) fn of(manifests: impl Iterator<Item = (usize, &'a Manifest)>) -> Self {
        let mut by_artifact: HashMap<&str, Vec<Maker>> = HashMap::new();
        for (at, manifest) in manifests {
            for hook in hooks(manifest) {
                for artifact in hook.produces {
                    let maker = (hook.point, at, hook.kind, hook.index);
                    by_artifact.entry(artifact.as_str()).or_default().push(maker);
                }
            }
        }
        for makers in by_artifact.values_mut() {
            makers.sort_unstable();
        }
        Self { by_artifact }
    }

    /// Why a hook of the capability at `at` cannot have an artefact, if it cannot. `alive` says
    /// which capabilities count.
    pub(super) fn lacks(
        &self,
        at: usize,
        hook: &Hook<'_>,
        artifact: &str,
        alive: impl Fn(usize) -> bool,
    ) -> Option<Lack> {
        let host = host_contract().available_from(artifact);
        if host.is_some_and(|from| from <= hook.point) {
            return None;
        }
        let own = |maker: &Maker| (maker.1, maker.2, maker.3) == (at, hook.kind, hook.index);
        let makers = self.by_artifact.get(artifact).map(Vec::as_slice).unwrap_or_default();
        let mut itself = false;
        let mut later = host;
        for maker in makers.iter().filter(|maker| alive(maker.1)) {
            if own(maker) {
                itself = true;
            } else if maker.0 <= hook.point {
                return None;
            } else {
                later = Some(later.map_or(maker.0, |point| point.min(maker.0)));
                break;
            }
        }
        Some(match later {
            Some(point) => Lack::Late(point),
            None if itself => Lack::Own,
            None => Lack::Missing,
        })
    }
}

/// Why a hook cannot have an artefact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    /// Only the hook itself makes it.
    Own,
    /// It is there from that point on.
    Late(Point),
    Missing,
}

impl Lack {
    pub(super) fn diagnostic(self, point: Point, artifact: &str, at: Location) -> Diagnostic {
        match self {
            Self::Own => ARTIFACT_OWN
                .at(at, format!("`{artifact}` is needed and made by this hook alone"))
                .label("nobody else makes it")
                .help("remove it from `consumes`, or let another step make it first"),
            Self::Late(later) => ARTIFACT_LATE
                .at(at, format!("`{artifact}` is needed at {point} but made only at {later}"))
                .label(format!("there from {later} on"))
                .help(format!("move the hook to {later} or later")),
            Self::Missing => ARTIFACT_MISSING
                .at(at, format!("`{artifact}` is needed at {point}, and nobody makes it"))
                .label("made by no step and no host")
                .help("check the spelling, or add the capability that makes it to `requires`"),
        }
    }
}

/// Checks all hooks of a set.
pub(super) fn check_artifacts(manifests: &[&Manifest]) -> Vec<Diagnostic> {
    let makers = Makers::of(manifests.iter().copied().enumerate());
    let mut found = vec![];
    for (at, manifest) in manifests.iter().enumerate() {
        let lacking = hooks(manifest).flat_map(|hook| {
            let makers = &makers;
            hook.consumes.iter().filter_map(move |artifact| {
                let lack = makers.lacks(at, &hook, artifact.as_str(), |_| true)?;
                let place = artifact.place(&manifest.file);
                Some(lack.diagnostic(hook.point, artifact.as_str(), place))
            })
        });
        found.extend(lacking.take(MAX_ALIKE));
    }
    for cycle in cycles(manifests).into_iter().take(MAX_ALIKE) {
        found.push(cycle_diagnostic(manifests, &cycle));
    }
    found
}

/// Hooks at one point that wait for each other.
#[derive(Debug)]
pub(super) struct OrderCycle {
    pub(super) point: Point,
    /// The capabilities, as positions in the given list, and the hooks' own positions.
    pub(super) members: Vec<(usize, HookKind, usize)>,
}

/// Every cycle among the hooks of a set.
pub(super) fn cycles(manifests: &[&Manifest]) -> Vec<OrderCycle> {
    let mut groups: BTreeMap<(Point, HookKind), Vec<(usize, Hook<'_>)>> = BTreeMap::new();
    for (at, manifest) in manifests.iter().enumerate() {
        for hook in hooks(manifest) {
            groups.entry((hook.point, hook.kind)).or_default().push((at, hook));
        }
    }
    let mut found = vec![];
    for ((point, kind), members) in groups {
        let items: Vec<Item<'_>> = members
            .iter()
            .map(|(at, hook)| Item {
                key: (manifests[*at].id.as_str(), hook.index),
                produces: hook.produces.iter().map(|a| a.as_str()).collect(),
                consumes: hook.consumes.iter().map(|a| a.as_str()).collect(),
            })
            .collect();
        if let Err(Cycle(positions)) = order(&items) {
            let member =
                |position: &usize| (members[*position].0, kind, members[*position].1.index);
            found.push(OrderCycle { point, members: positions.iter().map(member).collect() });
        }
    }
    found
}

pub(super) fn cycle_diagnostic(manifests: &[&Manifest], cycle: &OrderCycle) -> Diagnostic {
    let place = |(at, kind, index): &(usize, HookKind, usize)| {
        let manifest = manifests[*at];
        hooks(manifest)
            .find(|hook| (hook.kind, hook.index) == (*kind, *index))
            .map_or_else(|| manifest.at(), |hook| hook.point_at.place(&manifest.file))
    };
    let mut ids: Vec<String> =
        cycle.members.iter().map(|(at, ..)| format!("`{}`", manifests[*at].id.value)).collect();
    ids.dedup();
    let message =
        format!("hooks of {} at {} wait for each other", super::claim::and(&ids), cycle.point);
    let mut places = cycle.members.iter().map(place);
    let first = places.next().unwrap_or_else(|| manifests[0].at());
    let mut diagnostic = ORDER_CYCLE.at(first, message).label("waits for the others");
    for at in places.take(MAX_ALIKE) {
        diagnostic = diagnostic.also(at, "and this one");
    }
    diagnostic.help("take one artefact out of `consumes`, or move one hook to another point")
}
