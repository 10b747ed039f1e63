//! Older versions for older hosts: what a bundle that asks for a newer gsd offers instead.
//!
//! `compatVersions` of a manifest names older versions of the same capability and the hosts that
//! each is for. It is a hint about one source and leads to no other one: whoever follows it looks
//! the version up there, and checks it like any other.

use super::fetch::manifest_of;
use super::range::VersionRange;
use camino::Utf8Path;
use semver::{BuildMetadata, Prerelease, Version};

/// The versions that a bundle says are for this host, the highest first; none if the bundle itself
/// is, or does not say.
pub(super) fn offered(bundle: &Utf8Path, host: &Version) -> Vec<Version> {
    // A host under test has to take what the finished one will take.
    let host = Version { pre: Prerelease::EMPTY, build: BuildMetadata::EMPTY, ..host.clone() };
    let Some(manifest) = manifest_of(bundle) else { return vec![] };
    let range = |value: &serde_json::Value| VersionRange::parse(value.as_str()?);
    if range(&manifest["engines"]["gsd"]).is_none_or(|engines| engines.contains(&host)) {
        return vec![];
    }
    let all = manifest["compatVersions"].as_object().into_iter().flatten();
    let mut offered: Vec<Version> = all
        .filter(|(_, hosts)| range(hosts).is_some_and(|hosts| hosts.contains(&host)))
        .filter_map(|(version, _)| Version::parse(version).ok())
        .collect();
    offered.sort_by(|a, b| b.cmp(a));
    offered
}
