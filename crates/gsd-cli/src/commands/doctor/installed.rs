//! What is installed: whether records can be read, changes came to their end, and files are those
//! that were approved.

use super::Finding;
use crate::commands::Context;
use crate::commands::capability::{compose, places};
use gsd_engine::registry::{Row, Scope, Status};
use gsd_engine::store::{ScopeRoot, health, recover, rows};
use gsd_engine::text::printable;

const SUBJECT: &str = "installed";

pub(super) fn look(context: &Context) -> Vec<Finding> {
    let (composition, discovery) = compose(context);
    let mut findings: Vec<Finding> = discovery
        .problems
        .iter()
        .map(|problem| Finding::corrupt(SUBJECT, problem.message.clone(), problem.remedy.clone()))
        .collect();
    for scope in [Scope::Global, Scope::Project] {
        let Ok(root) = ScopeRoot::of(&places(&context.env, &context.root), scope) else { continue };
        let troubles = health::troubles(&root).into_iter();
        findings.extend(troubles.map(|it| Finding::bad(SUBJECT, it.what, it.remedy)));
        if recover::is_needed(&root).unwrap_or(false) {
            let what = format!("a change in {scope} scope did not come to its end");
            let remedy = format!("gsd capability reconcile --scope {scope}");
            findings.push(Finding::bad(SUBJECT, what, remedy));
        }
    }
    let rows = rows(&composition, &discovery);
    let overlays: Vec<&Row> = rows.iter().filter(|row| row.scope != "first-party").collect();
    for row in &overlays {
        let reason = row.reason.as_deref().unwrap_or_default();
        let what = format!("{} ({}): {reason}", printable(&row.id, 60), row.scope);
        match row.status {
            // Switched off, or on its way: said already or wanted so.
            Status::Active | Status::Pending => {}
            Status::Inactive if row.reason_code == Some("disabled") => {}
            Status::Inactive
            | Status::Incompatible
            | Status::Invalid
            | Status::Shadowed
            | Status::Tampered
            | Status::Unmanaged
            | Status::Missing => {
                findings.push(Finding::bad(SUBJECT, what, row.remedy.clone().unwrap_or_default()));
            }
        }
    }
    if findings.is_empty() {
        let what = match overlays.len() {
            0 => "nothing but what comes with gsd".to_owned(),
            1 => "1 capability".to_owned(),
            number => format!("{number} capabilities"),
        };
        findings.push(Finding::good(SUBJECT, what));
    }
    findings
}
