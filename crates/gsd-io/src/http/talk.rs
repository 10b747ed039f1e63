//! The talking side of an exchange: one ureq agent for one request, on a thread of its own.
//!
//! Nothing here keeps a limit but as a second line; see the waiting side for who does.

use super::watch::{Addresses, Seen, Watch, refuse};
use super::{
    Authorization, Coding, HttpLimits, Method, Reach, Request, Roots, SafeUrl, Unreachable, Via,
};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use ureq::http::{Uri, header};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::{
    ConnectProxyConnector, Connector, RustlsConnector, TcpConnector,
};
use ureq::{Agent, Error, SendBody};
use url::Host;

/// How much later than the waiting side's limits ureq's own pass.
const SLACK: Duration = Duration::from_millis(500);
const CHUNK: usize = 16 * 1024;
pub(super) const MAX_HEAD: usize = 64 * 1024;

/// What the talking thread reports.
pub(super) enum Event {
    Head(Head),
    Chunk(Vec<u8>),
    BodyEnded,
    Failed(Error),
}

pub(super) struct Head {
    pub(super) status: u16,
    pub(super) content_type: String,
    pub(super) content_encoding: String,
    pub(super) content_length: Option<u64>,
    pub(super) retry_after: Option<Duration>,
    pub(super) location: Option<String>,
}

/// The talking thread, seen from the waiting one. Dropping it shuts the sockets.
pub(super) struct Line {
    pub(super) events: Receiver<Event>,
    pub(super) agent: Agent,
    pub(super) url: SafeUrl,
    pub(super) coding: Coding,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.agent.clone().shutdown();
    }
}

/// Checks what can be checked without the network and starts the thread that talks.
pub(super) fn talk(
    request: Request,
    limits: &HttpLimits,
    progress: &Arc<Seen>,
) -> Result<Line, Unreachable> {
    if request.reach == Reach::ThisMachine && !request.url.is_loopback() {
        return Err(Unreachable::NotThisMachine);
    }
    let literal = match request.url.url().host() {
        Some(Host::Ipv4(address)) => Some(address.into()),
        Some(Host::Ipv6(address)) => Some(address.into()),
        Some(Host::Domain(_)) | None => None,
    };
    if let Some(refusal) = literal.and_then(|address| refuse(request.reach, address)) {
        return Err(refusal);
    }
    let uri: Uri =
        request.url.expose().parse().map_err(|_| {
            Unreachable::Network("the address has characters HTTP cannot send".into())
        })?;
    let agent = agent(&request, limits, progress, &uri)?;
    let (url, coding) = (request.url.clone(), request.coding);
    let (sender, events) = sync_channel(4);
    let (talker, seen) = (agent.clone(), Arc::clone(progress));
    std::thread::Builder::new()
        .name("http".into())
        .spawn(move || speak(&talker, request, uri, &seen, &sender))
        .map_err(|error| Unreachable::Network(error.to_string()))?;
    Ok(Line { events, agent, url, coding })
}

/// An agent for this one request: no pool, no redirects, no proxy from the environment.
fn agent(
    request: &Request,
    limits: &HttpLimits,
    progress: &Arc<Seen>,
    target: &Uri,
) -> Result<Agent, Unreachable> {
    let roots = match &request.roots {
        Roots::BuiltIn => RootCerts::WebPki,
        Roots::Pem(text) => RootCerts::new_with_certs(&certificates(text)?),
    };
    let proxy = match &request.via {
        // A proxy would see what is only meant for this machine, and cannot reach it anyway.
        _ if request.url.is_loopback() => None,
        Via::Direct => None,
        Via::Proxy(address) => Some(
            ureq::Proxy::new(address.expose())
                .map_err(|_| Unreachable::Proxy("its address is not valid".into()))?,
        ),
    };
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(proxy)
        .max_idle_connections(0)
        .max_response_header_size(MAX_HEAD)
        .user_agent(concat!("gsd/", env!("CARGO_PKG_VERSION")))
        .tls_config(TlsConfig::builder().root_certs(roots).build())
        .timeout_resolve(Some(limits.connect + SLACK))
        .timeout_connect(Some(limits.connect + SLACK))
        .timeout_global(Some(limits.total + SLACK))
        .build();
    let connector =
        ().chain(ConnectProxyConnector::default())
            .chain(TcpConnector::default())
            .chain(RustlsConnector::default())
            .chain(Watch { progress: Arc::clone(progress), target: target.clone() });
    let addresses = Addresses {
        url: request.url.clone(),
        reach: request.reach,
        progress: Arc::clone(progress),
        target: target.clone(),
    };
    Ok(Agent::with_parts(config, connector, addresses))
}

fn certificates(pem: &[u8]) -> Result<Vec<ureq::tls::Certificate<'static>>, Unreachable> {
    let mut certificates = vec![];
    for item in parse_pem(pem) {
        match item {
            Ok(PemItem::Certificate(certificate)) => certificates.push(certificate),
            Ok(_) => {}
            Err(error) => return Err(Unreachable::Tls(error.to_string())),
        }
    }
    if certificates.is_empty() {
        return Err(Unreachable::Tls("the file of authorities has no certificate".into()));
    }
    Ok(certificates)
}

/// The talking thread. A send that fails means that nobody listens any more.
fn speak(agent: &Agent, request: Request, uri: Uri, seen: &Seen, events: &SyncSender<Event>) {
    let mut response = match ask(agent, request, uri) {
        Ok(response) => response,
        Err(error) => {
            let _ = events.send(Event::Failed(error));
            return;
        }
    };
    seen.lock().head_done = true;
    if events.send(Event::Head(head(&response))).is_err() {
        return;
    }
    let mut reader = response.body_mut().as_reader();
    loop {
        let mut chunk = vec![0; CHUNK];
        let event = match reader.read(&mut chunk) {
            Ok(0) => Event::BodyEnded,
            Ok(got) => {
                chunk.truncate(got);
                Event::Chunk(chunk)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Event::Failed(error.into()),
        };
        let last = !matches!(event, Event::Chunk(_));
        if events.send(event).is_err() || last {
            return;
        }
    }
}

fn ask(
    agent: &Agent,
    request: Request,
    uri: Uri,
) -> Result<ureq::http::Response<ureq::Body>, Error> {
    let accept_encoding = match request.coding {
        Coding::Decoded => "gzip, deflate",
        Coding::AsSent => "identity",
    };
    let mut builder = ureq::http::Request::builder()
        .uri(uri)
        .header(header::ACCEPT, request.accept)
        .header(header::ACCEPT_ENCODING, accept_encoding)
        .header(header::CONNECTION, "close");
    if let Authorization::Bearer(key) = &request.authorization {
        builder = builder.header(header::AUTHORIZATION, format!("Bearer {}", key.expose()));
    }
    match request.method {
        Method::Get => agent.run(builder.method("GET").body(SendBody::none())?),
        Method::PostJson(body) => agent.run(
            builder.method("POST").header(header::CONTENT_TYPE, "application/json").body(body)?,
        ),
    }
}

fn head(response: &ureq::http::Response<ureq::Body>) -> Head {
    let text = |name: header::HeaderName| {
        let value = response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
    };
    Head {
        status: response.status().as_u16(),
        content_type: text(header::CONTENT_TYPE).unwrap_or_default(),
        content_encoding: text(header::CONTENT_ENCODING).unwrap_or_default(),
        content_length: text(header::CONTENT_LENGTH).and_then(|text| text.parse().ok()),
        retry_after: text(header::RETRY_AFTER)
            .and_then(|text| text.parse().ok())
            .map(Duration::from_secs),
        location: text(header::LOCATION),
    }
}
