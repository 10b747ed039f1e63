use super::*;
use serde_json::{Value, json};

struct World {
    _folder: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonical(Utf8Path::from_path(folder.path()).expect("UTF-8"));
        let this = Self { root: root.expect("real"), _folder: folder };
        for path in ["home", "a/.planning", "b/.planning"] {
            fs::create_dir_all(&this.root.join(path)).expect("created");
        }
        this
    }

    fn store(&self, project: &str) -> ConsentStore {
        ConsentStore::new(&self.root.join("home"), &self.root.join(project))
    }

    fn file(&self) -> Utf8PathBuf {
        self.root.join("home/.gsd/consent.json")
    }

    fn text(&self) -> String {
        fs::read_text(&self.file(), MAX_BYTES, Links::Refuse).expect("text")
    }

    fn write(&self, text: &str) {
        fs::create_dir_all(&self.root.join("home/.gsd")).expect("created");
        fs::write_atomic(&self.file(), text.as_bytes()).expect("written");
    }
}

fn id(text: &str) -> CapabilityId {
    CapabilityId::parse(text).expect("an id")
}

fn consent(store: &ConsentStore, name: &str, hash: &str) -> Consent {
    Consent::new(store.project(), &id(name), hash, "2026-01-01T00:00:00Z")
}

#[test]
fn a_consent_is_for_one_project_and_these_bytes() {
    let world = World::new();
    let (a, b) = (world.store("a"), world.store("b"));
    a.grant(consent(&a, "acme", "sha512-x")).expect("granted");
    assert!(a.of(&id("acme")).expect("reads").expect("there").covers("sha512-x"));
    assert!(!a.of(&id("acme")).expect("reads").expect("there").covers("sha512-y"));
    assert_eq!(b.of(&id("acme")).expect("reads"), None);
    let record = serde_json::from_str::<Value>(&world.text()).expect("JSON");
    let key = json!({ "r": a.project().as_str(), "i": "acme" }).to_string();
    assert_eq!(
        record["records"][&key],
        json!({
            "projectRoot": a.project().as_str(), "id": "acme", "scope": "project",
            "integrity": "", "disclosureSignature": "", "contentHash": "sha512-x",
            "consentedAt": "2026-01-01T00:00:00Z",
        })
    );
    assert_eq!(b.revoke(&id("acme")).expect("nothing to do"), None);
    assert!(a.revoke(&id("acme")).expect("revoked").is_some());
    assert!(fs::list(&world.root.join("home"), 9).expect("lists").is_empty(), "no trace is left");
}

#[test]
fn until_it_is_settled_the_old_and_the_new_one_hold() {
    let world = World::new();
    let a = world.store("a");
    a.grant(consent(&a, "acme", "sha512-old")).expect("granted");
    let before = world.text();
    a.begin(consent(&a, "acme", "sha512-new")).expect("begun");
    let both = a.of(&id("acme")).expect("reads").expect("there");
    assert!(both.covers("sha512-old") && both.covers("sha512-new") && !both.covers("sha512-z"));
    a.settle(&id("acme"), Some("sha512-old")).expect("settled");
    assert_eq!(world.text(), before, "as if nothing had been");
    a.begin(consent(&a, "acme", "sha512-new")).expect("begun");
    a.settle(&id("acme"), Some("sha512-new")).expect("settled");
    assert!(!a.of(&id("acme")).expect("reads").expect("there").covers("sha512-old"));
    a.begin(consent(&a, "acme", "sha512-newer")).expect("begun");
    a.settle(&id("acme"), None).expect("settled");
    assert_eq!(a.of(&id("acme")).expect("reads"), None, "the bundle is gone");
}

#[test]
fn what_is_not_understood_is_kept_and_consents_to_nothing() {
    let world = World::new();
    let a = world.store("a");
    let root = a.project().as_str();
    let strange = json!({ "projectRoot": root, "id": "acme", "scope": "global" });
    let no_hash = json!({ "projectRoot": root, "id": "beta", "scope": "project" });
    let document = json!({ "version": "1", "more": 1, "records": { "x": strange, "y": no_hash } });
    world.write(&document.to_string());
    assert_eq!(a.all().expect("reads"), vec![]);
    a.grant(consent(&a, "gamma", "sha512-x")).expect("granted");
    a.revoke(&id("gamma")).expect("revoked");
    assert_eq!(serde_json::from_str::<Value>(&world.text()).expect("JSON"), document);
    for broken in ["", "{", "[]", "{\"version\":\"2\",\"records\":{}}", "{\"version\":\"1\"}"] {
        world.write(broken);
        assert!(matches!(a.all(), Err(ConsentError::Corrupt { .. })), "{broken}");
        let refused = a.grant(consent(&a, "acme", "sha512-x"));
        assert!(matches!(refused, Err(ConsentError::Corrupt { .. })), "{broken}");
        assert_eq!(world.text(), broken, "it was not touched");
    }
}

#[test]
fn a_store_that_a_repository_could_bring_is_no_word_of_the_user() {
    let world = World::new();
    let (home, inside) = (world.root.join("home"), world.root.join("a/inside"));
    fs::create_dir_all(&inside).expect("created");
    let linked = world.root.join("linked");
    fs::make_link(&linked, &inside).expect("linked");
    for home in [&world.root.join("a"), &inside, &linked] {
        for project in ["a", "b"] {
            let store = ConsentStore::new(home, &world.root.join(project));
            let refused = store.grant(consent(&store, "acme", "sha512-x"));
            assert!(matches!(refused, Err(ConsentError::InsideProject { .. })), "{home}");
            assert!(matches!(store.all(), Err(ConsentError::InsideProject { .. })), "{home}");
        }
    }
    // The folder of the store leads into a project.
    fs::make_link(&home.join(".gsd"), &inside).expect("linked");
    let store = world.store("b");
    assert!(matches!(store.all(), Err(ConsentError::InsideProject { .. })));
    assert!(fs::list(&inside, 9).expect("lists").is_empty(), "nothing was written");
}

#[test]
fn a_store_that_others_may_write_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let a = world.store("a");
    a.grant(consent(&a, "acme", "sha512-x")).expect("granted");
    let mode = |path: &Utf8Path| fs::stamp(path).expect("there").mode;
    assert_eq!((mode(&world.file()), mode(&world.root.join("home/.gsd"))), (0o600, 0o700));
    std::fs::set_permissions(world.file(), std::fs::Permissions::from_mode(0o620)).expect("set");
    assert!(matches!(a.all(), Err(ConsentError::NotPrivate { .. })));
}
