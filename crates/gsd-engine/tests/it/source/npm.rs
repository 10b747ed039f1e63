//! Packages of a registry double that speaks npm's protocol.

use super::{World, bundle, later};
use gsd_engine::source::{Class, FetchError, Integrity, Peek, Refusal, Verified};
use gsd_testkit::tarball::Tar;
use gsd_testkit::web_server::{Answer, Request, WebServer};
use serde_json::json;
use std::sync::{Arc, Mutex};

/// What a registry says and serves.
#[derive(Clone, Default)]
struct Double {
    /// Version, and what is in its archive.
    archives: Vec<(String, Vec<u8>)>,
    tags: Vec<(&'static str, &'static str)>,
    /// Replaces the integrity of every version.
    integrity: Option<serde_json::Value>,
    /// Replaces the address of every archive.
    tarball: Option<String>,
    /// When each version was published; only the long form says it.
    published: Vec<(&'static str, &'static str)>,
    /// The token without which nothing is answered.
    token: Option<&'static str>,
}

impl Double {
    fn new(versions: &[&str]) -> Self {
        let archive = |version: &&str| ((*version).to_owned(), bundle("package/", version).gzip());
        Self {
            archives: versions.iter().map(archive).collect(),
            tags: vec![("latest", "1.2.0"), ("next", "2.0.0-rc.1")],
            ..Self::default()
        }
    }

    fn start(self) -> Registry {
        let own = Arc::new(Mutex::new(String::new()));
        let base = Arc::clone(&own);
        let server = WebServer::https(move |request| self.answer(request, &base.lock().unwrap()));
        *own.lock().unwrap() = server.url();
        Registry { server }
    }

    fn answer(&self, request: &Request, base: &str) -> Answer {
        if let Some(token) = self.token
            && request.header("authorization") != Some(&format!("Bearer {token}"))
        {
            return Answer::status(401);
        }
        if request.path == "/p" || request.path == "/@o%2fp" {
            let accept = request.header("accept").unwrap();
            let is_short = accept.contains("application/vnd.npm.install-v1+json");
            let mut versions = serde_json::Map::new();
            for (version, archive) in &self.archives {
                let integrity = match &self.integrity {
                    Some(value) => value.clone(),
                    None => Integrity::of(archive).to_string().into(),
                };
                let tarball = format!("{base}/-/{version}.tgz");
                let tarball = self.tarball.clone().unwrap_or(tarball);
                let dist = json!({ "tarball": tarball, "integrity": integrity });
                versions.insert(version.clone(), json!({ "version": version, "dist": dist }));
            }
            let tags: serde_json::Map<_, _> = self
                .tags
                .iter()
                .map(|(tag, version)| ((*tag).to_owned(), (*version).into()))
                .collect();
            let name = request.path[1..].replace("%2f", "/");
            let mut packument = json!({ "name": name, "dist-tags": tags, "versions": versions });
            for (version, moment) in self.published.iter().filter(|_| !is_short) {
                packument["time"][version] = json!(moment);
            }
            return Answer::ok(packument.to_string());
        }
        let version = request.path.strip_prefix("/-/").and_then(|rest| rest.strip_suffix(".tgz"));
        match self.archives.iter().find(|(known, _)| Some(known.as_str()) == version) {
            Some((_, archive)) => Answer::ok(archive.clone()),
            None => Answer::status(404),
        }
    }
}

struct Registry {
    server: WebServer,
}

impl Registry {
    fn npmrc(&self, world: &World, more: &str) {
        world.write("home/.npmrc", format!("registry={}\n{more}\n", self.server.url()));
    }

    fn host(&self) -> String {
        self.server.url().replace("https:", "")
    }
}

