//! Edits of manifests, one field of the JSON Schema each.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers that look random and are the same every time.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % bound.max(1)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

/// One way down from a manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Key(String),
    AnyKey,
    Item,
}

/// A field that the schema knows.
#[derive(Debug, Clone)]
pub(super) struct Field {
    path: Vec<Step>,
    name: String,
}

impl Field {
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// The values that stand at each name.
type Values = BTreeMap<String, Vec<Value>>;

/// Right manifests, and the values that they have at each field: all of them, and each.
pub(super) struct Bases {
    pub(super) manifests: Vec<Value>,
    all: Values,
    own: Vec<Values>,
}

impl Bases {
    pub(super) fn of(manifests: Vec<Value>) -> Self {
        let mut all = Values::new();
        let mut own = vec![];
        for manifest in &manifests {
            collect(manifest, "", &mut all);
            let mut values = Values::new();
            collect(manifest, "", &mut values);
            own.push(values);
        }
        Self { manifests, all, own }
    }
}

/// By the last name on the way only: a key seen in one place is tried in others as well.
fn collect(value: &Value, name: &str, values: &mut Values) {
    let known = values.entry(name.to_owned()).or_default();
    if !known.contains(value) {
        known.push(value.clone());
    }
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                collect(value, name, values);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(item, &format!("{name}[]"), values);
            }
        }
        _ => {}
    }
}

/// Every field of a schema, with the values that the schema itself names.
pub(super) struct Edits {
    fields: Vec<Field>,
    named: Values,
}

impl Edits {
    pub(super) fn of(schema: &Value) -> Self {
        let mut walk = Walk { root: schema, seen: BTreeSet::new(), named: BTreeMap::new() };
        walk.visit(schema, &mut vec![], 0);
        let fields = walk
            .seen
            .into_iter()
            .filter(|path| !path.is_empty())
            .map(|path| Field { name: name_of(&path), path })
            .collect();
        Self { fields, named: walk.named }
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// A manifest with another value at a field, and which one it was.
    pub(super) fn apply(
        &self,
        field: &Field,
        bases: &Bases,
        round: usize,
        random: &mut Random,
    ) -> Option<(usize, Value)> {
        let count = bases.manifests.len();
        // Half of the time a base that has something of everything.
        let start = if random.below(2) == 0 { random.below(5) } else { random.below(count) };
        // Some rounds prefer where the field stands already, others where it does not.
        for at in (0..count).map(|offset| (start + offset) % count) {
            let mut edited = bases.manifests[at].clone();
            let is_there = exists(&edited, &field.path);
            if is_there == (round % 4 != 3)
                && self.set(&mut edited, &field.path, field, (bases, at), random)
            {
                return Some((at, edited));
            }
        }
        None
    }

    fn set(
        &self,
        value: &mut Value,
        path: &[Step],
        field: &Field,
        base: (&Bases, usize),
        random: &mut Random,
    ) -> bool {
        let Some((step, rest)) = path.split_first() else { return false };
        match (step, value) {
            (Step::Key(key), Value::Object(members)) => {
                if !rest.is_empty() {
                    let child = members.get_mut(key);
                    return child.is_some_and(|child| self.set(child, rest, field, base, random));
                }
                let old = members.get(key).cloned();
                match self.other(old.as_ref(), field, base, random) {
                    Some(new) => drop(members.insert(key.clone(), new)),
                    None => drop(members.shift_remove(key)),
                }
                true
            }
            (Step::AnyKey, Value::Object(members)) => {
                let keys: Vec<String> = members.keys().cloned().collect();
                let Some(key) = random.pick(&keys).cloned() else { return false };
                if !rest.is_empty() {
                    let child = members.get_mut(&key);
                    return child.is_some_and(|child| self.set(child, rest, field, base, random));
                }
                match random.below(3) {
                    0 => drop(members.shift_remove(&key)),
                    1 => {
                        let value = members[&key].clone();
                        members.insert(format!("{key}2"), value);
                    }
                    _ => {
                        let old = members.get(&key).cloned();
                        let Some(new) = self.other(old.as_ref(), field, base, random) else {
                            return false;
                        };
                        members.insert(key, new);
                    }
                }
                true
            }
            (Step::Item, Value::Array(items)) => {
                let at = random.below(items.len());
                if !rest.is_empty() {
                    let child = items.get_mut(at);
                    return child.is_some_and(|child| self.set(child, rest, field, base, random));
                }
                match (items.get(at).cloned(), random.below(3)) {
                    (Some(_), 0) => drop(items.remove(at)),
                    (old, 1) => match self.other(old.as_ref(), field, base, random) {
                        Some(new) => items.push(new),
                        None => return false,
                    },
                    (Some(old), _) => match self.other(Some(&old), field, base, random) {
                        Some(new) => items[at] = new,
                        None => return false,
                    },
                    (None, _) => return false,
                }
                true
            }
            _ => false,
        }
    }

    /// Another value for a field: one that stands elsewhere, one that the schema names, or the old
    /// one with a difference. `None` takes the field out.
    fn other(
        &self,
        old: Option<&Value>,
        field: &Field,
        (bases, at): (&Bases, usize),
        random: &mut Random,
    ) -> Option<Value> {
        let last = field.name.rsplit('.').next().unwrap_or(&field.name);
        // What stands in the same manifest fits more often than what stands in others.
        let values = if random.below(2) == 0 { &bases.all } else { &bases.own[at] };
        let known = values.get(last).map(Vec::as_slice).unwrap_or_default();
        let named = self.named.get(&field.name).map(Vec::as_slice).unwrap_or_default();
        match (random.below(8), old) {
            (0, Some(_)) => None,
            (1..=3, Some(old)) => Some(different(old, random)),
            (4 | 5, _) => random.pick(named).or(random.pick(known)).cloned(),
            _ => random.pick(known).or(random.pick(named)).cloned(),
        }
    }
}

fn different(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::Null => "x".into(),
        Value::Bool(value) => (!value).into(),
        Value::Number(number) => (number.as_i64().unwrap_or(1) + 1).into(),
        Value::String(text) => match random.below(3) {
            0 => format!("{text}b").into(),
            1 => format!("b{text}").into(),
            _ => text.replacen(['a', 'e', '1'], "o", 1).into(),
        },
        Value::Array(items) => {
            let mut items = items.clone();
            if let Some(item) = random.pick(&items).cloned() {
                items.push(different(&item, random));
            }
            items.into()
        }
        Value::Object(members) => {
            let mut members = members.clone();
            let keys: Vec<String> = members.keys().cloned().collect();
            if let Some(key) = random.pick(&keys) {
                let new = different(&members[key], random);
                members.insert(key.clone(), new);
            }
            members.into()
        }
    }
}

