//! What can come of an exchange: the whole space, each member with what was received until then.

use super::SafeUrl;
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

/// A finished exchange: how it ended, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    pub end: End,
    /// From the call until its end.
    pub elapsed: Duration,
    /// When the connection stood, counted from the call.
    pub connected_after: Option<Duration>,
    /// When the first byte of the answer came, counted from the call.
    pub first_byte_after: Option<Duration>,
    /// Bytes of the request, head included, that were handed to the connection. 0 means that
    /// nothing of it left this process.
    pub sent: u64,
    /// Bytes of the body as they came over the wire.
    pub received: u64,
}

/// A sign of life while an exchange runs, about twice a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub elapsed: Duration,
    /// Bytes of the body so far, as they came.
    pub received: u64,
    /// Since the last piece of the answer, or since the start.
    pub silent_for: Duration,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// A whole answer with any status but 3xx.
    Response(Response),
    /// A 3xx answer. It was not followed.
    Redirect(Redirect),
    /// A limit passed.
    TimedOut {
        phase: Phase,
        limit: Duration,
        partial: Partial,
    },
    /// A cap was hit, and the rest was not read.
    TooLarge(TooLarge),
    /// No connection came about; nothing of the request was sent.
    Unreachable(Unreachable),
    /// There was a connection, and what came over it is not a whole HTTP answer.
    Broken {
        fault: Fault,
        partial: Partial,
    },
    Cancelled {
        partial: Partial,
    },
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    /// The `Content-Type` header as sent; empty if there is none.
    pub content_type: String,
    /// The `Retry-After` header, where it is a number of seconds.
    pub retry_after: Option<Duration>,
    /// The decoded body; empty where it was saved.
    pub body: Vec<u8>,
}

/// A redirect that was not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    pub status: u16,
    /// Where it points. Only its origin may be shown: the rest may hold secrets.
    pub target: Option<SafeUrl>,
}

/// What was received before an end that is no success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partial {
    Nothing,
    /// A part of the answer's head, as sent, at most 4 KiB.
    Head(Vec<u8>),
    /// The head, and the decoded bytes of the body so far.
    Body {
        status: u16,
        content_type: String,
        bytes: Vec<u8>,
    },
}

/// Which limit passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Connect,
    FirstByte,
    Idle,
    /// There was always something, and too little of it.
    Pace,
    Total,
}

/// Which cap was hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    pub cap: Cap,
    /// The cap's value: bytes, or decoded bytes for each byte received.
    pub limit: u64,
    pub partial: Partial,
}

/// The caps of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    Head,
    Compressed,
    Decoded,
    Ratio,
}

/// Why no connection came about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    #[error("the name of the host is not known")]
    UnknownHost,
    #[error("nothing listens there (connection refused)")]
    Refused,
    #[error("the host is not this machine")]
    NotThisMachine,
    #[error("the host has the address {0}, which is not public")]
    NotPublic(IpAddr),
    #[error("no secure connection: {0}")]
    Tls(String),
    #[error("the proxy did not connect: {0}")]
    Proxy(String),
    #[error("no connection: {0}")]
    Network(String),
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("the connection was closed before an answer came")]
    ClosedBeforeAnswer,
    #[error("the body ended after {received} of its {announced} bytes")]
    ShortBody { received: u64, announced: u64 },
    #[error("the body broke off after {received} bytes")]
    BrokenBody { received: u64 },
    #[error("the body is encoded as `{0}`, which was not asked for")]
    UnknownEncoding(String),
    #[error("the body is not valid {0}")]
    Undecodable(&'static str),
    #[error("the answer is not HTTP: {0}")]
    NotHttp(String),
    #[error("the body could not be saved: {0}")]
    NotSaved(String),
}

impl Partial {
    /// The bytes, of whatever part they are.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Nothing => &[],
            Self::Head(bytes) | Self::Body { bytes, .. } => bytes,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connect",
            Self::FirstByte => "first byte",
            Self::Idle => "idle",
            Self::Pace => "pace",
            Self::Total => "total",
        })
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Head => "head",
            Self::Compressed => "compressed body",
            Self::Decoded => "decoded body",
            Self::Ratio => "compression ratio",
        })
    }
}
