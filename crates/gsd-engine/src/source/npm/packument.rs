//! What a registry says of a package.

use super::super::integrity::{Integrity, IntegrityError};
use super::Selector;
use crate::source::cool_down::CoolDown;
use crate::source::range::VersionRange;
use semver::Version;
use serde_json::Value;
use std::collections::BTreeMap;

/// The versions of a package.
#[derive(Debug)]
pub(super) struct Packument {
    releases: BTreeMap<Version, Release>,
    tags: BTreeMap<String, Version>,
}

/// One version.
#[derive(Debug)]
pub(super) struct Release {
    pub(super) version: Version,
    /// Seen from the packument, if it is not absolute.
    pub(super) tarball: String,
    integrity: Option<String>,
    deprecated: bool,
    /// Only the long form of a packument says it.
    published: Option<String>,
}

impl Release {
    /// What the archive has to be.
    pub(super) fn integrity(&self) -> Result<Integrity, IntegrityError> {
        Integrity::parse(self.integrity.as_deref().unwrap_or_default())
    }
}

impl Packument {
    /// Reads what was answered. What is no version, or has no archive, is not on offer.
    pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Self, &'static str> {
        let root: Value = serde_json::from_slice(bytes).map_err(|_| "it answered no JSON")?;
        if root["name"].as_str().is_some_and(|given| given != name) {
            return Err("it answered with another package");
        }
        let versions =
            root["versions"].as_object().ok_or("it answered with no list of versions")?;
        let mut releases = BTreeMap::new();
        for (text, release) in versions {
            let Ok(version) = Version::parse(text) else { continue };
            let Some(tarball) = release["dist"]["tarball"].as_str() else { continue };
            let release = Release {
                version: version.clone(),
                tarball: tarball.to_owned(),
                integrity: release["dist"]["integrity"].as_str().map(str::to_owned),
                published: root["time"][text].as_str().map(str::to_owned),
                deprecated: match &release["deprecated"] {
                    Value::Null | Value::Bool(false) => false,
                    Value::String(text) => !text.is_empty(),
                    _ => true,
                },
            };
            releases.insert(version, release);
        }
        let tags =
            root["dist-tags"].as_object().into_iter().flatten().filter_map(|(tag, text)| {
                Some((tag.clone(), Version::parse(text.as_str()?).ok()?))
            });
        Ok(Self { tags: tags.collect(), releases })
    }

    /// An older version that stands in for the newest one, if the selector leaves that open.
    pub(super) fn instead(
        &self,
        selector: &Selector,
        version: &Version,
        wait: Option<&CoolDown>,
    ) -> Option<&Release> {
        let is_open = match selector {
            Selector::Exact(_) => false,
            Selector::Tag(tag) => tag == "latest",
            Selector::Range(range) => range.contains(version),
        };
        let release = self.releases.get(version).filter(|_| is_open)?;
        wait.is_none_or(|wait| wait.admits(release.published.as_deref())).then_some(release)
    }

    /// The version that npm would take: for a range the one that is tagged `latest` if it is in
    /// the range, else the highest that is not deprecated. With a wait, nothing counts that is
    /// fresher; where the version that is tagged `latest` is, the highest that is no pre-release
    /// stands in for it.
    pub(super) fn choose(&self, selector: &Selector, wait: Option<&CoolDown>) -> Option<&Release> {
        let old_enough =
            |release: &&Release| wait.is_none_or(|wait| wait.admits(release.published.as_deref()));
        let get = |version: &Version| self.releases.get(version).filter(old_enough);
        let any = VersionRange::parse("*").expect("a range");
        let range = match selector {
            Selector::Exact(version) => return get(version),
            Selector::Tag(tag) => match get(self.tags.get(tag)?) {
                None if wait.is_some() && tag == "latest" => &any,
                tagged => return tagged,
            },
            Selector::Range(range) => range,
        };
        let within = |release: &&Release| range.contains(&release.version) && old_enough(release);
        let latest = self.tags.get("latest").and_then(|version| self.releases.get(version));
        let highest = |deprecated: bool| {
            let mut all = self.releases.values().rev().filter(within);
            all.find(|release| release.deprecated == deprecated)
        };
        latest
            .filter(|release| !release.deprecated)
            .filter(within)
            .or_else(|| highest(false))
            .or_else(|| highest(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_npm_would_take() {
        let release = |extra: Value| {
            let mut release = json!({ "dist": { "tarball": "x.tgz" } });
            for (name, value) in extra.as_object().expect("an object") {
                release[name] = value.clone();
            }
            release
        };
        let plain = || release(json!({}));
        let packument = json!({
            "name": "p",
            "dist-tags": { "latest": "1.2.0", "next": "2.0.0-rc.1", "gone": "9.9.9" },
            "versions": {
                "1.0.0": plain(), "1.2.0": plain(), "1.10.0": plain(),
                "1.11.0": release(json!({ "deprecated": "no" })),
                "2.0.0-rc.1": plain(), "3.0.0": release(json!({ "deprecated": "no" })),
                "not-a-version": plain(), "4.0.0": {},
            },
        });
        let packument = Packument::parse(packument.to_string().as_bytes(), "p").expect("reads");
        for (selector, version) in [
            ("1.0.0", Some("1.0.0")),
            ("latest", Some("1.2.0")),
            ("next", Some("2.0.0-rc.1")),
            ("gone", None),
            ("^1.0.0", Some("1.2.0")),
            (">1.2.0 <2", Some("1.10.0")),
            (">=1.10.0 <=1.11", Some("1.10.0")),
            ("3.x", Some("3.0.0")),
            ("2.x", None),
            (">=2.0.0-rc.0", Some("2.0.0-rc.1")),
            ("4.0.0", None),
            ("5", None),
        ] {
            let parsed = Selector::parse(selector).expect(selector);
            let chosen = packument.choose(&parsed, None).map(|release| release.version.to_string());
            assert_eq!(chosen.as_deref(), version, "{selector}");
        }
    }

    #[test]
    fn what_is_no_packument() {
        for bad in [
            "",
            "[]",
            "{}",
            "{\"versions\": []}",
            "{\"name\": \"q\", \"versions\": {}}",
            "\u{fffd}",
        ] {
            assert!(Packument::parse(bad.as_bytes(), "p").is_err(), "{bad}");
        }
        let odd = json!({ "versions": { "1.0.0": null, "2.0.0": { "dist": [] } }, "dist-tags": 1 });
        assert!(
            Packument::parse(odd.to_string().as_bytes(), "p").expect("reads").releases.is_empty()
        );
    }
}
