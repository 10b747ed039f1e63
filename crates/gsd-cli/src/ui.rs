//! The terminal: data to stdout, talk to stderr, colour where it is wanted.
//!
//! A reader that goes away (`gsd … | head`) ends the output, never the program with a panic.

use crate::Program;
use crate::args::{Color, Global};
use crate::error::CommandError;
use crate::tools;
use gsd_engine::text::printable;
use gsd_io::env::Env;
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::fmt;
use std::io::{self, IsTerminal, Write};

/// Where and how a command speaks.
#[derive(Debug)]
pub(crate) struct Ui {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    /// Whether stderr is a terminal that may be redrawn.
    pub(crate) live: bool,
    color_out: bool,
    color_err: bool,
    program: Program,
    /// Of a document, print this value only.
    pick: Option<String>,
    /// Failures are one line of JSON on stderr.
    json_errors: bool,
    /// The project as the user named it, if `-C` did.
    project: Option<String>,
    /// The first failure to write to stdout.
    lost: OnceCell<String>,
}

/// A meaning that has a colour. Colour is never the only signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Dim,
    Good,
    Warn,
    Bad,
    Accent,
}

impl Tone {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "1",
            Self::Dim => "2",
            Self::Good => "32",
            Self::Warn => "33",
            Self::Bad => "1;31",
            Self::Accent => "36",
        }
    }
}

/// A text with its colour, if there is any.
#[derive(Debug)]
pub(crate) struct Painted<'a> {
    tone: Tone,
    text: &'a str,
    on: bool,
}

impl fmt::Display for Painted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.on && self.tone != Tone::Plain {
            write!(f, "\u{1b}[{}m{}\u{1b}[0m", self.tone.code(), self.text)
        } else {
            f.write_str(self.text)
        }
    }
}

/// The whole text, each character that would act as an escape.
fn harmless(text: &str) -> String {
    printable(text, usize::MAX)
}

/// Writes to stdout; the error is why it could not be. A reader that has seen enough is no fault.
pub(crate) fn put(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
        Ok(()) | Err(_) => Ok(()),
    }
}

impl Ui {
    pub(crate) fn new(global: &Global, env: &Env) -> Self {
        let color = |terminal: bool| match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if env.var("NO_COLOR").is_some() => false,
            Color::Auto if env.var("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            Color::Auto => terminal && env.var("TERM") != Some("dumb"),
        };
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Self {
            lost: OnceCell::new(),
            project: global.project.as_ref().map(ToString::to_string),
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
            live: err
                && !global.quiet
                && !global.json
                && !global.no_progress
                && env.var("TERM") != Some("dumb"),
            color_out: color(out),
            color_err: color(err),
            program: Program::Gsd,
            pick: None,
            json_errors: false,
        }
    }

    /// The same, as the spelling that the program was called by asks for it.
    pub(crate) fn spelled(self, program: Program, pick: Option<String>, json_errors: bool) -> Self {
        Self { program, pick, json_errors, ..self }
    }

    /// Data, as it is.
    pub(crate) fn data(&self, text: &str) {
        if let Err(why) = put(text) {
            let _ = self.lost.set(why);
        }
    }

    /// The name of the program as the next command needs it: with `-C DIR` where that was given.
    pub(crate) fn program_here(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        match &self.project {
            Some(project) if project.chars().all(plain) => format!("gsd -C {project}"),
            Some(_) | None => "gsd".to_owned(),
        }
    }

    /// Why data did not reach stdout, if some did not.
    pub(crate) fn lost(&self) -> Option<&str> {
        self.lost.get().map(String::as_str)
    }

    /// Data, one line.
    pub(crate) fn line(&self, text: impl fmt::Display) {
        self.data(&format!("{text}\n"));
    }

    /// A JSON document on stdout, or the one value of it that was asked for.
    pub(crate) fn document(&self, value: &Value) {
        if let Some(path) = &self.pick {
            return self.line(tools::pick(value, path));
        }
        self.line(serde_json::to_string_pretty(value).expect("a value always serialises"));
    }

    /// A JSON document as callers of the contract expect it: without an end of line.
    pub(crate) fn bare_document(&self, value: &Value) {
        if self.pick.is_some() {
            return self.document(value);
        }
        self.data(&serde_json::to_string_pretty(value).expect("a value always serialises"));
    }

    /// Success in `--json` mode: the envelope of every command. Callers of `gsd-tools` know of none.
    pub(crate) fn success(&self, details: Value) {
        match self.program {
            Program::Gsd => self.document(&json!({ "ok": true, "details": details })),
            Program::GsdTools => self.document(&details),
        }
    }

    /// Talk, one line, silent under `--quiet`.
    pub(crate) fn say(&self, text: impl fmt::Display) {
        if !self.quiet {
            self.talk(format_args!("{text}\n"));
        }
    }

    /// Talk, as it is, also under `--quiet`.
    pub(crate) fn talk(&self, text: impl fmt::Display) {
        let mut err = io::stderr().lock();
        let _ = write!(err, "{text}").and_then(|()| err.flush());
    }

    /// Something is wrong that stops nothing: one line, also under `--quiet`. What it names may come
    /// from outside, so nothing in it acts.
    pub(crate) fn warn(&self, text: impl fmt::Display) {
        let text = harmless(&text.to_string());
        self.talk(format_args!("{} {text}\n", self.paint_err(Tone::Warn, "warning:")));
    }

    pub(crate) fn paint<'a>(&self, tone: Tone, text: &'a str) -> Painted<'a> {
        Painted { tone, text, on: self.color_out }
    }

    pub(crate) fn paint_err<'a>(&self, tone: Tone, text: &'a str) -> Painted<'a> {
        Painted { tone, text, on: self.color_err }
    }

    pub(crate) fn colored_out(&self) -> bool {
        self.color_out
    }

    /// Columns of the terminal behind stderr, else 100.
    pub(crate) fn width(&self) -> usize {
        gsd_io::terminal::width().unwrap_or(100).max(20)
    }

    /// Columns for data: of the terminal if there is one, else 100.
    pub(crate) fn width_out(&self) -> usize {
        self.width()
    }

    /// Columns that prose is broken at. Where no terminal shows it, who reads it breaks it.
    pub(crate) fn prose_width(&self) -> usize {
        gsd_io::terminal::width().map_or(usize::MAX, |width| width.max(20))
    }

    /// Shows why a command failed. The names of files in it may come from outside, so nothing in
    /// what people are shown acts on their terminal.
    pub(crate) fn error(&self, error: &CommandError) {
        if self.json_errors {
            let line = json!({ "ok": false, "reason": error.code, "message": error.message });
            return self.talk(format_args!("{line}\n"));
        }
        if self.json && self.program == Program::Gsd {
            let mut details = error.details.clone();
            if let Some(hint) = &error.hint {
                details.entry("hint").or_insert_with(|| json!(hint));
            }
            if !error.causes.is_empty() {
                details.entry("causes").or_insert_with(|| json!(error.causes));
            }
            let document = json!({
                "ok": false,
                "code": error.code,
                "message": error.message,
                "details": details,
            });
            self.document(&document);
            return;
        }
        let message = harmless(&error.message);
        let mut text = format!("{} {message}\n", self.paint_err(Tone::Bad, "error:"));
        for cause in &error.causes {
            text.push_str(&format!("  because {}\n", harmless(cause)));
        }
        if let Some(hint) = &error.hint {
            let hint = harmless(hint);
            text.push_str(&format!("{} {hint}\n", self.paint_err(Tone::Accent, "hint:")));
        }
        self.talk(text);
    }
}
