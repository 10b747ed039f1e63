//! How people point at a phase (C-034), and which phase is current.

use super::Project;
use gsd_engine::planning::{PhaseError, PhaseSpec, Planning, PlanningError};

fn find(project: &Project, text: &str) -> Result<String, String> {
    let planning = Planning::open(project.root()).unwrap();
    let spec = PhaseSpec::parse(text, project.root()).expect("a phase");
    planning.find(&spec).map(|dir| dir.path.as_str().to_owned()).map_err(|error| error.to_string())
}

fn field() -> Project {
    let project = Project::new();
    for name in [
        "02-a",
        "02-b",
        "03-auth",
        "06-setup-",
        "9.1-first",
        "09.10-tenth",
        "34-SEARCH-INDEX",
        "64.4-gap",
        "PHASE-71-REPORTS",
        "12A-split",
        "141-late",
        "backlog",
    ] {
        project.folder(&format!(".planning/phases/{name}"));
    }
    for path in ["v1.0-phases/05-old", "v1.0-phases/06-older", "v2.0-phases/05-newer"] {
        project.folder(&format!(".planning/milestones/{path}"));
    }
    project
}

#[test]
fn a_phase_is_found_by_number_name_slug_and_path() {
    let project = field();
    let phases = ".planning/phases";
    let absolute = project.root().join(".planning/phases/03-auth");
    for (text, expected) in [
        ("9.1", "9.1-first"),
        ("09.1", "9.1-first"),
        ("9.10", "09.10-tenth"),
        ("064.4", "64.4-gap"),
        ("64.4", "64.4-gap"),
        ("6", "06-setup-"),
        ("34", "34-SEARCH-INDEX"),
        ("64.4-", "64.4-gap"),
        ("03-auth-", "03-auth"),
        ("71", "PHASE-71-REPORTS"),
        ("12a", "12A-split"),
        ("141", "141-late"),
        ("phase 3", "03-auth"),
        ("Phase-03", "03-auth"),
        ("03-auth", "03-auth"),
        ("3-AUTH", "03-auth"),
        ("auth", "03-auth"),
        ("06-setup", "06-setup-"),
        ("search-index", "34-SEARCH-INDEX"),
        ("backlog", "backlog"),
        ("02-a", "02-a"),
        (".planning/phases/03-auth", "03-auth"),
        ("./.planning/phases/03-auth/", "03-auth"),
        (absolute.as_str(), "03-auth"),
    ] {
        assert_eq!(find(&project, text), Ok(format!("{phases}/{expected}")), "{text}");
    }
}

#[test]
fn archived_phases_are_found_on_request_only() {
    let project = field();
    for (text, expected) in [
        ("v1.0/5", "v1.0-phases/05-old"),
        ("v1.0/06", "v1.0-phases/06-older"),
        ("V2.0/newer", "v2.0-phases/05-newer"),
        ("v2.0-phases/05-newer", "v2.0-phases/05-newer"),
        (".planning/milestones/v1.0-phases/05-old", "v1.0-phases/05-old"),
    ] {
        assert_eq!(find(&project, text), Ok(format!(".planning/milestones/{expected}")), "{text}");
    }
    let planning = Planning::open(project.root()).unwrap();
    let spec = PhaseSpec::parse("5", project.root()).unwrap();
    let Err(PhaseError::Unknown { archived, .. }) = planning.find(&spec) else { panic!("found") };
    let archived: Vec<_> = archived.iter().map(|path| path.as_str()).collect();
    assert_eq!(
        archived,
        [".planning/milestones/v1.0-phases/05-old", ".planning/milestones/v2.0-phases/05-newer"]
    );
}

#[test]
fn two_directories_of_one_number_are_both_named() {
    let project = field();
    let planning = Planning::open(project.root()).unwrap();
    for text in ["2", "02", "002"] {
        let spec = PhaseSpec::parse(text, project.root()).unwrap();
        let Err(PhaseError::Ambiguous { matches, .. }) = planning.find(&spec) else {
            panic!("{text} is ambiguous");
        };
        let matches: Vec<_> = matches.iter().map(|path| path.as_str()).collect();
        assert_eq!(matches, [".planning/phases/02-a", ".planning/phases/02-b"]);
    }
}

#[test]
fn what_is_not_found_comes_with_what_is() {
    let project = field();
    project.file(".planning/ROADMAP.md", "- [ ] **Phase 8: Later things** - soon\n");
    let planning = Planning::open(project.root()).unwrap();
    let unknown = |text: &str| {
        let spec = PhaseSpec::parse(text, project.root()).unwrap();
        match planning.find(&spec) {
            Err(PhaseError::Unknown { known, nearest, planned, .. }) => (known, nearest, planned),
            other => panic!("{text}: {other:?}"),
        }
    };
    let (known, nearest, planned) = unknown("auht");
    assert_eq!(nearest.as_deref(), Some("03-auth"));
    assert_eq!(planned, None);
    assert_eq!(
        known,
        [
            "02-a",
            "02-b",
            "03-auth",
            "06-setup-",
            "9.1-first",
            "09.10-tenth",
            "12A-split",
            "34-SEARCH-INDEX",
            "64.4-gap",
            "PHASE-71-REPORTS",
            "141-late",
            "backlog",
        ]
    );
    assert_eq!(unknown("8").2.as_deref(), Some("Later things"));
    for text in ["", "  ", "a\nb", "\u{0}"] {
        assert_eq!(PhaseSpec::parse(text, project.root()), None, "{text:?}");
    }
}

