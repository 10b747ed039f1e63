//! `gsd config validate`: everything that is wrong in the settings.

use super::declared;
use crate::args::{ConfigValidateArgs, Format};
use crate::commands::{Context, Outcome};
use crate::exit::ExitStatus;
use crate::output::{diagnostics, github, json_v1, sarif};
use crate::ui::Ui;
use gsd_engine::config::{self, UNREADABLE, WRONG_TYPE};
use gsd_engine::diag::{self, Diagnostic, Level};
use gsd_engine::json::SYNTAX;
use gsd_engine::lane::settings::Reviewers;
use serde_json::json;

/// Everything that is wrong in the settings.
pub(in crate::commands) fn found(context: &Context) -> Vec<Diagnostic> {
    let (config, mut found) = config::read(&context.env, &context.root, &context.settings);
    found.extend(config::check(&config, &declared(context)));
    let roster = super::super::capability::compose(context).0.lanes();
    let reviewers = Reviewers::read(&config, &roster.descriptors());
    // Where a lane says more of a setting than that its type is wrong, that is enough.
    found.retain(|general| {
        general.rule.code != WRONG_TYPE.code
            || reviewers.found.iter().all(|special| special.at != general.at)
    });
    found.extend(reviewers.check_names(&roster));
    found.extend(reviewers.found);
    for diagnostic in &mut found {
        // A run goes on without such a setting; whoever asks for a check wants to hear of it.
        let wrong = [&SYNTAX, &UNREADABLE, &WRONG_TYPE]
            .iter()
            .any(|rule| rule.code == diagnostic.rule.code);
        if wrong {
            diagnostic.level = Level::Error;
        }
    }
    diag::sort(&mut found);
    found.dedup();
    found
}

pub(super) fn run(ui: &Ui, context: &Context, args: &ConfigValidateArgs) -> Outcome {
    let mut found = found(context);
    if args.strict {
        found.iter_mut().for_each(|diagnostic| diagnostic.level = Level::Error);
    }
    let wrong = found.iter().any(|diagnostic| diagnostic.level == Level::Error);
    let status = if wrong { ExitStatus::Diagnostics } else { ExitStatus::Done };
    if ui.json {
        let details = json!({ "diagnostics": json_v1::diagnostics(&found) });
        ui.document(&json!({ "ok": !wrong, "details": details }));
        return Ok(status);
    }
    match args.format {
        Format::Human => ui.data(&diagnostics::human(ui, &found)),
        Format::Json => ui.document(&json!(json_v1::diagnostics(&found))),
        Format::Sarif => ui.document(&sarif::diagnostics(&found)),
        Format::Github => ui.data(&github::diagnostics(&found)),
    }
    Ok(status)
}
