//! A commit of a git repository.
//!
//! The program `git` brings the objects into the scratch folder; the files are then read out of
//! them, not checked out, so that no hook, filter, attribute, submodule or link of the repository
//! is ever acted on. What was asked for is turned into one commit first, and only that is fetched.

mod address;
mod program;
mod reference;
mod remote;
mod tree;

use super::compat::offered;
use super::fetch::{FetchContext, FetchError, Fetched, Resolved, Transport, Verified};
use super::policy::Refusal;
use super::range::VersionRange;
use super::signature;
use super::{Base, Kind, Peek, Reading, Source, Target};
use address::Address;
use camino::Utf8Path;
use gsd_io::fs;
use reference::Reference;
use remote::{Found, Remote};
use semver::Version;
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "git",
    forms: &[
        ("git+https://HOST/PATH[#REF]", "a git repository; also `https://….git`"),
        ("ssh://[USER@]HOST/PATH, USER@HOST:PATH", "the same over SSH"),
        ("github:OWNER/NAME, gitlab:GROUP/NAME", "the same at these hosts"),
        ("…#sha:COMMIT, …#tag:T, …#branch:B", "that commit, tag or branch"),
        ("…#semver:RANGE", "the highest tag in a range such as `^1.2`"),
    ],
    read,
};

#[derive(Debug)]
struct GitSource {
    address: Address,
    reference: Reference,
}

fn read(text: &str, _: &Base<'_>) -> Reading {
    let (address, reference) = match text.split_once('#') {
        Some((address, reference)) => (address, reference),
        None => (text, ""),
    };
    let address = Address::read(address)?;
    Some(address.and_then(|address| {
        let reference = Reference::parse(reference)?;
        Ok(Arc::new(GitSource { address, reference }) as Arc<dyn Source>)
    }))
}

impl GitSource {
    /// The program, told how to reach this repository and nothing else.
    fn remote<'a>(
        &self,
        context: &'a FetchContext<'a>,
        scratch: Option<&Utf8Path>,
    ) -> Result<Remote<'a>, FetchError> {
        if !self.address.is_authenticated() && context.transport != Transport::Any {
            return Err(Refusal::Cleartext { place: self.address.to_string() }.into());
        }
        Remote::reach(&self.address, context, scratch)
    }

    /// The bundle that a reference means.
    fn take(
        &self,
        reference: &Reference,
        context: &FetchContext<'_>,
        scratch: &Utf8Path,
    ) -> Result<Fetched, FetchError> {
        let remote = self.remote(context, Some(scratch))?;
        let found = remote.find(reference)?;
        let final_url = Some(remote.address().to_owned());
        let repository = remote.fetch(&found, scratch)?;
        let bundle = tree::write(&repository, &found.commit, context, scratch)?;
        let verified = match reference {
            Reference::Commit(_) => Verified::Commit,
            _ => Verified::NotAsked,
        };
        Ok(Fetched {
            bundle,
            resolved: Resolved {
                recorded: self.recorded(),
                reference: found.name,
                commit: Some(found.commit),
                integrity: None,
                verified,
                signed_by: None,
                final_url,
            },
        })
    }
}

impl Source for GitSource {
    fn recorded(&self) -> String {
        match self.reference.to_string().as_str() {
            "" => self.identity(),
            reference => format!("{}#{reference}", self.identity()),
        }
    }

    fn identity(&self) -> String {
        self.address.recorded()
    }

    fn exactly(&self, resolved: &Resolved) -> String {
        match &resolved.commit {
            Some(commit) => format!("{}#sha:{commit}", self.identity()),
            None => self.recorded(),
        }
    }

    fn target(&self) -> Target<'_> {
        Target::Host { name: self.address.host(), path: self.address.path() }
    }

    fn fetch(&self, context: &FetchContext<'_>, scratch: &Utf8Path) -> Result<Fetched, FetchError> {
        if context.integrity.is_some() {
            return Err(FetchError::unusable(
                "an integrity is not supported for git sources",
                "pin the commit with `#sha:COMMIT` instead",
            ));
        }
        signature::refuse(context, self.target(), "a repository")?;
        let newest = self.take(&self.reference, context, scratch)?;
        let Reference::Range(range) = &self.reference else { return Ok(newest) };
        let scratch = scratch.join("older");
        for version in offered(&newest.bundle, context.host) {
            let Some(only) = VersionRange::parse(&version.to_string()) else { continue };
            if !range.contains(&version) {
                continue;
            }
            fs::create_private_dir_all(&scratch).map_err(FetchError::Scratch)?;
            match self.take(&Reference::Range(only), context, &scratch) {
                // It has no such tag.
                Err(FetchError::NoSuch { .. }) => {}
                taken => return taken,
            }
        }
        Ok(newest)
    }

    fn peek(&self, context: &FetchContext<'_>) -> Peek {
        let fixed = |commit| Peek::Pinned { version: None, commit };
        if let Reference::Commit(commit) = &self.reference {
            return fixed(Some(commit.clone()));
        }
        // Nothing is written for a question.
        let asked =
            self.remote(context, None).and_then(|remote| remote.find_with_tags(&self.reference));
        match (asked, &self.reference) {
            (
                Ok((Found { commit, is_tag: true, .. }, _)),
                Reference::Tag(_) | Reference::Bare(_),
            ) => fixed(Some(commit)),
            // A tag stays what it was called, whether its host answers or not.
            (Err(FetchError::Unreachable { .. }), Reference::Tag(_)) => fixed(None),
            (Ok((found, tags)), _) => {
                let version = found.version.clone().or_else(|| tags.newest_at(&found.commit));
                Peek::Ok { version, commit: Some(found.commit), integrity: None }
            }
            (Err(error), _) => Peek::Unknown { why: error.to_string() },
        }
    }
}

/// The version that a tag names: three numbers, a pre-release if there is one, and a `v` in front
/// if somebody likes that.
fn version_of(tag: &str) -> Option<Version> {
    let text = tag.strip_prefix('v').unwrap_or(tag);
    Version::parse(text).ok()
}
