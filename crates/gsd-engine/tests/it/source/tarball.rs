//! Archives from real servers, honest ones and others.

use super::{World, bundle, manifest, names};
use gsd_engine::source::{Class, FetchError, Integrity, Patience, Peek, Refusal, Verified};
use gsd_io::http::Pace;
use gsd_testkit::tarball::Tar;
use gsd_testkit::web_server::{Answer, Body, WebServer};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn serving(archive: Vec<u8>) -> WebServer {
    WebServer::https(move |_| Answer::ok(archive.clone()))
}

/// A-23: the archive is made as people make it, and only what is in it is installed.
#[test]
fn an_archive_becomes_a_bundle_wherever_its_manifest_is() {
    let world = World::with_servers();
    for (tar, expected) in [
        (bundle("", "1.0.0"), "unpacked"),
        (bundle("./", "1.0.0"), "unpacked"),
        (bundle("package/", "1.0.0"), "unpacked/package"),
        (
            bundle("capabilities/example/", "1.0.0").file("README.md", "x"),
            "unpacked/capabilities/example",
        ),
    ] {
        let server = serving(tar.gzip());
        for name in ["x.tgz", "x.tar.gz", "x.tar", "x.tgz?version=1"] {
            let spec = format!("{}/{name}", server.url());
            let fetched = world.fetch(&spec).unwrap();
            assert!(fetched.bundle.ends_with(expected), "{}", fetched.bundle);
            let found = names(&fetched.bundle, "");
            assert!(found.contains(&"capability.json".to_owned()), "{found:?}");
            assert!(!found.iter().any(|name| name.contains("archive") || name.contains("tgz")));
            assert_eq!(fetched.resolved.recorded, spec);
        }
        let spec = format!("tar+{}/download", server.url());
        assert_eq!(world.fetch(&spec).unwrap().resolved.recorded, spec);
        assert_eq!(world.peek(&spec), Peek::Manual);
    }
}

/// A-19.
#[test]
fn an_integrity_is_checked_before_anything_is_unpacked() {
    let world = World::with_servers();
    let archive = bundle("", "1.0.0").gzip();
    let right = Integrity::of(&archive);
    let server = serving(archive);
    let spec = format!("{}/x.tgz", server.url());
    let fetched = world.fetch_with(&spec, Some(&right.to_string())).unwrap();
    assert_eq!(fetched.resolved.integrity, Some(right.clone()));
    assert_eq!(fetched.resolved.verified, Verified::Integrity);
    let unasked = world.fetch(&spec).unwrap().resolved;
    assert_eq!((unasked.integrity, unasked.verified), (Some(right.clone()), Verified::NotAsked));
    let wrong = Integrity::of(b"other");
    for integrity in [wrong.to_string(), format!("{right} {wrong}")] {
        let error = world.fetch_with(&spec, Some(&integrity)).expect_err("wrong");
        assert_eq!(error.class(), Class::Mismatch, "{error}");
        let text = error.to_string();
        assert!(text.contains("integrity mismatch") && text.contains(&right.to_string()), "{text}");
        let scratch = format!("scratch/{}", world.fetches.get());
        assert_eq!(
            names(&world.root.join(scratch), ""),
            Vec::<String>::new(),
            "nothing is unpacked"
        );
    }
}

/// A-18: nothing of a hostile archive is anywhere but in the scratch folder; `fetch` looks.
#[test]
fn hostile_archives_are_refused() {
    let world = World::with_servers();
    let absolute = world.root.join("evil").to_string();
    for tar in [
        bundle("", "1").file("../evil", "x"),
        bundle("", "1").file(&absolute, "x"),
        bundle("", "1").link("x", b'2', "/etc/passwd"),
        bundle("", "1").link("x", b'1', "/etc/passwd"),
        bundle("", "1").link("x", b'2', "../..").file("x/evil", "x"),
        bundle("", "1").member(b"fifo", b'6', b"", b""),
        bundle("", "1").file("Capability.json", "{}"),
        bundle("", "1").file("big", vec![0; 8 << 20]),
    ] {
        let server = serving(tar.gzip());
        let error = world.fetch(&format!("{}/x.tgz", server.url())).expect_err("hostile");
        assert_eq!(error.class(), Class::Refused, "{error}");
    }
    for (tar, several) in [
        (Tar::new().file("README.md", "x"), false),
        (bundle("a/", "1").file("b/capability.json", "{}"), true),
    ] {
        let server = serving(tar.gzip());
        let error = world.fetch(&format!("{}/x.tgz", server.url())).expect_err("no bundle");
        assert_eq!(matches!(error, FetchError::ManyManifests { .. }), several, "{error}");
        assert_eq!(error.class(), Class::Refused, "{error}");
    }
}

