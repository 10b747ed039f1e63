//! Which file a name means.

use crate::process::World;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::env::Env;
use gsd_io::process::{LookupError, which};
use std::os::unix::fs::{PermissionsExt, symlink};

fn env(path: &str, cwd: &Utf8Path) -> Env {
    Env::from_parts([("PATH".to_owned(), path.to_owned())], cwd.to_owned(), "/gsd".into())
}

fn file(path: &Utf8Path, mode: u32) {
    std::fs::write(path, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn folders(world: &World) -> (Utf8PathBuf, Utf8PathBuf) {
    let (a, b) = (world.folder().join("a"), world.folder().join("b"));
    std::fs::create_dir(&a).unwrap();
    std::fs::create_dir(&b).unwrap();
    (a, b)
}

#[test]
fn the_first_program_of_that_name_counts_and_what_is_none_is_passed_over() {
    let world = World::new();
    let (a, b) = folders(&world);
    file(&a.join("plain"), 0o644);
    std::fs::create_dir(a.join("folder")).unwrap();
    symlink("nowhere", a.join("dangling")).unwrap();
    for name in ["plain", "folder", "dangling"] {
        file(&b.join(name), 0o755);
        let env = env(&format!("{a}:{b}"), &world.folder());
        assert_eq!(which(name, &env), Ok(b.join(name)));
    }
    file(&a.join("both"), 0o755);
    file(&b.join("both"), 0o755);
    assert_eq!(which("both", &env(&format!("{a}:{b}"), &a)), Ok(a.join("both")));
    symlink(b.join("both"), a.join("link")).unwrap();
    assert_eq!(which("link", &env(a.as_str(), &a)), Ok(a.join("link")), "links stay as they are");
}

#[test]
fn what_is_there_but_no_program_is_named() {
    let world = World::new();
    let (a, _) = folders(&world);
    file(&a.join("plain"), 0o644);
    std::fs::create_dir(a.join("folder")).unwrap();
    symlink("nowhere", a.join("dangling")).unwrap();
    gsd_testkit::fake_cli::fifo(&a, "fifo");
    let env = env(a.as_str(), &a);
    let path = |name: &str| a.join(name);
    assert_eq!(which("plain", &env), Err(LookupError::NotExecutable { path: path("plain") }));
    assert_eq!(which("folder", &env), Err(LookupError::IsADirectory { path: path("folder") }));
    assert_eq!(which("dangling", &env), Err(LookupError::DanglingLink { path: path("dangling") }));
    assert_eq!(which("fifo", &env), Err(LookupError::NotAFile { path: path("fifo") }));
    assert_eq!(which("none", &env), Err(LookupError::NotFound { name: "none".to_owned() }));
    let absolute = path("plain").to_string();
    assert_eq!(which(&absolute, &env), Err(LookupError::NotExecutable { path: path("plain") }));
}

#[test]
fn the_current_folder_never_counts() {
    let world = World::new();
    let (a, _) = folders(&world);
    file(&a.join("tool"), 0o755);
    for path in ["", ".", "a", ":", "::", "./a"] {
        let found = which("tool", &env(path, &a));
        assert_eq!(found, Err(LookupError::NotFound { name: "tool".to_owned() }), "PATH={path}");
    }
    for name in ["./tool", "a/tool", "", ".", ".."] {
        let found = which(name, &env(a.as_str(), &a));
        assert_eq!(found, Err(LookupError::Relative { name: name.to_owned() }));
    }
    assert_eq!(which(a.join("tool").as_str(), &env("", &a)), Ok(a.join("tool")));
}
