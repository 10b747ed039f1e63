//! Registries: an index in a file or at an address.

use super::{World, bundle, names};
use gsd_engine::source::{BuildError, Class, Integrity, Peek, Verified, build_index};
use gsd_io::cancel::Cancel;
use gsd_testkit::web_server::{Answer, WebServer};
use serde_json::json;

/// A folder with packed bundles and their index, as `gsd registry-index build` leaves it.
fn published(world: &World) -> camino::Utf8PathBuf {
    for version in ["1.0.0", "1.2.0", "2.0.0-rc.1"] {
        let archive = bundle("", version).gzip();
        world.write(&format!("registry/acme-{version}.tgz"), archive);
    }
    let folder = world.root.join("registry");
    let scratch = world.root.join("scratch/index");
    std::fs::create_dir(&scratch).unwrap();
    let index = build_index(&folder, &scratch, &Cancel::new()).unwrap();
    assert_eq!(names(&scratch, ""), Vec::<String>::new());
    world.write("registry/index.json", index.to_string());
    folder
}

fn name_it(world: &World, index: &str) {
    let settings = json!({ "capabilities": {
        "private_hosts": ["127.0.0.1"], "registries": { "main": index },
    } });
    world.write("home/.gsd/defaults.json", settings.to_string());
}

fn serve(folder: camino::Utf8PathBuf) -> WebServer {
    WebServer::https(move |request| match std::fs::read(folder.join(&request.path[1..])) {
        Ok(bytes) => Answer::ok(bytes),
        Err(_) => Answer::status(404),
    })
}

