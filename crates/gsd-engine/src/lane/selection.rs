//! Which lanes a run asks: pure, from what the user says, what the settings say and what is here.
//!
//! The first source that says anything decides alone: lanes named on the command line, then
//! `--all`, then `review.default_reviewers`, then everything that is here. `--exclude` acts last.
//! A lane that was named and cannot run is an error; one that nobody named is news at most.
//! The lane that is the host running gsd does not review its own work unless it is named, and then
//! it does not count as an independent voice.

mod itself;

pub use itself::{Itself, itself};

use super::roster::Roster;
use super::settings::Reviewers;
use super::withheld::News;
use super::words::words;
use crate::diag::Location;
use crate::id::LaneSlug;
use crate::text::{nearest, printable};
use std::collections::{BTreeMap, BTreeSet};

words! {
    /// Who decided which lanes are asked.
    SelectionSource {
        ExplicitFlags = "explicit_flags",
        AllFlag = "all_flag",
        ConfigDefault = "config_default",
        NoConfigAllDetected = "no_config_all_detected",
    }
}

words! {
    /// Whether a named lane that is not here is an error.
    Missing {
        Error = "error",
        /// `--only-available`.
        Note = "note",
    }
}

/// What the user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Slugs and instance names, from flags and `--lanes`.
    pub named: Vec<String>,
    pub all: bool,
    /// Slugs and instance names.
    pub exclude: Vec<String>,
    pub missing: Missing,
    pub itself: Itself,
}

/// What a probe said about each lane; a lane that is absent was not probed and counts as not here.
pub type Detected = BTreeMap<LaneSlug, Result<(), Absence>>;

/// Why a lane is not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    pub why: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

/// One reviewer of a run: a lane, or an instance of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub lane: LaneSlug,
    pub kind: IdentityKind,
    pub model: Option<String>,
    pub agent: Option<String>,
    /// Named by a flag or by `--lanes`.
    pub named: bool,
    /// Not the host that runs gsd.
    pub independent: bool,
}

words! {
    IdentityKind {
        Builtin = "builtin",
        Instance = "instance",
    }
}

words! {
    /// Why a lane was not selected.
    Why {
        NotAsked = "not-asked",
        NotHere = "not-here",
        Itself = "self",
        Excluded = "excluded",
    }
}

/// One thing to tell about a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// What it is about: a slug, a name, or a setting.
    pub subject: String,
    pub kind: RemarkKind,
    pub message: String,
    pub help: Option<String>,
    pub at: Option<Location>,
}

words! {
    RemarkKind {
        /// There is no lane and no instance of that name.
        Unknown = "unknown",
        /// Known, and not here.
        NotHere = "not-here",
        Itself = "self",
        Excluded = "excluded",
        /// Its prompt does not fit its budget.
        OverBudget = "over-budget",
        /// Nothing is left to ask.
        NothingLeft = "nothing-left",
        /// A setting is malformed.
        Setting = "setting",
    }
}

/// What a run asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub source: SelectionSource,
    /// In roster order; the instances of a lane after it, by name.
    pub selected: Vec<Identity>,
    pub not_selected: Vec<(String, Why)>,
    /// Any of these stops the run before a prompt leaves.
    pub errors: Vec<Remark>,
    pub warnings: Vec<Remark>,
    pub infos: Vec<Remark>,
    /// Two or more identities run the same lane, so their agreement says less.
    pub shared_adapter: bool,
}

/// The lane that is part of gsd: never the host, always a voice of its own.
const OWN_LANE: &str = "plan-lint";

/// The lanes that must be probed before [`select`] can decide; nobody asks more than needed.
pub fn to_probe(request: &Request, reviewers: &Reviewers, roster: &Roster) -> BTreeSet<LaneSlug> {
    let lane_of = |name: &String| -> Option<LaneSlug> {
        let name = name.to_lowercase();
        let instance = reviewers.instances.get(&name).map(|instance| instance.lane.clone());
        instance.or_else(|| roster.by_slug(&name).map(|lane| lane.slug().clone()))
    };
    let excluded: Vec<String> = request.exclude.iter().map(|name| name.to_lowercase()).collect();
    let wanted: BTreeSet<LaneSlug> = if !request.named.is_empty() {
        request.named.iter().filter_map(lane_of).collect()
    } else if let (false, Some(defaults)) = (request.all, &reviewers.defaults) {
        defaults.iter().filter_map(|entry| lane_of(&entry.name)).collect()
    } else {
        roster.iter().map(|lane| lane.slug().clone()).collect()
    };
    wanted.into_iter().filter(|slug| !excluded.iter().any(|name| name == slug.as_str())).collect()
}

