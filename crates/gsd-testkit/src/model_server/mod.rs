//! A real HTTP server on loopback that answers as it is told, and remembers what it was asked.
//!
//! One thread per connection, one request per connection. Answers are lists of [`Step`]s, so that
//! a test can send half a body, wait, and cut the line. The server ends, and all its waits with
//! it, when it is dropped.

mod answer;
mod preset;

pub use answer::{Answer, REVIEW, Step, completion_body, models_body};
pub use preset::preset;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const MAX_HEAD: usize = 256 * 1024;
const MAX_BODY: usize = 64 * 1024 * 1024;
/// How often a waiting connection looks whether its client is gone.
const LOOK: Duration = Duration::from_millis(10);

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub method: String,
    /// With the query.
    pub path: String,
    /// Names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Recorded {
    /// The first header of that lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON, `null` if it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What answers a request: sees it, and how often its path was asked before.
type Handler = dyn Fn(&Recorded, usize) -> Answer + Send + Sync;

#[derive(Default)]
struct State {
    scripts: BTreeMap<String, Vec<Answer>>,
    requests: Vec<Recorded>,
    connections: usize,
    /// Requests whose answer was sent as far as it goes: whole, or up to a stall.
    sent: usize,
    /// Connections whose client went away before the answer was whole.
    abandoned: usize,
    stopped: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    handler: Box<Handler>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `done` holds; false if `limit` passes first.
    fn wait(&self, limit: Duration, done: impl Fn(&State) -> bool) -> bool {
        let state = self.lock();
        let result = self.changed.wait_timeout_while(state, limit, |state| !done(state));
        let (state, _) = result.unwrap_or_else(PoisonError::into_inner);
        done(&state)
    }
}

/// The running server.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// A server whose paths answer by their scripts: the n-th request gets the n-th answer, later
    /// ones the last. A path without a script is 404.
    pub fn scripted<'a>(scripts: impl IntoIterator<Item = (&'a str, Vec<Answer>)>) -> Self {
        let server = Self::with_handler(|_, _| Answer::json(404, r#"{"error":"not found"}"#));
        for (path, answers) in scripts {
            server.on(path, answers);
        }
        server
    }

    /// A well-behaved server at any prefix, with the [`preset`] faults below `/f/NAME/`.
    pub fn preset() -> Self {
        Self::with_handler(preset)
    }

    /// The same at an address and port of this machine.
    pub fn preset_at(address: &str) -> Self {
        Self::bound(address, preset)
    }

    fn with_handler(handler: impl Fn(&Recorded, usize) -> Answer + Send + Sync + 'static) -> Self {
        Self::bound("127.0.0.1:0", handler)
    }

    fn bound(
        address: &str,
        handler: impl Fn(&Recorded, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).expect("a free port of this machine");
        let address = listener.local_addr().expect("a bound address");
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            handler: Box::new(handler),
        });
        let for_listener = Arc::clone(&shared);
        let listener = std::thread::spawn(move || accept(&listener, &for_listener));
        Self { address, shared, listener: Some(listener) }
    }

    /// Sets or replaces the script of a path; the query counts as part of it.
    pub fn on(&self, path: &str, answers: Vec<Answer>) {
        self.shared.lock().scripts.insert(path.to_owned(), answers);
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        self.url_at("127.0.0.1")
    }

    /// The address with another spelling of the host.
    pub fn url_at(&self, host: &str) -> String {
        format!("http://{host}:{}", self.port())
    }

    /// Every request that came whole, in order.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.lock().requests.clone()
    }

    /// How many connections were accepted, whether or not a request came.
    pub fn connections(&self) -> usize {
        self.shared.lock().connections
    }

    /// Waits until that many clients have gone away before their answer was whole.
    pub fn wait_until_abandoned(&self, clients: usize, limit: Duration) -> bool {
        self.shared.wait(limit, |state| state.abandoned >= clients)
    }

    /// Waits until that many answers were sent, whole or up to a stall.
    pub fn wait_until_sent(&self, answers: usize, limit: Duration) -> bool {
        self.shared.wait(limit, |state| state.sent >= answers)
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
        // Wakes the listener, which looks at the flag.
        let _ = TcpStream::connect(self.address);
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.lock().stopped {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            let outcome = serve(&stream, &shared);
            let mut state = shared.lock();
            state.abandoned += usize::from(outcome.is_err());
            drop(state);
            shared.changed.notify_all();
        });
    }
}

