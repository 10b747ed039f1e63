//! `capabilities.lock`: what the sources of a project turned out to be, so that another machine gets
//! the same, or nothing.
//!
//! The file belongs to the project and is committed with it. It can only refuse: it approves
//! nothing and names no host that the lists of known sources do not have.

use super::integrity::Integrity;
use super::signature::SigningKey;
use crate::id::CapabilityId;
use crate::json::quoted;
use semver::Version;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// Its name, beside `.planning`.
pub const LOCK_FILE: &str = "capabilities.lock";
const SCHEMA: u64 = 1;
const MAX_ENTRIES: usize = 4096;

/// What one capability turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locked {
    pub version: Version,
    /// What was asked for.
    pub source: String,
    /// What gives exactly this again.
    pub exact: String,
    pub commit: Option<String>,
    /// Of the archive, where there was one.
    pub integrity: Option<Integrity>,
    /// The key by which the archive is signed, where one was asked for.
    pub minisign: Option<SigningKey>,
    /// Of the bundle.
    pub content_hash: Integrity,
}

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockFile {
    pub capabilities: BTreeMap<CapabilityId, Locked>,
}

/// A file that cannot be used. Nothing may be installed by it, and it is not overwritten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{LOCK_FILE}` cannot be used: {0}")]
pub struct LockError(String);

/// What is not as it was locked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Drift {
    #[error("`{id}` is not in `{LOCK_FILE}`")]
    Missing { id: CapabilityId },
    #[error("the {what} of `{id}` is not the one in `{LOCK_FILE}`: expected {locked}, got {found}")]
    Other { id: CapabilityId, what: &'static str, locked: String, found: String },
}

impl LockFile {
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let bad = |what: String| LockError(what);
        let root: Value =
            serde_json::from_str(text).map_err(|error| bad(format!("it is not JSON: {error}")))?;
        if root["schema"].as_u64() != Some(SCHEMA) {
            return Err(bad(format!(
                "its `schema` is not {SCHEMA}; a newer gsd may have written it"
            )));
        }
        let entries = root["capabilities"].as_object();
        let entries = entries.ok_or_else(|| bad("it has no `capabilities`".into()))?;
        if entries.len() > MAX_ENTRIES {
            return Err(bad(format!("it has more than {MAX_ENTRIES} capabilities")));
        }
        let mut capabilities = BTreeMap::new();
        for (id, entry) in entries {
            let wrong = |what: &dyn fmt::Display| bad(format!("{}: {what}", quoted(id)));
            let known = CapabilityId::parse(id).map_err(|error| wrong(&error))?;
            let locked = Locked::parse(entry).map_err(|what| wrong(&what))?;
            capabilities.insert(known, locked);
        }
        Ok(Self { capabilities })
    }

    /// The file, the same bytes for the same content.
    pub fn render(&self) -> String {
        let entries: Map<String, Value> =
            self.capabilities.iter().map(|(id, locked)| (id.to_string(), locked.json())).collect();
        format!("{:#}\n", json!({ "schema": SCHEMA, "capabilities": entries }))
    }

    /// Whether what was fetched is what was locked, for `--frozen`.
    pub fn check(&self, id: &CapabilityId, found: &Locked) -> Result<(), Drift> {
        let locked = self.capabilities.get(id).ok_or_else(|| Drift::Missing { id: id.clone() })?;
        let text = |value: &dyn fmt::Display| value.to_string();
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        let integrity = |one: &Option<Integrity>| {
            or_none(&one.as_ref().map(|integrity| integrity.sha512().to_string()))
        };
        let key = |one: &Option<SigningKey>| or_none(&one.as_ref().map(|key| key.id().to_owned()));
        for (what, before, now) in [
            ("version", text(&locked.version), text(&found.version)),
            ("source", locked.source.clone(), found.source.clone()),
            ("commit", or_none(&locked.commit), or_none(&found.commit)),
            ("integrity", integrity(&locked.integrity), integrity(&found.integrity)),
            ("signing key", key(&locked.minisign), key(&found.minisign)),
            ("content", text(&locked.content_hash), text(&found.content_hash)),
        ] {
            if before != now {
                return Err(Drift::Other { id: id.clone(), what, locked: before, found: now });
            }
        }
        Ok(())
    }
}

