//! Where a request goes: a base address a user may configure, parsed once at the door.
//!
//! Whether two spellings name the same host, and whether that host is this machine, decides where
//! a plan may be sent. So a host is only ever compared after the URL standard has canonicalised
//! it, and what is ambiguous (userinfo, a missing scheme, a backslash) is refused, not guessed.
//!
//! Invariants: a [`Destination`] is http or https, has a host, no userinfo, query or fragment, and
//! its path has no trailing slash. Whatever is joined to it keeps its origin and path prefix.

use std::fmt;
use url::{Host, Url};

/// A base address, such as `http://localhost:11434` or `https://models.example/v1`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Destination {
    url: Url,
}

/// Why a text is not the base address of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DestinationError {
    #[error("the address is empty")]
    Empty,
    #[error("the address has no scheme; write `http://` or `https://` in front of it")]
    MissingScheme,
    #[error("`{0}` is not supported; the scheme must be `http` or `https`")]
    Scheme(String),
    #[error("the address holds a user name or password; gsd takes keys from variables only")]
    UserInfo,
    #[error("the address has no host")]
    MissingHost,
    #[error("the address has a query or a fragment; only a host and a path can be a base")]
    QueryOrFragment,
    #[error("the address holds a space, a backslash or a control character")]
    Character,
    #[error("the address is not valid: {0}")]
    Invalid(String),
}

/// Why a path cannot be appended to a base address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    #[error("the path must start with one `/`")]
    NotAbsolute,
    #[error("the path holds a space, a backslash, a fragment or a control character")]
    Character,
    #[error("the path leaves the address it is appended to")]
    Escapes,
}

impl Destination {
    /// Parses and canonicalises a base address.
    pub fn parse(text: &str) -> Result<Self, DestinationError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(DestinationError::Empty);
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(DestinationError::MissingScheme);
        };
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            // The text before `://` may be anything, so only a plausible scheme is repeated.
            let plain = scheme.chars().take(20).all(|c| c.is_ascii_alphanumeric());
            return Err(if plain && !scheme.is_empty() {
                DestinationError::Scheme(scheme.chars().take(20).collect())
            } else {
                DestinationError::MissingScheme
            });
        }
        // The URL standard repairs all of these in ways that differ between programs.
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(DestinationError::Character);
        }
        if rest.is_empty() || rest.starts_with('/') {
            return Err(DestinationError::MissingHost);
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(DestinationError::UserInfo);
        }
        if rest.contains(['?', '#']) {
            return Err(DestinationError::QueryOrFragment);
        }
        let mut url = Url::parse(text).map_err(|e| DestinationError::Invalid(e.to_string()))?;
        if url.host_str().is_none_or(str::is_empty) {
            return Err(DestinationError::MissingHost);
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self { url })
    }

    /// Appends a path such as `/v1/models`. A version that ends the base and starts the path is
    /// not doubled. The result has the origin and the path prefix of the base, or is an error.
    pub fn join(&self, path: &str) -> Result<SafeUrl, JoinError> {
        if !path.starts_with('/') || path.starts_with("//") {
            return Err(JoinError::NotAbsolute);
        }
        if path.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\' || c == '#') {
            return Err(JoinError::Character);
        }
        let prefix = self.prefix();
        let last = prefix.rsplit('/').next().unwrap_or_default();
        let first = path[1..].split(['/', '?']).next().unwrap_or_default();
        let tail = if is_version(last) && last == first { &path[1 + first.len()..] } else { path };
        let joined = Url::parse(&format!("{}{prefix}{tail}", self.origin()))
            .map_err(|_| JoinError::Escapes)?;
        // `..`, also in its percent-encoded spellings, is resolved by the parser; a path that used
        // it no longer starts with the prefix, or points at something the manifest did not show.
        let segments = tail.split('?').next().unwrap_or_default().split('/');
        let climbs =
            segments.map(|s| s.to_ascii_lowercase().replace("%2e", ".")).any(|s| s == "..");
        let stays = joined.origin() == self.url.origin()
            && joined.username().is_empty()
            && joined.password().is_none()
            && joined.path().starts_with(prefix);
        if climbs || !stays {
            return Err(JoinError::Escapes);
        }
        Ok(SafeUrl { url: joined })
    }

    /// Scheme, host and port: `https://models.example:8443`. A default port is left out.
    pub fn origin(&self) -> Origin {
        Origin(self.url.origin().ascii_serialization())
    }

    /// The path before everything that is joined: empty, or `/` and no trailing slash.
    pub fn prefix(&self) -> &str {
        // The parser keeps at least `/` as the path of an http URL.
        self.url.path().trim_end_matches('/')
    }

    /// Whether the host is this machine, however it is spelled.
    pub fn is_loopback(&self) -> bool {
        host_is_loopback(&self.url)
    }

    /// Whether the connection is encrypted.
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }
}

/// The loopback networks, and the names that RFC 6761 reserves for them. `0.0.0.0` is not one:
/// where it leads is up to the system.
pub(super) fn host_is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => {
            address.is_loopback() || address.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback())
        }
        Some(Host::Domain(name)) => is_local_name(name),
        None => false,
    }
}

