//! Who has to have signed what comes from where, as one file says.

use super::super::Target;
use super::super::signature::{SETTING, SigningKey};
use super::known::Entry;
use super::{Found, Refusal};
use crate::json::{Value, quoted};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs;
use percent_encoding::percent_decode_str;
use std::cmp::Reverse;

/// The keys of one file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Signers {
    /// The file, as people call it.
    file: String,
    /// The most telling first; an error says why nobody can tell what was meant.
    pins: Result<Vec<Pin>, String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Pin {
    from: From,
    /// `None`: no signature is asked for.
    key: Option<SigningKey>,
}

/// What a pin is about.
#[derive(Debug, Clone, PartialEq)]
enum From {
    /// All that the registry of this name has.
    Registry(String),
    Source(Entry),
}

impl Signers {
    /// The keys of a file, if it has the setting. One that cannot be read may have had it.
    pub(super) fn read(found: &Found, file: &str) -> Option<Self> {
        let pins = match found {
            Found::Nothing => return None,
            Found::Broken => Err("it cannot be read".to_owned()),
            Found::Settings(config) => {
                let around = config.all("capabilities").next();
                if around.is_some_and(|setting| setting.node.as_object().is_none()) {
                    Err("`capabilities` is no object".to_owned())
                } else {
                    match &config.all(SETTING).next()?.node.value {
                        Value::Null => return None,
                        Value::Object(object) => pins(&object.members),
                        _ => Err("expected an object".to_owned()),
                    }
                }
            }
        };
        Some(Self { file: file.to_owned(), pins })
    }

