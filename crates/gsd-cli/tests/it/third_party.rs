//! Lanes of other authors: approved, run under several names, kept apart, put on trial.

use crate::world::{GOOD, gsd, lane, record};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_testkit::project::World;
use serde_json::{Value, json};

/// A reviewer that takes its prompt on stdin and a model.
fn manifest() -> Value {
    json!({
        "id": "acme", "role": "reviewer", "version": "1.0.0", "title": "Acme",
        "description": "Acme reviews plans.", "tier": "full", "requires": [],
        "reviewer": {
            "slug": "acme", "flags": ["--acme"], "transport": "spawn",
            "probe": { "kind": "command-exists", "binary": "acme-review" },
            "invoke": {
                "binary": "acme-review", "args": ["review", "{{model}}", "-"],
                "promptChannel": "stdin", "outputChannel": "stdout", "modelArg": "--model",
                "effortChannel": "none"
            },
            "timeoutFloorMs": 60000, "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme",
            "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null,
            "modelConfigKey": "review.models.acme", "handler": null
        },
        "config": {
            "review.models.acme": { "type": "string", "default": "", "description": "The model." }
        }
    })
}

/// Puts the manifest into a folder of the project.
fn bundle(world: &World, manifest: &Value) {
    world.write("acme/capability.json", &manifest.to_string());
}

