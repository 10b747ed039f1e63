//! Every exit code, with its meaning. The reference page is written from this table.

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    Done,
    Diagnostics,
    Usage,
    ConsentRequired,
    Refused,
    Integrity,
    Unknown,
    Corrupt,
    Busy,
    SomeFailed,
    SourceUnreachable,
    LaneCouldNotRun,
    NoReview,
    FindingsAtOrAbove,
    NotConverged,
    Escalate,
    NoVerdict,
    Bug,
    Interrupted,
}

impl ExitStatus {
    pub(crate) const ALL: &'static [Self] = &[
        Self::Done,
        Self::Diagnostics,
        Self::Usage,
        Self::ConsentRequired,
        Self::Refused,
        Self::Integrity,
        Self::Unknown,
        Self::Corrupt,
        Self::Busy,
        Self::SomeFailed,
        Self::SourceUnreachable,
        Self::LaneCouldNotRun,
        Self::NoReview,
        Self::FindingsAtOrAbove,
        Self::NotConverged,
        Self::Escalate,
        Self::NoVerdict,
        Self::Bug,
        Self::Interrupted,
    ];

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Diagnostics => 1,
            Self::Usage => 2,
            Self::ConsentRequired => 3,
            Self::Refused => 4,
            Self::Integrity => 5,
            Self::Unknown => 6,
            Self::Corrupt => 7,
            Self::Busy => 8,
            Self::SomeFailed => 9,
            Self::SourceUnreachable => 10,
            Self::LaneCouldNotRun => 11,
            Self::NoReview => 12,
            Self::FindingsAtOrAbove => 13,
            Self::NotConverged => 20,
            Self::Escalate => 21,
            Self::NoVerdict => 22,
            Self::Bug => 70,
            Self::Interrupted => 130,
        }
    }

    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Diagnostics => {
                "diagnostics of level error (validate, plan-lint, check; in settings also doctor), or \
                 a failure outside the classes below, such as a report that could not be written"
            }
            Self::Usage => "the command line is wrong; nothing was done",
            Self::ConsentRequired => {
                "consent is required; what to consent to is in `details.disclosure`"
            }
            Self::Refused => "refused by policy, trust, compatibility or validation",
            Self::Integrity => "content differs from its pin or integrity string",
            Self::Unknown => "not installed, unknown id, unknown phase, phase without plans",
            Self::Corrupt => "a store of gsd is unreadable; nothing was overwritten",
            Self::Busy => "another process holds the lock",
            Self::SomeFailed => "some items of a run failed; the others are done",
            Self::SourceUnreachable => "a source could not be reached",
            Self::LaneCouldNotRun => "a lane that was asked for by name could not run",
            Self::NoReview => "no lane produced a review",
            Self::FindingsAtOrAbove => "there are findings at or above `--fail-on`",
            Self::NotConverged => "`review converge`: plan again and review",
            Self::Escalate => "`review converge`: somebody must decide, it gets no better",
            Self::NoVerdict => "`review converge`: the last review does not tell",
            Self::Bug => "a bug of gsd; please report it",
            Self::Interrupted => "interrupted; children are gone, finished lanes are kept",
        }
    }
}

impl From<ExitStatus> for std::process::ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
