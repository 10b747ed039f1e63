//! Diagnostics as annotations of a GitHub workflow (its workflow commands).

use gsd_engine::diag::{Diagnostic, Level};

/// One command a line. Values are escaped as the runner asks, so that no text can begin a command.
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
            let line = |text: &Option<String>| text.as_ref().map(|text| format!("\n{text}"));
            let label = line(&diagnostic.label).unwrap_or_default();
            let note = line(&diagnostic.note).unwrap_or_default();
            let help = line(&diagnostic.help).unwrap_or_default();
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
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
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
    }
}
