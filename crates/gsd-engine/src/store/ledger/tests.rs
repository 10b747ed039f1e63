use super::*;
use serde_json::json;

fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).expect("UTF-8");
    (folder, path)
}

fn id(text: &str) -> CapabilityId {
    CapabilityId::parse(text).expect("an id")
}

fn entry(name: &str) -> Value {
    json!({
        "id": name, "version": "1.0.0", "source": "/src", "integrity": "",
        "files": [format!(".gsd/capabilities/{name}")], "sharedEdits": [],
    })
}

fn write(root: &Utf8Path, value: &Value) {
    fs::write_atomic(&root.join(FILE), value.to_string().as_bytes()).expect("written");
}

fn ledger(version: &str, entries: &Value) -> Value {
    json!({ "version": version, "updatedAt": "2026-01-01T00:00:00Z", "entries": entries })
}

#[test]
fn what_another_version_wrote_stays_and_becomes_schema_2() {
    let (_guard, root) = folder();
    let mut whole = ledger("1", &json!({ "acme": entry("acme"), "beta": entry("beta") }));
    whole["theirs"] = json!({ "a": [1] });
    whole["entries"]["acme"]["note"] = json!("kept");
    write(&root, &whole);
    let mut read = Ledger::read(&root).expect("reads");
    let changed = read.get(&id("beta")).expect("there").clone().with("disabled", true);
    read.set(&id("beta"), changed);
    read.save().expect("saved");
    let text = fs::read_text(&root.join(FILE), MAX_BYTES, Links::Refuse).expect("text");
    whole["version"] = json!("2");
    whole["entries"]["beta"]["disabled"] = json!(true);
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), whole);
    assert_eq!(Ledger::read(&root).expect("reads").to_text(), text, "written as it is read");
}

#[test]
fn an_intent_survives_reading_and_writing() {
    let (_guard, root) = folder();
    let intent = Intent {
        backup_name: Some("acme.upgrading-1-2-00".to_owned()),
        shared_files: vec!["a.json".to_owned()],
        content_hash: Some("sha512-x".to_owned()),
        states: vec![SharedState {
            before: None,
            file: "a.json".to_owned(),
            created: true,
            after: Some("sha512-y".to_owned()),
        }],
        token: Some("1-2-00".to_owned()),
        made_folders: vec!["b".to_owned()],
        purge_data: true,
        ..Intent::new(IntentKind::Remove)
    };
    let mut ledger = Ledger::read(&root).expect("empty");
    let new = Entry::new(&id("acme"), "1.0.0", "now").with_pending(Some(intent.clone()));
    ledger.set(&id("acme"), new);
    ledger.save().expect("saved");
    let read = Ledger::read(&root).expect("reads");
    assert_eq!(read.get(&id("acme")).and_then(Entry::pending), Some(&intent));
}

#[test]
fn one_without_entries_goes_away() {
    let (_guard, root) = folder();
    let mut ledger = Ledger::read(&root).expect("empty");
    ledger.set(&id("acme"), Entry::new(&id("acme"), "1.0.0", "now"));
    ledger.save().expect("saved");
    ledger.remove(&id("acme"));
    ledger.save().expect("removed");
    assert_eq!(fs::kind(&root.join(FILE)), None);
}

#[test]
fn what_is_damaged_is_told_and_stays() {
    let with = |field: &str, value: Value| {
        let mut wrong = entry("acme");
        wrong[field] = value;
        ledger("2", &json!({ "acme": wrong })).to_string()
    };
    let intent = |value: Value| with("_pending", value);
    let many: Vec<String> = (0..=10_000).map(|n| n.to_string()).collect();
    for text in [
        "{bad".to_owned(),
        "[]".to_owned(),
        String::new(),
        json!({ "updatedAt": "x", "entries": {} }).to_string(),
        json!({ "version": "2", "entries": {} }).to_string(),
        ledger("2", &json!([])).to_string(),
        ledger("2", &json!({ "../../x": entry("../../x") })).to_string(),
        ledger("2", &json!({ "__proto__": entry("__proto__") })).to_string(),
        ledger("2", &json!({ "acme": entry("other") })).to_string(),
        ledger("2", &json!({ "acme": 1 })).to_string(),
        with("version", json!(1)),
        with("files", json!([1])),
        with("files", json!(many)),
        with("sharedEdits", json!([{ "file": "", "marker": "acme" }])),
        with("sharedEdits", json!([{ "file": "a.json" }])),
        with("contentHash", json!(1)),
        intent(json!({})),
        intent(json!({ "kind": "other", "backupName": null, "sharedFiles": [] })),
        intent(json!({ "kind": "install", "backupName": 1, "sharedFiles": [] })),
        intent(json!({ "kind": "install", "backupName": null })),
        intent(json!(null)),
    ] {
        let (_guard, root) = folder();
        fs::write_atomic(&root.join(FILE), text.as_bytes()).expect("written");
        let error = Ledger::read(&root).expect_err(&text);
        assert!(matches!(error, LedgerError::Corrupt { .. }), "{text}: {error}");
        assert!(error.to_string().contains("corrupt"), "{error}");
    }
    for version in [json!("3"), json!("99"), json!(1)] {
        let (_guard, root) = folder();
        let mut newer = ledger("2", &json!({}));
        newer["version"] = version;
        write(&root, &newer);
        let error = Ledger::read(&root).expect_err("newer");
        assert!(error.to_string().contains("unsupported ledger schema version"), "{error}");
    }
}

#[test]
fn what_is_no_plain_file_is_an_error_and_no_empty_ledger() {
    let (_guard, root) = folder();
    let path = root.join(FILE);
    fs::make_link(&path, "/nowhere/at/all".into()).expect("linked");
    assert!(matches!(Ledger::read(&root), Err(LedgerError::Unreadable(_))), "a dangling link");
    fs::remove_file(&path).expect("removed");
    fs::create_dir_all(&path).expect("created");
    assert!(matches!(Ledger::read(&root), Err(LedgerError::Unreadable(_))), "a folder");
}

#[test]
fn no_more_entries_are_written_than_are_read() {
    let (_guard, root) = folder();
    let mut full = Ledger::read(&root).expect("empty");
    for number in 0..=MAX_ENTRIES {
        let id = id(&format!("c{number}"));
        full.entries.push((id.clone(), Entry::new(&id, "1.0.0", "now")));
    }
    assert!(matches!(full.save(), Err(LedgerError::Full { .. })));
    assert_eq!(fs::kind(&root.join(FILE)), None);
    full.entries.pop();
    full.save().expect("fits");
    assert_eq!(Ledger::read(&root).expect("reads").iter().count(), MAX_ENTRIES);
}