/// A-20, and servers that break off, stall and lie.
#[test]
fn a_server_cannot_send_more_or_longer_than_is_allowed() {
    let mut world = World::with_servers();
    let over = 65 << 20;
    for (body, class) in [
        (Body::Silent { promised: over }, Class::Refused),
        (Body::Chunked(over), Class::Refused),
        (Body::Short { promised: 1000, bytes: b"x".to_vec() }, Class::Unreachable),
        (Body::Bytes(b"no archive".to_vec()), Class::Refused),
        (Body::Bytes(vec![]), Class::Refused),
    ] {
        let shown = format!("{body:.20?}");
        let server = WebServer::https(move |_| Answer::odd(body.clone()));
        let error = world.fetch(&format!("{}/x.tgz", server.url())).expect_err(&shown);
        assert_eq!(error.class(), class, "{shown}: {error}");
        if class == Class::Refused && shown.contains("promised") {
            assert!(error.to_string().contains("exceeds 67108864 bytes"), "{error}");
        }
    }
    world.patience = Duration::from_millis(300);
    let server = WebServer::https(|_| Answer::odd(Body::Silent { promised: 1000 }));
    let error = world.fetch(&format!("{}/x.tgz", server.url())).expect_err("silent");
    assert_eq!(error.class(), Class::Unreachable, "{error}");
}

#[test]
fn a_slow_server_is_given_up_and_the_setting_is_named() {
    let mut world = World::with_servers();
    let pause = Duration::from_millis(10);
    let server = WebServer::https(move |request| match request.path.as_str() {
        "/x.tgz" => Answer::odd(Body::Drip { promised: 10_000_000, pause }),
        _ => Answer::odd(Body::Silent { promised: 1000 }),
    });
    let slow = |world: &World, path: &str| {
        let error = world.fetch(&format!("{}/{path}", server.url())).expect_err("slow");
        assert_eq!(error.class(), Class::Unreachable, "{error}");
        assert!(matches!(error, FetchError::TooSlow { .. }), "{error}");
        assert!(error.hint().unwrap().contains("capabilities.timeout"), "{error}");
        error.to_string()
    };
    let usual = world.pace;
    world.pace.pace = Pace { bytes: 30_000, within: Duration::from_millis(300) };
    assert!(slow(&world, "x.tgz").ends_with("it sent next to nothing in 0 s"));
    world.pace = Patience { first_byte: Duration::from_millis(300), ..usual };
    assert!(slow(&world, "silent.tgz").contains("no answer within"));
    world.pace = usual;
    world.patience = Duration::from_millis(300);
    assert!(slow(&world, "x.tgz").contains("its time is up"));
    // More time for a source is more time for each wait.
    let patient = Patience::of(Patience::TOTAL * 2);
    assert_eq!(patient.idle, usual.idle * 2);
    assert_eq!(Patience::of(Duration::from_secs(1)), usual);
}

