//! What installed capabilities cost: listing many, getting one from a server, hashing a large one.

use super::{Line, cpu};
use camino::Utf8Path;
use gsd_engine::store::content_hash;
use gsd_testkit::project::World;
use gsd_testkit::tarball::Tar;
use gsd_testkit::tls::AUTHORITY;
use gsd_testkit::web_server::{Answer, WebServer};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(super) fn measure(gsd: &Utf8Path, line: Line<'_>) {
    let ms = |d: Duration| format!("{:.1} ms", d.as_secs_f64() * 1000.0);
    for number in [10, 100, 1_000] {
        let world = with_installed(gsd, number);
        let list = cpu(20, || quiet(&world, gsd, &["list"]).status());
        let budget = number == 1_000;
        line(
            &format!("list of {number} installed, every byte hashed, CPU"),
            ms(list),
            if budget { "50 ms" } else { "-" },
            !budget || list < Duration::from_millis(50),
        );
    }
    let install = from_a_server(gsd);
    line(
        "a bundle of 1 MB from an HTTPS server, best of 20",
        ms(install),
        "150 ms",
        install < Duration::from_millis(150),
    );
    let (ours, bare) = hashing_speed();
    line(
        "hash of a bundle of 60 MB / SHA-512 of as much memory",
        format!("{ours:.0} / {bare:.0} MB/s"),
        "half",
        ours > bare / 2.0,
    );
}

fn quiet(world: &World, gsd: &Utf8Path, args: &[&str]) -> Command {
    let mut command = world.command(gsd);
    command.arg("capability").args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn manifest(id: &str) -> String {
    json!({
        "id": id, "role": "feature", "version": "1.0.0", "title": "Acme", "description": "Many.",
        "tier": "full", "requires": [], "runtimeCompat": { "supported": ["*"], "unsupported": [] },
        "skills": [id], "agents": [], "config": {}, "steps": [], "contributions": [], "gates": [],
    })
    .to_string()
}

/// One is really installed; the records of the others are made after it.
fn with_installed(gsd: &Utf8Path, number: usize) -> World {
    let world = World::new();
    world.write(".planning/PROJECT.md", "# P\n");
    let write = |folder: &Utf8Path, id: &str| {
        std::fs::create_dir_all(folder.join("skills").join(id)).unwrap();
        std::fs::write(folder.join("capability.json"), manifest(id)).unwrap();
        std::fs::write(folder.join("skills").join(id).join("SKILL.md"), "Do it.\n").unwrap();
    };
    let source = world.tmp().join("acme-00000");
    write(&source, "acme-00000");
    let done = quiet(&world, gsd, &["install", source.as_str(), "--yes"]).status().unwrap();
    assert!(done.success(), "the first one is installed");
    let path = world.home().join(".gsd-capabilities.json");
    let mut ledger: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let first = ledger["entries"]["acme-00000"].to_string();
    for at in 1..number {
        let id = format!("acme-{at:05}");
        let folder = world.home().join(".gsd/capabilities").join(&id);
        write(&folder, &id);
        let mut entry: Value = serde_json::from_str(&first.replace("acme-00000", &id)).unwrap();
        entry["contentHash"] = content_hash(&folder).unwrap().into();
        ledger["entries"][&id] = entry;
    }
    std::fs::write(&path, ledger.to_string()).unwrap();
    let listed = quiet(&world, gsd, &["list", "--json"]).stdout(Stdio::piped()).output().unwrap();
    let rows = String::from_utf8_lossy(&listed.stdout).matches("\"acme-").count();
    assert!(rows >= number, "{rows} of {number} are listed");
    world
}

fn from_a_server(gsd: &Utf8Path) -> Duration {
    let world = World::new();
    world.write(".planning/PROJECT.md", "# P\n");
    let settings = json!({ "capabilities": { "private_hosts": ["127.0.0.1"] } }).to_string();
    std::fs::create_dir_all(world.home().join(".gsd")).unwrap();
    std::fs::write(world.home().join(".gsd/defaults.json"), settings).unwrap();
    std::fs::write(world.home().join("authority.pem"), AUTHORITY).unwrap();
    // Sixteen files of what hardly compresses.
    let mut noise: u32 = 1;
    let mut tar = Tar::new().file("acme/capability.json", manifest("acme"));
    for at in 0..16 {
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        })
        .take(64 * 1024)
        .collect();
        tar = tar.file(&format!("acme/data/{at}.bin"), bytes);
    }
    let archive = tar.gzip();
    let server = WebServer::https(move |_| Answer::ok(archive.clone()));
    let source = format!("{}/acme.tgz", server.url());
    let run = |args: &[&str]| {
        let mut command = quiet(&world, gsd, args);
        command.env("SSL_CERT_FILE", world.home().join("authority.pem"));
        assert!(command.status().unwrap().success(), "{args:?}");
    };
    let once = || {
        let start = Instant::now();
        run(&["install", &source, "--yes"]);
        let took = start.elapsed();
        run(&["remove", "acme", "--yes"]);
        took
    };
    (0..20).map(|_| once()).min().unwrap_or_default()
}

/// Megabytes a second, of files in the page cache and of memory.
fn hashing_speed() -> (f64, f64) {
    use sha2::Digest;
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    let file = vec![7u8; 6 << 20];
    for at in 0..10 {
        std::fs::write(root.join(format!("{at}.bin")), &file).unwrap();
    }
    let megabytes = (10 * file.len()) as f64 / 1e6;
    let best = |work: &dyn Fn()| {
        let once = || {
            let start = Instant::now();
            work();
            start.elapsed()
        };
        (0..5).map(|_| once()).min().unwrap_or_default().as_secs_f64()
    };
    let ours = best(&|| drop(content_hash(root).unwrap()));
    let bare = best(&|| {
        for _ in 0..10 {
            std::hint::black_box(sha2::Sha512::digest(&file));
        }
    });
    (megabytes / ours, megabytes / bare)
}
