//! Where a lane sends plans, resolved before anybody is asked.

use super::raw::text;
use gsd_io::http::{self, SafeUrl};
use serde_json::Value;

/// Where a lane sends what it reviews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    Resolved {
        /// In canonical spelling.
        address: String,
        /// Whether it is this machine.
        local: bool,
    },
    /// Nothing names an address, or what does is none.
    Unresolved { why: String },
}

impl Destination {
    /// The address of a lane: what is configured, else the default of its setting, else its own.
    pub(super) fn of(
        manifest: &Value,
        key: &str,
        default_host: &str,
        configured: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let declared = manifest.get("config").and_then(|config| config.get(key));
        let declared = declared.map(|entry| text(entry, "default").to_owned());
        let candidates = [configured(key), declared, Some(default_host.to_owned())];
        let mut named = candidates.into_iter().flatten().filter(|text| !text.trim().is_empty());
        let Some(address) = named.next() else {
            let why = format!("neither `{key}` nor the capability names an address");
            return Self::Unresolved { why };
        };
        match http::Destination::parse(&address) {
            Ok(parsed) => {
                let address = parsed.to_string();
                Self::Resolved { local: is_this_machine(&address), address }
            }
            Err(error) => Self::Unresolved { why: error.to_string() },
        }
    }
}

/// Whether an address, with or without a scheme, is this machine, however it is spelled. What only
/// looks like it (`localhost.example.org`) is not.
pub(super) fn is_this_machine(address: &str) -> bool {
    let address = address.trim();
    let parsed = if address.contains("://") {
        SafeUrl::parse(address)
    } else if address.contains(':')
        && address.starts_with(|c: char| c == ':' || c.is_ascii_hexdigit())
        && address.parse::<std::net::Ipv6Addr>().is_ok()
    {
        SafeUrl::parse(&format!("http://[{address}]"))
    } else {
        SafeUrl::parse(&format!("http://{address}"))
    };
    let Ok(url) = parsed else { return false };
    let origin = url.origin();
    let (_, host) = origin.as_str().split_once("://").unwrap_or(("", origin.as_str()));
    // No address at all, but a connection to it ends on this machine.
    let unspecified = ["0.0.0.0", "[::]"].iter().any(|any| {
        host.strip_prefix(any).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    });
    url.is_loopback() || unspecified
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn this_machine_is_recognised_in_every_spelling_and_nothing_else_is() {
        for local in [
            "localhost",
            "LOCALHOST:11434/v1",
            "http://localhost",
            "127.0.0.1",
            "127.1",
            "0x7f.1",
            "2130706433",
            "0177.0.0.1",
            "127.255.3.4:80",
            "::1",
            "0:0:0:0:0:0:0:1",
            "[::1]:8080/x",
            "https://[::ffff:127.0.0.1]",
            "http://[::ffff:7f00:1]/v1",
            "0.0.0.0:9",
            "http://0.0.0.0",
        ] {
            assert!(is_this_machine(local), "{local}");
        }
        for remote in [
            "notlocalhost.example",
            "localhost.evil.com",
            "127.0.0.1.evil.com",
            "http://127.0.0.1@evil.example",
            "https://models.example",
            "10.0.0.1",
            "128.0.0.1",
            "0.0.0.0.example",
            "",
            "http://",
        ] {
            assert!(!is_this_machine(remote), "{remote}");
        }
    }
}
