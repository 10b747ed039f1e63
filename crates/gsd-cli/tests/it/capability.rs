//! `gsd capability`: what an author of a capability does, from the first file to the archive.

use crate::world::{Ran, command, gsd};
use gsd_testkit::project::World;
use serde_json::{Value, json};

/// A feature that is right.
fn feature(id: &str) -> Value {
    json!({
        "id": id, "role": "feature", "version": "1.0.0", "title": "Acme", "description": "It helps.",
        "tier": "full", "requires": [],
        "runtimeCompat": { "supported": ["*"], "unsupported": [] },
        "skills": [], "agents": [], "config": {}, "steps": [], "contributions": [], "gates": [],
    })
}

fn with(id: &str, key: &str, value: Value) -> String {
    let mut manifest = feature(id);
    manifest[key] = value;
    manifest.to_string()
}

fn validate(world: &World, more: &[&str]) -> Ran {
    let mut args = vec!["capability", "validate", "acme"];
    args.extend(more);
    gsd(world, &args)
}

/// Has wrong words, a name with a typing error, a value of another type, and odd formatting.
const WRONG: &str = r#"{ "id":"acme",   "role": "feature", "version": "1.0.0",
	"title": "Acme", "descripton": "It helps.", "tier": "ful", "requires": [],
  "runtimeCompat": {"supported":["*"], "unsupported":[]},

  "skills": [], "agents": [], "config": {
     "acme.on": {"type": "boolean", "default": "true", "description": "ü."} },
  "steps": [{"point": "plan:pree", "ref": {"skill": "acme"}, "produces": [], "consumes": [], "onError": "skip"}],
  "contributions": [], "gates": []   }"#;