#[test]
fn tags_ranges_and_versions() {
    let world = World::with_servers();
    let registry = Double::new(&["1.0.0", "1.2.0", "1.10.0", "2.0.0-rc.1"]).start();
    registry.npmrc(&world, "");
    for (spec, version) in [
        ("npm:p", "1.2.0"),
        ("npm:p@next", "2.0.0-rc.1"),
        ("npm:p@1.0.0", "1.0.0"),
        ("npm:p@^1", "1.2.0"),
        ("npm:p@>1.2.0 <2", "1.10.0"),
        ("npm:@o/p", "1.2.0"),
        ("npm:@o/p@~1.10", "1.10.0"),
    ] {
        let fetched = world.fetch(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let resolved = &fetched.resolved;
        assert_eq!(resolved.reference.as_deref(), Some(version), "{spec}");
        assert_eq!(resolved.verified, Verified::Registry);
        assert_eq!(resolved.recorded, spec);
        let url = format!("{}/-/{version}.tgz", registry.server.url());
        assert_eq!(resolved.final_url, Some(url));
        assert!(fetched.bundle.join("capability.json").is_file());
        match world.peek(spec) {
            Peek::Ok { version: found, integrity, .. } => {
                assert_eq!(found.unwrap().to_string(), version);
                assert_eq!(integrity, resolved.integrity);
            }
            Peek::Pinned { version: found, .. } => {
                assert_eq!((spec, found.unwrap().to_string().as_str()), ("npm:p@1.0.0", "1.0.0"));
            }
            other => panic!("{spec}: {other:?}"),
        }
    }
    for spec in ["npm:p@9.9.9", "npm:p@^9", "npm:p@gone", "npm:none"] {
        let error = world.fetch(spec).expect_err(spec);
        assert_eq!(error.class(), Class::Unreachable, "{spec}: {error}");
    }
    let asked = registry.server.requests().len();
    assert!(matches!(world.peek("npm:p@1.0.0"), Peek::Pinned { .. }));
    assert_eq!(registry.server.requests().len(), asked, "a version needs no question");
}

#[test]
fn an_older_version_stands_in_where_the_newest_needs_a_later_host() {
    let world = World::with_servers();
    let mut double = Double::new(&["1.0.0", "1.1.0"]);
    let newest = later("1.2.0", &["0.9.0", "1.0.0", "1.1.0"]);
    let newest = Tar::new().file("package/capability.json", newest).gzip();
    double.archives.push(("1.2.0".to_owned(), newest));
    let alone = Tar::new().file("package/capability.json", later("1.3.0", &["7.0.0"])).gzip();
    double.archives.push(("1.3.0".to_owned(), alone));
    let registry = double.start();
    registry.npmrc(&world, "");
    for (spec, version) in [
        ("npm:p", "1.1.0"),
        ("npm:p@^1", "1.1.0"),
        ("npm:p@>=1.0.0 <1.1.0 || 1.2.0", "1.0.0"),
        // What is named outright, and what nothing stands in for, is refused by its own engines.
        ("npm:p@1.2.0", "1.2.0"),
        ("npm:p@>=1.2.0", "1.2.0"),
        ("npm:p@1.3.x", "1.3.0"),
    ] {
        let fetched = world.fetch(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        assert_eq!(fetched.resolved.reference.as_deref(), Some(version), "{spec}");
        let manifest = std::fs::read_to_string(fetched.bundle.join("capability.json")).unwrap();
        assert!(manifest.contains(&format!("\"{version}\"")), "{spec}: {manifest}");
        assert_eq!(fetched.resolved.verified, Verified::Registry);
    }
}

#[test]
fn a_promise_that_is_not_kept_or_not_made() {
    let world = World::with_servers();
    let other = Integrity::of(b"other").to_string();
    for (integrity, class) in [
        (json!(other), Class::Mismatch),
        (json!(null), Class::Refused),
        (json!(""), Class::Refused),
        (json!("sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="), Class::Refused),
        (json!("sha512-AAAA"), Class::Refused),
        (json!([other]), Class::Refused),
    ] {
        let registry =
            Double { integrity: Some(integrity.clone()), ..Double::new(&["1.2.0"]) }.start();
        registry.npmrc(&world, "");
        let error = world.fetch("npm:p").expect_err("no promise holds");
        assert_eq!(error.class(), class, "{integrity}: {error}");
    }
    // Both the user and the registry have to be right.
    let registry = Double::new(&["1.2.0"]).start();
    registry.npmrc(&world, "");
    let error = world.fetch_with("npm:p", Some(&other)).expect_err("the user says otherwise");
    assert_eq!(error.class(), Class::Mismatch);
}

#[test]
fn only_the_users_own_settings_count_and_a_token_stays_with_its_host() {
    let mut world = World::with_servers();
    let evil = WebServer::https(|_| Answer::ok("{}"));
    world.write("project/.npmrc", format!("registry={}", evil.url()));
    world.write(".npmrc", format!("registry={}", evil.url()));
    world.vars.insert("npm_config_registry".into(), evil.url());
    world.vars.insert("TOKEN".into(), "from-env".into());
    let registry = Double { token: Some("from-env"), ..Double::new(&["1.2.0"]) }.start();
    registry.npmrc(&world, &format!("{}/:_authToken=${{TOKEN}}", registry.host()));
    assert!(world.fetch("npm:p").is_ok());
    assert_eq!(evil.connections(), 0);
    world.vars.remove("TOKEN");
    let error = world.fetch("npm:p").expect_err("an unset variable");
    assert!(error.to_string().contains("`TOKEN`, which is not set"), "{error}");
    registry.npmrc(&world, "");
    let error = world.fetch("npm:p").expect_err("no token");
    assert!(error.to_string().contains("401") && error.class() == Class::Unreachable, "{error}");
    // The archive lies elsewhere: whoever is there does not get to see the token.
    let archive = bundle("package/", "1.2.0").gzip();
    let elsewhere = WebServer::https(move |_| Answer::ok(archive.clone()));
    let away = Some(format!("{}/x.tgz", elsewhere.url_at("localhost")));
    let registry =
        Double { token: Some("literal"), tarball: away, ..Double::new(&["1.2.0"]) }.start();
    registry.npmrc(&world, &format!("{}/:_authToken=literal", registry.host()));
    let resolved = world.fetch("npm:p").unwrap().resolved;
    assert!(!format!("{resolved:?}").contains("literal"));
    assert_eq!(elsewhere.requests()[0].header("authorization"), None);
    let redirecting = elsewhere.url();
    let server = WebServer::https(move |_| Answer::redirect(&format!("{redirecting}/p")));
    world.write(
        "home/.npmrc",
        format!(
            "registry={0}\n{1}/:_authToken=literal",
            server.url(),
            server.url().replace("https:", "")
        ),
    );
    let _ = world.fetch("npm:p");
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer literal"));
    assert_eq!(elsewhere.requests()[1].header("authorization"), None);
}

#[test]
fn registries_that_answer_something_else() {
    let world = World::with_servers();
    for (body, class) in [
        ("", Class::Unreachable),
        ("{", Class::Unreachable),
        ("[]", Class::Unreachable),
        ("{\"name\": \"other\", \"versions\": {}}", Class::Unreachable),
        ("{\"versions\": {}}", Class::Unreachable),
        (
            "{\"versions\": {\"1.0.0\": {\"dist\": {\"tarball\": \"file:///etc/passwd\", \"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"}}}, \"dist-tags\": {\"latest\": \"1.0.0\"}}",
            Class::Unreachable,
        ),
    ] {
        let server = WebServer::https(move |_| Answer::ok(body));
        world.write("home/.npmrc", format!("registry={}", server.url()));
        let error = world.fetch("npm:p").expect_err(body);
        assert_eq!(error.class(), class, "{body}: {error}");
    }
    // An archive inside the own network is no better for being named by a registry.
    let inside = Some("https://10.0.0.1/x.tgz".to_owned());
    let registry = Double { tarball: inside, ..Double::new(&["1.2.0"]) }.start();
    registry.npmrc(&world, "");
    let error = world.fetch("npm:p").expect_err("private");
    assert!(matches!(error, FetchError::Refused(Refusal::NotPublic { .. })), "{error}");
}

