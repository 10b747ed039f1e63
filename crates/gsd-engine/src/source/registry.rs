//! A capability of a registry: an index that somebody publishes, at an address or in a file, to
//! which the user gave a name in `capabilities.registries`.
//!
//! The index says where each version is and what its archive has to be. Nothing is taken without
//! that promise, and where the archive is has to be a known source as well.

mod build;
mod index;

pub use build::{BuildError, build_index};

use super::fetch::{FetchContext, FetchError, Fetched, Resolved, manifest_of};
use super::policy::Refusal;
use super::range::VersionRange;
use super::signature::{self, Signed, SigningKey};
use super::spec::masked;
use super::tarball::{archive, web_url};
use super::unpack::{Promise, copied, unpack};
use super::web::{Ask, Listed, Web};
use super::{Base, Kind, Peek, Reading, Source, SpecError, Target};
use crate::id::{CapabilityId, RelPath};
use crate::json::quoted;
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Links};
use gsd_io::http::{Coding, SafeUrl};
use index::{Index, Release};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "registry",
    forms: &[
        ("NAME@REGISTRY", "a capability of a registry in `capabilities.registries`"),
        ("NAME@REGISTRY#RANGE", "its highest version in a range such as `^1.2`"),
    ],
    read,
};

#[derive(Debug)]
struct Registry {
    id: CapabilityId,
    name: String,
    range: Option<VersionRange>,
}

/// An index is never larger.
const MAX_INDEX: u64 = 16 << 20;

fn read(text: &str, _: &Base<'_>) -> Reading {
    let (whole, range) = match text.split_once('#') {
        Some((whole, range)) => (whole, Some(range)),
        None => (text, None),
    };
    let (id, name) = whole.split_once('@')?;
    let id = CapabilityId::parse(id).ok()?;
    // A registry is named as a capability is.
    let name = CapabilityId::parse(name).ok()?.to_string();
    let range = match range.map(|text| (VersionRange::parse(text), text)) {
        None => None,
        Some((Some(range), _)) => Some(range),
        Some((None, text)) => {
            return Some(Err(SpecError::bad(
                format!("{} is no range of versions", quoted(&masked(text))),
                "write one such as `^1.2`, or leave `#…` out",
            )));
        }
    };
    Some(Ok(Arc::new(Registry { id, name, range })))
}

/// Where an index was found.
enum Place {
    Web(SafeUrl),
    Folder(Utf8PathBuf),
}

/// Where an archive is.
#[derive(Debug, PartialEq, Eq)]
enum Archive {
    Web(SafeUrl),
    File(Utf8PathBuf),
}

impl Registry {
    fn index(
        &self,
        web: &Web<'_>,
        context: &FetchContext<'_>,
    ) -> Result<(Index, Place), FetchError> {
        let Some(place) = context.policy.registry(&self.name) else {
            let known: Vec<_> = context.policy.registries().collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(FetchError::unusable(
                format!("`{}` is no registry that you named; known: {known}", self.name),
                "add its index to `capabilities.registries` in `~/.gsd/defaults.json`",
            ));
        };
        let (bytes, place) = if Utf8Path::new(place).is_absolute() {
            let path = Utf8Path::new(place);
            let bytes = fs::read_bounded(path, MAX_INDEX, Links::Follow)
                .map_err(|error| FetchError::unreachable(place, error.to_string()))?;
            let folder = path.parent().unwrap_or(Utf8Path::new("/"));
            (bytes, Place::Folder(folder.to_owned()))
        } else {
            let url = web_url(place).map_err(|error| {
                let what = format!("the index of `{}` cannot be used: {error}", self.name);
                FetchError::unusable(what, "write `https://HOST/PATH` or an absolute path")
            })?;
            let ask = Ask {
                accept: "application/json",
                max: MAX_INDEX,
                coding: Coding::Decoded,
                token: None,
                listed: Listed::ByHost,
            };
            let (bytes, last) = web.get(&url, &ask)?;
            (bytes, Place::Web(last))
        };
        let index = Index::parse(&bytes).map_err(|why| {
            FetchError::unusable(
                format!("the index of `{}` cannot be used: {why}", self.name),
                "tell whoever publishes it; `gsd registry-index build DIR` makes a sound one",
            )
        })?;
        Ok((index, place))
    }

    /// The key that has to have signed an archive: by the name of the registry, else by where its
    /// index is, else by where the archive is.
    fn key(
        &self,
        context: &FetchContext<'_>,
        archive: &Archive,
    ) -> Result<Option<SigningKey>, FetchError> {
        let place = context.policy.registry(&self.name).unwrap_or_default();
        let url = SafeUrl::parse(place).ok();
        let index = match &url {
            Some(url) => Target::Host { name: url.host(), path: url.path() },
            None => Target::Folder(Utf8Path::new(place)),
        };
        let archive = match archive {
            Archive::Web(url) => Target::Host { name: url.host(), path: url.path() },
            Archive::File(path) => Target::Folder(path),
        };
        signature::key(context, &[self.target(), index, archive])
    }

