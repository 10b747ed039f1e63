//! Lanes that are programs: real processes, from the probe to the report.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_engine::diag::SourceFile;
use gsd_engine::id::CapabilityId;
use gsd_engine::json::{Dialect, Pointer, Sink, parse};
use gsd_engine::lane::confinement::Confinement;
use gsd_engine::lane::descriptor::{self, rules::UNKNOWN_WORD};
use gsd_engine::lane::{
    self, CallContext, CallPlan, Delivery, During, Lane, LanePlan, LaneReport, LaneSettings,
    Origin, Ready, Reason, RunPaths, State,
};
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_testkit::project::World;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

mod handlers;
mod limits;
mod setup;

const PROMPT: &str = "Review the plan.\nThe server may answer 429 Too Many Requests.\n";

/// One lane, `acme`, in a world of its own.
struct Bench {
    world: World,
    body: Value,
    vars: Vec<(&'static str, String)>,
    prompt: String,
    limit: Duration,
    settings: LaneSettings,
}

impl Bench {
    fn new() -> Self {
        let world = World::new();
        std::fs::create_dir(world.tmp().join("run")).unwrap();
        Self {
            world,
            body: json!({
                "slug": "acme", "flags": ["--acme"], "transport": "spawn",
                "probe": {"kind": "command-exists", "binary": "acme"},
                "invoke": {
                    "binary": "acme", "args": ["-"], "promptChannel": "stdin",
                    "outputChannel": "stdout", "modelArg": null, "effortChannel": "none"
                },
                "timeoutFloorMs": 20000, "timeoutConfigKey": "review.timeouts.acme",
                "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme",
                "evidenceClass": "source-grounded", "requiresBinaries": [],
                "promptBudgetKey": null, "handler": null, "env": ["ACME_KEY"]
            }),
            vars: vec![],
            prompt: PROMPT.to_owned(),
            limit: Duration::from_secs(20),
            // Whoever is asked again is asked at once.
            settings: LaneSettings { retry_pause: Some(Duration::ZERO), ..Default::default() },
        }
    }

    /// A bench whose program is this shell script.
    fn script(script: &str) -> Self {
        let bench = Self::new();
        bench.world.program("acme", script);
        bench
    }

    fn set(mut self, pointer: &str, value: Value) -> Self {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        self.body.pointer_mut(parent).unwrap()[key] = value;
        self
    }

    fn file_arg(self) -> Self {
        self.set("/invoke/outputChannel", json!("file-arg"))
            .set("/invoke/outputArg", json!("-o"))
            .set("/invoke/args", json!(["{{output}}", "-"]))
    }

    fn var(mut self, name: &'static str, value: &str) -> Self {
        self.vars.push((name, value.to_owned()));
        self
    }

    fn run_dir(&self) -> Utf8PathBuf {
        self.world.tmp().join("run")
    }

    /// What the program may write to.
    fn lane_dir(&self) -> Utf8PathBuf {
        self.run_dir().join("gsd-review-acme")
    }

    fn env(&self) -> Env {
        let base = [
            ("PATH", format!("{}:/usr/bin:/bin", self.world.bin())),
            ("HOME", self.world.home().to_string()),
            ("OTHER_API_KEY", "secret".to_owned()),
            ("CLAUDECODE", "1".to_owned()),
        ];
        let vars = base.into_iter().chain(self.vars.iter().cloned());
        let vars = vars.map(|(name, value)| (name.to_owned(), value));
        Env::from_parts(vars, self.world.tmp(), "/does/not/matter".into())
    }

    fn plan(&self) -> LanePlan {
        let file = SourceFile::new("capability.json", self.body.to_string());
        let (node, _) = parse(&file, Dialect::Strict);
        let mut sink = Sink::new(file, &UNKNOWN_WORD, &UNKNOWN_WORD, &UNKNOWN_WORD);
        let read = descriptor::read(&node.unwrap(), &Pointer::root(), &mut sink);
        let descriptor = read.unwrap_or_else(|| panic!("{:?}", sink.finish()));
        let capability = CapabilityId::parse("acme-review").unwrap();
        let lane = Lane { capability, origin: Origin::Overlay, descriptor };
        let paths = RunPaths {
            root: self.world.root(),
            run_dir: self.run_dir(),
            prompt: self.run_dir().join("gsd-review-prompt.md"),
            confinement: Confinement::None,
        };
        lane::plan(&lane, "acme", &self.settings, &paths).unwrap()
    }

