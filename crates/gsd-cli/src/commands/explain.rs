//! `gsd explain CODE`: what a code of a diagnostic, a state or reason of a lane, or an exit code
//! means, and what to do.

use super::{Context, Outcome};
use crate::args::ExplainArgs;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::table::pad;
use crate::ui::{Tone, Ui};
use gsd_engine::diag::{Level, Rule};
use gsd_engine::lane::meaning::Word;
use gsd_engine::text::{nearest, printable};
use serde_json::{Value, json};

pub(super) fn run(ui: &Ui, context: &Context, args: &ExplainArgs) -> Outcome {
    let _ = context;
    if let Some(status) = args.code.as_deref().and_then(exit_status) {
        ui.line(format_args!("exit code {}: {}", status.code(), status.meaning()));
        return Ok(ExitStatus::Done);
    }
    let rules = gsd_engine::rules();
    match &args.code {
        Some(code) => explain(ui, &rules, code.trim()),
        None => list(ui, &rules),
    }
}

/// An exit code, where a number is asked for.
fn exit_status(text: &str) -> Option<ExitStatus> {
    let code: u8 = text.trim().parse().ok()?;
    ExitStatus::ALL.iter().copied().find(|status| status.code() == code)
}

fn explain(ui: &Ui, rules: &[&'static Rule], code: &str) -> Outcome {
    if let Some(word) = Word::parse(code) {
        return explain_word(ui, word);
    }
    let Some(rule) = rules.iter().find(|rule| rule.code == code) else {
        let message = format!("there is no code `{}`", printable(code, 80));
        // The part behind the slash is what people remember.
        let ends = rules.iter().find(|rule| rule.code.rsplit('/').next() == Some(code));
        let known = rules.iter().map(|rule| rule.code).chain(Word::all().map(Word::word));
        let near = ends.map(|rule| rule.code).or_else(|| nearest(code, known));
        let hint = match near {
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
    ui.line(plain(rule.docs.trim_end()));
    Ok(ExitStatus::Done)
}

/// A state or a reason, as records and reports spell it.
fn explain_word(ui: &Ui, word: Word) -> Outcome {
    let (kind, name) = (word.kind(), word.word());
    if ui.json {
        ui.success(json!({ "word": name, "kind": kind, "meaning": word.meaning() }));
        return Ok(ExitStatus::Done);
    }
    ui.line(format_args!("{} of a lane: {}\n", kind, ui.paint(Tone::Strong, name)));
    ui.line(word.meaning());
    Ok(ExitStatus::Done)
}

/// Docs without their Markdown fences: what stood in one is set in by four blanks.
fn plain(docs: &str) -> String {
    let mut fenced = false;
    let mut lines = vec![];
    for line in docs.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced && !line.is_empty() {
            lines.push(format!("    {line}"));
        } else {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
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
