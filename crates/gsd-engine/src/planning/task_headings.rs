//! Tasks that are written as headings or lists: `### Task 1: Name` with labelled parts, or the
//! items of a list under `## Tasks`.

use super::markdown::{Heading, Page, bare};
use super::spanned::{Prose, Spanned, slice, trim};
use super::task::{Task, TaskForm};
use super::task_parts::Slot;
use std::ops::Range;

/// Below every real heading.
const BOLD_LEVEL: usize = 7;

/// The headings of a plan. A line `**Task 1: Name**` is one too.
pub(super) fn headings(page: &Page<'_>) -> Vec<Heading> {
    let bold = |line: usize| {
        let shown = page.line(line).trim();
        let place = page.lines[line];
        let names = shown.starts_with("**") && !place.fenced && is_task(bare(shown));
        let title = trim(page.text, place.start..place.end);
        names.then_some(Heading { line, level: BOLD_LEVEL, title })
    };
    (0..page.lines.len()).filter_map(|line| page.heading(line).or_else(|| bold(line))).collect()
}

/// What holds a line of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    Free,
    /// A block that is no mere container of tasks.
    Block,
    Task,
}

/// Whether lists are tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lists {
    /// In a plan with task blocks a list of steps is something else.
    Ignored,
    /// `inside` gives the lines of a `<tasks>` block.
    Read { inside: Option<Range<usize>> },
}

/// Reads the tasks that stand outside of blocks. Reading stops soon after `max` tasks.
pub(super) fn read(
    page: &Page<'_>,
    headings: &[Heading],
    covers: &[Cover],
    lists: Lists,
    max: usize,
) -> Vec<Task> {
    let mut found = vec![];
    let mut done = 0;
    let read_lists = lists != Lists::Ignored;
    if let Lists::Read { inside: Some(lines) } = lists {
        let own: Vec<Heading> =
            headings.iter().filter(|heading| lines.contains(&heading.line)).cloned().collect();
        under(page, &own, covers, lines.clone(), max, &mut found);
        done = lines.end;
    }
    for (at, heading) in headings.iter().enumerate() {
        if found.len() > max {
            break;
        }
        if heading.line < done || covers[heading.line] != Cover::Free {
            continue;
        }
        let lines = page.section(headings, at);
        let title = bare(&page.text[heading.title.clone()]);
        if is_task(title) {
            if let Some(task) = task(page, heading, lines.clone(), covers) {
                found.push(task);
                done = lines.end;
            }
        } else if read_lists && is_task_list(title) {
            let own: Vec<Heading> = headings[at + 1..]
                .iter()
                .take_while(|heading| heading.line < lines.end)
                .cloned()
                .collect();
            under(page, &own, covers, lines.clone(), max, &mut found);
            done = lines.end;
        }
    }
    if found.is_empty() && read_lists {
        anywhere(page, covers, max, &mut found);
    }
    found
}

/// `- [ ] Task 1: Name` in a list that no heading announces.
fn anywhere(page: &Page<'_>, covers: &[Cover], max: usize, found: &mut Vec<Task>) {
    let starts: Vec<usize> = (0..page.lines.len())
        .filter(|line| covers[*line] == Cover::Free)
        .filter(|line| page.item(*line).is_some_and(|item| is_task(bare(&page.text[item.body]))))
        .take(max + 1)
        .collect();
    for (at, start) in starts.iter().enumerate() {
        let next = starts.get(at + 1).copied().unwrap_or(page.lines.len());
        let stops = |line: &usize| covers[*line] != Cover::Free || page.heading(*line).is_some();
        let end = (start + 1..next).find(stops).unwrap_or(next);
        found.push(list_item(page, *start, end));
    }
}

/// The tasks of a part that holds nothing but tasks: its headings, else the items of its list.
fn under(
    page: &Page<'_>,
    headings: &[Heading],
    covers: &[Cover],
    lines: Range<usize>,
    max: usize,
    found: &mut Vec<Task>,
) {
    let free = |line: usize| covers[line] == Cover::Free;
    let numbered = headings.iter().any(|heading| is_task(bare(&page.text[heading.title.clone()])));
    let top = headings.iter().filter(|heading| free(heading.line)).map(|h| h.level).min();
    if top.is_some() {
        for (at, heading) in headings.iter().enumerate() {
            let title = bare(&page.text[heading.title.clone()]);
            let counts = if numbered { is_task(title) } else { Some(heading.level) == top };
            if !counts || !free(heading.line) || found.len() > max {
                continue;
            }
            let end = page.section(headings, at).end.min(lines.end);
            found.extend(task(page, heading, heading.line + 1..end, covers));
        }
        return;
    }
    let items: Vec<(usize, usize)> = lines
        .clone()
        .filter(|line| free(*line))
        .filter_map(|line| page.item(line).map(|item| (line, item.indent)))
        .collect();
    let Some(outer) = items.iter().map(|(_, indent)| *indent).min() else { return };
    let starts: Vec<usize> =
        items.iter().filter(|(_, indent)| *indent == outer).map(|(line, _)| *line).collect();
    for (at, start) in starts.iter().enumerate().take(max + 1) {
        let next = starts.get(at + 1).copied().unwrap_or(lines.end);
        let end = (start + 1..next).find(|line| covers[*line] != Cover::Free).unwrap_or(next);
        found.push(list_item(page, *start, end));
    }
}

