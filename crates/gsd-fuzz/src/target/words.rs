//! Short texts: addresses, ids, versions, phases, paths; and the records of installs.

use super::{Place, Target, seeds};
use gsd_engine::evidence;
use gsd_engine::id::{CapabilityId, ConfigKey, InstanceName, LaneFlag, LaneSlug, RelPath, Stem};
use gsd_engine::lane::descriptor::{Binary, EnvName, Heading};
use gsd_engine::manifest::Range;
use gsd_engine::planning::{PhaseNumber, PhaseSpec, RequirementId};
use gsd_engine::store::{Places, discover};
use gsd_io::http::{Destination, SafeUrl};

pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "address",
        what: "addresses of servers and downloads",
        seeds: || lines(ADDRESSES),
        check: address,
    },
    Target {
        name: "words",
        what: "ids, keys, paths, ranges of versions, phases",
        seeds: || lines(WORDS),
        check: words,
    },
    Target {
        name: "installs",
        what: "the ledger of a scope and the consents of a user",
        seeds: || seeds!("ledger.json", "consent.json"),
        check: installs,
    },
];

const ADDRESSES: &str = "\
http://localhost:11434
https://user:secret@example.org:8443/v1/?key=1#part
http://[::1]:8080/base/
http://0x7f.1/
http://127.0.0.1.nip.io
https://xn--bcher-kva.example/a/../b
http://[fe80::1%25eth0]/
HTTPS://EXAMPLE.ORG./v1
http://2130706433/
http://①②⑦.0.0.1/
ftp://example.org";

const WORDS: &str = "\
acme-review
review.models.codex
--lm-studio
^1.2.3 || >=2.0.0-rc.1 <3 || 1.x - 2.4 || ~1.2
>=1.11.0 <2
src/a.rs:12-14
crates/a b/ü.rs#L3-L9
03.1-notes
phase 3
v1.0/3
AUTH-02
GEMINI_API_KEY
Acme Review (v2)
./a//b/../c";

fn lines(text: &str) -> Vec<Vec<u8>> {
    text.lines().map(|line| line.as_bytes().to_vec()).collect()
}

fn address(_: &mut Place, input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Ok(destination) = Destination::parse(&text) {
        let canonical = destination.to_string();
        let again = Destination::parse(&canonical).expect("the canonical form is one");
        assert_eq!(again.to_string(), canonical);
        assert_eq!(again.is_loopback(), destination.is_loopback());
        if let Ok(joined) = destination.join("/v1/chat/completions") {
            assert_eq!(joined.origin(), destination.origin(), "a path leads nowhere else");
        }
        if let Ok(joined) = destination.join(&text) {
            assert_eq!(joined.origin(), destination.origin(), "a path leads nowhere else");
        }
    }
    if let Ok(url) = SafeUrl::parse(&text) {
        url.resolve(&text);
    }
}

fn words(place: &mut Place, input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let text = text.as_ref();
    CapabilityId::parse(text).ok();
    Stem::parse(text).ok();
    LaneSlug::parse(text).ok();
    LaneFlag::parse(text).ok();
    InstanceName::parse(text).ok();
    ConfigKey::parse(text).ok();
    Binary::parse(text).ok();
    EnvName::parse(text).ok();
    Heading::parse(text).ok();
    RequirementId::parse(text);
    PhaseNumber::parse(text);
    PhaseSpec::parse(text, &place.project());
    if let Ok(path) = RelPath::parse(text) {
        let parts: Vec<&str> = path.as_str().split('/').collect();
        assert!(!parts.contains(&"..") && !path.as_str().starts_with('/'), "{path:?}");
        assert_eq!(RelPath::parse(path.as_str()).expect("it is one").as_str(), path.as_str());
    }
    if let Ok(range) = Range::parse(text) {
        range.contains(&semver::Version::new(1, 11, 0));
    }
    evidence::Place::parse(text);
}

fn installs(place: &mut Place, input: &[u8]) {
    place.write("home/.gsd-capabilities.json", input);
    place.write("home/.gsd/consent.json", input);
    place.write("project/.gsd-capabilities.json", input);
    for root in ["home", "project"] {
        place.write(&format!("{root}/.gsd/capabilities/acme/capability.json"), b"{}");
    }
    let found = discover(&Places::new(Ok(place.home()), place.project()));
    assert_eq!(found.overlays.len(), 2, "both are told about");
}
