//! Names that a capability of somebody else cannot have: gsd's own, those of its commands, and
//! those that only look like them.

use super::{MAX_SHOWN, Refusal};
use crate::id::CapabilityId;
use crate::manifest::RESERVED_WORDS;
use crate::registry::Capability;
use crate::text::printable;

/// Ids that begin so are gsd's own, however they are written.
const RESERVED_PREFIXES: [&str; 3] = ["gsd-core-", "gsd-", "anthropic-"];

/// Windows takes a folder of such a name for a device.
fn is_device(id: &str) -> bool {
    let numbered = |prefix: &str| {
        id.strip_prefix(prefix).is_some_and(|rest| matches!(rest.as_bytes(), [b'1'..=b'9']))
    };
    ["con", "nul", "aux", "prn"].contains(&id) || numbered("com") || numbered("lpt")
}

pub(super) fn check(id: &str, first_party: &[Capability]) -> Vec<Refusal> {
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
    let taken = first_party.iter().find_map(|capability| {
        let own = capability.id().as_str();
        let family = capability.manifest.commands.iter().map(|command| command.family.as_str());
        let names = std::iter::once((own, "a first-party capability"));
        let mut names = names.chain(family.map(|name| (name, "a first-party command")));
        names.find_map(|(name, what)| Some((name.to_owned(), what, likeness(id, name)?)))
    });
    let words = RESERVED_WORDS.iter().chain(&["gsd"]);
    let mut words = words
        .filter_map(|word| Some(((*word).to_owned(), "a command of gsd", likeness(id, word)?)));
    if let Some((name, what, likeness)) = taken.or_else(|| words.next()) {
        let (code, message) = match likeness {
            Likeness::Same if what == "a first-party capability" => {
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

fn likeness(id: &str, name: &str) -> Option<Likeness> {
    if id == name {
        return Some(Likeness::Same);
    }
    (skeleton(id) == skeleton(name)).then_some(Likeness::Looks)
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
    use super::check;
    use crate::registry::first_party;

    #[test]
    fn names_of_others_and_those_that_look_like_them_are_refused() {
        let own = first_party();
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
