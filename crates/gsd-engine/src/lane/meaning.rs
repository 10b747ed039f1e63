//! What each state and each reason means, for people: `gsd explain` and the reference are written
//! from here.

use super::state::{Reason, State};

impl State {
    /// What became of the lane, and what that means for the run.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Reviewed => {
                "It ended well, wrote something, and is shown to have read the plans. It counts."
            }
            Self::Incomplete => {
                "A review that stopped early, speaks of some plans only, or whose findings cannot all \
                 be read. It counts, with a mark."
            }
            Self::Unproven => {
                "It wrote something, but nothing shows that it read the plans. It does not count."
            }
            Self::Empty => {
                "It wrote nothing, or nothing but white space and terminal codes. It does not count."
            }
            Self::Failed => {
                "It ended with an error, a bad output file, or more output than allowed. It does not \
                 count; what it wrote is kept as partial."
            }
            Self::TimedOut => {
                "One of its limits passed; the report names it. It does not count; what it wrote is \
                 kept as partial."
            }
            Self::Unavailable => {
                "It is not installed, cannot be started, does not answer, or is not signed in. \
                 Nothing was sent to it."
            }
            Self::Blocked => {
                "It may not be asked, or not where it is: nobody consented, it changed since, it is \
                 switched off, or no confinement can be had. Nothing was sent to it."
            }
            Self::Skipped => {
                "It was left out on purpose: it runs gsd itself, it was excluded, or its budget is \
                 too small. Nothing was sent to it."
            }
            Self::Cancelled => {
                "The run was interrupted before it was done. `--resume` asks it again."
            }
        }
    }
}

impl Reason {
    /// Why, and what to do about it.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::NotFound => {
                "A program that it needs is not on PATH. Install it, or leave the lane out."
            }
            Self::NotExecutable => {
                "Its program is there and may not be executed. `chmod +x` it, or install it again."
            }
            Self::WrongProgram => {
                "A program of that name is there and is another one: its help lacks what the manifest \
                 looks for. Put the right one first on PATH."
            }
            Self::Unreachable => {
                "Nothing answers at its address. Start the server, or correct the address."
            }
            Self::Auth => "It is not signed in, or its key is refused. Sign in, or set the key.",
            Self::Quota => "Its account has nothing left. Wait, pay, or ask another lane.",
            Self::RateLimited => {
                "It was asked too often, once more after a pause included. Try again later, or lower \
                 `--jobs`."
            }
            Self::Model => {
                "It does not know the model. Correct `review.models.<slug>`, or fetch the model."
            }
            Self::Version => "Its program is too old or too new for what is asked. Update it.",
            Self::ExitStatus => {
                "It ended with an exit status that is not accepted; the report has it, and the end of \
                 its standard error."
            }
            Self::Signal => "A signal ended it that gsd did not send, often for want of memory.",
            Self::VendorError => {
                "It answered with an error in place of a review, maybe with exit status 0 or HTTP 200."
            }
            Self::Transport => {
                "The connection broke, what came is not what was agreed on, or it could not be started."
            }
            Self::TooLarge => {
                "Its output or its prompt is larger than allowed. Ask it for less, or shorten the plans."
            }
            Self::OutputMissing => {
                "The file with its review, or its result from another machine, is not there or empty."
            }
            Self::OutputUnsafe => {
                "In place of the file with its review lies a link or something that is no file. It \
                 was not opened."
            }
            Self::TimeLimit => {
                "A limit passed: that of the lane (`review.timeouts.<slug>`, `--lane-timeout`), of a \
                 part of the call, or of the run (`--deadline`)."
            }
            Self::Blank => "Nothing readable came. Run the program by hand to see what it needs.",
            Self::Truncated => {
                "The other side stopped before the end, or cut the prompt. Raise its output limit or \
                 its context window."
            }
            Self::PlansMissing => {
                "It says nothing about some plans, or nothing shows that it read them; the report \
                 lists them."
            }
            Self::PromptNotRead => {
                "Its answer does not show that it read the prompt. If the text is a review all the \
                 same, the program ignores its input."
            }
            Self::Redirect => {
                "The server sent on to another address. Nothing was sent there; configure that address \
                 if it is the right one."
            }
            Self::HostChanged => {
                "Its address is no longer the one that you approved. Set it back, or approve it with \
                 `gsd review trust-host <slug>`."
            }
            Self::NotConsented => {
                "Nobody consented to what it runs or where it sends, or it changed since. The report \
                 names the command that asks you."
            }
            Self::Policy => {
                "A rule forbids it: it is switched off or not in force, cannot be kept from changing \
                 the project, or its program refuses this folder."
            }
            Self::Itself => {
                "It is the program that runs gsd, and would review its own work. Name it to ask it all \
                 the same; it does not count as independent."
            }
            Self::Excluded => "`--exclude` left it out.",
            Self::OverBudget => {
                "Not even the least of its prompt fits its budget. Raise \
                 `review.max_prompt_tokens_per_reviewer.<slug>`."
            }
            Self::Interrupted => "The run was interrupted, by Ctrl-C or a signal.",
            Self::Other => "Something without a word of its own; the sentence beside it says what.",
        }
    }
}

