//! Shows what there is to agree to, and asks.

use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::table::{hang, reflow};
use crate::ui::{Tone, Ui};
use gsd_engine::store::{Consented, Question};
use gsd_engine::text::printable;
use gsd_io::terminal;

/// What the user said before being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// A question may be asked.
    Nothing,
    /// `--yes`.
    Yes,
    /// No question is asked either: it would be one of many.
    NotAsked,
}

impl Said {
    pub(super) const fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::Nothing }
    }

    /// The same, for one of many.
    pub(super) const fn without_asking(self) -> Self {
        match self {
            Self::Yes => Self::Yes,
            Self::Nothing | Self::NotAsked => Self::NotAsked,
        }
    }
}

/// Gets the user's word: from `--yes`, else by a question on the terminal. Without it the command
/// fails with everything that there was to agree to.
pub(super) fn agree(
    ui: &Ui,
    question: Question,
    said: Said,
    again: &str,
) -> Result<Consented, CommandError> {
    let question = match question.unasked() {
        Ok(consented) => return Ok(consented),
        Err(question) => question,
    };
    if said == Said::Yes {
        return Ok(question.agreed());
    }
    if !ui.json && said == Said::Nothing {
        show(ui, &question);
        if terminal::can_ask() && says_yes(ui) {
            return Ok(question.agreed());
        }
    }
    let message = format!("`{}` needs your consent", question.id());
    let mut details = question.to_json();
    let disclosure = details["disclosure"].take();
    Err(CommandError::new(ExitStatus::ConsentRequired, "consent-required", message)
        .hint(format!("`{again} --yes` agrees to it"))
        .detail("disclosure", disclosure)
        .detail("signature", question.disclosure().signature_v1())
        .detail("lines", question.disclosure().lines())
        .detail("question", details))
}

/// What there is to agree to, for people.
pub(super) fn show(ui: &Ui, question: &Question) {
    let title = question.staged().manifest().map(|manifest| printable(&manifest.title, 80));
    let title = title.unwrap_or_default();
    let head = format!("{} {}", question.id(), question.version());
    ui.talk(format_args!("{}  {title}\n", ui.paint_err(Tone::Strong, &head)));
    let source = &question.staged().source().recorded;
    let width = ui.prose_width();
    let talk = |line: &str| ui.talk(format_args!("{}\n", reflow(line, width)));
    if !source.is_empty() {
        talk(&format!("from {}", printable(source, 300)));
    }
    if let Some(line) = question.staged().source().signature_line() {
        ui.talk(format_args!("{line}\n"));
    }
    if let Some(claimed) = &question.staged().source().claimed {
        let claimed = printable(claimed, 300);
        talk(&format!(
            "the project's ledger says it came from {claimed}; nobody here confirmed that"
        ));
    }
    for line in question.also() {
        let text = hang(&printable(line, 400), 2, width);
        ui.talk(format_args!("{} {text}\n", ui.paint_err(Tone::Warn, "!")));
    }
    for line in question.disclosure().lines() {
        talk(&line);
    }
    if let Some(changes) = question.changes().filter(|changes| !changes.is_empty()) {
        ui.talk("what changed since you agreed to it:\n");
        for line in changes.lines() {
            talk(&format!("  {line}"));
        }
    }
}

/// Anything but a yes is a no.
fn says_yes(ui: &Ui) -> bool {
    ui.talk("Agree to this? [y/N] ");
    terminal::answer()
        .is_some_and(|answer| ["y", "yes"].iter().any(|yes| answer.eq_ignore_ascii_case(yes)))
}