/// One connection: an error means that the client did not stay for the whole answer.
fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    shared.lock().connections += 1;
    let request = read_request(stream, shared)?;
    let answer = if request.path == "/_requests" {
        asked_so_far(&shared.lock().requests)
    } else {
        let mut state = shared.lock();
        let seen = state.requests.iter().filter(|r| r.path == request.path).count();
        let scripted = state
            .scripts
            .get(&request.path)
            .and_then(|answers| answers.get(seen).or(answers.last()).cloned());
        state.requests.push(request.clone());
        drop(state);
        shared.changed.notify_all();
        scripted.unwrap_or_else(|| (shared.handler)(&request, seen))
    };
    let last = answer.steps.len();
    for (index, step) in answer.steps.into_iter().enumerate() {
        if matches!(step, Step::Stall) {
            note_sent(shared);
        }
        perform(step, stream, shared)?;
        if index + 1 == last {
            note_sent(shared);
        }
    }
    Ok(())
}

fn note_sent(shared: &Shared) {
    shared.lock().sent += 1;
    shared.changed.notify_all();
}

/// What a test of another process asks for; it is not recorded itself.
fn asked_so_far(requests: &[Recorded]) -> Answer {
    let list: Vec<_> = requests
        .iter()
        .map(|request| {
            serde_json::json!({
                "method": request.method,
                "path": request.path,
                "headers": request.headers,
                "body": String::from_utf8_lossy(&request.body),
            })
        })
        .collect();
    Answer::json(200, &serde_json::Value::from(list).to_string())
}

fn perform(step: Step, mut stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    match step {
        Step::Send(bytes) => stream.write_all(&bytes),
        Step::Repeat { bytes, times } => {
            for _ in 0..times {
                if shared.lock().stopped {
                    return Ok(());
                }
                stream.write_all(&bytes)?;
            }
            Ok(())
        }
        Step::Drip { bytes, every } => {
            for byte in bytes {
                stream.write_all(&[byte])?;
                wait(stream, shared, every)?;
            }
            Ok(())
        }
        Step::Wait(time) => wait(stream, shared, time),
        Step::Stall => wait(stream, shared, Duration::MAX),
    }
}

/// Waits, unless the server stops, or the client goes, which is an error.
fn wait(mut stream: &TcpStream, shared: &Shared, time: Duration) -> io::Result<()> {
    let start = Instant::now();
    stream.set_read_timeout(Some(LOOK))?;
    while start.elapsed() < time {
        if shared.lock().stopped {
            return Ok(());
        }
        match stream.read(&mut [0; 64]) {
            Ok(0) => return Err(io::ErrorKind::ConnectionAborted.into()),
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock
                        | io::ErrorKind::TimedOut
                        | io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn read_request(mut stream: &TcpStream, shared: &Shared) -> io::Result<Recorded> {
    stream.set_read_timeout(Some(LOOK))?;
    let mut bytes = vec![];
    let mut wanted = None;
    let mut buffer = [0; 64 * 1024];
    loop {
        if wanted.is_none()
            && let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n")
        {
            wanted = Some(end + 4 + content_length(&bytes[..end]));
        }
        if wanted.is_some_and(|wanted| bytes.len() >= wanted) {
            break;
        }
        if bytes.len() > MAX_HEAD + MAX_BODY || shared.lock().stopped {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match stream.read(&mut buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(got) => bytes.extend_from_slice(&buffer[..got]),
            Err(error)
                if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    Ok(Recorded {
        method: first.next().unwrap_or_default().to_owned(),
        path: first.next().unwrap_or_default().to_owned(),
        headers: lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect(),
        body: bytes.get(end + 4..).unwrap_or_default().to_vec(),
    })
}

fn content_length(head: &[u8]) -> usize {
    String::from_utf8_lossy(head)
        .split("\r\n")
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0)
}
