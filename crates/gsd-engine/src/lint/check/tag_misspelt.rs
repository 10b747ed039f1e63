//! A tag is nearly one that is read.

use crate::diag::{Diagnostic, Level, Rule, Span};
use crate::lint::Check;
use crate::lint::view::View;
use crate::planning::{is_plan_tag, plan_tags};
use crate::text::nearest;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/tag-misspelt",
    level: Level::Warning,
    summary: "a tag is nearly one that is read",
    docs: include_str!("tag_misspelt.md"),
};

/// Tags of other languages and of other parts of plans that are near enough to be mistaken.
const OTHERS: [&str; 12] = [
    "decision", "option", "section", "caption", "template", "table", "tbody", "frame", "game",
    "node", "line", "main",
];

/// No tag has a longer name.
const MAX_NAME: usize = 40;

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        let text = plan.plain.as_str();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if let Some((span, name)) = opening(line) {
                let word = name.replace('-', "_");
                let known = is_plan_tag(name) || OTHERS.contains(&word.as_str());
                // A lone tag of an unknown name is a placeholder in prose. Nearly all tags are
                // known, so the whole text is searched last.
                let is_block =
                    || line[span.end..].starts_with(' ') || text.contains(&format!("</{name}>"));
                if !known
                    && let Some(likely) = nearest(&word, plan_tags())
                    && is_block()
                {
                    let at = plan.at(&(start + span.start..start + span.end));
                    found.push(
                        RULE.at(at, format!("nobody reads the tag `<{name}>`"))
                            .help(format!("did you mean `<{likely}>`?")),
                    );
                }
            }
            start += line.len();
        }
    }
}

/// The name of the tag that a line begins with, and where it stands in the line.
fn opening(line: &str) -> Option<(Span, &str)> {
    let start = line.find('<').filter(|at| line[..*at].trim().is_empty())? + 1;
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_' || c == '-';
    let length = line[start..].find(|c| !is_name(c)).unwrap_or(line.len() - start);
    let end = start + length;
    (1..=MAX_NAME).contains(&length).then(|| (start..end, &line[start..end]))
}
