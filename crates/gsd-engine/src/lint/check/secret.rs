//! A planning file holds a secret.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::Check;
use crate::lint::view::View;
use crate::text::secrets;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/secret",
    level: Level::Error,
    summary: "a planning file holds a secret",
    docs: include_str!("secret.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    let phase = view.phase;
    let plans = phase.plans.iter().map(|plan| &plan.document);
    let documents = plans
        .chain(phase.contexts.iter().map(|context| &context.document))
        .chain(phase.research.iter().map(|research| &research.document))
        .chain(phase.project.iter())
        .chain(phase.roadmap.iter().map(|roadmap| &roadmap.document))
        .chain(phase.requirements.iter().map(|requirements| &requirements.document))
        .chain(phase.state.iter().map(|state| &state.document));
    for document in documents {
        let text = document.file.text();
        for secret in secrets::find(text) {
            // The first line of a key block is enough of a place.
            let value = &text[secret.span.clone()];
            let length = value.find('\n').unwrap_or(value.len());
            let span = secret.span.start..secret.span.start + length;
            let kind = secret.kind.replace('-', " ");
            // The beginning of a key says whose it is; that of a password is a part of it.
            let shown = match secret.kind {
                "assigned-secret" | "bearer-token" | "url-password" => String::new(),
                _ => format!(" ({})", secrets::mask(value)),
            };
            found.push(
                RULE.at(document.file.at(span), format!("{kind} in clear text{shown}"))
                    .help("name the variable that holds it, and revoke this one"),
            );
        }
    }
}
