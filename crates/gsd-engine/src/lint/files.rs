//! Who makes and who changes which file, and whether it is there when somebody needs it.
//!
//! A file that a task lists and that does not exist counts as made by that task, unless its
//! action says that it edits a file that is there. Where plans run generators, or another phase
//! that has not run yet speaks of the file, its existence is unclear and nobody is blamed.

use super::order::{Order, When};
use super::path::{self, Mention, Named};
use super::prose;
use super::tree::{Standing, WorkTree};
use super::view::{PlanView, View};
use crate::diag::Span;
use std::collections::{HashMap, HashSet};

/// A plan, or one of its tasks, lists a file or says what it does with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Touch {
    pub(super) plan: usize,
    /// `None` where only `files_modified` names it.
    pub(super) task: Option<usize>,
    pub(super) span: Span,
}

/// What an action says about a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Create,
    Edit,
    Read,
    /// Something is taken from the file, so it is taken for one that is there.
    Use,
    /// Nothing that can be told: the file may be made.
    Other,
}

/// A file that the action of a task names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) plan: usize,
    pub(super) task: usize,
    pub(super) path: String,
    pub(super) verb: Verb,
    pub(super) span: Span,
}

/// Whether a file is there when it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Supply<'a> {
    There,
    /// An earlier plan or task makes it, or this one.
    Made,
    /// It is made, but only afterwards.
    Later(&'a Touch),
    /// It is made in the same wave: nobody knows whether in time.
    Beside(&'a Touch),
    Nobody,
    Unclear,
}

#[derive(Debug, Default)]
pub(super) struct Files {
    /// Every file that a plan makes or changes.
    touched: HashMap<String, Vec<Touch>>,
    /// The files that do not exist yet, and who makes them.
    made: HashMap<String, Vec<Touch>>,
    /// Folders, also those of globs, that tasks list: what they hold cannot be told.
    areas: HashSet<String>,
    /// Folders that made files stand in.
    folders: HashSet<String>,
    said: Vec<Said>,
    /// Where in `said` a path is spoken of.
    places: HashMap<String, Vec<usize>>,
}

impl Files {
    pub(super) fn of(plans: &[PlanView<'_>], tree: &WorkTree) -> Self {
        let mut files = Self::default();
        for view in plans {
            files.add_plan(view, tree);
        }
        for path in files.made.keys() {
            files.folders.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
        }
        for (index, said) in files.said.iter().enumerate() {
            files.places.entry(said.path.clone()).or_default().push(index);
        }
        files
    }

    fn add_plan(&mut self, view: &PlanView<'_>, tree: &WorkTree) {
        let mut by_tasks: HashSet<String> = HashSet::new();
        for (index, task) in view.tasks() {
            let first_said = self.said.len();
            if let Some(action) = &task.action {
                self.said.extend(said(view, index, &action.span));
            }
            let own = &self.said[first_said..];
            let verbs: HashMap<&str, (bool, bool)> =
                own.iter().fold(HashMap::new(), |mut verbs, said| {
                    let entry = verbs.entry(said.path.as_str()).or_insert((false, false));
                    entry.0 |= said.verb == Verb::Create;
                    entry.1 |= said.verb == Verb::Edit;
                    verbs
                });
            let mut touches: Vec<(String, Span, bool)> = vec![];
            for entry in task.files.iter().flat_map(|list| &list.value) {
                match path::entry(&entry.value) {
                    Named::Inside(path) if !path.ends_with('/') && !tree.is_directory(&path) => {
                        let (creates, edits) =
                            verbs.get(path.as_str()).copied().unwrap_or_default();
                        touches.push((path, entry.span.clone(), creates || !edits));
                    }
                    Named::Inside(path) | Named::Pattern(path) => {
                        self.areas.insert(path.trim_end_matches('/').to_owned());
                    }
                    Named::Outside(_) | Named::Nothing => {}
                }
            }
            for said in own.iter().filter(|said| said.verb == Verb::Create) {
                touches.push((said.path.clone(), said.span.clone(), true));
            }
            for (path, span, makes) in touches {
                by_tasks.insert(path.clone());
                self.touch(path, Touch { plan: view.index, task: Some(index), span }, makes, tree);
            }
            by_tasks.extend(
                self.said[first_said..]
                    .iter()
                    .filter(|said| said.verb == Verb::Edit)
                    .map(|said| said.path.clone()),
            );
        }
        for entry in view.plan.frontmatter.files_modified.iter().flat_map(|list| &list.value) {
            let touch = Touch { plan: view.index, task: None, span: entry.span.clone() };
            match path::entry(&entry.value) {
                Named::Inside(path) if !path.ends_with('/') && !tree.is_directory(&path) => {
                    let makes = !by_tasks.contains(&path);
                    self.touch(path, touch, makes, tree);
                }
                Named::Inside(path) | Named::Pattern(path) => {
                    self.areas.insert(path.trim_end_matches('/').to_owned());
                }
                Named::Outside(_) | Named::Nothing => {}
            }
        }
    }

    fn touch(&mut self, path: String, touch: Touch, makes: bool, tree: &WorkTree) {
        if makes && tree.is_absent(&path) {
            self.made.entry(path.clone()).or_default().push(touch.clone());
        }
        self.touched.entry(path).or_default().push(touch);
    }

    /// Every file that plans make or change, with all its touches.
    pub(super) fn touched(&self) -> impl Iterator<Item = (&str, &[Touch])> {
        self.touched.iter().map(|(path, touches)| (path.as_str(), touches.as_slice()))
    }

    /// The files that do not exist yet and that some plan makes, sorted.
    pub(super) fn planned(&self) -> impl Iterator<Item = &str> {
        let mut paths: Vec<&str> = self.made.keys().map(String::as_str).collect();
        paths.sort_unstable();
        paths.into_iter()
    }

    pub(super) fn touches(&self, path: &str) -> &[Touch] {
        self.touched.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether some plan of the phase changes the file, so that what it holds now proves nothing.
    pub(super) fn is_touched(&self, path: &str) -> bool {
        self.touched.contains_key(path)
            || self.said_about(path).any(|said| !matches!(said.verb, Verb::Read | Verb::Use))
            || self.in_area(path)
    }

    fn said_about(&self, path: &str) -> impl Iterator<Item = &Said> {
        self.places.get(path).into_iter().flatten().map(|index| &self.said[*index])
    }

    /// Whether `path` is there when `task` of `plan` needs it; without a task, when the plan begins.
    pub(super) fn supply<'a>(
        &'a self,
        view: &View<'_>,
        path: &str,
        plan: usize,
        task: Option<usize>,
    ) -> Supply<'a> {
        let path = path.trim_end_matches('/');
        match view.tree.standing(path) {
            Standing::File | Standing::Directory => return Supply::There,
            Standing::Unclear => return Supply::Unclear,
            Standing::Absent => {}
        }
        let touches = self.made.get(path).map(Vec::as_slice).unwrap_or_default();
        if touches.iter().any(|touch| is_in_time(&view.order, touch, plan, task)) {
            return Supply::Made;
        }
        if self.folders.contains(path)
            || view.tree.is_generated(path)
            || view.tree.exists_in_a_package(path)
            || self.in_area(path)
            || touches.iter().any(|touch| {
                view.order.when(touch.plan, plan) == When::Unknown && touch.plan != plan
            })
            || view.may_be_generated(plan)
        {
            return Supply::Unclear;
        }
        let beside = |touch: &&Touch| {
            view.order.when(touch.plan, plan) == When::Beside && touch.plan != plan
        };
        if let Some(touch) = touches.iter().find(|touch| touch.plan == plan) {
            return Supply::Later(touch);
        }
        if let Some(touch) = touches.iter().find(beside) {
            return Supply::Beside(touch);
        }
        match touches.first() {
            Some(touch) => Supply::Later(touch),
            None if self.is_spoken_of(view, path, plan, task) || view.is_unclear(path) => {
                Supply::Unclear
            }
            None => Supply::Nobody,
        }
    }

    /// Whether an action before this task names the file without a clear verb: it may make it. The
    /// task's own action does not count, since a task does not read what it makes.
    fn is_spoken_of(&self, view: &View<'_>, path: &str, plan: usize, task: Option<usize>) -> bool {
        self.said_about(path).any(|said| match said.verb {
            Verb::Other if said.plan == plan => task.is_some_and(|task| said.task < task),
            Verb::Other => view.order.when(said.plan, plan) == When::Before,
            Verb::Create | Verb::Edit | Verb::Read | Verb::Use => false,
        })
    }

    /// Whether it is certain that the file does not exist and that no plan of the phase makes it.
    pub(super) fn is_never_made(&self, view: &View<'_>, path: &str) -> bool {
        view.tree.is_absent(path)
            && !self.made.contains_key(path)
            && !self.folders.contains(path)
            && !self.in_area(path)
            && !self.said_about(path).any(|said| matches!(said.verb, Verb::Other | Verb::Create))
            && !view.tree.is_generated(path)
            && !view.tree.exists_in_a_package(path)
            && !(0..view.plans.len()).any(|plan| view.mentions.runs_generator(&view.plans[plan]))
            && !view.is_unclear(path)
    }

    fn in_area(&self, path: &str) -> bool {
        self.areas.contains("")
            || self.areas.contains(path)
            || path.match_indices('/').any(|(at, _)| self.areas.contains(&path[..at]))
    }

    /// Where actions say that they edit a file.
    pub(super) fn edits(&self) -> impl Iterator<Item = &Said> {
        self.said.iter().filter(|said| said.verb == Verb::Edit)
    }

    /// Where actions say that they make a file.
    pub(super) fn creates(&self) -> impl Iterator<Item = &Said> {
        self.said.iter().filter(|said| said.verb == Verb::Create)
    }

    /// Where actions say that a file is to be read.
    pub(super) fn reads(&self) -> impl Iterator<Item = &Said> {
        self.said.iter().filter(|said| said.verb == Verb::Read)
    }
}

fn is_in_time(order: &Order<'_>, touch: &Touch, plan: usize, task: Option<usize>) -> bool {
    if touch.plan != plan {
        return order.when(touch.plan, plan) == When::Before;
    }
    match (touch.task, task) {
        (Some(made), Some(needed)) => made <= needed,
        (None, _) | (_, None) => true,
    }
}

impl View<'_> {
    /// Whether this plan or one that may run before it starts a generator: which files that makes
    /// cannot be told.
    fn may_be_generated(&self, plan: usize) -> bool {
        self.plans.iter().any(|other| {
            let may_precede = other.index == plan
                || matches!(self.order.when(other.index, plan), When::Before | When::Unknown);
            may_precede && self.mentions.runs_generator(other)
        })
    }

    /// Whether plans leave open that a file is there: they name its folder, to which files may be
    /// moved; a longer path that ends like this one, since some are meant relative to a part of
    /// the project; or a plan of an earlier phase that has not run yet names it.
    fn is_unclear(&self, path: &str) -> bool {
        self.mentions.has_tail_or_folder(&self.plans, path)
            || self.mentions.other_phases_name(self.phase, self.tree, path)
    }
}

