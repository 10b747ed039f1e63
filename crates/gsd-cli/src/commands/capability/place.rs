//! Which scope a verb is about, and what went wrong there.

use super::super::Context;
use super::places;
use super::report::word;
use crate::args::{ScopeArg, ScopeWord};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::json_v1;
use gsd_engine::config::{self, Config};
use gsd_engine::diag::Diagnostic;
use gsd_engine::id::CapabilityId;
use gsd_engine::registry::{Scope, first_party};
use gsd_engine::source;
use gsd_engine::store::check::{self, Refusal};
use gsd_engine::store::{ConsentError, LedgerError, ScopeRoot, StoreError, trust};
use gsd_engine::text::printable;
use gsd_io::lock::LockError;
use serde_json::{Value, json};

/// The id that was typed, if it can be one.
pub(super) fn id(text: &str) -> Result<CapabilityId, CommandError> {
    CapabilityId::parse(text).map_err(|error| {
        let message = format!("`{}` is no id of a capability", printable(text, 80));
        CommandError::new(ExitStatus::Unknown, "capability-unknown", message)
            .hint(format!("expected {}", error.expected))
    })
}

pub(super) const fn scope(word: ScopeWord) -> Scope {
    match word {
        ScopeWord::Global => Scope::Global,
        ScopeWord::Project => Scope::Project,
    }
}

/// The root of the scope that was asked for, else of the one where the capability is; what is
/// nowhere is looked for among those of the user.
pub(super) fn root_of(
    context: &Context,
    id: &CapabilityId,
    arg: &ScopeArg,
) -> Result<ScopeRoot, CommandError> {
    let places = places(&context.env, &context.root);
    let scope = match arg.scope {
        Some(word) => scope(word),
        None if trust::is_there(&places, Scope::Global, id) => Scope::Global,
        None if trust::is_there(&places, Scope::Project, id) => Scope::Project,
        None => Scope::Global,
    };
    ScopeRoot::of(&places, scope).map_err(|error| failed(&error))
}

/// What makes a source, which only the ledger of a project names, the user's own word.
pub(super) fn confirming(source: &str) -> String {
    let source = word(source);
    format!("if you know it, `gsd capability install {source} --scope project` takes it from there")
}

/// What the settings say now, for the places that prompts go to.
pub(super) fn settings(context: &Context) -> Config {
    config::read(&context.env, &context.root, &context.settings).0
}

/// The text of a setting, if it has one.
pub(super) fn configured(config: &Config) -> impl Fn(&str) -> Option<String> {
    |key| config.text(key, &mut vec![])
}

/// Why a change was not made, as people and scripts see it.
pub(super) fn failed(error: &StoreError) -> CommandError {
    let (status, code) = match error {
        StoreError::Ledger(LedgerError::Write(_)) => {
            (ExitStatus::Diagnostics, "ledger-not-written")
        }
        StoreError::Ledger(LedgerError::Full { .. }) => (ExitStatus::Refused, "ledger-full"),
        StoreError::Ledger(_) => (ExitStatus::Corrupt, "ledger-unreadable"),
        StoreError::Consent(ConsentError::InsideProject { .. }) => {
            (ExitStatus::Refused, "consents-inside-project")
        }
        StoreError::Consent(ConsentError::Lock(LockError::NotAFile { .. })) => {
            (ExitStatus::Refused, "refused")
        }
        StoreError::Consent(ConsentError::Lock(_)) => (ExitStatus::Busy, "busy"),
        StoreError::Consent(ConsentError::Full { .. }) => (ExitStatus::Refused, "consents-full"),
        StoreError::Consent(ConsentError::Write(_)) => {
            (ExitStatus::Diagnostics, "consents-not-written")
        }
        StoreError::Consent(_) => (ExitStatus::Corrupt, "consents-unreadable"),
        StoreError::Busy(_) | StoreError::ChangedMeanwhile { .. } => (ExitStatus::Busy, "busy"),
        StoreError::NotInstalled { .. } => (ExitStatus::Unknown, "not-installed"),
        StoreError::Refused { .. } => (ExitStatus::Refused, "refused"),
        StoreError::Unfit { refusals } => unfit(refusals),
        StoreError::Fetch(error) => fetched(error.class()),
        StoreError::LeadsOut { .. } => (ExitStatus::Refused, "leads-out"),
        StoreError::HomeIsProject { .. } => (ExitStatus::Refused, "home-is-project"),
        StoreError::NoHome(_) => (ExitStatus::Refused, "no-home"),
        StoreError::Bundle(_) | StoreError::Copy(_) => (ExitStatus::Refused, "bundle-refused"),
        StoreError::ContentChanged => (ExitStatus::Integrity, "content-changed"),
        StoreError::Tampered { .. } => (ExitStatus::Integrity, "tampered"),
        StoreError::Read(_) => (ExitStatus::Diagnostics, "not-read"),
        StoreError::Write(_) => (ExitStatus::Diagnostics, "not-written"),
        StoreError::Unfinished(_) => (ExitStatus::Diagnostics, "unfinished"),
    };
    let mut failure = CommandError::from_error(status, code, error);
    if let Some(remedy) = error.remedy() {
        failure = failure.hint(remedy);
    }
    match error {
        StoreError::Unfit { refusals } => {
            let found: Vec<Diagnostic> =
                refusals.iter().filter_map(|one| one.diagnostic.as_deref().cloned()).collect();
            let reasons: Vec<Value> = refusals.iter().map(Refusal::to_json).collect();
            failure
                .detail("reasons", reasons)
                .detail("diagnostics", json!(json_v1::diagnostics(&found)))
        }
        StoreError::NotInstalled { id, .. } if is_first_party(id) => {
            failure.message = format!("`{id}` is a first-party capability: it comes with gsd");
            failure.hint("it cannot be installed, removed or approved")
        }
        _ => failure,
    }
}

/// What it is if anything is not what it says it is, else a refusal.
fn unfit(refusals: &[Refusal]) -> (ExitStatus, &'static str) {
    let code = refusals.first().map_or("refused", |refusal| refusal.code);
    let false_claim = refusals.iter().any(|refusal| refusal.class == check::Class::Integrity);
    (if false_claim { ExitStatus::Integrity } else { ExitStatus::Refused }, code)
}

const fn fetched(class: source::Class) -> (ExitStatus, &'static str) {
    match class {
        source::Class::Refused => (ExitStatus::Refused, "source-refused"),
        source::Class::Mismatch => (ExitStatus::Integrity, "integrity-mismatch"),
        source::Class::Unsigned => (ExitStatus::Refused, "not-signed"),
        source::Class::Signature => (ExitStatus::Integrity, "signature-mismatch"),
        source::Class::Unreachable => (ExitStatus::SourceUnreachable, "source-unreachable"),
        source::Class::Interrupted => (ExitStatus::Interrupted, "interrupted"),
        source::Class::Internal => (ExitStatus::Diagnostics, "scratch"),
    }
}

fn is_first_party(id: &str) -> bool {
    first_party().iter().any(|capability| capability.id().as_str() == id)
}