#[test]
fn a_new_capability_validates_as_it_is() {
    for role in ["feature", "runtime", "reviewer"] {
        let world = World::new();
        let made = gsd(&world, &["capability", "new", "acme", "--role", role, "--json"]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        assert_eq!(made.json()["details"]["files"][0], "capability.json");
        let checked = validate(&world, &["--strict"]);
        assert_eq!(checked.code, 0, "{role}: {}", checked.stdout);
        let readme = world.read("acme/README.md");
        assert!(readme.contains("To make it yours") && readme.contains("gsd capability validate"));
        let again = gsd(&world, &["capability", "new", "acme", "--role", role]);
        assert_eq!(again.code, 4, "what is there stays: {}", again.stderr);
        assert!(again.stderr.contains("choose another id"), "{}", again.stderr);
    }
}

#[test]
fn nobody_is_asked_who_could_not_answer() {
    let world = World::new();
    let ran = gsd(&world, &["capability", "new", "acme"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--role reviewer"), "{}", ran.stderr);
    for id in ["Acme", "gsd-acme", "a/../b", "constructor"] {
        let ran = gsd(&world, &["capability", "new", id, "--role", "feature"]);
        assert_eq!(ran.code, 2, "{id}: {}", ran.stderr);
    }
    assert_eq!(std::fs::read_dir(world.root()).unwrap().count(), 0, "nothing was written");
}

#[test]
fn people_see_the_place_and_what_to_type() {
    let world = World::new();
    world.write("acme/capability.json", WRONG);
    let ran = validate(&world, &["--color", "never"]);
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!("validate-human", ran.stdout);
    assert!(ran.stderr.contains("can be fixed with `--fix`"), "{}", ran.stderr);
    let painted = validate(&world, &["--color", "always"]);
    assert!(painted.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{1b}'));
}

#[test]
fn machines_get_the_pointer_and_the_place() {
    let world = World::new();
    world.write("acme/capability.json", WRONG);
    let json = validate(&world, &["--json"]);
    assert_eq!(json.code, 1);
    let document = json.json();
    assert_eq!(document["ok"], false);
    let found = document["details"]["diagnostics"].as_array().unwrap();
    let tier = found.iter().find(|found| found["at"]["pointer"] == "/tier").unwrap();
    assert_eq!(tier["code"], "manifest/bad-value");
    assert_eq!((&tier["at"]["line"], &tier["at"]["column"]), (&json!(2), &json!(54)));
    assert_eq!(tier["fix"]["replacement"], "\"full\"");
    let plain = validate(&world, &["--format", "json"]);
    assert_eq!(plain.json(), document["details"]["diagnostics"]);
}

#[test]
fn a_sarif_log_has_what_the_standard_requires() {
    let world = World::new();
    world.write("acme/capability.json", WRONG);
    let ran = validate(&world, &["--format", "sarif"]);
    assert_eq!(ran.code, 1);
    let log = ran.json();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif"));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "gsd");
    let rules = driver["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 4);
    for result in results {
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "acme/capability.json");
        let region = &place["region"];
        let number = |key: &str| region[key].as_u64().unwrap();
        assert!(number("startLine") >= 1 && number("startColumn") >= 1);
        let end = (number("endLine"), number("endColumn"));
        assert!(end >= (number("startLine"), number("startColumn")));
        let pointer = &result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
        assert!(pointer.is_string(), "{result}");
    }
    let fixed: Vec<&Value> = results.iter().filter(|result| result["fixes"].is_array()).collect();
    assert!(!fixed.is_empty());
    for result in fixed {
        let change = &result["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["artifactLocation"]["uri"], "acme/capability.json");
        let replacement = &change["replacements"][0];
        assert!(replacement["deletedRegion"]["startLine"].is_u64());
        assert!(replacement["insertedContent"]["text"].is_string());
    }
}

#[test]
fn annotations_are_one_line_each() {
    let world = World::new();
    world.write("acme/capability.json", WRONG);
    let ran = validate(&world, &["--format", "github"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.lines().count() >= 4);
    for line in ran.stdout.lines() {
        let known =
            ["::error file=acme/capability.json,line=", "::warning file=acme/capability.json,"];
        assert!(known.iter().any(|start| line.starts_with(start)), "{line}");
    }
}

#[test]
fn fixes_change_nothing_else() {
    let world = World::new();
    world.write("acme/capability.json", WRONG);
    let ran = validate(&world, &["--fix"]);
    let expected = WRONG
        .replace("\"descripton\"", "\"description\"")
        .replace("\"ful\"", "\"full\"")
        .replace("\"default\": \"true\"", "\"default\": true")
        .replace("plan:pree", "plan:pre");
    assert_eq!(world.read("acme/capability.json"), expected);
    assert!(ran.stderr.contains("4 fixes written"), "{}", ran.stderr);
    // What needs a decision stays to be said: the step names a skill that nobody lists.
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("[manifest/ref-unowned]"), "{}", ran.stdout);
}

#[test]
fn one_run_writes_all_fixes_and_the_next_has_none() {
    let world = World::new();
    let commas = with("acme", "requires", json!([]))
        .replace("\"requires\":[]", "\"requires\":[,,,,,,,,,,,,]");
    assert!(commas.contains(",,,,"), "{commas}");
    // Nothing but the line breaks is left of the commas.
    let lines = with("beta", "requires", json!([])).replace(",\"", "\n\"");
    world.write("set/acme/capability.json", &commas);
    world.write("set/beta/capability.json", &lines);
    let fix = || gsd(&world, &["capability", "validate", "set", "--fix"]);
    let first = fix();
    assert_eq!(first.code, 0, "{}{}", first.stdout, first.stderr);
    assert!(first.stderr.contains("fixes written"), "{}", first.stderr);
    let (acme, beta) =
        (world.read("set/acme/capability.json"), world.read("set/beta/capability.json"));
    assert!(acme.contains("\"requires\":[]") && beta.contains(",\n\""), "{acme}\n{beta}");
    let second = fix();
    assert!(second.code == 0 && !second.stderr.contains("written"), "{}", second.stderr);
    assert_eq!(
        (acme, beta),
        (world.read("set/acme/capability.json"), world.read("set/beta/capability.json"))
    );
}

#[test]
fn a_file_that_cannot_be_written_keeps_no_other_one_from_its_fixes() {
    let world = World::new();
    for id in ["acme", "beta"] {
        world.write(&format!("set/{id}/capability.json"), &with(id, "tier", json!("ful")));
    }
    let mut command = command(&world, &["capability", "validate", "set", "--fix", "--json"]);
    let ran = crate::world::ran(command.env("GSD_FAULT", "fail:1").output().unwrap());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let details = &ran.json()["details"];
    assert_eq!(details["fixed"], 1);
    assert!(details["notWritten"][0].as_str().unwrap().contains("acme/capability.json"));
    assert_eq!(details["diagnostics"].as_array().unwrap().len(), 1);
    assert!(world.read("set/acme/capability.json").contains("\"ful\""));
    assert!(world.read("set/beta/capability.json").contains("\"full\""));
}

#[test]
fn a_name_is_not_corrected_to_one_that_is_there() {
    let world = World::new();
    let text = with("acme", "agentss", json!([]));
    world.write("acme/capability.json", &text);
    for _ in 0..2 {
        let ran = validate(&world, &["--fix"]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("remove it: `agents` is there already"), "{}", ran.stdout);
        assert_eq!(world.read("acme/capability.json"), text);
    }
}

#[test]
fn output_replaces_nothing_that_is_not_of_its_kind() {
    let world = World::new();
    world.write("acme/capability.json", &with("acme", "agents", json!([])));
    let manifest = world.read("acme/capability.json");
    let fifo = world.root().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    world.write("keep.txt", "mine");
    std::fs::create_dir(world.root().join("shelf")).unwrap();
    let packed = gsd(&world, &["capability", "pack", "acme", "--out", "shelf/acme.tgz"]);
    assert_eq!(packed.code, 0, "{}", packed.stderr);
    for (words, target) in [
        (["capability", "pack", "acme"].as_slice(), "acme/capability.json"),
        (&["capability", "pack", "acme"], "acme/new.tgz"),
        (&["capability", "pack", "acme"], "keep.txt"),
        (&["registry", "build"], "keep.txt"),
        (&["registry-index", "build", "shelf"], "keep.txt"),
    ] {
        let ran = gsd(&world, &[words, &["--out", target]].concat());
        assert_eq!(ran.code, 2, "{words:?} {target}: {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(
        (world.read("keep.txt"), world.read("acme/capability.json")),
        ("mine".into(), manifest)
    );
    // A pipe gets the text and stays a pipe.
    let reader = std::thread::spawn({
        let fifo = fifo.clone();
        move || std::fs::read(fifo).unwrap()
    });
    let ran = gsd(&world, &["registry", "build", "--out", "fifo"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(reader.join().unwrap().starts_with(b"{\n  \"version\""));
    for words in [["capability", "pack", "acme"].as_slice(), &["registry", "build"]] {
        for _ in 0..2 {
            let ran = gsd(&world, &[words, &["--out", "made"]].concat());
            assert_eq!(ran.code, 0, "its own file may be replaced: {}", ran.stderr);
        }
        std::fs::remove_file(world.root().join("made")).unwrap();
    }
}

#[test]
fn warnings_are_errors_under_strict_only() {
    let world = World::new();
    world.write("acme/capability.json", &with("acme", "novel", json!(1)));
    assert_eq!(validate(&world, &[]).code, 0);
    assert_eq!(validate(&world, &["--strict"]).code, 1);
    let nowhere = gsd(&world, &["capability", "validate", "nowhere", "--json"]);
    assert_eq!((nowhere.code, &nowhere.json()["code"]), (6, &json!("capability-unknown")));
}

#[test]
fn a_set_is_checked_against_itself_and_what_gsd_brings() {
    let world = World::new();
    for id in ["acme", "beta"] {
        world.write(&format!("set/{id}/capability.json"), &with(id, "skills", json!(["shared"])));
        world.write(&format!("set/{id}/skills/shared/SKILL.md"), "Do it.\n");
    }
    world.write("set/gamma/capability.json", &with("gamma", "requires", json!(["secruity"])));
    let ran = gsd(&world, &["capability", "validate", "set", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let found = ran.json();
    let found = found.as_array().unwrap();
    let shared = found.iter().find(|found| found["code"] == "registry/duplicate-skill").unwrap();
    assert_eq!(shared["message"], "the skill `shared` is claimed by `acme` and `beta`");
    assert_eq!(shared["at"]["file"], "set/acme/capability.json");
    assert_eq!(shared["related"][0]["at"]["file"], "set/beta/capability.json");
    let unknown = found.iter().find(|found| found["code"] == "registry/unknown-requirement");
    assert_eq!(unknown.unwrap()["help"], "did you mean `security`?");
    assert_eq!(found.len(), 2, "{found:?}");
}

/// Files that somebody made to hurt: each has an answer with a place, and none takes the others'
/// time. A hang here is a test that never ends.
#[test]
fn hostile_files_are_answered() {
    let many = |count: usize| (0..count).map(|at| format!("s{at}")).collect::<Vec<_>>();
    let texts: Vec<(&str, Vec<u8>)> = vec![
        ("million-keys", {
            let keys: Vec<String> = (0..1_000_000).map(|at| format!("\"k{at}\":1")).collect();
            format!("{{{}}}", keys.join(",")).into_bytes()
        }),
        ("long-string", with("acme", "title", json!("x".repeat(10_000_000))).into_bytes()),
        ("string-that-fits", with("acme", "id", json!("x".repeat(900_000))).into_bytes()),
        ("same-key", format!("{{{}\"a\":1}}", "\"id\":1,".repeat(140_000)).into_bytes()),
        ("list", with("acme", "skills", json!(many(100_000))).into_bytes()),
        ("objects", with("acme", "gates", json!(vec![json!({}); 300_000])).into_bytes()),
        ("depth", "[".repeat(1_000_000).into_bytes()),
        ("depth-of-objects", "{\"a\":".repeat(200_000).into_bytes()),
        ("surrogate", br#"{"id":"\ud800","title":"\udc00\ud800"}"#.to_vec()),
        ("mark", [b"\xef\xbb\xbf".as_slice(), feature("acme").to_string().as_bytes()].concat()),
        ("latin-1", b"{\"id\":\"\xe9\"}".to_vec()),
        ("utf-16", feature("acme").to_string().encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("zeros", vec![0; 4096]),
        ("nothing", vec![]),
        ("lines", "\n".repeat(900_000).into_bytes()),
        ("range", with("acme", "engines", json!({ "gsd": "|| ".repeat(300_000) })).into_bytes()),
    ];
    for (name, text) in texts {
        let world = World::new();
        world.write("acme/README.md", "");
        std::fs::write(world.root().join("acme/capability.json"), text).unwrap();
        let ran = validate(&world, &["--format", "json"]);
        assert_eq!(ran.code, 1, "{name}: {}", ran.stderr);
        let found = ran.json();
        let found = found.as_array().unwrap();
        assert!(!found.is_empty() && found.len() < 600, "{name}: {}", found.len());
        for found in found {
            assert!(found["at"]["line"].as_u64() >= Some(1), "{name}: {found}");
            assert!(found["at"]["pointer"].is_string(), "{name}: {found}");
            let message = found["message"].as_str().unwrap();
            assert!(!message.is_empty() && message.len() < 600, "{name}: {message}");
        }
        let human = validate(&world, &[]);
        assert_eq!(human.code, 1, "{name}");
        assert!(human.stdout.len() < 400_000, "{name}: {}", human.stdout.len());
    }
}

#[test]
fn an_archive_is_the_same_wherever_it_is_made() {
    let world = World::new();
    gsd(&world, &["capability", "new", "acme", "--role", "feature"]);
    world.write("acme/bin/run.sh", "#!/bin/sh\nexit 0\n");
    world.write("acme/.git/HEAD", "ref: refs/heads/main\n");
    let copy = world.root().join("elsewhere");
    std::fs::create_dir(&copy).unwrap();
    let mut cp = std::process::Command::new("cp");
    cp.args(["-r", "acme", "elsewhere/"]).current_dir(world.root());
    assert!(cp.status().unwrap().success());
    let old = std::fs::File::open(copy.join("acme/README.md")).unwrap();
    old.set_modified(std::time::UNIX_EPOCH).unwrap();
    std::fs::remove_dir_all(copy.join("acme/.git")).unwrap();

    let pack = |path: &str, out: &str| gsd(&world, &["capability", "pack", path, "--out", out]);
    let (one, two) = (pack("acme", "one.tgz"), pack("elsewhere/acme", "two.tgz"));
    assert_eq!((one.code, two.code), (0, 0), "{}{}", one.stderr, two.stderr);
    let bytes = |path: &str| std::fs::read(world.root().join(path)).unwrap();
    assert_eq!(bytes("one.tgz"), bytes("two.tgz"));
    assert_eq!(one.stdout, two.stdout);
    assert!(one.stdout.starts_with("sha512-") && one.stdout.trim_end().len() == 95);

    // Packed where it lies, its own archive does not go into the next one.
    for _ in 0..2 {
        let mut here = crate::world::command(&world, &["capability", "pack", ".", "--json"]);
        let ran = crate::world::ran(here.current_dir(world.root().join("acme")).output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.json()["details"]["integrity"], one.stdout.trim_end());
    }
    assert_eq!(bytes("acme/acme-0.1.0.tgz"), bytes("one.tgz"));
}

#[test]
fn what_is_wrong_is_not_packed() {
    let world = World::new();
    world.write("acme/capability.json", WRONG);
    let ran = gsd(&world, &["capability", "pack", "acme", "--json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (4, &json!("invalid")));
    assert!(!world.root().join("acme-1.0.0.tgz").exists());
}

#[test]
fn the_schema_is_a_document_for_editors() {
    let world = World::new();
    let schema = gsd(&world, &["capability", "schema"]).json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["properties"]["role"]["enum"], json!(["feature", "runtime", "reviewer"]));
    assert_eq!(gsd(&world, &["capability", "schema", "--json"]).json()["details"], schema);
}

#[test]
fn lists_say_what_is_in_force_and_why_not() {
    let world = World::new();
    world.write(".planning/PROJECT.md", "# P\n");
    let global = |id: &str, text: &str| {
        let folder = world.home().join(".gsd/capabilities").join(id);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("capability.json"), text).unwrap();
    };
    global("acme", &feature("acme").to_string());
    global("broken", "{");
    world.write(".gsd/capabilities/waiting/capability.json", &feature("waiting").to_string());
    let ran = gsd(&world, &["capability", "list", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let list = ran.json();
    let list = list["details"].as_array().unwrap();
    let of = |id: &str| list.iter().find(|row| row["id"] == id).unwrap();
    assert_eq!(of("security")["status"], "active");
    assert_eq!(of("acme")["status"], "unmanaged");
    assert_eq!(
        (&of("broken")["status"], &of("broken")["reasonCode"]),
        (&json!("invalid"), &json!("invalid"))
    );
    assert_eq!(of("waiting")["status"], "inactive");
    assert!(of("waiting").get("title").is_none(), "nothing of its text is shown");
    let remedy = of("waiting")["remedy"].as_str().unwrap();
    assert_eq!(remedy, "gsd capability trust grant waiting --scope project");

    let shown = gsd(&world, &["capability", "show", "security"]);
    assert_eq!(shown.code, 0);
    assert!(shown.stdout.contains("setting"), "{}", shown.stdout);
    let unknown = gsd(&world, &["capability", "show", "secruity"]);
    assert_eq!(unknown.code, 6);
    assert!(unknown.stderr.contains("did you mean `security`?"), "{}", unknown.stderr);
}

#[test]
fn the_catalogue_has_every_role() {
    let world = World::new();
    let ran = gsd(&world, &["capability", "matrix"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stdout, gsd(&world, &["capability", "matrix"]).stdout);
    for word in ["| security |", "| claude |", "| plan-lint |"] {
        assert!(ran.stdout.replace('`', "").contains(word), "{word} in {}", ran.stdout);
    }
    let json = gsd(&world, &["capability", "matrix", "--json"]).json();
    assert_eq!(json["ok"], true);
}
