//! Repositories behind git's own server program, sound ones and hostile ones.

use super::{World, later, manifest, names};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::source::{
    Class, FetchError, Installed, Peek, Refusal, Standing, Transport, Verified,
};
use gsd_io::http::Pace;
use gsd_testkit::web_server::{Answer, WebServer};
use std::process::Command;

/// Mode, kind, id and name.
type Row<'a> = (&'a str, &'a str, String, &'a str);

/// A bare repository that is written to by plumbing alone, so that it may hold anything.
struct Repository {
    path: Utf8PathBuf,
}

impl Repository {
    fn new(world: &World, name: &str) -> Self {
        Self::with(world, name, "sha1")
    }

    fn with(world: &World, name: &str, format: &str) -> Self {
        let path = world.root.join("scratch/served").join(name);
        std::fs::create_dir_all(&path).unwrap();
        let repository = Self { path };
        repository
            .git(&["init", "--quiet", "--bare", "-b", "main", "--object-format", format], b"");
        repository
    }

    fn git(&self, args: &[&str], stdin: &[u8]) -> String {
        use std::io::Write;
        let mut child = Command::new("git")
            .args(args)
            .current_dir(&self.path)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(["AUTHOR", "COMMITTER"].into_iter().flat_map(|who| {
                [
                    (format!("GIT_{who}_NAME"), "a"),
                    (format!("GIT_{who}_EMAIL"), "a@b"),
                    (format!("GIT_{who}_DATE"), "1700000000 +0000"),
                ]
            }))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(stdin).unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "git {args:?}");
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    }

    fn blob(&self, content: &[u8]) -> String {
        self.git(&["hash-object", "-w", "--stdin"], content)
    }

    /// A tree of `mode kind id name` rows, also of folders.
    fn tree(&self, rows: &[Row<'_>]) -> String {
        let text: String = rows
            .iter()
            .map(|(mode, kind, id, name)| format!("{mode} {kind} {id}\t{name}\n"))
            .collect();
        self.git(&["mktree", "--missing"], text.as_bytes())
    }

    fn commit(&self, tree: &str) -> String {
        self.git(&["commit-tree", tree, "-m", "x"], b"")
    }

    fn update(&self, name: &str, id: &str) {
        self.git(&["update-ref", name, id], b"");
    }

    /// A commit of a bundle with these further rows at its top.
    fn bundle(&self, version: &str, more: &[Row<'_>]) -> String {
        let manifest = self.blob(manifest("acme", version).as_bytes());
        let mut rows = vec![("100644", "blob", manifest, "capability.json")];
        rows.extend(more.iter().cloned());
        self.commit(&self.tree(&rows))
    }
}

fn served(world: &World) -> WebServer {
    WebServer::git(&world.root.join("scratch/served"))
}

fn version(bundle: &Utf8Path) -> String {
    let text = std::fs::read(bundle.join("capability.json")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&text).unwrap()["version"]
        .as_str()
        .unwrap()
        .to_owned()
}

///
#[test]
fn every_reference_brings_its_commit() {
    let world = World::with_servers();
    let repository = Repository::new(&world, "acme.git");
    let v1 = repository.bundle("1.0.0", &[]);
    let v2 = repository.bundle("2.0.0", &[]);
    let dev = repository.bundle("3.0.0-dev", &[]);
    repository.update("refs/heads/main", &v2);
    repository.update("refs/heads/dev", &dev);
    repository.update("refs/tags/v1.0.0", &v1);
    repository.git(&["tag", "-a", "-m", "x", "v2.0.0", &v2], b"");
    repository.update("refs/tags/both", &v1);
    repository.update("refs/heads/both", &v2);
    let server = served(&world);
    let url = format!("git+{}/acme.git", server.url());
    let sha = |commit: &str| format!("#sha:{commit}");
    for (reference, commit, name) in [
        ("", &v2, None),
        ("#v1.0.0", &v1, Some("v1.0.0")),
        ("#tag:v1.0.0", &v1, Some("v1.0.0")),
        ("#tag:v2.0.0", &v2, Some("v2.0.0")),
        ("#dev", &dev, Some("dev")),
        ("#branch:dev", &dev, Some("dev")),
        ("#branch:both", &v2, Some("both")),
        ("#tag:both", &v1, Some("both")),
        ("#semver:^1", &v1, Some("v1.0.0")),
        ("#semver:>=1", &v2, Some("v2.0.0")),
        (&sha(&v1), &v1, None),
        (&sha(&dev.to_uppercase()), &dev, None),
    ] {
        let spec = format!("{url}{reference}");
        let fetched = world.fetch(&spec).unwrap_or_else(|error| panic!("{reference}: {error}"));
        let resolved = &fetched.resolved;
        assert_eq!(resolved.commit.as_ref(), Some(commit), "{reference}");
        assert_eq!(resolved.reference.as_deref(), name, "{reference}");
        let pinned = reference.starts_with("#sha:");
        assert_eq!(resolved.verified == Verified::Commit, pinned, "{reference}");
        assert_eq!(names(&fetched.bundle, ""), ["capability.json"], "no `.git`");
        let expected = if *commit == v1 {
            "1.0.0"
        } else if *commit == v2 {
            "2.0.0"
        } else {
            "3.0.0-dev"
        };
        assert_eq!(version(&fetched.bundle), expected, "{reference}");
    }
    for (reference, class) in [
        (sha(&"0".repeat(40)), Class::Unreachable),
        (sha(&repository.git(&["rev-parse", "v2.0.0"], b"")), Class::Unreachable),
        ("#both".into(), Class::Refused),
        ("#gone".into(), Class::Unreachable),
        ("#tag:dev".into(), Class::Unreachable),
        ("#branch:v1.0.0".into(), Class::Unreachable),
        ("#semver:^9".into(), Class::Unreachable),
    ] {
        let error = world.fetch(&format!("{url}{reference}")).expect_err(&reference);
        assert_eq!(error.class(), class, "{reference}: {error}");
    }
    let integrity = gsd_engine::source::Integrity::of(b"").to_string();
    let error = world.fetch_with(&url, Some(&integrity)).expect_err("no archive").to_string();
    assert!(error.contains("not supported for git sources"), "{error}");
    let gone = world.fetch(&format!("git+{}/gone.git", server.url())).expect_err("no repository");
    assert_eq!(gone.class(), Class::Unreachable, "{gone}");
}

#[test]
fn an_older_tag_stands_in_where_the_newest_needs_a_later_host() {
    let world = World::with_servers();
    let repository = Repository::new(&world, "acme.git");
    let old = repository.bundle("1.0.0", &[]);
    let text = later("1.1.0", &["1.0.0", "1.0.5", "0.1.0"]);
    let blob = repository.blob(text.as_bytes());
    let tree = repository.tree(&[("100644", "blob", blob, "capability.json")]);
    let new = repository.commit(&tree);
    repository.update("refs/heads/main", &new);
    repository.update("refs/tags/v1.0.0", &old);
    repository.update("refs/tags/v1.1.0", &new);
    let server = served(&world);
    let url = format!("git+{}/acme.git", server.url());
    // There is no 1.0.5, and 0.1.0 is in no range.
    for (reference, commit) in
        [("#semver:^1", &old), ("#semver:>1.0.0", &new), ("#tag:v1.1.0", &new), ("", &new)]
    {
        let fetched = world.fetch(&format!("{url}{reference}")).unwrap();
        assert_eq!(fetched.resolved.commit.as_ref(), Some(commit), "{reference}");
    }
}

#[test]
fn what_is_newer_and_what_was_moved() {
    let world = World::with_servers();
    let repository = Repository::new(&world, "acme.git");
    let (v1, v2) = (repository.bundle("1.0.0", &[]), repository.bundle("2.0.0", &[]));
    repository.update("refs/heads/main", &v1);
    repository.update("refs/tags/v1.0.0", &v1);
    let server = served(&world);
    let url = format!("git+{}/acme.git", server.url());
    let old = semver::Version::new(1, 0, 0);
    let installed = Installed { version: Some(&old), commit: Some(&v1), integrity: None };
    let standing = |reference: &str| world.peek(&format!("{url}{reference}")).standing(&installed);
    let all = ["", "#main", "#branch:main", "#v1.0.0", "#tag:v1.0.0", "#semver:>=1"];
    use Standing::{Current, Moved, Outdated, Pinned};
    assert_eq!(all.map(standing), [Current, Current, Current, Pinned, Pinned, Current]);
    repository.update("refs/heads/main", &v2);
    repository.update("refs/tags/v2.0.0", &v2);
    assert_eq!(all.map(standing), [Outdated, Outdated, Outdated, Pinned, Pinned, Outdated]);
    let version = Some(semver::Version::new(2, 0, 0));
    assert_eq!(world.peek(&url), Peek::Ok { version, commit: Some(v2.clone()), integrity: None });
    repository.update("refs/tags/v1.0.0", &v2);
    assert_eq!([standing("#v1.0.0"), standing("#tag:v1.0.0")], [Moved, Moved]);
    let asked = server.connections();
    assert_eq!(standing(&format!("#sha:{v1}")), Pinned);
    assert_eq!(server.connections(), asked, "a commit needs no question");
    drop(server);
    assert_eq!(standing("#tag:v1.0.0"), Pinned);
    assert_eq!(standing(""), Standing::Unknown);
}

#[test]
fn repositories_with_other_hashes_and_bundles_further_down() {
    let world = World::with_servers();
    let repository = Repository::with(&world, "acme.git", "sha256");
    let commit = repository.bundle("1.0.0", &[]);
    repository.update("refs/heads/main", &commit);
    let mono = Repository::new(&world, "mono.git");
    let manifest = mono.blob(manifest("acme", "1.2.3").as_bytes());
    let script = mono.blob(b"#!/bin/sh\n");
    let inner = mono.tree(&[
        ("100644", "blob", manifest, "capability.json"),
        ("100755", "blob", script, "run.sh"),
    ]);
    let link = mono.blob(b"capabilities");
    let middle = mono.tree(&[("040000", "tree", inner, "acme")]);
    // A link outside of the bundle is nobody's concern: it is not taken.
    let top =
        mono.tree(&[("040000", "tree", middle, "capabilities"), ("120000", "blob", link, "link")]);
    let mono_commit = mono.commit(&top);
    mono.update("refs/heads/main", &mono_commit);
    let server = served(&world);
    for reference in [String::new(), "#main".into(), format!("#sha:{commit}")] {
        let spec = format!("git+{}/acme.git{reference}", server.url());
        let resolved =
            world.fetch(&spec).unwrap_or_else(|error| panic!("{spec}: {error}")).resolved;
        assert_eq!(resolved.commit, Some(commit.clone()));
    }
    let fetched = world.fetch(&format!("git+{}/mono.git", server.url())).unwrap();
    assert_eq!(names(&fetched.bundle, ""), ["capability.json", "run.sh"]);
}

#[test]
fn hostile_repositories_are_refused() {
    let world = World::with_servers();
    let marker = world.root.join("scratch/pwned");
    let repository = Repository::new(&world, "evil.git");
    let blob = |text: &str| repository.blob(text.as_bytes());
    let run = format!("touch {marker}");
    let submodule = format!("[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c '{run}'\n");
    let lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    let big = repository.blob(&vec![b'x'; 1 << 20]);
    let dir = repository.tree(&[("100644", "blob", blob("x"), "x")]);
    let cases: Vec<(&str, Vec<Row<'_>>)> = vec![
        ("link", vec![("120000", "blob", blob("/etc/passwd"), "leak")]),
        ("link to a folder", vec![("120000", "blob", blob(".."), "up")]),
        (
            "submodule",
            vec![
                ("100644", "blob", blob(&submodule), ".gitmodules"),
                ("160000", "commit", "1".repeat(40), "x"),
            ],
        ),
        ("LFS", vec![("100644", "blob", blob(lfs), "model.bin")]),
        ("case", vec![("100644", "blob", blob("a"), "A"), ("100644", "blob", blob("b"), "a")]),
        (
            "case of a folder",
            vec![("040000", "tree", dir.clone(), "D"), ("040000", "tree", dir, "d")],
        ),
        (
            "composition",
            vec![("100644", "blob", blob("a"), "é"), ("100644", "blob", blob("b"), "e\u{301}")],
        ),
        ("device", vec![("100644", "blob", blob("a"), "con.txt")]),
        ("backslash", vec![("100644", "blob", blob("a"), "a\\b")]),
    ];
    for (name, rows) in cases {
        let commit = repository.bundle("1.0.0", &rows);
        repository.update("refs/heads/main", &commit);
        let server = served(&world);
        let error = world.fetch(&format!("git+{}/evil.git", server.url())).expect_err(name);
        assert_eq!(error.class(), Class::Refused, "{name}: {error}");
    }
    let mut small = World::with_servers();
    small.limits.bytes = 1 << 19;
    let commit = repository.bundle("1.0.0", &[("100644", "blob", big, "big")]);
    repository.update("refs/heads/main", &commit);
    let server = served(&world);
    let url = format!("git+{}/evil.git", server.url());
    let error = small.fetch(&url).expect_err("too large").to_string();
    assert!(error.contains("exceeds 524288 bytes"), "{error}");
    assert!(world.fetch(&url).is_ok());
    assert!(!marker.exists());
}

/// Filters, attributes and hooks of a repository, settings of the user, and variables: none of
/// them makes git do anything else.
#[test]
fn nothing_that_is_configured_is_run() {
    let mut world = World::with_servers();
    let marker = world.root.join("scratch/pwned");
    let run = format!("touch {marker}");
    let repository = Repository::new(&world, "acme.git");
    let attributes = repository.blob(b"* filter=evil export-ignore text eol=crlf ident\n");
    let text = repository.blob(b"a\nb $Id$\n");
    let commit = repository.bundle(
        "1.0.0",
        &[("100644", "blob", attributes, ".gitattributes"), ("100644", "blob", text, "text")],
    );
    repository.update("refs/heads/main", &commit);
    let server = served(&world);
    let url = format!("{}/acme.git", server.url());
    let settings = format!(
        "[filter \"evil\"]\n\tsmudge = {run}\n\tprocess = {run}\n[core]\n\tsshCommand = {run}\n\tfsmonitor = {run}\n\
         \thooksPath = {0}\n[credential]\n\thelper = \"!{run}\"\n[url \"ext::sh -c '{run}' \"]\n\tinsteadOf = https://\n\
         [protocol]\n\tallow = always\n[http]\n\tproxy = http://127.0.0.1:1\n",
        world.root.join("home/hooks")
    );
    world.write("home/.gitconfig", &settings);
    world.write("home/.config/git/config", &settings);
    world.write("home/template/hooks/post-checkout", format!("#!/bin/sh\n{run}\n"));
    // The scratch folder itself lies in a repository that says such things.
    for folder in ["", "scratch/"] {
        world.write(&format!("{folder}.git/config"), &settings);
        world.write(&format!("{folder}.git/HEAD"), "ref: refs/heads/main\n");
        std::fs::create_dir_all(world.root.join(folder).join(".git/objects")).unwrap();
        std::fs::create_dir_all(world.root.join(folder).join(".git/refs")).unwrap();
    }
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", world.root.join("home/.gitconfig").to_string()),
        ("GIT_CONFIG_COUNT", "1".into()),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor".into()),
        ("GIT_CONFIG_VALUE_0", run.clone()),
        ("GIT_SSH_COMMAND", run.clone()),
        ("GIT_TEMPLATE_DIR", world.root.join("home/template").to_string()),
        ("GIT_PROXY_COMMAND", run.clone()),
        ("GIT_ASKPASS", run.clone()),
        ("GIT_ALLOW_PROTOCOL", "ext:https".into()),
        ("https_proxy", "http://127.0.0.1:1".into()),
        ("XDG_CONFIG_HOME", world.root.join("home/.config").to_string()),
    ] {
        world.vars.insert(name.into(), value);
    }
    let fetched = world.fetch(&url).unwrap();
    assert_eq!(std::fs::read(fetched.bundle.join("text")).unwrap(), b"a\nb $Id$\n");
    assert_eq!(names(&fetched.bundle, ""), [".gitattributes", "capability.json", "text"]);
    assert!(matches!(world.peek(&url), Peek::Ok { .. }));
    assert!(!marker.exists());
}

