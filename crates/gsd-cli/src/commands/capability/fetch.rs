//! Gets a bundle for an install or update, and says what is done while it lasts.

use super::super::Context;
use super::place::failed;
use crate::args::FetchArgs;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use gsd_engine::source::{
    Base, FetchContext, Integrity, IntegrityError, Limits, Patience, Policy, SigningKey,
    SourceSpec, SpecError, Transport,
};
use gsd_engine::store::{
    Acquired, Entry, Ledger, Recording, ScopeRoot, acquire, host_version, signer_of,
};
use gsd_io::cancel::Cancel;
use gsd_io::{clock, signal};

/// Reads what a user wrote as a source.
pub(super) fn spec(context: &Context, text: &str) -> Result<SourceSpec, CommandError> {
    let base = Base { cwd: &context.seen_from, home: context.env.home() };
    SourceSpec::parse(text, &base).map_err(|error| {
        let status = match error {
            SpecError::Empty | SpecError::Unknown { .. } => ExitStatus::Usage,
            SpecError::Bad { .. } => ExitStatus::Refused,
        };
        CommandError::from_error(status, "source-invalid", &error).hint(error.hint())
    })
}

/// Reads a source of `capabilities.lock`, in which folders are told from the project.
pub(super) fn locked_spec(context: &Context, text: &str) -> Result<SourceSpec, CommandError> {
    let base = Base { cwd: &context.root, home: context.env.home() };
    SourceSpec::parse(text, &base).map_err(|error| {
        CommandError::from_error(ExitStatus::Refused, "source-invalid", &error).hint(error.hint())
    })
}

/// Reads `--integrity`.
pub(super) fn integrity(text: &str) -> Result<Integrity, CommandError> {
    Integrity::parse(text).map_err(|error: IntegrityError| {
        CommandError::from_error(ExitStatus::Usage, "integrity-invalid", &error)
            .hint("`gsd capability pack PATH --integrity` prints the one of a bundle")
    })
}

/// The digest that a user pinned for an entry: every fetch from its source must give it.
pub(super) fn pin_of(entry: &Entry) -> Result<Option<Integrity>, CommandError> {
    let pin = entry.field("pinned").and_then(|pinned| pinned.get("integrity")?.as_str());
    pin.map(integrity).transpose()
}

/// The pin that holds for a source already, because something is installed from it.
pub(super) fn recorded_pin(
    context: &Context,
    root: &ScopeRoot,
    source: &SourceSpec,
) -> Result<Option<Integrity>, CommandError> {
    let ledger = Ledger::read(root.path()).map_err(|error| failed(&error.into()))?;
    let is_from_it = |entry: &Entry| {
        spec(context, entry.source()).is_ok_and(|known| known.identity() == source.identity())
    };
    let pins = ledger.iter().filter(|(_, entry)| is_from_it(entry)).map(|(_, entry)| pin_of(entry));
    pins.filter_map(Result::transpose).next().transpose()
}

/// The key that has to have signed what comes from a source, because something that is installed
/// from it is signed.
pub(super) fn recorded_signer(
    context: &Context,
    root: &ScopeRoot,
    source: &SourceSpec,
) -> Result<Option<SigningKey>, CommandError> {
    let ledger = Ledger::read(root.path()).map_err(|error| failed(&error.into()))?;
    let is_from_it = |entry: &Entry| {
        spec(context, entry.source()).is_ok_and(|known| known.identity() == source.identity())
    };
    for (id, entry) in ledger.iter().filter(|(_, entry)| is_from_it(entry)) {
        if let Some(key) = signer_of(root, id, entry).map_err(|error| failed(&error))? {
            return Ok(Some(key));
        }
    }
    Ok(None)
}

/// What a fetch has to give.
pub(super) struct Pins {
    pub(super) integrity: Option<Integrity>,
    pub(super) signer: Option<SigningKey>,
}

/// Fetches into a private folder.
pub(super) fn get(
    context: &Context,
    root: &ScopeRoot,
    spec: &SourceSpec,
    recording: Recording<'_>,
    pins: &Pins,
    args: &FetchArgs,
    configured: &dyn Fn(&str) -> Option<String>,
) -> Result<Acquired, CommandError> {
    let policy = Policy::read(&context.env, &context.root);
    let cancel = Cancel::new();
    let _watching = signal::watch(&cancel)
        .map_err(|error| CommandError::from_error(ExitStatus::Diagnostics, "signals", &error))?;
    let host = host_version();
    let transport =
        if args.allow_insecure_transport { Transport::Any } else { Transport::Authenticated };
    let fetch = FetchContext {
        env: &context.env,
        policy: &policy,
        host: &host,
        integrity: pins.integrity.as_ref(),
        signed_by: pins.signer.as_ref(),
        transport,
        limits: Limits::MOST,
        patience: Patience::of(policy.timeout()),
        deadline: clock::after(clock::now(), policy.timeout()),
        cancel: &cancel,
    };
    acquire(root, spec, recording, &fetch, configured).map_err(|error| failed(&error))
}
