//! Capabilities that have to be signed, from the first install on, by the command.

use super::row;
use super::sources::{archive, capability, installed, refused, user, world};
use crate::world::{command, ran};
use gsd_testkit::minisign::Signer;
use gsd_testkit::project::World;
use gsd_testkit::web_server::{Answer, WebServer};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// What lies at an address: an archive, and what is beside it.
type Published = Arc<Mutex<(Vec<u8>, Option<String>)>>;

/// A server, what lies on it, and the address of that.
fn site() -> (WebServer, Published, String) {
    let published: Published = Arc::default();
    let held = Arc::clone(&published);
    let server = WebServer::https(move |request| {
        let (archive, signature) = held.lock().unwrap().clone();
        match (request.path.as_str(), signature) {
            ("/acme.tgz", _) => Answer::ok(archive),
            ("/acme.tgz.minisig", Some(signature)) => Answer::ok(signature),
            _ => Answer::status(404),
        }
    });
    let spec = format!("{}/acme.tgz", server.url());
    (server, published, spec)
}

fn pin(world: &World, key: Option<&Signer>) {
    let key = key.map(Signer::key);
    user(world, &json!({ "private_hosts": ["127.0.0.1"], "signing_keys": { "127.0.0.1": key } }));
}

/// Publishes a version, signed or not.
fn publish(published: &Published, version: &str, by: Option<&Signer>) {
    let bytes = archive("", version);
    let signature = by.map(|signer| signer.sign(&bytes));
    *published.lock().unwrap() = (bytes, signature);
}

/// A failure of a change of what is installed already.
fn fails(world: &World, args: &[&str], code: i32, word: &str) -> Value {
    let done = capability(world, args);
    assert_eq!(done.code, code, "{args:?}: {}{}", done.stdout, done.stderr);
    let error = done.json();
    assert_eq!(error["code"], word, "{error}");
    assert!(error["hint"].is_string() || error["details"]["hint"].is_string(), "{error}");
    error
}

fn recorded(world: &World) -> Value {
    row(world, "acme")["signingKey"].clone()
}

#[test]
fn what_a_key_is_pinned_for_is_installed_signed_or_not_at_all() {
    let world = world();
    let (ada, eve) = (Signer::new(1), Signer::new(2));
    let (_server, published, spec) = site();
    pin(&world, Some(&ada));
    publish(&published, "1.0.0", None);
    assert_eq!(refused(&world, &["install", &spec], 4)["code"], "not-signed");
    publish(&published, "1.0.0", Some(&eve));
    assert_eq!(refused(&world, &["install", &spec], 5)["code"], "signature-mismatch");
    publish(&published, "1.0.0", Some(&ada));
    published.lock().unwrap().0.push(0);
    assert_eq!(refused(&world, &["install", &spec], 5)["code"], "signature-mismatch");
    published.lock().unwrap().1 = Some("nothing that is signed".into());
    assert_eq!(refused(&world, &["install", &spec], 5)["code"], "signature-mismatch");

    publish(&published, "1.0.0", Some(&ada));
    let foretold = capability(&world, &["install", &spec, "--dry-run"]);
    let signature = &foretold.json()["details"]["question"]["signature"];
    let said = json!({ "kind": "minisign", "key": ada.key(), "keyId": ada.id() });
    assert_eq!(*signature, said, "{}", foretold.stdout);
    let mut plain = command(&world, &["capability", "install", &spec, "--dry-run"]);
    plain.env("SSL_CERT_FILE", world.home().join("authority.pem"));
    let plain = ran(plain.output().unwrap());
    let line = format!("signature: minisign, key {}\n", ada.id());
    assert!(plain.stdout.contains(&line), "{}", plain.stdout);

    let entry = installed(&world, &["install", &spec]);
    assert_eq!(entry["pinned"], json!({ "minisign": ada.key() }));
    assert_eq!(recorded(&world), json!(ada.id()));
    let shown = crate::world::gsd(&world, &["capability", "show", "acme"]);
    assert!(shown.stdout.contains(&format!("minisign {}", ada.id())), "{}", shown.stdout);
    let outdated = capability(&world, &["outdated"]);
    assert_eq!(outdated.json()["details"][0]["signingKey"], json!(ada.id()));
}