#[test]
fn redirects_of_a_repository_keep_to_the_rules() {
    let world = World::with_servers();
    let repository = Repository::new(&world, "acme.git");
    let commit = repository.bundle("1.0.0", &[]);
    repository.update("refs/heads/main", &commit);
    let server = served(&world);
    let target = server.url_at("localhost");
    let moved = WebServer::https(move |request| {
        let rest = request.path.trim_start_matches("/old");
        Answer::redirect(&format!("{target}/acme.git{rest}?{}", request.query))
    });
    let spec = format!("git+{}/old", moved.url());
    let fetched = world.fetch(&spec).unwrap();
    let last = format!("{}/acme.git", server.url_at("localhost"));
    assert_eq!(fetched.resolved.final_url, Some(last));
    world.allow_only(&["127.0.0.1"]);
    let error = world.fetch(&spec).expect_err("another host");
    assert!(matches!(error, FetchError::Refused(Refusal::NotListed { .. })), "{error}");
    world.allow_only(&["127.0.0.1", "localhost"]);
    let away = WebServer::https(|_| Answer::redirect("https://10.0.0.1/x.git/info/refs"));
    let error = world.fetch(&format!("git+{}/x", away.url())).expect_err("refused");
    assert_eq!(error.class(), Class::Refused, "{error}");
    let page = WebServer::https(|request| match request.path.as_str() {
        "/page" => Answer::ok("hello"),
        _ => Answer::redirect("/page"),
    });
    let error = world.fetch(&format!("git+{}/x", page.url())).expect_err("a page");
    assert_eq!(error.class(), Class::Unreachable, "{error}");
    let login = WebServer::https(|_| Answer::status(401));
    let error = world.fetch(&format!("git+{}/x", login.url())).expect_err("a log-in");
    assert!(error.to_string().contains("wants to know who asks"), "{error}");
}

