//! The other side: which commits it has, and the objects of one.

use super::address::Address;
use super::program::Git;
use super::reference::{Reference, is_commit};
use super::version_of;
use crate::source::fetch::{FetchContext, FetchError};
use crate::source::web::{AUTHORITIES, Ask, Listed, Web, left, not_reached};
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Kind};
use gsd_io::http::{self, Coding, Proxies, SafeUrl, Via};
use gsd_io::process::Stdin;
use semver::Version;
use std::net::IpAddr;

/// One commit of a repository may bring this much, packed; its files may come to less.
pub(super) const MAX_DOWNLOAD: u64 = 256 << 20;
const MAX_REFS: usize = 16 << 20;
const MAX_ANSWER: u64 = 64 << 10;
const FETCH: [&str; 6] = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
];

/// A repository that can be asked.
pub(super) struct Remote<'a> {
    git: Git<'a>,
    address: String,
}

/// The commit that a reference means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) commit: String,
    /// The name of the tag or the branch.
    pub(super) name: Option<String>,
    pub(super) is_tag: bool,
    /// What the tag says.
    pub(super) version: Option<Version>,
}

/// The tags that name versions, each with its commit.
#[derive(Debug, Default)]
pub(super) struct Tags(Vec<(Version, String)>);

impl Tags {
    /// The highest version among the tags of a commit.
    pub(super) fn newest_at(&self, commit: &str) -> Option<Version> {
        self.0.iter().filter(|(_, at)| at == commit).map(|(version, _)| version).max().cloned()
    }
}

/// Names and what they lead to; for a tag that is an object of its own, the commit behind it.
struct Refs(Vec<(String, String)>);

impl Refs {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, commit)| commit.as_str())
    }

    fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.0.iter();
        all.filter_map(|(name, commit)| Some((name.strip_prefix("refs/tags/")?, commit.as_str())))
    }
}

impl<'a> Remote<'a> {
    /// Finds out where the repository really is, whether that may be asked, and how.
    pub(super) fn reach(
        address: &Address,
        context: &'a FetchContext<'a>,
        scratch: Option<&Utf8Path>,
    ) -> Result<Self, FetchError> {
        let mut git = Git::new(context, scratch.unwrap_or(Utf8Path::new("/")))?;
        // The user's own settings may make SSH write: a socket, the keys of hosts.
        if !matches!(address, Address::Ssh { .. }) {
            git.confine(scratch);
        }
        let told = match address {
            Address::Web(url) => {
                let base = located(url, context)?;
                route(&mut git, &base)?;
                let pace = context.patience.pace;
                let seconds = pace.within.as_secs().max(1);
                git.set(format!("http.lowSpeedLimit={}", pace.bytes / seconds));
                git.set(format!("http.lowSpeedTime={seconds}"));
                base.without_secrets()
            }
            Address::Daemon { host, port, .. } => {
                let reach = context.policy.reach(host, port.unwrap_or(9418));
                http::resolve(host, reach, left(context))
                    .map_err(|error| not_reached(&address.to_string(), host, error))?;
                address.to_string()
            }
            Address::Ssh { .. } => address.to_string(),
        };
        Ok(Self { git, address: told })
    }

