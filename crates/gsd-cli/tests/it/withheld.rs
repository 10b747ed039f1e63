//! Lanes that are installed and may not be used: who asks for one is told why, and what to type.

use crate::world::{GOOD, Ran, gsd, gsd_tools, lane, record};
use gsd_testkit::project::World;
use serde_json::{Value, json};

fn manifest() -> Value {
    json!({
        "id": "acme-review", "role": "reviewer", "version": "1.0.0", "title": "Acme",
        "description": "d", "tier": "full", "requires": [], "config": {},
        "reviewer": {
            "slug": "acme", "flags": ["--acme"], "transport": "spawn",
            "probe": { "kind": "command-exists", "binary": "acme-cli" },
            "invoke": {
                "binary": "acme-cli", "args": [], "promptChannel": "stdin",
                "outputChannel": "stdout", "modelArg": null, "effortChannel": "none",
            },
            "timeoutFloorMs": 60_000, "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme",
            "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null,
            "modelConfigKey": null, "handler": null,
        },
    })
}

/// A phase, a working program, and the capability of the user, approved.
fn approved() -> World {
    let world = World::new();
    world.small_phase();
    world.program("acme-cli", GOOD);
    let folder = world.home().join(".gsd/capabilities/acme-review");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("capability.json"), manifest().to_string()).unwrap();
    ends(
        &gsd(
            &world,
            &["capability", "trust", "grant", "acme-review", "--scope", "global", "--yes"],
        ),
        0,
    );
    ends(&gsd(&world, &["review", "--phase", "3", "--acme", "--no-write"]), 0);
    world
}

fn ends(ran: &Ran, code: i32) {
    assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
}

/// What a review says that names the lane, which must end before anything is sent.
fn refused(world: &World, lane: &str) -> (String, String) {
    let refused = gsd(world, &["review", "--phase", "3", lane, "--json"]);
    ends(&refused, 11);
    let error = refused.json();
    assert_eq!(error["code"], "lane-could-not-run");
    let words = gsd(world, &["review", "--phase", "3", lane]);
    ends(&words, 11);
    let hint = words.stderr.lines().find_map(|line| line.strip_prefix("hint: "));
    (error["message"].as_str().unwrap().to_owned(), hint.unwrap_or_default().to_owned())
}

#[test]
fn one_that_is_switched_off_says_so_and_how_to_switch_it_on() {
    let world = approved();
    ends(&gsd(&world, &["capability", "disable", "acme-review", "--scope", "global"]), 0);
    let expected = (
        "`acme` cannot run: it is installed and switched off".to_owned(),
        "`gsd capability enable acme-review --scope global`".to_owned(),
    );
    assert_eq!(refused(&world, "--acme"), expected);
    // The user wanted it so: a run that does not name it says nothing.
    ends(&gsd(&world, &["review", "--phase", "3", "--all"]), 0);
    assert!(!record(&world).to_string().contains("switched off"));
    // One that names it and goes on without it has it in the record.
    let going_on = ["review", "--phase", "3", "--acme", "--lanes", "plan-lint", "--only-available"];
    ends(&gsd(&world, &going_on), 0);
    let record = record(&world);
    let acme = lane(&record, "acme");
    assert_eq!((&acme["state"], &acme["reason"]), (&"blocked".into(), &"policy".into()));
    assert_eq!(acme["remedy"], expected.1);
    assert_eq!((&acme["heading"], &acme["capability"]), (&"Acme".into(), &"acme-review".into()));
    // The lists of the contract know it no more than before.
    for verb in ["flags", "sections"] {
        let listed = gsd_tools(&world, &["review-lane", verb]).stdout;
        assert!(listed.contains("claude") && !listed.contains("acme"), "{listed}");
    }
    let rows = gsd(&world, &["lane", "list", "--json"]).json();
    let row = rows["details"].as_array().unwrap().iter().find(|row| row["slug"] == "acme").unwrap();
    assert_eq!((&row["state"], &row["remedy"]), (&"blocked".into(), &expected.1.clone().into()));
    for verb in [vec!["lane", "probe", "acme"], vec!["lane", "show", "acme"]] {
        let told = gsd(&world, &verb);
        ends(&told, 11);
        assert!(told.stderr.contains("switched off"), "{}", told.stderr);
    }
    let help = gsd(&world, &["review", "--help"]).stdout;
    assert!(help.contains("Ask Acme (blocked)"), "{help}");
    ends(&gsd(&world, &["capability", "enable", "acme-review", "--scope", "global"]), 0);
    ends(&gsd(&world, &["review", "--phase", "3", "--acme"]), 0);
}

