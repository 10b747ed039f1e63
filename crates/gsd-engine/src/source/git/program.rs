//! The program `git`, with everything turned off by which a repository, a server or a setting
//! could make it do more than it is asked.

use super::super::fetch::{FetchContext, FetchError, Transport};
use super::super::web::left;
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::http::ProxyAddress;
use gsd_io::process::{self, Cap, Command, End, Exit, Limits, Stdin};
use gsd_io::sandbox::{self, Sandbox};
use std::time::Duration;

/// Options that hold for every call.
const FIXED: [&str; 17] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.symlinks=false",
    "credential.helper=",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "transfer.bundleURI=false",
    "http.followRedirects=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=30",
    "protocol.version=2",
    "protocol.allow=never",
    "advice.detachedHead=false",
];

/// A program, and all that it is told beside its task.
pub(super) struct Git<'a> {
    program: Utf8PathBuf,
    context: &'a FetchContext<'a>,
    settings: Vec<String>,
    env: Vec<(String, String)>,
    cwd: Utf8PathBuf,
    sandbox: Sandbox,
}

/// A program that ended well has said this; one that did not has said why.
type Said = Result<Vec<u8>, String>;

impl<'a> Git<'a> {
    /// Finds the program. `cwd` is a folder that is no repository's.
    pub(super) fn new(context: &'a FetchContext<'a>, cwd: &Utf8Path) -> Result<Self, FetchError> {
        let program = process::which("git", context.env).map_err(|error| {
            FetchError::unusable(
                format!("git sources need the program `git`: {error}"),
                "install git, or use the tarball form",
            )
        })?;
        let mut git = Self {
            program,
            context,
            settings: FIXED.map(str::to_owned).to_vec(),
            env: vec![],
            cwd: cwd.to_owned(),
            sandbox: Sandbox::None,
        };
        let mut protocols = vec!["https", "ssh"];
        if context.transport == Transport::Any {
            protocols.extend(["http", "git"]);
        }
        for protocol in &protocols {
            git.set(format!("protocol.{protocol}.allow=always"));
        }
        // Proxies are for the user to allow; they come by a setting.
        let keeps = |name: &str| !name.to_ascii_lowercase().ends_with("_proxy");
        git.env = context.env.child_base().into_iter().filter(|(name, _)| keeps(name)).collect();
        if let Some(agent) = context.env.var("SSH_AUTH_SOCK") {
            git.env.push(("SSH_AUTH_SOCK".to_owned(), agent.to_owned()));
        }
        let fixed = [
            ("GIT_ALLOW_PROTOCOL", protocols.join(":")),
            ("GIT_ATTR_NOSYSTEM", "1".to_owned()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_CONFIG_SYSTEM", "/dev/null".to_owned()),
            // Until there is one, no repository that happens to be around may say anything.
            ("GIT_DIR", "/dev/null/none".to_owned()),
            ("GIT_NO_LAZY_FETCH", "1".to_owned()),
            ("GIT_NO_REPLACE_OBJECTS", "1".to_owned()),
            ("GIT_OPTIONAL_LOCKS", "0".to_owned()),
            ("GIT_PROTOCOL_FROM_USER", "0".to_owned()),
            ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=30 -a -x".to_owned()),
            ("GIT_SSH_VARIANT", "ssh".to_owned()),
            ("GIT_TERMINAL_PROMPT", "0".to_owned()),
            ("GCM_INTERACTIVE", "never".to_owned()),
            ("LC_ALL", "C".to_owned()),
        ];
        git.env.extend(fixed.map(|(name, value)| (name.to_owned(), value)));
        Ok(git)
    }

    /// One more setting, as `name=value`.
    pub(super) fn set(&mut self, setting: String) {
        self.settings.push(setting);
    }

    /// Goes through a proxy. Its address may hold a password, so it is no argument.
    pub(super) fn through(&mut self, proxy: &ProxyAddress) {
        for name in ["https_proxy", "http_proxy"] {
            self.env.push((name.to_owned(), proxy.expose().to_owned()));
        }
    }

    /// Lets it write below this place only, where the system can see to that.
    pub(super) fn confine(&mut self, place: Option<&Utf8Path>) {
        if sandbox::landlock().is_some() {
            let devices = sandbox::DEVICES.iter().map(|device| Utf8Path::new(*device));
            let places = place.into_iter().chain(devices).map(Utf8Path::to_owned).collect();
            self.sandbox = Sandbox::WriteOnly { places };
        }
    }

    /// Looks into a repository from now on, and into no other one.
    pub(super) fn enter(&mut self, repository: &Utf8Path) {
        self.env.push(("GIT_DIR".to_owned(), repository.to_string()));
    }

    pub(super) const fn context(&self) -> &'a FetchContext<'a> {
        self.context
    }

    /// Makes sure that it knows a setting on which safety rests: an older one would pass over it
    /// without a word.
    pub(super) fn needs(&self, version: (u32, u32), what: &str) -> Result<(), FetchError> {
        let said = self.local(&["version"], Stdin::Empty, 4096)?.unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        if version_in(&said).is_some_and(|found| found >= version) {
            return Ok(());
        }
        let (major, minor) = version;
        Err(FetchError::unusable(
            format!("git sources over HTTPS need git {major}.{minor}, {what}"),
            "update git, or use the tarball form",
        ))
    }

    /// Runs a command that asks nobody.
    pub(super) fn local(
        &self,
        args: &[&str],
        stdin: Stdin,
        most: usize,
    ) -> Result<Said, FetchError> {
        self.run(args, stdin, most, &mut || false)
    }

    /// Runs a command that asks the other side. `is_too_much` is looked at about twice a second.
    pub(super) fn run(
        &self,
        args: &[&str],
        stdin: Stdin,
        most: usize,
        is_too_much: &mut dyn FnMut() -> bool,
    ) -> Result<Said, FetchError> {
        let settings = self.settings.iter().flat_map(|setting| ["-c", setting.as_str()]);
        let command = Command {
            program: self.program.clone(),
            args: settings.chain(args.iter().copied()).map(str::to_owned).collect(),
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            stdin,
            sandbox: self.sandbox.clone(),
        };
        let limits = Limits {
            deadline: left(self.context),
            first_byte: None,
            idle: None,
            grace: Duration::from_millis(500),
            drain: Duration::from_millis(500),
            stdout: Cap::Stop { max: most },
            stderr: Cap::log(),
        };
        // The flag of the caller is only read: what is too much here ends this program alone.
        let (outer, inner) = (self.context.cancel, Cancel::new());
        let mut over = false;
        let exit = process::run(&command, &limits, &inner, &mut |_| {
            over = over || is_too_much();
            if over || outer.is_cancelled() {
                inner.stop();
            }
        });
        let exit = exit.map_err(|error| {
            FetchError::unusable(
                format!("`git` does not start: {error}"),
                "look at its installation",
            )
        })?;
        if outer.is_cancelled() {
            return Err(FetchError::Cancelled);
        }
        let place = "the repository".to_owned();
        if over {
            return Err(FetchError::TooLarge { place, max: super::remote::MAX_DOWNLOAD });
        }
        match (exit.end, exit.stdout.whole()) {
            (End::Exited(0), Some(bytes)) => Ok(Ok(bytes.to_vec())),
            (End::OutputTooLarge, _) | (End::Exited(0), None) => {
                Err(FetchError::TooLarge { place, max: most as u64 })
            }
            (End::TimedOut { .. }, _) => Err(FetchError::slow(&place, "its time is up")),
            (End::Exited(_) | End::Signalled(_) | End::Cancelled, _) => Ok(Err(reason(&exit))),
        }
    }
}

/// The numbers in `git version 2.47.3`.
fn version_in(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.trim().strip_prefix("git version ")?.split(['.', ' ', '-']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// The line in which git says what was wrong.
fn reason(exit: &Exit) -> String {
    let text = [exit.stderr.head(), exit.stderr.tail()].concat();
    let text = String::from_utf8_lossy(&text);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let fatal = lines().find(|line| line.starts_with("fatal: ") || line.starts_with("error: "));
    match fatal.or_else(|| lines().next_back()) {
        Some(line) => printable(line, 300),
        None => "git did not say why".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn versions_as_git_says_them() {
        for (said, version) in [
            ("git version 2.47.3\n", Some((2, 47))),
            ("git version 2.39.5 (Apple Git-154)\n", Some((2, 39))),
            ("git version 2.45.1.windows.1\n", Some((2, 45))),
            ("git version 3.0-rc1", Some((3, 0))),
            ("git version next", None),
            ("", None),
        ] {
            assert_eq!(version_in(said), version, "{said}");
        }
    }
}