#[test]
fn what_was_signed_stays_signed_by_the_same_key() {
    let world = world();
    let (ada, eve) = (Signer::new(1), Signer::new(2));
    let (_server, published, spec) = site();
    pin(&world, Some(&ada));
    publish(&published, "1.0.0", Some(&ada));
    installed(&world, &["install", &spec]);
    // The settings ask for nothing any more.
    for settings in [None, Some(())] {
        match settings {
            None => pin(&world, None),
            Some(()) => user(&world, &json!({ "private_hosts": ["127.0.0.1"] })),
        }
        publish(&published, "1.1.0", None);
        for args in [&["update", "acme"][..], &["install", &spec], &["update", "acme", "--yes"]] {
            fails(&world, args, 4, "not-signed");
        }
        publish(&published, "1.1.0", Some(&eve));
        fails(&world, &["update", "acme"], 5, "signature-mismatch");
    }
    publish(&published, "1.1.0", Some(&ada));
    let entry = installed(&world, &["update", "acme"]);
    assert_eq!(
        (&entry["version"], &entry["pinned"]["minisign"]),
        (&json!("1.1.0"), &json!(ada.key()))
    );

    // Neither does another source bring it unsigned, unless the user says so.
    let file = world.root().join("acme.tgz");
    std::fs::write(&file, archive("", "1.2.0")).unwrap();
    let error = fails(&world, &["install", file.as_str()], 4, "refused");
    assert!(error["message"].as_str().unwrap().contains("came from"), "{error}");
    let asked = fails(&world, &["install", file.as_str(), "--replace"], 3, "consent-required");
    let also = asked["details"]["question"]["also"].to_string();
    assert!(
        also.contains(&format!("is not signed; so far it was by the key {}", ada.id())),
        "{also}"
    );
    assert_eq!(asked["details"]["question"]["signature"], Value::Null);

    // Its publisher has a new key.
    pin(&world, Some(&eve));
    publish(&published, "1.3.0", Some(&eve));
    let error = fails(&world, &["update", "acme"], 4, "not-signed");
    assert!(error["message"].as_str().unwrap().contains("two keys"), "{error}");
    fails(&world, &["install", &spec], 4, "not-signed");
    let asked = fails(&world, &["install", &spec, "--replace"], 3, "consent-required");
    let also = asked["details"]["question"]["also"].to_string();
    assert!(also.contains(&format!("signed by the key {}", eve.id())), "{also}");
    let entry = installed(&world, &["install", &spec, "--replace", "--yes"]);
    assert_eq!(entry["pinned"]["minisign"], json!(eve.key()));
    publish(&published, "1.4.0", Some(&eve));
    assert_eq!(installed(&world, &["update", "acme"])["version"], "1.4.0");
    // Removed and forgotten.
    assert_eq!(capability(&world, &["remove", "acme"]).code, 0);
    pin(&world, None);
    publish(&published, "1.5.0", None);
    assert_eq!(installed(&world, &["install", &spec])["pinned"], Value::Null);
}

#[test]
fn a_signature_that_is_there_for_the_first_time_is_kept_in_mind() {
    let world = world();
    let ada = Signer::new(1);
    let (_server, published, spec) = site();
    publish(&published, "1.0.0", Some(&ada));
    assert_eq!(installed(&world, &["install", &spec])["pinned"], Value::Null);
    assert_eq!(recorded(&world), Value::Null);
    pin(&world, Some(&ada));
    assert_eq!(installed(&world, &["update", "acme"])["pinned"]["minisign"], json!(ada.key()));
    pin(&world, None);
    publish(&published, "1.1.0", None);
    fails(&world, &["update", "acme"], 4, "not-signed");
}

