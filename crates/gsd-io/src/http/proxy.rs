//! Proxies: never for this machine, and for others only if the user opted in.
//!
//! A proxy sees where plans go and, for plain HTTP, what is in them. So no request uses one unless
//! its caller passes it; this module reads the usual variables for callers that may.

use super::SafeUrl;
use crate::env::Env;
use std::fmt;
use std::net::IpAddr;
use url::{Host, Url};

/// The way a request takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    Direct,
    /// An HTTP proxy; ignored if the destination is this machine.
    Proxy(ProxyAddress),
}

/// The address of an HTTP proxy. What is shown has no user name and no password.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyAddress(Url);

/// Why a proxy variable cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProxyError {
    #[error("`{variable}` names a `{scheme}` proxy; only http proxies are supported")]
    Scheme { variable: &'static str, scheme: String },
    #[error("`{variable}` is not the address of a proxy")]
    Invalid { variable: &'static str },
}

impl ProxyAddress {
    /// The whole address. Only for whoever connects to it.
    pub fn expose(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for ProxyAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.origin().ascii_serialization())
    }
}

impl fmt::Debug for ProxyAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProxyAddress({self})")
    }
}

/// The proxy variables, as they were when the process started.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    http: Option<(&'static str, String)>,
    https: Option<(&'static str, String)>,
    all: Option<(&'static str, String)>,
    exceptions: Vec<Exception>,
}

/// One entry of `NO_PROXY`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Exception {
    Everything,
    /// A host or, after a dot, any host below it.
    Name {
        name: String,
        port: Option<u16>,
    },
    Network {
        address: IpAddr,
        bits: u8,
    },
}

impl Proxies {
    /// Reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`; the lower-case name wins.
    pub fn from_env(env: &Env) -> Self {
        let first = |names: [&'static str; 2]| {
            names.into_iter().find_map(|name| Some((name, env.var(name)?.to_owned())))
        };
        let exceptions = first(["no_proxy", "NO_PROXY"]).map(|(_, list)| exceptions(&list));
        Self {
            http: first(["http_proxy", "HTTP_PROXY"]),
            https: first(["https_proxy", "HTTPS_PROXY"]),
            all: first(["all_proxy", "ALL_PROXY"]),
            exceptions: exceptions.unwrap_or_default(),
        }
    }

    /// The way to `url`.
    pub fn via(&self, url: &SafeUrl) -> Result<Via, ProxyError> {
        let own = if url.is_https() { &self.https } else { &self.http };
        let Some((variable, text)) = own.as_ref().or(self.all.as_ref()) else {
            return Ok(Via::Direct);
        };
        if url.is_loopback() || self.exceptions.iter().any(|e| e.covers(url.url())) {
            return Ok(Via::Direct);
        }
        let invalid = || ProxyError::Invalid { variable };
        let text = if text.contains("://") { text.clone() } else { format!("http://{text}") };
        let proxy = Url::parse(&text).map_err(|_| invalid())?;
        if proxy.scheme() != "http" {
            let scheme = proxy.scheme().chars().take(20).collect();
            return Err(ProxyError::Scheme { variable, scheme });
        }
        if proxy.host_str().is_none_or(str::is_empty) {
            return Err(invalid());
        }
        Ok(Via::Proxy(ProxyAddress(proxy)))
    }
}

fn exceptions(list: &str) -> Vec<Exception> {
    list.split([',', ' ']).map(str::trim).filter(|e| !e.is_empty()).map(Exception::parse).collect()
}

