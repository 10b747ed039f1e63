//! The documents beside the plans, as people write them.

use super::tests::document;
use super::*;

fn roadmap(text: &str) -> Roadmap {
    super::roadmap::read(document(text))
}

fn ids(list: &[Spanned<RequirementId>]) -> Vec<&str> {
    list.iter().map(|id| id.value.as_str()).collect()
}

fn values(list: &[Spanned<String>]) -> Vec<&str> {
    list.iter().map(|entry| entry.value.as_str()).collect()
}

#[test]
fn a_roadmap_of_lists_and_sections() {
    let text = "# Roadmap\n\n<details>\n<summary>v1.0 (done)</summary>\n\n- [x] Phase 1: Base (2/2 plans) — 2026-02-18\n\n### Phase 1: Base\n**Goal**: old\n\n</details>\n\n## Phases\n\n- [x] **Phase 2: Store** - keep things (completed 2026-03-07)\n- [ ] **Phase 2.1: Repair** (INSERTED) — urgent\n- [ ] **Phase 3: Serve & show** — the rest\n  Phase 9 is prose.\n\n## Phase Details\n\n### ✅ Phase 2: Store\n**Goal:** Things are kept,\nalso after a restart\n**Depends on**: Phase 1\n**Requirements**: ST-01..ST-03, SEC-HARDENING\n**Success Criteria** (what must be TRUE):\n  1. It is kept\n  2. It is **found** again\n     after a day\n**Plans:** 2/3 plans executed\n\nPlans:\n**Wave 1**\n- [x] 02-01-PLAN.md — table\n- [x] **02-02** reader\n\n**Wave 2** *(blocked)*\n\n- [ ] 02-03-slug-PLAN.md — writer\n\n### Phase 2.1: Repair (INSERTED)\n\n- **Goal**: mend\n- **Requirements**:\n  - FX-01 first\n  - FX-02 second\n- **Plans**: TBD\n\n## Phase 3 — Serve & show\n**Requirements**: none\n**Plans**: 7 plans\n```\n### Phase 8: in a fence\n```\n\n## Progress\n| Phase | Plans |\n|---|---|\n| 3. Serve | 0/7 |\n";
    let roadmap = roadmap(text);
    let told: Vec<_> = roadmap
        .phases
        .iter()
        .map(|p| (p.number.to_string(), p.name.as_str(), p.checked, p.folded, p.inserted))
        .collect();
    assert_eq!(
        told,
        [
            ("1".to_owned(), "Base", Some(true), true, false),
            ("2".to_owned(), "Store", Some(true), false, false),
            ("2.1".to_owned(), "Repair", Some(false), false, true),
            ("3".to_owned(), "Serve & show", Some(false), false, false),
        ]
    );
    assert_eq!(roadmap.current().map(|phase| phase.name.as_str()), Some("Repair"));
    let store = &roadmap.phases[1];
    assert_eq!(store.goal.as_ref().expect("there").value, "Things are kept, also after a restart");
    assert_eq!(store.depends_on.as_ref().expect("there").value, "Phase 1");
    assert_eq!(ids(&store.requirements), ["ST-01", "ST-02", "ST-03", "SEC-HARDENING"]);
    assert_eq!(&text[store.requirements[1].span.clone()], "ST-01..ST-03");
    assert_eq!(
        values(&store.success_criteria),
        ["It is kept", "It is **found** again after a day"]
    );
    assert_eq!(store.plan_count, Some(PlanCount { done: Some(2), total: 3 }));
    let plans: Vec<_> = store.plans.iter().map(|p| (p.id.value.as_str(), p.checked)).collect();
    assert_eq!(plans, [("02-01", Some(true)), ("02-02", Some(true)), ("02-03-slug", Some(false))]);
    assert!(store.text(&roadmap).starts_with("### ✅ Phase 2: Store"));
    assert!(store.text(&roadmap).ends_with("02-03-slug-PLAN.md — writer"));
    assert_eq!(ids(&roadmap.phases[2].requirements), ["FX-01", "FX-02"]);
    assert_eq!(roadmap.phases[2].goal.as_ref().expect("there").value, "mend");
    assert_eq!(roadmap.phases[2].plan_count, None);
    assert_eq!(roadmap.phases[3].plan_count, Some(PlanCount { done: None, total: 7 }));
    assert_eq!(ids(&roadmap.phases[3].requirements), Vec::<&str>::new());
    assert_eq!(roadmap.phases[0].text(&roadmap), "### Phase 1: Base\n**Goal**: old");
}

