//! Ways to change a project that one should not be able to change: system calls by many routes,
//! tools, git, and namespaces.
//!
//! Each attempt really changes the project when nothing hinders it, which is tested; an attempt
//! that fails for another reason would prove nothing.

pub mod ground;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Timespec, Timestamps, XattrFlags,
};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What an attempt changes where nothing hinders it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The content or the name of a file.
    Content,
    /// Permission bits alone.
    Mode,
    /// Times or attributes alone.
    Rest,
}

/// One way to change the project.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    /// Its place among all attempts, by which the program `write-attempts` is asked for it.
    pub number: usize,
    pub what: &'static str,
    pub route: &'static str,
    pub effect: Effect,
    how: How,
}

#[derive(Debug, Clone, Copy)]
enum How {
    /// A function of the path of the project and of a folder that may be written to.
    Call(fn(&Path, &Path) -> io::Result<()>),
    /// A shell script with the same in `$P` and `$S`, and the supervisor's number in `$PP`.
    Script(&'static str),
}

impl Attempt {
    pub fn name(&self) -> String {
        format!("{} / {}", self.what, self.route)
    }

    /// Does it. The working directory is the project.
    pub fn perform(&self, project: &Path, scratch: &Path) -> io::Result<()> {
        match self.how {
            How::Call(call) => {
                let (path, _held) = routed(self.route, project, scratch)?;
                call(&path, scratch)
            }
            How::Script(script) => run(script, project, scratch),
        }
    }
}

/// Every attempt: each call by each route, and the scripts.
pub fn all() -> Vec<Attempt> {
    let calls = CALLS.iter().flat_map(|(what, effect, call)| {
        ROUTES.iter().map(|route| (*what, *route, *effect, How::Call(*call)))
    });
    let scripts = SCRIPTS
        .iter()
        .map(|(what, effect, script)| (*what, "script", *effect, How::Script(script)));
    calls
        .chain(scripts)
        .enumerate()
        .map(|(number, (what, route, effect, how))| Attempt { number, what, route, effect, how })
        .collect()
}

/// One route for each call, another one each time, and the scripts.
pub fn some() -> Vec<Attempt> {
    let chosen = |attempt: &Attempt| {
        let (call, route) = (attempt.number / ROUTES.len(), attempt.number % ROUTES.len());
        call >= CALLS.len() || route == call % ROUTES.len()
    };
    all().into_iter().filter(chosen).collect()
}

const ROUTES: [&str; 8] = [
    "absolute path",
    "relative path",
    "/proc/self/cwd",
    "/proc/self/root",
    "link in a free folder",
    "descriptor of the folder",
    "dots",
    "/proc of the supervisor",
];

fn routed(route: &str, project: &Path, scratch: &Path) -> io::Result<(PathBuf, Option<OwnedFd>)> {
    Ok(match route {
        "absolute path" => (project.to_owned(), None),
        "relative path" => (PathBuf::from("."), None),
        "/proc/self/cwd" => ("/proc/self/cwd".into(), None),
        "/proc/self/root" => {
            (Path::new("/proc/self/root").join(project.strip_prefix("/").unwrap_or(project)), None)
        }
        "link in a free folder" => {
            let link = scratch.join("way-in");
            std::os::unix::fs::symlink(project, &link)?;
            (link, None)
        }
        "descriptor of the folder" => {
            let folder = rustix::fs::open(project, OFlags::PATH, Mode::empty())?;
            (format!("/proc/self/fd/{}", folder.as_raw_fd()).into(), Some(folder))
        }
        "dots" => (project.join("src/..").join("."), None),
        _ => {
            let parent = rustix::process::getppid().map_or(1, |pid| pid.as_raw_pid());
            let below = project.strip_prefix("/").unwrap_or(project);
            (Path::new(&format!("/proc/{parent}/root")).join(below), None)
        }
    })
}

type Call = (&'static str, Effect, fn(&Path, &Path) -> io::Result<()>);

const CALLS: &[Call] = &[
    ("open to write", Effect::Content, |p, _| {
        OpenOptions::new().write(true).open(p.join("src/a.rs"))?.write_all(b"x")
    }),
    ("open to append", Effect::Content, |p, _| {
        OpenOptions::new().append(true).open(p.join("src/a.rs"))?.write_all(b"x")
    }),
    ("open and cut", Effect::Content, |p, _| File::create(p.join("src/a.rs")).map(drop)),
    ("truncate", Effect::Content, |p, _| {
        let script = "perl -e 'truncate($ARGV[0], 1) or exit 1' \"$P/src/a.rs\"";
        run(script, p, Path::new("/"))
    }),
    ("create", Effect::Content, |p, _| File::create_new(p.join("new")).map(drop)),
    ("create a hook", Effect::Content, |p, _| {
        fs::create_dir_all(p.join(".git/hooks"))?;
        fs::write(p.join(".git/hooks/pre-commit"), "#!/bin/sh\n")
    }),
    ("append to .git/config", Effect::Content, |p, _| {
        OpenOptions::new().append(true).open(p.join(".git/config"))?.write_all(b"[a]\n\tb = c\n")
    }),
    ("replace HEAD", Effect::Content, |p, s| {
        fs::write(s.join("HEAD"), "ref: refs/heads/other\n")?;
        fs::rename(s.join("HEAD"), p.join(".git/HEAD"))
    }),
    ("change a plan", Effect::Content, |p, _| fs::write(p.join(".planning/01-PLAN.md"), "x")),
    ("mkdir", Effect::Content, |p, _| fs::create_dir(p.join("folder"))),
    ("rmdir", Effect::Content, |p, _| fs::remove_dir(p.join("empty"))),
    ("unlink", Effect::Content, |p, _| fs::remove_file(p.join("b.txt"))),
    ("rename inside", Effect::Content, |p, _| fs::rename(p.join("b.txt"), p.join("c.txt"))),
    ("rename out", Effect::Content, |p, s| fs::rename(p.join("b.txt"), s.join("taken"))),
    ("rename in, over a file", Effect::Content, |p, s| {
        fs::write(s.join("mine"), "x")?;
        fs::rename(s.join("mine"), p.join("b.txt"))
    }),
    ("exchange two files", Effect::Content, |p, _| {
        let (one, two) = (p.join("b.txt"), p.join("src/a.rs"));
        Ok(rustix::fs::renameat_with(CWD, one, CWD, two, RenameFlags::EXCHANGE)?)
    }),
    ("hard link in", Effect::Content, |p, s| {
        fs::write(s.join("mine"), "x")?;
        fs::hard_link(s.join("mine"), p.join("linked"))
    }),
    ("hard link out, then write", Effect::Content, |p, s| {
        fs::hard_link(p.join("b.txt"), s.join("other-name"))?;
        fs::write(s.join("other-name"), "x")
    }),
    ("symbolic link", Effect::Content, |p, _| std::os::unix::fs::symlink("/", p.join("link"))),
    ("FIFO", Effect::Content, |p, _| {
        let mode = Mode::RUSR | Mode::WUSR;
        Ok(rustix::fs::mknodat(CWD, p.join("fifo"), FileType::Fifo, mode, 0)?)
    }),
    ("socket", Effect::Content, |p, _| {
        // Bound by a short relative name: the path of a socket has at most 107 bytes.
        std::env::set_current_dir(p)?;
        std::os::unix::net::UnixListener::bind("socket").map(drop)
    }),
    ("nameless file, then a name", Effect::Content, |p, _| {
        let file = rustix::fs::open(p, OFlags::TMPFILE | OFlags::WRONLY, Mode::RUSR)?;
        let name = format!("/proc/self/fd/{}", file.as_raw_fd());
        let follow = AtFlags::SYMLINK_FOLLOW;
        Ok(rustix::fs::linkat(CWD, name, CWD, p.join("named"), follow)?)
    }),
    ("open to read, again to write", Effect::Content, |p, _| {
        let file = File::open(p.join("src/a.rs"))?;
        let again = format!("/proc/self/fd/{}", file.as_raw_fd());
        OpenOptions::new().write(true).open(again)?.write_all(b"x")
    }),
    ("copy over", Effect::Content, |p, _| fs::copy(p.join("b.txt"), p.join("src/a.rs")).map(drop)),
    ("chmod", Effect::Mode, |p, _| {
        fs::set_permissions(p.join("b.txt"), fs::Permissions::from_mode(0o777))
    }),
    ("set times", Effect::Rest, |p, _| {
        let past = Timespec { tv_sec: 1, tv_nsec: 0 };
        let times = Timestamps { last_access: past, last_modification: past };
        Ok(rustix::fs::utimensat(CWD, p.join("b.txt"), &times, AtFlags::empty())?)
    }),
    ("set an attribute", Effect::Rest, |p, _| {
        Ok(rustix::fs::setxattr(p.join("b.txt"), "user.mark", b"x", XattrFlags::empty())?)
    }),
];

const SCRIPTS: &[(&str, Effect, &str)] = &[
    ("shell redirection", Effect::Content, "echo x > \"$P/b.txt\""),
    ("sed -i", Effect::Content, "sed -i s/b/x/ \"$P/b.txt\""),
    ("cp", Effect::Content, "echo x > \"$S/x\" && cp \"$S/x\" \"$P/b.txt\""),
    (
        "tar",
        Effect::Content,
        "cd \"$S\" && echo x > b.txt && tar cf x.tar b.txt && tar xf x.tar -C \"$P\"",
    ),
    ("dd", Effect::Content, "dd if=/dev/zero of=\"$P/b.txt\" count=1"),
    ("git add", Effect::Content, "git add untracked.txt"),
    (
        "git commit",
        Effect::Content,
        "git -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m x",
    ),
    ("git config", Effect::Content, "git config core.pager x"),
    ("git rm", Effect::Content, "git rm -q b.txt"),
    ("git branch", Effect::Content, "git branch other"),
    ("git update-index", Effect::Content, "git update-index --assume-unchanged b.txt"),
    (
        "daemon in another session",
        Effect::Content,
        "mkfifo \"$S/f\"; (setsid env -i sh -c \"echo x > '$P/b.txt'; echo > '$S/f'\" &); cat \"$S/f\"; grep -q x \"$P/b.txt\"",
    ),
    ("user and mount namespace", Effect::Content, "unshare -Urm sh -c 'echo x > \"$P/b.txt\"'"),
    (
        "bind mount in a namespace",
        Effect::Content,
        "mkdir \"$S/m\" && unshare -Urm sh -c 'mount --bind \"$P\" \"$S/m\" && echo x > \"$S/m/b.txt\"'",
    ),
    (
        "recursive bind mount of everything",
        Effect::Content,
        "mkdir \"$S/m\" && unshare -Urm sh -c 'mount --rbind / \"$S/m\" && echo x > \"$S/m$P/b.txt\"'",
    ),
    (
        "namespaces in namespaces",
        Effect::Content,
        "unshare -Urm unshare -Urmpf sh -c 'echo x > \"$P/b.txt\"'",
    ),
    (
        "chroot in a namespace",
        Effect::Content,
        "unshare -Ur chroot / /bin/sh -c \"echo x > '$P/b.txt'\"",
    ),
    (
        "mount namespace of the supervisor",
        Effect::Content,
        "nsenter -t $PP -m sh -c 'echo x > \"$P/b.txt\"'",
    ),
    ("root of the supervisor", Effect::Content, "echo x > \"/proc/$PP/root$P/b.txt\""),
];

fn run(script: &str, project: &Path, scratch: &Path) -> io::Result<()> {
    let parent = rustix::process::getppid().map_or(1, |pid| pid.as_raw_pid());
    let status = Command::new("/bin/sh")
        .args(["-c", script])
        .env("P", project)
        .env("S", scratch)
        .env("PP", parent.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other("its script failed")) }
}