    /// Where the repository is, after every redirect.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    fn unreachable(&self, why: impl AsRef<str>) -> FetchError {
        FetchError::unreachable(&self.address, why)
    }

    fn no_such(&self, what: String) -> FetchError {
        FetchError::NoSuch { place: printable(&self.address, 200), what: printable(&what, 200) }
    }

    /// The commit that a reference means now.
    pub(super) fn find(&self, reference: &Reference) -> Result<Found, FetchError> {
        if let Reference::Commit(commit) = reference {
            let commit = commit.clone();
            return Ok(Found { commit, name: None, is_tag: false, version: None });
        }
        let refs = self.list(&match reference {
            Reference::Head | Reference::Commit(_) => vec!["HEAD".to_owned()],
            Reference::Tag(name) => vec![tag(name), format!("{}^{{}}", tag(name))],
            Reference::Branch(name) => vec![branch(name)],
            Reference::Bare(name) => {
                vec![branch(name), tag(name), format!("{}^{{}}", tag(name))]
            }
            Reference::Range(_) => vec!["refs/tags/*".to_owned()],
        })?;
        self.meant(reference, &refs)
    }

    /// As [`Remote::find`], with the versions that tags name.
    pub(super) fn find_with_tags(
        &self,
        reference: &Reference,
    ) -> Result<(Found, Tags), FetchError> {
        let refs = self.list(&["HEAD".into(), "refs/heads/*".into(), "refs/tags/*".into()])?;
        let found = self.meant(reference, &refs)?;
        let tags =
            refs.tags().filter_map(|(name, commit)| Some((version_of(name)?, commit.into())));
        Ok((found, Tags(tags.collect())))
    }

    fn meant(&self, reference: &Reference, refs: &Refs) -> Result<Found, FetchError> {
        let of_tag = |name: &str| {
            let commit = refs.get(&tag(name))?.to_owned();
            let version = version_of(name);
            Some(Found { commit, name: Some(name.to_owned()), is_tag: true, version })
        };
        let of_branch = |name: &str| {
            let commit = refs.get(&branch(name))?.to_owned();
            Some(Found { commit, name: Some(name.to_owned()), is_tag: false, version: None })
        };
        let found = match reference {
            Reference::Head | Reference::Commit(_) => refs.get("HEAD").map(|commit| Found {
                commit: commit.to_owned(),
                name: None,
                is_tag: false,
                version: None,
            }),
            Reference::Tag(name) => of_tag(name),
            Reference::Branch(name) => of_branch(name),
            Reference::Bare(name) => match (of_tag(name), of_branch(name)) {
                (Some(_), Some(_)) => {
                    return Err(FetchError::Ambiguous {
                        what: format!("`{name}` is both a tag and a branch of `{}`", self.address),
                        hint: format!("write `#tag:{name}` or `#branch:{name}`"),
                    });
                }
                (tag, branch) => tag.or(branch),
            },
            Reference::Range(range) => {
                let versions = refs.tags().filter_map(|(name, _)| Some((version_of(name)?, name)));
                versions
                    .filter(|(version, _)| range.contains(version))
                    .max()
                    .and_then(|(_, name)| of_tag(name))
            }
        };
        found.ok_or_else(|| {
            self.no_such(match reference {
                Reference::Head | Reference::Commit(_) => "commit yet".to_owned(),
                Reference::Tag(name) => format!("tag `{name}`"),
                Reference::Branch(name) => format!("branch `{name}`"),
                Reference::Bare(name) => format!("tag or branch `{name}`"),
                Reference::Range(text) => format!("tag that is in `{text}`"),
            })
        })
    }

    fn list(&self, patterns: &[String]) -> Result<Refs, FetchError> {
        let mut args = vec!["ls-remote", "--quiet", "--", self.address.as_str()];
        args.extend(patterns.iter().map(String::as_str));
        let said = self.git.run(&args, Stdin::Empty, MAX_REFS, &mut || false)?;
        let text = said.map_err(|why| self.unreachable(why))?;
        let mut refs: Vec<(String, String)> = vec![];
        // A name that is not UTF-8 is none that anybody asked for.
        for line in text.split(|byte| *byte == b'\n') {
            let Ok(line) = std::str::from_utf8(line) else { continue };
            let Some((id, name)) = line.split_once('\t') else { continue };
            if !is_commit(id) {
                continue;
            }
            match name.strip_suffix("^{}") {
                // It follows the tag that it is the content of.
                Some(name) => {
                    if let Some(last) = refs.last_mut().filter(|(known, _)| known == name) {
                        id.clone_into(&mut last.1);
                    }
                }
                None => refs.push((name.to_owned(), id.to_owned())),
            }
        }
        Ok(Refs(refs))
    }

    /// Brings the objects of a commit into a new repository below `scratch`.
    pub(super) fn fetch(self, found: &Found, scratch: &Utf8Path) -> Result<Git<'a>, FetchError> {
        let repository = scratch.join("repository");
        let format = if found.commit.len() == 64 { "sha256" } else { "sha1" };
        let init = ["init", "--quiet", "--bare", "--template="];
        let format = format!("--object-format={format}");
        let args = [&init[..], &[&format, "--", repository.as_str()]].concat();
        let made = self.git.local(&args, Stdin::Empty, 4096)?;
        made.map_err(|why| {
            FetchError::unusable(format!("git made no repository: {why}"), "update git")
        })?;
        let Self { mut git, address } = self;
        git.enter(&repository);
        let commit = found.commit.as_str();
        let named =
            found.name.as_deref().map(|name| if found.is_tag { tag(name) } else { branch(name) });
        // A server may not give a commit by its id alone. Then its name is asked for, and of a
        // commit without a name all that the server has.
        let second = match &named {
            Some(name) => vec!["--depth=1", "--", &address, name],
            None => vec!["--", &address, "+refs/heads/*:refs/h/*", "+refs/tags/*:refs/t/*"],
        };
        let mut last = None;
        for rest in [vec!["--depth=1", "--", &address, commit], second] {
            let args = [&FETCH[..], &rest].concat();
            let mut is_too_much = || weight(&repository) > MAX_DOWNLOAD;
            let said = git.run(&args, Stdin::Empty, 4096, &mut is_too_much)?;
            last = said.err();
            let kind = git.local(&["cat-file", "-t", commit], Stdin::Empty, 64)?;
            match kind {
                Ok(kind) if kind == b"commit\n" => return Ok(git),
                Ok(_) => break,
                Err(_) => {}
            }
        }
        let place = printable(&address, 200);
        Err(match last {
            Some(why) if found.name.is_some() => FetchError::unreachable(&place, why),
            Some(_) | None => FetchError::NoSuch { place, what: format!("commit {commit}") },
        })
    }
}

