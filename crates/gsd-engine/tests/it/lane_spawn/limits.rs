//! Limits of parts of a call, and the one further call of a lane that is rate limited.

use super::{Bench, end, said};
use gsd_engine::config::Layer;
use gsd_engine::lane::settings::{Source, Sourced};
use gsd_engine::lane::{During, Reason, State};
use std::time::Duration;

fn setting(key: &str, limit: Duration) -> Option<Sourced<Duration>> {
    let source = Source::Setting { key: key.to_owned(), layer: Layer::Project };
    Some(Sourced::new(limit, source))
}

const SHORT: Duration = Duration::from_millis(200);

#[test]
fn output_that_does_not_grow_is_a_stall() {
    let mut bench = Bench::script("cat > /dev/null; echo 'half a review'; sleep 60");
    bench.settings.phases.idle = setting("review.idle_timeouts.acme", SHORT);
    let report = bench.call();
    assert_eq!(end(&report), (State::TimedOut, Some(Reason::TimeLimit)));
    assert_eq!(report.during, Some(During::Idle));
    assert_eq!(report.text, "half a review\n", "what came is kept");
    let told = "wrote nothing more for 0 s (limit from `review.idle_timeouts.acme` (project))";
    assert_eq!(said(&report), told);
    assert_eq!(report.remedy.as_deref(), Some("raise `review.idle_timeouts.acme` (seconds)"));
}

#[test]
fn output_that_grows_slowly_is_no_stall() {
    // Each line comes well within the window, all of them together do not.
    let script = "cat > /dev/null; for n in 1 2 3 4 5 6; do echo line; sleep 0.1; done";
    let mut bench = Bench::script(script);
    bench.settings.phases.idle = setting("review.idle_timeout", Duration::from_secs(20));
    bench.settings.phases.first_byte =
        setting("review.first_byte_timeout", Duration::from_secs(20));
    assert_eq!(end(&bench.call()), (State::Reviewed, None));
}

#[test]
fn a_first_word_that_does_not_come() {
    let mut bench = Bench::script("cat > /dev/null; sleep 60; echo late");
    bench.settings.phases.first_byte = setting("review.first_byte_timeout", SHORT);
    let report = bench.call();
    assert_eq!(end(&report), (State::TimedOut, Some(Reason::TimeLimit)));
    assert_eq!(report.during, Some(During::FirstByte));
    assert!(said(&report).contains("`review.first_byte_timeout` (project)"), "{}", said(&report));
}

/// A program that is turned away `times` times, with these words, and counts its calls.
fn limited(times: u32, words: &str) -> Bench {
    Bench::script(&format!(
        "cat > /dev/null; echo call >> \"$GSD_REVIEW_RUN_DIR/calls\"\n\
         if [ $(wc -l < \"$GSD_REVIEW_RUN_DIR/calls\") -le {times} ]; then\n\
           echo '{words}' >&2; exit 1\n\
         fi\n\
         echo '# Review'"
    ))
}

fn calls(bench: &Bench) -> usize {
    std::fs::read_to_string(bench.lane_dir().join("calls")).unwrap().lines().count()
}

#[test]
fn a_rate_limited_program_is_asked_once_more() {
    let bench = limited(1, "429: rate limit exceeded");
    let report = bench.call();
    assert_eq!(end(&report), (State::Reviewed, None), "{report:?}");
    assert_eq!((report.text.as_str(), calls(&bench)), ("# Review\n", 2));
    assert_eq!(report.warnings, ["it was rate limited and asked once more after 0.0 s"]);

    let bench = limited(2, "429: rate limit exceeded");
    assert_eq!(end(&bench.call()), (State::Failed, Some(Reason::RateLimited)));
    assert_eq!(calls(&bench), 2, "once more, and no more");

    let bench = limited(1, "usage limit reached");
    assert_eq!(end(&bench.call()), (State::Failed, Some(Reason::Quota)));
    assert_eq!(calls(&bench), 1, "a quota does not come back in a moment");
}

#[test]
fn a_wait_beyond_the_limit_is_not_waited_for() {
    let bench = limited(1, "rate limit exceeded, try again in 10m");
    assert_eq!(end(&bench.call()), (State::Failed, Some(Reason::RateLimited)));
    assert_eq!(calls(&bench), 1);
    // What the program says holds, not the usual pause.
    let mut bench = limited(1, "rate limit exceeded, retry after 0 seconds");
    bench.settings.retry_pause = Some(Duration::from_secs(3600));
    assert_eq!(end(&bench.call()), (State::Reviewed, None));
}

#[test]
fn too_little_time_for_a_second_call_does_not_hide_the_first() {
    let mut bench = Bench::script(
        "cat > /dev/null; [ -e \"$GSD_REVIEW_RUN_DIR/asked\" ] && sleep 60\n\
         touch \"$GSD_REVIEW_RUN_DIR/asked\"; echo 'rate limit exceeded' >&2; exit 1",
    );
    // The first call ends well before; the second one never does.
    bench.limit = Duration::from_secs(2);
    let report = bench.call();
    assert_eq!(end(&report), (State::Failed, Some(Reason::RateLimited)), "{report:?}");
    assert!(report.warnings[0].ends_with("with too little time left"), "{report:?}");
    assert!(report.elapsed >= bench.limit);
}
