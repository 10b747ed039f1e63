//! Tries to change a project in every way that the kit knows, and shows what came of it.
//!
//! `write-attempts` makes each attempt twice, free and in a sandbox in which only a folder beside
//! the project can be written to, and prints a table: what was changed. An attempt that changes
//! nothing even when it is free cannot be made here and proves nothing; it is counted apart.
//! `write-attempts try N PROJECT SCRATCH` makes one of them.

use gsd_io::cancel::Cancel;
use gsd_io::process::{Cap, Command, Limits, Stdin, run};
use gsd_io::sandbox::{DEVICES, Sandbox, landlock};
use gsd_testkit::write_attempts::ground::{Ground, Picture};
use gsd_testkit::write_attempts::{Attempt, Effect, all};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// What an attempt changed when free, and when confined.
type Pair = (Option<Effect>, Option<Effect>);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, number, project, scratch] = &words[..]
        && word == "try"
    {
        let attempt = all()[number.parse::<usize>().expect("a number")];
        return match attempt.perform(Path::new(project), Path::new(scratch)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let Some(found) = landlock() else {
        println!("this kernel has no Landlock");
        return ExitCode::FAILURE;
    };
    let ground = Ground::new();
    let mut table: BTreeMap<&str, Vec<Pair>> = BTreeMap::new();
    for attempt in all() {
        let free = made(&ground, attempt.number, Freedom::Free);
        let confined = made(&ground, attempt.number, Freedom::Sandboxed);
        table.entry(attempt.what).or_default().push((free, confined));
    }
    print(&table, found.abi)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freedom {
    Free,
    Sandboxed,
}

/// What one attempt changes.
fn made(ground: &Ground, number: usize, freedom: Freedom) -> Option<Effect> {
    let (project, scratch) = ground.fresh();
    let before = Picture::of(&project);
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let places = DEVICES.iter().map(|path| (*path).into()).chain([text(&scratch).into()]);
    let own = std::env::current_exe().expect("the path of this program");
    let command = Command {
        program: text(&own).into(),
        args: vec!["try".to_owned(), number.to_string(), text(&project), text(&scratch)],
        env: vec![("PATH".to_owned(), "/usr/sbin:/usr/bin:/sbin:/bin".to_owned())],
        cwd: text(&project).into(),
        stdin: Stdin::Empty,
        sandbox: match freedom {
            Freedom::Free => Sandbox::None,
            Freedom::Sandboxed => Sandbox::WriteOnly { places: places.collect() },
        },
    };
    let limits = Limits {
        deadline: Duration::from_secs(30),
        first_byte: None,
        idle: None,
        grace: Duration::from_millis(200),
        drain: Duration::from_millis(200),
        stdout: Cap::log(),
        stderr: Cap::log(),
    };
    run(&command, &limits, &Cancel::new(), &mut |_| ()).expect("it starts");
    before.difference(&Picture::of(&project))
}

fn print(table: &BTreeMap<&str, Vec<Pair>>, abi: u8) -> ExitCode {
    println!(
        "| attempt | made | changed something, free | changed content, confined | changed other things, confined |"
    );
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut total = [0; 4];
    let listed = |attempt: &&Attempt| attempt.route == "absolute path" || attempt.route == "script";
    for what in all().iter().filter(listed).map(|attempt| attempt.what) {
        let rows = &table[what];
        let count = |wanted: &dyn Fn(&Pair) -> bool| rows.iter().filter(|row| wanted(row)).count();
        let numbers = [
            rows.len(),
            count(&|row| row.0.is_some()),
            count(&|row| row.1 == Some(Effect::Content)),
            count(&|row| matches!(row.1, Some(Effect::Mode | Effect::Rest))),
        ];
        println!("| {what} | {} | {} | {} | {} |", numbers[0], numbers[1], numbers[2], numbers[3]);
        for (sum, number) in total.iter_mut().zip(numbers) {
            *sum += number;
        }
    }
    println!("| **all** | {} | {} | **{}** | {} |", total[0], total[1], total[2], total[3]);
    println!("\nLandlock, ABI {abi}");
    if total[2] == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
