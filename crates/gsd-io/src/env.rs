//! The environment of the process, captured once in `main` and passed on as a value.
//!
//! Nothing below `main` looks at `std::env`, so a test can give a run its own world.

use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;

/// Variables, working directory and own executable, as they were when the process started.
#[derive(Debug, Clone)]
pub struct Env {
    vars: BTreeMap<String, String>,
    cwd: Utf8PathBuf,
    own_executable: Utf8PathBuf,
}

/// Variables by which an AI program tells its children that they run inside it. A child of ours
/// runs beside it, not inside it, so none of these is ever passed on.
pub const NESTING_MARKERS: [&str; 12] = [
    "ANTIGRAVITY_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "CURSOR_SESSION_ID",
    "GEMINI_CLI",
    "OPENCODE",
    "QWEN_CODE",
];

/// What every child may know of our environment: where things are, in which language, and how
/// the network is reached. Credentials are not in it.
const CHILD_VARIABLES: [&str; 18] = [
    "ALL_PROXY",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LOGNAME",
    "NO_PROXY",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "TZ",
    "USER",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Why the environment could not be captured.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    #[error("the current directory cannot be read")]
    Cwd(#[source] std::io::Error),
    #[error("the path of the running program cannot be read")]
    Executable(#[source] std::io::Error),
    #[error("`{0}` is not UTF-8; gsd works with UTF-8 paths only")]
    NotUtf8(String),
}

impl Env {
    /// Reads the process's environment. Variables that are not UTF-8 are left out: no child of
    /// ours gets them.
    pub fn capture() -> Result<Self, EnvError> {
        let vars = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let utf8 = |path: std::path::PathBuf| {
            Utf8PathBuf::from_path_buf(path).map_err(|p| EnvError::NotUtf8(p.display().to_string()))
        };
        let cwd = utf8(std::env::current_dir().map_err(EnvError::Cwd)?)?;
        let own_executable = utf8(std::env::current_exe().map_err(EnvError::Executable)?)?;
        Ok(Self { vars, cwd, own_executable })
    }

    /// An environment made by hand, for tests.
    pub fn from_parts(
        vars: impl IntoIterator<Item = (String, String)>,
        cwd: Utf8PathBuf,
        own_executable: Utf8PathBuf,
    ) -> Self {
        Self { vars: vars.into_iter().collect(), cwd, own_executable }
    }

    /// The value of a variable; an empty value counts as unset, as the XDG standard asks.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Every variable, sorted by name.
    pub fn vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.vars.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn cwd(&self) -> &Utf8Path {
        &self.cwd
    }

    pub fn own_executable(&self) -> &Utf8Path {
        &self.own_executable
    }

    /// The user's home: `HOME` if it is an absolute path.
    pub fn home(&self) -> Option<&Utf8Path> {
        self.var("HOME").map(Utf8Path::new).filter(|path| path.is_absolute())
    }

    /// `$XDG_STATE_HOME`, else `~/.local/state` (XDG base directory specification).
    pub fn state_home(&self) -> Option<Utf8PathBuf> {
        self.var("XDG_STATE_HOME")
            .map(Utf8PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| Some(self.home()?.join(".local/state")))
    }

    /// `$TMPDIR` if it is an absolute path, else `/tmp`.
    pub fn temp_folder(&self) -> &Utf8Path {
        let named = self.var("TMPDIR").map(Utf8Path::new).filter(|path| path.is_absolute());
        named.unwrap_or(Utf8Path::new("/tmp"))
    }

    /// The absolute folders of `PATH`, in order. Empty and relative entries are ignored: a program
    /// must not come from whatever directory happens to be the current one.
    pub fn path_dirs(&self) -> Vec<Utf8PathBuf> {
        self.var("PATH")
            .unwrap_or_default()
            .split(':')
            .filter(|entry| entry.starts_with('/'))
            .map(Utf8PathBuf::from)
            .collect()
    }

    /// The environment that a child starts from: an allow-list of ours, and the wish for plain
    /// text. What a lane declares comes on top of it.
    pub fn child_base(&self) -> Vec<(String, String)> {
        let allowed = |name: &str| {
            CHILD_VARIABLES.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_")
        };
        let mut base: Vec<_> = self
            .vars()
            .filter(|(name, _)| allowed(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        base.push(("TERM".to_owned(), "dumb".to_owned()));
        base.push(("NO_COLOR".to_owned(), "1".to_owned()));
        base
    }

    /// A path as the user typed it, made absolute against the working directory.
    pub fn absolute(&self, path: &Utf8Path) -> Utf8PathBuf {
        self.cwd.join(path)
    }
}

/// The words of the command line, the program's name first; the first one that is not UTF-8 as
/// the error, made printable.
pub fn arguments() -> Result<Vec<String>, String> {
    std::env::args_os()
        .map(|word| word.into_string().map_err(|word| word.to_string_lossy().into_owned()))
        .collect()
}

/// Whether a word is one of the command line, even if another one is not UTF-8.
pub fn is_among_arguments(word: &str) -> bool {
    std::env::args_os().skip(1).any(|given| given == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_starts_from_the_allow_list_only() {
        let pairs = [
            ("PATH", "/bin"),
            ("LC_TIME", "C"),
            ("XDG_CONFIG_HOME", "/c"),
            ("https_proxy", "http://p"),
            ("TERM", "xterm"),
            ("OPENAI_API_KEY", "secret"),
            ("NODE_OPTIONS", "--require=x"),
            ("LD_PRELOAD", "/x.so"),
        ]
        .into_iter()
        .chain(NESTING_MARKERS.map(|name| (name, "1")))
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let env = Env::from_parts(pairs, "/".into(), "/gsd".into());
        let base = env.child_base();
        let base: Vec<_> =
            base.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            base,
            [
                ("LC_TIME", "C"),
                ("PATH", "/bin"),
                ("XDG_CONFIG_HOME", "/c"),
                ("https_proxy", "http://p"),
                ("TERM", "dumb"),
                ("NO_COLOR", "1"),
            ]
        );
    }
}
