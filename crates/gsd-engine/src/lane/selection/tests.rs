use super::*;
use crate::config::{Config, Layer};
use crate::diag::SourceFile;
use crate::lane::roster::tests::{all, overlay};
use crate::lane::roster::{Roster, first_party};
use gsd_io::env::Env;

struct World {
    roster: Roster,
    here: Vec<&'static str>,
    config: &'static str,
    vars: Vec<(&'static str, &'static str)>,
}

fn absent() -> Absence {
    Absence { why: "`x` was not found".to_owned(), remedy: None }
}

impl World {
    fn new(here: &[&'static str]) -> Self {
        Self { roster: all(), here: here.to_vec(), config: "{}", vars: vec![] }
    }

    fn config(mut self, config: &'static str) -> Self {
        self.config = config;
        self
    }

    fn var(mut self, name: &'static str, value: &'static str) -> Self {
        self.vars.push((name, value));
        self
    }

    fn select(&self, change: impl FnOnce(&mut Request)) -> Selection {
        let vars = self.vars.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let env = Env::from_parts(vars, "/".into(), "/gsd".into());
        let file = SourceFile::new("config.json", self.config);
        let mut texts = vec![(Layer::Project, file)];
        texts.extend(crate::config::of_environment(&env));
        let (config, _) = Config::read(texts);
        let reviewers = Reviewers::read(&config, &self.roster.descriptors());
        let mut request = Request {
            named: vec![],
            all: false,
            exclude: vec![],
            missing: Missing::Error,
            itself: itself(&env),
        };
        change(&mut request);
        // Only what must be probed is probed, so that a test fails if too little is asked for.
        let detected = to_probe(&request, &reviewers, &self.roster)
            .into_iter()
            .map(|slug| {
                let here = self.here.contains(&slug.as_str());
                (slug, if here { Ok(()) } else { Err(absent()) })
            })
            .collect();
        select(&request, &reviewers, &self.roster, &detected)
    }
}

fn names(selection: &Selection) -> String {
    selection.selected.iter().map(|i| i.name.as_str()).collect::<Vec<_>>().join(" ")
}

fn kinds(remarks: &[Remark]) -> Vec<(&str, RemarkKind)> {
    remarks.iter().map(|remark| (remark.subject.as_str(), remark.kind)).collect()
}

fn named(names: &'static [&'static str]) -> impl FnOnce(&mut Request) {
    move |request| request.named = names.iter().map(|name| (*name).to_owned()).collect()
}

use RemarkKind as K;
use SelectionSource as S;

const DEFAULTS: &str = r#"{"review": {"default_reviewers": ["codex", "gemini"]}}"#;

#[test]
fn the_first_source_decides_alone() {
    let world = World::new(&["claude", "codex", "plan-lint"]).config(DEFAULTS);
    let both = world.select(|request| {
        request.named = vec!["CLAUDE".into()];
        request.all = true;
    });
    assert_eq!((both.source, names(&both).as_str()), (S::ExplicitFlags, "claude"));
    let all = world.select(|request| request.all = true);
    assert_eq!((all.source, names(&all).as_str()), (S::AllFlag, "claude codex plan-lint"));
    let defaults = world.select(|_| {});
    assert_eq!((defaults.source, names(&defaults).as_str()), (S::ConfigDefault, "codex"));
    assert_eq!(kinds(&defaults.infos), [("gemini", K::NotHere)]);
    let detected = World::new(&["codex", "plan-lint"]).select(|_| {});
    assert_eq!(
        (detected.source, names(&detected).as_str()),
        (S::NoConfigAllDetected, "codex plan-lint")
    );
    assert!(detected.errors.is_empty() && detected.infos.is_empty());
}

#[test]
fn a_named_lane_that_is_not_here_is_an_error() {
    let world = World::new(&["codex"]);
    let part = world.select(named(&["qwen", "codex", "gemini", "qwen"]));
    assert_eq!(names(&part), "codex");
    assert_eq!(kinds(&part.errors), [("gemini", K::NotHere), ("qwen", K::NotHere)]);
    assert!(part.errors[0].message.contains("`x` was not found"));
    let only = world.select(|request| {
        request.named = vec!["qwen".into(), "codex".into()];
        request.missing = Missing::Note;
    });
    assert_eq!((kinds(&only.errors), kinds(&only.infos)), (vec![], vec![("qwen", K::NotHere)]));
    let none = world.select(|request| {
        request.named = vec!["qwen".into()];
        request.missing = Missing::Note;
    });
    assert_eq!(kinds(&none.errors), [("", K::NothingLeft)]);
}

