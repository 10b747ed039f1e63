//! What a capability brings that runs, sends or is written: shown before anything is installed, and
//! signed, so that an update that changes it asks again.
//!
//! A disclosure is made from the raw manifest, not from the typed one: whatever shape the manifest
//! has, nothing in it can hide another part. Two signatures are kept. The first one has the form
//! that other hosts of the ecosystem compare. The second one covers everything but a short list of
//! fields that are known to do nothing; what nobody thought of is signed.

mod bound;
mod destination;
mod difference;
mod document;
mod files;
mod lane;
mod lines;
mod loops;
mod raw;
mod signature;
mod stringify;
mod surface;

pub use destination::Destination;
pub use difference::{Change, Changes};
pub use files::{BundleFile, BundleFiles, BundleFilesError};
pub use lane::{LaneSurface, Run};
pub(super) use lines::MAX_LINE;
pub use loops::{LoopEntry, PromptText, Setting};
pub(super) use stringify::stringify;
pub use surface::{CommandModule, GateCommand, Hook, Server};

use serde_json::Value;

/// Everything of a capability that somebody has to agree to.
#[derive(Debug, Clone)]
pub struct Disclosure {
    pub hooks: Vec<Hook>,
    pub modules: Vec<CommandModule>,
    pub servers: Vec<Server>,
    pub gate_commands: Vec<GateCommand>,
    pub lane: Option<LaneSurface>,
    pub loops: Vec<LoopEntry>,
    pub prompts: Vec<PromptText>,
    pub settings: Vec<Setting>,
    /// Files that the manifest names and the bundle does not hold.
    pub missing: Vec<String>,
    files: BundleFiles,
    bound: Value,
}

/// Both signatures of a disclosure. If either differs from what was approved, it is asked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signatures {
    pub v1: String,
    pub v2: String,
}

impl Disclosure {
    /// Discloses a manifest of any shape. `configured` gives the text that a setting has now, for
    /// the places that prompts go to.
    pub fn of(
        manifest: &Value,
        files: &BundleFiles,
        configured: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let hooks = surface::hooks(manifest);
        let modules = surface::modules(manifest);
        let servers = surface::servers(manifest);
        let gate_commands = surface::gate_commands(manifest);
        let lane = lane::lane(manifest, configured);
        let prompts = loops::prompts(manifest, files);
        let executable = !hooks.is_empty()
            || !modules.is_empty()
            || !servers.is_empty()
            || !gate_commands.is_empty()
            || lane.is_some();
        let scripts = hooks.iter().map(|hook| hook.script.as_str());
        let named = scripts.chain(modules.iter().map(|module| module.module.as_str()));
        let mut missing: Vec<String> =
            named.filter(|path| !files.holds(path)).map(str::to_owned).collect();
        missing.sort();
        missing.dedup();
        Self {
            loops: loops::loops(manifest),
            settings: loops::settings(manifest),
            bound: bound::bound(manifest, executable.then_some(files)),
            files: files.clone(),
            hooks,
            modules,
            servers,
            gate_commands,
            lane,
            prompts,
            missing,
        }
    }

    /// Whether somebody has to agree before it is installed: it brings something that runs on this
    /// machine, or a place that plans are sent to.
    pub fn requires_consent(&self) -> bool {
        !self.hooks.is_empty()
            || !self.modules.is_empty()
            || !self.servers.is_empty()
            || !self.gate_commands.is_empty()
            || self.lane.is_some()
    }

    pub fn signatures(&self) -> Signatures {
        Signatures { v1: self.signature_v1(), v2: self.signature_v2() }
    }

    /// The form that other hosts of the ecosystem compare: hooks, modules, servers, and a lane.
    pub fn signature_v1(&self) -> String {
        signature::v1(self)
    }

    /// A hash over everything that is not known to be without effect.
    pub fn signature_v2(&self) -> String {
        signature::v2(&self.bound)
    }

    /// What the second signature covers. Kept with an approval, it lets a later disclosure say what
    /// changed.
    pub fn bound(&self) -> &Value {
        &self.bound
    }

    /// What changed since an older disclosure.
    pub fn changes_since(&self, old: &Self) -> Changes {
        Changes::between(&old.bound, &self.bound)
    }

    /// For people: what it brings, a line each. Nothing in them can move the cursor or hide text.
    pub fn lines(&self) -> Vec<String> {
        lines::lines(self)
    }

    /// The beginnings of lines about what runs that are too long to be read, with their lengths.
    pub fn unreadable(&self) -> Vec<(String, usize)> {
        lines::unreadable(self)
    }

    /// For programs: everything, as it is.
    pub fn to_json(&self) -> Value {
        document::document(self)
    }
}

#[cfg(test)]
mod tests;
