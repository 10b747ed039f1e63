use super::*;
use crate::diag::SourceFile;
use crate::lane::roster::tests::all;

fn read_for(slug: &str, user: &str, project: &str) -> (LaneSettings, Vec<String>) {
    let (config, _) = Config::read(vec![
        (Layer::User, SourceFile::new("defaults.json", user)),
        (Layer::Project, SourceFile::new("config.json", project)),
    ]);
    let roster = all();
    let lane = roster.by_slug(slug).expect("a lane");
    let mut found = vec![];
    let settings = read(&config, &lane.descriptor, &Overrides::default(), &mut found);
    (settings, found.into_iter().map(|d| format!("{}: {}", d.rule.code, d.message)).collect())
}

fn model(slug: &str, project: &str) -> Option<String> {
    read_for(slug, "{}", project).0.model.map(|model| model.value)
}

#[test]
fn a_lane_reads_the_key_that_it_declares() {
    let config = r#"{"review": {"models": {"agy": "a", "antigravity": "b", "cursor": "c"}}}"#;
    assert_eq!(model("antigravity", config).as_deref(), Some("a"));
    let (_, found) = read_for("antigravity", "{}", config);
    assert_eq!(found, ["lane/setting-without-effect: `review.models.antigravity` has no effect"]);
    let (settings, found) = read_for("cursor", "{}", config);
    assert_eq!(settings.model, None);
    assert_eq!(found, ["lane/setting-without-effect: `review.models.cursor` has no effect"]);
    for unset in [r#""""#, r#"" ""#, r#""null""#, r#""undefined""#, "null", "7"] {
        let config = format!(r#"{{"review": {{"models": {{"codex": {unset}}}}}}}"#);
        assert_eq!(model("codex", &config), None, "{unset}");
    }
}

#[test]
fn efforts_fall_back_to_the_general_one() {
    let effort = |project: &str| {
        let (settings, found) = read_for("codex", "{}", project);
        (settings.effort.map(|effort| effort.value.word()), found.len())
    };
    assert_eq!(effort("{}"), (None, 0));
    assert_eq!(effort(r#"{"effort": {"default": "high"}}"#), (Some("high"), 0));
    assert_eq!(
        effort(r#"{"effort": {"default": "high"}, "review": {"effort": "max"}}"#),
        (Some("max"), 0)
    );
    let both = r#"{"review": {"effort": "max", "efforts": {"codex": "low"}}}"#;
    assert_eq!(effort(both), (Some("low"), 0));
    let inherit = r#"{"review": {"effort": "max", "efforts": {"codex": "inherit"}}}"#;
    assert_eq!(effort(inherit), (None, 0));
    assert_eq!(effort(r#"{"review": {"efforts": {"codex": "ultra"}}}"#), (None, 1));
}

#[test]
fn limits_are_seconds() {
    let limit = |value: &str| {
        let config = format!(r#"{{"review": {{"timeouts": {{"codex": {value}}}}}}}"#);
        let (settings, found) = read_for("codex", "{}", &config);
        (settings.time_limit.map(|limit| limit.value.as_millis()), found.len())
    };
    assert_eq!(limit("90"), (Some(90_000), 0));
    assert_eq!(limit("0.5"), (Some(500), 0));
    assert_eq!(limit("-1"), (None, 0));
    assert_eq!(limit("0"), (None, 1));
    assert_eq!(limit("-7"), (None, 1));
    assert_eq!(limit("1e300"), (None, 1));
    assert_eq!(limit("\"90\""), (None, 1));
}

#[test]
fn budgets_of_one_lane_and_of_all() {
    let budget = |slug: &str, own: &str, global: &str| {
        let config = format!(
            r#"{{"review": {{"max_prompt_tokens": {global},
                "max_prompt_tokens_per_reviewer": {{"ollama": {own}}}}}}}"#
        );
        let (settings, found) = read_for(slug, "{}", &config);
        (settings.budget.map(NonZeroU64::get), found.len())
    };
    assert_eq!(budget("ollama", "-1", "8000"), (Some(8000), 0));
    assert_eq!(budget("ollama", "0", "8000"), (None, 0));
    assert_eq!(budget("ollama", "500", "8000"), (Some(500), 0));
    assert_eq!(budget("codex", "500", "8000"), (Some(8000), 0), "a lane without a key obeys too");
    for wrong in ["-5", "\"500\"", "1.5"] {
        assert_eq!(budget("ollama", wrong, "-1"), (None, 1), "{wrong}");
    }
}

#[test]
fn what_only_the_user_may_say() {
    let both = r#"{"review": {"env": {"codex": ["A", "B C"]}, "api_key_env": {"ollama": "KEY"}}}"#;
    let (codex, found) = read_for("codex", both, "{}");
    assert_eq!(codex.env.iter().map(EnvName::as_str).collect::<Vec<_>>(), ["A"]);
    assert_eq!(found.len(), 1);
    assert!(read_for("ollama", both, "{}").0.api_key_env.is_some());
    let (codex, _) = read_for("codex", "{}", both);
    assert_eq!(codex.env, []);
    assert_eq!(read_for("ollama", "{}", both).0.api_key_env, None);
    let secret = r#"{"review": {"api_key_env": {"ollama": "sk-not-a-key"}}}"#;
    let (settings, found) = read_for("ollama", secret, "{}");
    assert_eq!(settings.api_key_env, None);
    assert!(!found[0].contains("sk-not"), "the value may be the key itself");
}

#[test]
fn an_address_that_is_none_leaves_the_lane_its_own() {
    let host = |value: &str| {
        let config = format!(r#"{{"review": {{"ollama_host": {value}}}}}"#);
        let (settings, found) = read_for("ollama", "{}", &config);
        (settings.host.map(|host| host.value), found.len())
    };
    for unset in [r#""""#, r#""  ""#, r#""null""#, r#""undefined""#, "null"] {
        assert_eq!(host(unset), (None, 0), "{unset}");
    }
    for wrong in ["0", "{}", "[\"http://localhost\"]"] {
        assert_eq!(host(wrong), (None, 1), "{wrong}");
    }
    assert_eq!(host(r#"" http://localhost:1 ""#), (Some("http://localhost:1".to_owned()), 0));
}

#[test]
fn an_effort_that_does_nothing_is_told_where_it_is_meant_for_this_lane() {
    let (settings, found) =
        read_for("gemini", "{}", r#"{"review": {"efforts": {"gemini": "high"}}}"#);
    assert_eq!(settings.effort, None);
    assert_eq!(found, ["lane/setting-without-effect: `review.efforts.gemini` has no effect"]);
    let (_, found) = read_for("gemini", "{}", r#"{"review": {"effort": "high"}}"#);
    assert!(found.is_empty(), "the one of all lanes is not meant for this one: {found:?}");
}

#[test]
fn limits_of_parts_of_one_lane_and_of_all() {
    let config = r#"{"review": {
        "idle_timeout": 300, "idle_timeouts": {"codex": 30, "claude": -1},
        "first_byte_timeout": "soon", "probe_timeouts": {"codex": 0}, "retry_pause": 0}}"#;
    let idle = |slug: &str| {
        let idle = read_for(slug, "{}", config).0.phases.idle.expect("a limit");
        (idle.value.as_secs(), idle.source.to_string())
    };
    assert_eq!(idle("codex"), (30, "`review.idle_timeouts.codex` (project)".to_owned()));
    assert_eq!(idle("claude"), (300, "`review.idle_timeout` (project)".to_owned()));
    let (codex, found) = read_for("codex", "{}", config);
    assert_eq!((codex.phases.first_byte, codex.phases.probe), (None, None));
    assert_eq!(codex.retry_pause, Some(Duration::ZERO));
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn an_instance_stands_above_the_settings_of_its_lane() {
    let config = r#"{"review": {
        "models": {"codex": "usual"}, "effort": "low", "timeouts": {"codex": 900},
        "idle_timeout": 300, "max_prompt_tokens": 8000,
        "reviewer_instances": {
            "deep": {"cli": "codex", "model": "m", "effort": "max", "timeout": 60,
                     "idle_timeout": 7, "max_prompt_tokens": 0},
            "plain": {"cli": "codex", "timeout": -1, "effort": "inherit"}
        }}}"#;
    let (config, _) = Config::read(vec![(Layer::Project, SourceFile::new("c", config))]);
    let roster = all();
    let reviewers = Reviewers::read(&config, &roster.descriptors());
    assert_eq!(reviewers.found, []);
    let lane = roster.by_slug("codex").expect("a lane");
    let settings = |name: &str| {
        let overrides = Overrides::of(&reviewers.instances[name]);
        read(&config, &lane.descriptor, &overrides, &mut vec![])
    };
    let deep = settings("deep");
    let source = Source::Instance("deep".to_owned());
    assert_eq!(deep.model, Some(Sourced::new("m".to_owned(), source.clone())));
    assert_eq!(deep.effort, Some(Sourced::new(EffortLevel::Max, source.clone())));
    assert_eq!(deep.time_limit, Some(Sourced::new(Duration::from_secs(60), source.clone())));
    assert_eq!(deep.phases.idle, Some(Sourced::new(Duration::from_secs(7), source)));
    assert_eq!(deep.budget, None, "0 never trims");
    let plain = settings("plain");
    assert_eq!(plain.model.map(|model| model.value).as_deref(), Some("usual"));
    assert_eq!(plain.effort.map(|effort| effort.value), Some(EffortLevel::Low));
    assert_eq!(plain.time_limit.map(|limit| limit.value.as_secs()), Some(900));
    assert_eq!(plain.budget.map(NonZeroU64::get), Some(8000));
}
