//! Installs from real servers: archives, repositories, packages and registries, by the command.

use super::{Ran, feature};
use crate::world::{command, ran};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_testkit::project::World;
use gsd_testkit::tarball::Tar;
use gsd_testkit::tls::AUTHORITY;
use gsd_testkit::web_server::{Answer, WebServer};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// A user who trusts the servers of these tests on this machine.
pub(super) fn world() -> World {
    let world = World::new();
    world.small_phase();
    user(&world, &json!({ "private_hosts": ["127.0.0.1"] }));
    std::fs::write(world.home().join("authority.pem"), AUTHORITY).unwrap();
    world
}

pub(super) fn user(world: &World, capabilities: &Value) {
    std::fs::create_dir_all(world.home().join(".gsd")).unwrap();
    let settings = json!({ "capabilities": capabilities }).to_string();
    std::fs::write(world.home().join(".gsd/defaults.json"), settings).unwrap();
}

pub(super) fn capability(world: &World, args: &[&str]) -> Ran {
    let args = [&["capability"], args, &["--json"]].concat();
    let mut command = command(world, &args);
    command.env("SSL_CERT_FILE", world.home().join("authority.pem"));
    ran(command.output().unwrap())
}

pub(super) fn installed(world: &World, args: &[&str]) -> Value {
    let done = capability(world, args);
    assert_eq!(done.code, 0, "{args:?}: {}{}", done.stdout, done.stderr);
    let ledger = std::fs::read_to_string(world.home().join(".gsd-capabilities.json")).unwrap();
    let ledger: Value = serde_json::from_str(&ledger).unwrap();
    ledger["entries"]["acme"].clone()
}

/// A failure has its code, says what to do, and leaves nothing behind.
pub(super) fn refused(world: &World, args: &[&str], code: i32) -> Value {
    let done = capability(world, args);
    assert_eq!(done.code, code, "{args:?}: {}{}", done.stdout, done.stderr);
    let error = done.json();
    assert!(!world.home().join(".gsd-capabilities.json").exists(), "{args:?}");
    assert!(!world.home().join(".gsd/capabilities/acme").exists(), "{args:?}");
    assert_eq!(std::fs::read_dir(world.tmp()).unwrap().count(), 0, "{args:?}: a scratch folder");
    error
}

