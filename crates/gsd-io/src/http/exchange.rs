//! Runs one exchange: a thread talks, the caller's thread waits, counts and decodes.
//!
//! ureq has limits for single reads, for phases and for the whole, but none that a cancel can end,
//! none on the bytes as they came, and its limit on reads would also cut a first byte that is
//! allowed to take longer than the gaps after it. So the limits are kept here, by the thread that
//! waits. It ends the talk by shutting the sockets, and ureq's own limits, set a little later, only
//! make sure that the thread which was left behind ends as well.

use super::body::{self, Decoded, Encoding, Sink};
use super::talk::{Event, Head, Line, MAX_HEAD, talk};
use super::watch::{Seen, State};
use super::{
    Cap, Coding, End, Exchange, Fault, HttpLimits, Partial, Phase, Progress, Redirect, Request,
    Response, TooLarge, Unreachable,
};
use crate::cancel::Cancel;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use ureq::Error;

/// How soon a cancel is seen.
const TICK: Duration = Duration::from_millis(50);

/// Why the waiting thread stopped listening.
enum Stop {
    TimedOut(Phase),
    Cancelled,
    OverCompressed,
    Failed(Error),
}

/// How often the caller hears of a running exchange.
const REPORT: Duration = Duration::from_millis(500);

/// Sends one request and waits for its end. `cancel` is looked at every 50 ms or more often.
pub fn send(
    request: Request,
    limits: &HttpLimits,
    cancel: &Cancel,
    on_progress: &mut dyn FnMut(Progress),
) -> Exchange {
    exchange(request, limits, cancel, on_progress, Sink::Memory(vec![]))
}

/// As [`send`], with the decoded body of the answer appended to a file, whatever its status, so
/// that memory holds no more than a few buffers of it.
pub fn save(request: Request, limits: &HttpLimits, cancel: &Cancel, to: &mut File) -> Exchange {
    exchange(request, limits, cancel, &mut |_| (), Sink::file(to))
}

fn exchange(
    request: Request,
    limits: &HttpLimits,
    cancel: &Cancel,
    on_progress: &mut dyn FnMut(Progress),
    sink: Sink<'_>,
) -> Exchange {
    let (start, limits) = (Instant::now(), &limits.clamped());
    let progress = Arc::new(Seen::default());
    let received = Cell::new(0);
    let end = if cancel.is_cancelled() {
        End::Cancelled { partial: Partial::Nothing }
    } else {
        match talk(request, limits, &progress) {
            Ok(line) => {
                let pulse = Pulse {
                    reported: Cell::new(start),
                    last: Cell::new(start),
                    received: &received,
                    on_progress: RefCell::new(on_progress),
                };
                let stretch = Cell::new((start, 0));
                let call =
                    Call { line, start, limits, cancel, progress: &progress, pulse, stretch };
                call.listen(sink)
            }
            Err(unreachable) => End::Unreachable(unreachable),
        }
    };
    let state = progress.lock();
    Exchange {
        end,
        elapsed: start.elapsed(),
        connected_after: state.connected.map(|at| at - start),
        first_byte_after: state.first_byte.map(|at| at - start),
        sent: state.sent,
        received: received.get(),
    }
}

/// The waiting side of an exchange.
struct Call<'a> {
    line: Line,
    start: Instant,
    limits: &'a HttpLimits,
    cancel: &'a Cancel,
    progress: &'a Seen,
    pulse: Pulse<'a>,
    /// When the present stretch of the body began, and what had come by then.
    stretch: Cell<(Instant, u64)>,
}

/// What the caller is told while it waits.
struct Pulse<'a> {
    reported: Cell<Instant>,
    last: Cell<Instant>,
    received: &'a Cell<u64>,
    on_progress: RefCell<&'a mut dyn FnMut(Progress)>,
}

impl Pulse<'_> {
    fn note(&self, event: &Event, now: Instant) {
        self.last.set(now);
        if let Event::Chunk(chunk) = event {
            self.received.set(self.received.get() + chunk.len() as u64);
        }
    }

    fn beat(&self, start: Instant, now: Instant) {
        if now - self.reported.get() < REPORT {
            return;
        }
        self.reported.set(now);
        (self.on_progress.borrow_mut())(Progress {
            elapsed: now - start,
            received: self.received.get(),
            silent_for: now - self.last.get(),
        });
    }
}