    /// Refuses a bundle that says it is another capability, or another version, than the index does.
    fn is_promised(&self, release: &Release, bundle: &Utf8Path) -> Result<(), FetchError> {
        let manifest = manifest_of(bundle).unwrap_or_default();
        let said = |key: &str| manifest[key].as_str().unwrap_or("nothing");
        let (id, version) = (said("id"), said("version"));
        if id == self.id.as_str() && version == release.version.to_string() {
            return Ok(());
        }
        Err(FetchError::OtherBundle {
            registry: format!("index of `{}`", self.name),
            promised: format!("{} {}", self.id, release.version),
            held: printable(&format!("{id} {version}"), 200),
        })
    }

    fn choose<'i>(
        &self,
        index: &'i Index,
        context: &FetchContext<'_>,
    ) -> Result<&'i Release, FetchError> {
        let wait = context.policy.cool_down();
        let chosen = |wait| index.choose(&self.id, self.range.as_ref(), context.host, wait);
        chosen(wait.as_ref()).map_err(|what| match (chosen(None), &wait) {
            (Ok(fresh), Some(wait)) => {
                let what = format!("{} {}", self.recorded(), fresh.version);
                Refusal::TooFresh { what, days: wait.days }.into()
            }
            _ => FetchError::NoSuch { place: self.recorded(), what },
        })
    }
}

/// Where the archive of a release is, seen from the index.
fn archive_of(release: &Release, place: &Place) -> Option<Archive> {
    let source = release.source.as_str();
    if source.contains("://") {
        return web_url(source).ok().map(Archive::Web);
    }
    // Below the index, and named plainly.
    let path = RelPath::parse(source).ok()?;
    match place {
        Place::Web(index) => index.resolve(&format!("./{path}")).map(Archive::Web),
        Place::Folder(folder) => Some(Archive::File(folder.join(path.as_str()))),
    }
}

impl Source for Registry {
    fn recorded(&self) -> String {
        match &self.range {
            Some(range) => format!("{}#{range}", self.identity()),
            None => self.identity(),
        }
    }

    fn identity(&self) -> String {
        format!("{}@{}", self.id, self.name)
    }

    fn exactly(&self, resolved: &Resolved) -> String {
        match &resolved.reference {
            Some(version) => format!("{}#{version}", self.identity()),
            None => self.recorded(),
        }
    }

    fn target(&self) -> Target<'_> {
        Target::Registry(&self.name)
    }

    fn fetch(&self, context: &FetchContext<'_>, scratch: &Utf8Path) -> Result<Fetched, FetchError> {
        let web = Web::new(context)?;
        let (index, place) = self.index(&web, context)?;
        let release = self.choose(&index, context)?;
        let found = archive_of(release, &place).ok_or_else(|| {
            let what = format!("the index names no place for {} {}", self.id, release.version);
            FetchError::unusable(what, "tell whoever publishes it")
        })?;
        let file = scratch.join("archive");
        let key = self.key(context, &found)?;
        let (shown, last, signed) = match &found {
            Archive::Web(url) => {
                let signed = Signed::at_address(&web, key, url)?;
                let ask = archive(context.limits.bytes, Listed::ByHost);
                let last = web.save(url, &ask, &file)?;
                (url.to_string(), Some(last.without_secrets()), signed)
            }
            Archive::File(path) => {
                context.policy.check(&Target::Folder(path))?;
                let signed = Signed::at_path(key, path)?;
                copied(context, path, &file)?;
                (path.to_string(), None, signed)
            }
        };
        let promise = Promise { integrity: Some(&release.integrity), signed };
        let unpacked = unpack(context, &shown, &file, scratch, promise)?;
        self.is_promised(release, &unpacked.bundle)?;
        Ok(unpacked.fetched(self.recorded(), Some(release.version.to_string()), last))
    }

    fn peek(&self, context: &FetchContext<'_>) -> Peek {
        let newest = Web::new(context).and_then(|web| {
            let (index, _) = self.index(&web, context)?;
            let release = self.choose(&index, context)?;
            Ok((release.version.clone(), release.integrity.clone()))
        });
        match newest {
            Ok((version, integrity)) => {
                Peek::Ok { version: Some(version), commit: None, integrity: Some(integrity) }
            }
            Err(error) => Peek::Unknown { why: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceSpec;

    #[test]
    fn names_of_capabilities_and_registries() {
        let base = Base { cwd: "/".into(), home: None };
        for text in ["acme@main", "acme@main#^1.2", "a1-b@c-2#>=1 <2"] {
            let spec = SourceSpec::parse(text, &base).expect(text);
            assert_eq!((spec.kind(), spec.recorded().as_str()), ("registry", text));
        }
        for bad in [
            "some-cap",
            "some-cap@1.0.0",
            "cap@registry.example.invalid",
            "Acme@main",
            "acme@",
            "@main",
            "a@b@c",
            "acme@main#",
            "acme@main#latest",
            "acme@main#not a range",
        ] {
            assert!(SourceSpec::parse(bad, &base).is_err(), "{bad}");
        }
    }
}
