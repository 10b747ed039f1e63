//! What only one capability may have: its id, its skills and agents, its settings, its words of the
//! command line, the slug, flags and heading of its lane, and the artefacts it makes at a point.

use super::MAX_ALIKE;
use crate::diag::{Diagnostic, Level, Location, Rule};
use crate::id::Point;
use crate::manifest::Manifest;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

macro_rules! duplicate_rules {
    ($($name:ident $code:literal $docs:literal $summary:literal;)+) => {$(
        #[doc = $summary]
        pub(super) static $name: Rule = Rule {
            code: $code,
            level: Level::Error,
            summary: $summary,
            docs: include_str!($docs),
        };
    )+};
}

duplicate_rules! {
    DUPLICATE_AGENT "registry/duplicate-agent" "duplicate_agent.md" "two capabilities own one agent";
    DUPLICATE_CONFIG_KEY "registry/duplicate-config-key" "duplicate_config_key.md" "two capabilities declare one setting";
    DUPLICATE_FAMILY "registry/duplicate-command-family" "duplicate_family.md" "two capabilities bring one command family";
    DUPLICATE_FLAG "registry/duplicate-lane-flag" "duplicate_flag.md" "two lanes have one flag";
    DUPLICATE_HEADING "registry/duplicate-lane-heading" "duplicate_heading.md" "two lanes have one heading";
    DUPLICATE_ID "registry/duplicate-id" "duplicate_id.md" "two capabilities have one id";
    DUPLICATE_PRODUCER "registry/duplicate-producer" "duplicate_producer.md" "two hooks make one artefact at one point";
    DUPLICATE_SKILL "registry/duplicate-skill" "duplicate_skill.md" "two capabilities own one skill";
    DUPLICATE_SLUG "registry/duplicate-lane-slug" "duplicate_slug.md" "two lanes have one slug";
}

/// Something that only one capability may have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Claim<'a> {
    Id(&'a str),
    Skill(&'a str),
    Agent(&'a str),
    ConfigKey(&'a str),
    Family(&'a str),
    Slug(&'a str),
    Flag(&'a str),
    /// Without case, its white space collapsed.
    Heading(Cow<'a, str>),
    Producer(Point, &'a str),
}

impl Claim<'_> {
    pub(super) fn rule(&self) -> &'static Rule {
        match self {
            Self::Id(_) => &DUPLICATE_ID,
            Self::Skill(_) => &DUPLICATE_SKILL,
            Self::Agent(_) => &DUPLICATE_AGENT,
            Self::ConfigKey(_) => &DUPLICATE_CONFIG_KEY,
            Self::Family(_) => &DUPLICATE_FAMILY,
            Self::Slug(_) => &DUPLICATE_SLUG,
            Self::Flag(_) => &DUPLICATE_FLAG,
            Self::Heading(_) => &DUPLICATE_HEADING,
            Self::Producer(..) => &DUPLICATE_PRODUCER,
        }
    }

    /// What is claimed, as a phrase.
    pub(super) fn phrase(&self) -> String {
        match self {
            Self::Id(name) => format!("the id `{name}`"),
            Self::Skill(name) => format!("the skill `{name}`"),
            Self::Agent(name) => format!("the agent `{name}`"),
            Self::ConfigKey(name) => format!("the setting `{name}`"),
            Self::Family(name) => format!("the command family `{name}`"),
            Self::Slug(name) => format!("the lane slug `{name}`"),
            Self::Flag(name) => format!("the lane flag `{name}`"),
            Self::Heading(name) => format!("the lane heading `{name}`"),
            Self::Producer(point, name) => format!("the artefact `{name}` at {point}"),
        }
    }
}

/// Calls `found` for everything that a manifest claims, with a function that makes its place: places
/// cost text, and most claims collide with nothing.
pub(super) fn each_claim<'a>(
    manifest: &'a Manifest,
    mut found: impl FnMut(Claim<'a>, &dyn Fn() -> Location),
) {
    let file = &manifest.file;
    found(Claim::Id(manifest.id.as_str()), &|| manifest.at());
    for entry in &manifest.config {
        found(Claim::ConfigKey(entry.key.as_str()), &|| entry.key.place(file));
    }
    for command in &manifest.commands {
        found(Claim::Family(command.family.as_str()), &|| command.family.place(file));
    }
    if let Some(feature) = manifest.feature() {
        // What a manifest lists twice it was told about already.
        let mut seen = HashSet::new();
        for skill in feature.skills.iter().filter(|skill| seen.insert(skill.as_str())) {
            found(Claim::Skill(skill.as_str()), &|| skill.place(file));
        }
        let mut seen = HashSet::new();
        for agent in feature.agents.iter().filter(|agent| seen.insert(agent.as_str())) {
            found(Claim::Agent(agent.as_str()), &|| agent.place(file));
        }
        for step in &feature.steps {
            for artifact in &step.produces {
                let claim = Claim::Producer(step.point.value, artifact.as_str());
                found(claim, &|| artifact.place(file));
            }
        }
        for contribution in &feature.contributions {
            for artifact in &contribution.produces {
                let claim = Claim::Producer(contribution.point.value, artifact.as_str());
                found(claim, &|| artifact.place(file));
            }
        }
    }
    if let Some(lane) = manifest.lane() {
        found(Claim::Slug(lane.descriptor.slug.as_str()), &|| lane.slug_at.clone());
        for (flag, at) in lane.descriptor.flags.iter().zip(&lane.flags_at) {
            found(Claim::Flag(flag.as_str()), &|| at.clone());
        }
        let heading = Cow::Owned(lane.descriptor.heading.folded());
        found(Claim::Heading(heading), &|| lane.heading_at.clone());
    }
}

/// One diagnostic for everything that several manifests claim, naming all of them, independent of
/// their order.
pub(super) fn check_claims(manifests: &[&Manifest]) -> Vec<Diagnostic> {
    let mut claimants: BTreeMap<Claim<'_>, Vec<(usize, Location)>> = BTreeMap::new();
    let mut counts: HashMap<Claim<'_>, usize> = HashMap::new();
    for manifest in manifests {
        each_claim(manifest, |claim, _| *counts.entry(claim).or_default() += 1);
    }
    for (index, manifest) in manifests.iter().enumerate() {
        each_claim(manifest, |claim, place| {
            if counts.get(&claim).is_some_and(|count| *count > 1) {
                claimants.entry(claim).or_default().push((index, place()));
            }
        });
    }
    let say = |(claim, mut who): (Claim<'_>, Vec<(usize, Location)>)| {
        who.sort_by(|(a, at), (b, bt)| {
            let id = |index: &usize| manifests[*index].id.as_str();
            (id(a), at.file.name(), at.span.start).cmp(&(id(b), bt.file.name(), bt.span.start))
        });
        let mut ids: Vec<String> =
            who.iter().map(|(index, _)| format!("`{}`", manifests[*index].id.value)).collect();
        ids.dedup();
        let message = match ids.as_slice() {
            [only] => format!("{} is claimed {} times by {only}", claim.phrase(), who.len()),
            _ => format!("{} is claimed by {}", claim.phrase(), and(&ids)),
        };
        let mut places = who.into_iter();
        let (_, at) = places.next().expect("a claim was counted more than once");
        let mut diagnostic = claim.rule().at(at, message).label("claimed here");
        for (_, at) in places {
            diagnostic = diagnostic.also(at, "and here");
        }
        diagnostic.help("only one capability can have it: rename or remove the others")
    };
    claimants.into_iter().take(MAX_ALIKE).map(say).collect()
}

/// `a`, `b` and `c`.
pub(super) fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
