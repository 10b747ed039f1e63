//! What came of one call, before anybody looked at what the review says.

use super::{During, Reason, State};
use std::time::Duration;

/// The end of a lane's call: a value for every end, good or bad.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneReport {
    /// [`State::Reviewed`] stands for a clean end with usable text; whether the lane read the
    /// plans is judged by who knows the plans.
    pub state: State,
    pub reason: Option<Reason>,
    pub during: Option<During>,
    /// One sentence for people; `None` for a plain review.
    pub message: Option<String>,
    /// What to do about it.
    pub remedy: Option<String>,
    /// The review, cleaned; where the state does not count, the part of it that came.
    pub text: String,
    pub delivery: Delivery,
    pub sizes: OutputSizes,
    /// The end of its standard error, cleaned and bounded; for a server the end of its body where
    /// that is no review.
    pub stderr: String,
    pub exit_status: Option<i32>,
    pub signal: Option<i32>,
    pub http_status: Option<u16>,
    pub model_requested: Option<String>,
    /// Who named that model.
    pub model_source: Option<String>,
    pub model_served: Option<String>,
    /// It said, or its sandbox showed, that it could not open the files of the repository.
    pub blind: bool,
    /// Tokens of the prompt as the server counted them.
    pub prompt_tokens: Option<u64>,
    /// Where the prompt went: the path of the program as it was started, or an origin.
    pub destination: Option<String>,
    /// SHA-256 of the program that was started.
    pub program_sha256: Option<String>,
    pub first_byte: Option<Duration>,
    pub elapsed: Duration,
    pub warnings: Vec<String>,
    /// The program that is not there, where it is another one than the lane's own.
    pub lacks: Option<String>,
}

/// Bytes as they came, before cleaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutputSizes {
    pub output: u64,
    pub stderr: u64,
}

/// What became of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Nothing was sent.
    NotSent,
    /// The lane is not given a prompt.
    NotAsked,
    /// The lane was told where the prompt stands.
    ByReference,
    /// Sent over a channel of ours; the other side took this much of it.
    Sent { taken: u64, of: u64 },
}

impl Delivery {
    /// Whether the other side took the whole prompt over a channel of ours.
    pub const fn is_whole(self) -> bool {
        match self {
            Self::Sent { taken, of } => taken == of,
            Self::NotSent | Self::NotAsked | Self::ByReference => false,
        }
    }
}

impl LaneReport {
    /// A report of a lane that ended before it was called.
    pub fn not_called(state: State, reason: Reason, message: impl Into<String>) -> Self {
        Self {
            state,
            reason: Some(reason),
            during: None,
            message: Some(message.into()),
            remedy: None,
            text: String::new(),
            delivery: Delivery::NotSent,
            sizes: OutputSizes::default(),
            stderr: String::new(),
            exit_status: None,
            signal: None,
            http_status: None,
            model_requested: None,
            model_source: None,
            model_served: None,
            blind: false,
            prompt_tokens: None,
            destination: None,
            program_sha256: None,
            first_byte: None,
            elapsed: Duration::ZERO,
            warnings: vec![],
            lacks: None,
        }
    }

    pub fn during(mut self, during: During) -> Self {
        self.during = Some(during);
        self
    }

    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}
