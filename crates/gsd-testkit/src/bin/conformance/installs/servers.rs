//! The servers that the golden runs asked: archives over HTTPS, sound ones and hostile ones, and a
//! git repository. They stand on other ports here, and their commits and digests are other ones.
//!
//! The records used git's own unencrypted protocol; here the same repository is served over HTTPS,
//! except for the one row that is about that protocol.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_testkit::tarball::{Tar, gzip};
use gsd_testkit::tls::AUTHORITY;
use gsd_testkit::web_server::{Answer, Body, Request, WebServer};
use sha2::{Digest, Sha512};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::process::Command;

/// The digest of `tiny.tgz` and the commits of `tiny.git` in the records.
const DIGEST: &str = "sha512-f+118cx2cBji+Ph2x11xgnf9VP5fiWPginKdupKcmKNJUI2MP6Y5TCEGV/SYndQ0RG/2Fcuo/74QrnH2BP56tQ==";
const HEAD: &str = "6b88aeb184f64c6adb6f3500a1f941eadf49052f";
const OLD: &str = "fdf613316b50015a79e58c9e5997ad03708a23eb";

/// They end when this is dropped.
pub(super) struct Servers {
    folder: tempfile::TempDir,
    web: WebServer,
    git: WebServer,
    digest: String,
    head: String,
    old: String,
}

impl Servers {
    pub(super) fn start(data: &Utf8Path) -> io::Result<Self> {
        let caps = data.join("fixtures/caps");
        let folder = tempfile::tempdir()?;
        let root = Utf8Path::from_path(folder.path())
            .ok_or_else(|| io::Error::other("the folder is not UTF-8"))?;
        fs::write(root.join("authority.pem"), AUTHORITY)?;
        let archives = archives(&caps)?;
        let digest = format!("sha512-{}", STANDARD.encode(Sha512::digest(&archives["tiny.tgz"])));
        let web = WebServer::https(move |request| answer(&archives, request));
        let (head, old) = repository(&root.join("git"), &caps.join("tiny"))?;
        let git = WebServer::git(&root.join("git"));
        Ok(Self { folder, web, git, digest, head, old })
    }

    /// The certificate of whoever signed theirs.
    pub(super) fn authority(&self) -> Utf8PathBuf {
        self.path("authority.pem")
    }

    fn path(&self, name: &str) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).expect("it was UTF-8").join(name)
    }

    /// A text of the records with the addresses, commits and digests of these servers.
    pub(super) fn real(&self, text: &str) -> String {
        let pairs = [
            ("https://127.0.0.1:18443", self.web.url()),
            ("git+git://127.0.0.1:19418", format!("git+{}", self.git.url())),
            ("{GIT}", self.path("git").into_string()),
            (DIGEST, self.digest.clone()),
            (HEAD, self.head.clone()),
            (OLD, self.old.clone()),
        ];
        pairs.iter().fold(text.to_owned(), |text, (name, real)| text.replace(name, real))
    }
}

/// Every archive by its name. What each is named after is all that is known of it.
fn archives(caps: &Utf8Path) -> io::Result<BTreeMap<&'static str, Vec<u8>>> {
    let tiny = |below: &str| bundle(Tar::new(), &caps.join("tiny"), below);
    let (plain, dotted, package) = (tiny("")?, tiny("./")?, tiny("package/")?);
    let with = |change: &dyn Fn(Tar) -> Tar| change(plain.clone()).gzip();
    Ok([
        ("tiny.tgz", plain.clone().gzip()),
        ("tiny-dot.tgz", dotted.gzip()),
        ("tiny-pkg.tar.gz", package.gzip()),
        ("nested.tgz", tiny("some/where/")?.gzip()),
        ("exec.tgz", bundle(Tar::new(), &caps.join("cmd-only"), "")?.gzip()),
        ("empty.tgz", Tar::new().gzip()),
        ("nomanifest.tgz", Tar::new().file("README.md", "nothing\n").gzip()),
        ("garbage.tgz", b"no archive at all".to_vec()),
        ("plain.tgz", plain.clone().plain()),
        ("abs.tgz", with(&|tar| tar.file("/tmp/evil-abs", "x"))),
        ("slip.tgz", with(&|tar| tar.file("../evil", "x"))),
        ("arrow.tgz", with(&|tar| tar.file("a -> b", "x"))),
        ("sym.tgz", with(&|tar| tar.link("link", b'2', "/etc/hostname"))),
        ("hard.tgz", with(&|tar| tar.link("link", b'1', "capability.json"))),
        ("fifo.tgz", with(&|tar| tar.member(b"pipe", b'6', b"", b""))),
        ("bomb.tgz", gzip(&plain.file("bomb", vec![0; 129 << 20]).plain())),
    ]
    .into())
}

/// A folder as members of an archive.
fn bundle(mut tar: Tar, folder: &Utf8Path, below: &str) -> io::Result<Tar> {
    let mut entries = folder.read_dir_utf8()?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by(|a, b| a.file_name().cmp(b.file_name()));
    for entry in entries {
        let name = format!("{below}{}", entry.file_name());
        tar = if entry.file_type()?.is_dir() {
            bundle(tar.folder(&format!("{name}/")), entry.path(), &format!("{name}/"))?
        } else {
            tar.file(&name, fs::read(entry.path())?)
        };
    }
    Ok(tar)
}

fn answer(archives: &BTreeMap<&str, Vec<u8>>, request: &Request) -> Answer {
    let name = request.path.trim_start_matches('/');
    match (name, archives.get(name)) {
        (_, Some(archive)) => Answer::ok(archive.clone()),
        ("redirect.tgz", None) => Answer::redirect("/tiny.tgz"),
        ("streamed-70MiB.tgz", None) => Answer::odd(Body::Chunked(70 << 20)),
        ("advertised-65MiB.tgz", None) => Answer::odd(Body::Silent { promised: 65 << 20 }),
        _ => Answer::status(404),
    }
}

/// A repository of `tiny`: 1.0.0 and then 1.10.0 on `main`, each with its tag, and a branch `dev`.
/// The commits of the newer and the older one.
fn repository(root: &Utf8Path, tiny: &Utf8Path) -> io::Result<(String, String)> {
    let (bare, work) = (root.join("tiny.git"), root.join("work"));
    crate::world::copy(tiny, &work)?;
    let manifest = work.join("capability.json");
    let text = fs::read_to_string(&manifest)?;
    let save = |version: &str| -> io::Result<String> {
        // What was copied may be read-only.
        fs::remove_file(&manifest)?;
        fs::write(&manifest, text.replace("\"1.0.0\"", &format!("\"{version}\"")))?;
        git(&work, &["add", "."])?;
        git(&work, &["commit", "-q", "--allow-empty", "-m", version])?;
        git(&work, &["tag", &format!("v{version}")])?;
        git(&work, &["rev-parse", "HEAD"])
    };
    git(&work, &["init", "-q", "-b", "main"])?;
    let old = save("1.0.0")?;
    git(&work, &["branch", "dev"])?;
    let head = save("1.10.0")?;
    git(root, &["clone", "-q", "--bare", work.as_str(), bare.as_str()])?;
    Ok((head, old))
}

fn git(at: &Utf8Path, args: &[&str]) -> io::Result<String> {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(at);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(format!("git {args:?}: {said}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
