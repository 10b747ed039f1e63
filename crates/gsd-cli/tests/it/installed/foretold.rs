//! What an install would be refused for, `--dry-run` refuses it for, in the same words.

use super::{bundle, ends, executable, feature, tree};
use crate::world::gsd;
use gsd_testkit::project::World;
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt, symlink};

/// What is made before, and the words after `install`; `{from}` is a bundle.
struct Refused {
    name: &'static str,
    code: i32,
    make: fn(&World),
    manifest: fn() -> Value,
    args: &'static [&'static str],
}

fn nothing(_: &World) {}

fn plain() -> Value {
    feature("exe", "1.0.0", &executable())
}

fn declared(extra: &Value) -> Value {
    feature("exe", "1.0.0", extra)
}

fn bundles(world: &World) -> camino::Utf8PathBuf {
    let folder = world.home().join(".gsd/capabilities");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn installed(world: &World, version: &str) {
    let from = bundle(&world.tmp().join("first"), &feature("exe", version, &json!({})));
    ends(&gsd(world, &["capability", "install", from.as_str()]), 0);
}

const FROM: &[&str] = &["{from}"];
const SHARED: &[&str] = &["{from}", "--shared-file", "s.json"];
const PROJECT: &[&str] = &["{from}", "--scope", "project"];

const REFUSED: &[Refused] = &[
    Refused { name: "no source", code: 2, make: nothing, manifest: plain, args: &["x@"] },
    Refused {
        name: "no digest",
        code: 2,
        make: nothing,
        manifest: plain,
        args: &["{from}", "--integrity", "x"],
    },
    Refused { name: "no such folder", code: 10, make: nothing, manifest: plain, args: &["./gone"] },
    Refused {
        name: "reserved",
        code: 4,
        make: nothing,
        args: FROM,
        manifest: || feature("gsd-x", "1.0.0", &json!({})),
    },
    Refused {
        name: "first-party",
        code: 4,
        make: nothing,
        args: FROM,
        manifest: || feature("codex", "1.0.0", &json!({})),
    },
    Refused {
        name: "engines",
        code: 4,
        make: nothing,
        args: FROM,
        manifest: || declared(&json!({ "engines": { "gsd": ">=99.0.0" } })),
    },
    Refused {
        name: "no script",
        code: 4,
        make: nothing,
        args: FROM,
        manifest: || declared(&json!({ "hooks": [{ "event": "Stop", "script": "gone.js" }] })),
    },
    Refused {
        name: "requires",
        code: 4,
        make: nothing,
        args: FROM,
        manifest: || declared(&json!({ "requires": ["gone"] })),
    },
    Refused {
        name: "unsafe file",
        code: 4,
        make: nothing,
        manifest: plain,
        args: &["{from}", "--shared-file", "../s.json"],
    },
    Refused {
        name: "broken file",
        code: 4,
        manifest: plain,
        args: SHARED,
        make: |world| std::fs::write(world.home().join("s.json"), "{ nothing").unwrap(),
    },
    Refused {
        name: "file is a folder",
        code: 4,
        manifest: plain,
        args: SHARED,
        make: |world| std::fs::create_dir(world.home().join("s.json")).unwrap(),
    },
    Refused {
        name: "unmanaged folder",
        code: 4,
        manifest: plain,
        args: FROM,
        make: |world| std::fs::create_dir(bundles(world).join("exe")).unwrap(),
    },
    Refused {
        name: "file in the place",
        code: 4,
        manifest: plain,
        args: &["{from}", "--adopt"],
        make: |world| std::fs::write(bundles(world).join("exe"), "x").unwrap(),
    },
    Refused {
        name: "link in the place of what is installed",
        code: 4,
        manifest: plain,
        args: &["{from}", "--replace"],
        make: |world| {
            installed(world, "1.0.0");
            let place = bundles(world).join("exe");
            std::fs::remove_dir_all(&place).unwrap();
            symlink(world.tmp(), &place).unwrap();
        },
    },
    Refused {
        name: "staging is a link",
        code: 4,
        manifest: plain,
        args: FROM,
        make: |world| symlink(world.tmp(), bundles(world).join(".staging")).unwrap(),
    },
    Refused {
        name: "lock is a folder",
        code: 4,
        manifest: plain,
        args: FROM,
        make: |world| std::fs::create_dir_all(bundles(world).join(".lock/mine")).unwrap(),
    },
    Refused {
        name: "other source",
        code: 4,
        manifest: plain,
        args: FROM,
        make: |world| installed(world, "1.0.0"),
    },
    Refused {
        name: "older",
        code: 4,
        manifest: plain,
        args: &["{from}", "--replace"],
        make: |world| installed(world, "2.0.0"),
    },
    Refused {
        name: "ledger",
        code: 7,
        manifest: plain,
        args: FROM,
        make: |world| std::fs::write(world.home().join(".gsd-capabilities.json"), "{").unwrap(),
    },
    Refused {
        name: "full ledger",
        code: 4,
        manifest: plain,
        args: FROM,
        make: |world| {
            let entry = |n: usize| {
                let id = format!("c{n}");
                let entry = json!({
                    "id": id, "version": "1.0.0", "source": "", "integrity": "", "files": [],
                    "sharedEdits": [],
                });
                (id, entry)
            };
            let entries: serde_json::Map<String, Value> = (0..4096).map(entry).collect();
            let ledger = json!({ "version": "2", "updatedAt": "x", "entries": entries });
            std::fs::write(world.home().join(".gsd-capabilities.json"), ledger.to_string())
                .unwrap();
        },
    },
    Refused {
        name: "full consents",
        code: 4,
        manifest: plain,
        args: PROJECT,
        make: |world| {
            let record = |n: usize| {
                let id = format!("c{n}");
                let key = json!({ "r": "/elsewhere", "i": id }).to_string();
                let record = json!({
                    "projectRoot": "/elsewhere", "id": id, "scope": "project", "integrity": "",
                    "disclosureSignature": "", "contentHash": "x", "consentedAt": "",
                });
                (key, record)
            };
            let records: serde_json::Map<String, Value> = (0..4096).map(record).collect();
            let store = json!({ "version": "1", "records": records });
            bundles(world);
            std::fs::write(world.home().join(".gsd/consent.json"), store.to_string()).unwrap();
        },
    },
    Refused {
        name: "consents of anybody",
        code: 7,
        manifest: plain,
        args: PROJECT,
        make: |world| {
            bundles(world);
            let open = std::fs::Permissions::from_mode(0o777);
            std::fs::set_permissions(world.home().join(".gsd"), open).unwrap();
        },
    },
    Refused {
        name: "policy",
        code: 4,
        manifest: plain,
        args: &["https://example.com/x.tgz"],
        make: |world| {
            let config = r#"{"capabilities":{"strict_known_registries":[]}}"#;
            world.write(".planning/config.json", config);
        },
    },
];

#[test]
fn a_dry_run_foretells_every_refusal() {
    for case in REFUSED {
        let world = World::new();
        world.write(".planning/config.json", "{}");
        (case.make)(&world);
        let from = bundle(&world.tmp().join("from"), &(case.manifest)());
        let words =
            case.args.iter().map(|word| if *word == "{from}" { from.as_str() } else { word });
        let words: Vec<&str> =
            ["capability", "install", "--yes"].into_iter().chain(words).collect();
        let before = (tree(&world.home()), tree(&world.root()));
        let told = gsd(&world, &[&words[..], &["--dry-run"]].concat());
        assert_eq!(told.code, case.code, "{}: {}{}", case.name, told.stdout, told.stderr);
        let refused = gsd(&world, &words);
        assert_eq!(
            (refused.code, &refused.stderr, &refused.stdout),
            (told.code, &told.stderr, &told.stdout),
            "{}",
            case.name
        );
        assert_eq!((tree(&world.home()), tree(&world.root())), before, "{}", case.name);
    }
}