#[test]
fn an_instance_of_an_installed_lane_reviews_under_its_own_name() {
    let world = World::new();
    world.small_phase();
    let folder = world.home().join(".gsd/capabilities/acme");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("capability.json"), manifest().to_string()).unwrap();
    let grant = ["capability", "trust", "grant", "acme", "--scope", "global", "--yes"];
    let granted = gsd(&world, &grant);
    assert_eq!(granted.code, 0, "{}{}", granted.stdout, granted.stderr);
    world.program(
        "acme-review",
        "cat >/dev/null; printf '## Review\\n\\n03-01 and 03-02 by %s.\\n' \"$*\"",
    );
    let instances = json!({ "acme-deep": { "cli": "acme", "model": "m2" } });
    world.write(
        ".planning/config.json",
        &json!({ "review": { "reviewer_instances": instances } }).to_string(),
    );
    let ran = gsd(&world, &["review", "--phase", "3", "--acme", "--lanes", "acme-deep"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let record = record(&world);
    let (plain, deep) = (lane(&record, "acme"), lane(&record, "acme-deep"));
    for one in [plain, deep] {
        assert_eq!((&one["state"], &one["slug"]), (&"reviewed".into(), &"acme".into()));
    }
    assert_eq!(deep["model_requested"], "m2");
    assert_eq!(deep["model_source"], "instance `acme-deep`");
    assert!(deep["text"].as_str().unwrap().contains("by review --model m2 -."), "{deep}");
    assert!(plain["text"].as_str().unwrap().contains("by review -."), "{plain}");
    let report = world.read(".planning/phases/03-notes/03-REVIEWS.md");
    assert!(report.contains("## Acme Review (acme-deep)"), "{report}");
}

#[test]
fn a_lane_writes_into_its_own_folder_and_no_other() {
    if gsd_io::sandbox::landlock().is_none() {
        gsd_testkit::skipped("this kernel has no Landlock, so lanes were not kept apart");
        return;
    }
    let world = World::new();
    world.small_phase();
    // Each tries to spoil what the other one leaves, before and after it is there.
    for (name, other) in [("gemini", "claude"), ("claude", "gemini")] {
        world.program(
            name,
            &format!(
                "d=$GSD_REVIEW_RUN_DIR; echo own >\"$d/mine\"; for f in json md raw err; do \
                 echo spoilt >\"$d/../gsd-review-{other}.$f\"; done; mkdir -p \"$d/../gsd-review-{other}\"; \
                 echo spoilt >\"$d/../gsd-review-{other}/mine\"; {GOOD}"
            ),
        );
    }
    // Beside the folders for temporary files, where everybody may write.
    let run = world.home().join("run");
    let ran =
        gsd(&world, &["review", "--phase", "3", "--gemini", "--claude", "--run-dir", run.as_str()]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for name in ["gemini", "claude"] {
        let read = |path: &str| std::fs::read_to_string(run.join(path)).unwrap();
        assert_eq!(read(&format!("gsd-review-{name}/mine")), "own\n");
        assert!(read(&format!("gsd-review-{name}.json")).contains("\"reviewed\""));
        assert!(!read(&format!("gsd-review-{name}.raw")).contains("spoilt"));
    }
}

#[test]
fn a_lane_reads_nothing_that_others_were_given_or_wrote() {
    if gsd_io::sandbox::landlock().is_none() {
        gsd_testkit::skipped("this kernel has no Landlock, so lanes could read each other");
        return;
    }
    let world = World::new();
    world.small_phase();
    let state = world.home().join(".local/state/gsd/runs");
    let script = format!(
        "d=$GSD_REVIEW_RUN_DIR; {{ cat \"$d\"/../*.* \"$d\"/../*/own; }} >\"$d/read\" 2>/dev/null; \
         echo \"$TMPDIR\" >\"$d/own\"; echo x >\"$TMPDIR/x\" && cat \"$TMPDIR/x\" >\"$d/tmp\"; \
         cat src/store.js >\"$d/code\"; ls {state} >/dev/null; {GOOD}"
    );
    for name in ["gemini", "qwen", "claude"] {
        world.program(name, &script);
    }
    let lanes = ["--gemini", "--qwen", "--claude", "--jobs", "1", "--keep-run"];
    let ran = gsd(&world, &[&["review", "--phase", "3"][..], &lanes].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let find = |name: &str, file: &str| {
        let runs = walk(&state);
        let ends = format!("gsd-review-{name}/{file}");
        let path = runs.iter().find(|path| path.as_str().ends_with(&ends)).unwrap();
        std::fs::read_to_string(path).unwrap()
    };
    for name in ["gemini", "qwen"] {
        assert_eq!(find(name, "read"), "", "{name} read something of the others");
    }
    let temps: Vec<String> = ["gemini", "qwen", "claude"].map(|name| find(name, "own")).into();
    assert!(temps[0] != temps[1] && temps[1] != temps[2]);
    for (name, temp) in ["gemini", "qwen", "claude"].iter().zip(&temps) {
        assert_eq!(find(name, "tmp"), "x\n", "{name} has a folder for temporary files");
        assert!(temp.starts_with(world.tmp().as_str()), "{temp}");
        assert!(!Utf8Path::new(temp.trim()).exists(), "which is gone");
        assert!(find(name, "code").contains("open()"), "{name} reads the project");
    }
    // A file of its own in the home may be replaced by others, and would then be closed to it.
    let notes = record(&world)["run"]["notes"].to_string();
    assert!(
        notes.contains("Nothing kept `claude` from reading what other reviewers wrote."),
        "{notes}"
    );
}

/// Every file below a folder.
fn walk(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = vec![];
    for entry in folder.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(walk(entry.path()));
        } else {
            found.push(entry.path().to_owned());
        }
    }
    found
}

#[test]
fn a_lane_on_trial_tells_every_world() {
    let world = World::new();
    bundle(&world, &manifest());
    let ran = gsd(&world, &["lane", "test", "acme"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let (last, rows) = lines.split_last().unwrap();
    assert_eq!(*last, format!("`acme` withstands all {} worlds", rows.len()));
    assert!(rows.len() > 10 && rows.iter().all(|row| row.starts_with('✔')), "{}", ran.stdout);
    let writes = rows.iter().find(|row| row.starts_with("✔ writes "));
    assert!(writes.unwrap().ends_with("→ reviewed, and was kept from changing it"), "{writes:?}");
    // Nothing is cut off where the output is kept.
    assert!(rows.iter().all(|row| row.contains(" → ") && !row.contains('…')), "{}", ran.stdout);
}

#[test]
fn a_lane_that_takes_failures_for_reviews_does_not_pass() {
    let world = World::new();
    let mut lenient = manifest();
    lenient["reviewer"]["acceptExit"] = json!([1, 2, 3]);
    bundle(&world, &lenient);
    let ran = gsd(&world, &["lane", "test", "acme", "--json"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let document = ran.json();
    assert_eq!((&document["ok"], &document["code"]), (&false.into(), &"trial".into()));
    let rows = document["details"]["rows"].as_array().unwrap();
    let broken: Vec<&Value> = rows.iter().filter(|row| row["holds"] == false).collect();
    assert!(!broken.is_empty() && broken.iter().all(|row| row["problem"].is_string()), "{rows:?}");

    for (name, code) in [("plan-lint", 4), ("nobody", 6)] {
        let ran = gsd(&world, &["lane", "test", name]);
        assert_eq!(ran.code, code, "{name}: {}{}", ran.stdout, ran.stderr);
    }
}
