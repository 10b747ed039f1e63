//! What is taken already in a round, and by whom.

use crate::diag::Diagnostic;
use crate::manifest::Manifest;
use crate::registry::claim::{Claim, each_claim};
use crate::registry::cross::{self, prefixes};
use std::collections::{HashMap, HashSet};

/// Who has what. Manifests are named by their numbers in the arena.
#[derive(Debug, Default)]
pub(super) struct Claimed<'a> {
    claims: HashMap<Claim<'a>, usize>,
    keys: HashMap<&'a str, usize>,
    /// What keys begin with: `a` and `a.b` of `a.b.c`.
    beginnings: HashMap<&'a str, usize>,
}

impl<'a> Claimed<'a> {
    /// Gives a manifest everything that it claims.
    pub(super) fn add(&mut self, at: usize, manifest: &'a Manifest) {
        each_claim(manifest, |claim, _| {
            self.claims.entry(claim).or_insert(at);
        });
        for entry in &manifest.config {
            self.keys.insert(entry.key.as_str(), at);
            for beginning in prefixes(entry.key.as_str()) {
                self.beginnings.insert(beginning, at);
            }
        }
    }

    /// What a manifest claims although another one has it. The first `own` manifests are gsd's.
    pub(super) fn collisions(
        &self,
        at: usize,
        manifests: &[&'a Manifest],
        own: usize,
    ) -> Vec<Diagnostic> {
        let manifest = manifests[at];
        let whose = |owner: usize| {
            let id = &manifests[owner].id.value;
            if owner < own { format!("gsd's own `{id}`") } else { format!("`{id}`") }
        };
        let mut found = vec![];
        each_claim(manifest, |claim, place| {
            // A hook of its own may make an artefact at a point twice; `found` then names itself.
            if let Some(owner) = self.claims.get(&claim).filter(|owner| **owner != at) {
                let message = format!("{} belongs to {}", claim.phrase(), whose(*owner));
                let diagnostic = claim.rule().at(place(), message).label("taken");
                found.push(diagnostic.also(manifests[*owner].at(), "by this capability"));
            }
        });
        let mut made: HashSet<Claim<'_>> = HashSet::new();
        each_claim(manifest, |claim, place| {
            if let Claim::Producer(..) = claim
                && !made.insert(claim.clone())
            {
                let message = format!("{} is made by two hooks", claim.phrase());
                found.push(claim.rule().at(place(), message).label("made twice"));
            }
        });
        for entry in &manifest.config {
            let key = entry.key.as_str();
            let above = prefixes(key).find_map(|prefix| self.keys.get(prefix));
            let other = above.or_else(|| self.beginnings.get(key)).filter(|owner| **owner != at);
            if let Some(owner) = other {
                let whose = whose(*owner);
                let message = format!("the setting `{key}` does not go beside one of {whose}");
                let diagnostic = cross::CONFIG_OVERLAP.at(entry.key.place(&manifest.file), message);
                found.push(diagnostic.label("one key is the beginning of the other"));
            }
        }
        found
    }
}