impl Exception {
    fn parse(text: &str) -> Self {
        if text == "*" {
            return Self::Everything;
        }
        let bare = text.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse::<IpAddr>() {
            let bits = if address.is_ipv4() { 32 } else { 128 };
            return Self::Network { address, bits };
        }
        if let Some((address, bits)) = text.split_once('/')
            && let (Ok(address), Ok(bits)) = (address.parse::<IpAddr>(), bits.parse())
        {
            return Self::Network { address, bits };
        }
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) => (name, port.parse().ok()),
            None => (text, None),
        };
        let name = name.trim_start_matches("*.").trim_start_matches('.').to_ascii_lowercase();
        Self::Name { name, port }
    }

    fn covers(&self, url: &Url) -> bool {
        match (self, url.host()) {
            (_, None) => false,
            (Self::Everything, Some(_)) => true,
            (Self::Name { name, port }, Some(Host::Domain(host))) => {
                let below = host.strip_suffix(name.as_str()).is_some_and(|h| h.ends_with('.'));
                let named = !name.is_empty() && (host == name || below);
                named && port.is_none_or(|port| url.port_or_known_default() == Some(port))
            }
            (Self::Network { address, bits }, Some(Host::Ipv4(host))) => {
                within(*address, *bits, host.into())
            }
            (Self::Network { address, bits }, Some(Host::Ipv6(host))) => {
                within(*address, *bits, host.into())
            }
            (Self::Name { .. }, Some(Host::Ipv4(_) | Host::Ipv6(_)))
            | (Self::Network { .. }, Some(Host::Domain(_))) => false,
        }
    }
}

/// Whether the first `bits` of both addresses are equal.
fn within(network: IpAddr, bits: u8, host: IpAddr) -> bool {
    let wide = |address: IpAddr| match address {
        IpAddr::V4(v4) => (u128::from(v4.to_bits()) << 96, 32),
        IpAddr::V6(v6) => (v6.to_bits(), 128),
    };
    let ((network, width), (host, host_width)) = (wide(network), wide(host));
    let differing = (network ^ host).leading_zeros();
    width == host_width && bits <= width && differing >= u32::from(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use camino::Utf8PathBuf;

    fn via(vars: &[(&str, &str)], url: &str) -> String {
        let vars = vars.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
        let env = Env::from_parts(vars, Utf8PathBuf::from("/"), Utf8PathBuf::from("/gsd"));
        match Proxies::from_env(&env).via(&SafeUrl::parse(url).unwrap()) {
            Ok(Via::Direct) => "direct".into(),
            Ok(Via::Proxy(address)) => address.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn this_machine_is_never_proxied() {
        let vars = [("HTTP_PROXY", "http://proxy.corp:8080"), ("ALL_PROXY", "socks5://p:1")];
        for url in
            ["http://127.0.0.1:11434/v1", "http://localhost", "http://[::1]/", "http://2130706433/"]
        {
            assert_eq!(via(&vars, url), "direct", "{url}");
        }
    }

    #[test]
    fn variables_are_chosen_by_scheme() {
        let vars = [
            ("http_proxy", "low.corp:1"),
            ("HTTP_PROXY", "http://up.corp:2"),
            ("HTTPS_PROXY", "http://user:secret@tls.corp:3/"),
        ];
        assert_eq!(via(&vars, "http://h.example"), "http://low.corp:1");
        assert_eq!(via(&vars, "https://h.example"), "http://tls.corp:3");
        assert_eq!(via(&[], "https://h.example"), "direct");
        let socks = via(&[("ALL_PROXY", "socks5://p:1")], "https://h.example");
        assert_eq!(socks, "`ALL_PROXY` names a `socks5` proxy; only http proxies are supported");
        let broken = via(&[("all_proxy", "http://")], "https://h.example");
        assert_eq!(broken, "`all_proxy` is not the address of a proxy");
    }

    #[test]
    fn exceptions_are_names_suffixes_and_networks() {
        let list = "10.0.0.0/8, .corp,host.example:8080,exact.example fd00::/8";
        let vars = [("HTTP_PROXY", "http://p:1"), ("NO_PROXY", list)];
        for url in [
            "http://10.200.0.1",
            "http://a.b.corp",
            "http://corp",
            "http://host.example:8080",
            "http://exact.example",
            "http://www.exact.example",
            "http://[fd12::1]",
        ] {
            assert_eq!(via(&vars, url), "direct", "{url}");
        }
        for url in [
            "http://11.0.0.1",
            "http://acorp",
            "http://host.example",
            "http://inexact.example",
            "http://[fe00::1]",
        ] {
            assert_eq!(via(&vars, url), "http://p:1", "{url}");
        }
        let all = [("HTTP_PROXY", "http://p:1"), ("NO_PROXY", "*")];
        assert_eq!(via(&all, "http://h.example"), "direct");
    }
}
