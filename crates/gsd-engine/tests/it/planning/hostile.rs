//! Files that are not what they should be: each is left out with its reason, and the rest is read.

use super::Project;
use gsd_engine::planning::{Phase, PhaseSpec, Planning, Why};

const PLAN: &str = "---\nphase: 03-x\nplan: 1\n---\n<tasks>\n<task type=\"auto\">\n<name>A</name>\n</task>\n</tasks>\n";

fn load(project: &Project) -> Phase {
    let planning = Planning::open(project.root()).unwrap();
    let spec = PhaseSpec::parse("3", project.root()).unwrap();
    planning.load(&planning.find(&spec).unwrap()).unwrap()
}

fn ids(phase: &Phase) -> Vec<&str> {
    phase.plans.iter().map(|plan| plan.id.as_str()).collect()
}

fn codes(phase: &Phase) -> Vec<&str> {
    phase.diagnostics.iter().map(|found| found.rule.code).collect()
}

const FOLDER: &str = ".planning/phases/03-x";

#[test]
fn the_names_of_the_field_in_one_directory() {
    let project = Project::new();
    for name in [
        "02-01-PLAN.md",
        "64.4-16-PLAN.md",
        "01-PLAN.md",
        "PLAN.md",
        "01-PLAN-01-foundation.md",
        "34-01-slug-PLAN.md",
        "141-P0-PLAN.md",
        "09.1-GAP-PLAN.md",
        "02-2-PLAN.md",
        "02-10-PLAN.md",
        "64.4-PLAN-REVIEW-DECISIONS.md",
        "3-PLAN-REVIEW.md",
        "3-PLAN-CHECK.md",
        "3-REPLAN-INPUTS.md",
        "02-01-SUMMARY.md",
    ] {
        project.file(&format!("{FOLDER}/{name}"), PLAN);
    }
    let phase = load(&project);
    assert_eq!(
        ids(&phase),
        [
            "01-PLAN-01-foundation",
            "01",
            "02-01",
            "02-2",
            "02-10",
            "09.1-GAP",
            "34-01-slug",
            "64.4-16",
            "141-P0",
            "PLAN",
        ]
    );
    let left_out: Vec<_> = phase.left_out.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        left_out,
        [
            "3-PLAN-CHECK.md",
            "3-PLAN-REVIEW.md",
            "3-REPLAN-INPUTS.md",
            "64.4-PLAN-REVIEW-DECISIONS.md"
        ]
    );
    assert_eq!(codes(&phase), ["planning/left-out"; 4]);
}

#[test]
fn what_cannot_be_read_is_left_out_with_its_reason() {
    let project = Project::new();
    let outside = Project::empty();
    outside.file("secret.md", PLAN);
    project.file(&format!("{FOLDER}/03-01-PLAN.md"), PLAN);
    project.folder(&format!("{FOLDER}/03-02-PLAN.md"));
    project.fifo(&format!("{FOLDER}/03-03-PLAN.md"));
    project.link(&format!("{FOLDER}/03-04-PLAN.md"), outside.root().join("secret.md").as_str());
    project.link(&format!("{FOLDER}/03-05-PLAN.md"), "nowhere");
    project.link(&format!("{FOLDER}/03-06-PLAN.md"), "03-06-PLAN.md");
    project.link(&format!("{FOLDER}/03-07-PLAN.md"), "/dev/zero");
    project.sparse(&format!("{FOLDER}/03-08-PLAN.md"), 200 * 1024 * 1024);
    project.bytes(&format!("{FOLDER}/03-09-PLAN.md"), b"---\nphase: 3\n---\n\xff\xfe\n");
    project.file(&format!("{FOLDER}/03\\10-PLAN.md"), PLAN);
    project.file(&format!("{FOLDER}/03-11\n-PLAN.md"), PLAN);
    project.file("docs/shared.md", PLAN);
    project.link(&format!("{FOLDER}/03-12-PLAN.md"), "../../../docs/shared.md");
    project.file(&format!("{FOLDER}/03-13-PLAN.md"), "");
    project.fifo(&format!("{FOLDER}/03-CONTEXT.md"));
    project.folder(".planning/ROADMAP.md");
    project.fifo(".planning/STATE.md");

    let phase = load(&project);
    // A link to a file inside the project is a plan like any other; so is an empty file.
    assert_eq!(ids(&phase), ["03-01", "03-12", "03-13"]);
    let why = |name: &str| {
        let found = phase.left_out.iter().find(|file| file.name == name);
        found.unwrap_or_else(|| panic!("{name} is left out")).why.clone()
    };
    assert_eq!(why("03-02-PLAN.md"), Why::NotAFile("a directory"));
    assert!(matches!(why("03-03-PLAN.md"), Why::NotAFile(_)));
    for link in ["03-04-PLAN.md", "03-05-PLAN.md", "03-06-PLAN.md", "03-07-PLAN.md"] {
        assert_eq!(why(link), Why::LinkOut, "{link}");
    }
    assert!(matches!(why("03-08-PLAN.md"), Why::TooLarge { bytes: 209_715_200, .. }));
    assert_eq!(why("03-09-PLAN.md"), Why::NotUtf8 { offset: 17 });
    assert_eq!(why("03\\10-PLAN.md"), Why::UnsafeName);
    assert_eq!(why("03-11\n-PLAN.md"), Why::UnsafeName);
    assert!(matches!(why("03-CONTEXT.md"), Why::NotAFile(_)));
    assert_eq!(phase.left_out.len(), 11);
    let unreadable = codes(&phase).iter().filter(|code| **code == "planning/unreadable").count();
    assert_eq!(unreadable, 13, "each left out once, and the two documents: {:#?}", codes(&phase));
    for found in &phase.diagnostics {
        assert!(!found.message.contains('\n') && !found.at.file.name().contains('\n'));
    }
}

