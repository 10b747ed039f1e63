//! A package of an npm registry, asked for by the registry's own protocol: neither Node nor npm is
//! needed, and nothing of a package is ever run.
//!
//! Only the user's `~/.npmrc` says which registry that is. One in the project, or in whatever
//! folder gsd was started in, says nothing.

mod npmrc;
mod packument;

use super::compat::offered;
use super::fetch::{FetchContext, FetchError, Fetched, Resolved};
use super::policy::Refusal;
use super::range::VersionRange;
use super::signature;
use super::spec::masked;
use super::unpack::{Promise, unpack};
use super::web::{Ask, Listed, Web};
use super::{Base, Kind, Peek, Reading, Source, SpecError, Target};
use crate::json::quoted;
use camino::Utf8Path;
use gsd_io::fs;
use gsd_io::http::{Coding, SafeUrl};
use npmrc::Npmrc;
use packument::{Packument, Release};
use semver::Version;
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "npm",
    forms: &[
        ("npm:[@SCOPE/]NAME", "a package of the user's npm registry"),
        ("npm:NAME@VERSION", "one version, a range such as `^1.2`, or a tag"),
    ],
    read,
};

#[derive(Debug)]
struct Npm {
    /// `@scope`, if there is one.
    scope: Option<String>,
    /// With its scope.
    name: String,
    selector: Selector,
}

/// Which version is wanted.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Selector {
    Exact(Version),
    Range(VersionRange),
    Tag(String),
}

/// The short form of a packument with thousands of versions has a few megabytes.
const MAX_PACKUMENT: u64 = 16 << 20;
const SHORT: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";
/// It also says when a version was published.
const LONG: &str = "application/json";

fn read(text: &str, _: &Base<'_>) -> Reading {
    let rest = text.strip_prefix("npm:")?;
    Some(parse(rest).map(|npm| Arc::new(npm) as Arc<dyn Source>))
}

fn parse(rest: &str) -> Result<Npm, SpecError> {
    let bad = |what: String| {
        SpecError::bad(
            format!("unsafe npm package spec {}: {what}", quoted(&masked(rest))),
            "write `npm:NAME`, `npm:@SCOPE/NAME` or `npm:NAME@VERSION`; for anything that is not in \
             a registry use the git, tarball or local form",
        )
    };
    if rest.is_empty() {
        return Err(bad("it names no package".into()));
    }
    // The first character may be the one of a scope.
    let at = rest.rfind('@').filter(|at| *at > 0);
    let (name, selector) = match at {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let (scope, base) = match name.strip_prefix('@') {
        Some(scoped) => {
            let Some((scope, base)) = scoped.split_once('/') else {
                return Err(bad("a scope needs a name after it".into()));
            };
            (Some(scope), base)
        }
        None => (None, name),
    };
    if name.len() > 214 || ![scope, Some(base)].into_iter().flatten().all(is_name) {
        return Err(bad("a name has lower-case letters, digits, `-`, `_`, `.` and `~`".into()));
    }
    let selector = match selector {
        None => Selector::Tag("latest".into()),
        Some(text) => Selector::parse(text)
            .ok_or_else(|| bad("what follows `@` is no version, range or tag".into()))?,
    };
    let scope = scope.map(|scope| format!("@{scope}"));
    Ok(Npm { scope, name: name.to_owned(), selector })
}

fn is_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.~".contains(&b);
    !name.is_empty() && !name.starts_with(['.', '_', '-']) && name.bytes().all(plain)
}

impl Selector {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(version) = Version::parse(text) {
            return Some(Self::Exact(version));
        }
        if let Some(range) = VersionRange::parse(text) {
            return Some(Self::Range(range));
        }
        let tag = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c));
        tag.then(|| Self::Tag(text.to_owned()))
    }
}

impl Npm {
    fn selected(&self) -> String {
        match &self.selector {
            Selector::Exact(version) => version.to_string(),
            Selector::Range(range) => range.to_string(),
            Selector::Tag(text) => text.clone(),
        }
    }

