//! Puts the named parts of a task where they belong, whether a tag or a label names them.

use super::markdown::items;
use super::spanned::{Prose, Spanned};
use super::task::{Checkpoint, Part, Reversibility, Task, TaskForm, TaskKind};
use super::{paths, verify};
use crate::diag::Span;

/// The parts that a task can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Name,
    Kind,
    Files,
    ReadFirst,
    Precondition,
    Reversibility,
    Behavior,
    Action,
    Verify,
    Automated,
    AcceptanceCriteria,
    Done,
    WhatBuilt,
    HowToVerify,
    Decision,
    Options,
    ResumeSignal,
}

impl Slot {
    /// The part that a tag names, with `_` for `-`.
    pub(super) fn of_tag(name: &str) -> Option<Self> {
        Some(match name {
            "name" | "title" => Self::Name,
            "files" => Self::Files,
            "read_first" => Self::ReadFirst,
            "precondition" | "preconditions" => Self::Precondition,
            "reversibility" => Self::Reversibility,
            "behavior" | "behaviour" => Self::Behavior,
            "action" | "implementation" => Self::Action,
            "verify" => Self::Verify,
            "automated" => Self::Automated,
            "acceptance_criteria" => Self::AcceptanceCriteria,
            "done" => Self::Done,
            "what_built" => Self::WhatBuilt,
            "how_to_verify" => Self::HowToVerify,
            "decision" => Self::Decision,
            "options" => Self::Options,
            "resume_signal" => Self::ResumeSignal,
            _ => return None,
        })
    }

    /// The part that a label or a heading inside a task names.
    pub(super) fn of_label(label: &str) -> Option<Self> {
        let label = label.trim().to_lowercase();
        Some(match label.as_str() {
            "name" | "title" => Self::Name,
            "type" | "task type" => Self::Kind,
            "file" | "files" | "files to create" | "files to modify" | "files to change"
            | "files to edit" | "files modified" | "files touched" | "files to delete" => {
                Self::Files
            }
            "read first" | "read_first" => Self::ReadFirst,
            "precondition" | "preconditions" | "prerequisites" => Self::Precondition,
            "reversibility" => Self::Reversibility,
            "behavior" | "behaviour" | "expected behavior" | "expected behaviour" => Self::Behavior,
            "action"
            | "actions"
            | "do"
            | "what"
            | "what to do"
            | "steps"
            | "implementation"
            | "implementation steps"
            | "changes" => Self::Action,
            "verify" | "verification" | "validate" | "validation" | "how to test" | "run"
            | "expected" | "test command" => Self::Verify,
            "automated" | "automated verify" => Self::Automated,
            "acceptance" | "acceptance criteria" | "criteria" | "success criteria" => {
                Self::AcceptanceCriteria
            }
            "done" | "done when" | "definition of done" => Self::Done,
            "what was built" | "what built" => Self::WhatBuilt,
            "how to verify" => Self::HowToVerify,
            "decision" => Self::Decision,
            "options" => Self::Options,
            "resume signal" => Self::ResumeSignal,
            _ => return None,
        })
    }
}

impl Task {
    /// A task without parts.
    pub(super) fn bare(form: TaskForm, span: Span, head: Span) -> Self {
        Self {
            form,
            kind: Spanned::new(TaskKind::Unstated, head.clone()),
            span,
            head,
            tdd: false,
            name: None,
            files: None,
            read_first: None,
            precondition: None,
            reversibility: None,
            behavior: None,
            action: None,
            verify: None,
            acceptance_criteria: None,
            done: None,
            what_built: None,
            how_to_verify: None,
            decision: None,
            options: None,
            resume_signal: None,
            other: vec![],
        }
    }

    pub(super) fn set_kind(&mut self, word: Spanned<String>) {
        let kind = kind(word.value.trim());
        self.tdd |= kind == TaskKind::Tdd;
        self.kind = Spanned::new(kind, word.span);
    }

