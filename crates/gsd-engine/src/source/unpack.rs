//! From an archive to a bundle: its bytes are checked before any of them is looked into.

use super::fetch::{FetchContext, FetchError, Fetched, Resolved, Verified};
use super::integrity::Integrity;
use super::signature::{Signed, SigningKey};
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::archive;
use gsd_io::fs::{self, Links, ReadError};
use gsd_io::tree::TreeWriter;
use std::io::{Read, Seek};

/// A bundle from an archive.
pub(super) struct Unpacked {
    pub(super) bundle: Utf8PathBuf,
    pub(super) integrity: Integrity,
    pub(super) verified: Verified,
    pub(super) signed_by: Option<SigningKey>,
}

impl Unpacked {
    /// What a source gives that fetched an archive.
    pub(super) fn fetched(
        self,
        recorded: String,
        reference: Option<String>,
        final_url: Option<String>,
    ) -> Fetched {
        let resolved = Resolved {
            recorded,
            reference,
            commit: None,
            integrity: Some(self.integrity),
            verified: self.verified,
            signed_by: self.signed_by,
            final_url,
        };
        Fetched { bundle: self.bundle, resolved }
    }
}

/// What an archive has to be, beside what the user asks for.
#[derive(Default)]
pub(super) struct Promise<'a> {
    /// What a registry says of it.
    pub(super) integrity: Option<&'a Integrity>,
    pub(super) signed: Option<Signed>,
}

/// Folders above the manifest at most.
const MAX_DEPTH: usize = 3;

/// Copies an archive of this machine, so that what is checked is what is unpacked.
pub(super) fn copied(
    context: &FetchContext<'_>,
    from: &Utf8Path,
    to: &Utf8Path,
) -> Result<(), FetchError> {
    let max = context.limits.bytes;
    let bytes = fs::read_bounded(from, max, Links::Refuse).map_err(|error| match error {
        ReadError::TooLarge { .. } => FetchError::TooLarge { place: from.to_string(), max },
        error => FetchError::unreachable(from.as_str(), error.to_string()),
    })?;
    fs::write_private(to, &bytes).map_err(FetchError::Scratch)
}

/// Checks an archive and unpacks it below `scratch`. The archive is removed, whatever comes of it.
pub(super) fn unpack(
    context: &FetchContext<'_>,
    place: &str,
    archive: &Utf8Path,
    scratch: &Utf8Path,
    promise: Promise<'_>,
) -> Result<Unpacked, FetchError> {
    let unpacked = checked(context, place, archive, scratch, promise);
    fs::remove_file(archive).map_err(FetchError::Scratch)?;
    unpacked
}

fn checked(
    context: &FetchContext<'_>,
    place: &str,
    archive: &Utf8Path,
    scratch: &Utf8Path,
    promise: Promise<'_>,
) -> Result<Unpacked, FetchError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        FetchError::unreachable(place, format!("the archive cannot be read: {error}"))
    };
    let mut file = fs::open_regular(archive, Links::Refuse).map_err(|error| unreadable(&error))?;
    let mut actual = None;
    for expected in [context.integrity, promise.integrity].into_iter().flatten() {
        let (found, holds) = expected.check(&mut file).map_err(|error| unreadable(&error))?;
        file.rewind().map_err(|error| unreadable(&error))?;
        if !holds {
            let (expected, actual) = (expected.to_string(), found.to_string());
            return Err(FetchError::Mismatch { expected, actual });
        }
        actual = Some(found);
    }
    let integrity = match actual {
        Some(actual) => actual,
        None => {
            let found = Integrity::of_reader(&mut file).map_err(|error| unreadable(&error))?;
            file.rewind().map_err(|error| unreadable(&error))?;
            found
        }
    };
    let signed_by = match promise.signed {
        None => None,
        Some(signed) => {
            let mut bytes = vec![];
            file.read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
            file.rewind().map_err(|error| unreadable(&error))?;
            Some(signed.check(&bytes)?)
        }
    };
    let top = scratch.join("unpacked");
    let mut tree = TreeWriter::new(&top, context.limits.tree(), context.cancel)?;
    archive::unpack(&mut file, &mut tree)?;
    let below = bundle_of(&tree.finish().files, place)?;
    let verified = match (context.integrity, promise.integrity) {
        (Some(_), _) => Verified::Integrity,
        (None, Some(_)) => Verified::Registry,
        (None, None) => Verified::NotAsked,
    };
    Ok(Unpacked { bundle: top.join(below), integrity, verified, signed_by })
}

/// The folder that is the bundle, among sorted paths: the top if the manifest is there, else the
/// one folder near it that has a manifest.
pub(super) fn bundle_of(files: &[String], place: &str) -> Result<String, FetchError> {
    let place = || printable(place, 200);
    if files.iter().any(|path| path == "capability.json") {
        return Ok(String::new());
    }
    let folders = files.iter().filter_map(|path| path.strip_suffix("/capability.json"));
    let near: Vec<_> = folders.filter(|folder| folder.split('/').count() <= MAX_DEPTH).collect();
    match near.as_slice() {
        [] => Err(FetchError::NoManifest { place: place() }),
        [one] => Ok((*one).to_owned()),
        many => Err(FetchError::ManyManifests {
            place: place(),
            paths: many.iter().take(5).map(|path| printable(path, 80)).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_bundle_is() {
        let found = |files: &[&str]| {
            let files: Vec<_> = files.iter().map(|path| (*path).to_owned()).collect();
            bundle_of(&files, "x").ok()
        };
        for (files, folder) in [
            (&["capability.json"][..], Some("")),
            (&["a/capability.json", "capability.json"], Some("")),
            (&["package/capability.json", "package/x"], Some("package")),
            (&["README.md", "capabilities/example/capability.json"], Some("capabilities/example")),
            (&["a/b/c/capability.json"], Some("a/b/c")),
            (&["a/b/c/d/capability.json"], None),
            (&["a/capability.json", "b/capability.json"], None),
            (&["a/my-capability.json"], None),
            (&[], None),
        ] {
            assert_eq!(found(files).as_deref(), folder, "{files:?}");
        }
    }
}
