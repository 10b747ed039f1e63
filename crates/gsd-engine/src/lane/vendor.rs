//! Sentences by which programs say that they did not review: not logged in, over quota, unknown
//! model. Data, so that a new sentence is one line.
//!
//! A sentence counts only where it is (nearly) all there is: a long review may well speak of an
//! "API Error".

use super::Reason;
use crate::text::printable;

/// A sentence, in lower case, and what it means.
struct Sentence {
    has: &'static str,
    reason: Reason,
}

const fn sentence(has: &'static str, reason: Reason) -> Sentence {
    Sentence { has, reason }
}

/// The first one that fits decides, so the particular ones stand before the general ones.
static SENTENCES: [Sentence; 45] = [
    sentence("cannot be launched inside another", Reason::Itself),
    sentence("not logged in", Reason::Auth),
    sentence("please run /login", Reason::Auth),
    sentence("invalid api key", Reason::Auth),
    sentence("invalid_api_key", Reason::Auth),
    sentence("incorrect api key", Reason::Auth),
    sentence("authentication_error", Reason::Auth),
    sentence("no auth type is selected", Reason::Auth),
    sentence("please set an auth method", Reason::Auth),
    sentence("no authentication information found", Reason::Auth),
    sentence("no auth provided", Reason::Auth),
    sentence("authentication required", Reason::Auth),
    sentence("unauthorized", Reason::Auth),
    sentence("login required", Reason::Auth),
    sentence("please log in", Reason::Auth),
    sentence("please login", Reason::Auth),
    sentence("permission_denied", Reason::Auth),
    sentence("your account has been", Reason::Auth),
    sentence("ineligibletiererror", Reason::Auth),
    sentence("usage limit", Reason::Quota),
    sentence("quota exceeded", Reason::Quota),
    sentence("exhausted your daily quota", Reason::Quota),
    sentence("quota will reset", Reason::Quota),
    sentence("insufficient_quota", Reason::Quota),
    sentence("insufficient balance", Reason::Quota),
    sentence("credit balance is too low", Reason::Quota),
    sentence("you've hit your", Reason::Quota),
    sentence("rate limit", Reason::RateLimited),
    sentence("rate_limit", Reason::RateLimited),
    sentence("too many requests", Reason::RateLimited),
    sentence("resource_exhausted", Reason::RateLimited),
    sentence("overloaded_error", Reason::RateLimited),
    sentence("requires a newer version", Reason::Version),
    sentence("please upgrade to the latest version", Reason::Version),
    sentence("modelnotfounderror", Reason::Model),
    sentence("model_not_found", Reason::Model),
    sentence("unknown model", Reason::Model),
    sentence("no model configured", Reason::Model),
    sentence("is not a valid model", Reason::Model),
    sentence("not inside a trusted directory", Reason::Policy),
    sentence("untrusted folder", Reason::Policy),
    sentence("workspace trust", Reason::Policy),
    sentence("a tool required the", Reason::Policy),
    sentence("blocked by content filtering", Reason::VendorError),
    sentence("raw mode is not supported", Reason::VendorError),
];

/// Sentences of logs only: in an answer they may be what a review speaks of. They say less than
/// those above, so they count where none of those stands.
static LOG_SENTENCES: [Sentence; 23] = [
    sentence("authentication failed", Reason::Auth),
    sentence("internal server error", Reason::VendorError),
    sentence("experiencing high demand", Reason::VendorError),
    sentence("service unavailable", Reason::VendorError),
    sentence("connection error", Reason::Transport),
    sentence("connection refused", Reason::Transport),
    sentence("connection reset", Reason::Transport),
    sentence("connection closed", Reason::Transport),
    sentence("network error", Reason::Transport),
    sentence("error sending request", Reason::Transport),
    sentence("error decoding response body", Reason::Transport),
    sentence("stream disconnected", Reason::Transport),
    sentence("fetch failed", Reason::Transport),
    sentence("socket hang up", Reason::Transport),
    sentence("unable to connect", Reason::Transport),
    sentence("could not resolve host", Reason::Transport),
    sentence("econnrefused", Reason::Transport),
    sentence("econnreset", Reason::Transport),
    sentence("enotfound", Reason::Transport),
    sentence("eai_again", Reason::Transport),
    sentence("etimedout", Reason::Transport),
    sentence("enetunreach", Reason::Transport),
    sentence("other side closed", Reason::Transport),
];

/// What says that there is an error and not which: `[API Error: other side closed]`.
static GENERAL_SENTENCES: [Sentence; 1] = [sentence("api error", Reason::VendorError)];

