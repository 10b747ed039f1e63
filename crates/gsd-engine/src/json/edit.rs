//! Applies mechanical fixes to a text. What is not touched keeps every byte: comments, order and
//! formatting.

use crate::diag::{Diagnostic, Span};

/// Applies every fix that does not overlap an earlier one. Returns the new text and how many fixes
/// are in it; the rest finds its turn in the next round.
pub fn apply_fixes(text: &str, diagnostics: &[Diagnostic]) -> (String, usize) {
    let mut fixes: Vec<(&Span, &str)> = diagnostics
        .iter()
        .filter_map(|diagnostic| diagnostic.fix.as_ref())
        .map(|fix| (&fix.span, fix.replacement.as_str()))
        .collect();
    fixes.sort_by_key(|(span, _)| (span.start, span.end));
    let (mut out, mut done, mut applied) = (String::with_capacity(text.len()), 0, 0);
    for (span, replacement) in fixes {
        let Some(between) = text.get(done..span.start) else { continue };
        if text.get(span.clone()).is_none() {
            continue;
        }
        out.push_str(between);
        out.push_str(replacement);
        done = span.end;
        applied += 1;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    (out, applied)
}

#[cfg(test)]
mod tests {
    use super::apply_fixes;
    use crate::diag::{Diagnostic, Level, Rule, SourceFile};
    use proptest::prelude::*;

    static RULE: Rule = Rule { code: "t/t", level: Level::Error, summary: "", docs: "" };

    fn fix(start: usize, end: usize, text: &str) -> Diagnostic {
        RULE.at(SourceFile::new("t", "").at_start(), "m").fix(start..end, text)
    }

    #[test]
    fn overlapping_fixes_wait_for_the_next_round() {
        let found = [fix(5, 10, "X"), fix(0, 3, "one"), fix(2, 7, "no"), fix(50, 60, "no")];
        assert_eq!(apply_fixes("abc, /*c*/ d", &found), ("one, X d".to_owned(), 2));
    }

    proptest! {
        #[test]
        fn never_panics(text in any::<String>(), spans in prop::collection::vec((0usize..30, 0usize..30), 0..6)) {
            let found: Vec<_> = spans.iter().map(|(a, b)| fix(*a, *b, "é")).collect();
            apply_fixes(&text, &found);
        }
    }
}
