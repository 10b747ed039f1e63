//! Kills reviews at random moments and looks at what is left: processes, records, files.
//!
//! `kill-reviews GSD N [SEED]` starts N reviews by one to four lanes and ends each by SIGINT,
//! SIGTERM or SIGHUP to `gsd`, once or twice, or by a time limit of its lanes or of the run.
//! After each no process may be left, living or ended, every record must be whole, nothing may
//! lie about in the project or among the temporary files, and the next review must be possible.
//! `kill-reviews GSD sigkill N [SEED]` does it with SIGKILL, after which only the guard can clean
//! up; there a temporary file may be left, and is counted.
//!
//! It prints one line at the end, or the kill that failed with its seed, and then exits with 1.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_testkit::fake_cli::install;
use gsd_testkit::left_over::{children, living};
use gsd_testkit::project::World;
use gsd_testkit::storm::{Dice, SCRIPTS, pause, seed_now};
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};
use serde_json::Value;
use std::fs;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Lanes that are programs: most under Landlock, one in a copy of the project, one that is pointed
/// at a file in the project.
const LANES: [(&str, &str); 7] = [
    ("claude", "claude"),
    ("codex", "codex"),
    ("copilot", "copilot"),
    ("gemini", "gemini"),
    ("kimi-code", "kimi"),
    ("opencode", "opencode"),
    ("qwen", "qwen"),
];
/// Besides what hangs: a review that is finished, so that there is a record to be broken.
const REVIEW: &[&str] = &["read-stdin", "print - HIGH: 03-01 and 03-02 open the store twice"];
/// Milliseconds below which the moments of kills lie.
const MOMENTS: [u64; 3] = [30, 150, 600];
const REPORTS: [&str; 2] = ["03-REVIEWS.md", "03-REVIEWS.json"];
const PHASE: &str = ".planning/phases/03-notes";
/// Far more than the five seconds that programs are given to end by themselves.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).map(|word| word.parse().expect("a number"));
    let gsd = words.first().map(Utf8PathBuf::from).expect("the path of gsd");
    let forced = words.get(1).is_some_and(|word| word == "sigkill");
    let first = 1 + usize::from(forced);
    let (count, seed) = (number(first).unwrap_or(20), number(first + 1).unwrap_or_else(seed_now));
    // What loses its parent becomes a child of this process, so none is overlooked.
    set_child_subreaper(Some(getpid())).expect("Linux");
    let storm = Storm::new(gsd, forced);
    let (began, mut slowest) = (Instant::now(), Duration::ZERO);
    let (mut records, mut files) = (0, 0);
    for kill in 0..count {
        let at = Instant::now();
        match storm.kill(&mut Dice::new(seed, kill)) {
            Ok(found) => {
                records += found.records;
                files += found.temporary;
            }
            Err(why) => {
                println!("kill {kill} of {count}, seed {seed}: {why}");
                return ExitCode::FAILURE;
            }
        }
        slowest = slowest.max(at.elapsed());
    }
    let took = began.elapsed();
    println!(
        "{count} kills, 0 processes left, 0 of {records} documents corrupt, {files} temporary files \
         left; {took:.1?}, the slowest {slowest:.1?}, seed {seed}"
    );
    ExitCode::SUCCESS
}

/// What one kill left where it may.
struct Found {
    records: usize,
    temporary: usize,
}

struct Storm {
    world: World,
    gsd: Utf8PathBuf,
    /// By SIGKILL.
    forced: bool,
}

impl Storm {
    fn new(gsd: Utf8PathBuf, forced: bool) -> Self {
        let world = World::new();
        world.small_phase();
        for words in [
            &["init", "-q"][..],
            &["add", "."],
            &["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"],
        ] {
            let status = world.command("git".into()).args(words).status().expect("git is there");
            assert!(status.success());
        }
        let storm = Self { world, gsd, forced };
        // From here on there is a report, and each kill must leave it or a later one.
        let status = storm.gsd(&["review", "--phase", "3", "--lanes", "plan-lint"]).status();
        assert!(status.expect("gsd starts").success());
        storm
    }

    fn gsd(&self, words: &[&str]) -> Command {
        let mut command = self.world.command(&self.gsd);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// A text that stands in the environment or the arguments of all that a review starts.
    fn mark(&self) -> String {
        let root = self.world.root();
        root.parent().and_then(Utf8Path::file_name).expect("a world has a name").to_owned()
    }

    fn kill(&self, dice: &mut Dice) -> Result<Found, String> {
        let lanes = self.lanes(dice);
        let by_limit = !self.forced && dice.below(3) == 0;
        self.limits(&lanes, if by_limit { dice.moment(MOMENTS) } else { PATIENCE });
        let command = ["review", "--phase", "3", "--no-progress", "--lanes", &lanes.join(",")];
        let mut child = self.gsd(&command).spawn().expect("gsd starts");
        let how = if by_limit { "a limit".to_owned() } else { self.signal(&child, dice) };
        let status = ended(&mut child).map_err(|why| format!("{lanes:?}, by {how}: {why}"))?;
        let fail = |why: String| format!("{lanes:?}, by {how}, {status}: {why}");
        self.processes().map_err(fail)?;
        if !self.forced && status.code().is_some_and(|code| ![0, 9, 11, 12, 130].contains(&code)) {
            return Err(fail("it should have been another status".into()));
        }
        self.files().map_err(fail)
    }

    /// Puts programs in the places of some lanes.
    fn lanes(&self, dice: &mut Dice) -> Vec<&'static str> {
        let mut chosen: Vec<&str> = vec![];
        for _ in 0..=dice.below(4) {
            let (lane, program) = dice.of(&LANES);
            let script = if dice.below(4) == 0 { REVIEW } else { dice.of(&SCRIPTS) };
            // The help text that one of the lanes is known by.
            let text = format!(
                "note {}\nwhen --help\nprint --output-format\notherwise\n{}\n",
                self.mark(),
                script.join("\n")
            );
            install(&self.world.bin(), program, &text);
            if !chosen.contains(&lane) {
                chosen.push(lane);
            }
        }
        chosen
    }

