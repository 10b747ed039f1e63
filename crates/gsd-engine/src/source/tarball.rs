//! An archive at an address.

use super::fetch::{FetchContext, FetchError, Fetched, Resolved};
use super::signature::{self, Signed};
use super::spec::masked;
use super::unpack::{Promise, unpack};
use super::web::{Ask, Listed, Web};
use super::{Base, Kind, Peek, Reading, Source, SpecError, Target};
use camino::Utf8Path;
use gsd_io::http::{Coding, DestinationError, SafeUrl};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "tarball",
    forms: &[
        ("https://HOST/NAME.tgz", "an archive: .tgz, .tar.gz or .tar; a query may follow"),
        ("tar+https://HOST/PATH", "the same, whatever its name"),
    ],
    read,
};

#[derive(Debug)]
struct Tarball {
    url: SafeUrl,
    /// With its query, which a record keeps and a message does not.
    text: String,
}

fn read(text: &str, _: &Base<'_>) -> Reading {
    let lower = text.to_ascii_lowercase();
    let marked = lower.starts_with("tar+http://") || lower.starts_with("tar+https://");
    let address = if marked { &text[4..] } else { text };
    let plain = lower.starts_with("http://") || lower.starts_with("https://");
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let is_mine = marked || (plain && is_archive(path));
    is_mine.then(|| parse(address).map(|tarball| Arc::new(tarball) as Arc<dyn Source>))
}

/// Whether a path ends as archives do.
pub(super) fn is_archive(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    [".tgz", ".tar.gz", ".tar"].iter().any(|ending| path.ends_with(ending))
}

fn parse(address: &str) -> Result<Tarball, SpecError> {
    if address.contains('#') {
        return Err(SpecError::bad(
            format!("`{}` has a fragment, which an archive does not have", masked(address)),
            "leave `#…` out; for a git repository write `git+https://…#REF`",
        ));
    }
    let url = web_url(address)?;
    let query = address.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let text = match query {
        "" => url.without_secrets(),
        query => format!("{}?{query}", url.without_secrets()),
    };
    Ok(Tarball { url, text })
}

/// Reads an address that may be recorded: without a user, and without a secret in its query.
pub(super) fn web_url(address: &str) -> Result<SafeUrl, SpecError> {
    let query = address.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let secret = query.split('&').any(|pair| {
        let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
        let part = ["token", "secret", "signature", "credential", "password", "apikey", "api_key"];
        let whole = ["key", "sig", "auth", "pass", "access_key"];
        part.iter().any(|word| name.contains(word)) || whole.contains(&name.as_str())
    });
    if secret {
        return Err(SpecError::bad(
            format!("`{}` seems to hold a secret, which gsd would have to record", masked(address)),
            "download the archive yourself and install the file",
        ));
    }
    if address.contains('\\') {
        return Err(SpecError::bad(
            format!("`{}` has a backslash, which programs read differently", masked(address)),
            "write `/`",
        ));
    }
    SafeUrl::parse(address).map_err(|error| {
        let hint = match error {
            DestinationError::UserInfo => {
                "leave the user and the password out: gsd records neither"
            }
            _ => "write `https://HOST/PATH`",
        };
        SpecError::bad(format!("`{}` cannot be used: {error}", masked(address)), hint)
    })
}

/// What is asked where an archive is expected.
pub(super) const fn archive(max: u64, listed: Listed) -> Ask<'static> {
    Ask { accept: "*/*", max, coding: Coding::AsSent, token: None, listed }
}

impl Source for Tarball {
    fn recorded(&self) -> String {
        if is_archive(self.url.path()) { self.text.clone() } else { format!("tar+{}", self.text) }
    }

    fn identity(&self) -> String {
        self.url.without_secrets()
    }

    fn exactly(&self, _: &Resolved) -> String {
        self.recorded()
    }

    fn target(&self) -> Target<'_> {
        Target::Host { name: self.url.host(), path: self.url.path() }
    }

    fn fetch(&self, context: &FetchContext<'_>, scratch: &Utf8Path) -> Result<Fetched, FetchError> {
        let file = scratch.join("archive");
        let ask = archive(context.limits.bytes, Listed::ByHost);
        let web = Web::new(context)?;
        let key = signature::key(context, &[self.target()])?;
        let signed = Signed::at_address(&web, key, &self.url)?;
        let last = web.save(&self.url, &ask, &file)?;
        let promise = Promise { integrity: None, signed };
        let unpacked = unpack(context, &self.url.to_string(), &file, scratch, promise)?;
        Ok(unpacked.fetched(self.recorded(), None, Some(last.without_secrets())))
    }

    fn peek(&self, _: &FetchContext<'_>) -> Peek {
        Peek::Manual
    }
}