/// Every file that an action names, with what it says about it.
fn said(view: &PlanView<'_>, task: usize, span: &Span) -> Vec<Said> {
    let text = view.text(span);
    let mut found: Vec<Said> = vec![];
    let mut last: Option<(usize, Verb)> = None;
    // A citation of lines speaks of a file that is there; whether it is, others check.
    for mention in listed(text).into_iter().filter(|mention| mention.lines.is_none()) {
        let verb = match last {
            // `edit a.ts and b.ts`: one verb for both.
            Some((end, verb)) if is_joint(&text[end..mention.span.start]) => verb,
            Some(_) | None => verb(text, &mention.span),
        };
        last = Some((mention.span.end, verb));
        found.push(Said {
            plan: view.index,
            task,
            path: mention.path,
            verb,
            span: span.start + mention.span.start..span.start + mention.span.end,
        });
    }
    found
}

fn listed(text: &str) -> Vec<Mention> {
    // Code fences show what files will hold; the paths in them belong to that code.
    let mut fenced = false;
    let mut found = vec![];
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            found.extend(path::mentions(line).into_iter().map(|mut mention| {
                mention.span = start + mention.span.start..start + mention.span.end;
                mention
            }));
        }
        start += line.len();
    }
    found
}

fn is_joint(between: &str) -> bool {
    let words = between.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | ',' | '*'));
    matches!(words, "" | "and" | "and the" | "or" | "&" | "+") && !between.contains("\n\n")
}