#[test]
fn a_roadmap_of_lists_only() {
    let roadmap = roadmap(
        "- [ ] Phase 06: One\n- **Phase 7:** Two\n- ~~Phase 8: gone~~\n* [x] **Phase 09.1 — Three** ✅\n",
    );
    let names: Vec<_> =
        roadmap.phases.iter().map(|p| (p.number.spelling(), p.name.as_str())).collect();
    assert_eq!(names, [("06", "One"), ("7", "Two"), ("8", "gone"), ("09.1", "Three")]);
    assert_eq!(roadmap.phases[0].text(&roadmap), "- [ ] Phase 06: One");
}

#[test]
fn requirements_and_for_when_they_are_meant() {
    let text = "# Requirements: v3 of it\n\n## v1 Requirements\n\n### Auth\n- [ ] **AUTH-01**: Log in\n  with a password\n- [x] AUTH-02 Log out\n- **SEC-HARDENING**: Be hard\n- plain text, see AUTH-01\n\n```\n- [ ] **NO-01**: in a fence\n```\n\n## v2 Requirements\n### Auth\n- **AUTH-10**: Sign on\n\n## Out of Scope\n- **AUTH-99**: Faces\n\n| Feature | Reason |\n|---|---|\n| Faces | no |\n\n## More\n#### R001 — A heading\n\n## Traceability\n| Requirement | Phase | Status |\n|---|---|---|\n| AUTH-01 | Phase 2 | Done |\n| AUTH-02..AUTH-03 | 3.1 | **Pending** |\n| Total | 3 | |\n";
    let read = super::requirements::read(document(text));
    let told: Vec<_> = read
        .requirements
        .iter()
        .map(|r| (r.id.value.as_str(), r.checked, r.text.value.as_str(), r.horizon))
        .collect();
    assert_eq!(
        told,
        [
            ("AUTH-01", Some(false), "Log in with a password", Horizon::Now),
            ("AUTH-02", Some(true), "Log out", Horizon::Now),
            ("SEC-HARDENING", None, "Be hard", Horizon::Now),
            ("AUTH-10", None, "Sign on", Horizon::Later),
            ("AUTH-99", None, "Faces", Horizon::OutOfScope),
            ("R001", None, "A heading", Horizon::Now),
        ]
    );
    let traces: Vec<_> = read
        .traceability
        .iter()
        .map(|t| (t.id.value.as_str(), t.phase.as_ref().map(ToString::to_string)))
        .collect();
    assert_eq!(
        traces,
        [
            ("AUTH-01", Some("2".to_owned())),
            ("AUTH-02", Some("3.1".to_owned())),
            ("AUTH-03", Some("3.1".to_owned())),
        ]
    );
    assert!(read.find(&RequirementId::parse("AUTH-10").expect("an id")).is_some());
}

#[test]
fn the_present_version_is_no_later_one() {
    let horizon = |text: &str| super::requirements::read(document(text)).requirements[0].horizon;
    assert_eq!(horizon("## v2.0 Requirements\n- **A-01**: x\n"), Horizon::Now);
    assert_eq!(horizon("## Future Requirements\n- **A-01**: x\n"), Horizon::Later);
    assert_eq!(horizon("## Deferred (v3)\n### Auth\n- **A-01**: x\n"), Horizon::Later);
    let text = "## Requirements\n- **A-01**: x\n## v2 Requirements\n- **A-02**: y\n";
    let read = super::requirements::read(document(text));
    assert_eq!(read.requirements[1].horizon, Horizon::Later);
}

