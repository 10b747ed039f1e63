//! Measures what supervision costs over a program's own time.
//!
//! `overhead N [PROGRAM]` runs a program that ends at once (`/bin/true`) N times as the standard
//! library does it, with both output streams captured, N times supervised, and N times supervised
//! in a sandbox where the kernel has one, there also with the working directory hidden, in turns. It prints the quickest, the median and the
//! 95th percentile of each in microseconds.

use camino::Utf8PathBuf;
use gsd_io::cancel::Cancel;
use gsd_io::process::{Cap, Command, End, Limits, Stdin, run};
use gsd_io::sandbox::{self, Sandbox};
use std::time::{Duration, Instant};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let count: usize = words.first().map_or(1000, |word| word.parse().expect("a number"));
    let program = words.get(1).map_or("/bin/true", String::as_str);
    let command = Command {
        program: program.into(),
        args: vec![],
        env: vec![],
        cwd: "/".into(),
        stdin: Stdin::Empty,
        sandbox: Sandbox::None,
    };
    // As many places as a lane is given.
    let places = sandbox::DEVICES.iter().copied().chain(["/tmp", "/var/tmp", "/root", "/home"]);
    let places: Vec<Utf8PathBuf> = places.map(Into::into).collect();
    let sandbox = Sandbox::WriteOnly { places: places.clone() };
    let confined = Command { sandbox, ..command.clone() };
    let here = std::env::current_dir().expect("a working directory");
    let hidden = Utf8PathBuf::from_path_buf(here).expect("UTF-8");
    let landlock = sandbox::landlock();
    let (mut plain, mut supervised, mut sandboxed, mut apart) = (vec![], vec![], vec![], vec![]);
    let mut around = 0;
    for _ in 0..count {
        plain.push(time(&mut || {
            let output = std::process::Command::new(program).env_clear().output();
            assert!(output.expect("it starts").status.success());
        }));
        supervised.push(time(&mut || {
            let exit = run(&command, &limits(), &Cancel::new(), &mut |_| {});
            assert_eq!(exit.expect("it starts").end, End::Exited(0));
        }));
        if landlock.is_some() {
            sandboxed.push(time(&mut || {
                let exit = run(&confined, &limits(), &Cancel::new(), &mut |_| {});
                assert_eq!(exit.expect("it starts").end, End::Exited(0));
            }));
            apart.push(time(&mut || {
                let readable = sandbox::all_but(&hidden).expect("few enough entries around it");
                around = readable.len();
                let sandbox = Sandbox::Apart { places: places.clone(), readable };
                let command = Command { sandbox, ..command.clone() };
                let exit = run(&command, &limits(), &Cancel::new(), &mut |_| {});
                assert_eq!(exit.expect("it starts").end, End::Exited(0));
            }));
        }
    }
    tell("standard library", plain);
    tell("supervised", supervised);
    match landlock {
        Some(found) => {
            tell(&format!("in a sandbox (Landlock, ABI {})", found.abi), sandboxed);
            tell(&format!("and kept from reading this folder ({around} entries around it)"), apart);
        }
        None => println!("in a sandbox: this kernel has no Landlock"),
    }
}

fn time(what: &mut dyn FnMut()) -> Duration {
    let began = Instant::now();
    what();
    began.elapsed()
}

fn tell(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: usize| times[(times.len() - 1) * part / 100].as_micros();
    println!("{what}: quickest {}, median {}, 95% within {} µs", at(0), at(50), at(95));
}

fn limits() -> Limits {
    Limits {
        deadline: Duration::from_secs(60),
        first_byte: None,
        idle: None,
        grace: Duration::from_secs(5),
        drain: Duration::from_secs(2),
        stdout: Cap::mib(4),
        stderr: Cap::log(),
    }
}
