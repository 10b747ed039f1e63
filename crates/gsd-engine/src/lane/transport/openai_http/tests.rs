use super::*;
use crate::lane::State;
use crate::lane::confinement::Confinement;
use crate::lane::plan::CallPlan;
use crate::lane::roster::tests::all;
use crate::lane::settings::{Source, Sourced};
use crate::lane::{LaneSettings, RunPaths, plan};
use gsd_testkit::model_server::{ModelServer, REVIEW};

#[test]
fn a_lane_of_ours_is_called_as_it_is_planned() {
    let server = ModelServer::preset();
    let roster = all();
    let paths = RunPaths {
        root: "/project".into(),
        run_dir: "/run".into(),
        prompt: "/run/gsd-review-prompt.md".into(),
        confinement: Confinement::None,
    };
    for slug in ["ollama", "lm_studio", "llama_cpp"] {
        let lane = roster.by_slug(slug).expect("a lane");
        let host = Some(Sourced::new(format!("{}/v1/", server.url()), Source::Flag("--test")));
        let settings = LaneSettings { host, ..LaneSettings::default() };
        let plan = plan(lane, slug, &settings, &paths).expect("a plan");
        let CallPlan::OpenaiHttp(http) = &plan.call else { panic!("{slug} asks no server") };
        let access = Access::this_machine();
        let call_ = HttpCall::of(&plan, http, access);
        assert_eq!(call_.names.model_key, Some(format!("review.models.{slug}")));
        assert_eq!(call_.names.limit_key, Some(format!("review.timeouts.{slug}")));
        let limits = CallLimits::of(&plan);
        assert_eq!(limits.probe, Duration::from_secs(2));
        assert_eq!(limits.total, Duration::from_secs(120));
        let report = call(&call_, None, "the plan", &limits, &Cancel::new(), &mut |_| {});
        assert_eq!((report.state, report.text.as_str()), (State::Reviewed, REVIEW.trim()));
        assert_eq!(report.model_requested.as_deref(), Some("m1"));
        assert_eq!(report.model_source.as_deref(), Some("the server's list of models"));
    }
    let asked: Vec<String> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(asked, ["/v1/models", "/v1/chat/completions"].repeat(3));
}
