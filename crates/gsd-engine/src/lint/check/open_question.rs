//! A question of RESEARCH is still open.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::View;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/open-question",
    level: Level::Warning,
    summary: "a question of RESEARCH is still open",
    docs: include_str!("open_question.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for research in &view.phase.research {
        let Some(open) = research.open_questions.as_ref().filter(|open| !open.resolved) else {
            continue;
        };
        let file = &research.document.file;
        for question in open.questions.iter().filter(|question| !question.resolved) {
            if says_nothing(&question.text.value) {
                continue;
            }
            let text = file.text().get(question.text.span.clone()).unwrap_or_default();
            let length = text.find(['\n', '\r']).unwrap_or(text.len());
            let span = question.text.span.start..question.text.span.start + length;
            found.push(
                RULE.at(file.at(span), "the question is open")
                    .also(file.at(open.heading.clone()), "the heading is not marked as resolved")
                    .help("answer it and mark it `(RESOLVED)`"),
            );
        }
    }
}

/// "None", "No open questions".
fn says_nothing(text: &str) -> bool {
    let lower = text.trim().trim_matches(['*', '_', '.', '-', ' ']).to_ascii_lowercase();
    ["none", "no open", "n/a", "nothing", "all resolved", "all questions"]
        .iter()
        .any(|start| lower.starts_with(start))
}
