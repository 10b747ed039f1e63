//! The file of approvals in the user's home.
//!
//! It is read tolerantly of what a newer gsd may add to an entry, and of nothing else: a file that
//! cannot be understood approves nothing and is never overwritten. It counts only where nobody but
//! the user can have written it: not inside a project, not open to others.

use super::approval::{Approval, Approvals, Endpoint, Holds};
use crate::id::CapabilityId;
use crate::lane::{During, LaneReport, Reason, State};
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::clock;
use gsd_io::env::Env;
use gsd_io::fs::{self, Links, ReadError, WriteError};
use gsd_io::lock::{self, Lock, LockError, Owner};
use serde_json::{Map, Value, json};
use std::error::Error;
use std::time::Duration;

const MAX_BYTES: u64 = 4 << 20;
const MAX_APPROVALS: usize = 4096;
/// How long another process may be at the file.
const PATIENCE: Duration = Duration::from_secs(10);
const VERSION: &str = "1";

/// The file, wherever the user's home is.
#[derive(Debug, Clone)]
pub struct Hosts {
    path: Utf8PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum HostsError {
    #[error("approvals are kept in the home folder, and `HOME` names none")]
    NoHome,
    #[error("`{path}` lies inside the project `{project}`, so it is no word of the user")]
    InsideProject { path: Utf8PathBuf, project: Utf8PathBuf },
    #[error("`{path}` can be changed by others than its user")]
    NotPrivate { path: Utf8PathBuf },
    #[error("the approvals cannot be read")]
    Unreadable(#[source] ReadError),
    #[error("`{path}` is no list of approvals: {what}")]
    Corrupt { path: Utf8PathBuf, what: String },
    #[error("the approvals are being changed by somebody else")]
    Lock(#[source] LockError),
    #[error("the approvals cannot be kept")]
    Write(#[source] WriteError),
}

impl HostsError {
    /// Whether there is a file that nobody can make sense of, or that must not be trusted.
    pub fn is_about_the_file(&self) -> bool {
        match self {
            Self::NotPrivate { .. } | Self::Unreadable(_) | Self::Corrupt { .. } => true,
            Self::NoHome | Self::InsideProject { .. } | Self::Lock(_) | Self::Write(_) => false,
        }
    }

    /// The report of a lane that would need an approval.
    pub fn report(&self) -> LaneReport {
        let why = self.source().map_or_else(|| self.to_string(), ToString::to_string);
        let message = format!("no approval of the user counts: {why}");
        let report = LaneReport::not_called(State::Blocked, Reason::Policy, message);
        report.during(During::Probe).remedy(self.remedy())
    }

    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::NoHome => "set `HOME` to an absolute path".to_owned(),
            Self::InsideProject { .. } => "use a `HOME` outside of every project".to_owned(),
            Self::NotPrivate { path } => {
                format!("look at what it approves, then `chmod 600 {path}` as its owner")
            }
            Self::Unreadable(_) | Self::Corrupt { .. } => {
                "mend it, or remove it and approve anew; it was not changed".to_owned()
            }
            Self::Lock(_) => "try again when the other process is done".to_owned(),
            Self::Write(_) => "make the folder writable".to_owned(),
        }
    }
}

/// What the user approved, as it is now.
pub fn approvals(env: &Env) -> Result<Approvals, HostsError> {
    Hosts::of_user(env)?.read()
}

impl Hosts {
    /// `~/.gsd/hosts.json`.
    pub fn of_user(env: &Env) -> Result<Self, HostsError> {
        let home = env.home().ok_or(HostsError::NoHome)?;
        Ok(Self { path: home.join(".gsd").join("hosts.json") })
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// What is approved. A file that is not there approves nothing.
    pub fn read(&self) -> Result<Approvals, HostsError> {
        Ok(Approvals::new(self.load()?.approvals))
    }

    /// Records an approval. It replaces the one that counted in the same place before.
    pub fn approve(
        &self,
        approval: &Approval,
        project: &Utf8Path,
        cancel: &Cancel,
    ) -> Result<(), HostsError> {
        let _lock = self.lock("gsd review trust-host", cancel)?;
        let mut document = self.load()?;
        // One for this project would otherwise stand above the one for all that is given now.
        let replaced = |old: &Approval| {
            let here = match &old.holds {
                Holds::InProject(root) => root == project,
                Holds::Everywhere => approval.holds == Holds::Everywhere,
            };
            old.capability == approval.capability && here
        };
        document.retain(|old| !replaced(old));
        if document.approvals.len() >= MAX_APPROVALS {
            return Err(self.corrupt(&format!("it has {MAX_APPROVALS} approvals already")));
        }
        document.push(approval);
        self.save(&document)
    }

    /// Takes back every approval of a capability, in whatever project; gives those it took back.
    pub fn revoke(
        &self,
        capability: &CapabilityId,
        cancel: &Cancel,
    ) -> Result<Vec<Approval>, HostsError> {
        let _lock = self.lock("gsd review trust revoke", cancel)?;
        let mut document = self.load()?;
        let gone = document.retain(|old| old.capability != *capability);
        if !gone.is_empty() {
            self.save(&document)?;
        }
        Ok(gone)
    }

    fn folder(&self) -> &Utf8Path {
        self.path.parent().unwrap_or(Utf8Path::new("/"))
    }

    fn lock(&self, command: &str, cancel: &Cancel) -> Result<Lock, HostsError> {
        self.outside_projects()?;
        fs::create_private_dir_all(self.folder()).map_err(HostsError::Write)?;
        let path = self.folder().join("hosts.lock");
        let deadline = clock::now() + PATIENCE;
        lock::lock_until(&path, &Owner::this_process(command), deadline, cancel)
            .map_err(HostsError::Lock)
    }

    /// A file that a repository could bring along must not approve anything.
    fn outside_projects(&self) -> Result<(), HostsError> {
        // The folder need not be there yet; then the nearest one that is decides.
        let real = self.path.ancestors().skip(1).find_map(fs::canonical).unwrap_or_default();
        match real.ancestors().find(|folder| fs::kind(&folder.join(".planning")).is_some()) {
            Some(project) => Err(HostsError::InsideProject {
                path: self.path.clone(),
                project: project.to_owned(),
            }),
            None => Ok(()),
        }
    }

    fn load(&self) -> Result<Document, HostsError> {
        self.outside_projects()?;
        let text = match fs::read_text(&self.path, MAX_BYTES, Links::Refuse) {
            Ok(text) => text,
            Err(ReadError::NotFound { .. }) => return Ok(Document::empty()),
            Err(error) => return Err(HostsError::Unreadable(error)),
        };
        let others = [fs::file_privacy(&self.path), fs::privacy(self.folder())];
        let [file, folder] = others;
        let file = file.is_some_and(|p| p.owned_by_us && !p.group_may_write && !p.others_may_write);
        let folder = folder.is_none_or(|p| p.owned_by_us && !p.others_may_write);
        if !file || !folder {
            return Err(HostsError::NotPrivate { path: self.path.clone() });
        }
        Document::parse(&text).map_err(|what| self.corrupt(&what))
    }

    fn save(&self, document: &Document) -> Result<(), HostsError> {
        let mut text = serde_json::to_string_pretty(&document.root).expect("JSON is plain data");
        text.push('\n');
        fs::write_atomic_private(&self.path, text.as_bytes()).map_err(HostsError::Write)
    }

    fn corrupt(&self, what: &str) -> HostsError {
        HostsError::Corrupt { path: self.path.clone(), what: what.to_owned() }
    }
}

/// The file as it is, so that what a newer gsd put beside our fields stays there.
struct Document {
    root: Value,
    /// What each entry of `root` says, in its order.
    approvals: Vec<Approval>,
}

impl Document {
    fn empty() -> Self {
        Self { root: json!({ "version": VERSION, "approvals": [] }), approvals: vec![] }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let root: Value = serde_json::from_str(text).map_err(|error| {
            format!("it is not JSON (line {}, column {})", error.line(), error.column())
        })?;
        match root["version"].as_str() {
            Some(VERSION) => {}
            Some(_) => return Err("it was written by a newer version of gsd".to_owned()),
            None => return Err("it has no version".to_owned()),
        }
        let entries = root["approvals"].as_array().ok_or("it has no `approvals`")?;
        if entries.len() > MAX_APPROVALS {
            return Err(format!("it has more than {MAX_APPROVALS} approvals"));
        }
        let approvals = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| {
                read(entry).map_err(|what| format!("approval {} has {what}", index + 1))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { root, approvals })
    }

    fn entries(&mut self) -> &mut Vec<Value> {
        self.root["approvals"].as_array_mut().expect("it was read as a list")
    }

    /// Keeps what `keep` says; gives what it took out.
    fn retain(&mut self, keep: impl Fn(&Approval) -> bool) -> Vec<Approval> {
        let (mut kept, mut gone) = (vec![], vec![]);
        let mut entries = vec![];
        for (approval, entry) in
            std::mem::take(&mut self.approvals).into_iter().zip(std::mem::take(self.entries()))
        {
            if keep(&approval) {
                kept.push(approval);
                entries.push(entry);
            } else {
                gone.push(approval);
            }
        }
        self.approvals = kept;
        *self.entries() = entries;
        gone
    }

    fn push(&mut self, approval: &Approval) {
        self.entries().push(write(approval));
        self.approvals.push(approval.clone());
    }
}

fn read(entry: &Value) -> Result<Approval, String> {
    let text = |field: &str| entry[field].as_str().ok_or_else(|| format!("no `{field}`"));
    let capability = text("capability")?;
    let capability = CapabilityId::parse(capability)
        .map_err(|_| format!("`{}` as a capability", printable(capability, 80)))?;
    let (origin, path) = (text("origin")?, text("path")?);
    let endpoint = Endpoint::parse(origin, path)
        .ok_or_else(|| format!("`{}` as an address", printable(&format!("{origin}{path}"), 200)))?;
    let holds = match &entry["project"] {
        Value::Null => Holds::Everywhere,
        Value::String(root) if root.starts_with('/') => Holds::InProject(root.into()),
        Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {
            return Err("a `project` that is no absolute path".to_owned());
        }
    };
    let approved_at = text("approvedAt")?.to_owned();
    Ok(Approval { capability, endpoint, holds, approved_at })
}

fn write(approval: &Approval) -> Value {
    let mut entry = Map::new();
    entry.insert("capability".to_owned(), approval.capability.as_str().into());
    entry.insert("origin".to_owned(), approval.endpoint.origin().as_str().into());
    entry.insert("path".to_owned(), approval.endpoint.path().into());
    if let Holds::InProject(root) = &approval.holds {
        entry.insert("project".to_owned(), root.as_str().into());
    }
    entry.insert("approvedAt".to_owned(), approval.approved_at.as_str().into());
    Value::Object(entry)
}