#[test]
fn decisions_in_blocks_and_under_headings() {
    let blocks = "<domain>\n## Phase Boundary\nOnly this.\n</domain>\n\n<decisions>\n## Implementation Decisions\n\n### Store\n- **D-01:** Use a file\n  and lock it\n- **D-02 (locked)** — **CUT** the rest\n- D-3a: small\n\n### Claude's Discretion\n- Names, as D-01 says\n</decisions>\n\n<canonical_refs>\n## Canonical References\n- `docs/a.md` §3 — the rules\n- `src/b.rs:10-20` — the loop\n</canonical_refs>\n\n<deferred>\n## Deferred Ideas\n- **D-09**: Search\n  everywhere\n- Mail\n</deferred>\n";
    let read = context::read(document(blocks));
    let told: Vec<_> = read
        .decisions
        .iter()
        .map(|d| (d.id.as_ref().map_or("", |id| &id.value), d.text.value.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("D-01", "Use a file and lock it"),
            ("D-02", "(locked) — **CUT** the rest"),
            ("D-3a", "small"),
        ]
    );
    assert_eq!(values(&read.deferred), ["**D-09**: Search everywhere", "Mail"]);
    assert_eq!(values(&read.canonical_refs), ["docs/a.md", "src/b.rs"]);
    assert!(read.domain.expect("there").text().ends_with("Only this."));

    let headings = "# Context\n\n## Implementation Decisions\n\n### Look\n- Blue\n- Round\n\n### Claude's Discretion\n- Fonts\n\n## Deferred Ideas\n\nNone — all within scope.\n";
    let read = context::read(document(headings));
    let told: Vec<_> = read.decisions.iter().map(|d| d.text.value.as_str()).collect();
    assert_eq!(told, ["Blue", "Round"]);
    assert_eq!(read.deferred, []);
}

#[test]
fn questions_and_pitfalls_of_research() {
    let text = "## Common Pitfalls\n\n### Pitfall 1: Locks\nThey stay.\n\n### Pitfall 2: Clocks\nThey move.\n\n## Open Questions\n\n1. **Which port?**\n   - Known: 80 is taken\n   - Resolution: 8080\n2. Which host?\n3. ~~Which name?~~\n\n## Sources\n- x\n";
    let read = research::read(document(text));
    let pitfalls = values(&read.pitfalls);
    assert_eq!(pitfalls, ["Pitfall 1: Locks They stay.", "Pitfall 2: Clocks They move."]);
    let questions = read.open_questions.expect("there");
    assert!(!questions.resolved);
    let told: Vec<_> = questions.questions.iter().map(|q| q.resolved).collect();
    assert_eq!(told, [true, false, true]);
    for (text, resolved, count) in [
        ("## Open Questions (RESOLVED)\n1. x\n", true, 1),
        ("## Open Questions (resolved)\nNone.\n", true, 0),
        ("### Open questions\n\nNone - all answered\n", false, 0),
        ("## Open Questions\n### Q1: Why?\nUnresolved so far.\n### Q2\nRESOLVED: so\n", false, 2),
    ] {
        let questions = research::read(document(text)).open_questions.expect("there");
        assert_eq!((questions.resolved, questions.questions.len()), (resolved, count), "{text}");
    }
    let unresolved = "## Open Questions\n### Q1: Why?\nUnresolved so far.\n";
    let questions = research::read(document(unresolved)).open_questions.expect("there");
    assert!(!questions.questions[0].resolved);
}

#[test]
fn states_from_the_field() {
    for (text, expected) in [
        (
            "---\nstatus: executing\nprogress:\n  total_phases: 6\n---\n\n**Current focus:** Phase 28 — wizard\n",
            Some("28"),
        ),
        ("---\nstatus: x\n---\n## Current Position\n\nPhase: 09 (data) — complete\n", Some("09")),
        ("---\na: 1\n---\n\n---\na: 2\n---\n\n## Current Phase\n\n- **Phase:** 1\n", Some("1")),
        ("**Current focus:** v4.2 — Cost (Phase 37)\n\nMilestone: v4.2\n", Some("37")),
        ("---\ncurrent_phase: null\n---\nPhase: not started\n", None),
        ("---\ncurrent_phase: 2026-03-07\n---\n", None),
    ] {
        let phase = state::read(document(text)).current_phase;
        assert_eq!(phase.as_ref().map(|p| p.value.spelling()), expected, "{text}");
    }
}
