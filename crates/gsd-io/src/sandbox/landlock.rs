//! Landlock itself: rules for the calling thread and whatever it starts.

use super::{Landlock, SandboxError};
use ::landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    RestrictionStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, path_beneath_rules,
};
use camino::Utf8PathBuf;
use std::sync::OnceLock;

/// The version that knows every way of writing that there is a word for.
const WRITING: ABI = ABI::V3;
/// The version that keeps signals and abstract sockets inside.
const SCOPES: ABI = ABI::V6;

pub(super) fn offered() -> Option<Landlock> {
    static OFFERED: OnceLock<Option<Landlock>> = OnceLock::new();
    *OFFERED.get_or_init(|| {
        // Only a thread that was really restricted knows; this one ends right after it.
        let probed = std::thread::spawn(|| apply(&[], None)).join();
        match probed {
            Ok(Ok(status)) => enforced(&status),
            Ok(Err(_)) | Err(_) => None,
        }
    })
}

pub(super) fn restrict(
    places: &[Utf8PathBuf],
    readable: Option<&[Utf8PathBuf]>,
) -> Result<(), SandboxError> {
    let status =
        apply(places, readable).map_err(|error| SandboxError::Refused(error.to_string()))?;
    enforced(&status).map(|_| ()).ok_or(SandboxError::Unavailable)
}

/// Keeps signals and tracing inside, and forbids nothing else. An older kernel cannot.
pub(super) fn turn_inward() -> Result<(), SandboxError> {
    let restricted = || -> Result<(), RulesetError> {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
        ruleset.scope(Scope::Signal)?.create()?.restrict_self().map(drop)
    };
    if offered().is_none_or(|found| found.abi < SCOPES as u8) {
        return Ok(());
    }
    restricted().map_err(|error| SandboxError::Refused(error.to_string()))
}

fn apply(
    places: &[Utf8PathBuf],
    readable: Option<&[Utf8PathBuf]>,
) -> Result<RestrictionStatus, RulesetError> {
    let reading = match readable {
        Some(_) => BitFlags::from(AccessFs::ReadFile),
        None => BitFlags::empty(),
    };
    let writing = AccessFs::from_write(WRITING);
    // A device that one makes oneself would lead around every rule about paths.
    let devices: BitFlags<AccessFs> = AccessFs::MakeBlock | AccessFs::MakeChar;
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writing | reading)?
        .scope(Scope::from_all(SCOPES))?
        .create()?
        .add_rules(path_beneath_rules(places, (writing & !devices) | reading))?
        .add_rules(
            readable.unwrap_or_default().iter().filter_map(may_read).map(Ok::<_, RulesetError>),
        )?
        .restrict_self()
}

/// The rule that a path may be read, if there is one. Files and folders take it alike, so what it
/// leads to need not be asked first.
fn may_read(path: &Utf8PathBuf) -> Option<PathBeneath<PathFd>> {
    Some(PathBeneath::new(PathFd::new(path).ok()?, AccessFs::ReadFile))
}

/// `None` where the kernel has restricted nothing.
fn enforced(status: &RestrictionStatus) -> Option<Landlock> {
    match (&status.ruleset, &status.landlock) {
        (RulesetStatus::NotEnforced, _) => None,
        (_, LandlockStatus::Available { effective_abi, .. }) => {
            Some(Landlock { abi: *effective_abi as u8 })
        }
        (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) => None,
    }
}
