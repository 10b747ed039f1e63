//! A server on this machine that answers as it is told: for trying out what asks servers.
//!
//! One thread takes one connection after another and reads one request from each. It ends, with
//! every wait of it, when the value is dropped.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// What is sent back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    bytes: Vec<u8>,
    stalls: bool,
}

impl Reply {
    /// A whole answer.
    pub fn new(status: u16, kind: &str, body: &[u8]) -> Self {
        let head = format!(
            "HTTP/1.1 {status} Stand-In\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n",
            body.len()
        );
        Self { bytes: [head.as_bytes(), body].concat(), stalls: false }
    }

    /// An answer that sends its caller elsewhere.
    pub fn redirect(to: &str) -> Self {
        let head = format!(
            "HTTP/1.1 307 Stand-In\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
        Self { bytes: head.into_bytes(), stalls: false }
    }

    /// The beginning of an answer, after which nothing comes.
    pub fn stall(begin: &[u8]) -> Self {
        let head = "HTTP/1.1 200 Stand-In\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n";
        Self { bytes: [head.as_bytes(), begin].concat(), stalls: true }
    }
}

/// A running server.
#[derive(Debug)]
pub struct StandIn {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    requests: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

/// How long one read or write may take, and how often a stall looks whether it is over.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(20);
const MAX_REQUEST: usize = 64 << 20;

impl StandIn {
    /// Starts a server that hands the first line of each request to `answer`.
    pub fn start(answer: impl Fn(&str) -> Reply + Send + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (stopped, requests) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let (stop, count): (_, Arc<AtomicUsize>) = (Arc::clone(&stopped), Arc::clone(&requests));
        let thread = std::thread::Builder::new().name("stand-in".into()).spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(mut stream) = stream else { continue };
                // A caller that goes away is no fault of the server.
                let _ = serve(&mut stream, &answer, &count, &stop);
            }
        })?;
        Ok(Self { address, stopped, requests, thread: Some(thread) })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests that came so far.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // The thread waits for a connection; this is one.
        let _ = TcpStream::connect_timeout(&self.address, PATIENCE);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(
    stream: &mut TcpStream,
    answer: &dyn Fn(&str) -> Reply,
    requests: &AtomicUsize,
    stop: &AtomicBool,
) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = read_request(stream)?;
    requests.fetch_add(1, Ordering::SeqCst);
    let text = String::from_utf8_lossy(&request);
    let reply = answer(text.lines().next().unwrap_or_default());
    stream.write_all(&reply.bytes)?;
    stream.flush()?;
    stream.set_read_timeout(Some(LOOK))?;
    let mut byte = [0];
    while reply.stalls && !stop.load(Ordering::SeqCst) {
        match stream.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads the head, and the body that it announces.
fn read_request(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut request = vec![];
    let mut part = [0; 64 * 1024];
    let mut needed = None;
    loop {
        if needed.is_none()
            && let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&request[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length = length.and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(0);
            needed = Some((end + 4).saturating_add(length).min(MAX_REQUEST));
        }
        if needed.is_some_and(|needed| request.len() >= needed) || request.len() >= MAX_REQUEST {
            return Ok(request);
        }
        match stream.read(&mut part)? {
            0 => return Ok(request),
            count => request.extend_from_slice(&part[..count]),
        }
    }
}
