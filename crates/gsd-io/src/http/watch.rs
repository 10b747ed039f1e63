//! Our eyes inside ureq: which addresses are used, when the connection stood, what was sent, and
//! the head of the answer as far as it came.
//!
//! These are ureq's transport and resolver traits, which may change between its minor versions;
//! all use of them is in this file and in `talk.rs`.

use super::{Reach, SafeUrl, Unreachable};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};
use url::Host;

/// How much of an unfinished head is kept for the record.
const HEAD_KEPT: usize = 4 * 1024;

/// What has happened so far; written by the thread that talks, read by the one that waits.
#[derive(Debug, Default)]
pub(super) struct Seen(Mutex<State>);

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) connected: Option<Instant>,
    pub(super) first_byte: Option<Instant>,
    pub(super) head: Vec<u8>,
    pub(super) head_done: bool,
    pub(super) sent: u64,
    /// Why our resolver refused, since its error type cannot say it.
    pub(super) refused: Option<Unreachable>,
}

impl Seen {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // A panic of the other thread leaves numbers that are still true.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The last link of the connector chain: wraps the finished connection.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) progress: Arc<Seen>,
    pub(super) target: Uri,
}

impl<In: Transport> Connector<In> for Watch {
    type Out = Watched<In>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(inner) = chained else { return Ok(None) };
        // The chain also runs for the connection to a proxy, which is not the one to watch.
        let watching = *details.uri == self.target;
        if watching {
            self.progress.lock().connected = Some(Instant::now());
        }
        let progress = watching.then(|| Arc::clone(&self.progress));
        Ok(Some(Watched { inner, progress }))
    }
}

/// A connection that reports what goes over it.
#[derive(Debug)]
pub(super) struct Watched<In> {
    inner: In,
    progress: Option<Arc<Seen>>,
}

impl<In: Transport> Transport for Watched<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        // Counted before it is sent: a part may have left even if this fails.
        if let Some(progress) = &self.progress {
            progress.lock().sent += amount as u64;
        }
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let got = self.inner.await_input(timeout)?;
        if let Some(progress) = &self.progress {
            let mut state = progress.lock();
            if got && state.first_byte.is_none() {
                state.first_byte = Some(Instant::now());
            }
            if !state.head_done {
                let input = self.inner.buffers().input();
                state.head = input[..input.len().min(HEAD_KEPT)].to_vec();
            }
        }
        Ok(got)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

/// Looks names up, once, and refuses addresses outside the [`Reach`].
#[derive(Debug)]
pub(super) struct Addresses {
    pub(super) url: SafeUrl,
    pub(super) reach: Reach,
    pub(super) progress: Arc<Seen>,
    pub(super) target: Uri,
}

impl Resolver for Addresses {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        if *uri != self.target {
            // A proxy that the user named.
            return DefaultResolver::default().resolve(uri, config, timeout);
        }
        let port = self.url.url().port_or_known_default().unwrap_or_default();
        let literal = match self.url.url().host() {
            Some(Host::Ipv4(address)) => Some(vec![IpAddr::V4(address)]),
            Some(Host::Ipv6(address)) => Some(vec![IpAddr::V6(address)]),
            // RFC 6761: such a name is this machine, whatever a name server says.
            Some(Host::Domain(_)) if self.url.is_loopback() => {
                Some(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()])
            }
            Some(Host::Domain(_)) | None => None,
        };
        let found = match literal {
            Some(addresses) => {
                let mut found = self.empty();
                for address in addresses {
                    found.push(SocketAddr::new(address, port));
                }
                found
            }
            None => DefaultResolver::default().resolve(uri, config, timeout).map_err(|error| {
                if !matches!(error, Error::Timeout(_)) {
                    self.progress.lock().refused = Some(Unreachable::UnknownHost);
                }
                error
            })?,
        };
        let refusal = found.iter().find_map(|address| refuse(self.reach, address.ip()));
        if let Some(refusal) = refusal {
            self.progress.lock().refused = Some(refusal);
            return Err(Error::HostNotFound);
        }
        Ok(found)
    }
}

/// Why an address is outside the reach, if it is.
pub(super) fn refuse(reach: Reach, address: IpAddr) -> Option<Unreachable> {
    match reach {
        Reach::Anywhere => None,
        Reach::ThisMachine => {
            (!address.to_canonical().is_loopback()).then_some(Unreachable::NotThisMachine)
        }
        Reach::PublicOnly => {
            (!is_public(address.to_canonical())).then_some(Unreachable::NotPublic(address))
        }
    }
}

/// Not one of the special-purpose blocks of RFC 6890 that may lead into the user's own network.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let benchmark = a == 198 && (b == 18 || b == 19);
            !(v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_documentation()
                || shared
                || benchmark
                || a == 0
                || a >= 240)
        }
        IpAddr::V6(v6) => {
            let [first, second, ..] = v6.segments();
            // The two ways of writing an IPv4 address into an IPv6 one that routers translate.
            let nat64 = first == 0x64 && second == 0xff9b;
            let six_to_four = first == 0x2002;
            !(v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_multicast()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
                || nat64
                || six_to_four
                || first & 0xffc0 == 0xfec0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_inside_the_network_are_not_public() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "fec0::1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "::ffff:10.0.0.1",
        ] {
            let refused = refuse(Reach::PublicOnly, text.parse().unwrap());
            assert!(matches!(refused, Some(Unreachable::NotPublic(_))), "{text}");
        }
        for text in ["1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111"] {
            assert_eq!(refuse(Reach::PublicOnly, text.parse().unwrap()), None, "{text}");
            let elsewhere = refuse(Reach::ThisMachine, text.parse().unwrap());
            assert_eq!(elsewhere, Some(Unreachable::NotThisMachine), "{text}");
        }
        assert_eq!(refuse(Reach::ThisMachine, "::ffff:127.0.0.1".parse().unwrap()), None);
    }
}