#[test]
fn paths_stay_inside_the_project() {
    let project = field();
    project.link(".planning/phases/07-out", "/usr");
    project.file(".planning/phases/03-auth/03-01-PLAN.md", "x\n");
    for text in ["/etc", "../", "..", "/", ".planning/phases/07-out"] {
        let error = find(&project, text).expect_err(text);
        assert!(error.ends_with("is outside the project"), "{text}: {error}");
    }
    for text in [".", "./.planning", ".planning/phases", "nowhere/at/all", "./"] {
        let error = find(&project, text).expect_err(text);
        assert!(error.ends_with("is no directory of a phase"), "{text}: {error}");
    }
    // A file of a phase points at its phase.
    let found = find(&project, ".planning/phases/03-auth/03-01-PLAN.md");
    assert_eq!(found.as_deref(), Ok(".planning/phases/03-auth"));
    // A link that leaves the project is no phase at all.
    assert!(find(&project, "7").is_err());
}

#[test]
fn a_path_starts_where_the_user_stands() {
    let project = field();
    let planning = Planning::open(project.root()).unwrap();
    let here = project.root().join(".planning/phases/64.4-gap");
    for (text, expected) in [(".", "64.4-gap"), ("../03-auth", "03-auth")] {
        let spec = PhaseSpec::parse(text, &here).unwrap();
        assert_eq!(planning.find(&spec).unwrap().name, expected);
    }
}

#[test]
fn the_current_phase_is_what_state_or_roadmap_say() {
    let roadmap =
        "- [x] **Phase 3: Auth**\n- [ ] **Phase 64.4: Gap** (INSERTED)\n- [ ] **Phase 6: S**\n";
    for (state, expected) in [
        ("---\ncurrent_phase: 6\n---\n", "06-setup-"),
        ("---\nactive_phase: 34-search-index\nstatus: executing\n---\n", "34-SEARCH-INDEX"),
        ("---\ncurrent_phase:\nnext_phases: [9.10, 141]\n---\n", "09.10-tenth"),
        ("---\ncurrent_phase: \"64.4\"\nbroken: a: b\n---\n", "64.4-gap"),
        ("# State\n\n## Current Position\n\nPhase: 3 of 8 (Auth)\nPlan: 1\n", "03-auth"),
        ("## Current Position\n\nPhase: [3] of [8]\n", "03-auth"),
        ("**Current Phase:** 09.1 — First\n", "9.1-first"),
        ("\u{feff}- **Current phase**: Phase 141: Late\r\n", "141-late"),
        ("# State\n\nNothing yet. Progress: 80%\n", "64.4-gap"),
        ("", "64.4-gap"),
    ] {
        let project = field();
        project.file(".planning/ROADMAP.md", roadmap);
        project.file(".planning/STATE.md", state);
        let planning = Planning::open(project.root()).unwrap();
        assert_eq!(planning.current().unwrap().name, expected, "{state}");
    }
    let project = field();
    let marked = "- [ ] **Phase 3: Auth**\n- [ ] **Phase 6: Setup** (current)\n";
    project.file(".planning/ROADMAP.md", marked);
    let planning = Planning::open(project.root()).unwrap();
    assert_eq!(planning.current().unwrap().name, "06-setup-");
    let project = field();
    let planning = Planning::open(project.root()).unwrap();
    let Err(PhaseError::NoCurrent { known }) = planning.current() else { panic!("none is named") };
    assert_eq!(known.len(), 12);
}

#[test]
fn workstreams_have_phases_of_their_own() {
    let project = field();
    project.folder(".planning/workstreams/mobile/phases/01-shell");
    project.file(".planning/workstreams/mobile/STATE.md", "Phase: 1\n");
    let planning = Planning::open(project.root()).unwrap();
    assert_eq!(planning.workstreams().unwrap(), ["mobile"]);
    let mobile = planning.workstream("mobile").unwrap();
    let current = mobile.current().unwrap();
    assert_eq!(current.path.as_str(), ".planning/workstreams/mobile/phases/01-shell");
    for name in ["mobil", "../phases", "", "mobile/phases", "."] {
        let Err(PlanningError::UnknownWorkstream { known, .. }) = planning.workstream(name) else {
            panic!("{name} is none");
        };
        assert_eq!(known, ["mobile"]);
    }
}

#[test]
fn the_root_is_the_nearest_folder_with_planning() {
    let project = field();
    let inner = project.folder("src/deep");
    assert_eq!(Planning::nearest_root(&inner), Some(project.root()));
    let other = Project::empty();
    let missing = Planning::open(other.root());
    assert!(matches!(missing, Err(PlanningError::Missing { .. })), "{missing:?}");
    other.file(".planning", "a file");
    let file = Planning::open(other.root());
    assert!(matches!(file, Err(PlanningError::NotADirectory { .. })), "{file:?}");
    let linked = Project::empty();
    linked.link(".planning", "/usr");
    let linked = Planning::open(linked.root());
    assert!(matches!(linked, Err(PlanningError::OutsideRoot { .. })), "{linked:?}");
    // Without a `phases` folder there are no phases, and that is no error.
    let bare = Project::new();
    assert_eq!(Planning::open(bare.root()).unwrap().phases().unwrap(), []);
}