/// What the words right before a path say about it. A preposition between verb and path means that
/// something inside the file is meant, and that says nothing about the file.
fn verb(text: &str, span: &std::ops::Range<usize>) -> Verb {
    let after = text[span.end..].trim_start_matches(['`', '*', ' ']);
    if let Some(remark) = after.strip_prefix('(') {
        let word = remark.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "new" | "create" | "created" => return Verb::Create,
            "edit" | "modify" | "update" | "existing" | "extend" => return Verb::Edit,
            _ => {}
        }
    }
    let sentence = prose::sentence(text, span.start);
    let before = text[sentence.start..span.start].to_ascii_lowercase();
    let words: Vec<&str> = before
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty() && *word != "-")
        .collect();
    // Code between the verb and the path ends the phrase, and so does a colon.
    let near = before.trim_end_matches(['`', ' ', '\n', '*', '"', '\'']);
    if near.ends_with([':', ')', '`']) && !near.ends_with("(new)") {
        let last = words.last().copied().unwrap_or_default();
        return if CREATE.contains(&last) && words.len() <= 2 {
            Verb::Create
        } else if EDIT.contains(&last) && words.len() <= 2 {
            Verb::Edit
        } else {
            Verb::Other
        };
    }
    for (distance, word) in words.iter().rev().take(4).enumerate() {
        match *word {
            "the" | "a" | "an" | "file" | "files" | "module" | "our" | "both" | "also" | "test"
            | "migration" | "component" | "script" | "this" => {}
            "new" => return Verb::Create,
            "existing" | "current" => return Verb::Edit,
            "to" | "into" | "as" if words.iter().any(|word| MOVE.contains(word)) => {
                return Verb::Create;
            }
            "like" | "see" | "read" | "mirror" | "mirrors" | "mirroring" => return Verb::Read,
            "of" | "in" | "from" => {
                let previous = words.iter().rev().nth(distance + 1).copied().unwrap_or_default();
                return match (previous, *word) {
                    ("pattern" | "patterns" | "manner" | "style" | "as", _) => Verb::Read,
                    (_, "in") => Verb::Other,
                    (_, _) => Verb::Use,
                };
            }
            "by" | "via" | "with" | "than" | "at" | "uses" | "use" | "call" | "calls" => {
                return Verb::Use;
            }
            word if CREATE.contains(&word) => return Verb::Create,
            word if EDIT.contains(&word) => return Verb::Edit,
            // `the existing guide a.md`: what the file is stands between.
            _ => {
                let before = words.iter().rev().skip(distance + 1).take(1);
                let there = before.into_iter().any(|word| *word == "existing");
                return if there { Verb::Edit } else { Verb::Other };
            }
        }
    }
    Verb::Other
}