/// What a text says about the cause of a failure, if it bears one of the sentences.
pub(super) fn cause(text: &str) -> Option<Reason> {
    first_of(&SENTENCES, text).or_else(|| first_of(&GENERAL_SENTENCES, text))
}

/// The tables for a text that is known to be about a failure, the most particular one first.
static OF_FAILURES: [&[Sentence]; 3] = [&SENTENCES, &LOG_SENTENCES, &GENERAL_SENTENCES];

/// What such a text says about its cause.
pub(super) fn cause_of_failure(text: &str) -> Option<Reason> {
    OF_FAILURES.iter().find_map(|sentences| first_of(sentences, text))
}

fn first_of(sentences: &[Sentence], text: &str) -> Option<Reason> {
    let text = text.to_lowercase();
    sentences.iter().find(|sentence| text.contains(sentence.has)).map(|sentence| sentence.reason)
}

/// What a program said about the cause of its failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) reason: Option<Reason>,
    /// The line that says it; the last line where none does.
    pub(super) line: Option<String>,
}

impl Said {
    /// For the end of a message: `: …`, or nothing.
    pub(super) fn words(&self) -> String {
        self.line.as_ref().map_or(String::new(), |line| format!(": {line}"))
    }

    /// The one of the two that says more; this one if they say equally much.
    pub(super) fn or(self, other: Self) -> Self {
        let worth = |said: &Self| (said.reason.is_some(), said.line.is_some());
        if worth(&other) > worth(&self) { other } else { self }
    }
}

/// Only the end of a log says why a program ended.
const LAST_LINES: usize = 40;

/// Looks for the cause in the last lines of what a program wrote. Programs that repeat their
/// prompt there must not be judged by the words of the prompt, so its lines are left out.
pub(super) fn last_words(log: &str, prompt: &str) -> Said {
    let lines = log.lines().rev().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !is_of_a_trace(line));
    let own: Vec<&str> = lines.take(LAST_LINES).filter(|line| !repeats(line, prompt)).collect();
    let telling = OF_FAILURES.iter().find_map(|sentences| {
        own.iter().find_map(|line| first_of(sentences, line).map(|reason| (reason, *line)))
    });
    Said {
        reason: telling.map(|(reason, _)| reason),
        line: telling
            .map(|(_, line)| line)
            .or(own.first().copied())
            .map(|line| printable(line, 200)),
    }
}

/// A line of the trace by which Node says where an error came from: `at Turn.run (file:///…:1:2)`.
fn is_of_a_trace(line: &str) -> bool {
    line.starts_with("at ")
        && line.trim_end_matches(['{', ' ', ')']).ends_with(|c: char| c.is_ascii_digit())
}

/// A short line stands in many texts by chance, and then it says nothing that matters.
fn repeats(line: &str, prompt: &str) -> bool {
    line.len() >= 4 && prompt.contains(line)
}

/// Words by which programs say that their sandbox kept them from reading.
const SANDBOX_NOISE: [&str; 4] = [
    "bwrap: setting up uid map",
    "bwrap: no permissions to create",
    "landlock is not supported",
    "permission requested: external_directory",
];

/// The line that says that the program could not open files, if one does.
pub(super) fn kept_from_reading(log: &str, prompt: &str) -> Option<String> {
    let noise = |line: &&str| {
        let lower = line.to_lowercase();
        SANDBOX_NOISE.iter().any(|noise| lower.contains(noise)) && !repeats(line, prompt)
    };
    log.lines().map(str::trim).find(noise).map(|line| printable(line, 200))
}

/// A longer answer is a review that speaks of errors, not an error.
const MAX_SENTENCE: usize = 600;
const MAX_LINES: usize = 6;

/// Whether an answer is nothing but such a sentence, and which.
pub(super) fn instead_of_review(text: &str) -> Option<Reason> {
    if is_sentence(text) { cause(text) } else { None }
}

/// Whether an answer is a few sentences without the form of a review: a heading, a list, a table.
fn is_sentence(text: &str) -> bool {
    let text = text.trim();
    let short = text.len() <= MAX_SENTENCE
        && text.lines().filter(|line| !line.trim().is_empty()).count() <= MAX_LINES;
    let formed = text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with('#')
            || line.starts_with("- ")
            || line.starts_with("* ")
            || line.starts_with('|')
    });
    short && !formed
}

