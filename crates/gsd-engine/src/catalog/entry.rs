//! Reads a list: every entry whole, every fault said.

use super::field::{
    self, Lines, is_discussion, is_host_range, is_kebab, is_license, is_repository,
};
use super::{Fault, MAX_ENTRIES, install};
use crate::id::{LaneFlag, LaneSlug};
use crate::lane::descriptor::{EvidenceClass, Transport};
use crate::text::printable;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A lane of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the list.
    pub index: usize,
    pub id: String,
    pub name: String,
    /// `owner/name`.
    pub repo: String,
    pub description: String,
    pub author: String,
    pub license: String,
    pub engines_gsd: String,
    pub install: String,
    pub uninstall: String,
    pub discussion: String,
    pub slug: String,
    pub flags: Vec<String>,
    pub transport: String,
    pub evidence_class: String,
    pub reviews_section: String,
    pub requires_binaries: Vec<String>,
    pub config_keys: Vec<String>,
    pub runtime_compat: Vec<String>,
}

/// Reads a list. Entries are there as far as they are right; those with faults are not.
pub fn check(text: &str) -> (Vec<Entry>, Vec<Fault>) {
    let items = match serde_json::from_str(text) {
        Ok(Value::Array(items)) => items,
        Ok(_) => return (vec![], vec![Fault::of_list("expected a list of entries")]),
        Err(error) => {
            return (vec![], vec![Fault::of_list(format!("the file is no JSON: {error}"))]);
        }
    };
    if items.len() > MAX_ENTRIES {
        return (vec![], vec![Fault::of_list(format!("the list exceeds {MAX_ENTRIES} entries"))]);
    }
    let (mut entries, mut faults) = (vec![], vec![]);
    for (index, item) in items.iter().enumerate() {
        let Value::Object(members) = item else {
            let reason = "expected an object".to_owned();
            faults.push(Fault { index: Some(index), id: None, field: String::new(), reason });
            continue;
        };
        let before = faults.len();
        let entry = read(index, members, &mut faults);
        entries.extend(entry.filter(|_| faults.len() == before));
    }
    refuse_shared(&entries, &mut faults);
    faults.sort_by_key(|fault| fault.index);
    (entries, faults)
}

/// The fields of one object, each asked for once.
struct Members<'a> {
    members: &'a Map<String, Value>,
    prefix: &'static str,
    known: Vec<&'static str>,
    index: usize,
    id: Option<String>,
    faults: &'a mut Vec<Fault>,
}

impl Members<'_> {
    fn take<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&Value) -> Result<T, String>,
    ) -> Option<T> {
        self.known.push(name);
        let read = match self.members.get(name) {
            Some(value) => read(value),
            None => Err("the field is missing".to_owned()),
        };
        match read {
            Ok(value) => Some(value),
            Err(reason) => {
                self.fault(name, reason);
                None
            }
        }
    }

    fn fault(&mut self, name: &str, reason: String) {
        let field = format!("{}{}", self.prefix, printable(name, 80));
        self.faults.push(Fault { index: Some(self.index), id: self.id.clone(), field, reason });
    }

    fn refuse_unknown(&mut self) {
        let known = &self.known;
        let unknown: Vec<&String> =
            self.members.keys().filter(|name| !known.contains(&name.as_str())).collect();
        for name in unknown {
            self.fault(name, "the field is unknown".to_owned());
        }
    }
}