/// In a project the user's own record counts, whatever the ledger says that comes with the project.
#[test]
fn a_project_cannot_take_a_signature_back() {
    let world = world();
    let (ada, eve) = (Signer::new(1), Signer::new(2));
    let (_server, published, spec) = site();
    pin(&world, Some(&ada));
    publish(&published, "1.0.0", Some(&ada));
    let here = ["--scope", "project"];
    let install = [&["install", &spec][..], &here].concat();
    assert_eq!(capability(&world, &install).code, 0);
    assert_eq!(capability(&world, &["lock"]).code, 0);
    let lock = world.read("capabilities.lock");
    assert!(lock.contains(&format!("\"minisign\": \"{}\"", ada.key())), "{lock}");

    pin(&world, None);
    let ledger = world.read(".gsd-capabilities.json");
    let mut other: Value = serde_json::from_str(&ledger).unwrap();
    other["entries"]["acme"]["pinned"] = Value::Null;
    world.write(".gsd-capabilities.json", &other.to_string());
    publish(&published, "1.1.0", None);
    let update = [&["update", "acme"][..], &here].concat();
    fails(&world, &update, 4, "not-signed");
    fails(&world, &install, 4, "not-signed");
    // Nor by agreeing to the files as they are.
    let grant = [&["trust", "grant", "acme", "--yes"][..], &here].concat();
    assert_eq!(capability(&world, &grant).code, 0);
    fails(&world, &update, 4, "not-signed");
    // One that nobody can read asks for the user's word.
    other["entries"]["acme"]["pinned"] = json!({ "minisign": "RWnone" });
    world.write(".gsd-capabilities.json", &other.to_string());
    assert_eq!(capability(&world, &[&["trust", "revoke", "acme"][..], &here].concat()).code, 0);
    let error = fails(&world, &install, 4, "refused");
    assert!(error["message"].as_str().unwrap().contains("cannot be read"), "{error}");
    publish(&published, "1.0.0", Some(&ada));

    // Another checkout, of somebody who pinned nothing: the lock file asks for the signature.
    world.write(".gsd-capabilities.json", &ledger);
    assert_eq!(capability(&world, &[&["remove", "acme"][..], &here].concat()).code, 0);
    published.lock().unwrap().1 = None;
    fails(&world, &["install", "--frozen"], 4, "not-signed");
    publish(&published, "1.0.0", Some(&ada));
    assert_eq!(capability(&world, &["install", "--frozen"]).code, 0);
    assert_eq!(recorded(&world), json!(ada.id()));
    assert_eq!(capability(&world, &["lock", "--check"]).code, 0);
    // An older lock file takes what is signed as well, and nothing unsigned in its place.
    let older = lock.replace(&format!("      \"minisign\": \"{}\",\n", ada.key()), "");
    assert_ne!(older, lock);
    world.write("capabilities.lock", &older);
    let bundle = world.root().join(".gsd/capabilities/acme/capability.json");
    std::fs::write(bundle, "{}").unwrap();
    published.lock().unwrap().1 = None;
    fails(&world, &["install", "--frozen", "--yes"], 4, "not-signed");
    // Nor does the lock file say who else may sign.
    world.write("capabilities.lock", &lock.replace(&ada.key(), &eve.key()));
    publish(&published, "1.0.0", Some(&eve));
    let error = fails(&world, &["install", "--frozen", "--yes"], 4, "refused");
    assert!(error["message"].as_str().unwrap().contains("was signed by the key"), "{error}");
    world.write("capabilities.lock", &older);
    publish(&published, "1.0.0", Some(&ada));
    assert_eq!(capability(&world, &["install", "--frozen", "--yes"]).code, 0);
}

/// What a ledger that came along claims is no record of the user's own.
#[test]
fn a_signature_that_was_seen_is_in_the_own_record_as_well() {
    let world = world();
    let ada = Signer::new(1);
    let (_server, published, spec) = site();
    publish(&published, "1.0.0", Some(&ada));
    let install = ["install", &spec, "--scope", "project"];
    assert_eq!(capability(&world, &install).code, 0);
    let claim = |key: Value| {
        let mut ledger: Value =
            serde_json::from_str(&world.read(".gsd-capabilities.json")).unwrap();
        ledger["entries"]["acme"]["pinned"] = key;
        world.write(".gsd-capabilities.json", &ledger.to_string());
    };
    claim(json!({ "minisign": ada.key() }));
    assert_eq!(capability(&world, &install).code, 0);
    claim(Value::Null);
    publish(&published, "1.1.0", None);
    fails(&world, &install, 4, "not-signed");
}