/// Words that callers of the public contract and older texts use, and ours for them.
const OLDER_WORDS: [(&str, &str); 15] = [
    ("budget-too-small", "over-budget"),
    ("egress-host-changed", "host-changed"),
    ("empty-output", "empty"),
    ("host-unreachable", "unreachable"),
    ("incomplete-output", "incomplete"),
    ("missing-binary", "not-found"),
    ("missing-required-binary", "not-found"),
    ("output-too-large", "too-large"),
    ("ok", "reviewed"),
    ("probe-failed", "wrong-program"),
    ("probe-timeout", "time-limit"),
    ("provider-error", "vendor-error"),
    ("redirect-refused", "redirect"),
    ("timeout", "timed-out"),
    ("unsafe-output-path", "output-unsafe"),
];

/// A word of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    State(State),
    Reason(Reason),
}

impl Word {
    /// Every word, states first.
    pub fn all() -> impl Iterator<Item = Self> {
        let states = State::ALL.iter().copied().map(Self::State);
        states.chain(Reason::ALL.iter().copied().map(Self::Reason))
    }

    /// Reads a word in any spelling that is in use.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase().replace('_', "-");
        let older = OLDER_WORDS.iter().find(|(older, _)| *older == text);
        let word = older.map_or(text.as_str(), |(_, ours)| ours);
        Self::all().find(|one| one.word() == word)
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::State(state) => state.word(),
            Self::Reason(reason) => reason.word(),
        }
    }

    pub const fn meaning(self) -> &'static str {
        match self {
            Self::State(state) => state.meaning(),
            Self::Reason(reason) => reason.meaning(),
        }
    }

    /// `state` or `reason`.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::State(_) => "state",
            Self::Reason(_) => "reason",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_word_is_one_thing_and_has_a_text_of_its_own() {
        let words: BTreeSet<&str> = Word::all().map(Word::word).collect();
        let texts: BTreeSet<&str> = Word::all().map(Word::meaning).collect();
        let number = State::ALL.len() + Reason::ALL.len();
        assert_eq!((words.len(), texts.len()), (number, number));
        for word in Word::all() {
            assert_eq!(Word::parse(word.word()), Some(word));
            assert!(word.meaning().ends_with('.'), "{word:?}");
            // What counts is said of a state as the program decides it.
            if let Word::State(state) = word {
                let says = state.meaning().contains("It counts");
                assert_eq!(says, state.counts(), "{state}");
            }
        }
    }

    #[test]
    fn older_words_mean_one_of_ours() {
        for (older, ours) in OLDER_WORDS {
            let parsed = Word::parse(older).map(Word::word);
            assert_eq!(parsed, Some(ours), "{older}");
            assert_eq!(Word::parse(&older.replace('-', "_")).map(Word::word), parsed);
            assert!(!Word::all().any(|word| word.word() == older), "{older} is one of ours");
        }
    }
}
