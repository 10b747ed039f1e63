//! Asking hosts over HTTPS.
//!
//! Every address that is about to be asked, the first one and each that a redirect leads to, is
//! held against the lists of known sources, has to be encrypted, and has to be public unless the
//! user said otherwise; the connection goes to the address that was looked at. A token goes to the
//! origin it is for and to no other.

use super::Target;
use super::fetch::{FetchContext, FetchError, Transport};
use super::policy::Refusal;
use crate::text::printable;
use camino::Utf8Path;
use gsd_io::fs::{self, Links};
use gsd_io::http::{
    self, Authorization, Cap, Coding, End, Exchange, Fault, HttpLimits, Method, Partial, Phase,
    Proxies, Reach, Request, Response, Roots, SafeUrl, TooLarge, Unreachable, Via,
};
use gsd_io::secret::Secret;
use gsd_io::{clock, fs::WriteError};
use std::time::Duration;

/// How many redirects lead to a file at most.
const MAX_REDIRECTS: usize = 5;
/// More than text ever packs to.
const MAX_RATIO: u64 = 250;
const MAX_AUTHORITIES: u64 = 8 << 20;
pub(super) const AUTHORITIES: &str = "SSL_CERT_FILE";

/// What is asked of a host.
pub(super) struct Ask<'a> {
    pub(super) accept: &'static str,
    /// The most that the answer may have.
    pub(super) max: u64,
    pub(super) coding: Coding,
    /// A token, for addresses that begin so.
    pub(super) token: Option<(&'a str, &'a Secret<String>)>,
    /// Whether the lists of known sources are asked: not where they know the source by another
    /// name than its host.
    pub(super) listed: Listed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    ByHost,
    ByName,
}

/// The way to hosts.
pub(super) struct Web<'a> {
    context: &'a FetchContext<'a>,
    roots: Roots,
    proxies: Option<Proxies>,
}

impl<'a> Web<'a> {
    pub(super) fn new(context: &'a FetchContext<'a>) -> Result<Self, FetchError> {
        let roots = match context.env.var(AUTHORITIES) {
            None => Roots::BuiltIn,
            Some(path) => {
                let path = context.env.absolute(Utf8Path::new(path));
                let pem = fs::read_bounded(&path, MAX_AUTHORITIES, Links::Follow);
                Roots::Pem(pem.map_err(|error| {
                    let what = format!("`{AUTHORITIES}` names no readable file: {error}");
                    FetchError::unusable(what, format!("correct `{AUTHORITIES}`, or unset it"))
                })?)
            }
        };
        let proxies = context.policy.uses_proxy().then(|| Proxies::from_env(context.env));
        Ok(Self { context, roots, proxies })
    }

    /// The answer, and where it came from in the end.
    pub(super) fn get(
        &self,
        url: &SafeUrl,
        ask: &Ask<'_>,
    ) -> Result<(Vec<u8>, SafeUrl), FetchError> {
        let cancel = self.context.cancel;
        let (response, last) = self.follow(url, ask, &mut |request, limits| {
            http::send(request, limits, cancel, &mut |_| ())
        })?;
        Ok((response.body, last))
    }

    /// Writes the answer to a new file. Where it came from in the end.
    pub(super) fn save(
        &self,
        url: &SafeUrl,
        ask: &Ask<'_>,
        to: &Utf8Path,
    ) -> Result<SafeUrl, FetchError> {
        let cancel = self.context.cancel;
        // The body of a redirect is not read, and after any other answer nothing follows: one file
        // is enough for all hops.
        let mut file = fs::create_new(to).map_err(FetchError::Scratch)?;
        let (_, last) = self.follow(url, ask, &mut |request, limits| {
            http::save(request, limits, cancel, &mut file)
        })?;
        Ok(last)
    }

    /// Where an address leads to in the end. Of the answer only the beginning is read.
    pub(super) fn locate(&self, url: &SafeUrl, ask: &Ask<'_>) -> Result<SafeUrl, FetchError> {
        let cancel = self.context.cancel;
        let (_, last) = self.follow(url, ask, &mut |request, limits| {
            let mut exchange = http::send(request, limits, cancel, &mut |_| ());
            if let End::TooLarge(TooLarge { partial, .. }) = &exchange.end
                && let Partial::Body { status, content_type, .. } = partial
            {
                exchange.end = End::Response(Response {
                    status: *status,
                    content_type: content_type.clone(),
                    retry_after: None,
                    body: vec![],
                });
            }
            exchange
        })?;
        Ok(last)
    }