    fn probe(&self) -> Result<Ready, Box<LaneReport>> {
        lane::probe_lane(&self.plan(), &self.env(), &self.world.root(), &Cancel::new())
    }

    fn call(&self) -> LaneReport {
        let plan = self.plan();
        let ready = match self.probe() {
            Ok(ready) => ready,
            Err(report) => return *report,
        };
        let (env, root) = (self.env(), self.world.root());
        let context = CallContext {
            env: &env,
            root: &root,
            project: &root,
            phase_dir: &root.join(".planning/phases/03-notes"),
            cancel: &Cancel::new(),
            limit: self.limit,
        };
        lane::call(&plan, &ready, &self.prompt, &context, &|_| ())
    }

    fn kept(&self, extension: &str) -> Vec<u8> {
        std::fs::read(self.run_dir().join(format!("gsd-review-acme.{extension}"))).unwrap()
    }
}

fn end(report: &LaneReport) -> (State, Option<Reason>) {
    (report.state, report.reason)
}

fn said(report: &LaneReport) -> &str {
    report.message.as_deref().unwrap_or_default()
}

#[test]
fn a_review_arrives_with_its_prompt_delivered() {
    let bench = Bench::script("cat > /dev/null; echo '# Review'; echo fine >&2");
    let report = bench.call();
    assert_eq!(end(&report), (State::Reviewed, None), "{report:?}");
    assert_eq!(report.text, "# Review\n");
    assert_eq!(report.stderr, "fine");
    let size = PROMPT.len() as u64;
    assert_eq!(report.delivery, Delivery::Sent { taken: size, of: size });
    assert_eq!(report.exit_status, Some(0));
    assert_eq!(report.destination, Some(bench.world.bin().join("acme").to_string()));
    assert!(report.first_byte.is_some());
    assert_eq!(bench.kept("raw"), b"# Review\n");
    assert_eq!(bench.kept("err"), b"fine\n");
}

/// RT-09: no deadlock, no broken pipe, and no proof.
#[test]
fn a_prompt_that_nobody_reads_is_not_delivered() {
    let mut bench = Bench::script("echo '# Review'");
    bench.prompt = "x".repeat(5 << 20);
    let report = bench.call();
    assert_eq!(end(&report), (State::Reviewed, None));
    assert!(!report.delivery.is_whole());
    assert_eq!(report.stderr, "");
}

/// RT-03, RT-04.
#[test]
fn nothing_is_empty_whatever_it_is_made_of() {
    for text in ["", " \n\t\n", r"\357\273\277 \n\033[0m", r"\033]8;;http://x\007\033\\"] {
        let report = Bench::script(&format!("cat > /dev/null; printf '{text}'")).call();
        assert_eq!(end(&report), (State::Empty, Some(Reason::Blank)), "{text}");
        assert!(said(&report).contains("gave no cause"));
        assert!(report.remedy.is_some());
    }
    let report = Bench::script("cat > /dev/null; printf -- -n").call();
    assert_eq!(end(&report), (State::Reviewed, None), "one visible character is a text");
}

/// RT-05.
#[test]
fn hostile_bytes_are_cleaned_and_the_raw_ones_kept() {
    let script = r"cat > /dev/null; printf '\033[31mred\033[0m a\000b\r\nc\342\200\256d \377\n'";
    let bench = Bench::script(script);
    let report = bench.call();
    assert_eq!(report.text, "red ab\ncd \u{fffd}\n");
    assert_eq!(report.warnings, ["1 invalid characters were replaced"]);
    assert!(bench.kept("raw").starts_with(b"\x1b[31mred"));
}

/// RT-12, C-069.
#[test]
fn an_exit_status_is_a_failure_unless_it_is_accepted() {
    let bench = Bench::script("cat > /dev/null; echo '# Review'; echo retrying >&2; exit 3");
    let report = bench.call();
    assert_eq!(end(&report), (State::Failed, Some(Reason::ExitStatus)));
    assert_eq!((report.exit_status, report.text.as_str()), (Some(3), "# Review\n"));
    assert_eq!(said(&report), "it ended with exit status 3: retrying");
    let report = bench.set("/acceptExit", json!([3])).call();
    assert_eq!((end(&report), report.exit_status), ((State::Reviewed, None), Some(3)));
}

/// C-001, C-010: on either stream, with either exit status.
#[test]
fn known_complaints_have_a_reason_and_a_remedy() {
    for (script, reason) in [
        ("echo 'Invalid API key · Please run /login' >&2; exit 1", Reason::Auth),
        ("echo 'Not logged in · Please run /login'; exit 1", Reason::Auth),
        ("echo 'Not logged in · Please run /login'", Reason::Auth),
        ("echo \"You've hit your usage limit\" >&2; exit 1", Reason::Quota),
        ("echo 'ProviderModelNotFoundError: openai/none' >&2", Reason::Model),
        ("echo 'gpt-9 requires a newer version of Codex' >&2; exit 1", Reason::Version),
        ("echo 'API Error: 500 internal'", Reason::VendorError),
        ("echo 'Setting up'; echo 'Rate limit exceeded' >&2", Reason::RateLimited),
    ] {
        let report = Bench::script(&format!("cat > /dev/null; {script}")).call();
        assert_eq!(end(&report), (State::Failed, Some(reason)), "{script}");
        assert!(report.remedy.is_some(), "{script}");
    }
}

/// Programs that repeat their prompt on stderr must not be judged by its words.
#[test]
fn the_prompt_is_no_complaint() {
    let report = Bench::script("cat >&2; echo 'the end of it' >&2; exit 1").call();
    assert_eq!(end(&report), (State::Failed, Some(Reason::ExitStatus)));
    assert_eq!(said(&report), "it ended with exit status 1: the end of it");
}

/// RT-13, C-014: never the answer of another call, and never stdout.
#[test]
fn an_answer_file_must_be_written_by_this_call() {
    let bench = Bench::script("cat > /dev/null; echo '# On stdout'").file_arg();
    std::fs::create_dir(bench.lane_dir()).unwrap();
    std::fs::write(bench.lane_dir().join("gsd-review-acme.out"), "# Stale").unwrap();
    let report = bench.call();
    assert_eq!(end(&report), (State::Empty, Some(Reason::OutputMissing)));
    assert_eq!(report.text, "");
    let empty = Bench::script("cat > /dev/null; printf ' \\n' > \"$2\"; echo x").file_arg();
    assert_eq!(end(&empty.call()), (State::Empty, Some(Reason::OutputMissing)));
    let good = Bench::script("cat > /dev/null; echo '# Review' > \"$2\"; echo noise").file_arg();
    let report = good.call();
    assert_eq!((end(&report), report.text.as_str()), ((State::Reviewed, None), "# Review\n"));
    assert_eq!(report.sizes.output, 9);
    let old = "cat > /dev/null; echo '# Old' > \"$2\"; touch -d 2001-01-01 \"$2\"";
    let report = Bench::script(old).file_arg().call();
    assert_eq!(end(&report), (State::Failed, Some(Reason::OutputUnsafe)));
}

/// RT-14.
#[test]
fn an_answer_file_must_be_a_file() {
    for make in ["ln -s \"$HOME/secret\" \"$2\"", "mkfifo \"$2\"", "mkdir \"$2\""] {
        let bench = Bench::script(&format!("cat > /dev/null; {make}")).file_arg();
        std::fs::write(bench.world.home().join("secret"), "key").unwrap();
        let report = bench.call();
        assert_eq!(end(&report), (State::Failed, Some(Reason::OutputUnsafe)), "{make}");
        assert_eq!(report.text, "");
    }
}

/// RT-16, C-009.
#[test]
fn a_child_sees_what_it_needs_and_nothing_else() {
    let bench = Bench::script("cat > /dev/null; env | sort")
        .set("/setEnv", json!({"ACME_PLAIN": "1"}))
        .set("/env", json!(["ACME_KEY", "CLAUDECODE"]))
        .var("ACME_KEY", "k")
        .var("HTTPS_PROXY", "http://proxy");
    let report = bench.call();
    let seen: Vec<&str> = report.text.lines().filter_map(|l| Some(l.split_once('=')?.0)).collect();
    for name in [
        "ACME_KEY",
        "ACME_PLAIN",
        "GSD_REVIEW_PHASE_DIR",
        "GSD_REVIEW_ROOT",
        "GSD_REVIEW_RUN_DIR",
        "HOME",
        "HTTPS_PROXY",
        "NO_COLOR",
        "PATH",
    ] {
        assert!(seen.contains(&name), "{name} in {seen:?}");
    }
    for name in ["OTHER_API_KEY", "CLAUDECODE"] {
        assert!(!seen.contains(&name), "{name}");
    }
    assert!(report.text.contains("TERM=dumb\n"));
}

/// RT-17, RT-08.
#[test]
fn it_works_in_the_root_and_reads_no_terminal() {
    let bench = Bench::script("cat; pwd")
        .set("/invoke/promptChannel", json!("none"))
        .set("/invoke/args", json!([]));
    let report = bench.call();
    assert_eq!(report.text, format!("{}\n", bench.world.root()));
    assert_eq!(report.delivery, Delivery::NotAsked);
}

/// RT-33.
#[test]
fn an_empty_prompt_is_not_sent() {
    let mut bench = Bench::script("touch \"$HOME/started\"; echo '# Review'");
    bench.prompt = " \n".to_owned();
    let report = bench.call();
    assert_eq!(report.state, State::Failed);
    assert_eq!(report.during, Some(During::Start));
    assert_eq!(report.delivery, Delivery::NotSent);
    assert!(!bench.world.home().join("started").exists());
}

/// RT-07.
#[test]
fn long_prompts_reach_every_channel() {
    let long = "y".repeat(3 << 20);
    let mut stdin = Bench::script("wc -c");
    stdin.prompt = long.clone();
    assert_eq!(stdin.call().text.trim(), long.len().to_string());
    for channel in ["argv-file-ref", "argv-inline"] {
        let script = "for last; do :; done; test ${#last} -lt 2048 && wc -c < \"$GSD_REVIEW_RUN_DIR/../gsd-review-prompt.md\"";
        let mut bench = Bench::script(script)
            .set("/invoke/promptChannel", json!(channel))
            .set("/invoke/args", json!(["-p", "{{prompt}}"]));
        bench.prompt = long.clone();
        let report = bench.call();
        assert_eq!(report.text.trim(), long.len().to_string(), "{channel}: {report:?}");
        assert_eq!(report.delivery, Delivery::ByReference);
    }
    let inline = Bench::script("for last; do :; done; printf %s \"$last\"")
        .set("/invoke/promptChannel", json!("argv-inline"))
        .set("/invoke/args", json!(["{{prompt}}"]));
    let report = inline.call();
    assert_eq!(report.text, PROMPT);
    assert!(report.delivery.is_whole());
}

/// RT-06, C-002: within the limit and its grace, with the key that raises it.
#[test]
fn a_limit_ends_it_and_keeps_what_came() {
    let mut bench = Bench::script("cat > /dev/null; echo partial; exec sleep 600");
    bench.limit = Duration::from_millis(400);
    let start = Instant::now();
    let report = bench.call();
    assert!(start.elapsed() < Duration::from_secs(9));
    assert_eq!(end(&report), (State::TimedOut, Some(Reason::TimeLimit)));
    assert_eq!((report.during, report.text.as_str()), (Some(During::Total), "partial\n"));
    assert!(report.remedy.as_deref().unwrap_or_default().contains("review.timeouts.acme"));
}

/// RT-02.
#[test]
fn a_flood_is_ended_and_its_ends_kept() {
    let report = Bench::script("cat > /dev/null; yes 'a line of a review'").call();
    assert_eq!(end(&report), (State::Failed, Some(Reason::TooLarge)));
    assert!(report.text.len() < 1 << 20 && report.text.contains("bytes left out"));
    assert!(report.sizes.output > 4 << 20);
}

/// RT-11.
#[test]
fn what_is_no_program_is_not_started() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = |make: &dyn Fn(&Utf8Path)| {
        let bench = Bench::new();
        make(&bench.world.bin().join("acme"));
        end(&bench.call())
    };
    let unavailable = |reason| (State::Unavailable, Some(reason));
    assert_eq!(place(&|_| ()), unavailable(Reason::NotFound));
    assert_eq!(place(&|p| std::fs::create_dir(p).unwrap()), unavailable(Reason::NotFound));
    assert_eq!(place(&|p| symlink("/nowhere", p).unwrap()), unavailable(Reason::NotFound));
    assert_eq!(
        place(&|p| std::fs::write(p, "#!/bin/sh\n").unwrap()),
        unavailable(Reason::NotExecutable)
    );
    let file = |text: &'static str| {
        move |path: &Utf8Path| {
            std::fs::write(path, text).unwrap();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    };
    let failed = (State::Failed, Some(Reason::Transport));
    assert_eq!(place(&file("#!/no/such/interpreter\n")), failed);
    assert_eq!(place(&file("\u{7f}ELF\u{1}")), failed);
}