fn exists(value: &Value, path: &[Step]) -> bool {
    let Some((step, rest)) = path.split_first() else { return true };
    match step {
        Step::Key(key) => value.get(key).is_some_and(|child| exists(child, rest)),
        Step::AnyKey => {
            value.as_object().is_some_and(|o| o.values().any(|child| exists(child, rest)))
        }
        Step::Item => value.as_array().is_some_and(|a| a.iter().any(|child| exists(child, rest))),
    }
}

/// `steps[].fragment.path`.
fn name_of(path: &[Step]) -> String {
    let mut name = String::new();
    for step in path {
        let part = match step {
            Step::Key(key) => key.as_str(),
            Step::AnyKey => "*",
            Step::Item => {
                name.push_str("[]");
                continue;
            }
        };
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(part);
    }
    name
}

/// Goes through a schema, also through its branches and definitions.
struct Walk<'a> {
    root: &'a Value,
    seen: BTreeSet<Vec<Step>>,
    named: Values,
}

/// A definition that holds itself is followed so far.
const MAX_DEPTH: usize = 40;

impl Walk<'_> {
    fn visit(&mut self, schema: &Value, path: &mut Vec<Step>, depth: usize) {
        if depth > MAX_DEPTH
            || path.iter().filter(|s| **s == Step::Key("skillsHome".into())).count() > 1
        {
            return;
        }
        self.seen.insert(path.clone());
        let named = self.named.entry(name_of(path)).or_default();
        for list in ["enum", "examples"] {
            named.extend(schema.get(list).and_then(Value::as_array).into_iter().flatten().cloned());
        }
        named.extend(schema.get("const").cloned());
        if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
            let root = self.root;
            let target = root.pointer(pointer.trim_start_matches('#')).expect("a definition");
            self.visit(target, path, depth + 1);
        }
        for branches in ["anyOf", "oneOf", "allOf"] {
            for branch in schema.get(branches).and_then(Value::as_array).into_iter().flatten() {
                self.visit(branch, path, depth + 1);
            }
        }
        for branch in ["then", "else"] {
            if let Some(branch) = schema.get(branch).filter(|branch| branch.is_object()) {
                self.visit(branch, path, depth + 1);
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (key, below) in properties.into_iter().flatten().filter(|(_, below)| below.is_object())
        {
            path.push(Step::Key(key.clone()));
            self.visit(below, path, depth + 1);
            path.pop();
        }
        for (keyword, step) in [("additionalProperties", Step::AnyKey), ("items", Step::Item)] {
            if let Some(below) = schema.get(keyword).filter(|below| below.is_object()) {
                path.push(step);
                self.visit(below, path, depth + 1);
                path.pop();
            }
        }
    }
}
