//! Where a repository is: an address that no program can take for one of its options.

use super::super::SpecError;
use super::super::spec::masked;
use super::super::tarball::web_url;
use gsd_io::http::SafeUrl;
use std::fmt;

/// The address of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    Web(SafeUrl),
    /// `ssh://user@host:port/path`, or `user@host:path` where the path begins at the user's home.
    Ssh {
        user: Option<String>,
        host: String,
        port: Option<u16>,
        path: String,
        from_home: bool,
    },
    /// `git://`, which neither encrypts nor tells who answers.
    Daemon {
        host: String,
        port: Option<u16>,
        path: String,
    },
}

impl Address {
    /// Reads a text that is the address of a repository; `None` if it is something else.
    pub(super) fn read(text: &str) -> Option<Result<Self, SpecError>> {
        for (shorthand, host) in [("github:", "github.com"), ("gitlab:", "gitlab.com")] {
            if let Some(path) = text.strip_prefix(shorthand) {
                return Some(Self::hosted(text, host, path));
            }
        }
        let (text, marked) = text.strip_prefix("git+").map_or((text, false), |rest| (rest, true));
        let lower = text.to_ascii_lowercase();
        let (scheme, rest) = match lower.find("://") {
            Some(at) => (Some(&lower[..at]), &text[at + 3..]),
            None => (None, text),
        };
        Some(match scheme {
            Some("http" | "https") if marked || is_repository(text) => Self::web(text),
            Some("ssh") => Self::ssh(text, rest),
            Some("git") => Self::daemon(text, rest),
            None if is_scp(text) => Self::scp(text),
            _ if marked => Err(transport(text)),
            _ => return None,
        })
    }

    fn hosted(text: &str, host: &str, path: &str) -> Result<Self, SpecError> {
        let parts: Vec<_> = path.split('/').collect();
        if parts.len() < 2 || !parts.iter().all(|part| is_word(part)) {
            return Err(bad(text, "it names no owner and repository", "write `github:OWNER/NAME`"));
        }
        let path = path.strip_suffix(".git").unwrap_or(path);
        Self::web(&format!("https://{host}/{path}.git"))
    }

    fn web(text: &str) -> Result<Self, SpecError> {
        if text.contains('?') {
            return Err(bad(text, "a repository has no query", "leave `?…` out"));
        }
        let url = web_url(text)?;
        // What programs would decode differently, or at all.
        check_path(text, url.path())?;
        Ok(Self::Web(url))
    }

    fn ssh(text: &str, rest: &str) -> Result<Self, SpecError> {
        let (authority, path) = split(text, rest)?;
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        if let Some(user) = user {
            check_user(text, user)?;
        }
        let (host, port) = host_and_port(text, host)?;
        check_path(text, path)?;
        let (user, path) = (user.map(str::to_owned), path.to_owned());
        Ok(Self::Ssh { user, host, port, path, from_home: false })
    }

    fn scp(text: &str) -> Result<Self, SpecError> {
        let (user, rest) = text.split_once('@').unwrap_or_default();
        check_user(text, user)?;
        let (host, path) = rest.split_once(':').unwrap_or_default();
        let (host, _) = host_and_port(text, host)?;
        check_path(text, path)?;
        let (user, path) = (Some(user.to_owned()), path.to_owned());
        Ok(Self::Ssh { user, host, port: None, path, from_home: true })
    }

    fn daemon(text: &str, rest: &str) -> Result<Self, SpecError> {
        let (authority, path) = split(text, rest)?;
        let (host, port) = host_and_port(text, authority)?;
        check_path(text, path)?;
        Ok(Self::Daemon { host, port, path: path.to_owned() })
    }

    pub(super) fn host(&self) -> &str {
        match self {
            Self::Web(url) => url.host(),
            Self::Ssh { host, .. } | Self::Daemon { host, .. } => host,
        }
    }

    pub(super) fn path(&self) -> &str {
        match self {
            Self::Web(url) => url.path(),
            Self::Ssh { path, .. } | Self::Daemon { path, .. } => path,
        }
    }

    /// Whether the way is encrypted and the other side has to say who it is.
    pub(super) fn is_authenticated(&self) -> bool {
        match self {
            Self::Web(url) => url.is_https(),
            Self::Ssh { .. } => true,
            Self::Daemon { .. } => false,
        }
    }

    /// For records: understood by [`Address::read`].
    pub(super) fn recorded(&self) -> String {
        match self {
            Self::Ssh { from_home: true, .. } => self.to_string(),
            _ => format!("git+{self}"),
        }
    }
}

/// As git takes it.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port_of = |port: &Option<u16>| port.map(|port| format!(":{port}")).unwrap_or_default();
        match self {
            Self::Web(url) => f.write_str(&url.without_secrets()),
            Self::Ssh { user, host, port, path, from_home } => {
                let user = user.as_ref().map(|user| format!("{user}@")).unwrap_or_default();
                match from_home {
                    true => write!(f, "{user}{host}:{path}"),
                    false => write!(f, "ssh://{user}{host}{}{path}", port_of(port)),
                }
            }
            Self::Daemon { host, port, path } => {
                write!(f, "git://{host}{}{path}", port_of(port))
            }
        }
    }
}

fn bad(text: &str, what: &str, hint: &str) -> SpecError {
    SpecError::bad(format!("`{}` cannot be used: {what}", masked(text)), hint)
}