/// The task under a heading; `None` if it is written as a block there, which was read before.
fn task(page: &Page<'_>, heading: &Heading, lines: Range<usize>, covers: &[Cover]) -> Option<Task> {
    let end = lines.clone().find(|line| covers[*line] != Cover::Free).unwrap_or(lines.end);
    if lines.clone().any(|line| covers[line] == Cover::Task) {
        return None;
    }
    let head = page.span(heading.line, heading.line + 1);
    let span = head.start..page.span(heading.line, end).end;
    let mut task = Task::bare(TaskForm::Heading, span, head);
    let name = slice(page.text, heading.title.clone());
    task.name = Some(Spanned::new(bare(&name.value.replace("**", "")).to_owned(), name.span));
    parts(page, lines.start..end, &mut task);
    Some(task)
}

fn list_item(page: &Page<'_>, start: usize, end: usize) -> Task {
    let head = page.span(start, start + 1);
    let span = head.start..page.span(start, end).end;
    let mut task = Task::bare(TaskForm::ListItem, span, head.clone());
    let body = page.item(start).map_or(head, |item| item.body);
    let text = &page.text[body.clone()];
    // `**Name** — what to do`, else the whole line is the name.
    let bold = text.strip_prefix("**").and_then(|rest| rest.find("**").map(|end| &rest[..end]));
    let (name, rest) = match bold {
        Some(name) => {
            let name_start = body.start + 2;
            (name_start..name_start + name.len(), name_start + name.len() + 2..body.end)
        }
        None => (body.clone(), body.clone()),
    };
    let name = slice(page.text, name);
    if !name.value.is_empty() {
        let value = name.value.trim_end_matches(':').to_owned();
        task.name = Some(Spanned::new(value, name.span));
    }
    let marks = [':', '-', '–', '—', ' '];
    let shown = page.text[rest.clone()].trim_start_matches(marks);
    if !shown.trim().is_empty() {
        task.take(Slot::Action, Prose::of(page.text, rest.end - shown.len()..rest.end));
    }
    parts(page, start + 1..end, &mut task);
    task
}

/// Cuts lines at labels and sub-headings. What no label names is what is to be done.
fn parts(page: &Page<'_>, lines: Range<usize>, task: &mut Task) {
    let mut current = Slot::Action;
    let mut from = page.span(lines.start, lines.end).start;
    let mut blank = false;
    let end = page.span(lines.start, lines.end).end;
    let flush = |task: &mut Task, slot: Slot, from: usize, to: usize| {
        let prose = Prose::of(page.text, from..to.max(from));
        if !prose.is_blank() || slot != Slot::Action {
            task.take(slot, prose);
        }
    };
    for index in lines {
        let line = page.lines[index];
        let shown = page.line(index).trim();
        if shown.is_empty() {
            blank = true;
            continue;
        }
        let next = if let Some(heading) = page.heading(index) {
            let name = bare(&page.text[heading.title.clone()]).trim_end_matches(':');
            Some((Slot::of_label(name).unwrap_or(Slot::Action), line.end))
        } else if matches!(shown, "---" | "***" | "___") {
            Some((Slot::Action, line.end))
        } else if let Some((label, rest)) = page.label(index) {
            match Slot::of_label(label.name) {
                // A plain word with a colon inside prose is a label only where one is expected.
                Some(slot) => Some((slot, rest.start)),
                None if label.bold && current != Slot::Action => Some((Slot::Action, line.start)),
                None => None,
            }
        } else {
            let list = matches!(current, Slot::Files | Slot::ReadFirst);
            let over = list && blank && !line.fenced && page.item(index).is_none();
            over.then_some((Slot::Action, line.start))
        };
        blank = false;
        if let Some((slot, start)) = next {
            flush(task, current, from, line.start);
            current = slot;
            from = start;
        }
    }
    flush(task, current, from, end);
}

/// `Task 1`, `Task 3.2: Name`, `Task 1A — Name`.
fn is_task(title: &str) -> bool {
    let title = title.trim_start_matches(|c: char| !c.is_alphanumeric());
    let Some(rest) = title.get(..4).filter(|word| word.eq_ignore_ascii_case("task")) else {
        return false;
    };
    let rest = title[rest.len()..].trim_start_matches([' ', '#']);
    title.len() - rest.len() > 4 && {
        let word = rest.split([' ', ':', '—', '–', '(', '.']).next().unwrap_or_default();
        word.len() <= 12 && word.bytes().any(|b| b.is_ascii_digit())
    }
}

fn is_task_list(title: &str) -> bool {
    let title = title
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .trim_end_matches([':', ' '])
        .to_lowercase();
    matches!(
        title.as_str(),
        "tasks"
            | "task list"
            | "task breakdown"
            | "implementation tasks"
            | "implementation steps"
            | "implementation plan"
            | "work breakdown"
            | "steps"
            | "work items"
    )
}
