//! Mechanical fixes of one manifest, until nothing is left to fix: a fix may bring another fault to
//! light, since a field with its right name gets its value checked.

use super::Found;
use crate::diag::{Diagnostic, SourceFile};
use crate::json::apply_fixes;
use crate::manifest::{Context, Origin, parse};

/// Fixes that chase each other must end.
const MAX_ROUNDS: usize = 256;

/// A text with its fixes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    /// How many there are in it.
    pub fixes: usize,
    /// Whether it could be fixed further.
    pub is_unfinished: bool,
}

/// What a manifest is after all of its fixes.
pub fn fixed(found: &Found) -> Fixed {
    let file = &found.bundle.parsed.file;
    let context = Context { origin: Origin::ThirdParty, folder: found.folder.as_deref() };
    let mut fixed = Fixed { text: file.text().to_owned(), fixes: 0, is_unfinished: false };
    for _ in 0..MAX_ROUNDS {
        let again = SourceFile::new(file.name(), fixed.text.as_str());
        let diagnostics: Vec<Diagnostic> = parse(&again, context).diagnostics;
        let (text, applied) = apply_fixes(&fixed.text, &diagnostics);
        if applied == 0 {
            return fixed;
        }
        fixed.text = text;
        fixed.fixes += applied;
    }
    fixed.is_unfinished = true;
    fixed
}