/// RT-19, C-072.
#[test]
fn the_help_text_tells_programs_apart() {
    let probed = |script: &str, limit: u64| {
        let bench = Bench::script(script).set(
            "/probe",
            json!({"kind": "command-capability", "binary": "acme", "needle": "--wanted",
                   "timeoutMs": limit}),
        );
        let start = Instant::now();
        let result = bench.probe().map_err(|report| end(&report));
        assert!(start.elapsed() < Duration::from_secs(9));
        result.map(|ready| ready.destination().to_owned())
    };
    assert!(probed("test \"$1\" = --help && echo 'usage: --wanted' >&2; exit 1", 9000).is_ok());
    let wrong = Err((State::Unavailable, Some(Reason::WrongProgram)));
    assert_eq!(probed("echo 'usage: --other'", 9000), wrong);
    assert_eq!(probed("yes | head -c 100000000; echo --wanted", 9000), wrong);
    let hangs = Err((State::Unavailable, Some(Reason::TimeLimit)));
    assert_eq!(probed("cat; exec sleep 600", 300), hangs);
    let missing = Bench::script("exit 0").set("/requiresBinaries", json!(["no-such-tool"]));
    let report = missing.probe().unwrap_err();
    assert_eq!(end(&report), (State::Unavailable, Some(Reason::NotFound)));
    assert!(said(&report).contains("no-such-tool"));
}