fn read(index: usize, members: &Map<String, Value>, faults: &mut Vec<Fault>) -> Option<Entry> {
    let id = members.get("id").and_then(Value::as_str).map(|id| printable(id, 100));
    let mut own = Members { members, prefix: "", known: vec![], index, id: id.clone(), faults };
    let line = |max: usize| move |value: &Value| field::text(value, max, Lines::One);
    let script = |value: &Value| field::text(value, 2000, Lines::Many);
    let read_id = own.take("id", |value| {
        field::spelled(value, 100, is_kebab, "lower-case letters, digits and hyphens")
    });
    let name = own.take("name", line(120));
    own.take("type", |value| match value.as_str() {
        Some("reviewer") => Ok(()),
        Some(_) | None => Err("expected `reviewer`".to_owned()),
    });
    let repo = own.take("repo", |value| field::spelled(value, 100, is_repository, "`owner/name`"));
    let description = own.take("description", line(1000));
    let author = own.take("author", line(120));
    let license =
        own.take("license", |value| field::spelled(value, 120, is_license, "an SPDX expression"));
    let engines_gsd = own.take("enginesGsd", |value| {
        field::spelled(value, 100, is_host_range, "`*`, or clauses such as `>=1.9.0 <3.0.0`")
    });
    let install = own.take("install", |value| {
        let text = script(value)?;
        install::check(&text).map(|()| text)
    });
    let uninstall = own.take("uninstall", script);
    let discussion = own.take("discussion", |value| {
        field::spelled(value, 300, is_discussion, "the address of a discussion on GitHub")
    });
    let interactions = own.take("interactions", |value| {
        value.as_object().cloned().ok_or_else(|| "expected an object".to_owned())
    });
    own.refuse_unknown();
    let interactions = interactions?;
    let mut inner = Members {
        members: &interactions,
        prefix: "interactions.",
        known: vec![],
        index,
        id,
        faults,
    };
    let slug = inner.take("slug", |value| {
        field::spelled(value, 200, |text| LaneSlug::parse(text).is_ok(), LaneSlug::EXPECTED)
    });
    let flags = inner.take("flags", |value| {
        let flags = field::texts(value)?;
        let right = !flags.is_empty() && flags.iter().all(|flag| LaneFlag::parse(flag).is_ok());
        if right { Ok(flags) } else { Err("expected flags such as `--acme`".to_owned()) }
    });
    let word = |words: Vec<&'static str>| {
        move |value: &Value| match words.iter().find(|word| value.as_str() == Some(word)) {
            Some(word) => Ok((*word).to_owned()),
            None => Err(format!("expected one of {}", words.join(", "))),
        }
    };
    let transports = Transport::ALL.iter().map(|transport| transport.word());
    let transport = inner.take("transport", word(transports.collect()));
    let classes = EvidenceClass::ALL.iter().map(|class| class.word());
    let evidence_class = inner.take("evidenceClass", word(classes.collect()));
    let reviews_section = inner.take("reviewsSection", line(200));
    let requires_binaries = inner.take("requiresBinaries", field::texts);
    let config_keys = inner.take("configKeys", field::texts);
    let runtime_compat = inner.take("runtimeCompat", field::texts);
    inner.refuse_unknown();
    Some(Entry {
        index,
        id: read_id?,
        name: name?,
        repo: repo?,
        description: description?,
        author: author?,
        license: license?,
        engines_gsd: engines_gsd?,
        install: install?,
        uninstall: uninstall?,
        discussion: discussion?,
        slug: slug?,
        flags: flags?,
        transport: transport?,
        evidence_class: evidence_class?,
        reviews_section: reviews_section?,
        requires_binaries: requires_binaries?,
        config_keys: config_keys?,
        runtime_compat: runtime_compat?,
    })
}

/// Ids, slugs, flags and headings name one lane each: two lanes of one name could not be installed
/// together.
fn refuse_shared(entries: &[Entry], faults: &mut Vec<Fault>) {
    let mut owners: BTreeMap<(&str, String), &Entry> = BTreeMap::new();
    for entry in entries {
        let flags = entry.flags.iter().map(|flag| ("interactions.flags", flag.clone()));
        let names = [
            ("id", entry.id.clone()),
            ("interactions.slug", entry.slug.clone()),
            ("interactions.reviewsSection", entry.reviews_section.to_lowercase()),
        ];
        for (field, name) in names.into_iter().chain(flags) {
            let first = owners.entry((field, name.clone())).or_insert(entry);
            if first.index != entry.index {
                let reason =
                    format!("entry {} has `{}` already", first.index, printable(&name, 80));
                faults.push(Fault::of(entry, field, reason));
            }
        }
    }
}