/// Decides.
pub fn select(
    request: &Request,
    reviewers: &Reviewers,
    roster: &Roster,
    detected: &Detected,
) -> Selection {
    let mut chooser = Chooser { request, reviewers, roster, detected, out: Selection::new() };
    // Reported whoever decides: a fault that hides until the flag is left out is found too late.
    // But an instance that cannot be used stops nobody who names somebody else.
    for diagnostic in &reviewers.found {
        let remark = Remark {
            subject: "settings".to_owned(),
            kind: RemarkKind::Setting,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            at: Some(diagnostic.at.clone()),
        };
        if Reviewers::is_about_instance(diagnostic) && !request.named.is_empty() {
            chooser.out.warnings.push(remark);
        } else {
            chooser.out.errors.push(remark);
        }
    }
    chooser.out.source = if !request.named.is_empty() {
        chooser.named();
        SelectionSource::ExplicitFlags
    } else if request.all {
        chooser.everything();
        SelectionSource::AllFlag
    } else if reviewers.defaults.is_some() {
        chooser.defaults();
        SelectionSource::ConfigDefault
    } else {
        chooser.everything();
        SelectionSource::NoConfigAllDetected
    };
    chooser.exclude();
    chooser.finish()
}

impl Selection {
    fn new() -> Self {
        Self {
            source: SelectionSource::NoConfigAllDetected,
            selected: vec![],
            not_selected: vec![],
            errors: vec![],
            warnings: vec![],
            infos: vec![],
            shared_adapter: false,
        }
    }
}

struct Chooser<'a> {
    request: &'a Request,
    reviewers: &'a Reviewers,
    roster: &'a Roster,
    detected: &'a Detected,
    out: Selection,
}

