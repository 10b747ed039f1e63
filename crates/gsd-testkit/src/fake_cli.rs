//! Finding the fake program and giving it names and behaviours.
//!
//! What it does is a script, one action a line; `src/bin/fake-cli.rs` lists the actions. A test
//! passes the actions as arguments, or [`install`]s the program under a name with its script in
//! a file, for callers that pass arguments of their own.

use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::SystemTime;

/// The fake program, built if it is not there or older than its source.
pub fn fake_cli() -> Utf8PathBuf {
    program("fake-cli")
}

/// One of the test kit's own programs. `cargo test --workspace` has built it beside the tests; a
/// test of one crate alone may be the first to need it.
pub fn program(name: &'static str) -> Utf8PathBuf {
    static FOUND: Mutex<BTreeMap<&str, Utf8PathBuf>> = Mutex::new(BTreeMap::new());
    let mut found = FOUND.lock().unwrap();
    found
        .entry(name)
        .or_insert_with(|| beside_the_tests(name).unwrap_or_else(|| build(name)))
        .clone()
}

/// `target/debug/NAME`, seen from `target/debug/deps/TEST` or from another program beside it.
fn beside_the_tests(name: &str) -> Option<Utf8PathBuf> {
    let own = Utf8PathBuf::from_path_buf(std::env::current_exe().ok()?).ok()?;
    let newest = newest_source();
    own.ancestors().skip(1).take(2).map(|folder| folder.join(name)).find(|path| {
        let built = path.metadata().and_then(|meta| meta.modified());
        built.is_ok_and(|built| built >= newest)
    })
}

/// When the sources of this kit, or of the supervisor that some of its programs run, were last
/// changed.
fn newest_source() -> SystemTime {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut newest = SystemTime::UNIX_EPOCH;
    let mut folders = vec![root.join("src"), root.join("../gsd-io/src")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.into_path()),
                Ok(meta) => newest = newest.max(meta.modified().unwrap_or(newest)),
                Err(_) => {}
            }
        }
    }
    newest
}

fn build(name: &str) -> Utf8PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let manifest = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--offline", "--message-format=json", "--bin", name])
        .arg("--manifest-path")
        .arg(&manifest)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo is there, because it runs the tests");
    assert!(built.status.success(), "`cargo build --bin {name}` failed");
    String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(Utf8PathBuf::from))
        .expect("cargo says where it put the program")
}

/// Makes `folder/name` a program that does what `script` says, whatever its arguments are. The
/// script is part of the file, so nothing of it is in the environment or in the arguments.
pub fn install(folder: &Utf8Path, name: &str, script: &str) -> Utf8PathBuf {
    let path = folder.join(name);
    let first = format!("#!{} --script\n", fake_cli());
    assert!(first.len() < 256 && first.matches(' ').count() == 1, "the system would cut `{first}`");
    std::fs::write(&path, first + script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Makes a FIFO: opening it waits for the other side, which is how a test and a fake program
/// meet without sleeping.
pub fn fifo(folder: &Utf8Path, name: &str) -> Utf8PathBuf {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let path = folder.join(name);
    mknodat(CWD, path.as_std_path(), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    path
}
