//! Arguments that were meant as placeholders, but their braces are single.

use super::remedy::WORDS;
use super::rules::SINGLE_BRACES;
use crate::json::{Node, Pointer, Sink};
use crate::text::printable;

/// Looks at the arguments after they were read, and says what their author may have meant.
pub(super) fn check(args: &Node, pointer: &Pointer, sink: &mut Sink) {
    for (index, item) in args.as_array().into_iter().flatten().enumerate() {
        let Some(text) = item.as_str() else { continue };
        let pointer = pointer.index(index);
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
