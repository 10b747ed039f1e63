//! One plan: what a file is, what it says, and in which of the known shapes.

use super::blocks::{self, Block, Blocks, TaskBlock};
use super::frontmatter::Frontmatter;
use super::markdown::{Heading, Page, bare};
use super::spanned::{Prose, Spanned, trim};
use super::task::{Reversibility, Task, TaskForm, TaskKind};
use super::task_headings::{self, Cover, Lists};
use super::task_parts::Slot;
use super::{BLOCK_UNCLOSED, TOO_MANY_TASKS, UNRECOGNISED_PLAN, fields, paths};
use crate::diag::{Diagnostic, SourceFile, Span};
use crate::id::RelPath;
use std::fmt;
use std::sync::Arc;

/// The file name of a plan without `-PLAN.md`, else without `.md`: `03-01`, `PLAN`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlanId(pub(super) String);

impl PlanId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A readable file: where it is, what it holds, and the digest of its bytes as they were read.
#[derive(Debug, Clone)]
pub struct Document {
    pub path: RelPath,
    pub file: Arc<SourceFile>,
    pub bytes: u64,
    pub lines: u64,
    /// SHA-256 of the bytes on disk, lower-case hexadecimal.
    pub sha256: String,
}

/// In which of the known shapes the tasks of a plan are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `<task>` blocks.
    Blocks,
    /// Headings or lists under a heading such as `## Tasks`.
    Headings,
    Mixed,
    /// None of them: the plan is reviewed all the same and never counts as clean.
    Unrecognised,
}

/// A plan as it was read. Everything but its document is optional.
#[derive(Debug, Clone)]
pub struct Plan {
    pub id: PlanId,
    pub document: Document,
    pub frontmatter: Frontmatter,
    pub shape: Shape,
    pub objective: Option<Prose>,
    /// `@` references into the repository, without the `@`.
    pub context_refs: Vec<Spanned<String>>,
    /// `@` references of `<execution_context>`: they point into an installation, never into the
    /// repository.
    pub execution_refs: Vec<Spanned<String>>,
    pub interfaces: Option<Prose>,
    pub tasks: Vec<Task>,
    pub verification: Option<Prose>,
    pub success_criteria: Option<Prose>,
    pub threat_model: Option<Prose>,
    pub output: Option<Prose>,
}

impl Plan {
    pub fn file(&self) -> &Arc<SourceFile> {
        &self.document.file
    }

    /// Whether `status: superseded` leaves the plan out of counting.
    pub fn is_superseded(&self) -> bool {
        self.frontmatter
            .status
            .as_ref()
            .is_some_and(|status| status.value.eq_ignore_ascii_case("superseded"))
    }
}

/// A plan has two or three tasks; this many are no plan, and reading on would only cost memory.
const MAX_TASKS: usize = 1000;

/// Reads a plan. Whatever the text holds, there is a plan: at worst one of no known shape.
pub(super) fn read(id: PlanId, document: Document, diagnostics: &mut Vec<Diagnostic>) -> Plan {
    let file = Arc::clone(&document.file);
    let text = file.text();
    let frontmatter = fields::read(&file, diagnostics);
    let page = Page::new(text, frontmatter.span.end);
    let blocks = blocks::read(&page);
    let headings = task_headings::headings(&page);
    report_unclosed(&file, &blocks, diagnostics);

    let bounded = blocks.tasks.iter().take(MAX_TASKS + 1);
    let mut tasks: Vec<Task> = bounded.map(|block| task(text, block)).collect();
    let written_in_blocks = !tasks.is_empty();
    let inside = blocks.find("tasks").map(|block| {
        let first = page.line_at(block.inner.start);
        first..page.line_at(block.inner.end.max(block.inner.start + 1) - 1) + 1
    });
    let covers = covers(&page, &blocks);
    let lists = if written_in_blocks { Lists::Ignored } else { Lists::Read { inside } };
    tasks.extend(task_headings::read(&page, &headings, &covers, lists, MAX_TASKS));
    tasks.sort_by_key(|task| task.span.start);
    let written_in_headings = tasks.iter().any(|task| task.form != TaskForm::Block);
    if tasks.len() > MAX_TASKS {
        let at = file.at(tasks[MAX_TASKS].head.clone());
        let message = format!("the plan has more than {MAX_TASKS} tasks; the others were not read");
        diagnostics.push(TOO_MANY_TASKS.at(at, message));
        tasks.truncate(MAX_TASKS);
    }
    let shape = match (written_in_blocks, written_in_headings) {
        (true, true) => Shape::Mixed,
        (true, false) => Shape::Blocks,
        (false, true) => Shape::Headings,
        (false, false) => Shape::Unrecognised,
    };
    if shape == Shape::Unrecognised {
        let message = "no tasks were found in any of the known shapes";
        diagnostics.push(
            UNRECOGNISED_PLAN
                .at(file.at_start(), message)
                .help("write tasks as `<task>` blocks, or as a list or headings under `## Tasks`"),
        );
    }

    let part = |name: &str, titles: &[&str]| match blocks.find(name) {
        Some(block) => Some(block.prose(text)),
        None => section(&page, &headings, &covers, titles),
    };
    let references = |prose: Option<Prose>| prose.map(|prose| paths::references(&prose));
    Plan {
        id,
        frontmatter,
        shape,
        objective: part("objective", &["objective", "goal"]),
        context_refs: references(part("context", &["context"])).unwrap_or_default(),
        execution_refs: references(part("execution_context", &[])).unwrap_or_default(),
        interfaces: part("interfaces", &["interfaces"]),
        verification: part("verification", &["verification"]),
        success_criteria: part("success_criteria", &["success criteria"]),
        threat_model: part("threat_model", &["threat model"]),
        output: part("output", &["output"]),
        tasks,
        document,
    }
}