impl Chooser<'_> {
    /// A lane or an instance by its name, in lower case.
    fn identity(&self, name: &str, named: bool) -> Option<Identity> {
        let instance = self.reviewers.instances.get(name);
        let (lane, kind) = match instance {
            Some(instance) => (instance.lane.clone(), IdentityKind::Instance),
            None => (self.roster.by_slug(name)?.slug().clone(), IdentityKind::Builtin),
        };
        Some(Identity {
            name: name.to_owned(),
            independent: !self.is_itself(&lane),
            lane,
            kind,
            model: instance.and_then(|instance| instance.model.clone()),
            agent: instance.and_then(|instance| instance.agent.clone()),
            named,
        })
    }

    fn is_itself(&self, lane: &LaneSlug) -> bool {
        lane.as_str() != OWN_LANE && self.request.itself.is(lane)
    }

    fn excluded(&self, identity: &Identity) -> bool {
        self.request.exclude.iter().any(|name| {
            let name = name.to_lowercase();
            name == identity.name || name == identity.lane.as_str()
        })
    }

    /// Why a lane is not here, if it is not.
    fn absence(&self, lane: &LaneSlug) -> Option<Absence> {
        match self.detected.get(lane) {
            Some(Ok(())) => None,
            Some(Err(absence)) => Some(absence.clone()),
            None => Some(Absence { why: "it is not here".to_owned(), remedy: None }),
        }
    }

    fn unknown(&self, name: &str, at: Option<Location>) -> Remark {
        Remark::unknown(name, self.reviewers, self.roster, at)
    }

    fn named(&mut self) {
        let names: BTreeSet<String> = self.request.named.iter().map(|n| n.to_lowercase()).collect();
        for name in names {
            let Some(identity) = self.identity(&name, true) else {
                match self.roster.withheld_as(&name) {
                    Some(withheld) => self.miss(name, withheld.absence()),
                    None => {
                        let remark = self.unknown(&name, None);
                        self.out.errors.push(remark);
                    }
                }
                continue;
            };
            if self.excluded(&identity) {
                self.out.selected.push(identity);
                continue;
            }
            match self.absence(&identity.lane) {
                None => self.out.selected.push(identity),
                Some(absence) => self.miss(identity.name, absence),
            }
        }
        if self.out.selected.is_empty() && self.out.errors.is_empty() {
            self.out.errors.push(Remark::nothing("none of the named reviewers can run"));
        }
    }

    /// Somebody was named who cannot be asked.
    fn miss(&mut self, name: String, absence: Absence) {
        let remark = Remark::not_here(&name, absence);
        match self.request.missing {
            Missing::Error => self.out.errors.push(remark),
            Missing::Note => self.out.infos.push(remark),
        }
        self.out.not_selected.push((name, Why::NotHere));
    }

    fn everything(&mut self) {
        let slugs: Vec<String> = self.roster.iter().map(|lane| lane.slug().to_string()).collect();
        for slug in slugs {
            let Some(identity) = self.identity(&slug, false) else { continue };
            if self.absence(&identity.lane).is_some() {
                self.out.not_selected.push((identity.name, Why::NotHere));
            } else {
                self.take_unless_itself(identity);
            }
        }
        let withheld = self.roster.withheld().filter(|withheld| withheld.news == News::Told);
        let names = withheld.map(|withheld| (withheld.name().to_owned(), Why::NotHere));
        self.out.not_selected.extend(names);
        self.refuse_only_itself();
    }

    fn defaults(&mut self) {
        let entries = self.reviewers.defaults.clone().unwrap_or_default();
        for entry in entries {
            let Some(identity) = self.identity(&entry.name, false) else {
                if let Some(withheld) = self.roster.withheld_as(&entry.name) {
                    self.out.warnings.push(Remark::not_here(&entry.name, withheld.absence()));
                    self.out.not_selected.push((entry.name, Why::NotHere));
                    continue;
                }
                let remark = self.unknown(&entry.name, entry.at);
                // Where nobody has instances a stray name is a lane of another version; where
                // somebody has, it is a typing mistake.
                if self.reviewers.instances.is_empty() {
                    self.out.warnings.push(remark);
                } else {
                    self.out.errors.push(remark);
                }
                continue;
            };
            if let Some(absence) = self.absence(&identity.lane) {
                self.out.infos.push(Remark::not_here(&identity.name, absence));
                self.out.not_selected.push((identity.name, Why::NotHere));
            } else {
                self.take_unless_itself(identity);
            }
        }
        self.refuse_only_itself();
        if self.out.selected.is_empty() && self.out.errors.is_empty() {
            let message = "none of the reviewers in `review.default_reviewers` can run";
            self.out.errors.push(Remark::nothing(message));
        }
    }

    fn take_unless_itself(&mut self, identity: Identity) {
        if identity.independent {
            self.out.selected.push(identity);
            return;
        }
        self.out.infos.push(Remark {
            subject: identity.name.clone(),
            kind: RemarkKind::Itself,
            message: format!("`{}` is the program that runs gsd and is left out", identity.name),
            help: Some("name it to ask it all the same".to_owned()),
            at: None,
        });
        self.out.not_selected.push((identity.name, Why::Itself));
    }

    /// A review by nobody but its author is none.
    fn refuse_only_itself(&mut self) {
        let left = self.out.selected.iter().any(|identity| !self.excluded(identity));
        let dropped = self.out.not_selected.iter().any(|(_, why)| *why == Why::Itself);
        if !left && dropped {
            let message = "the only reviewer here is the program that runs gsd";
            self.out.errors.push(Remark::nothing(message));
        }
    }

    fn exclude(&mut self) {
        for name in &self.request.exclude {
            let name = name.to_lowercase();
            if self.identity(&name, false).is_none() {
                let remark = self.unknown(&name, None);
                self.out.errors.push(remark);
            }
        }
        let selected = std::mem::take(&mut self.out.selected);
        let any = !selected.is_empty();
        let (excluded, kept): (Vec<_>, Vec<_>) =
            selected.into_iter().partition(|identity| self.excluded(identity));
        self.out.selected = kept;
        self.out.not_selected.extend(excluded.into_iter().map(|i| (i.name, Why::Excluded)));
        if any && self.out.selected.is_empty() && self.out.errors.is_empty() {
            self.out.errors.push(Remark::nothing("`--exclude` leaves no reviewer"));
        }
    }

    fn finish(mut self) -> Selection {
        let roster = self.roster;
        let rank = |lane: &LaneSlug| roster.position(lane).unwrap_or(usize::MAX);
        self.out.selected.sort_by(|a, b| {
            (rank(&a.lane), a.kind, &a.name).cmp(&(rank(&b.lane), b.kind, &b.name))
        });
        let lanes: BTreeSet<&LaneSlug> = self.out.selected.iter().map(|i| &i.lane).collect();
        self.out.shared_adapter = lanes.len() < self.out.selected.len();
        let known: BTreeSet<String> = self
            .out
            .selected
            .iter()
            .map(|identity| identity.name.clone())
            .chain(self.out.not_selected.iter().map(|(name, _)| name.clone()))
            .collect();
        for lane in self.roster.iter().filter(|lane| !known.contains(lane.slug().as_str())) {
            self.out.not_selected.push((lane.slug().to_string(), Why::NotAsked));
        }
        self.out.not_selected.sort();
        self.out.errors.sort_by(|a, b| (&a.subject, &a.message).cmp(&(&b.subject, &b.message)));
        self.out.errors.dedup();
        self.out
    }
}

impl Remark {
    /// A name that is neither a lane nor an instance.
    pub fn unknown(
        name: &str,
        reviewers: &Reviewers,
        roster: &Roster,
        at: Option<Location>,
    ) -> Self {
        let lanes = roster.iter().map(|lane| lane.slug().as_str());
        let known: Vec<&str> =
            lanes.chain(reviewers.instances.keys().map(String::as_str)).collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are {}", known.join(", ")),
        };
        Remark {
            subject: name.to_owned(),
            kind: RemarkKind::Unknown,
            message: format!("there is no reviewer `{}`", printable(name, 80)),
            help: Some(help),
            at,
        }
    }

    fn not_here(name: &str, absence: Absence) -> Self {
        Self {
            subject: name.to_owned(),
            kind: RemarkKind::NotHere,
            message: format!("`{}` cannot run: {}", printable(name, 80), absence.why),
            help: absence.remedy,
            at: None,
        }
    }

    fn nothing(message: &str) -> Self {
        Self {
            subject: String::new(),
            kind: RemarkKind::NothingLeft,
            message: message.to_owned(),
            help: None,
            at: None,
        }
    }
}

#[cfg(test)]
mod tests;