#[test]
fn a_published_folder_is_a_registry_as_files_and_as_a_site() {
    let world = World::with_servers();
    let folder = published(&world);
    let server = serve(folder.clone());
    for index in [folder.join("index.json").into_string(), format!("{}/index.json", server.url())] {
        name_it(&world, &index);
        for (spec, version) in [
            ("acme@main", "1.2.0"),
            ("acme@main#1.0.x", "1.0.0"),
            ("acme@main#>=2.0.0-rc.0", "2.0.0-rc.1"),
        ] {
            let fetched = world.fetch(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
            assert_eq!(fetched.resolved.reference.as_deref(), Some(version), "{spec} of {index}");
            assert_eq!(fetched.resolved.verified, Verified::Registry);
            let Peek::Ok { version: found, integrity, .. } = world.peek(spec) else {
                panic!("{spec}")
            };
            assert_eq!(found.unwrap().to_string(), version);
            assert_eq!(integrity, fetched.resolved.integrity);
        }
        for (spec, class) in [
            ("other@main", Class::Unreachable),
            ("acme@main#^9", Class::Unreachable),
            ("acme@unknown", Class::Refused),
        ] {
            let error = world.fetch(spec).expect_err(spec);
            assert_eq!(error.class(), class, "{spec}: {error}");
            assert!(error.hint().is_some());
        }
    }
}

#[test]
fn an_index_cannot_promise_what_does_not_hold() {
    let world = World::with_servers();
    let folder = published(&world);
    let archive = std::fs::read(folder.join("acme-1.0.0.tgz")).unwrap();
    let right = Integrity::of(&archive).to_string();
    let wrong = Integrity::of(b"x").to_string();
    world.write("outside.tgz", &archive);
    std::os::unix::fs::symlink("../outside.tgz", folder.join("link.tgz")).unwrap();
    let release = |source: &str, integrity: serde_json::Value| {
        json!({ "schema": 1, "capabilities": { "acme": { "versions": { "1.0.0": {
            "source": source, "integrity": integrity } } } } })
        .to_string()
    };
    for (index, class) in [
        (release("acme-1.0.0.tgz", json!(wrong)), Class::Mismatch),
        (release("acme-1.0.0.tgz", json!("")), Class::Unreachable),
        (release("acme-1.0.0.tgz", json!(null)), Class::Unreachable),
        (release("../outside.tgz", json!(right)), Class::Refused),
        (release("/etc/passwd", json!(right)), Class::Refused),
        (release("file:///etc/passwd", json!(right)), Class::Refused),
        (release("link.tgz", json!(right)), Class::Unreachable),
        (release("gone.tgz", json!(right)), Class::Unreachable),
        (release("https://10.0.0.1/x.tgz", json!(right)), Class::Refused),
        (release("http://127.0.0.1/x.tgz", json!(right)), Class::Refused),
        ("{}".to_owned(), Class::Refused),
        (String::new(), Class::Refused),
    ] {
        let path = world.write("registry/index.json", &index);
        name_it(&world, path.as_str());
        let error = world.fetch("acme@main").expect_err(&index);
        assert_eq!(error.class(), class, "{index}: {error}");
    }
    let path = world.write("registry/index.json", release("acme-1.0.0.tgz", json!(right)));
    name_it(&world, path.as_str());
    assert!(world.fetch("acme@main").is_ok());
    // What an index in a file names elsewhere has to be a known source.
    let server = serve(folder);
    let address = format!("{}/acme-1.0.0.tgz", server.url());
    world.write("registry/index.json", release(&address, json!(right)));
    assert!(world.fetch("acme@main").is_ok());
    let asked = server.connections();
    world.allow_only(&["github.com"]);
    assert_eq!(world.fetch("acme@main").expect_err("not known").class(), Class::Refused);
    assert_eq!(server.connections(), asked);
}

#[test]
fn an_archive_holds_what_its_index_says() {
    let world = World::new();
    let folder = published(&world);
    let right = Integrity::of(&std::fs::read(folder.join("acme-1.0.0.tgz")).unwrap()).to_string();
    let release = |id: &str, version: &str| {
        json!({ "schema": 1, "capabilities": { id: { "versions": { version: {
            "source": "acme-1.0.0.tgz", "integrity": right } } } } })
        .to_string()
    };
    for (id, version) in [("other", "1.0.0"), ("acme", "2.0.0"), ("acme", "1.0.0+build")] {
        let path = world.write("registry/index.json", release(id, version));
        name_it(&world, path.as_str());
        let error = world.fetch(&format!("{id}@main")).expect_err(version);
        assert_eq!(error.class(), Class::Mismatch, "{error}");
        let says = format!("promised {id} {version}, and the archive holds acme 1.0.0");
        assert!(error.to_string().contains(&says), "{error}");
        assert!(error.hint().is_some());
    }
    let path = world.write("registry/index.json", release("acme", "1.0.0"));
    name_it(&world, path.as_str());
    assert!(world.fetch("acme@main").is_ok());
}

#[test]
fn what_is_no_folder_of_bundles() {
    let world = World::new();
    let mut count = 0;
    let mut build = || {
        count += 1;
        let scratch = world.root.join(format!("scratch/{count}"));
        std::fs::create_dir(&scratch).unwrap();
        build_index(&world.root.join("registry"), &scratch, &Cancel::new())
    };
    assert!(matches!(build(), Err(BuildError::Read(_))));
    world.write("registry/notes.txt", "x");
    assert!(matches!(build(), Err(BuildError::Empty { .. })));
    world.write("registry/a.tgz", "no archive");
    assert!(matches!(build(), Err(BuildError::Archive { .. })));
    world.write("registry/a.tgz", gsd_testkit::tarball::Tar::new().file("x", "x").gzip());
    assert!(matches!(build(), Err(BuildError::NoBundle { .. })));
    world.write("registry/a.tgz", bundle("", "not-a-version").gzip());
    assert!(matches!(build(), Err(BuildError::NoBundle { .. })));
    world.write("registry/a.tgz", bundle("", "1.0.0").gzip());
    world.write("registry/b.tgz", bundle("", "1.0.0").gzip());
    let error = build().expect_err("the same twice");
    assert_eq!(error.to_string(), "`b.tgz` and `a.tgz` are both acme 1.0.0");
}

#[test]
fn versions_have_to_have_been_out_for_a_while() {
    let world = World::with_servers();
    let folder = published(&world);
    name_it(&world, folder.join("index.json").as_str());
    let mut index: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
    world.write("project/.planning/config.json", r#"{"capabilities": {"cool_down": 1}}"#);
    let error = world.fetch("acme@main").expect_err("nothing says when it was published");
    assert_eq!(error.class(), Class::Refused, "{error}");
    index["capabilities"]["acme"]["versions"]["1.0.0"]["published"] = json!("2020-01-01T00:00:00Z");
    world.write("registry/index.json", index.to_string());
    let resolved = world.fetch("acme@main").unwrap().resolved;
    assert_eq!(resolved.reference.as_deref(), Some("1.0.0"));
}
