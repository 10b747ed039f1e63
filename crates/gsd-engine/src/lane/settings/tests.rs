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
