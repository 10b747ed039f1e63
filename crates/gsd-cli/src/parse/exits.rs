//! The exit codes of the verbs of a review, for their help.

use crate::exit::ExitStatus::{
    self, Busy, ConsentRequired, Corrupt, Diagnostics, Done, Escalate, FindingsAtOrAbove,
    Integrity, Interrupted, LaneCouldNotRun, NoReview, NoVerdict, NotConverged, Refused,
    SomeFailed, Unknown, Usage,
};
use std::fmt::Write;

/// The codes of `gsd review` itself.
pub(super) const REVIEW: &[ExitStatus] = &[
    Done,
    Diagnostics,
    Usage,
    Refused,
    Unknown,
    Corrupt,
    Busy,
    SomeFailed,
    LaneCouldNotRun,
    NoReview,
    FindingsAtOrAbove,
    Interrupted,
];

/// The codes of each verb below it.
pub(super) const VERBS: &[(&str, &[ExitStatus])] = &[
    ("plan", &[Done, Usage, Unknown, Corrupt, LaneCouldNotRun]),
    (
        "invoke",
        &[
            Done,
            Usage,
            Refused,
            Integrity,
            Unknown,
            Corrupt,
            LaneCouldNotRun,
            NoReview,
            Interrupted,
        ],
    ),
    ("prepare", &[Done, Usage, Refused, Unknown, LaneCouldNotRun]),
    (
        "merge",
        &[
            Done,
            Diagnostics,
            Usage,
            Integrity,
            Unknown,
            Corrupt,
            SomeFailed,
            NoReview,
            FindingsAtOrAbove,
        ],
    ),
    ("converge", &[Done, Usage, Unknown, Corrupt, NotConverged, Escalate, NoVerdict]),
    ("show", &[Done, Usage, Unknown, Corrupt]),
    ("render", &[Done, Usage, Unknown, Corrupt]),
    ("trust-host", &[Done, Usage, ConsentRequired, Refused, Unknown, Corrupt]),
    ("trust", &[Done, Usage, Unknown, Corrupt]),
];

/// The codes with their meanings, as the end of a help text.
pub(super) fn help(codes: &[ExitStatus]) -> String {
    let mut text = "Exit codes:".to_owned();
    for status in codes {
        // Writing to a text cannot fail.
        let _ = write!(text, "\n  {:>3}  {}", status.code(), status.meaning());
    }
    text
}