#[test]
fn steps_before_the_review_run_first_and_may_fail() {
    let script = "echo \"$1\" >> \"$HOME/steps\"; test \"$1\" = broken && { echo 'please log in' >&2; exit 2; }; cat > /dev/null; cat \"$HOME/steps\"";
    let good = Bench::script(script).set("/setup", json!([["new", "x"], ["load"]])).call();
    assert_eq!((end(&good), good.text.as_str()), ((State::Reviewed, None), "new\nload\n-\n"));
    let bad = Bench::script(script).set("/setup", json!([["broken"], ["load"]])).call();
    assert_eq!(end(&bad), (State::Failed, Some(Reason::Auth)));
    assert_eq!(bad.during, Some(During::Setup));
    assert!(said(&bad).contains("`broken` ended with exit status 2"));
    let mut slow = Bench::script("exec sleep 600").set("/setup", json!([["new"]]));
    slow.limit = Duration::from_millis(200);
    let report = slow.call();
    assert_eq!((report.state, report.during), (State::TimedOut, Some(During::Setup)));
}

#[test]
fn declared_files_are_there_before_it_starts() {
    let bench = Bench::script("cat > /dev/null; cat \"$2\"")
        .set("/invoke/files", json!({"agent.md": "read only\n"}))
        .set("/invoke/args", json!(["--agent-file", "{{file:agent.md}}", "-"]));
    assert_eq!(bench.call().text, "read only\n");
}