    /// What the registry offers, and how it was asked.
    fn ask<'a>(
        &self,
        web: &Web<'a>,
        context: &FetchContext<'a>,
    ) -> Result<(Npmrc, SafeUrl, Packument), FetchError> {
        let npmrc = Npmrc::of_user(context.env)?;
        let registry = npmrc.registry(self.scope.as_deref())?;
        let url = registry.resolve(&self.name.replace('/', "%2f")).ok_or_else(|| {
            FetchError::unreachable(&registry.to_string(), "it is no base of addresses")
        })?;
        let token = npmrc.token(&url, context.env)?;
        let ask = Ask {
            accept: if context.policy.cool_down().is_some() { LONG } else { SHORT },
            max: MAX_PACKUMENT,
            coding: Coding::Decoded,
            token: token.as_ref().map(|(prefix, token)| (prefix.as_str(), token)),
            listed: Listed::ByName,
        };
        let (bytes, last) = web.get(&url, &ask)?;
        let packument = Packument::parse(&bytes, &self.name)
            .map_err(|why| FetchError::unreachable(&url.to_string(), why))?;
        Ok((npmrc, last, packument))
    }

    /// The bundle of a release.
    fn take(
        &self,
        web: &Web<'_>,
        (npmrc, asked, _): &(Npmrc, SafeUrl, Packument),
        release: &Release,
        context: &FetchContext<'_>,
        scratch: &Utf8Path,
    ) -> Result<Fetched, FetchError> {
        let promised = release.integrity().map_err(|why| {
            let what = format!("{} {} cannot be checked: {why}", self.identity(), release.version);
            FetchError::unusable(what, "only packages with a `sha512-` integrity are installed")
        })?;
        let url =
            asked.resolve(&release.tarball).filter(|url| !url.has_user()).ok_or_else(|| {
                FetchError::unreachable(&asked.to_string(), "it names no address for the archive")
            })?;
        let token = npmrc.token(&url, context.env)?;
        let ask = Ask {
            accept: "*/*",
            max: context.limits.bytes,
            coding: Coding::AsSent,
            token: token.as_ref().map(|(prefix, token)| (prefix.as_str(), token)),
            listed: Listed::ByName,
        };
        let file = scratch.join("archive");
        let last = web.save(&url, &ask, &file)?;
        let promise = Promise { integrity: Some(&promised), signed: None };
        let unpacked = unpack(context, &self.identity(), &file, scratch, promise)?;
        Ok(unpacked.fetched(
            self.recorded(),
            Some(release.version.to_string()),
            Some(last.without_secrets()),
        ))
    }

    fn choose<'p>(
        &self,
        packument: &'p Packument,
        context: &FetchContext<'_>,
    ) -> Result<&'p Release, FetchError> {
        let wait = context.policy.cool_down();
        if let Some(chosen) = packument.choose(&self.selector, wait.as_ref()) {
            return Ok(chosen);
        }
        Err(match (packument.choose(&self.selector, None), wait) {
            (Some(fresh), Some(wait)) => {
                let what = format!("{} {}", self.identity(), fresh.version);
                Refusal::TooFresh { what, days: wait.days }.into()
            }
            _ => FetchError::NoSuch {
                place: self.identity(),
                what: format!("version that is `{}`", self.selected()),
            },
        })
    }
}

impl Source for Npm {
    fn recorded(&self) -> String {
        match &self.selector {
            Selector::Tag(tag) if tag == "latest" => self.identity(),
            _ => format!("npm:{}@{}", self.name, self.selected()),
        }
    }

    fn identity(&self) -> String {
        format!("npm:{}", self.name)
    }

    fn exactly(&self, resolved: &Resolved) -> String {
        match &resolved.reference {
            Some(version) => format!("{}@{version}", self.identity()),
            None => self.recorded(),
        }
    }

    fn target(&self) -> Target<'_> {
        Target::Npm { scope: self.scope.as_deref() }
    }

    fn fetch(&self, context: &FetchContext<'_>, scratch: &Utf8Path) -> Result<Fetched, FetchError> {
        signature::refuse(context, self.target(), "a package of npm")?;
        let web = Web::new(context)?;
        let offer = self.ask(&web, context)?;
        let (.., packument) = &offer;
        let newest = self.take(&web, &offer, self.choose(packument, context)?, context, scratch)?;
        let wait = context.policy.cool_down();
        let older = offered(&newest.bundle, context.host);
        let fitting = older
            .iter()
            .find_map(|version| packument.instead(&self.selector, version, wait.as_ref()));
        let Some(release) = fitting else { return Ok(newest) };
        let scratch = scratch.join("older");
        fs::create_private_dir_all(&scratch).map_err(FetchError::Scratch)?;
        self.take(&web, &offer, release, context, &scratch)
    }

    fn peek(&self, context: &FetchContext<'_>) -> Peek {
        if let Selector::Exact(version) = &self.selector {
            return Peek::Pinned { version: Some(version.clone()), commit: None };
        }
        let newest = Web::new(context).and_then(|web| {
            let (_, _, packument) = self.ask(&web, context)?;
            let release = self.choose(&packument, context)?;
            Ok((release.version.clone(), release.integrity().ok()))
        });
        match newest {
            Ok((version, integrity)) => {
                Peek::Ok { version: Some(version), commit: None, integrity }
            }
            Err(error) => Peek::Unknown { why: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_selectors() {
        for (text, recorded) in [
            ("p", "npm:p"),
            ("p@latest", "npm:p"),
            ("@o/p", "npm:@o/p"),
            ("@o/p@1.2.3-rc.1", "npm:@o/p@1.2.3-rc.1"),
            ("p@^1.2", "npm:p@^1.2"),
            ("p@>=1.2 <3 || 5.x", "npm:p@>=1.2 <3 || 5.x"),
            ("p@next", "npm:p@next"),
            ("p@*", "npm:p@*"),
            ("a.b_c~d-e", "npm:a.b_c~d-e"),
        ] {
            let npm = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(npm.recorded(), recorded);
        }
        for bad in [
            "",
            "@",
            "@o",
            "@o/",
            "@/p",
            "p;id",
            "p id",
            "P",
            ".p",
            "_p",
            "-p",
            "p@",
            "p@ ",
            "a/b",
            "https://evil.example/x.tgz",
            "git+https://h/x.git",
            "github:o/r",
            "file:../x",
            "../x",
            "--registry=http://evil.example",
            "p@https://evil.example/x.tgz",
            "p@file:x",
            "p@1;id",
            "p@$(id)",
            "p@npm:other@1",
            "@o/p/q",
            "p%2f",
            "p\\q",
            "p@../x",
            "p@-x",
            "@o/p@@",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse(&"a".repeat(215)).is_err());
    }
}
