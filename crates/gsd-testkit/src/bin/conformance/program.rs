//! The programs under comparison, run as a user would.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use std::process::{Command, Stdio};

#[derive(Debug)]
pub(crate) struct Programs {
    gsd: Utf8PathBuf,
    tools: Utf8PathBuf,
}

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Where a program runs. The environment holds nothing else.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) home: Utf8PathBuf,
    pub(crate) cwd: Utf8PathBuf,
    /// `GSD_HOME`, where a run sets it.
    pub(crate) gsd_home: Option<Utf8PathBuf>,
    /// A folder of programs before those of the system.
    pub(crate) first_on_path: Option<Utf8PathBuf>,
    /// Further variables.
    pub(crate) vars: Vec<(String, String)>,
}

impl Place {
    /// A place with nothing but a home.
    pub(crate) fn plain(home: &Utf8Path, cwd: &Utf8Path) -> Self {
        Self {
            home: home.to_owned(),
            cwd: cwd.to_owned(),
            gsd_home: None,
            first_on_path: None,
            vars: vec![],
        }
    }
}

impl Programs {
    pub(crate) fn of(folder: &Utf8Path) -> Result<Self, String> {
        let find = |name: &str| {
            let path = folder.join(name);
            let path = path.canonicalize_utf8();
            path.map_err(|error| format!("`{folder}/{name}`: {error}; build it first"))
        };
        Ok(Self { gsd: find("gsd")?, tools: find("gsd-tools")? })
    }

    pub(crate) fn gsd(&self, place: &Place, args: &[&str]) -> Result<Ran, String> {
        run(&self.gsd, place, args)
    }

    pub(crate) fn tools(&self, place: &Place, args: &[&str]) -> Result<Ran, String> {
        run(&self.tools, place, args)
    }
}

impl Ran {
    pub(crate) fn json(&self) -> Result<Value, String> {
        serde_json::from_str(&self.stdout)
            .map_err(|error| format!("not JSON: {error}: {}{}", self.stdout, self.stderr))
    }
}

fn run(program: &Utf8Path, place: &Place, args: &[&str]) -> Result<Ran, String> {
    let mut command = Command::new(program);
    command.args(args).current_dir(&place.cwd).stdin(Stdio::null()).env_clear();
    let first = place.first_on_path.iter().map(|folder| format!("{folder}:"));
    let path: String = first.chain(["/usr/local/bin:/usr/bin:/bin".to_owned()]).collect();
    command.env("PATH", path).env("LANG", "C.UTF-8");
    command.env("HOME", &place.home).env("TMPDIR", std::env::temp_dir());
    command.envs(place.vars.iter().map(|(name, value)| (name, value)));
    if let Some(home) = &place.gsd_home {
        command.env("GSD_HOME", home);
    }
    let output = command.output().map_err(|error| format!("`{program}`: {error}"))?;
    let text =
        |bytes| String::from_utf8(bytes).map_err(|_| format!("`{program}` printed no UTF-8"));
    Ok(Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout)?,
        stderr: text(output.stderr)?,
    })
}
