//! What it takes to give a file back as it was.

use super::unit::{self, Written};
use super::{HOOKS, SERVERS, Stripped, Surfaces};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// How to take the entries of a capability out of one file again. It is kept with the record of the
/// install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// The digest of the file with the entries in it. Only exactly that file is given back byte for
    /// byte.
    after: String,
    /// Whether the file was made for the entries.
    made: bool,
    entries: usize,
    /// The commands of the hooks, to tell them from those that a user put beside them.
    commands: Vec<String>,
    /// Objects and lists that were there before, empty or not. They stay.
    there: Vec<Vec<String>>,
    /// The digest of each piece, to tell what its user changed.
    written: Written,
    /// Each edit: its place, what stood there before, and what stands there since.
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    at: usize,
    before: String,
    after: String,
}

/// The hooks of ours in a group.
#[derive(Debug)]
pub(super) struct Own {
    /// Their places.
    pub(super) at: Vec<usize>,
    /// Whether the group holds nothing else.
    pub(super) is_whole: bool,
}

impl Undo {
    pub(super) fn begin(made: bool, found: &Value, surfaces: &Surfaces) -> Self {
        let mut there: Vec<Vec<String>> = vec![];
        for name in [HOOKS, SERVERS] {
            if found.get(name).is_some() {
                there.push(vec![name.to_owned()]);
            }
        }
        for hook in &surfaces.hooks {
            let path = vec![HOOKS.to_owned(), hook.event.clone()];
            let is_there = found.get(HOOKS).and_then(|hooks| hooks.get(&hook.event)).is_some();
            if is_there && !there.contains(&path) {
                there.push(path);
            }
        }
        let mut commands: Vec<String> =
            surfaces.hooks.iter().map(|hook| hook.command.clone()).collect();
        commands.sort();
        commands.dedup();
        Self {
            after: String::new(),
            made,
            entries: 0,
            commands,
            there,
            written: Written::new(),
            steps: vec![],
        }
    }

    pub(super) fn step(&mut self, old: &str, new: &str) {
        let same = |a: &u8, b: &u8| a == b;
        let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| same(a, b)).count();
        let start = (0..=start)
            .rev()
            .find(|at| old.is_char_boundary(*at) && new.is_char_boundary(*at))
            .unwrap_or(0);
        let longest = old.len().min(new.len()) - start;
        let end = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| same(a, b)).count();
        let end = (0..=end.min(longest))
            .rev()
            .find(|end| {
                old.is_char_boundary(old.len() - end) && new.is_char_boundary(new.len() - end)
            })
            .unwrap_or(0);
        self.steps.push(Step {
            at: start,
            before: old[start..old.len() - end].to_owned(),
            after: new[start..new.len() - end].to_owned(),
        });
    }

    pub(super) fn finish(&mut self, text: &str, entries: usize, written: Written) {
        self.after = digest(text);
        self.entries = entries;
        self.written = written;
    }

    /// The same for a file in which pieces stay as their user changed them: the way back is by the
    /// marks, and the pieces stay changed ones.
    pub(super) fn keeping(&mut self, kept: &[String], before: &Self) {
        self.after = String::new();
        self.steps.clear();
        self.made |= before.made;
        let made = before.made_among(&before.stood_in());
        self.there.retain(|path| !made.contains(path));
        for name in kept {
            if let Some(digest) = before.written.get(name) {
                self.written.insert(name.clone(), digest.clone());
            }
        }
        self.commands.extend(before.commands.iter().cloned());
        self.commands.sort();
        self.commands.dedup();
    }

    /// The objects and lists that what was written stood in.
    fn stood_in(&self) -> Vec<Vec<String>> {
        let paths = self.written.keys().flat_map(|name| match unit::event(name) {
            Some(event) => vec![vec![HOOKS.to_owned()], vec![HOOKS.to_owned(), event.to_owned()]],
            None => vec![vec![SERVERS.to_owned()]],
        });
        paths.collect()
    }

    pub(super) fn written(&self) -> &Written {
        &self.written
    }

    pub(super) fn commands(&self) -> &[String] {
        &self.commands
    }

    /// Whether a text is the one that the edit gave, byte for byte.
    pub(super) fn is_of(&self, text: &str) -> bool {
        digest(text) == self.after
    }

    /// The file as it was, if nobody edited it since.
    pub(super) fn revert(&self, text: &str) -> Option<Stripped> {
        if !self.is_of(text) {
            return None;
        }
        let mut text = text.to_owned();
        for step in self.steps.iter().rev() {
            let span = step.at..step.at.checked_add(step.after.len())?;
            if text.get(span.clone())? != step.after {
                return None;
            }
            text.replace_range(span, &step.before);
        }
        Some(Stripped { text: (!self.made).then_some(text), removed: self.entries })
    }

    pub(super) fn made_the_file(&self) -> bool {
        self.made
    }

    pub(super) fn was_there(&self, path: &[&str]) -> bool {
        self.there.iter().any(|known| known == path)
    }

    /// Those of some objects and lists that were not there before.
    pub(super) fn made_among(&self, paths: &[Vec<String>]) -> Vec<Vec<String>> {
        paths.iter().filter(|path| !self.there.contains(path)).cloned().collect()
    }

    /// The same, where this made also what another one leaves behind.
    #[must_use]
    pub(super) fn also_made(mut self, the_file: bool, paths: &[Vec<String>]) -> Self {
        self.made |= the_file;
        self.there.retain(|path| !paths.contains(path));
        self
    }

    pub(super) fn own_among(&self, group: &Value) -> Own {
        let hooks = group.get(HOOKS).and_then(Value::as_array);
        let hooks = hooks.map(Vec::as_slice).unwrap_or_default();
        let is_own = |hook: &Value| {
            let command = hook.get("command").and_then(Value::as_str);
            command.is_some_and(|command| self.commands.iter().any(|own| own == command))
        };
        let at: Vec<usize> = (0..hooks.len()).filter(|at| is_own(&hooks[*at])).collect();
        // A group in which nothing is ours any more still carries the mark, so it goes.
        Own { is_whole: at.len() == hooks.len() || at.is_empty(), at }
    }

    pub fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(|step| json!([step.at, step.before, step.after]));
        json!({
            "after": self.after,
            "made": self.made,
            "entries": self.entries,
            "commands": self.commands,
            "there": self.there,
            "written": self.written,
            "steps": steps.collect::<Vec<_>>(),
        })
    }

    /// Reads what [`Self::to_json`] wrote; anything else is `None`, and the marks have to do.
    pub fn from_json(value: &Value) -> Option<Self> {
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let step = |value: &Value| {
            let [at, before, after] = value.as_array()?.as_slice() else { return None };
            let text = |value: &Value| value.as_str().map(str::to_owned);
            Some(Step { at: number(at)?, before: text(before)?, after: text(after)? })
        };
        let written = match value.get("written") {
            // An older version did not keep it.
            None => Written::new(),
            Some(pieces) => {
                let text = |(name, digest): (&String, &Value)| {
                    Some((name.clone(), digest.as_str()?.to_owned()))
                };
                pieces.as_object()?.iter().map(text).collect::<Option<_>>()?
            }
        };
        Some(Self {
            written,
            after: value.get("after")?.as_str()?.to_owned(),
            made: value.get("made")?.as_bool()?,
            entries: number(value.get("entries")?)?,
            commands: texts(value.get("commands")?)?,
            there: value.get("there")?.as_array()?.iter().map(texts).collect::<Option<_>>()?,
            steps: value.get("steps")?.as_array()?.iter().map(step).collect::<Option<_>>()?,
        })
    }
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
