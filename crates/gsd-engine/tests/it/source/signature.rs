//! Archives that have to be signed, from real servers and from disk.

use super::{World, bundle};
use gsd_engine::source::{Class, FetchError, Fetched, Peek, Refusal, SigningKey};
use gsd_testkit::minisign::{Form, Signer};
use gsd_testkit::web_server::{Answer, Body, WebServer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The user's settings: whose signatures are asked for, and registries.
fn settings(world: &World, keys: &Value, registries: &Value) {
    let settings = json!({ "capabilities": {
        "private_hosts": ["127.0.0.1", "localhost"], "signing_keys": keys,
        "registries": registries,
    } });
    world.write("home/.gsd/defaults.json", settings.to_string());
}

fn pin(world: &World, keys: &Value) {
    settings(world, keys, &json!({}));
}

/// A server of files that can be exchanged.
fn site() -> (WebServer, Arc<Mutex<BTreeMap<String, Answer>>>) {
    let files = Arc::new(Mutex::new(BTreeMap::<String, Answer>::new()));
    let held = Arc::clone(&files);
    let server = WebServer::https(move |request| {
        let files = held.lock().unwrap();
        files.get(&request.path).cloned().unwrap_or_else(|| Answer::status(404))
    });
    (server, files)
}

fn refused(fetched: Result<Fetched, FetchError>, class: Class, says: &str) {
    let error = fetched.expect_err(says);
    assert_eq!(error.class(), class, "{says}: {error}");
    assert!(error.to_string().contains(says), "{says}: {error}");
    assert!(error.hint().is_some(), "{error}");
}

#[test]
fn an_archive_has_to_be_signed_by_the_key_that_is_pinned() {
    let world = World::with_servers();
    let (ada, eve) = (Signer::new(1), Signer::new(2));
    let (server, files) = site();
    let archive = bundle("", "1.0.0").gzip();
    let put = |path: &str, answer: Answer| files.lock().unwrap().insert(path.to_owned(), answer);
    put("/a/x.tgz", Answer::ok(archive.clone()));
    let spec = format!("{}/a/x.tgz", server.url());

    // Who pins nothing asks nobody for a signature.
    let fetched = world.fetch(&spec).unwrap();
    assert_eq!(fetched.resolved.signed_by, None);
    assert_eq!(server.connections(), 1);

    pin(&world, &json!({ "127.0.0.1/a": ada.key() }));
    refused(world.fetch(&spec), Class::Unsigned, "there is no `https://127.0.0.1:");
    let archives = server.requests().iter().filter(|asked| asked.path == "/a/x.tgz").count();
    assert_eq!(archives, 1, "what is not signed is not downloaded");

    for form in [Form::Hashed, Form::Legacy] {
        put("/a/x.tgz.minisig", Answer::ok(ada.sign_as(form, &archive)));
        let fetched = world.fetch(&spec).unwrap_or_else(|error| panic!("{form:?}: {error}"));
        let key = fetched.resolved.signed_by.unwrap();
        assert_eq!((key.to_string(), key.id()), (ada.key(), ada.id().as_str()));
    }

    let other = bundle("", "1.0.1").gzip();
    let by_eve = format!("by the key {}, and not by {}", eve.id(), ada.id());
    let mut garbled = ada.sign(&archive);
    garbled.truncate(120);
    let mut one_bit = archive.clone();
    one_bit[20] ^= 1;
    for (signature, says) in [
        (eve.sign(&archive), by_eve.as_str()),
        (ada.sign(&other), "did not sign these bytes"),
        (ada.sign(&one_bit), "did not sign these bytes"),
        (garbled, "no signature of minisign"),
        (String::new(), "no signature of minisign"),
        ("<html>not here</html>".repeat(100), "no signature of minisign"),
        (ada.sign(&archive) + &"x".repeat(64 << 10), "too large"),
    ] {
        put("/a/x.tgz.minisig", Answer::ok(signature));
        refused(world.fetch(&spec), Class::Signature, says);
    }
    put("/a/x.tgz.minisig", Answer::odd(Body::Chunked(1 << 30)));
    refused(world.fetch(&spec), Class::Signature, "too large");
    put("/a/x.tgz.minisig", Answer::status(500));
    refused(world.fetch(&spec), Class::Unreachable, "500");

    // However its path is spelled, it is the place that is pinned.
    for path in ["/%61/x.tgz", "/a%2fx.tgz"] {
        put(path, Answer::ok(archive.clone()));
        refused(world.fetch(&format!("{}{path}", server.url())), Class::Unsigned, "is not signed");
    }

    // Of another place on the same host nothing is asked.
    put("/b/x.tgz", Answer::ok(archive));
    assert!(world.fetch(&format!("{}/b/x.tgz", server.url())).is_ok());
    pin(&world, &json!({ "127.0.0.1": ada.key(), "127.0.0.1/b": null }));
    assert!(world.fetch(&format!("{}/b/x.tgz", server.url())).is_ok());
}

#[test]
fn a_signature_is_asked_for_as_its_archive_is() {
    let world = World::with_servers();
    let ada = Signer::new(1);
    let (server, files) = site();
    let (elsewhere, theirs) = site();
    let archive = bundle("", "1.0.0").gzip();
    let put = |path: &str, answer: Answer| files.lock().unwrap().insert(path.to_owned(), answer);
    put("/x.tgz", Answer::ok(archive.clone()));
    let signature = Answer::ok(ada.sign(&archive));
    theirs.lock().unwrap().insert("/s".into(), signature);
    let spec = format!("{}/x.tgz?raw=1", server.url());
    pin(&world, &json!({ "127.0.0.1": ada.key() }));

    // A redirect is followed where the lists allow it, and no further.
    let away = elsewhere.url_at("localhost");
    put("/x.tgz.minisig", Answer::redirect(&format!("{away}/s")));
    assert!(world.fetch(&spec).unwrap().resolved.signed_by.is_some());
    let asked = server.requests().into_iter().find(|asked| asked.path == "/x.tgz.minisig");
    assert_eq!(asked.unwrap().query, "raw=1");
    world.allow_only(&["127.0.0.1"]);
    let before = elsewhere.connections();
    refused(world.fetch(&spec), Class::Refused, "localhost");
    world.write("project/.planning/config.json", "{}");
    let only_here = json!({ "capabilities": {
        "private_hosts": ["127.0.0.1"], "signing_keys": { "127.0.0.1": ada.key() },
    } });
    world.write("home/.gsd/defaults.json", only_here.to_string());
    refused(world.fetch(&spec), Class::Refused, "not public");
    pin(&world, &json!({ "127.0.0.1": ada.key() }));
    put("/x.tgz.minisig", Answer::redirect(&format!("{}/s", away.replace("https:", "http:"))));
    refused(world.fetch(&spec), Class::Refused, "not encrypted");
    assert_eq!(elsewhere.connections(), before, "nobody there was asked");
    put("/x.tgz.minisig", Answer::redirect("/x.tgz.minisig"));
    refused(world.fetch(&spec), Class::Unreachable, "redirects more than");
}

#[test]
fn what_is_kept_from_earlier_asks_as_well() {
    let mut world = World::with_servers();
    let (ada, eve) = (Signer::new(1), Signer::new(2));
    let (server, files) = site();
    let archive = bundle("", "1.0.0").gzip();
    files.lock().unwrap().insert("/x.tgz".into(), Answer::ok(archive.clone()));
    let spec = format!("{}/x.tgz", server.url());
    world.signed_by = Some(SigningKey::parse(&ada.key()).unwrap());
    refused(world.fetch(&spec), Class::Unsigned, "is not signed");
    let signature = Answer::ok(ada.sign(&archive));
    files.lock().unwrap().insert("/x.tgz.minisig".into(), signature);
    assert!(world.fetch(&spec).unwrap().resolved.signed_by.is_some());
    pin(&world, &json!({ "127.0.0.1": ada.key() }));
    assert!(world.fetch(&spec).is_ok());
    pin(&world, &json!({ "127.0.0.1": eve.key() }));
    refused(world.fetch(&spec), Class::Unsigned, "two keys");
    // Nor does it go away because the settings ask for nothing.
    pin(&world, &json!({ "127.0.0.1": null }));
    files.lock().unwrap().remove("/x.tgz.minisig");
    refused(world.fetch(&spec), Class::Unsigned, "is not signed");
}

#[test]
fn archives_of_this_machine_have_it_beside_them() {
    let world = World::new();
    let ada = Signer::new(1);
    let archive = bundle("", "1.0.0").gzip();
    let path = world.write("made/x.tgz", &archive);
    world.write("made/folder/capability.json", super::manifest("acme", "1.0.0"));
    // However the place is spelled.
    std::os::unix::fs::symlink("made", world.root.join("other")).unwrap();
    for pinned in ["made", "other", "other/../made"] {
        pin(&world, &json!({ (format!("local:{}", world.root.join(pinned))): ada.key() }));
        for way in ["made", "other"] {
            let spec = world.root.join(way).join("x.tgz");
            refused(world.fetch(spec.as_str()), Class::Unsigned, "is not signed");
        }
    }
    let folder = world.root.join("made/folder");
    refused(world.fetch(folder.as_str()), Class::Unsigned, "a folder has none");
    let beside = world.write("made/x.tgz.minisig", ada.sign(&archive));
    assert!(world.fetch(path.as_str()).unwrap().resolved.signed_by.is_some());
    world.write("made/x.tgz.minisig", "x".repeat(1 << 20));
    refused(world.fetch(path.as_str()), Class::Signature, "too large");
    std::fs::remove_file(&beside).unwrap();
    let sound = world.write("made/sound", ada.sign(&archive));
    std::os::unix::fs::symlink(sound, &beside).unwrap();
    refused(world.fetch(path.as_str()), Class::Signature, "does not hold");
    std::fs::remove_file(&beside).unwrap();
    // What nobody can read keeps nobody from a folder, and lets no archive through.
    pin(&world, &json!([ada.key()]));
    refused(world.fetch(path.as_str()), Class::Refused, "malformed");
    assert!(world.fetch(folder.as_str()).is_ok());
    world.write("home/.gsd/defaults.json", "{");
    refused(world.fetch(path.as_str()), Class::Refused, "cannot be read");
    assert!(world.fetch(folder.as_str()).is_ok());
    pin(&world, &json!({ "local:/elsewhere": ada.key() }));
    assert!(world.fetch(path.as_str()).is_ok());
    assert!(world.fetch(folder.as_str()).is_ok());
}

#[test]
fn a_registry_is_pinned_by_its_name_its_index_or_where_its_archives_are() {
    let world = World::with_servers();
    let (ada, eve) = (Signer::new(1), Signer::new(2));
    let (server, files) = site();
    let archive = bundle("", "1.0.0").gzip();
    let integrity = gsd_engine::source::Integrity::of(&archive).to_string();
    let index = |source: &str| {
        let release = json!({ "source": source, "integrity": integrity });
        json!({ "schema": 1, "capabilities": { "acme": { "versions": { "1.0.0": release } } } })
    };
    world.write("registry/acme.tgz", &archive);
    let path = world.write("registry/index.json", index("acme.tgz").to_string());
    files.lock().unwrap().insert("/r/acme.tgz".into(), Answer::ok(archive.clone()));
    files.lock().unwrap().insert("/r/index.json".into(), Answer::ok(index("acme.tgz").to_string()));
    let address = format!("{}/r/index.json", server.url());
    let registries = json!({ "file": path.as_str(), "site": address });
    for (pinned, asked) in [
        ("registry:file".to_owned(), "acme@file"),
        (format!("local:{}", world.root.join("registry")), "acme@file"),
        ("registry:site".to_owned(), "acme@site"),
        ("127.0.0.1/r".to_owned(), "acme@site"),
        ("127.0.0.1/r/index.json".to_owned(), "acme@site"),
        ("127.0.0.1/r/acme.tgz".to_owned(), "acme@site"),
    ] {
        settings(&world, &json!({ (pinned.as_str()): ada.key() }), &registries);
        refused(world.fetch(asked), Class::Unsigned, "is not signed");
    }
    world.write("registry/acme.tgz.minisig", ada.sign(&archive));
    let signature = Answer::ok(eve.sign(&archive));
    files.lock().unwrap().insert("/r/acme.tgz.minisig".into(), signature);
    // The name says more than a place.
    let keys =
        json!({ "registry:file": ada.key(), "registry:site": eve.key(), "127.0.0.1": ada.key() });
    settings(&world, &keys, &registries);
    for (asked, key) in [("acme@file", ada.key()), ("acme@site", eve.key())] {
        let resolved =
            world.fetch(asked).unwrap_or_else(|error| panic!("{asked}: {error}")).resolved;
        assert_eq!(resolved.signed_by.unwrap().to_string(), key, "{asked}");
        assert!(matches!(world.peek(asked), Peek::Ok { .. }));
    }
    world.write("registry/acme.tgz.minisig", ada.sign(b"other"));
    refused(world.fetch("acme@file"), Class::Signature, "did not sign these bytes");
}

#[test]
fn what_cannot_be_signed_is_not_taken_from_where_it_has_to_be() {
    let world = World::with_servers();
    let ada = Signer::new(1);
    let (server, _) = site();
    pin(&world, &json!({ "127.0.0.1": ada.key(), "npm": ada.key() }));
    let git = format!("git+{}/r.git#sha:{}", server.url(), "0".repeat(40));
    refused(world.fetch(&git), Class::Unsigned, "a repository has none");
    world.write("home/.npmrc", format!("registry={}", server.url()));
    refused(world.fetch("npm:acme"), Class::Unsigned, "a package of npm has none");
    assert_eq!(server.connections(), 0, "nobody was asked");
    pin(&world, &json!({ "127.0.0.1": ada.key(), "npm": ada.key(), "127.0.0.1/r": null }));
    assert_eq!(world.fetch(&git).expect_err("no git there").class(), Class::Unreachable);
}

#[test]
fn a_project_neither_pins_nor_unpins() {
    let world = World::with_servers();
    let (ada, eve) = (Signer::new(1), Signer::new(2));
    let (server, files) = site();
    let archive = bundle("", "1.0.0").gzip();
    files.lock().unwrap().insert("/x.tgz".into(), Answer::ok(archive));
    let spec = format!("{}/x.tgz", server.url());
    let of_project = |keys: Value| {
        let config = json!({ "capabilities": { "signing_keys": keys } });
        world.write("project/.planning/config.json", config.to_string());
    };
    of_project(json!({ "127.0.0.1": eve.key() }));
    assert_eq!(world.fetch(&spec).unwrap().resolved.signed_by, None);
    of_project(json!("nonsense"));
    assert!(world.fetch(&spec).is_ok());
    pin(&world, &json!({ "127.0.0.1": ada.key() }));
    for keys in [json!(null), json!({ "127.0.0.1/x.tgz": null }), json!({ "127.0.0.1": eve.key() })]
    {
        of_project(keys);
        refused(world.fetch(&spec), Class::Unsigned, "is not signed");
    }
    // What the user wrote and nobody can mean lets nothing through.
    of_project(json!({}));
    pin(&world, &json!({ "127.0.0.1": "RWnotakey" }));
    let error = world.fetch(&spec).expect_err("no key");
    assert!(matches!(error, FetchError::Refused(Refusal::Keys { .. })), "{error}");
}

/// Whoever can set a variable does not take away what stands in the home.
#[test]
fn another_home_takes_no_key_away() {
    let mut world = World::with_servers();
    let ada = Signer::new(1);
    let (server, files) = site();
    let archive = bundle("", "1.0.0").gzip();
    files.lock().unwrap().insert("/x.tgz".into(), Answer::ok(archive));
    let spec = format!("{}/x.tgz", server.url());
    pin(&world, &json!({ "127.0.0.1": ada.key() }));
    let loose = json!({ "capabilities": {
        "private_hosts": ["127.0.0.1"], "signing_keys": { "127.0.0.1": null },
    } });
    world.write("second/.gsd/defaults.json", loose.to_string());
    world.vars.insert("GSD_HOME".into(), world.root.join("second").into());
    refused(world.fetch(&spec), Class::Unsigned, "is not signed");
}
