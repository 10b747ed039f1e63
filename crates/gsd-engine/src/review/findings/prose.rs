//! Findings in prose: what reviewers write when they do not write the block.
//!
//! A line reader with a little memory: the section it is in, the plan that a heading named, the
//! severity that a heading set. Items of lists under Concerns, Risks or Issues are findings, and so
//! is whatever begins with a severity. When in doubt a line is text, not a finding.

mod marks;

use self::marks::*;
use super::item::default_severity;
use super::words;
use super::{
    MAX_CLAIM, MAX_EVIDENCE, MAX_TITLE, first_sentence, one_line, plan_of, tidy, unchecked,
};
use crate::evidence::places;
use crate::review::record::{Finding, Kind, Plan, Severity};

/// Findings that are collected before the bound of a lane is applied.
const MAX_COLLECTED: usize = 2000;

/// Reads the findings of a text.
pub(super) fn findings(lane: &str, text: &str, census: &[Plan]) -> Vec<Finding> {
    let mut reader = Reader {
        lane,
        census,
        section: None,
        section_level: 0,
        severity: None,
        plan: None,
        draft: None,
        found: vec![],
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut fence: Option<String> = None;
    let mut at = 0;
    while at < lines.len() && reader.found.len() < MAX_COLLECTED {
        let line = lines[at];
        at += 1;
        let trimmed = line.trim();
        if let Some(open) = &fence {
            if trimmed.starts_with(open.as_str()) {
                fence = None;
            }
            continue;
        }
        if let Some(marker) = ["```", "~~~"].iter().find(|marker| trimmed.starts_with(**marker)) {
            fence = Some((*marker).to_owned());
            continue;
        }
        let next = lines.get(at).copied().unwrap_or("");
        if let Some((level, heading)) = heading(line, next) {
            reader.heading(level, &heading);
        } else if trimmed.starts_with('|') && is_delimiter_row(next) {
            let end = lines[at..].iter().position(|row| !row.trim_start().starts_with('|'));
            let rows = &lines[at + 1..end.map_or(lines.len(), |end| at + end).max(at + 1)];
            reader.table(trimmed, rows);
            at += 1 + rows.len();
        } else {
            reader.line(line);
        }
    }
    reader.flush();
    reader.found
}

/// A finding that is still being read.
struct Draft {
    kind: Kind,
    severity: Severity,
    lines: Vec<String>,
    /// Columns before the marker of its item; `None` for a finding under its own heading.
    indent: Option<usize>,
    /// Whether a blank line came after its last one.
    paused: bool,
}

struct Reader<'a> {
    lane: &'a str,
    census: &'a [Plan],
    section: Option<Kind>,
    section_level: usize,
    severity: Option<Severity>,
    plan: Option<String>,
    draft: Option<Draft>,
    found: Vec<Finding>,
}

