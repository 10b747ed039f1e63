//! A web server that answers as it is told, also with lies: for what downloads.

use crate::tls::{Certificate, server_config};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What was asked.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

/// The body of an answer, true or not.
#[derive(Debug, Clone)]
pub enum Body {
    Bytes(Vec<u8>),
    /// So many bytes, in chunks and without saying how many.
    Chunked(u64),
    /// A length is promised, and after these bytes the connection is closed.
    Short {
        promised: u64,
        bytes: Vec<u8>,
    },
    /// A length is promised, and one byte comes after each such pause.
    Drip {
        promised: u64,
        pause: Duration,
    },
    /// A length is promised, and nothing comes.
    Silent {
        promised: u64,
    },
}

impl Answer {
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, headers: vec![], body: Body::Bytes(body.into()) }
    }

    pub fn status(status: u16) -> Self {
        Self { status, headers: vec![], body: Body::Bytes(vec![]) }
    }

    pub fn redirect(to: &str) -> Self {
        Self { headers: vec![("location".into(), to.into())], ..Self::status(302) }
    }

    pub fn odd(body: Body) -> Self {
        Self { body, ..Self::status(200) }
    }
}

type Handler = dyn Fn(&Request) -> Answer + Send + Sync;

/// A running server. It ends when it is dropped.
pub struct WebServer {
    address: SocketAddr,
    is_https: bool,
    requests: Arc<Mutex<Vec<Request>>>,
    connections: Arc<Mutex<usize>>,
    stopped: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
}

impl WebServer {
    /// For `localhost` and 127.0.0.1, with a certificate of [`crate::tls::AUTHORITY`].
    pub fn https(handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::start(Some(server_config(Certificate::Local)), Arc::new(handler))
    }

    pub fn http(handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::start(None, Arc::new(handler))
    }

    /// Serves the bare repositories below a folder by git's own protocol.
    pub fn git(root: &camino::Utf8Path) -> Self {
        let root = root.to_owned();
        Self::https(move |request| git_backend(&root, request))
    }

    fn start(tls: Option<Arc<ServerConfig>>, handler: Arc<Handler>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        let address = listener.local_addr().expect("a bound address");
        let (is_https, stopped) = (tls.is_some(), Arc::new(AtomicBool::new(false)));
        let requests = Arc::new(Mutex::new(vec![]));
        let connections = Arc::new(Mutex::new(0));
        let (stop, seen, count) =
            (Arc::clone(&stopped), Arc::clone(&requests), Arc::clone(&connections));
        let listener = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                *count.lock().expect("no panic") += 1;
                let (tls, handler) = (tls.clone(), Arc::clone(&handler));
                let (stop, seen) = (Arc::clone(&stop), Arc::clone(&seen));
                // An error is a client that went away, as many here are meant to.
                std::thread::spawn(move || connection(stream, tls, &handler, &seen, &stop));
            }
        });
        Self { address, is_https, requests, connections, stopped, listener: Some(listener) }
    }

    /// `https://HOST:PORT`.
    pub fn url_at(&self, host: &str) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        format!("{scheme}://{host}:{}", self.address.port())
    }

    /// `https://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        self.url_at("127.0.0.1")
    }

    /// Every request that came so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no panic").clone()
    }

    /// How many connections there were, with or without a request.
    pub fn connections(&self) -> usize {
        *self.connections.lock().expect("no panic")
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

fn connection(
    mut stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    handler: &Arc<Handler>,
    seen: &Mutex<Vec<Request>>,
    stop: &AtomicBool,
) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.set_write_timeout(Some(Duration::from_secs(60)))?;
    match tls {
        None => serve(&mut stream, handler, seen, stop),
        Some(config) => {
            let connection = ServerConnection::new(config).map_err(io::Error::other)?;
            let mut stream = StreamOwned::new(connection, stream);
            let served = serve(&mut stream, handler, seen, stop);
            stream.conn.send_close_notify();
            stream.flush()?;
            served
        }
    }
}

/// Answers one request and closes.
fn serve(
    stream: &mut (impl Read + Write),
    handler: &Arc<Handler>,
    seen: &Mutex<Vec<Request>>,
    stop: &AtomicBool,
) -> io::Result<()> {
    let request = read_request(stream)?;
    let answer = handler(&request);
    seen.lock().expect("no panic").push(request);
    let mut head = format!("HTTP/1.1 {} Told\r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &match &answer.body {
        Body::Bytes(bytes) => format!("content-length: {}\r\n\r\n", bytes.len()),
        Body::Chunked(_) => "transfer-encoding: chunked\r\n\r\n".to_owned(),
        Body::Short { promised, .. } | Body::Drip { promised, .. } | Body::Silent { promised } => {
            format!("content-length: {promised}\r\n\r\n")
        }
    };
    stream.write_all(head.as_bytes())?;
    match answer.body {
        Body::Bytes(bytes) | Body::Short { bytes, .. } => stream.write_all(&bytes)?,
        Body::Chunked(mut left) => {
            let piece = [b'x'; 64 * 1024];
            while left > 0 && !stop.load(Ordering::SeqCst) {
                let size = left.min(piece.len() as u64);
                stream.write_all(format!("{size:x}\r\n").as_bytes())?;
                stream.write_all(&piece[..usize::try_from(size).expect("small")])?;
                stream.write_all(b"\r\n")?;
                left -= size;
            }
            stream.write_all(b"0\r\n\r\n")?;
        }
        Body::Drip { promised, pause } => {
            // A client that has had enough makes the write fail.
            for _ in 0..promised {
                stream.write_all(b"x")?;
                stream.flush()?;
                std::thread::sleep(pause);
            }
        }
        Body::Silent { .. } => {
            stream.flush()?;
            // Until the client has had enough.
            let mut byte = [0];
            loop {
                match stream.read(&mut byte) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
        }
    }
    stream.flush()
}

fn read_request(stream: &mut impl Read) -> io::Result<Request> {
    let mut bytes = vec![];
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        if bytes.len() > 64 * 1024 || stream.read(&mut byte)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        bytes.push(byte[0]);
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    let mut first = lines.next().unwrap_or_default().split(' ');
    let method = first.next().unwrap_or_default().to_owned();
    let target = first.next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let (path, query) = (path.to_owned(), query.to_owned());
    let mut request = Request { method, path, query, headers, body: vec![] };
    let length = request.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    request.body = vec![0; length];
    stream.read_exact(&mut request.body)?;
    Ok(request)
}

/// One call of git's own program for servers.
fn git_backend(root: &camino::Utf8Path, request: &Request) -> Answer {
    let mut backend = Command::new("git");
    backend
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("REQUEST_METHOD", &request.method)
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("CONTENT_TYPE", request.header("content-type").unwrap_or_default())
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", request.header("content-encoding").unwrap_or_default())
        .env("GIT_PROTOCOL", request.header("git-protocol").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = backend.spawn().expect("git is installed");
    let mut stdin = child.stdin.take().expect("a pipe");
    let body = request.body.clone();
    let feeder = std::thread::spawn(move || stdin.write_all(&body));
    let out = child.wait_with_output().expect("it ends").stdout;
    let _ = feeder.join();
    let end = out.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(out.len());
    let head = String::from_utf8_lossy(&out[..end]).into_owned();
    let mut answer = Answer::ok(out.get(end + 4..).unwrap_or_default());
    for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
        match name {
            "Status" => answer.status = value[..3].parse().expect("a number"),
            _ => answer.headers.push((name.to_owned(), value.to_owned())),
        }
    }
    answer
}
