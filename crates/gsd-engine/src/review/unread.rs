//! What nobody could read and must not be taken for nothing: findings of a reviewer, and settings
//! that say which reviewers are wanted.

use super::findings;
use super::record::Record;
use crate::config::Config;
use crate::diag::Diagnostic;
use crate::lane::selection::{Remark, RemarkKind, Selection, SelectionSource};

/// The reviewers whose findings cannot all be read, each with what is lost. Whether they found
/// something grave is not known.
pub fn unread_findings(record: &Record) -> Vec<(String, String)> {
    let counting = record.lanes.iter().filter(|lane| lane.state.counts());
    let lost = counting.filter_map(|lane| {
        let lost = findings::extract(&lane.identity, &lane.text, &record.plans).lost();
        Some((lane.identity.clone(), lost.into_iter().next()?))
    });
    lost.collect()
}

/// Who is asked only because a settings file cannot be read.
pub(super) fn asked_for_want_of_settings(
    selection: &Selection,
    config: &Config,
    found: &[Diagnostic],
) -> Option<Remark> {
    if selection.source != SelectionSource::NoConfigAllDetected || selection.selected.is_empty() {
        return None;
    }
    let read: Vec<&str> = config.texts().map(|(_, file, _)| file.name()).collect();
    let mut left_out = found.iter().map(|diagnostic| diagnostic.at.file.name());
    // Of the files that something is said about, those that are in no layer.
    let broken = left_out.find(|name| name.ends_with(".json") && !read.contains(name))?;
    let names: Vec<String> =
        selection.selected.iter().map(|identity| format!("`{}`", identity.name)).collect();
    Some(Remark {
        subject: "settings".to_owned(),
        kind: RemarkKind::Setting,
        message: format!(
            "`{broken}` cannot be read, so nobody knows which reviewers it names; every one that is \
             here is asked because of that: {}",
            names.join(", ")
        ),
        help: Some(
            "to stop it press Ctrl-C; `gsd config validate` says what to mend, `--lanes` names \
             reviewers"
                .to_owned(),
        ),
        at: None,
    })
}