fn tag(name: &str) -> String {
    format!("refs/tags/{name}")
}

fn branch(name: &str) -> String {
    format!("refs/heads/{name}")
}

/// Bytes of all objects so far.
fn weight(repository: &Utf8PathBuf) -> u64 {
    let Ok(walked) = fs::walk(&repository.join("objects"), 100_000, &|_| false) else { return 0 };
    let bytes = walked.found.iter().map(|found| match found.stamp.kind {
        Kind::File { bytes } => bytes,
        Kind::Directory | Kind::Link | Kind::Special => 0,
    });
    bytes.sum()
}

/// Follows the redirects of a repository under the rules for all addresses. git itself follows
/// none.
fn located(url: &SafeUrl, context: &FetchContext<'_>) -> Result<SafeUrl, FetchError> {
    const REFS: &str = "/info/refs";
    let base = url.without_secrets();
    let place = base.clone();
    let no_address = |why: &str| FetchError::unreachable(&place, why);
    let first = format!("{}{REFS}?service=git-upload-pack", base.trim_end_matches('/'));
    let first = SafeUrl::parse(&first).map_err(|error| no_address(&error.to_string()))?;
    let ask = Ask {
        accept: "*/*",
        max: MAX_ANSWER,
        coding: Coding::Decoded,
        token: None,
        listed: Listed::ByHost,
    };
    let last = Web::new(context)?.locate(&first, &ask)?.without_secrets();
    let base =
        last.strip_suffix(REFS).ok_or_else(|| no_address("it redirects to no repository"))?;
    SafeUrl::parse(base).map_err(|error| no_address(&error.to_string()))
}

/// Tells git which authorities count, and which addresses the host has or which proxy leads there.
fn route(git: &mut Git<'_>, base: &SafeUrl) -> Result<(), FetchError> {
    let context = git.context();
    if let Some(path) = context.env.var(AUTHORITIES) {
        git.set(format!("http.sslCAInfo={}", context.env.absolute(Utf8Path::new(path))));
    }
    let via = if context.policy.uses_proxy() {
        Proxies::from_env(context.env).via(base).unwrap_or(Via::Direct)
    } else {
        Via::Direct
    };
    if let Via::Proxy(proxy) = via {
        git.through(&proxy);
        return Ok(());
    }
    git.set("http.proxy=".to_owned());
    let (host, port) = (base.host(), base.port());
    let addresses = http::resolve(host, context.policy.reach(host, port), left(context))
        .map_err(|error| not_reached(&base.to_string(), host, error))?;
    // A host that is an address needs no look-up.
    if host.parse::<IpAddr>().is_err() && !host.starts_with('[') {
        let shown = addresses.iter().map(|address| match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
        let shown = shown.collect::<Vec<_>>().join(",");
        git.needs((2, 37), "which keeps to an address that was looked at")?;
        git.set(format!("http.curloptResolve={host}:{port}:{shown}"));
    }
    Ok(())
}