#[test]
fn what_is_not_there_is_told() {
    let world = World::with_servers();
    let server = WebServer::https(|request| match request.path.as_str() {
        "/private.tgz" => Answer::status(401),
        "/broken.tgz" => Answer::status(500),
        _ => Answer::status(404),
    });
    for (path, why) in [("gone", "404"), ("private", "wants to know who asks"), ("broken", "500")] {
        let spec = format!("{}/{path}.tgz", server.url());
        let error = world.fetch(&spec).expect_err(path);
        assert_eq!(error.class(), Class::Unreachable);
        assert!(error.to_string().contains(why) && error.to_string().contains(&spec), "{error}");
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = world.fetch(&format!("https://127.0.0.1:{port}/x.tgz")).expect_err("nobody");
    assert_eq!(error.class(), Class::Unreachable, "{error}");
    let stranger = World::with_servers();
    let mut stranger = stranger;
    stranger.vars.remove("SSL_CERT_FILE");
    let error = stranger.fetch(&format!("{}/x.tgz", server.url())).expect_err("not trusted");
    assert_eq!(error.class(), Class::Unreachable, "{error}");
}

/// A-21.
#[test]
fn redirects_are_counted_and_stay_encrypted() {
    let world = World::with_servers();
    let plain = WebServer::http(|_| Answer::ok(bundle("", "1.0.0").gzip()));
    let (plain_url, other) =
        (format!("{}/x.tgz", plain.url()), serving(bundle("", "1.0.0").gzip()));
    let other_url = format!("{}/other.tgz", other.url_at("localhost"));
    let user = other_url.replace("https://", "https://u:p@");
    let server = WebServer::https(move |request| match request.path.as_str() {
        "/once.tgz" => Answer::redirect("/there?token=secret"),
        "/there" => Answer::ok(bundle("", "1.0.0").gzip()),
        "/host.tgz" => Answer::redirect(&other_url),
        "/plain.tgz" => Answer::redirect(&plain_url),
        "/loop.tgz" => Answer::redirect("/loop.tgz"),
        "/user.tgz" => Answer::redirect(&user),
        "/file.tgz" => Answer::redirect("file:///etc/passwd"),
        "/nowhere.tgz" => Answer::status(302),
        path => match path.strip_prefix("/count-").and_then(|rest| rest.strip_suffix(".tgz")) {
            Some("0") => Answer::ok(bundle("", "1.0.0").gzip()),
            Some(left) => {
                Answer::redirect(&format!("/count-{}.tgz", left.parse::<u32>().unwrap() - 1))
            }
            None => Answer::status(404),
        },
    });
    let at = |name: &str| format!("{}/{name}.tgz", server.url());
    let fetched = world.fetch(&at("once")).unwrap();
    assert_eq!(fetched.resolved.final_url, Some(format!("{}/there", server.url())));
    assert_eq!(fetched.resolved.recorded, at("once"));
    assert!(world.fetch(&at("host")).is_ok());
    assert!(world.fetch(&at("count-5")).is_ok());
    for (name, class) in [
        ("count-6", Class::Unreachable),
        ("loop", Class::Unreachable),
        ("plain", Class::Refused),
        ("user", Class::Unreachable),
        ("file", Class::Unreachable),
        ("nowhere", Class::Unreachable),
    ] {
        let error = world.fetch(&at(name)).expect_err(name);
        assert_eq!(error.class(), class, "{name}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert_eq!(plain.connections(), 0);
    // Each hop has to be a known source.
    world.allow_only(&["127.0.0.1"]);
    let error = world.fetch(&at("host")).expect_err("another host");
    assert!(matches!(error, FetchError::Refused(Refusal::NotListed { .. })), "{error}");
    assert!(world.fetch(&at("once")).is_ok());
}

/// A-22: without the user's word, no door of the own network is even knocked at.
#[test]
fn private_addresses_need_the_users_word() {
    let mut world = World::with_servers();
    let server = serving(bundle("", "1.0.0").gzip());
    let port = server.url().rsplit(':').next().unwrap().to_owned();
    world.write("home/.gsd/defaults.json", "{}");
    world.write(
        "project/.planning/config.json",
        r#"{"capabilities": {"private_hosts": ["127.0.0.1", "localhost"]}}"#,
    );
    for host in [
        "127.0.0.1",
        "localhost",
        "x.localhost",
        "127.1",
        "0x7f.0.0.1",
        "2130706433",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "100.64.0.1",
        "0.0.0.0",
        "[fd00::1]",
        "[fe80::1]",
    ] {
        let error = world.fetch(&format!("https://{host}:{port}/x.tgz")).expect_err(host);
        let refused = matches!(error, FetchError::Refused(Refusal::NotPublic { .. }));
        assert!(refused, "{host}: {error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("private_hosts")));
    }
    assert_eq!(server.connections(), 0);
    for allowed in ["127.0.0.1", &format!("127.0.0.1:{port}")] {
        world.private_hosts(&[allowed]);
        assert!(world.fetch(&format!("https://127.0.0.1:{port}/x.tgz")).is_ok());
        assert!(world.fetch(&format!("https://localhost:{port}/x.tgz")).is_err());
    }
    world.private_hosts(&["127.0.0.1:1"]);
    assert!(world.fetch(&format!("https://127.0.0.1:{port}/x.tgz")).is_err());
    // Nor by way of a redirect.
    world.private_hosts(&["127.0.0.1"]);
    let away =
        WebServer::https(move |_| Answer::redirect(&format!("https://localhost:{port}/x.tgz")));
    let error = world.fetch(&format!("{}/x.tgz", away.url())).expect_err("a private host");
    assert!(matches!(error, FetchError::Refused(Refusal::NotPublic { .. })), "{error}");
    world.transport = gsd_engine::source::Transport::Any;
    let error = world.fetch("http://localhost:1/x.tgz").expect_err("private all the same");
    assert_eq!(error.class(), Class::Refused, "{error}");
}

#[test]
fn what_is_not_encrypted_needs_a_word_as_well() {
    let mut world = World::with_servers();
    let server = WebServer::http(|_| Answer::ok(bundle("", "1.0.0").gzip()));
    let spec = format!("{}/x.tgz", server.url());
    let error = world.fetch(&spec).expect_err("cleartext");
    assert!(matches!(error, FetchError::Refused(Refusal::Cleartext { .. })), "{error}");
    assert_eq!(server.connections(), 0);
    world.transport = gsd_engine::source::Transport::Any;
    assert!(world.fetch(&spec).is_ok());
}

/// A-26, A-27 for sources that are asked over the web.
#[test]
fn lists_of_known_sources_are_asked_before_any_host() {
    let mut world = World::with_servers();
    let server = serving(bundle("", "1.0.0").gzip());
    world.write("home/.gsd/defaults.json", format!(
        r#"{{"capabilities": {{"private_hosts": ["127.0.0.1"], "registries": {{"main": "{}/index.json"}}}}}}"#,
        server.url()
    ));
    world.write("project/cap/capability.json", manifest("acme", "1.0.0"));
    let external = [
        format!("{}/x.tgz", server.url()),
        format!("git+{}/x.git", server.url()),
        "git@github.com:o/r.git".to_owned(),
        "npm:p".to_owned(),
        "acme@main".to_owned(),
    ];
    for (config, variables) in [
        (r#"{"capabilities": {"strict_known_registries": []}}"#, vec![]),
        (r#"{"capabilities": {"strict_known_registries": []}}"#, vec![("GSD_WORKSTREAM", "w")]),
        (r#"{"capabilities": {"strict_known_registries": []}}"#, vec![("GSD_PROJECT", "w")]),
        (r#"{"capabilities": {"strict_known_registries": "127.0.0.1"}}"#, vec![]),
        ("{ broken", vec![]),
    ] {
        world.write("project/.planning/config.json", config);
        let before = world.vars.clone();
        world.vars.extend(variables.into_iter().map(|(a, b)| (a.to_owned(), b.to_owned())));
        for spec in &external {
            let error = world.fetch(spec).expect_err(spec);
            assert_eq!(error.class(), Class::Refused, "{config} {spec}: {error}");
            assert!(error.to_string().contains("strict_known_registries"), "{error}");
            assert!(matches!(world.peek(spec), Peek::Unknown { .. }));
        }
        assert!(world.fetch("./cap").is_ok());
        world.vars = before;
    }
    world.allow_only(&["github.com", "npm"]);
    for spec in ["https://evilgithub.com/o/x.tgz", "https://github.com.evil.example/x.tgz"] {
        let error = world.fetch(spec).expect_err(spec);
        assert!(matches!(error, FetchError::Refused(Refusal::NotListed { .. })), "{error}");
    }
    assert!(world.spec("https://github.com@evil.example/x.tgz").is_err());
    assert!(world.spec("npm:https://evil.example/x.tgz").is_err());
    assert_eq!(server.connections(), 0);
}

/// An interrupt ends a download that is under way.
#[test]
fn a_download_can_be_interrupted() {
    let world = World::with_servers();
    let reached = Arc::new(Mutex::new(None));
    let cancel: Arc<Mutex<Option<gsd_io::cancel::Cancel>>> = Arc::clone(&reached);
    let server = WebServer::https(move |_| {
        if let Some(cancel) = cancel.lock().unwrap().as_ref() {
            cancel.stop();
        }
        Answer::odd(Body::Silent { promised: 1000 })
    });
    let flag = gsd_io::cancel::Cancel::new();
    *reached.lock().unwrap() = Some(flag.clone());
    let spec = world.spec(&format!("{}/x.tgz", server.url())).unwrap();
    let error = world.with_context(None, |context| {
        let context = gsd_engine::source::FetchContext { cancel: &flag, ..*context };
        spec.fetch(&context, &world.root.join("scratch"))
    });
    assert_eq!(error.expect_err("interrupted").class(), Class::Interrupted);
}