    /// How a url is reached, if it may be asked at all.
    fn admit(&self, url: &SafeUrl, listed: Listed) -> Result<(Reach, Via), FetchError> {
        if !url.is_https() && self.context.transport != Transport::Any {
            return Err(Refusal::Cleartext { place: url.to_string() }.into());
        }
        if listed == Listed::ByHost {
            let target = Target::Host { name: url.host(), path: url.path() };
            self.context.policy.check(&target)?;
        }
        let via = match &self.proxies {
            None => Via::Direct,
            Some(proxies) => proxies.via(url).map_err(|error| {
                FetchError::unusable(
                    error.to_string(),
                    "correct the variable, or unset `capabilities.proxy`",
                )
            })?,
        };
        Ok((self.context.policy.reach(url.host(), url.port()), via))
    }

    fn follow(
        &self,
        start: &SafeUrl,
        ask: &Ask<'_>,
        send: &mut dyn FnMut(Request, &HttpLimits) -> Exchange,
    ) -> Result<(Response, SafeUrl), FetchError> {
        let mut url = start.clone();
        for _ in 0..=MAX_REDIRECTS {
            let (reach, via) = self.admit(&url, ask.listed)?;
            let token = ask.token.filter(|(prefix, _)| url.without_secrets().starts_with(prefix));
            let request = Request {
                url: url.clone(),
                method: Method::Get,
                reach,
                coding: ask.coding,
                via,
                roots: self.roots.clone(),
                authorization: match token {
                    Some((_, token)) => Authorization::Bearer(token.clone()),
                    None => Authorization::None,
                },
                accept: ask.accept,
            };
            let exchange = send(request, &self.limits(ask.max));
            let place = url.to_string();
            let next = match exchange.end {
                End::Response(response) if response.status == 200 => return Ok((response, url)),
                End::Redirect(redirect) => redirect.target.filter(|_| redirect.status != 304),
                end => return Err(failed(&place, url.host(), end)),
            };
            let Some(next) = next.filter(|next| !next.has_user()) else {
                return Err(FetchError::unreachable(&place, "it redirects to no address"));
            };
            if url.is_https() && !next.is_https() {
                return Err(Refusal::Cleartext { place: next.to_string() }.into());
            }
            url = next;
        }
        let why = format!("it redirects more than {MAX_REDIRECTS} times");
        Err(FetchError::unreachable(&start.to_string(), why))
    }

    fn limits(&self, max: u64) -> HttpLimits {
        let (left, patience) = (left(self.context), self.context.patience);
        HttpLimits {
            connect: patience.connect.min(left),
            first_byte: patience.first_byte.min(left),
            idle: patience.idle.min(left),
            total: left,
            pace: Some(patience.pace),
            max_body: max,
            max_compressed: max,
            max_ratio: MAX_RATIO,
        }
    }
}

/// The time that is left for everything.
pub(super) fn left(context: &FetchContext<'_>) -> Duration {
    context.deadline.saturating_duration_since(clock::now())
}

fn failed(place: &str, host: &str, end: End) -> FetchError {
    let why = match end {
        End::Cancelled { .. } => return FetchError::Cancelled,
        End::Unreachable(unreachable) => return not_reached(place, host, unreachable),
        End::TooLarge(TooLarge { cap: Cap::Compressed | Cap::Decoded, limit, .. }) => {
            return FetchError::TooLarge { place: place.to_owned(), max: limit };
        }
        End::TooLarge(TooLarge { cap, limit, .. }) => format!("its {cap} exceeds {limit}"),
        End::Response(Response { status, .. }) => return answered(place, status),
        End::Redirect(redirect) => return answered(place, redirect.status),
        End::TimedOut { phase, limit, .. } => {
            let seconds = limit.as_secs_f64().round();
            return FetchError::slow(
                place,
                match phase {
                    Phase::Connect => format!("no connection within {seconds} s"),
                    Phase::FirstByte => format!("no answer within {seconds} s"),
                    Phase::Idle => format!("it kept silent for {seconds} s"),
                    Phase::Pace => format!("it sent next to nothing in {seconds} s"),
                    Phase::Total => "its time is up".to_owned(),
                },
            );
        }
        End::Broken { fault: Fault::NotSaved(why), .. } => {
            let source = std::io::Error::other(why);
            return FetchError::Scratch(WriteError { path: place.into(), source });
        }
        End::Broken { fault, .. } => fault.to_string(),
    };
    FetchError::unreachable(place, why)
}

fn answered(place: &str, status: u16) -> FetchError {
    FetchError::Answered { place: printable(place, 200), status }
}

pub(super) fn not_reached(place: &str, host: &str, unreachable: Unreachable) -> FetchError {
    match unreachable {
        Unreachable::NotPublic(address) => {
            Refusal::NotPublic { host: host.to_owned(), address: address.to_string() }.into()
        }
        other => FetchError::unreachable(place, other.to_string()),
    }
}
