//! Diagnostics as annotations of a GitHub workflow (its workflow commands).

use super::format::below;
use gsd_engine::diag::{Diagnostic, Level};
use gsd_engine::text::is_deceptive;

/// One command a line. Values are escaped as the runner asks, so that no text can begin a command,
/// and nothing in them acts on the terminal that shows the log.
pub(crate) fn diagnostics(diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| {
            let position = diagnostic.at.position();
            let command = match diagnostic.level {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Note => "notice",
            };
            let label = below(diagnostic.label.as_deref());
            let note = below(diagnostic.note.as_deref());
            let help = below(diagnostic.help.as_deref());
            format!(
                "::{command} file={},line={},col={},title={}::{}\n",
                property(diagnostic.at.file.name()),
                position.line,
                position.column,
                property(diagnostic.rule.code),
                data(&format!("{}{label}{note}{help}", diagnostic.message)),
            )
        })
        .collect()
}

fn data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            c if is_deceptive(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_ends_a_value_early() {
        assert_eq!(super::property("a,b:c\n::error::x"), "a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax");
        assert_eq!(super::data("100%\nnext"), "100%25%0Anext");
        assert_eq!(super::property("a\u{1b}[2J\tb\u{202e}"), "a\\u{1b}[2J\\u{9}b\\u{202e}");
    }
}
