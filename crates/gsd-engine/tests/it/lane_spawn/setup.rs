//! Steps before a review.

use super::*;

/// A tool that needs a session: `start` prints its id, the review must name it.
const SESSION: &str = "case $1 in\n\
     start) echo \"started\"; echo \"session: s-$2 ok\";;\n\
     load) echo \"$2\" >> \"$HOME/loaded\";;\n\
     *) cat > /dev/null; echo \"# Review in $2 of $(cat \"$HOME/loaded\")\";;\nesac";

fn session(script: &str) -> Bench {
    Bench::script(script)
        .set(
            "/setup",
            json!([
                { "args": ["start", "7"], "capture": { "name": "session", "after": "session: " } },
                ["load", "{{captured:session}}"],
            ]),
        )
        .set("/invoke/args", json!(["review", "{{captured:session}}", "-"]))
}

#[test]
fn a_value_of_a_step_reaches_later_steps_and_the_review() {
    let bench = session(SESSION);
    let report = bench.call();
    assert_eq!(end(&report), (State::Reviewed, None), "{report:?}");
    assert_eq!(report.text, "# Review in s-7 of s-7\n");
    // What a plan shows cannot know the value yet.
    let CallPlan::Spawn(spawn) = bench.plan().call else { panic!("a program") };
    assert_eq!(spawn.argv("the prompt"), ["review", "<session>", "-"]);
}

#[test]
fn without_its_value_the_review_is_not_begun() {
    for (answer, why) in [("echo started", "no value"), ("echo session: --yolo", "an option")] {
        let script =
            format!("[ \"$1\" = start ] && {{ {answer}; exit 0; }}; touch \"$HOME/begun\"");
        let bench = session(&script);
        let report = bench.call();
        assert_eq!(end(&report), (State::Failed, Some(Reason::OutputMissing)), "{why}");
        assert_eq!(report.during, Some(During::Setup));
        assert!(said(&report).contains("`session`"), "{}", said(&report));
        assert!(!bench.world.home().join("begun").exists(), "{why}");
    }
}

#[test]
fn a_step_that_hangs_is_ended_by_its_own_limit_and_nothing_is_left() {
    let bench = Bench::script("sleep 600 & echo $! > \"$HOME/pid\"; wait")
        .set("/setup", json!([{ "args": ["start"], "timeoutMs": 300 }]));
    let report = bench.call();
    assert_eq!(end(&report), (State::TimedOut, Some(Reason::TimeLimit)));
    assert_eq!(report.during, Some(During::Setup));
    assert!(report.elapsed < bench.limit);
    let pid = std::fs::read_to_string(bench.world.home().join("pid")).unwrap();
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "its child still runs");
}

#[test]
fn a_step_gets_the_environment_of_the_review_and_no_other() {
    let bench = Bench::script("env >> \"$HOME/env\"; cat > /dev/null; echo fine")
        .set("/setup", json!([["start"]]))
        .var("ACME_KEY", "its-own");
    assert_eq!(end(&bench.call()), (State::Reviewed, None));
    let env = std::fs::read_to_string(bench.world.home().join("env")).unwrap();
    assert_eq!(env.matches("ACME_KEY=its-own").count(), 2);
    assert!(!env.contains("OTHER_API_KEY") && !env.contains("CLAUDECODE"), "{env}");
}
