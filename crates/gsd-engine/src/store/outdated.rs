//! Asks each source whether it has something newer. Only metadata is read; one source that is slow,
//! gone or odd says nothing about another.

use super::confirmed::is_confirmed;
use super::content_hash::source_hash;
use super::{Entry, Ledger, LedgerError, Places};
use crate::id::CapabilityId;
use crate::registry::Scope;
use crate::source::{Base, FetchContext, Installed, Integrity, Peek, SourceSpec, Standing};
use camino::Utf8Path;
use semver::Version;
use std::sync::Mutex;

/// What is known of one installed capability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub id: CapabilityId,
    pub scope: Scope,
    pub source_kind: &'static str,
    /// As it is recorded.
    pub source: String,
    pub current: String,
    pub latest: Option<String>,
    /// The number of the key that has to have signed the next one.
    pub signer: Option<String>,
    pub standing: Standing,
    /// Why it is not known, if it is not.
    pub why: Option<String>,
}

/// Whether sources may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    Everybody,
    /// What is on this machine.
    Offline,
    /// No word of the user stands behind what the ledger says.
    Nobody,
}

/// No more sources are asked at once.
const AT_ONCE: usize = 8;

/// Compares everything that is installed in a scope.
pub fn outdated(
    places: &Places,
    scope: Scope,
    context: &FetchContext<'_>,
    asking: Asking,
) -> Result<Vec<Comparison>, LedgerError> {
    let ledger = Ledger::read(places.root(scope))?;
    let consents = match scope {
        // A home that lies in a project is no word of the user either.
        Scope::Global if places.home_is_trusted() => None,
        Scope::Global | Scope::Project => Some(places.consents()),
    };
    let entries: Vec<(&CapabilityId, &Entry)> = ledger.iter().collect();
    let next = Mutex::new(entries.iter().enumerate());
    let found = Mutex::new(vec![]);
    std::thread::scope(|threads| {
        for _ in 0..AT_ONCE.min(entries.len()) {
            threads.spawn(|| {
                loop {
                    let one = next.lock().expect("no thread panics with it").next();
                    let Some((index, (id, entry))) = one else { return };
                    let is_confirmed =
                        consents.as_ref().is_none_or(|known| is_confirmed(known, id, entry));
                    let asking = if is_confirmed { asking } else { Asking::Nobody };
                    let compared = compare(id, scope, entry, context, asking);
                    found.lock().expect("no thread panics with it").push((index, compared));
                }
            });
        }
    });
    let mut found = found.into_inner().expect("no thread panics with it");
    found.sort_by_key(|(index, _)| *index);
    Ok(found.into_iter().map(|(_, compared)| compared).collect())
}

/// Whether the folder that an entry names holds other bytes than those that were installed.
fn is_other(entry: &Entry) -> bool {
    let now = source_hash(Utf8Path::new(entry.source()));
    entry.content_hash().is_some_and(|known| now.is_ok_and(|now| now != known))
}

fn compare(
    id: &CapabilityId,
    scope: Scope,
    entry: &Entry,
    context: &FetchContext<'_>,
    asking: Asking,
) -> Comparison {
    let row = |source_kind, latest, standing, why| Comparison {
        id: id.clone(),
        scope,
        source_kind,
        source: entry.source().to_owned(),
        current: entry.version().to_owned(),
        latest,
        signer: entry.signer_id(),
        standing,
        why,
    };
    let unknown = |kind, why: String| row(kind, None, Standing::Unknown, Some(why));
    // A recorded source is whole: nothing that it is seen from makes a difference.
    let base = Base { cwd: Utf8Path::new("/"), home: None };
    let spec = match SourceSpec::parse(entry.source(), &base) {
        Ok(spec) => spec,
        Err(error) => return unknown("unknown", error.to_string()),
    };
    let kind = spec.kind();
    if asking == Asking::Nobody {
        let why = "unconfirmed source: only the project's own ledger names it".to_owned();
        return row(kind, None, Standing::Unconfirmed, Some(why));
    }
    if asking == Asking::Offline && kind != "local" {
        return unknown(kind, "nobody was asked".to_owned());
    }
    let version = Version::parse(entry.version()).ok();
    let integrity = Integrity::parse(entry.integrity()).ok();
    let installed = Installed {
        version: version.as_ref(),
        commit: entry.field("resolved").and_then(|it| it.get("commit")?.as_str()),
        integrity: integrity.as_ref(),
    };
    let peek = spec.peek(context);
    let why = match &peek {
        Peek::Unknown { why } => Some(why.clone()),
        Peek::Ok { .. } | Peek::Pinned { .. } | Peek::Manual => None,
    };
    let standing = match peek.standing(&installed) {
        // A folder that somebody works on changes without a new version.
        Standing::Current if kind == "local" && is_other(entry) => Standing::Outdated,
        standing => standing,
    };
    row(kind, peek.version().map(ToString::to_string), standing, why)
}