#[test]
fn one_whose_files_changed_is_told_of_by_every_run() {
    let world = approved();
    let file = world.home().join(".gsd/capabilities/acme-review/capability.json");
    let mut changed = manifest();
    changed["reviewer"]["invoke"]["args"] = json!(["--other"]);
    std::fs::write(&file, changed.to_string()).unwrap();
    let expected = (
        "`acme` cannot run: it is installed, but its files differ from those that were consented to"
            .to_owned(),
        "`gsd capability trust show acme-review --scope global`".to_owned(),
    );
    assert_eq!(refused(&world, "--acme"), expected);
    ends(&gsd(&world, &["review", "--phase", "3"]), 0);
    let record = record(&world);
    let acme = lane(&record, "acme");
    assert_eq!((&acme["state"], &acme["reason"]), (&"blocked".into(), &"not-consented".into()));
    let plan = gsd(&world, &["review", "plan", "--phase", "3"]);
    assert!(
        plan.stdout.contains("blocked: it is installed, but its files differ"),
        "{}",
        plan.stdout
    );
    // The settings may name it, too.
    world
        .write(".planning/config.json", r#"{"review":{"default_reviewers":["acme","plan-lint"]}}"#);
    let warned = gsd(&world, &["review", "--phase", "3"]);
    ends(&warned, 0);
    assert!(warned.stderr.contains("files differ"), "{}", warned.stderr);
}

#[test]
fn one_of_the_project_that_nobody_consented_to_is_named_by_its_folder_alone() {
    let world = World::new();
    world.small_phase();
    world.program("acme-cli", GOOD);
    let mut text = manifest();
    text["title"] = "A secret title".into();
    world.write(".gsd/capabilities/acme-review/capability.json", &text.to_string());
    let (message, hint) = refused(&world, "--acme-review");
    assert_eq!(
        message,
        "`acme-review` cannot run: the capability of that name in this project is not read before you \
         consent to it"
    );
    assert_eq!(hint, "`gsd capability trust grant acme-review --scope project`");
    // Its manifest is not read, so what it calls itself is not known.
    ends(&gsd(&world, &["review", "--phase", "3", "--acme"]), 2);
    assert!(!gsd(&world, &["review", "--help"]).stdout.contains("acme"));
    let going_on =
        ["review", "--phase", "3", "--lanes", "acme-review,plan-lint", "--only-available"];
    ends(&gsd(&world, &going_on), 0);
    let record = record(&world);
    let acme = lane(&record, "acme-review");
    assert_eq!((&acme["state"], &acme["reason"]), (&"blocked".into(), &"not-consented".into()));
    assert!(!record.to_string().contains("secret title"));
}

#[test]
fn a_folder_named_like_an_option_or_a_lane_takes_nothing_away() {
    let world = World::new();
    world.small_phase();
    for id in ["all", "gemini", "help", "plan-lint", "claude_x", "lm-studio"] {
        world.write(&format!(".gsd/capabilities/{id}/capability.json"), "{}");
    }
    ends(&gsd(&world, &["review", "--phase", "3", "--plan-lint"]), 0);
    ends(&gsd(&world, &["review", "--phase", "3", "--all", "--no-write"]), 0);
    // Nor does it make a slip of the pen a question of consent.
    let slip = gsd(&world, &["review", "--phase", "3", "--lanes", "lm-studio"]);
    ends(&slip, 2);
    assert!(slip.stderr.contains("did you mean `lm_studio`?"), "{}", slip.stderr);
    let (message, _) = refused(&world, "--gemini");
    assert!(message.contains("not found") || message.contains("PATH"), "{message}");
}
