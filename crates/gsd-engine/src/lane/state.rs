//! The words for what became of a lane. Closed sets, matched without a wildcard.

use super::words::words;

words! {
    /// What became of a lane.
    State {
        /// Clean end, usable text, and proof that the plans were read.
        Reviewed = "reviewed",
        /// A review whose other side stopped early, or that covers only some plans.
        Incomplete = "incomplete",
        /// Text, but nothing shows that the lane read the plans.
        Unproven = "unproven",
        /// White space, terminal codes, or nothing.
        Empty = "empty",
        /// Non-zero exit, provider error, bad output file, output over its cap.
        Failed = "failed",
        /// One of its limits passed.
        TimedOut = "timed-out",
        /// The probe failed.
        Unavailable = "unavailable",
        /// Trust, consent or policy forbids it.
        Blocked = "blocked",
        /// Not run on purpose: self-review, excluded, prompt over budget.
        Skipped = "skipped",
        /// Interrupted.
        Cancelled = "cancelled",
    }
}

impl State {
    /// Whether the lane's text counts as a review.
    pub const fn counts(self) -> bool {
        match self {
            Self::Reviewed | Self::Incomplete => true,
            Self::Unproven
            | Self::Empty
            | Self::Failed
            | Self::TimedOut
            | Self::Unavailable
            | Self::Blocked
            | Self::Skipped
            | Self::Cancelled => false,
        }
    }

    /// Whether the lane was started at all.
    pub const fn ran(self) -> bool {
        match self {
            Self::Reviewed
            | Self::Incomplete
            | Self::Unproven
            | Self::Empty
            | Self::Failed
            | Self::TimedOut
            | Self::Cancelled => true,
            Self::Unavailable | Self::Blocked | Self::Skipped => false,
        }
    }
}

impl Reason {
    /// Whether the lane is simply not here: its program is not installed, its server does not run.
    pub const fn is_absence(self) -> bool {
        matches!(self, Self::NotFound | Self::Unreachable)
    }
}

words! {
    /// Why, for scripts.
    Reason {
        NotFound = "not-found",
        NotExecutable = "not-executable",
        WrongProgram = "wrong-program",
        Unreachable = "unreachable",
        Auth = "auth",
        Quota = "quota",
        RateLimited = "rate-limited",
        Model = "model",
        Version = "version",
        ExitStatus = "exit-status",
        Signal = "signal",
        VendorError = "vendor-error",
        Transport = "transport",
        TooLarge = "too-large",
        OutputMissing = "output-missing",
        OutputUnsafe = "output-unsafe",
        TimeLimit = "time-limit",
        Blank = "blank",
        Truncated = "truncated",
        PlansMissing = "plans-missing",
        PromptNotRead = "prompt-not-read",
        Redirect = "redirect",
        HostChanged = "host-changed",
        NotConsented = "not-consented",
        Policy = "policy",
        /// The lane is the host that runs gsd.
        Itself = "self",
        Excluded = "excluded",
        OverBudget = "over-budget",
        Interrupted = "interrupted",
        Other = "other",
    }
}

words! {
    /// The part of the lane's life in which it ended.
    During {
        Probe = "probe",
        Setup = "setup",
        Start = "start",
        FirstByte = "first-byte",
        Idle = "idle",
        Total = "total",
    }
}

words! {
    /// What shows that the lane read the plans.
    Proof {
        /// The whole prompt went over a channel that gsd controls.
        Delivered = "delivered",
        /// The answer repeats a nonce or digest that stands only in what it was to read.
        Echoed = "echoed",
        /// A watch on the lane's own copy saw each plan read.
        Observed = "observed",
        /// A lane that is not given the plans.
        NotAsked = "not-asked",
        /// Nothing shows it.
        None = "none",
    }
}
