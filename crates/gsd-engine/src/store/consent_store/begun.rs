//! The changes of projects that this user began, beside the consents: neither is a project's to say.

use super::record::Records;
use super::{ConsentError, ConsentStore};
use crate::id::CapabilityId;

impl ConsentStore {
    /// Keeps the digest of a change that is going to be begun in this project, and the token that
    /// all names have which it makes: `DIGEST` or `DIGEST TOKEN`.
    pub(in crate::store) fn note_begun(
        &self,
        id: &CapabilityId,
        digest: &str,
        token: Option<&str>,
    ) -> Result<(), ConsentError> {
        let noted = token.map_or_else(|| digest.to_owned(), |token| format!("{digest} {token}"));
        let _lock = self.lock()?;
        let mut records = self.load()?;
        if !records.note_begun(self.project(), id, &noted) {
            return Err(self.corrupt("it has too many unfinished changes already"));
        }
        self.save(&records)
    }

    /// Whether exactly this change was begun in this project.
    pub(in crate::store) fn has_begun(
        &self,
        id: &CapabilityId,
        digest: &str,
    ) -> Result<bool, ConsentError> {
        let records = self.load()?;
        let noted = records.begun(self.project(), id).and_then(|noted| noted.split(' ').next());
        Ok(noted == Some(digest))
    }

    /// The tokens of the changes in this project that were begun and not forgotten.
    pub(in crate::store) fn begun_tokens(&self) -> Result<Vec<String>, ConsentError> {
        let records = self.load()?;
        let noted = |id: &CapabilityId| {
            let (_, token) = records.begun(self.project(), id)?.split_once(' ')?;
            Some(token.to_owned())
        };
        Ok(records.begun_in(self.project()).iter().filter_map(noted).collect())
    }

    /// Forgets the changes in this project that do not wait to be ended.
    pub(in crate::store) fn forget_begun(
        &self,
        waits: &dyn Fn(&CapabilityId) -> bool,
    ) -> Result<(), ConsentError> {
        let done = |records: &Records| -> Vec<CapabilityId> {
            records.begun_in(self.project()).into_iter().filter(|id| !waits(id)).collect()
        };
        if done(&self.load()?).is_empty() {
            return Ok(());
        }
        let _lock = self.lock()?;
        let mut records = self.load()?;
        for id in done(&records) {
            records.forget_begun(self.project(), &id);
        }
        self.save(&records)
    }
}