/// C-016, RB-82.
#[test]
fn blindness_is_seen() {
    let blind = |script: &str| {
        let report = Bench::script(&format!("cat > /dev/null; {script}")).call();
        assert_eq!(report.state, State::Reviewed);
        (report.blind, report.text.starts_with("> [reviewed-without-repo-access]"))
    };
    assert_eq!(blind("echo; echo ' REVIEWED-WITHOUT-REPO-ACCESS'; echo x"), (true, true));
    assert_eq!(blind("echo x; echo REVIEWED-WITHOUT-REPO-ACCESS"), (false, false));
    assert_eq!(blind("echo 'it says `REVIEWED-WITHOUT-REPO-ACCESS`'"), (false, false));
    let noise = "echo 'bwrap: setting up uid map: Permission denied' >&2; echo x";
    assert_eq!(blind(noise), (true, true));
}

#[test]
fn an_interrupted_call_says_so() {
    let bench = Bench::script("cat > /dev/null; echo x; exec sleep 600");
    let (plan, ready) = (bench.plan(), bench.probe().unwrap());
    let (env, root, cancel) = (bench.env(), bench.world.root(), Cancel::new());
    let context = CallContext {
        env: &env,
        root: &root,
        project: &root,
        phase_dir: &root,
        cancel: &cancel,
        limit: Duration::from_secs(20),
    };
    // The first sign of output ends it.
    let report = lane::call(&plan, &ready, PROMPT, &context, &|progress| {
        if matches!(progress, lane::Progress::Output { bytes: 1.., .. }) {
            cancel.stop();
        }
    });
    assert_eq!(end(&report), (State::Cancelled, Some(Reason::Interrupted)));
    assert_eq!(report.text, "x\n");
    assert!(matches!(plan.call, CallPlan::Spawn(_)));
}
