//! Looks a host up on behalf of a program that connects by itself, so that it can be told to use
//! the addresses that were looked at, and no others.

use super::url::is_local_name;
use super::watch::refuse;
use super::{Reach, Unreachable};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;
use url::Host;

/// The addresses of a host, every one of them within the reach. An IPv6 address is written in
/// brackets.
pub fn resolve(host: &str, reach: Reach, limit: Duration) -> Result<Vec<IpAddr>, Unreachable> {
    let addresses = match Host::parse(host).map_err(|_| Unreachable::UnknownHost)? {
        Host::Ipv4(address) => vec![address.into()],
        Host::Ipv6(address) => vec![address.into()],
        Host::Domain(name) if is_local_name(&name) => {
            vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
        }
        Host::Domain(name) => look_up(name, limit)?,
    };
    match addresses.iter().find_map(|address| refuse(reach, *address)) {
        Some(refusal) => Err(refusal),
        None => Ok(addresses),
    }
}

/// The system's own look-up knows no limit, so it has a thread to itself, which ends when it ends.
fn look_up(name: String, limit: Duration) -> Result<Vec<IpAddr>, Unreachable> {
    let (sender, answer) = sync_channel(1);
    let look = move || {
        let found =
            (name.as_str(), 0).to_socket_addrs().map(|all| all.map(|one| one.ip()).collect());
        // Nobody may be waiting any more.
        let _ = sender.send(found);
    };
    std::thread::Builder::new()
        .name("look-up".into())
        .spawn(look)
        .map_err(|error| Unreachable::Network(error.to_string()))?;
    match answer.recv_timeout(limit) {
        Ok(Ok(addresses)) => {
            let addresses: Vec<IpAddr> = addresses;
            if addresses.is_empty() { Err(Unreachable::UnknownHost) } else { Ok(addresses) }
        }
        Ok(Err(_)) => Err(Unreachable::UnknownHost),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            Err(Unreachable::Network("the name server did not answer in time".into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_looked_at_however_they_are_written() {
        let second = Duration::from_secs(1);
        for host in ["127.0.0.1", "0x7f.1", "[::1]", "localhost", "a.localhost", "10.0.0.1"] {
            let refused = resolve(host, Reach::PublicOnly, second);
            assert!(matches!(refused, Err(Unreachable::NotPublic(_))), "{host}: {refused:?}");
            assert!(resolve(host, Reach::Anywhere, second).is_ok(), "{host}");
        }
        assert_eq!(resolve("1.1.1.1", Reach::PublicOnly, second), Ok(vec![[1, 1, 1, 1].into()]));
        assert_eq!(resolve("a b", Reach::Anywhere, second), Err(Unreachable::UnknownHost));
    }
}
