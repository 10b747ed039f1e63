use super::*;
use crate::lane::roster::tests::{all, overlay};
use std::fmt::Write;

fn paths() -> RunPaths {
    RunPaths {
        root: "/project".into(),
        run_dir: "/run".into(),
        prompt: "/run/gsd-review-prompt.md".into(),
        confinement: Confinement::None,
    }
}

fn flag<T>(value: T) -> Option<Sourced<T>> {
    Some(Sourced::new(value, Source::Flag("--test")))
}

fn argv(lane: &Lane, settings: &LaneSettings) -> String {
    let plan = plan(lane, lane.slug().as_str(), settings, &paths()).expect("a plan");
    match &plan.call {
        CallPlan::Spawn(spawn) => {
            let words: Vec<String> =
                spawn.argv("the prompt").iter().map(|word| format!("{word:?}")).collect();
            format!("{} {}", plan.destination(), words.join(" "))
        }
        CallPlan::OpenaiHttp(http) => {
            let model = plan.model.as_ref().map_or("discovered", |model| model.value.as_str());
            format!("POST {}{} model {model}", http.destination, http.path.as_str())
        }
    }
}

/// The golden table: the arguments of every lane, with and without a model and an effort.
#[test]
fn arguments_of_every_lane() {
    let mut out = String::new();
    let chosen = LaneSettings {
        model: flag("; rm -rf / $(x)".to_owned()),
        effort: flag(EffortLevel::Max),
        ..LaneSettings::default()
    };
    for lane in all().iter() {
        let bare = argv(lane, &LaneSettings::default());
        let full = argv(lane, &chosen);
        assert!(!bare.contains("\"\""), "an empty placeholder leaves nothing: {bare}");
        writeln!(out, "{bare}").expect("a string");
        if full != bare {
            writeln!(out, "    {full}").expect("a string");
        }
    }
    insta::assert_snapshot!("arguments", out);
}

#[test]
fn an_own_limit_of_a_program_moves_with_ours() {
    let roster = all();
    let lane = roster.by_slug("antigravity").expect("a lane");
    let settings =
        LaneSettings { time_limit: flag(Duration::from_secs(100)), ..LaneSettings::default() };
    assert!(argv(lane, &settings).contains(r#""--print-timeout" "90s""#));
}

#[test]
fn an_instance_has_its_own_files_and_agent() {
    let roster = all();
    let lane = roster.by_slug("opencode").expect("a lane");
    let settings = LaneSettings { agent: flag("architect".to_owned()), ..LaneSettings::default() };
    let plan = plan(lane, "my/../deep", &settings, &paths()).expect("a plan");
    assert_eq!(plan.artefacts.review, "/run/gsd-review-my-..-deep.md");
    assert_eq!(plan.slug.as_str(), "opencode");
    let CallPlan::Spawn(spawn) = &plan.call else { panic!("a program") };
    assert_eq!(spawn.argv("")[..3], ["run", "--agent", "architect"]);
}

#[test]
fn a_prompt_too_long_for_an_argument_becomes_a_reference() {
    let mut lane = overlay("cursor", "acme", "acme");
    let Invoke::Spawn(invoke) = &mut lane.descriptor.invoke else { panic!("a program") };
    invoke.prompt = PromptChannel::ArgvInline;
    let plan = plan(&lane, "acme", &LaneSettings::default(), &paths()).expect("a plan");
    let CallPlan::Spawn(spawn) = &plan.call else { panic!("a program") };
    let fits = "x".repeat(131_071);
    assert_eq!(spawn.argv(&fits).last(), Some(&fits));
    assert!(spawn.passes_text(&fits));
    let long = "x".repeat(131_072);
    let argv = spawn.argv(&long);
    assert!(argv.last().is_some_and(|a| a.len() < 2048 && a.contains("/run/gsd-review-prompt.md")));
    assert!(!spawn.passes_text(&long));
    assert!(spawn.argv("a\0b").last().is_some_and(|a| !a.contains('\0')));
}

#[test]
fn only_a_manifest_of_ours_means_the_running_program() {
    let program = |lane: &Lane| {
        let plan = plan(lane, "x", &LaneSettings::default(), &paths()).expect("a plan");
        match plan.call {
            CallPlan::Spawn(spawn) => (spawn.program.clone(), plan.posture),
            CallPlan::OpenaiHttp(_) => panic!("a program"),
        }
    };
    let roster = all();
    let own = roster.by_slug("plan-lint").expect("a lane");
    assert_eq!(program(own), (Program::Own, Posture::Trusted));
    let foreign = overlay("plan-lint", "acme", "acme");
    assert!(matches!(program(&foreign).0, Program::Named(_)));
}

#[test]
fn servers_without_a_usable_address_are_no_plan() {
    let roster = all();
    let lane = roster.by_slug("ollama").expect("a lane");
    let with = |host: &str| {
        let settings = LaneSettings { host: flag(host.to_owned()), ..LaneSettings::default() };
        plan(lane, "ollama", &settings, &paths()).map(|plan| plan.destination())
    };
    assert_eq!(with("HTTP://LOCALHOST:80/").as_deref(), Ok("http://localhost"));
    for bad in ["localhost:11434", "file:///etc", "http://u:p@localhost"] {
        assert!(matches!(with(bad), Err(PlanError::Host { .. })), "{bad}");
    }
    let mut bare = lane.clone();
    let Invoke::OpenaiHttp(http) = &mut bare.descriptor.invoke else { panic!("a server") };
    http.default_host = None;
    let settings = LaneSettings::default();
    assert!(matches!(plan(&bare, "o", &settings, &paths()), Err(PlanError::NoHost { .. })));
}

#[test]
fn an_effort_becomes_the_nearest_one_that_the_program_knows() {
    let roster = all();
    let passed = |slug: &str, level: EffortLevel| {
        let lane = roster.by_slug(slug).expect("a lane");
        let settings = LaneSettings { effort: flag(level), ..LaneSettings::default() };
        let plan = plan(lane, slug, &settings, &paths()).expect("a plan");
        (plan.effort.map(|effort| effort.value.word()), plan.notes.len())
    };
    let table = [
        ("claude", [("minimal", "low"), ("max", "max")]),
        ("codex", [("minimal", "minimal"), ("max", "xhigh")]),
        ("opencode", [("minimal", "minimal"), ("max", "max")]),
        ("copilot", [("minimal", "low"), ("max", "high")]),
    ];
    for (slug, rows) in table {
        for (wanted, known) in rows {
            let level = EffortLevel::ALL.iter().copied().find(|level| level.word() == wanted);
            let noted = usize::from(wanted != known);
            assert_eq!(passed(slug, level.expect("a level")), (Some(known), noted), "{slug}");
        }
    }
    for slug in ["gemini", "coderabbit", "qwen", "cursor", "antigravity", "kimi-code", "ollama"] {
        assert_eq!(passed(slug, EffortLevel::Max), (None, 0), "{slug}");
    }
}
