//! A program that does what a script says.
//!
//! `fake-cli ACTION…` takes one action per argument. `#!/path/to/fake-cli --script` as the first
//! line of a file makes that file a program; its other lines are the actions, and its arguments
//! are free for its caller. Lines that are empty or start with `#` say nothing. In a script,
//! `when WORD…` begins a part that is done only if every word is among the arguments, and
//! `otherwise` one that is done if no part before it was.
//!
//! | Action | What it does |
//! | --- | --- |
//! | `print TEXT`, `eprint TEXT` | writes to stdout, stderr; knows `\n` `\t` `\e` `\0` `\\` `\xNN` |
//! | `bytes N`, `ebytes N` | writes N bytes, as fast as it can |
//! | `print-file FILE` | writes a file to stdout |
//! | `read-stdin`, `echo-stdin`, `hash-stdin` | reads all of stdin and drops, writes, or hashes and counts it |
//! | `read-some N` | reads N bytes of stdin |
//! | `env`, `env NAME`, `cwd`, `argv` | writes what it was given, a line each |
//! | `write FILE TEXT`, `append FILE TEXT`, `link FILE TARGET` | makes a file |
//! | `write-after FLAG TEXT`, `link-after FLAG TARGET`, `fifo-after FLAG` | the same, at the path that follows FLAG in its arguments |
//! | `close stdin`, `close stdout`, `close stderr` | lets go of a stream |
//! | `ignore term`, `ignore int`, `ignore hup` | the signal does nothing |
//! | `at-term ACTION ;; …` | does this on SIGTERM, then exits with 0 |
//! | `spawn ACTION ;; …` | a child with the same streams, in the same group |
//! | `daemon ACTION ;; …` | an orphan with the same streams, in a session of its own |
//! | `scrubbed ACTION ;; …` | the same without any environment |
//! | `respawn N` | a chain of N processes, each of which starts the next and ends |
//! | `await FIFO` | waits until the other side has opened and closed it |
//! | `hold-lock FILE` | locks the file, says `locked`, and hangs |
//! | `pause MS` | does nothing for a while |
//! | `hang` | does nothing until it is killed |
//! | `stop` | stops as if by Ctrl-Z |
//! | `exit CODE`, `signal NUMBER` | ends |
//! | `note TEXT` | nothing; a mark in its arguments |

use rustix::process::{Pid, Signal, getpid, kill_process};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, exit};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "--script") {
        let script = fs::read_to_string(&words[1]).expect("the script can be read");
        words.drain(..2);
        let lines = chosen(&script, &words);
        let _ = NOTES.set(lines.iter().filter(|line| is_note(line)).cloned().collect());
        run(&lines, &words);
    } else {
        run(&words.clone(), &words);
    }
}

/// The notes of a script, for the arguments of what it starts.
static NOTES: OnceLock<Vec<String>> = OnceLock::new();

fn is_note(word: &str) -> bool {
    word.starts_with("note ")
}

/// The lines of a script that these arguments call for.
fn chosen(script: &str, arguments: &[String]) -> Vec<String> {
    let (mut active, mut any) = (true, false);
    let mut lines = vec![];
    for line in script.lines().map(str::trim_start) {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("when", words) => {
                active = words.split(' ').all(|word| arguments.iter().any(|has| has == word));
                any |= active;
            }
            ("otherwise", _) => active = !any,
            _ if active && !line.is_empty() && !line.starts_with('#') => {
                lines.push(line.to_owned())
            }
            _ => {}
        }
    }
    lines
}

fn run(lines: &[String], arguments: &[String]) {
    for line in lines {
        let (action, rest) = line.split_once(' ').unwrap_or((line, ""));
        act(action, rest, arguments);
    }
}

fn act(action: &str, rest: &str, arguments: &[String]) {
    let two = || rest.split_once(' ').unwrap_or((rest, ""));
    let after = |flag: &str| {
        let at = arguments.iter().position(|word| word == flag);
        at.and_then(|at| arguments.get(at + 1)).expect("the flag was passed with a path").clone()
    };
    match action {
        "print" => put(&mut io::stdout(), &unescape(rest)),
        "eprint" => put(&mut io::stderr(), &unescape(rest)),
        "bytes" => flood(&mut io::stdout(), number(rest)),
        "ebytes" => flood(&mut io::stderr(), number(rest)),
        "print-file" => put(&mut io::stdout(), &fs::read(rest).expect("the file can be read")),
        "read-stdin" => {
            io::copy(&mut io::stdin(), &mut io::sink()).expect("stdin can be read");
        }
        "echo-stdin" => {
            let _ = io::copy(&mut io::stdin(), &mut io::stdout());
        }
        "hash-stdin" => hash(),
        "read-some" => {
            let count = u64::try_from(number(rest)).expect("a count");
            // Not through the buffer of the language, which reads ahead.
            let stdin = File::from(io::stdin().as_fd().try_clone_to_owned().expect("a copy"));
            io::copy(&mut stdin.take(count), &mut io::sink()).expect("stdin can be read");
        }
        "env" if rest.is_empty() => {
            let mut all: Vec<_> = std::env::vars().collect();
            all.sort();
            all.iter().for_each(|(name, value)| say(&format!("{name}={value}")));
        }
        "env" => say(&std::env::var(rest).unwrap_or_default()),
        "cwd" => say(&std::env::current_dir().expect("there is one").to_string_lossy()),
        "argv" => arguments.iter().for_each(|word| say(word)),
        "write" => fs::write(two().0, unescape(two().1)).expect("the file can be written"),
        "append" => fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(two().0)
            .and_then(|mut file| file.write_all(&unescape(two().1)))
            .expect("the file can be written"),
        "link" => link(two().0, two().1),
        "write-after" => {
            fs::write(after(two().0), unescape(two().1)).expect("the file can be written");
        }
        "link-after" => link(&after(two().0), two().1),
        "fifo-after" => {
            let path = after(rest);
            let _ = fs::remove_file(&path);
            gsd_testkit::fake_cli::fifo("/".into(), &path);
        }
        "close" => close(rest),
        "ignore" => {
            signal_hook::flag::register(signal(rest), Arc::default()).expect("a signal to ignore");
        }
        "at-term" => at_term(rest, arguments),
        "spawn" => {
            leave_running(own(rest));
        }
        "daemon" => detach(own(&format!("in-new-session ;; spawn {rest}"))),
        "scrubbed" => {
            let mut child = own(&format!("in-new-session ;; spawn {rest}"));
            child.env_clear();
            detach(child);
        }
        "in-new-session" => {
            rustix::process::setsid().expect("a child that leads no group");
        }
        "respawn" if number(rest) > 0 => {
            leave_running(own(&format!("respawn {}", number(rest) - 1)));
        }
        "respawn" => hang(),
        "await" => {
            fs::read(rest).expect("the FIFO can be read");
        }
        "hold-lock" => {
            let owner = gsd_io::lock::Owner::this_process("fake-cli");
            let _lock = gsd_io::lock::try_lock(rest.into(), &owner).expect("nobody has the lock");
            say("locked");
            hang();
        }
        "pause" => std::thread::sleep(Duration::from_millis(number(rest) as u64)),
        "hang" => hang(),
        "stop" => kill_self(Signal::STOP),
        "exit" => exit(rest.parse().expect("an exit code")),
        "signal" => {
            let signal = Signal::from_named_raw(rest.parse().expect("a number")).expect("a signal");
            // Twice, because the first SIGSEGV meets the handler that the language has set up.
            kill_self(signal);
            kill_self(signal);
        }
        "note" => {}
        other => panic!("`{other}` is no action"),
    }
}