/// What stands before the word in `An unexpected critical error occurred`.
const BEFORE_ERROR: [&str; 17] = [
    "a",
    "an",
    "connection",
    "critical",
    "execution",
    "fatal",
    "internal",
    "network",
    "request",
    "runtime",
    "server",
    "system",
    "the",
    "timeout",
    "unexpected",
    "unhandled",
    "unknown",
];
/// Other beginnings by which a program says that it broke.
const BROKEN: [&str; 8] = [
    "fatal:",
    "panic:",
    "request timed out",
    "segmentation fault",
    "service unavailable",
    "something went wrong",
    "traceback (most recent call last)",
    "uncaught ",
];

/// Whether an answer begins as an error of a program does, and is nothing else. `Error handling is
/// missing` is no error.
pub(crate) fn reads_like_an_error(text: &str) -> bool {
    if !is_sentence(text) {
        return false;
    }
    let lower = text.trim().trim_start_matches(['[', '✘', '✗', '❌', ' ']).to_lowercase();
    if BROKEN.iter().any(|beginning| lower.starts_with(beginning)) {
        return true;
    }
    let mut words = lower.split_whitespace().skip_while(|word| BEFORE_ERROR.contains(word));
    let Some(word) = words.next() else { return false };
    let bare = word.trim_end_matches([':', '.', ',', '!', ']']);
    // `TypeError: …` too.
    if !(bare.ends_with("error") || bare.ends_with("exception")) {
        return false;
    }
    bare.len() < word.len()
        || words
            .next()
            .is_none_or(|next| next.starts_with("occurred") || next.starts_with("happened"))
}

/// Sentences by which a model says that it will not, or could not, do what it was asked.
const REFUSALS: [&str; 24] = [
    "i'm sorry, but i",
    "i am sorry, but i",
    "i'm sorry, i can",
    "i can't help",
    "i cannot help",
    "i can't assist",
    "i cannot assist",
    "i'm unable to",
    "i am unable to",
    "i'm not able to",
    "i can't access",
    "i cannot access",
    "i don't have access",
    "i do not have access",
    "i don't see any plan",
    "i do not see any plan",
    "no plans were provided",
    "please provide the",
    "please provide your",
    "please share the",
    "please paste the",
    "could you provide the",
    "could you share the",
    "provide the plans",
];

/// Whether an answer is nothing but a refusal, or a question for what it was given.
pub(crate) fn declines(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    is_sentence(text) && REFUSALS.iter().any(|refusal| lower.contains(refusal))
}

/// Lines that programs print while they work and that are no part of any answer.
const STATUS_LINES: [&str; 5] = [
    "starting coderabbit review",
    "connecting to review service",
    "setting up",
    "review completed",
    "to resume this session",
];

/// Whether an answer consists of status lines only.
pub(super) fn is_only_status(text: &str) -> bool {
    let mut lines = text.lines().map(|line| line.trim().to_lowercase()).filter(|l| !l.is_empty());
    lines.all(|line| STATUS_LINES.iter().any(|status| line.starts_with(status)))
}

