//! The document of a registry.

use super::super::cool_down::CoolDown;
use super::super::integrity::Integrity;
use super::super::range::VersionRange;
use crate::id::CapabilityId;
use crate::json::quoted;
use semver::{BuildMetadata, Prerelease, Version};
use serde_json::Value;
use std::collections::BTreeMap;

/// The number of the format.
pub(super) const SCHEMA: u64 = 1;

/// The capabilities of a registry that are understood.
#[derive(Debug)]
pub(super) struct Index {
    capabilities: BTreeMap<CapabilityId, Vec<Offer>>,
}

/// A version, or why it cannot be had.
type Offer = Result<Release, String>;

#[derive(Debug)]
pub(super) struct Release {
    pub(super) version: Version,
    /// An address, or a path below the index.
    pub(super) source: String,
    pub(super) integrity: Integrity,
    /// The hosts that it works with.
    engines: Option<VersionRange>,
    yanked: bool,
    published: Option<String>,
}

impl Index {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let root: Value = serde_json::from_slice(bytes).map_err(|_| "it is not JSON")?;
        if root["schema"].as_u64() != Some(SCHEMA) {
            return Err(format!("its `schema` is not {SCHEMA}"));
        }
        let all = root["capabilities"].as_object().ok_or("it has no `capabilities`")?;
        let mut capabilities = BTreeMap::new();
        for (id, capability) in all {
            let Ok(id) = CapabilityId::parse(id) else { continue };
            let versions = capability["versions"].as_object().into_iter().flatten();
            let offers = versions.map(|(version, release)| Release::parse(version, release));
            capabilities.insert(id, offers.collect());
        }
        Ok(Self { capabilities })
    }

    /// The highest version that is on offer, in the range, made for this host and, with a wait, old
    /// enough. The error says what there is not.
    pub(super) fn choose(
        &self,
        id: &CapabilityId,
        range: Option<&VersionRange>,
        host: &Version,
        wait: Option<&CoolDown>,
    ) -> Result<&Release, String> {
        let offers = self.capabilities.get(id).ok_or("such capability")?;
        let wanted = |release: &&Release| match range {
            Some(range) => range.contains(&release.version),
            // Nobody gets a pre-release without asking for it.
            None => release.version.pre.is_empty(),
        };
        let sound = || offers.iter().filter_map(|offer| offer.as_ref().ok());
        let made_for = |release: &&Release| {
            // A host under test has to take what the finished one will take.
            let host =
                Version { pre: Prerelease::EMPTY, build: BuildMetadata::EMPTY, ..host.clone() };
            release.engines.as_ref().is_none_or(|engines| engines.contains(&host))
        };
        let old_enough =
            |release: &&Release| wait.is_none_or(|wait| wait.admits(release.published.as_deref()));
        let kept = || sound().filter(|release| !release.yanked);
        let offered = || kept().filter(wanted).filter(old_enough);
        if let Some(best) = offered().filter(made_for).max_by(|a, b| a.version.cmp(&b.version)) {
            return Ok(best);
        }
        let broken = offers.iter().find_map(|offer| offer.as_ref().err());
        Err(match (offered().next(), sound().find(wanted), broken) {
            (Some(_), _, _) => format!("version that is made for gsd {host}"),
            (None, Some(_), _) => "version that was not withdrawn".to_owned(),
            (None, None, Some(why)) => format!("usable version: {why}"),
            (None, None, None) => "version in that range".to_owned(),
        })
    }
}

impl Release {
    fn parse(version: &str, release: &Value) -> Offer {
        let wrong = |what: &str| format!("{} {what}", quoted(version));
        let parsed = Version::parse(version).map_err(|_| wrong("is no version"))?;
        let source = release["source"].as_str().ok_or_else(|| wrong("has no `source`"))?;
        let integrity = release["integrity"].as_str().ok_or_else(|| wrong("has no `integrity`"))?;
        let integrity = Integrity::parse(integrity)
            .map_err(|error| wrong(&format!("has a bad `integrity`: {error}")))?;
        let engines = match &release["engines"] {
            Value::Null => None,
            Value::Object(engines) => match engines.get("gsd") {
                None => None,
                Some(range) => {
                    let range = range.as_str().and_then(VersionRange::parse);
                    Some(range.ok_or_else(|| wrong("has no range in `engines.gsd`"))?)
                }
            },
            _ => return Err(wrong("has `engines` that are no object")),
        };
        let yanked = match &release["yanked"] {
            Value::Null => false,
            Value::Bool(yanked) => *yanked,
            _ => return Err(wrong("has a `yanked` that is neither true nor false")),
        };
        let source = source.to_owned();
        let published = release["published"].as_str().map(str::to_owned);
        Ok(Self { version: parsed, source, integrity, engines, yanked, published })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_highest_that_fits() {
        let integrity = Integrity::of(b"").to_string();
        let one = |engines: &str, yanked: bool| json!({ "source": "x.tgz", "integrity": integrity, "engines": { "gsd": engines }, "yanked": yanked });
        let index = json!({ "schema": 1, "capabilities": {
            "acme": { "versions": {
                "1.0.0": one(">=1.0.0", false), "1.2.0": one(">=1.0.0", false),
                "1.10.0": one(">=1.0.0", true), "2.0.0": one(">=99.0.0", false),
                "3.0.0-rc.1": one("*", false),
                "4.0.0": { "source": "x.tgz", "integrity": "" }, "5.0.0": { "source": "x.tgz" },
                "x": one("*", false),
            } },
            "bare": { "versions": { "1.0.0": { "source": "x", "integrity": null } } },
            "Bad Id": {},
        } });
        let index = Index::parse(index.to_string().as_bytes()).expect("reads");
        let host = Version::parse("1.11.0-beta.1").expect("a version");
        let chosen = |id: &str, range: Option<&str>| {
            let range = range.map(|text| VersionRange::parse(text).expect("a range"));
            let id = CapabilityId::parse(id).expect("an id");
            index
                .choose(&id, range.as_ref(), &host, None)
                .map(|release| release.version.to_string())
        };
        assert_eq!(chosen("acme", None).as_deref(), Ok("1.2.0"));
        assert_eq!(chosen("acme", Some("<1.2")).as_deref(), Ok("1.0.0"));
        assert_eq!(chosen("acme", Some("3.0.0-rc.1")).as_deref(), Ok("3.0.0-rc.1"));
        for (id, range, why) in [
            ("acme", Some("1.10.0"), "not withdrawn"),
            ("acme", Some("2"), "made for gsd"),
            ("acme", Some("4"), "usable"),
            ("bare", None, "usable"),
            ("other", None, "such capability"),
        ] {
            let error = chosen(id, range).expect_err("nothing fits");
            assert!(error.contains(why), "{id} {range:?}: {error}");
        }
    }

    #[test]
    fn what_is_no_index() {
        for bad in [
            "",
            "[]",
            "{}",
            "{\"schema\": 2, \"capabilities\": {}}",
            "{\"schema\": \"1\"}",
            "{\"schema\": 1}",
        ] {
            assert!(Index::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
