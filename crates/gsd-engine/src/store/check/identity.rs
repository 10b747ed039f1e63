//! Names that a capability of somebody else cannot have: gsd's own, those of its commands, and
//! those that only look like them.

use super::{MAX_SHOWN, Refusal};
use crate::embedded;
use crate::id::CapabilityId;
use crate::manifest::RESERVED_WORDS;
use crate::text::printable;
use serde_json::Value;

/// Ids that begin so are gsd's own, however they are written.
const RESERVED_PREFIXES: [&str; 3] = ["gsd-core-", "gsd-", "anthropic-"];

/// Windows takes a folder of such a name for a device.
fn is_device(id: &str) -> bool {
    let numbered = |prefix: &str| {
        id.strip_prefix(prefix).is_some_and(|rest| matches!(rest.as_bytes(), [b'1'..=b'9']))
    };
    ["con", "nul", "aux", "prn"].contains(&id) || numbered("com") || numbered("lpt")
}

/// A name that is gsd's own.
#[derive(Debug)]
struct OwnName {
    name: String,
    what: &'static str,
    looks: String,
}

/// Every name that is gsd's own.
#[derive(Debug)]
pub(super) struct OwnNames(Vec<OwnName>);

const CAPABILITY: &str = "a first-party capability";

impl OwnNames {
    /// Asked for a look at any manifest, so no manifest is read for it that brings no command.
    pub(super) fn new() -> Self {
        let own = |name: &str, what| OwnName { name: name.to_owned(), what, looks: skeleton(name) };
        let ids = embedded::manifests().map(|(id, _)| own(id, CAPABILITY));
        let with_commands = embedded::manifests().filter(|(_, text)| text.contains("\"family\""));
        let families = with_commands.flat_map(|(_, text)| {
            let manifest: Value = serde_json::from_str(text).unwrap_or_default();
            let commands = manifest["commands"].as_array().cloned().unwrap_or_default();
            let family = |it: &Value| Some(own(it["family"].as_str()?, "a first-party command"));
            commands.iter().filter_map(family).collect::<Vec<_>>()
        });
        let words = RESERVED_WORDS.iter().chain(&["gsd"]).map(|word| own(word, "a command of gsd"));
        Self(ids.chain(families).chain(words).collect())
    }

    /// The name that an id is, else one that it looks like.
    fn nearest(&self, id: &str) -> Option<(&OwnName, Likeness)> {
        let same = self.0.iter().find(|own| own.name == id).map(|own| (own, Likeness::Same));
        same.or_else(|| {
            let looks = skeleton(id);
            self.0.iter().find(|own| own.looks == looks).map(|own| (own, Likeness::Looks))
        })
    }
}

pub(super) fn check(id: &str, own: &OwnNames) -> Vec<Refusal> {
    let shown = printable(id, MAX_SHOWN);
    let remedy = "ask its author for another id";
    let mut refusals = vec![];
    let lower = id.to_ascii_lowercase();
    if let Some(prefix) = RESERVED_PREFIXES.iter().find(|prefix| lower.starts_with(**prefix)) {
        let message = format!("the id `{shown}` is in the reserved namespace `{prefix}`");
        return vec![Refusal::new("reserved-id", message, remedy)];
    }
    if CapabilityId::parse(id).is_err() {
        let message = format!("the id `{shown}` is unsafe: expected {}", CapabilityId::EXPECTED);
        return vec![Refusal::new("unsafe-id", message, remedy)];
    }
    if is_device(&lower) {
        let message = format!("the id `{shown}` is reserved: it is a device on Windows");
        return vec![Refusal::new("reserved-id", message, remedy)];
    }
    if let Some((OwnName { name, what, .. }, likeness)) = own.nearest(id) {
        let (code, message) = match likeness {
            Likeness::Same if *what == CAPABILITY => {
                ("first-party-id", format!("`{shown}` is {what}"))
            }
            Likeness::Same => ("reserved-id", format!("the id `{shown}` is {what}")),
            Likeness::Looks => {
                ("reserved-id", format!("the id `{shown}` looks like `{name}`, {what}"))
            }
        };
        refusals.push(Refusal::new(code, message, remedy));
    } else if let Some(prefix) =
        RESERVED_PREFIXES.iter().find(|prefix| skeleton(id).starts_with(&skeleton(prefix)))
    {
        let message = format!("the id `{shown}` looks like the reserved namespace `{prefix}`");
        refusals.push(Refusal::new("reserved-id", message, remedy));
    }
    refusals
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    Same,
    Looks,
}

/// What a name looks like at a glance. Ids are lower-case ASCII, so this is all there is to confuse.
fn skeleton(name: &str) -> String {
    let pairs = name.replace("rn", "m").replace("vv", "w").replace("cl", "d");
    let mut out = String::new();
    for c in pairs.chars() {
        let c = match c {
            '0' => 'o',
            '1' | 'i' => 'l',
            '5' => 's',
            '_' => '-',
            other => other,
        };
        // A second hyphen is hard to see.
        if !(c == '-' && out.ends_with('-')) {
            out.push(c);
        }
    }
    out.trim_end_matches('-').to_owned() + if name.ends_with('-') { "-" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::{OwnNames, check};

    #[test]
    fn names_of_others_and_those_that_look_like_them_are_refused() {
        let own = OwnNames::new();
        for (id, code, phrase) in [
            ("gsd-x", "reserved-id", "reserved namespace"),
            ("GSD-X", "reserved-id", "reserved namespace"),
            ("gsd-core-x", "reserved-id", "reserved namespace"),
            ("anthropic-y", "reserved-id", "reserved namespace"),
            ("g5d-x", "reserved-id", "reserved namespace"),
            ("anthroplc-x", "reserved-id", "reserved namespace"),
            ("tdd", "first-party-id", "first-party"),
            ("codex", "first-party-id", "first-party"),
            ("0llama", "unsafe-id", "unsafe"),
            ("o11ama", "reserved-id", "first-party"),
            ("gernini", "reserved-id", "first-party"),
            ("lm--studio", "reserved-id", "first-party"),
            ("capability", "reserved-id", "command"),
            ("gsd", "reserved-id", "command"),
            ("g5d", "reserved-id", "looks like"),
            ("con", "reserved-id", "device"),
            ("nul", "reserved-id", "device"),
            ("aux", "reserved-id", "device"),
            ("prn", "reserved-id", "device"),
            ("com1", "reserved-id", "device"),
            ("lpt9", "reserved-id", "device"),
            ("c0nfig", "reserved-id", "command"),
            ("graphify", "first-party-id", "first-party"),
            ("scan-sessions", "reserved-id", "first-party"),
            ("constructor", "unsafe-id", "unsafe"),
            ("__proto__", "unsafe-id", "unsafe"),
            ("../evil", "unsafe-id", "unsafe"),
            ("a/b", "unsafe-id", "unsafe"),
            ("", "unsafe-id", "unsafe"),
            ("соdex", "unsafe-id", "unsafe"),
        ] {
            let found = check(id, &own);
            assert_eq!(found.len(), 1, "{id}");
            assert_eq!(found[0].code, code, "{id}: {}", found[0].message);
            assert!(found[0].message.contains(phrase), "{id}: {}", found[0].message);
        }
        for id in [
            "acme",
            "acme-review",
            "beads",
            "hello-decl",
            "gsdx",
            "my-codex",
            "tdd-extra",
            "com10",
            "console",
        ] {
            assert!(check(id, &own).is_empty(), "{id}");
        }
    }
}