/// A-27: the entry `npm` is for packages of the registry, by whatever host that is.
#[test]
fn the_list_knows_npm_by_its_name() {
    let world = World::with_servers();
    let registry = Double::new(&["1.2.0"]).start();
    registry.npmrc(&world, "");
    for (entries, plain, scoped) in
        [(&["npm"][..], true, true), (&["npm:@o"], false, true), (&["127.0.0.1"], false, false)]
    {
        world.allow_only(entries);
        assert_eq!(world.fetch("npm:p").is_ok(), plain, "{entries:?}");
        assert_eq!(world.fetch("npm:@o/p").is_ok(), scoped, "{entries:?}");
    }
}

#[test]
fn versions_have_to_have_been_out_for_a_while() {
    let world = World::with_servers();
    let old = "2020-01-01T00:00:00.000Z";
    let published = vec![
        ("1.0.0", old),
        ("1.10.0", old),
        ("1.2.0", "2999-01-01T00:00:00.000Z"),
        ("2.0.0-rc.1", old),
    ];
    let registry =
        Double { published, ..Double::new(&["1.0.0", "1.2.0", "1.3.0", "1.10.0", "2.0.0-rc.1"]) }
            .start();
    registry.npmrc(&world, "");
    assert_eq!(world.fetch("npm:p").unwrap().resolved.reference.as_deref(), Some("1.2.0"));
    world.write("project/.planning/config.json", r#"{"capabilities": {"cool_down": 7}}"#);
    for (spec, version) in [
        ("npm:p", "1.10.0"),
        ("npm:p@<1.10", "1.0.0"),
        ("npm:p@1.0.0", "1.0.0"),
        ("npm:p@next", "2.0.0-rc.1"),
    ] {
        let resolved = world.fetch(spec).unwrap_or_else(|error| panic!("{spec}: {error}")).resolved;
        assert_eq!(resolved.reference.as_deref(), Some(version), "{spec}");
    }
    for spec in ["npm:p@1.2.0", "npm:p@~1.2", "npm:p@1.3.0"] {
        let error = world.fetch(spec).expect_err(spec);
        let fresh = matches!(error, FetchError::Refused(Refusal::TooFresh { days: 7, .. }));
        assert!(fresh, "{spec}: {error}");
    }
    assert!(matches!(world.fetch("npm:p@^9"), Err(FetchError::NoSuch { .. })));
}