fn transport(text: &str) -> SpecError {
    SpecError::bad(
        format!("unsupported git transport in `{}`; expected https or ssh", masked(text)),
        "write `git+https://HOST/PATH` or `git+ssh://HOST/PATH`; a folder is written as `./DIR`",
    )
}

/// An address that ends as repositories do.
fn is_repository(text: &str) -> bool {
    text.split('?').next().unwrap_or_default().trim_end_matches('/').ends_with(".git")
}

/// `user@host:path`: an `@` before the first colon, and no slash before that.
fn is_scp(text: &str) -> bool {
    text.split_once(':').is_some_and(|(front, path)| {
        front.contains('@') && !front.contains('/') && !path.starts_with(':')
    })
}

fn split<'a>(text: &str, rest: &'a str) -> Result<(&'a str, &'a str), SpecError> {
    match rest.find('/') {
        Some(at) if at > 0 => Ok(rest.split_at(at)),
        _ => Err(bad(text, "it names no host and path", "write `ssh://HOST/PATH`")),
    }
}

/// A word that no program takes for an option or a way up.
fn is_word(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    !text.is_empty() && !text.starts_with(['-', '.']) && text.bytes().all(plain)
}

fn check_user(text: &str, user: &str) -> Result<(), SpecError> {
    if is_word(user) {
        return Ok(());
    }
    let what = "its user is no plain name; a password is never recorded";
    Err(bad(text, what, "leave the password out and use a key of yours"))
}

fn host_and_port(text: &str, host: &str) -> Result<(String, Option<u16>), SpecError> {
    let wrong = || bad(text, "its host is no plain name", "write `HOST` or `HOST:PORT`");
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => {
            (host, Some(port.parse::<u16>().map_err(|_| wrong())?))
        }
        _ => (host, None),
    };
    let literal = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let sound = match literal {
        Some(inside) => inside.parse::<std::net::Ipv6Addr>().is_ok(),
        None => is_word(host),
    };
    if sound { Ok((host.to_ascii_lowercase(), port)) } else { Err(wrong()) }
}

fn check_path(text: &str, path: &str) -> Result<(), SpecError> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._~/+@%-".contains(&b);
    let parts = || path.split('/').filter(|part| !part.is_empty());
    let sound = path.bytes().all(plain)
        && parts().next().is_some()
        && !parts().any(|part| part == ".." || part.starts_with('-'));
    if sound {
        return Ok(());
    }
    let what = "its path has other characters than names of repositories have";
    Err(bad(text, what, "write it as its host shows it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_recorded_in_one() {
        for (text, recorded) in [
            ("git+https://h.example/o/r", "git+https://h.example/o/r"),
            ("https://H.example:443/o/r.git", "git+https://h.example/o/r.git"),
            ("git+http://h/o/r", "git+http://h/o/r"),
            ("git+ssh://git@h:22/o/r.git", "git+ssh://git@h:22/o/r.git"),
            ("ssh://h/o/r", "git+ssh://h/o/r"),
            ("git@h.example:o/r.git", "git@h.example:o/r.git"),
            ("git+git@h.example:o/r.git", "git@h.example:o/r.git"),
            ("github:o/r", "git+https://github.com/o/r.git"),
            ("gitlab:g/s/r.git", "git+https://gitlab.com/g/s/r.git"),
            ("git://127.0.0.1:9418/r.git", "git+git://127.0.0.1:9418/r.git"),
            ("ssh://[::1]:22/r", "git+ssh://[::1]:22/r"),
        ] {
            let address = Address::read(text).expect(text).expect(text);
            assert_eq!(address.recorded(), recorded);
            assert_eq!(Address::read(recorded), Some(Ok(address)), "{recorded}");
        }
    }

    #[test]
    fn what_git_would_take_for_something_else_is_refused() {
        for bad in [
            "git+ext::sh -c id",
            "git+EXT::x",
            "git+fd::17",
            "git+file:///etc",
            "git+/tmp/x.git",
            "git+./x",
            "git+--upload-pack=/tmp/x",
            "git+ftp://h/x",
            "git+",
            "git+x",
            "ssh://-oProxyCommand=x/y",
            "ssh://h",
            "ssh:///x",
            "ssh://u:p@h/x",
            "ssh://-u@h/x",
            "ssh://h:port/x",
            "ssh://h:99999/x",
            "ssh://h/a b",
            "ssh://h/-x",
            "ssh://h/../x",
            "-u@h:x",
            "u@-h:x",
            "u@h:-x",
            "u@h:",
            "u@h:a;b",
            "u@h:$(id)",
            "u@h:a\\b",
            "git://h",
            "git://-h/x",
            "github:o",
            "github:o/r/..",
            "github:-o/r",
            "github:o/-r",
            "github:o/r?x",
            "https://u:p@h/r.git",
            "https://h/r.git?x=1",
            "git+https://h/",
            "git+https://h/-x",
            "git+https://h/a;b.git",
            "git+https://",
            "ssh://h/a\nb",
        ] {
            let read = Address::read(bad);
            assert!(matches!(read, Some(Err(_))), "{bad}: {read:?}");
        }
        for other in
            ["ext::sh -c id", "name@registry", "https://h/x", "name", "a:b", "https://h/x.tgz"]
        {
            assert_eq!(Address::read(other), None, "{other}");
        }
    }
}