#[test]
fn what_is_not_encrypted_or_not_public_is_not_asked() {
    let mut world = World::with_servers();
    for spec in ["git+http://127.0.0.1:1/x", "git+git://127.0.0.1:1/x", "git://127.0.0.1:1/x.git"] {
        let error = world.fetch(spec).expect_err(spec);
        assert!(matches!(error, FetchError::Refused(Refusal::Cleartext { .. })), "{spec}: {error}");
    }
    world.private_hosts(&[]);
    world.transport = Transport::Any;
    let server = served(&world);
    for spec in [
        format!("git+{}/x.git", server.url()),
        format!("git+{}/x.git", server.url_at("localhost")),
        "git://localhost/x.git".to_owned(),
        "git+http://10.0.0.1/x".to_owned(),
    ] {
        let error = world.fetch(&spec).expect_err(&spec);
        assert!(matches!(error, FetchError::Refused(Refusal::NotPublic { .. })), "{spec}: {error}");
    }
    assert_eq!(server.connections(), 0);
}

/// A server that has more names than anybody reads, and one that never gets to the point.
#[test]
fn a_server_cannot_keep_git_for_ever() {
    let mut world = World::with_servers();
    let repository = Repository::new(&world, "acme.git");
    let commit = repository.bundle("1.0.0", &[]);
    let refs: String = (0..50_000)
        .map(|index| format!("{commit} refs/tags/t{index:05}-{}\n", "x".repeat(80)))
        .collect();
    let head = "# pack-refs with: peeled fully-peeled sorted \n";
    std::fs::write(repository.path.join("packed-refs"), format!("{head}{refs}")).unwrap();
    repository.update("refs/heads/main", &commit);
    let server = served(&world);
    assert!(world.fetch(&format!("git+{}/acme.git#main", server.url())).is_ok());
    let slow = WebServer::https(|request| match request.path.ends_with("/info/refs") {
        true if request.header("user-agent").is_some_and(|agent| agent.starts_with("git/")) => {
            Answer::odd(gsd_testkit::web_server::Body::Silent { promised: 1000 })
        }
        _ => Answer::ok("x"),
    });
    world.patience = std::time::Duration::from_secs(2);
    let error = world.fetch(&format!("git+{}/x.git", slow.url())).expect_err("silent");
    assert_eq!(error.class(), Class::Unreachable, "{error}");
    // A byte now and then is no progress either; it ends long before the time is up.
    let pause = std::time::Duration::from_millis(20);
    let dripping = WebServer::https(move |_| {
        Answer::odd(gsd_testkit::web_server::Body::Drip { promised: 10_000_000, pause })
    });
    world.patience = std::time::Duration::from_secs(600);
    world.pace.pace = Pace { bytes: 30_000, within: std::time::Duration::from_secs(1) };
    let error = world.fetch(&format!("git+{}/x.git", dripping.url())).expect_err("dripping");
    assert_eq!(error.class(), Class::Unreachable, "{error}");
    assert!(error.to_string().contains("slow"), "{error}");
}

