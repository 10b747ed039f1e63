//! The question before an install: what it shows, and what counts as a yes.

use super::{bundle, ends, executable, feature, tree};
use crate::world::{gsd, on_terminal, on_terminal_of};
use gsd_testkit::project::World;
use serde_json::json;

#[test]
fn a_yes_installs_and_anything_else_does_not() {
    let world = World::new();
    let from = bundle(&world.tmp().join("exe"), &feature("exe", "1.0.0", &executable()));
    let args = ["capability", "install", from.as_str()];
    for typed in ["n\n", "\n", "yess\n", "\u{4}"] {
        let (ran, shown) = on_terminal(&world, &args, typed);
        assert_eq!(ran.code, 3, "{typed:?}: {}{shown}", ran.stdout);
        assert!(shown.contains("Agree to this? [y/N]"), "{shown}");
        assert!(tree(&world.home()).is_empty(), "{typed:?}");
    }
    let (ran, shown) = on_terminal(&world, &args, "Y\n");
    assert_eq!(ran.code, 0, "{}{shown}", ran.stdout);
    for part in ["exe 1.0.0", "hooks/after.js", "exe-cmd", "srv", "KEY"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    ends(&gsd(&world, &["capability", "remove", "exe"]), 0);
}

#[test]
fn a_39_no_name_can_rewrite_the_question() {
    let world = World::new();
    let hostile = json!({ "mcpServers": {
        "srv\nhooks (0): none": { "command": "\u{1b}[2Knode", "args": ["\u{202e}x"] },
    } });
    let mut manifest = feature("exe", "1.0.0", &hostile);
    manifest["title"] = json!("t\u{1b}]0;x\u{7}");
    let from = bundle(&world.tmp().join("exe"), &manifest);
    let (ran, shown) = on_terminal(&world, &["capability", "install", from.as_str()], "n\n");
    assert!(ran.code == 3 || ran.code == 4, "{}{shown}", ran.stdout);
    let deceptive = |c: char| c.is_control() && c != '\n' && c != '\r' || c == '\u{202e}';
    assert!(!shown.contains(deceptive), "{shown:?}");
    assert!(!shown.lines().any(|line| line.trim_start().starts_with("hooks (0)")), "{shown}");
    let json = gsd(&world, &["capability", "install", from.as_str(), "--json"]);
    assert!(!json.stdout.contains('\u{1b}'), "{}", json.stdout);
}

#[test]
fn the_question_fits_its_terminal_and_a_preview_labels_what_it_lists() {
    let world = World::new();
    let mut manifest = feature("exe", "1.0.0", &executable());
    manifest["title"] = json!("a title");
    let from = bundle(&world.tmp().join("exe"), &manifest);
    let args = ["capability", "install", from.as_str()];
    let (_, shown) = on_terminal_of(&world, &args, "n\n", 60);
    let question = shown.split("Agree to this?").next().unwrap();
    for line in question.lines().filter(|line| line.chars().count() > 60) {
        let words = line.split_whitespace().map(|word| word.chars().count());
        assert!(words.max() > Some(40), "it could have been broken: {line}");
    }
    let preview = gsd(&world, &["capability", "install", from.as_str(), "--dry-run"]);
    ends(&preview, 0);
    assert!(
        preview.stdout.contains("\n  its effects: nothing -> an object of "),
        "{}",
        preview.stdout
    );
}