fn number(text: &str) -> usize {
    text.replace('_', "").parse().expect("a number")
}

fn signal(name: &str) -> i32 {
    match name {
        "term" => signal_hook::consts::SIGTERM,
        "int" => signal_hook::consts::SIGINT,
        "hup" => signal_hook::consts::SIGHUP,
        other => panic!("`{other}` is no signal to ignore"),
    }
}

fn kill_self(signal: Signal) {
    let own: Pid = getpid();
    kill_process(own, signal).expect("a process may signal itself");
}

/// Waits without using the processor.
fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

/// Writes, and ends as a program of the shell would if nobody reads.
fn put(stream: &mut dyn Write, bytes: &[u8]) {
    if stream.write_all(bytes).and_then(|()| stream.flush()).is_err() {
        exit(141);
    }
}

fn say(line: &str) {
    put(&mut io::stdout(), format!("{line}\n").as_bytes());
}

fn flood(stream: &mut dyn Write, mut count: usize) {
    let block = [b'x'; 64 * 1024];
    while count > 0 {
        let part = count.min(block.len());
        put(stream, &block[..part]);
        count -= part;
    }
}

fn hash() {
    let mut content = vec![];
    io::stdin().read_to_end(&mut content).expect("stdin can be read");
    let hash: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
    say(&format!("{hash} {}", content.len()));
}

fn link(path: &str, target: &str) {
    let _ = fs::remove_file(path);
    std::os::unix::fs::symlink(target, path).expect("a link can be made");
}

/// Puts `/dev/null` in the place of a stream, which closes the pipe that was there.
fn close(stream: &str) {
    let null = File::options().read(true).write(true).open("/dev/null").expect("there is one");
    let done = match stream {
        "stdin" => rustix::stdio::dup2_stdin(&null),
        "stdout" => rustix::stdio::dup2_stdout(&null),
        "stderr" => rustix::stdio::dup2_stderr(&null),
        other => panic!("`{other}` is no stream"),
    };
    done.expect("a stream can be replaced");
}

/// This program again, with a script of its own and the notes of this one.
fn own(script: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
    let notes = std::env::args().filter(|word| is_note(word));
    let notes = notes.chain(NOTES.get().into_iter().flatten().cloned());
    // What follows `spawn` is that child's whole script.
    match script.split_once(" ;; spawn ") {
        Some((before, inner)) => command.args(notes).arg(before).arg(format!("spawn {inner}")),
        None => command.args(notes).args(script.split(" ;; ")),
    };
    command
}

#[expect(clippy::zombie_processes, reason = "children that nobody waits for are the point")]
fn leave_running(mut child: Command) {
    child.spawn().expect("a child can be started");
}

/// Starts a child that starts another one and ends.
fn detach(mut child: Command) {
    let ended = child.status().expect("a child can be started");
    assert!(ended.success(), "{ended:?} {:?}", ended.signal());
}

fn at_term(script: &str, arguments: &[String]) {
    let mut signals = signal_hook::iterator::Signals::new([signal("term")]).expect("handlers");
    let lines: Vec<String> = script.split(" ;; ").map(str::to_owned).collect();
    let arguments = arguments.to_vec();
    std::thread::spawn(move || {
        signals.forever().next();
        run(&lines, &arguments);
        exit(0);
    });
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let Some((kind, after)) = rest.split_first() else { break };
        rest = after;
        bytes.push(match kind {
            b'n' => b'\n',
            b't' => b'\t',
            b'e' => 0x1b,
            b'0' => 0,
            b'x' => {
                let digits = std::str::from_utf8(&rest[..2]).expect("two hexadecimal digits");
                rest = &rest[2..];
                u8::from_str_radix(digits, 16).expect("two hexadecimal digits")
            }
            other => *other,
        });
    }
    bytes
}