#[test]
fn all_is_what_is_here_and_never_an_error() {
    let none = World::new(&[]).select(|request| request.all = true);
    assert_eq!((names(&none).as_str(), none.errors.len(), none.infos.len()), ("", 0, 0));
}

#[test]
fn unknown_names_are_suggested() {
    let world = World::new(&["codex"]);
    let typo = world.select(named(&["codx"]));
    assert_eq!(kinds(&typo.errors), [("codx", K::Unknown)]);
    assert_eq!(typo.errors[0].help.as_deref(), Some("did you mean `codex`?"));
    let exclude = world.select(|request| request.exclude = vec!["claud".into()]);
    assert_eq!(kinds(&exclude.errors), [("claud", K::Unknown)]);
}

#[test]
fn malformed_defaults_are_reported_whoever_decides() {
    for (config, errors) in [
        (r#"{"review": {"default_reviewers": []}}"#, 1),
        (r#"{"review": {"default_reviewers": "codex"}}"#, 1),
        (r#"{"review": {"default_reviewers": [1, "Codex", "bad/slug", "codex"]}}"#, 2),
        (r#"{"review": {"default_reviewers": null}}"#, 0),
    ] {
        let config: &'static str = config;
        let world = World::new(&["codex", "plan-lint"]).config(config);
        for change in [
            (|_: &mut Request| {}) as fn(&mut Request),
            |request| request.named = vec!["codex".into()],
            |request| request.all = true,
        ] {
            let selection = world.select(change);
            let settings = selection.errors.iter().filter(|e| e.kind == K::Setting).count();
            assert_eq!(settings, errors, "{config}");
            assert!(selection.selected.iter().any(|i| i.name == "codex") || errors == 1);
        }
    }
}

#[test]
fn a_stray_default_is_a_warning_without_instances_and_an_error_with_them() {
    let stray = World::new(&["codex"])
        .config(r#"{"review": {"default_reviewers": ["codex", "nope", "constructor"]}}"#)
        .select(|_| {});
    assert_eq!(kinds(&stray.warnings), [("nope", K::Unknown), ("constructor", K::Unknown)]);
    assert!(stray.errors.is_empty());
    let with = World::new(&["codex"])
        .config(
            r#"{"review": {"default_reviewers": ["codex", "nope"],
                "reviewer_instances": {"deep": {"cli": "codex", "model": "o3"}}}}"#,
        )
        .select(|_| {});
    assert_eq!(kinds(&with.errors), [("nope", K::Unknown)]);
    let all_away = World::new(&[]).config(DEFAULTS).select(|_| {});
    assert_eq!(kinds(&all_away.errors), [("", K::NothingLeft)]);
    assert_eq!(all_away.infos.len(), 2);
}

#[test]
fn instances_are_selected_by_their_names() {
    let config = r#"{"review": {
        "default_reviewers": ["deep", "codex", "fast", "planner"],
        "reviewer_instances": {
            "deep": {"cli": "codex", "model": "o3"},
            "fast": {"cli": "Codex", "model": "mini", "agent": null},
            "planner": {"cli": "opencode", "agent": "architect"},
            "codex": {"cli": "claude"},
            "A B": {"cli": "claude"},
            "under_score": {"cli": "claude"},
            "no-model": {"cli": "cursor", "model": "gpt-5"},
            "no-agent": {"cli": "codex", "agent": "x"},
            "no-cli": {"model": "x"},
            "lost": {"cli": "nope"}
        }}}"#;
    let selection = World::new(&["codex", "claude"]).config(config).select(|_| {});
    assert_eq!(names(&selection), "codex deep fast");
    assert_eq!(kinds(&selection.infos), [("planner", K::NotHere)]);
    assert_eq!(selection.errors.len(), 7);
    assert!(selection.shared_adapter);
    let fast = &selection.selected[2];
    assert_eq!((fast.kind, fast.lane.as_str()), (IdentityKind::Instance, "codex"));
    assert_eq!(fast.model.as_deref(), Some("mini"));
    let plain = World::new(&["codex", "claude"]).config(config).select(named(&["deep"]));
    assert_eq!(names(&plain), "deep");
    // A sound one is asked although others are not: they are told of, and stop nobody.
    assert_eq!((plain.errors.len(), plain.warnings.len()), (0, 7));
    let lost = World::new(&["codex", "claude"]).config(config).select(named(&["lost"]));
    assert_eq!(kinds(&lost.errors), [("lost", K::Unknown)]);
    let told = lost.warnings.iter().find(|told| told.message.contains("`lost`"));
    let help = told.and_then(|told| told.help.as_deref()).unwrap_or_default();
    assert!(help.contains("gsd config unset review.reviewer_instances.lost"), "{help}");
    assert!(!plain.shared_adapter && plain.selected[0].named);
}

#[test]
fn the_host_does_not_review_itself_unless_it_is_named() {
    let world = World::new(&["claude", "codex", "plan-lint"]).var("CLAUDE_CODE_ENTRYPOINT", "cli");
    let rest = world.select(|_| {});
    assert_eq!(names(&rest), "codex plan-lint");
    assert_eq!(kinds(&rest.infos), [("claude", K::Itself)]);
    assert!(rest.not_selected.contains(&("claude".into(), Why::Itself)));
    let named = world.select(named(&["claude"]));
    assert_eq!(names(&named), "claude");
    assert!(!named.selected[0].independent && named.errors.is_empty());
    let alone = World::new(&["claude", "plan-lint"]).var("CLAUDE_CODE_ENTRYPOINT", "cli");
    assert!(alone.select(|_| {}).errors.is_empty(), "plan-lint is another voice");
    let only = alone.select(|request| request.exclude = vec!["plan-lint".into()]);
    assert_eq!(kinds(&only.errors), [("", K::NothingLeft)]);
    let antigravity = World::new(&["claude"])
        .var("CLAUDE_CODE_ENTRYPOINT", "cli")
        .var("ANTIGRAVITY_AGENT", "1")
        .select(|_| {});
    assert_eq!(names(&antigravity), "claude");
}

#[test]
fn exclude_acts_last_and_plan_lint_is_in_by_default_only() {
    let world = World::new(&["claude", "codex", "plan-lint"]);
    let less = world.select(|request| request.exclude = vec!["Codex".into()]);
    assert_eq!(names(&less), "claude plan-lint");
    let both = world.select(|request| {
        request.named = vec!["codex".into(), "claude".into()];
        request.exclude = vec!["codex".into()];
    });
    assert_eq!((names(&both).as_str(), both.errors.len()), ("claude", 0));
    assert!(both.not_selected.contains(&("codex".into(), Why::Excluded)));
    assert!(both.not_selected.contains(&("plan-lint".into(), Why::NotAsked)));
    let nothing = world.select(|request| {
        request.named = vec!["codex".into()];
        request.exclude = vec!["codex".into()];
    });
    assert_eq!(kinds(&nothing.errors), [("", K::NothingLeft)]);
}

#[test]
fn an_installed_lane_is_a_lane() {
    let mut world =
        World::new(&["acme", "plan-lint"]).config(r#"{"review": {"default_reviewers": ["acme"]}}"#);
    let lanes = first_party().into_iter().chain([overlay("codex", "acme-review", "acme")]);
    world.roster = Roster::of(lanes).0;
    assert_eq!(names(&world.select(|_| {})), "acme");
    assert_eq!(names(&world.select(named(&["acme"]))), "acme");
    assert_eq!(names(&world.select(|request| request.all = true)), "plan-lint acme");
}

#[test]
fn a_variable_replaces_the_defaults_for_one_run() {
    let world =
        World::new(&["claude", "codex"]).config(DEFAULTS).var("GSD_DEFAULT_REVIEWERS", "claude, ");
    let selection = world.select(|_| {});
    assert_eq!((selection.source, names(&selection).as_str()), (S::ConfigDefault, "claude"));
}
