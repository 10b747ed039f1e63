//! Bounded HTTP: one request, one answer, no surprises.
//!
//! What it is for: asking a model server or a registry over HTTP/1.1 with TLS, where the other
//! side may be slow, huge, broken or hostile.
//!
//! What it never does: follow a redirect, reuse a connection, use a proxy that the caller did not
//! name, skip the check of a certificate, retry. A host that must be this machine is never looked
//! up in the DNS.
//!
//! Invariants: every exchange ends by its total limit or about 50 ms after a cancel; at most
//! `max_body` decoded bytes and a few buffers are held, whatever is sent; bytes that arrived before
//! an end that was not a success are kept. After the call has returned nothing more is sent: the
//! sockets are shut, and a thread that still waits for a name or a connection ends with its limit.

mod answer;
mod body;
mod exchange;
mod proxy;
mod resolve;
pub mod stand_in;
mod talk;
mod url;
mod watch;

pub use answer::{
    Cap, End, Exchange, Fault, Partial, Phase, Progress, Redirect, Response, TooLarge, Unreachable,
};
pub use exchange::{save, send};
pub use proxy::{Proxies, ProxyAddress, ProxyError, Via};
pub use resolve::resolve;
pub use url::{Destination, DestinationError, JoinError, Origin, SafeUrl};

use crate::secret::Secret;
use std::time::Duration;

/// Every bound of one exchange. There is no default: the caller says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// From the start until the connection stands, TLS included.
    pub connect: Duration,
    /// From then until the first byte of the body is here. What comes of the head does not renew
    /// it, so a head sent byte by byte does not either.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
    /// The whole exchange.
    pub total: Duration,
    /// How fast the body has to come at least.
    pub pace: Option<Pace>,
    /// Bytes of the body after decoding.
    pub max_body: u64,
    /// Bytes of the body as they came over the wire.
    pub max_compressed: u64,
    /// Decoded bytes for each byte that came over the wire.
    pub max_ratio: u64,
}

/// The least that a body may bring: so many bytes, as they come over the wire, in each stretch of
/// this length from its first byte on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    pub bytes: u64,
    pub within: Duration,
}

impl HttpLimits {
    /// The same limits with no wait above 30 days, so that adding one to a clock cannot overflow.
    fn clamped(self) -> Self {
        let most = Duration::from_secs(30 * 24 * 3600);
        Self {
            connect: self.connect.min(most),
            first_byte: self.first_byte.min(most),
            idle: self.idle.min(most),
            total: self.total.min(most),
            pace: self.pace.map(|pace| Pace { within: pace.within.min(most), ..pace }),
            ..self
        }
    }
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    Get,
    /// A POST with a JSON body.
    PostJson(Vec<u8>),
}

/// Which addresses the host may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// A loopback address; any other host is refused before anything is looked up or sent.
    ThisMachine,
    Anywhere,
    /// No loopback, private, link-local or otherwise special address, so that an address from a
    /// foreign file cannot make us knock at doors inside the user's network.
    PublicOnly,
}

/// Whether a compressed body is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// gzip and deflate are asked for and decoded; gzip also where no header announces it.
    Decoded,
    /// The bytes as the server keeps them, for files that are compressed themselves.
    AsSent,
}

/// Who vouches for a server's certificate. There is no way to skip the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Roots {
    /// The public authorities that come with gsd.
    BuiltIn,
    /// The authorities of a PEM text instead, as `SSL_CERT_FILE` asks.
    Pem(Vec<u8>),
}

/// Whether a key goes with the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authorization {
    None,
    Bearer(Secret<String>),
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub url: SafeUrl,
    pub method: Method,
    pub reach: Reach,
    pub coding: Coding,
    pub via: Via,
    pub roots: Roots,
    pub authorization: Authorization,
    /// The `Accept` header.
    pub accept: &'static str,
}

impl Request {
    /// A GET that expects text: decoded, direct, without a key.
    pub fn get(url: SafeUrl, reach: Reach) -> Self {
        Self {
            url,
            method: Method::Get,
            reach,
            coding: Coding::Decoded,
            via: Via::Direct,
            roots: Roots::BuiltIn,
            authorization: Authorization::None,
            accept: "application/json, */*;q=0.5",
        }
    }

    /// A POST of a JSON text, otherwise as [`Request::get`].
    pub fn post_json(url: SafeUrl, reach: Reach, body: Vec<u8>) -> Self {
        Self { method: Method::PostJson(body), ..Self::get(url, reach) }
    }
}
