//! Planning files: Markdown and YAML as people and models write them. They are read from files, as
//! the program does.

use super::{Place, Target, assert_well_placed, seeds};
use gsd_engine::lint::{self, WorkTree};
use gsd_engine::planning::{Phase, PhaseSpec, Planning};

pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "plan",
        what: "plans, and the checks of plan-lint",
        seeds: || [seeds!("plan.md"), example("PLAN.md")].concat(),
        check: plan,
    },
    Target {
        name: "frontmatter",
        what: "the YAML of plans",
        seeds: frontmatters,
        check: frontmatter,
    },
    Target {
        name: "documents",
        what: "ROADMAP, REQUIREMENTS, STATE, CONTEXT, RESEARCH",
        seeds: || [example("CONTEXT.md"), example("RESEARCH.md"), example("P.md")].concat(),
        check: documents,
    },
];

const EXAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/feedback-board/.planning");

/// Files of the example project whose names end so.
fn example(end: &str) -> Vec<Vec<u8>> {
    let folders = ["", "phases/01-votes-and-comments", "phases/02-public-roadmap"];
    let names = ["ROADMAP.md", "REQUIREMENTS.md", "STATE.md", "PROJECT.md"];
    let mut found = vec![];
    for folder in folders {
        let folder = std::path::Path::new(EXAMPLE).join(folder);
        let entries = std::fs::read_dir(folder).expect("the example of this repository");
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.ends_with(end) || (end == "P.md" && names.contains(&name)) {
                found.push(std::fs::read(&path).expect("a file of the example"));
            }
        }
    }
    found
}

/// What stands between the marks of plans.
fn frontmatters() -> Vec<Vec<u8>> {
    let plans = [seeds!("plan.md"), example("PLAN.md")].concat();
    let between = |plan: Vec<u8>| {
        let text = String::from_utf8(plan).ok()?;
        let (_, rest) = text.split_once("---\n")?;
        Some(rest.split_once("\n---")?.0.as_bytes().to_vec())
    };
    plans.into_iter().filter_map(between).collect()
}

const FOLDER: &str = "project/.planning/phases/03-notes";

fn plan(place: &mut Place, input: &[u8]) {
    place.write(&format!("{FOLDER}/03-01-PLAN.md"), input);
    look(place);
}

fn frontmatter(place: &mut Place, input: &[u8]) {
    let task = b"\n---\n<tasks>\n<task type=\"auto\">\n<name>a</name>\n</task>\n</tasks>\n";
    let plan = [b"---\n".as_slice(), input, task].concat();
    place.write(&format!("{FOLDER}/03-01-PLAN.md"), &plan);
    look(place);
}

fn documents(place: &mut Place, input: &[u8]) {
    let plan = include_bytes!("../../seeds/plan.md");
    place.write(&format!("{FOLDER}/03-01-PLAN.md"), plan);
    for name in ["ROADMAP.md", "REQUIREMENTS.md", "STATE.md", "phases/03-notes/03-CONTEXT.md"] {
        place.write(&format!("project/.planning/{name}"), input);
    }
    place.write(&format!("{FOLDER}/03-RESEARCH.md"), input);
    look(place);
    // Whatever STATE and ROADMAP say, there is an answer.
    let planning = Planning::open(&place.project()).expect("a planning folder");
    planning.current().ok();
}

fn look(place: &Place) {
    let root = place.project();
    let planning = Planning::open(&root).expect("a planning folder");
    let spec = PhaseSpec::parse("3", &root).expect("a number");
    let directory = planning.find(&spec).expect("the phase is there");
    let phase: Phase = planning.load(&directory).expect("the phase loads");
    assert!(phase.plans.len() + phase.left_out.len() >= 1, "a plan is read or left out");
    for diagnostic in &phase.diagnostics {
        assert_well_placed(std::slice::from_ref(diagnostic));
    }
    let found = lint::run(&phase, &WorkTree::new(&root));
    for diagnostic in &found {
        assert_well_placed(std::slice::from_ref(diagnostic));
    }
}