#[test]
fn a_phase_directory_may_have_any_name() {
    let project = Project::new();
    project.file(".planning/phases/03-$(id) 'x' `y`/03-01-PLAN.md", PLAN);
    project.file(".planning/phases/03\n-evil/03-01-PLAN.md", PLAN);
    let phase = load(&project);
    assert_eq!(phase.directory.name, "03-$(id) 'x' `y`");
    assert_eq!(ids(&phase), ["03-01"]);
}

#[test]
fn an_empty_phase_is_a_phase() {
    let project = Project::new();
    project.folder(FOLDER);
    let phase = load(&project);
    assert_eq!((phase.plans.len(), phase.diagnostics.len()), (0, 0));
}

#[test]
fn the_census_is_of_the_bytes_on_disk() {
    let project = Project::new();
    project.file(&format!("{FOLDER}/03-01-PLAN.md"), "abc");
    project.file(&format!("{FOLDER}/03-02-PLAN.md"), "\u{feff}a\r\nb\r\n");
    let phase = load(&project);
    let census = |at: usize| {
        let document = &phase.plans[at].document;
        (document.path.as_str(), document.bytes, document.lines, document.sha256.as_str())
    };
    assert_eq!(
        census(0),
        (
            ".planning/phases/03-x/03-01-PLAN.md",
            3,
            1,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
    );
    assert_eq!((census(1).1, census(1).2), (9, 2));
}

#[test]
fn invisible_characters_are_said_once_a_file() {
    let project = Project::new();
    project.file(
        &format!("{FOLDER}/03-01-PLAN.md"),
        &format!("{PLAN}\u{0} and \u{202e} and \u{1b}\n"),
    );
    let phase = load(&project);
    assert_eq!(codes(&phase), ["planning/control-characters"]);
    assert_eq!(phase.diagnostics[0].at.line(), 10);
    assert!(phase.diagnostics[0].message.contains("U+0000"));
}

#[test]
fn superseded_plans_are_read_and_do_not_count() {
    let project = Project::new();
    project.file(&format!("{FOLDER}/03-01-PLAN.md"), PLAN);
    project
        .file(&format!("{FOLDER}/03-02-PLAN.md"), &PLAN.replace("plan: 1", "status: superseded"));
    let phase = load(&project);
    assert_eq!(ids(&phase), ["03-01", "03-02"]);
    let counted: Vec<_> = phase.counted().map(|plan| plan.id.as_str()).collect();
    assert_eq!(counted, ["03-01"]);
}

#[test]
fn archived_phases_have_the_documents_of_their_milestone() {
    let project = Project::new();
    project.file(".planning/milestones/v1.0-phases/03-x/03-01-PLAN.md", PLAN);
    project.file(".planning/milestones/v1.0-ROADMAP.md", "### Phase 3: Then\n**Goal**: old\n");
    project.file(".planning/ROADMAP.md", "### Phase 3: Now\n**Goal**: new\n");
    let planning = Planning::open(project.root()).unwrap();
    let spec = PhaseSpec::parse("v1.0/3", project.root()).unwrap();
    let phase = planning.load(&planning.find(&spec).unwrap()).unwrap();
    assert_eq!(phase.title(), "Then");
    assert_eq!(phase.directory.milestone.as_deref(), Some("v1.0"));
}
