//! Arguments that were meant as placeholders: the word is misspelt, or the braces are single.

use super::rules::{BAD_PLACEHOLDER, SINGLE_BRACES};
use crate::json::{Node, Pointer, Sink};
use crate::text::{nearest, printable};

/// The words that stand in double braces.
const WORDS: [&str; 6] = ["model", "effort", "output", "prompt", "agent", "time-limit"];

/// Looks at the arguments after they were read, and says what their author may have meant.
pub(super) fn check(args: &Node, pointer: &Pointer, sink: &mut Sink) {
    for (index, item) in args.as_array().into_iter().flatten().enumerate() {
        let Some(text) = item.as_str() else { continue };
        let pointer = pointer.index(index);
        let word = text.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        if let Some(near) = word.and_then(|word| nearest(word, WORDS)) {
            let refused = sink.found.iter_mut().rev().find(|found| {
                found.rule.code == BAD_PLACEHOLDER.code && found.at.span == item.span
            });
            if let Some(found) = refused {
                found.help = Some(format!("did you mean `{{{{{near}}}}}`?"));
            }
        }
        let single = WORDS.iter().find(|word| {
            let braced = format!("{{{word}}}");
            text.match_indices(&braced).any(|(at, _)| !text[..at].ends_with('{'))
        });
        if let Some(word) = single {
            let at = sink.at(&item.span, &pointer);
            let message = format!("`{}` reaches the program as it stands", printable(text, 60));
            sink.push(SINGLE_BRACES.at(at, message).help(format!(
                "a placeholder is a whole argument in double braces: `{{{{{word}}}}}`"
            )));
        }
    }
}