impl Reader<'_> {
    fn heading(&mut self, level: usize, text: &str) {
        self.flush();
        let bare = strip_number(text);
        if let Some((severity, rest)) = words::leading_severity(bare) {
            let rest = plain(rest);
            let is_group =
                rest.is_empty() || words::section(&rest).is_some() && rest.split(' ').count() < 4;
            if is_group {
                self.severity = Some(severity);
                if self.section.is_none() || level <= self.section_level {
                    (self.section, self.section_level) = (Some(Kind::Concern), level);
                }
            } else {
                self.start(Kind::Concern, severity, rest, None);
            }
            return;
        }
        let plan = plan_of(text, self.census);
        if plan.is_some() {
            self.plan = plan.clone();
        }
        match words::section(text) {
            Some(kind) => {
                (self.section, self.section_level) = (kind, level);
                // `Critical Issues` says of all of them what they are.
                let first = bare.split_whitespace().next().and_then(words::severity);
                self.severity = words::marked_severity(text).or(first);
            }
            // A heading below that of its section divides it; any other one ends it.
            None if level > self.section_level && plan.is_none() => {}
            None => {
                (self.section, self.section_level) = (None, level);
                self.severity = None;
            }
        }
    }

    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            if let Some(draft) = &mut self.draft {
                draft.paused = true;
            }
            return;
        }
        if let Some((indent, text)) = list_item(line) {
            return self.item(indent, text);
        }
        let indent = columns(line);
        if let Some(draft) = &mut self.draft {
            let belongs = match draft.indent {
                None => true,
                Some(of_item) => !draft.paused || indent > of_item,
            };
            if belongs && words::leading_severity(trimmed).is_none_or(|_| draft.indent.is_some()) {
                draft.go_on(trimmed);
                return;
            }
        }
        self.flush();
        // A paragraph is a finding only if it says so at once: `HIGH: …`.
        if let Some((severity, rest)) = words::leading_severity(trimmed)
            && rest.split_whitespace().count() > 1
        {
            self.start(
                self.section.unwrap_or(Kind::Concern),
                severity,
                rest.to_owned(),
                Some(indent),
            );
        }
    }

    fn item(&mut self, indent: usize, text: &str) {
        let lead = words::leading_severity(text);
        if let Some(draft) = &mut self.draft {
            let nested = match draft.indent {
                None => lead.is_none(),
                Some(of_item) => indent > of_item && lead.is_none(),
            };
            if nested {
                draft.add(text);
                return;
            }
        }
        self.flush();
        if is_nothing(text) {
            return;
        }
        if let Some((severity, rest)) = lead {
            if rest.is_empty() {
                self.severity = Some(severity);
                return;
            }
            let (kind, rest) = match leading_kind(rest) {
                Some((kind, rest)) => (kind, rest),
                None => (self.section.unwrap_or(Kind::Concern), rest),
            };
            return self.start(kind, severity, rest.to_owned(), Some(indent));
        }
        if let Some((kind, rest)) = leading_kind(text) {
            let severity = words::marked_severity(text).unwrap_or(default_severity(kind));
            if !rest.is_empty() && !is_nothing(rest) {
                self.start(kind, severity, rest.to_owned(), Some(indent));
            }
            return;
        }
        // `- **Concerns:**` opens a section of its own.
        if let Some(label) = label(text) {
            if let Some(kind) = words::section(label) {
                (self.section, self.section_level) = (kind, 7);
                self.severity = None;
                return;
            }
            if plan_of(label, self.census).is_some() {
                self.plan = plan_of(label, self.census);
                return;
            }
        }
        let marked = words::marked_severity(text);
        let Some(kind) = self.section else { return };
        let severity = marked.or(self.severity).unwrap_or(default_severity(kind));
        self.start(kind, severity, text.to_owned(), Some(indent));
    }

    fn table(&mut self, header: &str, rows: &[&str]) {
        self.flush();
        let names: Vec<String> =
            cells(header).iter().map(|cell| plain(cell).to_lowercase()).collect();
        let column = |words: &[&str]| {
            names.iter().position(|name| words.iter().any(|word| name.contains(word)))
        };
        let severity = column(&["severity", "priority", "level"]);
        let said =
            column(&["concern", "issue", "finding", "problem", "title", "description", "risk"]);
        let (Some(said), true) = (said, severity.is_some() || self.section.is_some()) else {
            return;
        };
        let place = column(&["file", "location", "evidence", "where", "path", "line"]);
        let remedy = column(&["suggestion", "recommendation", "fix", "mitigation", "action"]);
        let plan = column(&["plan"]);
        for row in rows.iter().take(MAX_COLLECTED) {
            let cells = cells(row);
            let cell = |column: Option<usize>| column.and_then(|c| cells.get(c)).map(|c| c.trim());
            let Some(text) = cell(Some(said)).filter(|text| !is_nothing(text)) else { continue };
            let kind = self.section.unwrap_or(Kind::Concern);
            let severity = cell(severity)
                .and_then(|cell| words::severity_field(&plain(cell)))
                .unwrap_or(default_severity(kind));
            let mut lines = vec![text.to_owned()];
            lines.extend(cell(place).map(str::to_owned));
            lines.extend(
                cell(remedy).filter(|r| !is_nothing(r)).map(|r| format!("Suggestion: {r}")),
            );
            let outer = self.plan.clone();
            if let Some(named) = cell(plan).and_then(|cell| plan_of(cell, self.census)) {
                self.plan = Some(named);
            }
            self.draft = Some(Draft { kind, severity, lines, indent: Some(0), paused: false });
            self.flush();
            self.plan = outer;
        }
    }

    fn start(&mut self, kind: Kind, severity: Severity, text: String, indent: Option<usize>) {
        self.draft = Some(Draft { kind, severity, lines: vec![text], indent, paused: false });
    }

    /// Turns the draft into a finding.
    fn flush(&mut self) {
        let Some(draft) = self.draft.take() else { return };
        let (mut said, mut remedy) = (vec![], vec![]);
        let mut in_remedy = false;
        let mut severity = draft.severity;
        for (index, line) in draft.lines.iter().enumerate() {
            match remedy_text(line) {
                Some(text) if index > 0 => {
                    in_remedy = true;
                    remedy.push(plain(text));
                }
                Some(_) | None if index > 0 && is_severity_line(line) => {
                    severity = words::marked_severity(line).unwrap_or(severity);
                }
                Some(_) | None if in_remedy => remedy.push(plain(line)),
                Some(_) | None => said.push(line.clone()),
            }
        }
        let head = said.first().map(String::as_str).unwrap_or("");
        let title = match bold_start(head) {
            Some(bold) if bold.split(' ').count() > 1 => one_line(&plain(bold), MAX_TITLE),
            Some(_) | None => first_sentence(&plain(head)),
        };
        let title = without_place(title.trim_end_matches([':', '.']).trim());
        let title = without_severity(title).to_owned();
        let claim =
            tidy(&said.iter().map(|line| plain(line)).collect::<Vec<_>>().join("\n"), MAX_CLAIM);
        if title.chars().filter(|c| c.is_alphanumeric()).count() < 3 {
            return;
        }
        let whole = draft.lines.join("\n");
        let suggestion = tidy(&remedy.join("\n"), MAX_CLAIM);
        self.found.push(Finding {
            id: String::new(),
            lane: self.lane.to_owned(),
            kind: draft.kind,
            severity,
            plan: self.plan.clone().or_else(|| plan_of(&whole, self.census)),
            code: None,
            title,
            claim,
            suggestion: (!suggestion.is_empty()).then_some(suggestion),
            evidence: places(&whole, MAX_EVIDENCE).into_iter().map(unchecked).collect(),
            cluster: String::new(),
        });
    }
}

impl Draft {
    /// Adds a line that is no item of its own: the same sentence, if the last one goes on.
    fn go_on(&mut self, line: &str) {
        let joins = !self.paused && remedy_text(line).is_none() && !is_severity_line(line);
        match self.lines.last_mut() {
            Some(last) if joins && last.len() < MAX_CLAIM => {
                last.push(' ');
                last.push_str(line);
            }
            Some(_) | None => self.add(line),
        }
    }

    fn add(&mut self, line: &str) {
        self.paused = false;
        // What a reader will not read needs no memory.
        if self.lines.len() < 200 {
            self.lines.push(line.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