    /// The key for a place, by the first of its names that something is said of.
    pub(super) fn key(&self, asked: &[Target<'_>]) -> Result<Option<&SigningKey>, Refusal> {
        let pins = self
            .pins
            .as_ref()
            .map_err(|why| Refusal::Keys { file: self.file.clone(), why: why.clone() })?;
        let said = asked.iter().find_map(|target| pins.iter().find(|pin| pin.has(target)));
        Ok(said.and_then(|pin| pin.key.as_ref()))
    }
}

impl Pin {
    /// Whether it is about a place. Some servers take an encoded slash for a slash and others do
    /// not: where one of the two ways to read a path leads to a key, it is asked for.
    fn has(&self, target: &Target<'_>) -> bool {
        let as_it_is = self.from.has(target);
        let Target::Host { name, path } = *target else { return as_it_is };
        let path = walked(path);
        let decoded = self.from.has(&Target::Host { name, path: &path });
        if self.key.is_some() { as_it_is || decoded } else { as_it_is && decoded }
    }
}

/// A path with all that is encoded in it decoded, and its dots followed.
fn walked(path: &str) -> String {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let mut parts = vec![];
    for part in decoded.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn pins(members: &[crate::json::Member]) -> Result<Vec<Pin>, String> {
    let mut pins: Vec<Pin> = vec![];
    for member in members {
        let shown = quoted(&member.name);
        let from = From::parse(&member.name).ok_or_else(|| format!("{shown} names no source"))?;
        let key = match &member.value.value {
            Value::Null => None,
            Value::String(text) => {
                let key = SigningKey::parse(text);
                Some(key.map_err(|error| format!("{shown} has no key: {error}"))?)
            }
            _ => return Err(format!("{shown} has no key: expected a string or null")),
        };
        if pins.iter().any(|pin| pin.from == from) {
            return Err(format!("{shown} is there twice"));
        }
        pins.push(Pin { from, key });
    }
    pins.sort_by_key(|pin| Reverse(pin.from.rank()));
    Ok(pins)
}

impl From {
    fn parse(text: &str) -> Option<Self> {
        if let Some(name) = text.trim().strip_prefix("registry:") {
            return (!name.is_empty()).then(|| Self::Registry(name.to_owned()));
        }
        Some(Self::Source(match Entry::parse(text)? {
            Entry::Folder(folder) => Entry::Folder(real(&folder)),
            entry => entry,
        }))
    }

    fn has(&self, target: &Target<'_>) -> bool {
        match (self, target) {
            (Self::Registry(name), Target::Registry(asked)) => name == asked,
            // However its place is spelled.
            (Self::Source(entry), Target::Folder(path)) => entry.has(&Target::Folder(&real(path))),
            (Self::Source(entry), target) => entry.has(target),
            (Self::Registry(_), _) => false,
        }
    }

    /// The longer, the more telling. Only what has one place in common is ever compared.
    fn rank(&self) -> (usize, bool, usize) {
        match self {
            Self::Registry(_) | Self::Source(Entry::Scope(_)) => (1, false, 0),
            Self::Source(Entry::Npm) => (0, false, 0),
            Self::Source(Entry::Folder(folder)) => (folder.components().count(), false, 0),
            Self::Source(Entry::Host { name, below, path }) => (name.len(), *below, path.len()),
        }
    }
}

fn real(path: &Utf8Path) -> Utf8PathBuf {
    fs::canonical(path).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Layer};
    use crate::diag::SourceFile;

    const A: &str = "RWSh6MVRbPb3vyQMNHbtKYACa4h4eW1E2VNnQsL/NIYxE8vO+lbLoIlK";
    const B: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";

    fn signers(settings: &str) -> Option<Signers> {
        let (config, _) = Config::read(vec![(Layer::User, SourceFile::new("d.json", settings))]);
        Signers::read(&Found::Settings(config), "d.json")
    }

    fn pinned(pins: &str) -> Signers {
        let text = format!(r#"{{"capabilities": {{"signing_keys": {{{pins}}}}}}}"#);
        signers(&text.replace("'A'", &quoted_key(A)).replace("'B'", &quoted_key(B))).expect("keys")
    }

    fn quoted_key(key: &str) -> String {
        format!("\"{key}\"")
    }

    #[test]
    fn the_longest_entry_decides() {
        let signers = pinned(
            r#""caps.example": 'A', "caps.example/acme": 'B', "caps.example/acme/open": null,
               "*.caps.example": 'B', "npm:@a": 'A', "local:/nowhere": 'A', "local:/nowhere/b": 'B',
               "registry:team": 'B'"#,
        );
        let host = |name, path| Target::Host { name, path };
        for (asked, key) in [
            (&[host("caps.example", "/x.tgz")][..], Some(A)),
            (&[host("CAPS.example.", "/Acme/x.tgz")], Some(B)),
            (&[host("caps.example", "/acme/open/x.tgz")], None),
            (&[host("cdn.caps.example", "/acme/x.tgz")], Some(B)),
            (&[host("other.example", "/x.tgz")], None),
            (&[Target::Npm { scope: Some("@a") }], Some(A)),
            (&[Target::Npm { scope: None }], None),
            (&[Target::Folder("/nowhere/x.tgz".into())], Some(A)),
            (&[Target::Folder("/nowhere/b/x.tgz".into())], Some(B)),
            (&[Target::Registry("team"), host("caps.example", "/x.tgz")], Some(B)),
            (&[Target::Registry("other"), host("caps.example", "/x.tgz")], Some(A)),
        ] {
            let found = signers.key(asked).expect("sound").map(ToString::to_string);
            assert_eq!(found.as_deref(), key, "{asked:?}");
        }
    }

    #[test]
    fn no_spelling_of_a_path_evades_its_key() {
        let signers = pinned(
            r#""caps.example/acme": 'A', "caps.example/%62eta": 'B', "caps.example/open": null,
               "caps.example/größe": 'B', "host.example": 'A', "host.example/open": null"#,
        );
        for (name, path, key) in [
            ("caps.example", "/%61cme/x.tgz", Some(A)),
            ("caps.example", "/%41CM%45/x.tgz", Some(A)),
            ("caps.example", "//acme//x.tgz", Some(A)),
            ("caps.example", "/acme%2Fx.tgz", Some(A)),
            ("caps.example", "/acme%5cx.tgz", Some(A)),
            ("caps.example", "/open%2f..%2facme/x.tgz", Some(A)),
            ("caps.example", "/open/x%2f..%2f%2e%2e%2facme/x.tgz", Some(A)),
            ("caps.example", "/beta/x.tgz", Some(B)),
            ("caps.example", "/b%65ta/x.tgz", Some(B)),
            ("caps.example", "/gr%C3%B6%C3%9Fe/x.tgz", Some(B)),
            ("caps.example", "/acme-two/x.tgz", None),
            ("caps.example", "/%2561cme/x.tgz", Some(A)),
            ("caps.example", "/%ff/x.tgz", None),
            ("host.example", "/%6fpen/x.tgz", None),
            ("host.example", "/open/..%2fx.tgz", Some(A)),
            ("host.example", "/open%2fx.tgz", Some(A)),
        ] {
            let found = signers.key(&[Target::Host { name, path }]).expect("sound");
            assert_eq!(found.map(ToString::to_string).as_deref(), key, "{name}{path}");
        }
        let twice = pinned(r#""caps.example/acme": 'A', "caps.example/%61cme": 'B'"#);
        assert!(twice.key(&[]).is_err());
    }

    #[test]
    fn what_cannot_be_meant_lets_nothing_through() {
        for bad in [
            r#""https://caps.example/": 'A'"#,
            r#""": 'A'"#,
            r#""registry:": 'A'"#,
            r#""caps.example": "RWno""#,
            r#""caps.example": ['A']"#,
            r#""caps.example": true"#,
            r#""caps.example": 'A', "Caps.Example": 'B'"#,
        ] {
            let signers = pinned(bad);
            let refused = signers.key(&[Target::Registry("x")]);
            assert!(matches!(refused, Err(Refusal::Keys { .. })), "{bad}: {refused:?}");
        }
        for bad in [
            r#"{"capabilities": []}"#,
            r#"{"capabilities": {"signing_keys": []}}"#,
            r#"{"capabilities.signing_keys": "x"}"#,
        ] {
            let signers = signers(bad).expect("something");
            let refused = signers.key(&[]);
            assert!(matches!(refused, Err(Refusal::Keys { .. })), "{bad}: {refused:?}");
        }
        for unset in ["{}", r#"{"capabilities": {"signing_keys": null}}"#] {
            assert_eq!(signers(unset), None, "{unset}");
        }
        assert_eq!(Signers::read(&Found::Nothing, "d.json"), None);
        assert!(Signers::read(&Found::Broken, "d.json").expect("maybe").key(&[]).is_err());
    }
}
