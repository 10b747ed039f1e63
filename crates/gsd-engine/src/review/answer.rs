//! What an answer says by itself, whoever gave it: whether it is a review at all.
//!
//! The commonest failure of a reviewer is one that read nothing and reports nothing. So an answer
//! must show something of the plans: findings, a plan's name, or what the plans speak of.

use super::breaks_off::breaks_off;
use super::echo::{is_mark, own_words};
use super::findings::{self, Extracted};
use super::prompt::INSTRUCTIONS;
use super::record::{FindingsSource, Plan};
use crate::evidence::identifiers;
use crate::lane::{Reason, State, declines, reads_like_an_error};
use crate::text::printable;
use std::collections::BTreeSet;

/// An answer as it is judged.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// As it is kept: without what it repeats of the prompt.
    pub(super) text: String,
    /// Lines that repeated the prompt.
    pub(super) repeated: usize,
    /// The ids of the plans that it speaks of.
    pub(super) named: Vec<String>,
    /// What it wrote as findings and nobody can read.
    pub(super) lost: Vec<String>,
    /// Its own words, read marks left out.
    own: String,
    has_findings: bool,
    on_topic: bool,
    /// It ends in the middle of a sentence.
    pub(super) breaks_off: bool,
}

/// Why an answer is no review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) state: State,
    pub(super) reason: Reason,
    pub(super) message: String,
}

impl Answer {
    /// Reads an answer to a prompt, of which the lane had to repeat the `marks`.
    pub(super) fn read(text: &str, prompt: &str, marks: &[String], plans: &[Plan]) -> Self {
        let kept = own_words(text, prompt);
        // A receipt is no review, however many plans it names.
        let is_receipt = |line: &&str| marks.iter().any(|mark| line.contains(mark.as_str()));
        let own: String = kept
            .text
            .split_inclusive('\n')
            .filter(|line| !is_receipt(line) && !is_mark(line))
            .collect();
        let found: Extracted = findings::extract("", &own, plans);
        Self {
            named: findings::coverage(&own, &found.findings, plans).covered,
            lost: found.lost(),
            has_findings: !found.findings.is_empty() || found.source == FindingsSource::Block,
            on_topic: is_on_topic(&own, prompt),
            breaks_off: breaks_off(&own),
            text: kept.text,
            repeated: kept.repeated,
            own,
        }
    }

    /// Whether it is a sentence in place of a review: an error, or a refusal.
    pub(super) fn refusal(&self) -> Option<Fault> {
        if self.has_findings {
            return None;
        }
        let line = || {
            let first = self.own.lines().map(str::trim).find(|line| !line.is_empty());
            printable(first.unwrap_or_default(), 200)
        };
        if reads_like_an_error(&self.own) {
            return Some(Fault {
                state: State::Failed,
                reason: Reason::VendorError,
                message: format!("it answered with an error: {}", line()),
            });
        }
        declines(&self.own).then(|| Fault {
            state: State::Unproven,
            reason: Reason::Other,
            message: format!("it did not review: {}", line()),
        })
    }

    /// Whether nothing in it shows that it is about these plans.
    pub(super) fn says_nothing(&self) -> Option<Fault> {
        let unproven = |reason, message: &str| {
            Some(Fault { state: State::Unproven, reason, message: message.to_owned() })
        };
        if self.has_findings || self.on_topic || (!self.named.is_empty() && self.has_words()) {
            return None;
        }
        if !self.has_words() && (self.repeated > 0 || self.own.trim().is_empty()) {
            return unproven(
                Reason::PromptNotRead,
                "its answer repeats what it was given and adds nothing",
            );
        }
        unproven(Reason::PlansMissing, "its answer names no plan and no finding")
    }

    /// Names alone say nothing of what they name.
    pub(super) fn has_words(&self) -> bool {
        const LEAST: usize = 2;
        let is_word = |word: &&str| {
            word.len() > 1
                && word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'))
        };
        let bare = |word| str::trim_matches(word, |c: char| !c.is_alphanumeric());
        self.own.split_whitespace().map(bare).filter(is_word).count() >= LEAST
    }
}