fn task(text: &str, TaskBlock { block, parts }: &TaskBlock) -> Task {
    let mut task = Task::bare(TaskForm::Block, block.outer.clone(), block.head.clone());
    match block.attribute("type") {
        Some(kind) => task.set_kind(kind.clone()),
        None if block.name == "feature" => {
            task.kind.value = TaskKind::Tdd;
            task.tdd = true;
        }
        None => {}
    }
    task.tdd |= block.attribute("tdd").is_some_and(|tdd| tdd.value.eq_ignore_ascii_case("true"));
    if let Some(name) = block.attribute("name").filter(|name| !name.value.trim().is_empty()) {
        task.name = Some(name.clone());
    }
    for part in parts {
        match Slot::of_tag(&part.name) {
            Some(Slot::Reversibility) => {
                let prose = part.prose(text);
                let rating = part.attribute("rating").cloned();
                match rating {
                    Some(rating) => {
                        let rating = Some(rating);
                        task.reversibility.get_or_insert(Reversibility { rating, prose });
                    }
                    None => task.take(Slot::Reversibility, prose),
                }
            }
            Some(slot) => task.take(slot, part.prose(text)),
            None => task.take_other(part.name.clone(), part.prose(text)),
        }
    }
    task
}

/// What holds each line.
fn covers(page: &Page<'_>, blocks: &Blocks) -> Vec<Cover> {
    let mut covers = vec![Cover::Free; page.lines.len()];
    let outer = blocks.outer.iter().filter(|block| block.name != "tasks");
    mark(page, &mut covers, outer.map(|block| &block.outer), Cover::Block);
    mark(page, &mut covers, blocks.tasks.iter().map(|task| &task.block.outer), Cover::Task);
    covers
}

fn mark<'b>(
    page: &Page<'_>,
    covers: &mut [Cover],
    spans: impl Iterator<Item = &'b Span>,
    cover: Cover,
) {
    let mut spans: Vec<&Span> = spans.filter(|span| !span.is_empty()).collect();
    spans.sort_by_key(|span| (span.start, span.end));
    // Blocks may lie in each other; marking goes on from where the last one ended.
    let mut from = 0;
    for span in spans {
        let first = page.line_at(span.start).max(from);
        let last = page.line_at(span.end - 1);
        for line in covers.iter_mut().take(last + 1).skip(first) {
            *line = cover;
        }
        from = from.max(last + 1);
    }
}

/// What stands below the first heading with one of these titles.
fn section(
    page: &Page<'_>,
    headings: &[Heading],
    covers: &[Cover],
    titles: &[&str],
) -> Option<Prose> {
    let at = headings.iter().position(|heading| {
        let title = bare(&page.text[heading.title.clone()]).trim_end_matches(':').to_lowercase();
        covers[heading.line] == Cover::Free && titles.contains(&title.as_str())
    })?;
    let lines = page.section(headings, at);
    let end = lines.clone().find(|line| covers[*line] != Cover::Free).unwrap_or(lines.end);
    let span = trim(page.text, page.span(lines.start, end.max(lines.start)));
    (!span.is_empty()).then(|| Prose::of(page.text, span))
}

fn report_unclosed(file: &Arc<SourceFile>, blocks: &Blocks, diagnostics: &mut Vec<Diagnostic>) {
    let tasks = blocks.tasks.iter();
    let parts = tasks.flat_map(|task| std::iter::once(&task.block).chain(&task.parts));
    let open: Vec<&Block> =
        blocks.outer.iter().chain(parts).filter(|block| !block.closed).collect();
    let Some(first) = open.first() else { return };
    // Each file says it once: where one block is not closed, others often look as if they were not.
    let first = open.iter().fold(*first, |a, b| if b.head.start < a.head.start { b } else { a });
    let message = match open.len() {
        1 => format!("`<{}>` is never closed", first.name),
        count => format!("`<{}>` is never closed, nor are {} other blocks", first.name, count - 1),
    };
    diagnostics.push(
        BLOCK_UNCLOSED
            .at(file.at(first.head.clone()), message)
            .help("it was read up to where the next block begins"),
    );
}
