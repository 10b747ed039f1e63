//! What a lane that is a program must withstand: one row for each world.

use super::fake::{Fake, REVIEW};
use super::world::{FOREIGN_SECRET, KEPT};
use super::{Act, Case, Kind, Seen};
use crate::lane::descriptor::{EvidenceClass, Handler, PromptChannel};
use crate::lane::probe::Probe;
use crate::lane::{Reason, State};

/// Every case, the friendly one first.
pub(super) fn cases(fake: &Fake<'_>) -> Vec<Case> {
    let mut cases = always(fake);
    if let Probe::CommandCapability { .. } = fake.lane.probe {
        cases.extend(of_probe(fake));
    }
    if fake.output_file().is_some() {
        cases.extend(of_answer_file(fake));
    }
    if !fake.lane.setup.is_empty() {
        cases.extend(of_setup(fake));
    }
    if let Some(case) = unread(fake) {
        cases.push(case);
    }
    cases
}

fn always(fake: &Fake<'_>) -> Vec<Case> {
    let script = |body: &str| Act::Program(fake.program(body));
    let take = fake.take_prompt();
    let then = |body: &str| script(&format!("{take}\n{body}"));
    let review = fake.review();
    let hostile = |name, does, act, state, reason| Case {
        kind: Kind::Hostile,
        ..Case::new(name, does, act, state, Some(reason))
    };
    let mut text = fake.answer("Nothing is wrong with 01-01 and 01-02.");
    text.push_str("; exit 3");
    let kept = || format!("\"$GSD_REVIEW_ROOT\"/{KEPT}");
    vec![
        Case::new(
            "answers",
            "reads its prompt and answers",
            script(&review),
            State::Reviewed,
            None,
        ),
        Case {
            weight: 8_000,
            ..Case::new(
                "long-prompt",
                "is given plans of 400 KB",
                script(&review),
                State::Reviewed,
                None,
            )
        },
        Case {
            also: |seen: &Seen<'_>| {
                seen.file("cwd")
                    .filter(|cwd| cwd.trim() != seen.root)
                    .map(|cwd| format!("it ran in {}", cwd.trim()))
            },
            ..Case::new(
                "working-folder",
                "says where it runs",
                script(&format!("pwd >\"$GSD_REVIEW_RUN_DIR/cwd\"\n{review}")),
                State::Reviewed,
                None,
            )
        },
        Case {
            kind: Kind::Hostile,
            also: |seen: &Seen<'_>| {
                let saw = seen.file("env")?.contains(FOREIGN_SECRET.1);
                saw.then(|| "it saw the key of another provider".to_owned())
            },
            ..Case::new(
                "environment",
                "looks for keys of other programs",
                script(&format!("env >\"$GSD_REVIEW_RUN_DIR/env\"\n{review}")),
                State::Reviewed,
                None,
            )
        },
        hostile("missing", "is not installed", Act::Absent, State::Unavailable, Reason::NotFound),
        hostile(
            "not-executable",
            "may not be run",
            Act::NotExecutable,
            State::Unavailable,
            Reason::NotExecutable,
        ),
        hostile("silent", "says nothing and exits with 0", then(":"), State::Empty, Reason::Blank)
            .or(&[(State::Empty, Reason::OutputMissing)]),
        hostile(
            "blank",
            "says nothing but white space and colours",
            then("printf '\\n \\033[0m \\n'"),
            State::Empty,
            Reason::Blank,
        )
        .or(&[(State::Empty, Reason::OutputMissing)]),
        hostile(
            "exit-status",
            "answers and exits with 3",
            then(&text),
            State::Failed,
            Reason::ExitStatus,
        ),
        hostile(
            "not-signed-in",
            "has no account",
            then("echo 'Error: Not logged in. Please run /login' >&2; exit 1"),
            State::Failed,
            Reason::Auth,
        ),
        hostile(
            "error-as-answer",
            "prints an error and exits with 0",
            then(&fake.answer("API Error: 529 overloaded_error")),
            State::Failed,
            Reason::VendorError,
        )
        .or(&[(State::Failed, Reason::RateLimited)]),
        hostile("signal", "dies of a signal", then("kill -9 $$"), State::Failed, Reason::Signal),
        hostile("hangs", "never ends", then("sleep 600"), State::TimedOut, Reason::TimeLimit),
        Case {
            also: still_alive,
            ..hostile(
                "will-not-die",
                "ignores SIGTERM and leaves a daemon behind",
                then(
                    "trap '' TERM\nsetsid sleep 600 >/dev/null 2>&1 &\n\
                     echo $! >\"$GSD_REVIEW_RUN_DIR/pid\"\nwhile :; do sleep 1; done",
                ),
                State::TimedOut,
                Reason::TimeLimit,
            )
        },
        Case {
            kind: Kind::Hostile,
            also: still_alive,
            ..Case::new(
                "held-pipe",
                "answers, and leaves a process that holds its output open",
                script(&format!(
                    "{review}\nsleep 600 &\necho $! >\"$GSD_REVIEW_RUN_DIR/pid\"\nexit 0"
                )),
                State::Reviewed,
                None,
            )
        },
        Case {
            kind: Kind::Hostile,
            ..Case::new(
                "noise",
                "writes 20 MB to its standard error",
                script(&format!("head -c 20000000 /dev/zero | tr '\\0' x >&2\n{review}")),
                State::Reviewed,
                None,
            )
        },
        Case {
            kind: Kind::Hostile,
            also: |seen: &Seen<'_>| {
                let odd = |c: char| c == '\u{1b}' || c == '\u{202e}' || c == '\u{7}';
                seen.lane
                    .text
                    .contains(odd)
                    .then(|| "control characters are in its text".to_owned())
            },
            ..Case::new(
                "control-characters",
                "answers with colours, bells and a turned text direction",
                then(&control(fake)),
                State::Reviewed,
                None,
            )
        },
        Case {
            kind: Kind::Hostile,
            also: |seen: &Seen<'_>| {
                let changed = seen.kept != "one\n";
                let told = seen.lane.warnings.iter().any(|warning| warning.contains("change"));
                (changed && !told).then(|| "it changed the project and nobody was told".to_owned())
            },
            remark: |seen: &Seen<'_>| {
                let whole = seen.kept == "one\n" && seen.lane.state.ran();
                whole.then_some("and was kept from changing it")
            },
            ..Case::new(
                "writes",
                "tries to change a file of the project",
                script(&format!("echo changed 2>/dev/null >>{}\n{review}", kept())),
                State::Reviewed,
                None,
            )
        },
    ]
    .into_iter()
    .chain(flood(fake))
    .collect()
}