/// What a person can do about a cause.
pub(super) fn remedy(reason: Reason, program: &str) -> Option<String> {
    Some(match reason {
        Reason::Auth => format!("log in: run `{program}` once by hand, or set its key"),
        Reason::Quota => "wait until the quota is reset, or ask another lane".to_owned(),
        Reason::RateLimited => "try again later, or ask fewer lanes at once".to_owned(),
        Reason::Model => "set a model that exists under `review.models`".to_owned(),
        Reason::Version => format!("update `{program}`"),
        Reason::Policy => format!("run `{program}` once by hand in this folder and allow it"),
        Reason::Transport => {
            format!("see whether `{program}` reaches its service from here, then try again")
        }
        Reason::VendorError | Reason::ExitStatus | Reason::Signal => {
            format!("run `{program}` by hand in this folder to see what it needs")
        }
        Reason::NotFound
        | Reason::NotExecutable
        | Reason::WrongProgram
        | Reason::Unreachable
        | Reason::TooLarge
        | Reason::OutputMissing
        | Reason::OutputUnsafe
        | Reason::TimeLimit
        | Reason::Blank
        | Reason::Truncated
        | Reason::PlansMissing
        | Reason::PromptNotRead
        | Reason::Redirect
        | Reason::HostChanged
        | Reason::NotConsented
        | Reason::Itself
        | Reason::Excluded
        | Reason::OverBudget
        | Reason::Interrupted
        | Reason::Other => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_apart() {
        for (text, reason) in [
            ("Not logged in · Please run /login", Reason::Auth),
            ("You've hit your usage limit. Try again on Dec 3.", Reason::Quota),
            ("API Error: 429 Too Many Requests", Reason::RateLimited),
            ("ProviderModelNotFoundError: openai/none", Reason::Model),
            ("the model gpt-9 requires a newer version of Codex", Reason::Version),
            ("API Error: 500 internal server error", Reason::VendorError),
        ] {
            assert_eq!(instead_of_review(text), Some(reason), "{text}");
        }
    }

    #[test]
    fn a_review_may_speak_of_errors() {
        let review = "# Review\n\nThe plan ignores what happens on an API Error: 500.";
        assert_eq!(instead_of_review(review), None);
        let long = format!("The plan handles unauthorized users. {}", "It is fine. ".repeat(80));
        assert_eq!(instead_of_review(&long), None);
        assert_eq!(instead_of_review("The plans look fine to me."), None);
    }

    #[test]
    fn errors_and_refusals_are_told_from_sentences_about_them() {
        for text in [
            "Execution error",
            "Error: Request timed out.",
            "[ERROR] no answer",
            "An unexpected critical error occurred: [object Object]",
            "TypeError: x is undefined",
            "Uncaught Exception",
        ] {
            assert!(reads_like_an_error(text), "{text}");
        }
        for text in [
            "Error handling is missing in 03-01.",
            "An error in the second plan: it has no wave.",
            "Errors: none.",
            "Internal error pages leak the stack.",
            "# Review\n\nError: none",
            "",
        ] {
            assert!(!reads_like_an_error(text), "{text}");
        }
        assert!(declines("I’m sorry, but I can’t help with that."));
        assert!(declines("Please provide the plans you want me to review."));
        assert!(!declines("03-01 provides the wrong plan for pagination."));
        assert!(!declines(&format!("I'm unable to fault 03-01. {}", "It is fine. ".repeat(80))));
    }

    #[test]
    fn status_lines_are_no_review() {
        let text = "Starting CodeRabbit review…\nConnecting to review service\nSetting up\n\nReview completed\n";
        assert!(is_only_status(text));
        assert!(!is_only_status("Setting up\nThe loop never ends.\n"));
    }

    #[test]
    fn the_prompt_is_not_the_cause() {
        let prompt = "# Plan\nThe server answers 429 Too Many Requests.\n";
        let log = format!("user\n{prompt}\ncodex\nERROR: out of order\n");
        let said = last_words(&log, prompt);
        assert_eq!((said.reason, said.line.as_deref()), (None, Some("ERROR: out of order")));
        let log = format!("{prompt}\nERROR: you've hit your usage limit\nbye\n");
        let said = last_words(&log, prompt);
        assert_eq!(said.reason, Some(Reason::Quota));
        assert_eq!(said.line.as_deref(), Some("ERROR: you've hit your usage limit"));
        assert_eq!(last_words(" \n", ""), Said { reason: None, line: None });
    }

    #[test]
    fn a_lost_connection_is_heard_in_logs_only() {
        for (log, reason) in [
            (
                "ERROR: stream disconnected before completion: error sending request",
                Reason::Transport,
            ),
            (
                "TypeError: fetch failed\n    at Turn.run (file:///cli.js:1:23)\nbroken",
                Reason::Transport,
            ),
            (
                "[API Error: terminated (cause: UND_ERR_SOCKET: other side closed)]",
                Reason::Transport,
            ),
            ("Last error: 500 Internal server error", Reason::VendorError),
            ("Authentication failed with provider (HTTP 401).\n  Check your key.", Reason::Auth),
            ("network error\nnot logged in\nnetwork error", Reason::Auth),
        ] {
            assert_eq!(last_words(log, "").reason, Some(reason), "{log}");
        }
        // A trace is longer than the end that is looked at.
        let trace = "    at Socket.emit (node:events:526:24) {\n".repeat(60);
        let said = last_words(&format!("SocketError: other side closed\n{trace}"), "");
        assert_eq!(said.reason, Some(Reason::Transport));
        assert_eq!(instead_of_review("03-01 does not say what follows a connection reset."), None);
    }

    #[test]
    fn a_sandbox_that_forbids_reading_is_heard() {
        let log = "x\nbwrap: setting up uid map: Permission denied\n";
        assert!(kept_from_reading(log, "").is_some());
        assert_eq!(kept_from_reading(log, log), None);
        assert_eq!(kept_from_reading("all is well", ""), None);
    }

    #[test]
    fn every_sentence_can_be_found() {
        for sentence in OF_FAILURES.into_iter().flatten() {
            assert_eq!(sentence.has, sentence.has.to_lowercase());
            assert!(cause_of_failure(sentence.has).is_some());
        }
    }
}