impl Call<'_> {
    fn listen(self, mut body: Sink<'_>) -> End {
        let received = self.pulse.received;
        let head = match self.head() {
            Ok(head) => head,
            Err(stop) => return self.ended(stop, None, vec![], received.get()),
        };
        if (300..400).contains(&head.status) {
            let target = head.location.as_deref().and_then(|to| self.line.url.resolve(to));
            return End::Redirect(Redirect { status: head.status, target });
        }
        let encoding = match self.line.coding {
            Coding::AsSent => Encoding::AsSent,
            Coding::Decoded => match Encoding::parse(&head.content_encoding) {
                Ok(encoding) => encoding,
                Err(name) => {
                    return End::Broken {
                        fault: Fault::UnknownEncoding(name),
                        partial: partial(&head, vec![]),
                    };
                }
            },
        };
        if head.content_length.is_some_and(|length| length > self.limits.max_compressed) {
            return self.ended(Stop::OverCompressed, Some(&head), vec![], 0);
        }
        let stop = RefCell::new(None);
        let wire = Wire { call: &self, rest: vec![], at: 0, ended: false, stop: &stop };
        let decoded = body::decode(wire, received, encoding, self.limits, &mut body);
        let body = body.into_bytes();
        if let Some(stop) = stop.into_inner() {
            return self.ended(stop, Some(&head), body, received.get());
        }
        let (cap, limit) = match decoded {
            Decoded::Whole => {
                return End::Response(Response {
                    status: head.status,
                    content_type: head.content_type,
                    retry_after: head.retry_after,
                    body,
                });
            }
            Decoded::Failed(name) => {
                let partial = partial(&head, body);
                return End::Broken { fault: Fault::Undecodable(name), partial };
            }
            Decoded::NotSaved(error) => {
                let fault = Fault::NotSaved(error);
                return End::Broken { fault, partial: partial(&head, body) };
            }
            Decoded::OverBody => (Cap::Decoded, self.limits.max_body),
            Decoded::OverRatio => (Cap::Ratio, self.limits.max_ratio),
        };
        End::TooLarge(TooLarge { cap, limit, partial: partial(&head, body) })
    }

    /// Waits for the head of the answer.
    fn head(&self) -> Result<Head, Stop> {
        loop {
            let (phase, deadline) = if self.progress.lock().connected.is_none() {
                (Phase::Connect, self.start + self.limits.connect)
            } else {
                (Phase::FirstByte, self.first_byte_deadline())
            };
            match self.tick(phase, deadline)? {
                Some(Event::Head(head)) => return Ok(head),
                Some(Event::Failed(error)) => return Err(Stop::Failed(error)),
                // Nothing of the body can come before the head.
                Some(Event::Chunk(_) | Event::BodyEnded) | None => {}
            }
        }
    }

    /// The limit that passes next while the body comes. A stretch that brought enough is followed by
    /// another one.
    fn body_deadline(&self) -> (Phase, Instant) {
        let now = Instant::now();
        let idle = (Phase::Idle, now + self.limits.idle);
        let Some(pace) = self.limits.pace else { return idle };
        let received = self.pulse.received.get();
        let (_, had) = self.stretch.get();
        if had == 0 || received - had >= pace.bytes {
            self.stretch.set((now, received));
        }
        let slow = self.stretch.get().0 + pace.within;
        if slow < idle.1 { (Phase::Pace, slow) } else { idle }
    }

    fn first_byte_deadline(&self) -> Instant {
        self.progress.lock().connected.unwrap_or(self.start) + self.limits.first_byte
    }

    /// The next event if it comes within a tick. Asks for a cancel first, and for the limits only
    /// if there is no event, so that what came in time counts however late this thread wakes.
    fn tick(&self, phase: Phase, deadline: Instant) -> Result<Option<Event>, Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let total = self.start + self.limits.total;
        let (phase, deadline) =
            if total < deadline { (Phase::Total, total) } else { (phase, deadline) };
        let now = Instant::now();
        self.pulse.beat(self.start, now);
        let left = deadline.saturating_duration_since(now);
        match self.line.events.recv_timeout(left.min(TICK)) {
            Ok(event) => {
                self.pulse.note(&event, Instant::now());
                Ok(Some(event))
            }
            Err(RecvTimeoutError::Timeout) if left.is_zero() => Err(Stop::TimedOut(phase)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            // The talking thread panicked inside a library.
            Err(RecvTimeoutError::Disconnected) => Err(Stop::Failed(Error::ConnectionFailed)),
        }
    }

    /// Turns a stop into the end of the exchange.
    fn ended(&self, stop: Stop, head: Option<&Head>, body: Vec<u8>, received: u64) -> End {
        let mut state = self.progress.lock();
        let partial = match head {
            Some(head) => partial(head, body),
            None if state.head.is_empty() => Partial::Nothing,
            None => Partial::Head(std::mem::take(&mut state.head)),
        };
        match stop {
            Stop::Cancelled => End::Cancelled { partial },
            Stop::TimedOut(phase) => self.timed_out(phase, partial),
            Stop::OverCompressed => End::TooLarge(TooLarge {
                cap: Cap::Compressed,
                limit: self.limits.max_compressed,
                partial,
            }),
            Stop::Failed(Error::Timeout(_)) => {
                // Only if this thread did not run for the length of the slack.
                let phase = match (state.connected, head) {
                    _ if self.start.elapsed() >= self.limits.total => Phase::Total,
                    (None, _) => Phase::Connect,
                    (Some(_), None) => Phase::FirstByte,
                    (Some(_), Some(_)) => Phase::Idle,
                };
                self.timed_out(phase, partial)
            }
            Stop::Failed(Error::LargeResponseHeader(..)) => {
                End::TooLarge(TooLarge { cap: Cap::Head, limit: MAX_HEAD as u64, partial })
            }
            Stop::Failed(error) if state.connected.is_none() => {
                End::Unreachable(unreachable(error, &mut state, self.line.url.is_https()))
            }
            Stop::Failed(error) => End::Broken { fault: fault(error, head, received), partial },
        }
    }

    fn timed_out(&self, phase: Phase, partial: Partial) -> End {
        let limit = match phase {
            Phase::Connect => self.limits.connect,
            Phase::FirstByte => self.limits.first_byte,
            Phase::Idle => self.limits.idle,
            Phase::Pace => self.limits.pace.map_or(self.limits.idle, |pace| pace.within),
            Phase::Total => self.limits.total,
        };
        End::TimedOut { phase, limit, partial }
    }
}