fn standing(world: &World) -> String {
    let done = capability(world, &["outdated"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    done.json()["details"][0]["status"].as_str().unwrap().to_owned()
}

pub(super) fn archive(below: &str, version: &str) -> Vec<u8> {
    let manifest = feature("acme", version, &json!({})).to_string();
    Tar::new().file(&format!("{below}capability.json"), manifest).gzip()
}

fn integrity(bytes: &[u8]) -> String {
    gsd_engine::source::Integrity::of(bytes).to_string()
}

/// A-19, A-22, A-23, A-26.
#[test]
fn an_archive_is_installed_as_it_was_promised_and_as_the_lists_allow() {
    let world = world();
    let bytes = archive("capabilities/acme/", "1.0.0");
    let right = integrity(&bytes);
    let server = WebServer::https(move |request| match request.path.as_str() {
        "/x.tgz" => Answer::ok(bytes.clone()),
        _ => Answer::status(404),
    });
    let spec = format!("{}/x.tgz", server.url());
    refused(&world, &["install", &spec, "--integrity", &integrity(b"other")], 5);
    refused(&world, &["install", &spec, "--integrity", "sha256-AAAA"], 2);
    refused(&world, &["install", &format!("{}/gone.tgz", server.url())], 10);
    let asked = server.connections();
    user(&world, &json!({}));
    let error = refused(&world, &["install", &spec], 4);
    assert!(error["message"].as_str().unwrap().contains("not public"), "{error}");
    user(&world, &json!({ "private_hosts": ["127.0.0.1"] }));
    world.write(
        ".planning/config.json",
        r#"{"capabilities": {"strict_known_registries": ["github.com"]}}"#,
    );
    let error = refused(&world, &["install", &spec], 4);
    assert!(error["message"].as_str().unwrap().contains("strict_known_registries"), "{error}");
    assert_eq!(server.connections(), asked, "nobody was asked");
    world.write(".planning/config.json", "{}");
    let entry = installed(&world, &["install", &spec, "--integrity", &right]);
    assert_eq!((&entry["integrity"], &entry["source"]), (&json!(right), &json!(spec)));
    assert_eq!(entry["resolved"]["verified"], "integrity");
    let bundle = world.home().join(".gsd/capabilities/acme");
    let names: Vec<_> =
        std::fs::read_dir(bundle).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["capability.json"]);
    assert_eq!(standing(&world), "manual");
}

/// A-25.
#[test]
fn what_is_no_source_is_refused_in_one_line() {
    let world = world();
    for spec in [
        "git+file:///x",
        "git+ext::sh -c id",
        "git+https://h/r#-x",
        "git+https://h/r#a;b",
        "npm:",
        "npm:p;id",
        "",
        "some-cap",
        "https://u:hunter2@h/x.tgz",
        "ftp://h/x.tgz",
    ] {
        let done = capability(&world, &["install", spec]);
        assert!([2, 4].contains(&done.code), "{spec}: {}", done.stdout);
        let error = done.json();
        let message = error["message"].as_str().unwrap();
        assert!(!message.contains('\n') && !message.contains("hunter2"), "{message}");
        assert!(error["hint"].is_string() || error["details"]["hint"].is_string(), "{error}");
    }
}

fn git(folder: &Utf8Path, args: &[&str]) -> String {
    let out = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn commit(folder: &Utf8Path, version: &str) -> String {
    let manifest = feature("acme", version, &json!({})).to_string();
    std::fs::write(folder.join("capability.json"), manifest).unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", version]);
    git(folder, &["tag", &format!("v{version}")]);
    git(folder, &["rev-parse", "HEAD"])
}

/// A-24, and what becomes of it later.
#[test]
fn a_repository_is_followed_as_it_was_asked_for() {
    let world = world();
    let repositories = world.root().join("repositories");
    let folder = repositories.join("acme");
    std::fs::create_dir_all(&folder).unwrap();
    git(&folder, &["init", "--quiet", "-b", "main"]);
    let first = commit(&folder, "1.0.0");
    let server = WebServer::git(&repositories);
    let url = format!("git+{}/acme/.git", server.url());
    refused(&world, &["install", &format!("{url}#sha:{}", "0".repeat(40))], 10);
    refused(&world, &["install", &format!("{url}#gone")], 10);
    refused(&world, &["install", &url, "--integrity", &integrity(b"x")], 4);
    let entry = installed(&world, &["install", &format!("{url}#semver:^1")]);
    assert_eq!(entry["resolved"]["commit"], json!(first));
    assert_eq!(standing(&world), "current");
    let second = commit(&folder, "1.1.0");
    commit(&folder, "2.0.0");
    assert_eq!(standing(&world), "outdated");
    let entry = installed(&world, &["update", "acme"]);
    assert_eq!(
        (&entry["version"], &entry["resolved"]["commit"]),
        (&json!("1.1.0"), &json!(second))
    );
    assert_eq!(entry["source"], json!(format!("{url}#semver:^1")));
    assert_eq!(standing(&world), "current");
    assert!(!world.home().join(".gsd/capabilities/acme/.git").exists());
}

/// A package, then the same from a registry that is a folder.
#[test]
fn packages_and_registries_need_no_program_of_theirs() {
    let world = world();
    let versions = Arc::new(Mutex::new(vec!["1.0.0"]));
    let (offered, own) = (Arc::clone(&versions), Arc::new(Mutex::new(String::new())));
    let base = Arc::clone(&own);
    let server = WebServer::https(move |request| {
        let versions = offered.lock().unwrap().clone();
        if let Some(version) = request.path.strip_prefix("/-/") {
            return Answer::ok(archive("package/", version));
        }
        let releases: Value = versions
            .iter()
            .map(|version| {
                let bytes = archive("package/", version);
                let tarball = format!("{}/-/{version}", base.lock().unwrap());
                let dist = json!({ "tarball": tarball, "integrity": integrity(&bytes) });
                ((*version).to_owned(), json!({ "dist": dist }))
            })
            .collect::<serde_json::Map<_, _>>()
            .into();
        let latest = versions.last().unwrap();
        Answer::ok(json!({ "dist-tags": { "latest": latest }, "versions": releases }).to_string())
    });
    *own.lock().unwrap() = server.url();
    std::fs::write(world.home().join(".npmrc"), format!("registry={}", server.url())).unwrap();
    let entry = installed(&world, &["install", "npm:acme"]);
    assert_eq!(entry["integrity"], json!(integrity(&archive("package/", "1.0.0"))));
    assert_eq!(entry["resolved"]["verified"], "registry");
    assert_eq!(standing(&world), "current");
    versions.lock().unwrap().push("1.1.0");
    assert_eq!(standing(&world), "outdated");
    assert_eq!(installed(&world, &["update", "acme"])["version"], "1.1.0");
    // The same id from elsewhere is another thing, until the user says otherwise.
    let folder: Utf8PathBuf = world.root().join("published");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("acme.tgz"), archive("", "1.2.0")).unwrap();
    let args = ["registry-index", "build", folder.as_str()];
    assert_eq!(ran(command(&world, &args).output().unwrap()).code, 0);
    let index = folder.join("index.json");
    user(
        &world,
        &json!({ "private_hosts": ["127.0.0.1"], "registries": { "team": index.as_str() } }),
    );
    assert_eq!(capability(&world, &["install", "acme@team"]).code, 4);
    let entry = installed(&world, &["install", "acme@team", "--replace", "--yes"]);
    assert_eq!((&entry["version"], &entry["source"]), (&json!("1.2.0"), &json!("acme@team")));
    assert_eq!(standing(&world), "current");
}

#[test]
fn a_pin_holds_for_an_install_of_the_same_source_too() {
    let world = world();
    let (first, second) = (archive("", "1.0.0"), archive("", "1.1.0"));
    let (old, new) = (integrity(&first), integrity(&second));
    let served = Arc::new(Mutex::new(first));
    let bytes = Arc::clone(&served);
    let server = WebServer::https(move |_| Answer::ok(bytes.lock().unwrap().clone()));
    let spec = format!("{}/x.tgz", server.url());
    let before = installed(&world, &["install", &spec, "--integrity", &old]);
    assert_eq!(before["pinned"]["integrity"], json!(old));
    *served.lock().unwrap() = second;
    let done = capability(&world, &["install", &spec]);
    assert_eq!(done.code, 5, "{}{}", done.stdout, done.stderr);
    let entry = installed(&world, &["install", &spec, "--integrity", &new]);
    assert_eq!((&entry["version"], &entry["pinned"]["integrity"]), (&json!("1.1.0"), &json!(new)));
    installed(&world, &["update", "acme"]);
    installed(&world, &["install", &spec]);
}

/// What `pack` makes is installed from disk, and the path is seen from `--project`.
#[test]
fn a_packed_capability_is_installed_from_its_file() {
    let world = world();
    let made = world.root().join("made");
    std::fs::create_dir(&made).unwrap();
    let pack = |version: &str| {
        let folder = world.root().join("acme");
        std::fs::create_dir_all(&folder).unwrap();
        let manifest = feature("acme", version, &json!({})).to_string();
        std::fs::write(folder.join("capability.json"), manifest).unwrap();
        let file = made.join("acme.tgz");
        let packed = capability(&world, &["pack", folder.as_str(), "--out", file.as_str()]);
        assert_eq!(packed.code, 0, "{}{}", packed.stdout, packed.stderr);
        integrity(&std::fs::read(file).unwrap())
    };
    let first = pack("1.0.0");
    refused(&world, &["install", "./made/acme.tgz", "--integrity", &integrity(b"other")], 5);
    let entry = installed(&world, &["install", "./made/acme.tgz"]);
    let path = made.canonicalize_utf8().unwrap().join("acme.tgz");
    assert_eq!((&entry["source"], &entry["integrity"]), (&json!(path.as_str()), &json!(first)));
    assert_eq!(standing(&world), "current");
    pack("1.1.0");
    assert_eq!(standing(&world), "outdated");
    assert_eq!(installed(&world, &["update", "acme"])["version"], "1.1.0");
    assert_eq!(standing(&world), "current");

    // In a project it is locked with its digest, and found again in every checkout.
    let done = capability(&world, &["install", "./made/acme.tgz", "--scope", "project"]);
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    assert_eq!(capability(&world, &["lock"]).code, 0);
    let lock = world.read("capabilities.lock");
    assert!(lock.contains("\"./made/acme.tgz\"") && lock.contains("\"integrity\""), "{lock}");
    let remove = ["remove", "acme", "--scope", "project"];
    assert_eq!(capability(&world, &remove).code, 0);
    let frozen = capability(&world, &["install", "--frozen"]);
    assert_eq!(frozen.code, 0, "{}{}", frozen.stdout, frozen.stderr);
    assert_eq!(capability(&world, &remove).code, 0);
    pack("1.1.1");
    assert_eq!(capability(&world, &["install", "--frozen"]).code, 5, "it is another archive");
    assert_eq!(capability(&world, &["remove", "acme"]).code, 0);

    let elsewhere = world.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let root = world.root().to_string();
    for (at, given, code) in
        [(&elsewhere, "./made/acme.tgz", 0), (&elsewhere, "../made/acme.tgz", 10)]
    {
        let args = ["capability", "install", given, "-C", root.as_str(), "--json"];
        let mut command = command(&world, &args);
        let done = ran(command.current_dir(at).output().unwrap());
        assert_eq!(done.code, code, "{given}: {}{}", done.stdout, done.stderr);
    }
}

/// A ledger that came with a repository makes nobody ask the hosts that it names.
#[test]
fn only_what_the_user_agreed_to_is_asked_for_news() {
    let world = world();
    let bytes = archive("", "1.0.0");
    let server = WebServer::https(move |_| Answer::ok(bytes.clone()));
    let daemon = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    daemon.set_nonblocking(true).unwrap();
    let git = format!("git+https://127.0.0.1:{}/x.git", daemon.local_addr().unwrap().port());
    let spec = format!("{}/x.tgz", server.url());
    let entry = |id: &str, source: &str| {
        json!({
            "id": id, "version": "1.0.0", "source": source, "integrity": "", "files": [],
            "sharedEdits": [],
        })
    };
    let ledger = json!({ "version": "2", "updatedAt": "x", "entries": {
        "acme": entry("acme", &spec), "evil": entry("evil", &git),
        "pack": entry("pack", &format!("npm:@{}/x", "o")),
    } });
    std::fs::write(world.home().join(".npmrc"), format!("registry={}", server.url())).unwrap();
    world.write(".gsd-capabilities.json", &ledger.to_string());
    let bundle = world.root().join(".gsd/capabilities/acme");
    std::fs::create_dir_all(&bundle).unwrap();
    let manifest = feature("acme", "1.0.0", &json!({})).to_string();
    std::fs::write(bundle.join("capability.json"), manifest).unwrap();

    let found = capability(&world, &["outdated"]);
    assert_eq!(found.code, 0, "{}", found.stderr);
    let rows = found.json()["details"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert_eq!(row["status"], "unconfirmed", "{row}");
        assert!(row["reason"].as_str().unwrap().starts_with("unconfirmed source"), "{row}");
        assert!(row["remedy"].as_str().unwrap().contains("gsd capability install"), "{row}");
    }
    for args in [["update", "acme", "--scope", "project"], ["update", "evil", "--scope", "project"]]
    {
        let refused = capability(&world, &args);
        assert_eq!(refused.code, 4, "{}{}", refused.stdout, refused.stderr);
        assert_eq!(refused.json()["code"], "source-unconfirmed");
    }
    let all = capability(&world, &["update", "--all", "--scope", "project"]);
    assert_eq!(all.code, 9, "{}", all.stdout);
    // What lies there may be agreed to; where the ledger says that it came from may not be so.
    let granted = capability(&world, &["trust", "grant", "acme", "--scope", "project", "--yes"]);
    assert_eq!(granted.code, 0, "{}{}", granted.stdout, granted.stderr);
    assert_eq!(capability(&world, &["update", "acme", "--scope", "project"]).code, 4);
    assert_eq!(server.connections(), 0, "nobody was asked");
    assert!(daemon.accept().is_err(), "nobody was asked");

    // Named by the user, it is their word.
    let done = capability(&world, &["install", &spec, "--scope", "project"]);
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    let asked = server.connections();
    assert_eq!(capability(&world, &["update", "acme", "--scope", "project"]).code, 0);
    assert!(server.connections() > asked);
    // And where the ledger then names another one, it is not.
    let text = world.read(".gsd-capabilities.json").replace("/x.tgz", "/y.tgz");
    world.write(".gsd-capabilities.json", &text);
    let asked = server.connections();
    assert_eq!(capability(&world, &["update", "acme", "--scope", "project"]).code, 4);
    assert_eq!(server.connections(), asked, "nobody was asked");
}