impl Locked {
    fn parse(entry: &Value) -> Result<Self, String> {
        let text = |name: &str| match &entry[name] {
            Value::Null => Ok(None),
            Value::String(text) if !text.contains(char::is_control) => Ok(Some(text.clone())),
            _ => Err(format!("`{name}` is no text")),
        };
        let needed = |name: &str| text(name)?.ok_or_else(|| format!("`{name}` is missing"));
        let digest = |text: &str| Integrity::parse(text).map_err(|error| error.to_string());
        let key =
            |text: &str| SigningKey::parse(text).map_err(|error| format!("`minisign`: {error}"));
        let version = needed("version")?;
        Ok(Self {
            version: Version::parse(&version).map_err(|_| "`version` is no version".to_owned())?,
            source: needed("source")?,
            exact: needed("exact")?,
            commit: text("commit")?,
            integrity: text("integrity")?.map(|text| digest(&text)).transpose()?,
            minisign: text("minisign")?.map(|text| key(&text)).transpose()?,
            content_hash: digest(&needed("contentHash")?)?,
        })
    }

    fn json(&self) -> Value {
        let mut entry = json!({
            "version": self.version.to_string(),
            "source": self.source,
            "exact": self.exact,
        });
        if let Some(commit) = &self.commit {
            entry["commit"] = json!(commit);
        }
        if let Some(integrity) = &self.integrity {
            entry["integrity"] = json!(integrity.to_string());
        }
        if let Some(key) = &self.minisign {
            entry["minisign"] = json!(key.to_string());
        }
        entry["contentHash"] = json!(self.content_hash.to_string());
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked() -> Locked {
        Locked {
            version: Version::new(1, 2, 0),
            source: "github:o/r#semver:^1".into(),
            exact: "git+https://github.com/o/r.git#sha:0123456789abcdef0123456789abcdef01234567"
                .into(),
            commit: Some("0123456789abcdef0123456789abcdef01234567".into()),
            integrity: None,
            minisign: None,
            content_hash: Integrity::of(b"bundle"),
        }
    }

    fn key() -> SigningKey {
        SigningKey::parse("RWSh6MVRbPb3vyQMNHbtKYACa4h4eW1E2VNnQsL/NIYxE8vO+lbLoIlK")
            .expect("a key")
    }

    fn file() -> LockFile {
        let id = |text| CapabilityId::parse(text).expect("an id");
        let archive = Locked {
            commit: None,
            integrity: Some(Integrity::of(b"archive")),
            minisign: Some(key()),
            ..locked()
        };
        LockFile { capabilities: [(id("zeta"), locked()), (id("acme"), archive)].into() }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = file().render();
        assert_eq!(LockFile::parse(&text), Ok(file()));
        assert!(text.find("acme") < text.find("zeta") && text.ends_with("}\n"), "{text}");
        for bad in [
            String::new(),
            "[]".into(),
            "{}".into(),
            text.replace("\"schema\": 1", "\"schema\": 2"),
            text.replace("\"acme\"", "\"__proto__\""),
            text.replace("\"1.2.0\"", "\"1.2\""),
            text.replace("\"version\"", "\"versions\""),
            text.replace("\"contentHash\"", "\"hash\""),
            text.replace("sha512-", "sha1-"),
            text.replace("RWSh", "RWS"),
            text.replace("\"source\": \"github", "\"source\": \"\\u001bgithub"),
        ] {
            assert!(LockFile::parse(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_difference_is_told() {
        let file = file();
        let id = CapabilityId::parse("zeta").expect("an id");
        assert_eq!(file.check(&id, &locked()), Ok(()));
        let other = CapabilityId::parse("other").expect("an id");
        assert!(matches!(file.check(&other, &locked()), Err(Drift::Missing { .. })));
        for (found, changed) in [
            (Locked { version: Version::new(1, 3, 0), ..locked() }, "version"),
            (Locked { source: "npm:p".into(), ..locked() }, "source"),
            (Locked { commit: None, ..locked() }, "commit"),
            (Locked { integrity: Some(Integrity::of(b"x")), ..locked() }, "integrity"),
            (Locked { minisign: Some(key()), ..locked() }, "signing key"),
            (Locked { content_hash: Integrity::of(b"x"), ..locked() }, "content"),
        ] {
            let drift = file.check(&id, &found).expect_err(changed);
            assert!(matches!(drift, Drift::Other { what, .. } if what == changed), "{drift}");
        }
    }
}