fn partial(head: &Head, bytes: Vec<u8>) -> Partial {
    Partial::Body { status: head.status, content_type: head.content_type.clone(), bytes }
}

/// Why there was no connection.
fn unreachable(error: Error, state: &mut State, https: bool) -> Unreachable {
    if let Some(refused) = state.refused.take() {
        return refused;
    }
    match error {
        Error::HostNotFound => Unreachable::UnknownHost,
        Error::ConnectProxyFailed(text) => Unreachable::Proxy(text),
        Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            Unreachable::Refused
        }
        // Before the connection stands, broken data and an early end can only be the handshake's.
        Error::Io(error)
            if https
                && matches!(
                    error.kind(),
                    io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
                ) =>
        {
            Unreachable::Tls(error.to_string())
        }
        Error::Io(error) => Unreachable::Network(error.to_string()),
        error @ (Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) | Error::TlsRequired) => {
            Unreachable::Tls(error.to_string())
        }
        error => Unreachable::Network(error.to_string()),
    }
}

/// What was wrong with the answer.
fn fault(error: Error, head: Option<&Head>, received: u64) -> Fault {
    match (error, head) {
        (Error::Io(_), None) => Fault::ClosedBeforeAnswer,
        (Error::Io(_), Some(head)) => match head.content_length {
            Some(announced) if received < announced => Fault::ShortBody { received, announced },
            Some(_) | None => Fault::BrokenBody { received },
        },
        (error, _) => Fault::NotHttp(error.to_string()),
    }
}

/// The body as it comes, as a reader that stops at the limits.
struct Wire<'a, 'b> {
    call: &'a Call<'b>,
    rest: Vec<u8>,
    at: usize,
    ended: bool,
    stop: &'a RefCell<Option<Stop>>,
}

impl Read for Wire<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.rest.len()
            && !self.ended
            && let Err(stop) = self.more()
        {
            self.ended = true;
            self.stop.replace(Some(stop));
        }
        if self.stop.borrow().is_some() {
            return Err(io::Error::other("stopped"));
        }
        let got = buffer.len().min(self.rest.len() - self.at);
        buffer[..got].copy_from_slice(&self.rest[self.at..self.at + got]);
        self.at += got;
        Ok(got)
    }
}

impl Wire<'_, '_> {
    /// Waits for the next piece, or for the end.
    fn more(&mut self) -> Result<(), Stop> {
        let (phase, deadline) = match self.call.pulse.received.get() {
            // A server that sends its head at once may still think for long about the first word.
            0 => (Phase::FirstByte, self.call.first_byte_deadline()),
            _ => self.call.body_deadline(),
        };
        loop {
            match self.call.tick(phase, deadline)? {
                Some(Event::Chunk(chunk)) => {
                    if self.call.pulse.received.get() > self.call.limits.max_compressed {
                        return Err(Stop::OverCompressed);
                    }
                    (self.rest, self.at) = (chunk, 0);
                    return Ok(());
                }
                Some(Event::BodyEnded) => {
                    self.ended = true;
                    return Ok(());
                }
                Some(Event::Failed(error)) => return Err(Stop::Failed(error)),
                // A second head cannot come.
                Some(Event::Head(_)) | None => {}
            }
        }
    }
}
