//! One bundle on its way to its place: decided about, asked about, put there.

use super::super::Context;
use super::ask::{Said, agree};
use super::place::failed;
use super::report::{self, word};
use crate::args::FetchArgs;
use crate::error::CommandError;
use crate::ui::Ui;
use gsd_engine::id::CapabilityId;
use gsd_engine::store::plan::{Change, Planned, plan};
use gsd_engine::store::transaction::{self, Installed};
use gsd_engine::store::wish::{Downgrade, Others, Wish};
use gsd_engine::store::{Places, ScopeRoot, Staged, StoreError};
use gsd_io::clock;
use std::sync::Arc;
use std::time::Duration;

/// What all steps of it need.
pub(super) struct Way<'a> {
    pub(super) ui: &'a Ui,
    pub(super) places: &'a Places,
    pub(super) root: &'a ScopeRoot,
    pub(super) configured: &'a dyn Fn(&str) -> Option<String>,
    pub(super) wish: &'a Wish,
    pub(super) said: Said,
    /// The same command, as it is to be typed again.
    pub(super) again: &'a str,
    pub(super) patience: Duration,
}

/// What became of it.
pub(super) enum Put {
    Done(Installed),
    /// Somebody else put exactly that there meanwhile.
    Current {
        version: String,
    },
}

/// What a command line asks for. More is allowed field by field.
pub(super) fn wish(
    update: Option<CapabilityId>,
    fetch: &FetchArgs,
    dry_run: bool,
    patience: Duration,
) -> Wish {
    let others = if dry_run { Others::Overlook } else { Others::Wait(patience) };
    Wish {
        downgrade: if fetch.allow_downgrade { Downgrade::Allow } else { Downgrade::Refuse },
        ..Wish::careful(update, fetch.shared_file.clone(), others)
    }
}

/// The options of a fetch, as they are to be typed again.
pub(super) fn words(fetch: &FetchArgs) -> Vec<String> {
    let file = |file: &String| format!("--shared-file {}", word(file));
    let mut words: Vec<String> = fetch.shared_file.iter().map(file).collect();
    for (given, word) in [
        (fetch.allow_downgrade, "--allow-downgrade"),
        (fetch.allow_insecure_transport, "--allow-insecure-transport"),
    ] {
        words.extend(given.then(|| word.to_owned()));
    }
    words
}

impl Way<'_> {
    pub(super) fn plan(&self, staged: &Arc<Staged>) -> Result<Planned, CommandError> {
        plan(self.places, self.root, staged, self.wish, self.configured)
            .map_err(|error| failed(&error))
    }

    /// Shows what would change, and changes nothing.
    pub(super) fn preview(&self, context: &Context, change: &Change) -> Result<(), CommandError> {
        let preview = change
            .preview(self.places, self.root, self.configured)
            .map_err(|error| failed(&error))?;
        report::preview(self.ui, context, change, &preview.to_json());
        Ok(())
    }

    /// Asks and, with the user's word, puts the bundle in its place. Where somebody else changed
    /// meanwhile what it was decided on, it is decided and asked anew, as long as there is patience.
    pub(super) fn put(&self, staged: &Arc<Staged>, change: Change) -> Result<Put, CommandError> {
        let deadline = clock::after(clock::now(), self.patience);
        let mut change = change;
        loop {
            let Change { question, placing, .. } = change;
            let consented = agree(self.ui, question, self.said, self.again)?;
            match transaction::install(self.root, &consented, &placing, self.patience) {
                Ok(done) => return Ok(Put::Done(done)),
                Err(StoreError::ChangedMeanwhile { .. }) if clock::now() < deadline => {}
                Err(error) => return Err(failed(&error)),
            }
            match self.plan(staged)? {
                Planned::Current { version } => return Ok(Put::Current { version }),
                Planned::Change(again) => change = *again,
            }
        }
    }
}
