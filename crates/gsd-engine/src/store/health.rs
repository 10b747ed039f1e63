//! What is not in order in a scope although its records are. Nothing is written.

use super::ScopeRoot;
use super::shared::SharedFile;
use super::shared_edit::{Undo, touched};
use crate::text::printable;
use gsd_io::fs::{self, Kind};

/// Something that is not in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub what: String,
    pub remedy: String,
}

/// Looks at what changes of a scope would stumble over, and at what hosts run of it that gsd could
/// not take out again.
pub fn troubles(root: &ScopeRoot) -> Vec<Trouble> {
    let mut found = vec![];
    let lock = root.lock_file();
    if fs::kind(&lock) == Some(Kind::Directory) {
        let what = format!("`{lock}` is a folder, so nothing can be changed");
        let remedy = format!("look at what is in it, then move `{lock}` away");
        found.push(Trouble { what, remedy });
    }
    let Ok(ledger) = root.ledger() else { return found };
    for (id, entry) in ledger.iter().filter(|(_, entry)| !entry.is_disabled()) {
        for edit in entry.shared_edits() {
            let Some(undo) = edit.undo.as_ref().and_then(Undo::from_json) else { continue };
            let name = printable(&edit.file, 200);
            let text = SharedFile::resolve(root, &edit.file).and_then(|file| file.read());
            let pieces = match text {
                Ok(text) => {
                    touched(text.as_deref().unwrap_or_default(), id.as_str(), &undo).unmarked
                }
                Err(why) => {
                    let what = format!("`{name}`, which holds entries of `{id}`, {why}");
                    found.push(Trouble { what, remedy: format!("mend `{name}`") });
                    continue;
                }
            };
            found.extend(pieces.iter().map(|piece| Trouble {
                what: format!(
                    "`{name}`: somebody took gsd's mark from {} of `{id}`",
                    printable(piece, 80)
                ),
                remedy: format!("put `\"_gsdCapability\": \"{id}\"` back into it, or take it out"),
            }));
        }
    }
    found
}