/// Too much output, where the output is the answer.
fn flood(fake: &Fake<'_>) -> Option<Case> {
    let bytes = 40_000_000;
    fake.output_file().is_none().then(|| Case {
        kind: Kind::Hostile,
        ..Case::new(
            "flood",
            "prints without end",
            Act::Program(fake.program(&format!(
                "{}\nhead -c {bytes} /dev/zero | tr '\\0' x",
                fake.take_prompt()
            ))),
            State::Failed,
            Some(Reason::TooLarge),
        )
    })
}

fn control(fake: &Fake<'_>) -> String {
    let odd = match fake.lane.handler {
        // Events are JSON, where such characters stand by their numbers.
        Some(Handler::Opencode) => format!("\\u001b[31m{REVIEW}\\u0007\\u202e"),
        Some(Handler::Antigravity | Handler::OpenaiCompatible) | None => {
            format!("\u{1b}[31m{REVIEW}\u{7}\u{202e}")
        }
    };
    fake.answer(&odd)
}

fn of_probe(fake: &Fake<'_>) -> Vec<Case> {
    let hostile = |name, does, act, reason| Case {
        kind: Kind::Hostile,
        ..Case::new(name, does, act, State::Unavailable, Some(reason))
    };
    vec![
        hostile(
            "other-program",
            "is another program of that name",
            Act::Program(fake.helpless("[ \"$*\" = --help ] && { echo usage; exit 0; }")),
            Reason::WrongProgram,
        ),
        hostile(
            "help-hangs",
            "hangs when it is asked for its help",
            Act::Program(fake.helpless("[ \"$*\" = --help ] && sleep 600")),
            Reason::TimeLimit,
        ),
    ]
}

fn of_answer_file(fake: &Fake<'_>) -> Vec<Case> {
    let find = fake.output_file().unwrap_or_default();
    let case = |name, does, body: &str, state, reason| Case {
        kind: Kind::Hostile,
        ..Case::new(
            name,
            does,
            Act::Program(fake.program(&format!("{}\n{find}\n{body}", fake.take_prompt()))),
            state,
            Some(reason),
        )
    };
    vec![
        case(
            "no-answer-file",
            "prints its answer and writes no file",
            &format!("echo '{REVIEW}'"),
            State::Empty,
            Reason::OutputMissing,
        ),
        case(
            "linked-answer-file",
            "makes its answer file a link to another file",
            &format!("ln -s \"$GSD_REVIEW_ROOT\"/{KEPT} \"$o\""),
            State::Failed,
            Reason::OutputUnsafe,
        ),
        case(
            "answer-file-is-a-pipe",
            "makes its answer file a named pipe",
            "mkfifo \"$o\"",
            State::Failed,
            Reason::OutputUnsafe,
        ),
    ]
}

fn of_setup(fake: &Fake<'_>) -> Vec<Case> {
    let case = |name, does, body: &str, state, reason| Case {
        kind: Kind::Hostile,
        ..Case::new(name, does, Act::Program(fake.broken_setup(body)), state, Some(reason))
    };
    let mut cases = vec![
        case("setup-fails", "fails before the review", "exit 4", State::Failed, Reason::ExitStatus),
        case(
            "setup-hangs",
            "hangs before the review",
            "sleep 600",
            State::TimedOut,
            Reason::TimeLimit,
        ),
    ];
    if fake.lane.setup.iter().any(|step| step.capture.is_some()) {
        cases.push(case(
            "setup-says-nothing",
            "does not print the value that its arguments need",
            "echo; exit 0",
            State::Failed,
            Reason::OutputMissing,
        ));
    }
    cases
}

/// A reviewer that answers without having read anything. A lane that sees only changes, or that
/// gets its prompt as an argument, cannot be caught at that.
fn unread(fake: &Fake<'_>) -> Option<Case> {
    let tells = match fake.invoke.prompt {
        PromptChannel::Stdin | PromptChannel::Argv | PromptChannel::ArgvFileRef => true,
        PromptChannel::ArgvInline | PromptChannel::None => false,
    };
    let given = fake.lane.evidence == EvidenceClass::SourceGrounded;
    (tells && given).then(|| Case {
        kind: Kind::Hostile,
        weight: 8_000,
        ..Case::new(
            "unread",
            "answers without reading its prompt",
            Act::Program(fake.program(&format!("m=\n{}", fake.answer("All is well.")))),
            State::Unproven,
            Some(Reason::PromptNotRead),
        )
    })
}

fn still_alive(seen: &Seen<'_>) -> Option<String> {
    let pid: u32 = seen.file("pid")?.trim().parse().ok()?;
    seen.is_alive(pid).then(|| format!("its process {pid} still runs"))
}