    fn limits(&self, lanes: &[&str], limit: Duration) {
        let seconds = limit.as_secs_f64().max(0.001);
        let limits: serde_json::Map<String, Value> =
            lanes.iter().map(|lane| ((*lane).to_owned(), seconds.into())).collect();
        let folder = self.world.home().join(".gsd");
        fs::create_dir_all(&folder).expect("a folder");
        let settings = serde_json::json!({ "review": { "timeouts": limits } });
        fs::write(folder.join("defaults.json"), settings.to_string()).expect("a file");
    }

    fn signal(&self, child: &std::process::Child, dice: &mut Dice) -> String {
        let pid = Pid::from_child(child);
        pause(dice.moment(MOMENTS));
        if self.forced {
            let _ = kill_process(pid, Signal::KILL);
            return "SIGKILL".into();
        }
        let signal = dice.of(&[Signal::INT, Signal::TERM, Signal::HUP]);
        let twice = dice.below(3) != 0;
        let _ = kill_process(pid, signal);
        if twice {
            pause(dice.moment(MOMENTS));
            let _ = kill_process(pid, Signal::INT);
        }
        format!("{signal:?} (twice: {twice})")
    }

    /// Nothing may be left, or, after SIGKILL, nothing for longer than the guard takes.
    fn processes(&self) -> Result<(), String> {
        let patience = if self.forced { Duration::from_secs(15) } else { Duration::ZERO };
        let since = Instant::now();
        loop {
            reap();
            let (living, children) = (living(&self.mark()), children());
            if living.is_empty() && children.is_empty() {
                return Ok(());
            }
            if since.elapsed() >= patience {
                return Err(format!("left: {living:?}, {children:?}"));
            }
            pause(Duration::from_millis(5));
        }
    }

    /// Every record is whole, and nothing lies about.
    fn files(&self) -> Result<Found, String> {
        let mut found = Found { records: 0, temporary: 0 };
        for folder in [self.world.root().join(".planning"), self.world.home().join(".local/state")]
        {
            json_files(&folder, &mut found)?;
        }
        let shown = self.gsd(&["review", "show", "--phase", "3"]).status().expect("gsd starts");
        if !shown.success() {
            return Err(format!("the report cannot be shown: {shown}"));
        }
        let report = self.world.read(&format!("{PHASE}/{}", REPORTS[0]));
        if !report.starts_with("---\n") || !report.contains("\n## Consensus Summary") {
            return Err(format!("half a report of {} bytes", report.len()));
        }
        let strange = self.strange();
        if !self.forced && !strange.is_empty() {
            return Err(format!("lies about: {strange:?}"));
        }
        for path in &strange {
            found.temporary += 1;
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
        Ok(found)
    }

    /// What the phase has beside its plans and its report, and what is left of prompts in the
    /// project and of temporary files.
    fn strange(&self) -> Vec<Utf8PathBuf> {
        let known = |path: &Utf8PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.ends_with("-PLAN.md") || REPORTS.contains(&name)
        };
        let phase = entries(&self.world.root().join(PHASE)).into_iter();
        let prompts = Some(self.world.root().join(".planning/.run")).filter(|path| path.exists());
        let temporary = entries(&self.world.tmp());
        phase.filter(|path| !known(path)).chain(prompts).chain(temporary).collect()
    }
}

fn ended(child: &mut std::process::Child) -> Result<ExitStatus, String> {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("a child can be asked") {
            return Ok(status);
        }
        pause(Duration::from_millis(2));
    }
    let _ = child.kill();
    Err(format!("gsd was there for {PATIENCE:?}"))
}

/// Takes leave of what has ended.
fn reap() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

fn entries(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    folder.read_dir_utf8().into_iter().flatten().flatten().map(|entry| entry.into_path()).collect()
}

/// Reads every file of JSON, and every line of those that have one document a line.
fn json_files(folder: &Utf8Path, found: &mut Found) -> Result<(), String> {
    for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            json_files(path, found)?;
            continue;
        }
        let lines = match path.extension() {
            Some("json") => false,
            Some("ndjson") => true,
            _ => continue,
        };
        let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let parts: Vec<&str> = if lines { text.lines().collect() } else { vec![&text] };
        for part in parts {
            serde_json::from_str::<Value>(part).map_err(|error| format!("{path}: {error}"))?;
            found.records += 1;
        }
    }
    Ok(())
}
