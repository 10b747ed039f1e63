//! The server of an installed capability: asked only as it was approved, whatever its settings say
//! later.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::id::CapabilityId;
use gsd_engine::lane::confinement::Confinement;
use gsd_engine::lane::egress::{Approval, Endpoint, Holds, Hosts};
use gsd_engine::lane::handler::openai_compatible::models::Models;
use gsd_engine::lane::roster::first_party;
use gsd_engine::lane::settings::{Source, Sourced};
use gsd_engine::lane::{
    self, CallContext, Lane, LanePlan, LaneReport, LaneSettings, Origin, Ready, Reason, RunPaths,
    State, probe_lane,
};
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::http::Destination;
use gsd_testkit::model_server::ModelServer;
use std::time::Duration;

const CHAT: &str = "/v1/chat/completions";

/// A home, and a lane whose capability has another id than its slug.
struct World {
    _folder: tempfile::TempDir,
    env: Env,
    root: Utf8PathBuf,
    lane: Lane,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        let (home, root) = (path.join("home"), path.join("project"));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(root.join(".planning")).unwrap();
        let vars = [("HOME".to_owned(), home.to_string())];
        let env = Env::from_parts(vars, root.clone(), "/gsd".into());
        let like = first_party().into_iter().find(|lane| lane.slug().as_str() == "llama_cpp");
        let capability = CapabilityId::parse("acme-reviewer").unwrap();
        let lane = Lane { capability, origin: Origin::Overlay, ..like.unwrap() };
        Self { _folder: folder, env, root, lane }
    }

    fn plan(&self, host: &str) -> LanePlan {
        let host = Some(Sourced::new(host.to_owned(), Source::Flag("--test")));
        let settings = LaneSettings { host, ..LaneSettings::default() };
        let paths = RunPaths {
            root: self.root.clone(),
            run_dir: self.root.join("run"),
            prompt: self.root.join("run/prompt.md"),
            confinement: Confinement::None,
        };
        lane::plan(&self.lane, "acme", &settings, &paths).unwrap()
    }

    fn probe(&self, host: &str) -> Result<Ready, Box<LaneReport>> {
        probe_lane(&self.plan(host), &self.env, &self.root, &Cancel::new())
    }

    /// A call as if a probe had gone well.
    fn call(&self, host: &str) -> LaneReport {
        let cancel = Cancel::new();
        let context = CallContext {
            env: &self.env,
            root: &self.root,
            project: &self.root,
            phase_dir: Utf8Path::new("/nowhere"),
            cancel: &cancel,
            limit: Duration::from_secs(60),
        };
        let models = Models::read(br#"{"data":[{"id":"m1"}]}"#);
        let ready = Ready::Server { origin: host.to_owned(), models };
        lane::call(&self.plan(host), &ready, "the plan", &context, &|_| {})
    }

    fn approve(&self, capability: &str, host: &str) {
        let endpoint = Endpoint::of(&Destination::parse(host).unwrap(), CHAT).unwrap();
        let approval = Approval {
            capability: CapabilityId::parse(capability).unwrap(),
            endpoint,
            holds: Holds::InProject(self.root.clone()),
            approved_at: "2026-01-01T00:00:00Z".to_owned(),
        };
        let hosts = Hosts::of_user(&self.env).unwrap();
        hosts.approve(&approval, &self.root, &Cancel::new()).unwrap();
    }

    fn revoke(&self) {
        let hosts = Hosts::of_user(&self.env).unwrap();
        assert_eq!(hosts.revoke(&self.lane.capability, &Cancel::new()).unwrap().len(), 1);
    }
}

fn facts(report: &LaneReport) -> (State, Option<Reason>) {
    (report.state, report.reason)
}

#[test]
fn the_approval_is_looked_up_by_the_capability_not_by_the_slug() {
    let (server, other) = (ModelServer::preset(), ModelServer::preset());
    let world = World::new();
    let blocked = |host: &str, reason| {
        let probed = world.probe(host).unwrap_err();
        assert_eq!(facts(&probed), (State::Blocked, Some(reason)), "{host}");
        let called = world.call(host);
        assert_eq!(facts(&called), (State::Blocked, Some(reason)), "{host}");
    };
    // Nobody agreed to a port of this machine either.
    blocked(&server.url(), Reason::NotConsented);
    world.approve("acme", &server.url());
    world.approve("llama-cpp", &server.url());
    blocked(&server.url(), Reason::NotConsented);
    assert_eq!(server.connections(), 0);

    world.approve("acme-reviewer", &server.url());
    assert!(world.probe(&server.url()).is_ok());
    assert_eq!(world.call(&server.url()).state, State::Reviewed);
    for same in [
        format!("HTTP://127.0.0.1:{}/", server.port()),
        format!("http://127.0.0.1:{}/v1", server.port()),
        format!("http://127.1:{}", server.port()),
    ] {
        assert_eq!(world.call(&same).state, State::Reviewed, "{same}");
    }
    let asked = server.requests().len();
    for moved in [
        other.url(),
        format!("{}/other", server.url()),
        server.url_at("localhost"),
        format!("https://127.0.0.1:{}", server.port()),
    ] {
        blocked(&moved, Reason::HostChanged);
    }
    assert_eq!((server.requests().len(), other.connections()), (asked, 0));
}

#[test]
fn an_approval_that_is_taken_back_counts_no_more_at_the_request() {
    let server = ModelServer::preset();
    let world = World::new();
    world.approve("acme-reviewer", &server.url());
    assert!(world.probe(&server.url()).is_ok());
    let before = server.requests().len();
    world.revoke();
    let report = world.call(&server.url());
    assert_eq!(facts(&report), (State::Blocked, Some(Reason::NotConsented)));
    assert_eq!(server.requests().len(), before);
}