pub(super) fn is_local_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name == "localhost" || name.ends_with(".localhost")
}

/// `v1`, `v2`, …: a version segment, the one thing that base and path are known to repeat.
fn is_version(segment: &str) -> bool {
    segment
        .strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Shown as origin and prefix, its canonical spelling: two destinations are the same place exactly
/// if these texts are equal.
impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.prefix())
    }
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Destination({self})")
    }
}

/// Scheme, host and port in canonical spelling.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(String);

impl Origin {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A whole address that may hold secrets: what is shown has neither userinfo nor query values.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SafeUrl {
    url: Url,
}

impl SafeUrl {
    /// Parses an absolute http or https address, such as that of a download.
    pub fn parse(text: &str) -> Result<Self, DestinationError> {
        let url = Url::parse(text.trim()).map_err(|e| match e {
            url::ParseError::RelativeUrlWithoutBase => DestinationError::MissingScheme,
            other => DestinationError::Invalid(other.to_string()),
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(DestinationError::Scheme(url.scheme().chars().take(20).collect()));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(DestinationError::MissingHost);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(DestinationError::UserInfo);
        }
        Ok(Self { url })
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> Origin {
        Origin(self.url.origin().ascii_serialization())
    }

    /// Whether the host is this machine, however it is spelled.
    pub fn is_loopback(&self) -> bool {
        host_is_loopback(&self.url)
    }

    /// Whether it names a user or a password; an address that somebody wrote down never does.
    pub fn has_user(&self) -> bool {
        !self.url.username().is_empty() || self.url.password().is_some()
    }

    /// The host in its canonical spelling, an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    pub fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// The path, from its first `/` on, without a query.
    pub fn path(&self) -> &str {
        self.url.path()
    }

    /// Whether the connection is encrypted.
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The address that a `Location` header points at, seen from this one; `None` if it is no
    /// http or https address.
    pub fn resolve(&self, location: &str) -> Option<SafeUrl> {
        let url = self.url.join(location.trim()).ok()?;
        let sound = matches!(url.scheme(), "http" | "https") && url.has_host();
        sound.then_some(SafeUrl { url })
    }

    /// The address of a file beside it that has the same name and this ending more.
    pub fn with_ending(&self, ending: &str) -> SafeUrl {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{ending}", self.url.path()));
        SafeUrl { url }
    }

    /// The same without a user, a query and a fragment, for records.
    pub fn without_secrets(&self) -> String {
        format!("{}{}", self.origin(), self.path())
    }

    /// The text with everything in it. Only for the request itself.
    pub(super) fn expose(&self) -> &str {
        self.url.as_str()
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }
}

impl fmt::Display for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.url.clone();
        // Both fail only for addresses that cannot hold a user at all.
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
        shown.set_fragment(None);
        shown.set_query(None);
        f.write_str(shown.as_str())?;
        for (index, (name, _)) in self.url.query_pairs().enumerate() {
            let mark = if index == 0 { '?' } else { '&' };
            // A name without a value may be the secret itself, but then nothing tells it apart.
            write!(f, "{mark}{}=***", name.escape_default())?;
        }
        Ok(())
    }
}

impl fmt::Debug for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SafeUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Destination::parse(text).map_or_else(|e| format!("{e:?}"), |d| d.to_string())
    }

    #[test]
    fn spellings_of_one_place_are_equal() {
        for (spellings, canonical) in [
            (
                &[
                    "http://localhost:11434",
                    "http://localhost:11434/",
                    "http://localhost:11434//",
                    "HTTP://LOCALHOST:11434",
                    "  http://LocalHost:11434/ ",
                    "http://%6cocalhost:11434",
                ][..],
                "http://localhost:11434",
            ),
            (&["http://models.example:80/", "http://MODELS.example"], "http://models.example"),
            (&["https://models.example:443"], "https://models.example"),
            (&["https://models.example:80/"], "https://models.example:80"),
            (&["http://h.example/a/v1//", "http://h.example/a/./v1"], "http://h.example/a/v1"),
            (&["http://bücher.example", "http://BÜCHER.example"], "http://xn--bcher-kva.example"),
            (&["http://[::1]:80", "http://[0:0:0::0001]"], "http://[::1]"),
            (
                &["http://2130706433", "http://0x7f.1", "http://0177.0.0.1", "http://127.1."],
                "http://127.0.0.1",
            ),
        ] {
            for spelling in spellings {
                assert_eq!(shown(spelling), canonical, "{spelling}");
            }
        }
    }

    #[test]
    fn what_is_no_base_address() {
        use DestinationError as E;
        for (text, error) in [
            ("", E::Empty),
            ("  ", E::Empty),
            ("localhost:11434", E::MissingScheme),
            ("models.example", E::MissingScheme),
            ("//models.example", E::MissingScheme),
            ("null", E::MissingScheme),
            ("javascript:alert(1)", E::MissingScheme),
            ("file:///etc/passwd", E::Scheme("file".into())),
            ("ftp://models.example", E::Scheme("ftp".into())),
            ("http://", E::MissingHost),
            ("http:///x", E::MissingHost),
            ("http:////models.example", E::MissingHost),
            ("http://user@models.example", E::UserInfo),
            ("http://user:pass@models.example/v1", E::UserInfo),
            ("http://@models.example", E::UserInfo),
            ("http://models.example?key=1", E::QueryOrFragment),
            ("http://models.example/#x", E::QueryOrFragment),
            ("http://models.example\\@evil.example", E::Character),
            ("http://models.exa\tmple", E::Character),
            ("http://models .example", E::Character),
        ] {
            assert_eq!(Destination::parse(text), Err(error), "{text}");
        }
        for text in
            ["http://h:99999", "http://[::1", "http://256.1.1.1", "http://a%00b", "http://x:y"]
        {
            let parsed = Destination::parse(text);
            assert!(matches!(parsed, Err(E::Invalid(_))), "{text}: {parsed:?}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for text in [
            "http://localhost",
            "http://LOCALHOST.",
            "http://api.localhost:1",
            "http://127.0.0.1",
            "http://127.255.255.254",
            "http://2130706433",
            "http://0x7f000001",
            "http://017700000001",
            "http://127.1",
            "http://[::1]",
            "http://[::ffff:127.0.0.1]",
            "http://[::ffff:7f00:1]",
            "http://①②⑦.0.0.1",
        ] {
            assert!(Destination::parse(text).unwrap().is_loopback(), "{text}");
        }
        for text in [
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://notlocalhost",
            "http://128.0.0.1",
            "http://0.0.0.0",
            "http://[::]",
            "http://[::2]",
            "http://192.168.1.4",
            "http://evil.example/localhost",
        ] {
            assert!(!Destination::parse(text).unwrap().is_loopback(), "{text}");
        }
    }

    fn joined(base: &str, path: &str) -> Result<String, JoinError> {
        Destination::parse(base).unwrap().join(path).map(|url| url.to_string())
    }

    #[test]
    fn a_version_is_not_doubled() {
        for (base, path, whole) in [
            ("http://h", "/v1/models", "http://h/v1/models"),
            ("http://h/v1", "/v1/models", "http://h/v1/models"),
            ("http://h/v1//", "/v1/models", "http://h/v1/models"),
            ("http://h/a/v1", "/v1", "http://h/a/v1"),
            ("http://h/a/v1", "/v1/chat/completions", "http://h/a/v1/chat/completions"),
            ("http://h/v1", "/v10/models", "http://h/v1/v10/models"),
            ("http://h/v1", "/chat/completions", "http://h/v1/chat/completions"),
            ("http://h/api", "/api/tags", "http://h/api/api/tags"),
            ("http://h:80", "/v1/x?version=1", "http://h/v1/x?version=***"),
        ] {
            assert_eq!(joined(base, path).as_deref(), Ok(whole), "{base} + {path}");
        }
    }

    #[test]
    fn a_path_cannot_leave_its_base() {
        for (path, error) in [
            (".evil.example/x", JoinError::NotAbsolute),
            ("@evil.example/x", JoinError::NotAbsolute),
            ("//evil.example", JoinError::NotAbsolute),
            ("http://evil.example", JoinError::NotAbsolute),
            ("", JoinError::NotAbsolute),
            ("/\\evil.example", JoinError::Character),
            ("/a b", JoinError::Character),
            ("/a\nb", JoinError::Character),
            ("/a#b", JoinError::Character),
            ("/../admin", JoinError::Escapes),
            ("/a/%2e%2E/b", JoinError::Escapes),
            ("/.%2e/x", JoinError::Escapes),
        ] {
            assert_eq!(joined("http://h/base", path), Err(error), "{path}");
        }
        assert_eq!(joined("http://h/base", "/a..b").as_deref(), Ok("http://h/base/a..b"));
    }

    #[test]
    fn what_is_shown_holds_no_secret() {
        let url = SafeUrl::parse("https://h/p?token=hunter2&x=1").unwrap();
        assert_eq!(url.to_string(), "https://h/p?token=***&x=***");
        assert_eq!(format!("{url:?}"), "SafeUrl(https://h/p?token=***&x=***)");
        let target = url.resolve("https://user:pw@other.example/x#f").unwrap();
        assert_eq!(target.to_string(), "https://other.example/x");
        assert_eq!(url.resolve("/y?s=1").unwrap().to_string(), "https://h/y?s=***");
    }

    #[test]
    fn what_lies_beside_is_asked_for_alike() {
        for (url, beside) in [
            ("https://h/a/x.tgz", "https://h/a/x.tgz.sig"),
            ("https://h/x%2fy.tgz?raw=1", "https://h/x%2fy.tgz.sig?raw=1"),
            ("https://h", "https://h/.sig"),
        ] {
            assert_eq!(SafeUrl::parse(url).unwrap().with_ending(".sig").expose(), beside);
        }
    }
}
