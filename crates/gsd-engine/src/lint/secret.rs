//! Keeps secrets out of every diagnostic: a plan that holds one is shown with asterisks.

use crate::diag::{Diagnostic, SourceFile};
use crate::text::secrets;
use std::collections::HashMap;
use std::sync::Arc;

/// Replaces the text behind every place by one without secrets, byte for byte as long, so that
/// whoever renders the diagnostic cannot show what it should not.
pub(super) fn conceal(diagnostics: &mut [Diagnostic]) {
    let mut masked: HashMap<String, Option<Arc<SourceFile>>> = HashMap::new();
    for diagnostic in diagnostics {
        let places = std::iter::once(&mut diagnostic.at)
            .chain(diagnostic.related.iter_mut().map(|related| &mut related.at));
        for at in places {
            let replacement = masked
                .entry(at.file.name().to_owned())
                .or_insert_with(|| without_secrets(&at.file));
            if let Some(file) = replacement {
                at.file = Arc::clone(file);
            }
        }
        // A message may quote what a task is called.
        for text in std::iter::once(&mut diagnostic.message).chain(&mut diagnostic.help) {
            if !secrets::find(text).is_empty() {
                *text = secrets::redact(text, &[]).0;
            }
        }
    }
}

fn without_secrets(file: &Arc<SourceFile>) -> Option<Arc<SourceFile>> {
    let found = secrets::find(file.text());
    if found.is_empty() {
        return None;
    }
    let mut bytes = file.text().as_bytes().to_vec();
    for secret in found {
        for byte in &mut bytes[secret.span] {
            if *byte != b'\n' {
                *byte = b'*';
            }
        }
    }
    let text = String::from_utf8(bytes).expect("secrets span whole characters");
    Some(SourceFile::new(file.name(), text))
}