/// Whether a text that names no plan speaks of what the plans speak of: some prose with names of
/// code that stand in the prompt, or much prose with many of its particular words.
fn is_on_topic(text: &str, prompt: &str) -> bool {
    const PROSE: usize = 15;
    const NAMES: usize = 2;
    const LONG_PROSE: usize = 60;
    const WORDS: usize = 8;
    let length = text.split_whitespace().count();
    if length < PROSE {
        return false;
    }
    let names = identifiers(text).into_iter().filter(|name| prompt.contains(name.as_str()));
    if names.filter(|name| !INSTRUCTIONS.iter().any(|ours| ours.contains(name.as_str()))).count()
        >= NAMES
    {
        return true;
    }
    if length < LONG_PROSE {
        return false;
    }
    let of_prompt = particular_words(prompt);
    let ours: BTreeSet<String> =
        INSTRUCTIONS.iter().flat_map(|text| particular_words(text)).collect();
    particular_words(text).iter().filter(|w| of_prompt.contains(*w) && !ours.contains(*w)).count()
        >= WORDS
}

/// Words that are long enough to mean something in particular.
fn particular_words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| word.chars().count() >= 6)
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: &str = "### Plans to Review\n\nThe vote endpoint of the feedback board counts \
        each ballot in `countBallots` of `src/http/votes.ts`. Comments are nested, moderated and \
        paginated. A migration creates the ballots table; archived threads stay readable. \
        Anonymous visitors receive a cookie; duplicate ballots from one visitor are rejected.";

    fn plans() -> Vec<Plan> {
        ["01-01", "01-02"]
            .map(|id| Plan {
                id: id.into(),
                path: format!(".planning/phases/01-x/{id}-PLAN.md"),
                bytes: 1,
                lines: 1,
                sha256: "0".repeat(64),
            })
            .into()
    }

    fn fault(text: &str) -> Option<(State, Reason)> {
        let answer = Answer::read(text, PROMPT, &["k1".into()], &plans());
        answer.refusal().or_else(|| answer.says_nothing()).map(|fault| (fault.state, fault.reason))
    }

    #[test]
    fn what_is_no_review() {
        let error = Some((State::Failed, Reason::VendorError));
        let refusal = Some((State::Unproven, Reason::Other));
        let nothing = Some((State::Unproven, Reason::PlansMissing));
        let receipt = Some((State::Unproven, Reason::PromptNotRead));
        for (text, wanted) in [
            ("Execution error", error),
            ("Error: Request timed out.", error),
            ("An unexpected critical error occurred: [object Object]", error),
            ("Error: your account was closed. Contact support.", error),
            ("Error: cannot open .planning/phases/01-x/01-01-PLAN.md", error),
            ("I'm sorry, but I can't help with that.", refusal),
            ("Please provide the plans you want me to review.", refusal),
            ("I cannot access 01-01-PLAN.md and 01-02-PLAN.md. Please share them.", refusal),
            ("x", nothing),
            (".", nothing),
            ("Looks good to me overall, ship it whenever you like.", nothing),
            ("01-01-PLAN.md\n01-02-PLAN.md\n", nothing),
            ("read-mark 01-01-PLAN.md k1\n", receipt),
        ] {
            assert_eq!(fault(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_one() {
        for text in [
            "01-01 is fine.",
            "- HIGH: nothing limits how often one may vote\n",
            "```gsd-findings\n[]\n```",
            // A review may speak of errors, and of what cannot be done.
            "Error handling is missing in 01-01: a lost connection ends the process.",
            "# Review\n\n01-01: I cannot access the board when the cookie is gone.",
            "The endpoint trusts its caller: `countBallots` in `votes.ts` never looks at the \
             session before it writes, and nothing removes what was written twice.",
            // No plan, no name of code, but what they are about.
            "The design lets anonymous visitors cast duplicate ballots once their cookie expires, \
             because rejection depends on the cookie alone. Archived threads stay readable, yet \
             nested comments below them are still paginated as if moderated content could change. \
             The migration has no way back, so a failed release leaves the table half filled. I \
             would split it, write down how ballots are repaired, and measure the slow path first.",
        ] {
            assert_eq!(fault(text), None, "{text}");
        }
    }

    #[test]
    fn findings_are_not_taken_from_the_prompt() {
        let risks: String = (0..12).map(|n| format!("- risk {n} of the research\n")).collect();
        let prompt = format!("{PROMPT}\n\n## Risks\n\n{risks}");
        let answer = Answer::read(&prompt, &prompt, &[], &plans());
        assert!(!answer.text.contains("risk 3"), "{}", answer.text);
        assert_eq!(answer.says_nothing().map(|fault| fault.reason), Some(Reason::PromptNotRead));
    }
}
