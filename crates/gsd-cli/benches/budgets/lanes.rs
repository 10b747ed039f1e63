//! What lanes cost beside the time of their own programs.

use super::{Line, cpu, peak_memory};
use camino::Utf8Path;
use gsd_testkit::project::World;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Takes the prompt and answers at once.
const INSTANT: &str = "cat > /dev/null; echo '- HIGH: 03-01 and 03-02 open the store twice'";
/// The programs of the lanes that start one.
const PROGRAMS: [&str; 12] = [
    "agy",
    "aider",
    "claude",
    "codex",
    "coderabbit",
    "copilot",
    "cursor-agent",
    "gemini",
    "kimi",
    "opencode",
    "plandex",
    "qwen",
];
const LANES: &str = "aider,antigravity,claude,codex,coderabbit,copilot,cursor,gemini,kimi-code,\
                     opencode,plandex,qwen";
const FLOOD: u64 = 200_000_000;

/// What a program may read under Landlock is told to the kernel entry by entry, for each folder
/// around the one that it may not. As many as this stand in a home folder; among temporary files
/// there are as many as somebody has left there, and the figure would be of that.
const NEIGHBOURS: usize = 100;

pub(super) fn measure(gsd: &Utf8Path, line: Line<'_>) {
    let ms = |d: Duration| format!("{:.1} ms", d.as_secs_f64() * 1000.0);
    let street = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for at in 0..NEIGHBOURS {
        std::fs::create_dir(street.path().join(format!("neighbour-{at}"))).unwrap();
    }
    let street = Utf8Path::from_path(street.path()).unwrap();
    let world = world(World::within(street), &["gemini"]);
    let child = best(200, || quiet(program(&world)));
    let called = best(200, || invoke(&world, gsd));
    let over = called.saturating_sub(child);
    line(
        "one lane over its program's own time, best of 200",
        ms(over),
        "15 ms",
        over < MILLIS * 15,
    );

    let own = cpu(200, || invocation(&world, gsd).status());
    let alone = cpu(200, || program(&world).status());
    let over = own.saturating_sub(alone);
    line("the same, CPU, gsd and all that it starts", ms(over), "15 ms", over < MILLIS * 15);

    world.write("../home/.gsd/defaults.json", r#"{"review":{"confinement":"none"}}"#);
    let free = best(200, || invoke(&world, gsd));
    let landlock = called.saturating_sub(free);
    line("what Landlock adds to it, best of 200", ms(landlock), "2 ms", landlock < MILLIS * 2);

    let many = self::world(World::within(street), &["gemini"]);
    for at in 0..30 {
        install(&many, at);
    }
    let with_many = best(200, || invoke(&many, gsd));
    let more = with_many.saturating_sub(called);
    line("what 30 installed lanes add to it, best of 200", ms(more), "2 ms", more < MILLIS * 2);

    let twelve = self::world(World::within(street), &PROGRAMS);
    let words = ["review", "--phase", "3", "--no-progress", "--lanes", LANES];
    let run = best(20, || {
        let mut command = twelve.command(gsd);
        command.args(words);
        quiet(command)
    });
    line("a run of 12 instant lanes, best of 20", ms(run), "300 ms", run < MILLIS * 300);

    flood(gsd, line);
    digest(gsd, line);
}

const MILLIS: Duration = Duration::from_millis(1);

/// 200 MB on standard error, against the same program and a reader that does nothing else.
fn flood(gsd: &Utf8Path, line: Line<'_>) {
    let world = world(World::new(), &[]);
    let script = format!("cat > /dev/null; head -c {FLOOD} /dev/zero >&2; echo done");
    let program = world.program("gemini", &script);
    let pipe = best(5, || {
        let mut command = world.command(&program);
        let piped = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut pipe = child.stderr.take().unwrap();
        let mut chunk = vec![0; 64 * 1024];
        while pipe.read(&mut chunk).unwrap() > 0 {}
        child.wait().unwrap();
    });
    let called = best(5, || invoke(&world, gsd));
    let peak = peak_memory(&mut invocation(&world, gsd));
    let speed = |took: Duration| FLOOD as f64 / 1e6 / took.as_secs_f64();
    line(
        "200 MB on stderr, a bare pipe / a lane, best of 5",
        format!("{:.0} / {:.0} MB/s", speed(pipe), speed(called)),
        "half of it",
        called < pipe * 2 + MILLIS * 15,
    );
    line("200 MB on stderr, peak memory", format!("{} MB", peak / 1000), "32 MB", peak < 32_000);
}

/// The digest of the work tree before a lane and after it.
fn digest(gsd: &Utf8Path, line: Line<'_>) {
    for files in [100, 1_000, 10_000] {
        let world = world(World::new(), &["gemini"]);
        for number in 0..files {
            let text = format!("{number}\n").repeat(8192 / (number.to_string().len() + 1));
            world.write(&format!("part{}/{number}.txt", number / 100), &text);
        }
        commit(&world);
        let called = best(10, || invoke(&world, gsd));
        let name = format!("one lane in a project of {files} files of 8 KiB, best of 10");
        line(&name, format!("{:.0} ms", called.as_secs_f64() * 1000.0), "-", true);
    }
}

fn world(world: World, programs: &[&str]) -> World {
    world.small_phase();
    for program in programs {
        world.program(program, INSTANT);
    }
    if programs.contains(&"kimi") {
        let script =
            format!("test \"$1\" = --help && {{ echo --output-format; exit; }}; {INSTANT}");
        world.program("kimi", &script);
    }
    world.write("../run/gsd-review-prompt.md", "Review 03-01 and 03-02: what happens to notes?\n");
    commit(&world);
    world
}

fn commit(world: &World) {
    for words in [
        &["init", "-q"][..],
        &["add", "."],
        &["-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", "x"],
    ] {
        assert!(world.command("git".into()).args(words).status().unwrap().success());
    }
}

/// A lane of somebody else, which is listed and not called.
fn install(world: &World, at: usize) {
    let id = format!("acme-{at:02}");
    let manifest = format!(
        r#"{{
  "id": "{id}", "role": "reviewer", "version": "1.0.0", "title": "Acme {at}",
  "description": "One of many lanes.", "tier": "full", "requires": [],
  "engines": {{ "gsd": ">=1.9.0" }},
  "reviewer": {{
    "slug": "{id}", "flags": ["--{id}"], "transport": "spawn",
    "probe": {{ "kind": "command-exists", "binary": "{id}" }},
    "invoke": {{
      "binary": "{id}", "args": ["-"], "promptChannel": "stdin", "outputChannel": "stdout",
      "modelArg": null, "effortChannel": "none"
    }},
    "timeoutFloorMs": 20000, "timeoutConfigKey": "review.timeouts.{id}",
    "emptyOutput": "stub-with-stderr", "reviewsSection": "Acme {at}",
    "evidenceClass": "source-grounded", "requiresBinaries": [], "promptBudgetKey": null,
    "modelConfigKey": null, "handler": null
  }},
  "config": {{
    "review.timeouts.{id}": {{ "type": "number", "default": -1, "description": "Seconds." }}
  }}
}}
"#
    );
    world.write(&format!("../home/.gsd/capabilities/{id}/capability.json"), &manifest);
}

fn invocation(world: &World, gsd: &Utf8Path) -> Command {
    let mut command = world.command(gsd);
    let run_dir = world.root().join("../run");
    command.args(["lane", "invoke", "--slug", "gemini", "--run-dir", run_dir.as_str()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn invoke(world: &World, gsd: &Utf8Path) {
    assert!(invocation(world, gsd).status().unwrap().success());
}

/// The program of the lane by itself.
fn program(world: &World) -> Command {
    let mut command = world.command(&world.bin().join("gemini"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn quiet(mut command: Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().unwrap();
}

/// The quickest of many runs: on a machine with other work to do it is the one that was disturbed
/// least.
fn best(runs: u32, mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..runs).map(time).min().unwrap_or_default()
}
