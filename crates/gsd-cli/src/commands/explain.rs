//! `gsd explain CODE`: what a code of a diagnostic, a state or reason of a lane, or an exit code
//! means, and what to do.

use super::{Context, Outcome};
use crate::args::ExplainArgs;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::table::{pad, reflow};
use crate::ui::{Tone, Ui};
use gsd_engine::diag::{Level, Rule};
use gsd_engine::evidence::Verdict;
use gsd_engine::lane::meaning::Word;
use gsd_engine::review::clusters::SUPPORT;
use gsd_engine::text::{nearest, printable};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

pub(super) fn run(ui: &Ui, context: &Context, args: &ExplainArgs) -> Outcome {
    if let Some(status) = args.code.as_deref().and_then(exit_status) {
        ui.line(format_args!("exit code {}: {}", status.code(), status.meaning()));
        return Ok(ExitStatus::Done);
    }
    let rules = gsd_engine::rules();
    match &args.code {
        Some(code) => explain(ui, context, &rules, code.trim()),
        None => list(ui, &rules),
    }
}

/// An exit code, where a number is asked for.
fn exit_status(text: &str) -> Option<ExitStatus> {
    let code: u8 = text.trim().parse().ok()?;
    ExitStatus::ALL.iter().copied().find(|status| status.code() == code)
}

fn explain(ui: &Ui, context: &Context, rules: &[&'static Rule], code: &str) -> Outcome {
    if let Some(word) = ReportWord::parse(code) {
        return explain_word(ui, word);
    }
    let Some(rule) = rules.iter().find(|rule| rule.code == code) else {
        let message = format!("there is no code `{}`", printable(code, 80));
        // The part behind the slash is what people remember.
        let ends = rules.iter().find(|rule| rule.code.rsplit('/').next() == Some(code));
        let words = Word::all().map(Word::word).chain(Verdict::ALL.map(Verdict::word));
        let known = rules.iter().map(|rule| rule.code).chain(words);
        let near = ends.map(|rule| rule.code).or_else(|| nearest(code, known));
        let hint = match near {
            _ if super::config::is_setting(context, code) => {
                format!("it is a setting: `gsd config explain {code}`")
            }
            Some(near) => format!("did you mean `gsd explain {near}`?"),
            None => "`gsd explain` lists all codes".to_owned(),
        };
        return Err(CommandError::new(ExitStatus::Unknown, "code-unknown", message).hint(hint));
    };
    if ui.json {
        ui.success(as_json(rule));
        return Ok(ExitStatus::Done);
    }
    let tone = match rule.level {
        Level::Error => Tone::Bad,
        Level::Warning => Tone::Warn,
        Level::Note => Tone::Accent,
    };
    let head = format!("{}[{}]", rule.level, rule.code);
    ui.line(format_args!("{}: {}\n", ui.paint(tone, &head), rule.summary));
    ui.line(plain(rule.docs.trim_end(), ui.prose_width()));
    Ok(ExitStatus::Done)
}

/// A word that stands in reports.
struct ReportWord {
    word: &'static str,
    kind: &'static str,
    /// What it is a word for.
    of: &'static str,
    meaning: &'static str,
}

impl ReportWord {
    fn parse(text: &str) -> Option<Self> {
        if let Some(word) = Word::parse(text) {
            let (word, kind, meaning) = (word.word(), word.kind(), word.meaning());
            return Some(Self { word, kind, of: "a lane", meaning });
        }
        if let Some(verdict) = Verdict::parse(text) {
            let (word, meaning) = (verdict.word(), verdict.meaning());
            return Some(Self { word, kind: "verdict", of: "a citation", meaning });
        }
        let support = text.eq_ignore_ascii_case("support");
        support.then_some(Self {
            word: "support",
            kind: "number",
            of: "a finding",
            meaning: SUPPORT,
        })
    }
}

/// A state, a reason or a verdict, as records and reports spell it.
fn explain_word(ui: &Ui, word: ReportWord) -> Outcome {
    let ReportWord { word, kind, of, meaning } = word;
    if ui.json {
        ui.success(json!({ "word": word, "kind": kind, "meaning": meaning }));
        return Ok(ExitStatus::Done);
    }
    ui.line(format_args!("{kind} of {of}: {}\n", ui.paint(Tone::Strong, word)));
    ui.line(reflow(meaning, ui.prose_width()));
    Ok(ExitStatus::Done)
}

/// Docs without their Markdown fences: what stood in one is set in by four blanks. Where the
/// terminal is narrower than the docs, their paragraphs are broken anew.
fn plain(docs: &str, width: usize) -> String {
    let narrow = docs.lines().any(|line| line.width() > width);
    let mut fenced = false;
    let mut lines: Vec<String> = vec![];
    // Whether the last line is prose whose sentence goes on below.
    let mut goes_on = false;
    for line in docs.lines() {
        let begins = line.is_empty() || line.starts_with(['-', '|', '#', ' ', '`']);
        if line.starts_with("```") {
            fenced = !fenced;
            goes_on = false;
        } else if fenced && !line.is_empty() {
            lines.push(format!("    {line}"));
        } else {
            match lines.last_mut().filter(|_| goes_on && !begins) {
                Some(last) => {
                    last.push(' ');
                    last.push_str(line);
                }
                None => lines.push(line.to_owned()),
            }
            // Docs are broken at about a hundred columns: a short line ends on purpose.
            goes_on = narrow && line.len() > 60;
        }
    }
    let code = |line: &str| line.starts_with("    ");
    let broken = lines.iter().map(|l| if code(l) { l.clone() } else { reflow(l, width) });
    broken.collect::<Vec<_>>().join("\n")
}

fn list(ui: &Ui, rules: &[&'static Rule]) -> Outcome {
    if ui.json {
        ui.success(rules.iter().map(|rule| as_json(rule)).collect::<Vec<_>>().into());
        return Ok(ExitStatus::Done);
    }
    let width = rules.iter().map(|rule| rule.code.len()).max().unwrap_or(0);
    for rule in rules {
        ui.line(format_args!(
            "{}  {:<7}  {}",
            pad(rule.code, width),
            rule.level.word(),
            rule.summary
        ));
    }
    Ok(ExitStatus::Done)
}

fn as_json(rule: &Rule) -> Value {
    json!({
        "code": rule.code,
        "level": rule.level.word(),
        "summary": rule.summary,
        "docs": rule.docs,
    })
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn docs_are_broken_anew_where_the_terminal_is_narrow() {
        let docs = "A sentence of a document that is broken at about a hundred columns, as they\nall are.\n\n\
                    Right:\n\n```text\na command of which no word may go to another line, however long it is\n```";
        let wide = plain(docs, 100);
        assert!(
            wide.starts_with(
                "A sentence of a document that is broken at about a hundred columns, as they\nall"
            ),
            "{wide}"
        );
        assert_eq!(
            plain(docs, 40),
            "A sentence of a document that is broken\nat about a hundred columns, as they all\nare.\n\n\
             Right:\n\n    a command of which no word may go to another line, however long it is"
        );
    }
}