/// An older git would look the host up again by itself, and nobody would know.
#[test]
fn a_git_that_cannot_keep_to_an_address_is_not_used() {
    let mut world = World::with_servers();
    let repository = Repository::new(&world, "acme.git");
    let commit = repository.bundle("1.0.0", &[]);
    repository.update("refs/heads/main", &commit);
    let server = served(&world);
    let spec = format!("git+{}/acme.git", server.url_at("localhost"));
    assert!(world.fetch(&spec).is_ok());
    let bin = world.root.join("scratch/bin");
    std::fs::create_dir_all(&bin).unwrap();
    let git = bin.join("git");
    std::fs::write(&git, "#!/bin/sh\necho git version 2.36.9\n").unwrap();
    std::fs::set_permissions(&git, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{bin}:{}", world.vars["PATH"]);
    world.vars.insert("PATH".into(), path);
    let error = world.fetch(&spec).expect_err("too old");
    assert!(error.to_string().contains("need git 2.37"), "{error}");
    world.vars.insert("PATH".into(), world.root.join("nowhere").into());
    let error = world.fetch(&spec).expect_err("no git");
    assert!(error.hint().is_some_and(|hint| hint.contains("install git")), "{error}");
}

/// `git daemon` and a host that is asked over SSH, both without anybody who vouches for them.
#[test]
fn other_ways_to_a_repository() {
    let mut world = World::with_servers();
    world.transport = Transport::Any;
    let repository = Repository::new(&world, "acme.git");
    let commit = repository.bundle("1.0.0", &[]);
    repository.update("refs/heads/main", &commit);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    // Started by itself: `git daemon` would be a parent whose end leaves it running.
    let folder = Command::new("git").arg("--exec-path").output().unwrap().stdout;
    let folder = String::from_utf8(folder).unwrap();
    let mut daemon = Command::new(format!("{}/git-daemon", folder.trim_end()))
        .args(["--reuseaddr", "--listen=127.0.0.1", "--export-all", "--verbose"])
        .arg(format!("--port={port}"))
        .arg(format!("--base-path={}", world.root.join("scratch/served")))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // It says so when it listens.
    let mut said = std::io::BufReader::new(daemon.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut String::new()).unwrap();
    let fetched = world.fetch(&format!("git+git://127.0.0.1:{port}/acme.git"));
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    assert_eq!(fetched.unwrap().resolved.commit, Some(commit));
    // Whoever is asked over SSH gets the path as one word, and no terminal.
    let bin = world.root.join("scratch/bin");
    std::fs::create_dir_all(&bin).unwrap();
    let log = world.root.join("scratch/ssh.log");
    let ssh = bin.join("ssh");
    std::fs::write(&ssh, format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {log}\nexit 255\n")).unwrap();
    std::fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{bin}:{}", world.vars["PATH"]);
    world.vars.insert("PATH".into(), path);
    let error = world.fetch("git@h.example:o/r.git").expect_err("nobody");
    assert_eq!(error.class(), Class::Unreachable, "{error}");
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains("BatchMode=yes") && said.contains("git@h.example"), "{said}");
}