    /// Puts a part in its place. A part that is there twice is joined, in order.
    pub(super) fn take(&mut self, slot: Slot, prose: Prose) {
        match slot {
            Slot::Name => {
                if self.name.is_none() && !prose.is_blank() {
                    self.name = Some(Spanned::new(folded(&prose), prose.span));
                }
            }
            Slot::Kind => self.set_kind(Spanned::new(folded(&prose), prose.span)),
            Slot::Files => extend(&mut self.files, paths::list(&prose)),
            Slot::ReadFirst => extend(&mut self.read_first, paths::list(&prose)),
            Slot::Precondition => join(&mut self.precondition, prose),
            Slot::Reversibility => {
                let word = folded(&prose);
                let rating = word
                    .split(|c: char| !(c.is_alphanumeric() || c == '-'))
                    .find(|word| matches!(*word, "reversible" | "costly" | "one-way"))
                    .map(|word| Spanned::new(word.to_owned(), prose.span.clone()));
                self.reversibility.get_or_insert(Reversibility { rating, prose });
            }
            Slot::Behavior => join(&mut self.behavior, prose),
            Slot::Action => join(&mut self.action, prose),
            Slot::Verify | Slot::Automated => {
                let read = verify::read(prose, slot == Slot::Automated);
                match &mut self.verify {
                    Some(verify) => {
                        verify.prose.append(read.prose);
                        verify.commands.extend(read.commands);
                    }
                    None => self.verify = Some(read),
                }
            }
            Slot::AcceptanceCriteria => {
                let list = Spanned::new(items(&prose.lines), prose.span);
                extend(&mut self.acceptance_criteria, list);
            }
            Slot::Done => join(&mut self.done, prose),
            Slot::WhatBuilt => join(&mut self.what_built, prose),
            Slot::HowToVerify => join(&mut self.how_to_verify, prose),
            Slot::Decision => join(&mut self.decision, prose),
            Slot::Options => join(&mut self.options, prose),
            Slot::ResumeSignal => join(&mut self.resume_signal, prose),
        }
    }

    pub(super) fn take_other(&mut self, name: String, prose: Prose) {
        let span = prose.span.clone();
        self.other.push(Spanned::new(Part { name, prose }, span));
    }
}

fn kind(word: &str) -> TaskKind {
    let lower = word.to_ascii_lowercase().replace('_', "-");
    match lower.as_str() {
        "" => TaskKind::Unstated,
        "auto" => TaskKind::Auto,
        "tracer" => TaskKind::Tracer,
        "tdd" => TaskKind::Tdd,
        _ => match lower.strip_prefix("checkpoint") {
            Some(rest) if rest.is_empty() || rest.starts_with([':', '-', ' ']) => {
                let which = rest.trim_start_matches([':', '-', ' ']);
                TaskKind::Checkpoint(match which {
                    "human-verify" => Checkpoint::HumanVerify,
                    "decision" => Checkpoint::Decision,
                    "human-action" => Checkpoint::HumanAction,
                    other => Checkpoint::Other(other.to_owned()),
                })
            }
            Some(_) | None => TaskKind::Other(word.to_owned()),
        },
    }
}

fn folded(prose: &Prose) -> String {
    prose.lines.iter().flat_map(|line| line.value.split_whitespace()).collect::<Vec<_>>().join(" ")
}

fn join(slot: &mut Option<Prose>, prose: Prose) {
    match slot {
        Some(before) => before.append(prose),
        None => *slot = Some(prose),
    }
}

fn extend<T>(slot: &mut Option<Spanned<Vec<T>>>, list: Spanned<Vec<T>>) {
    match slot {
        Some(before) => {
            before.value.extend(list.value);
            before.span =
                before.span.start.min(list.span.start)..before.span.end.max(list.span.end);
        }
        None => *slot = Some(list),
    }
}