const CREATE: [&str; 12] = [
    "create",
    "creates",
    "write",
    "add",
    "scaffold",
    "generate",
    "introduce",
    "emit",
    "produce",
    "build",
    "implement",
    "new",
];
const EDIT: [&str; 14] = [
    "edit", "modify", "update", "extend", "change", "refactor", "adjust", "patch", "amend",
    "rework", "revise", "existing", "edits", "modifies",
];
const MOVE: [&str; 6] = ["move", "rename", "extract", "copy", "split", "moved"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_before_paths() {
        let of = |text: &str| {
            let mention = &listed(text)[0];
            verb(text, &mention.span)
        };
        for text in [
            "Create `src/a.ts` with x",
            "Then create the file `src/a.ts`",
            "**Create:** `src/a.ts`",
            "Write a new module src/a.ts",
            "- `src/a.ts` (new): x",
            "Move the parser to `src/a.ts`",
        ] {
            assert_eq!(of(text), Verb::Create, "{text}");
        }
        for text in [
            "Edit the existing `src/a.ts`: let it",
            "Update `src/a.ts`",
            "MODIFY src/a.ts so that",
            "In the existing guide `src/a.ts` extend x",
            "- `src/a.ts` (modify)",
        ] {
            assert_eq!(of(text), Verb::Edit, "{text}");
        }
        for text in [
            "Read `src/a.ts` first",
            "in the manner of `src/a.ts`",
            "as in `src/a.ts`",
            "Mirror `src/a.ts`",
        ] {
            assert_eq!(of(text), Verb::Read, "{text}");
        }
        for text in [
            "In `src/a.ts` give it x",
            "Add the export to `src/a.ts`",
            "Change the handler in `src/a.ts`",
            "Nothing under `src/a.ts` changes",
            "Add `foo` to `src/a.ts`",
            "`src/a.ts`: add x",
        ] {
            assert_eq!(of(text), Verb::Other, "{text}");
        }
        for text in
            ["Import `x` from `src/a.ts`", "the types of `src/a.ts`", "wrap it with `src/a.ts`"]
        {
            assert_eq!(of(text), Verb::Use, "{text}");
        }
    }

    #[test]
    fn paths_in_fences_are_code() {
        assert_eq!(listed("Use\n```ts\nimport x from 'src/a.ts'\n```\nand src/b.ts").len(), 1);
    }
}
