//! TLS in front of a plain server, with certificates of a test authority.
//!
//! The keys beside this file guard nothing: whoever trusts the authority is a test.

use crate::model_server::ModelServer;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The certificate of the authority, as `SSL_CERT_FILE` would hold it.
pub const AUTHORITY: &str = include_str!("tls/authority.pem");

/// Which certificate a server shows. All are signed by [`AUTHORITY`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certificate {
    /// For `localhost` and 127.0.0.1.
    Local,
    /// For `other.example`.
    Other,
    /// For `localhost`, until 2001.
    Expired,
}

impl Certificate {
    fn pem(self) -> &'static [u8] {
        match self {
            Self::Local => include_bytes!("tls/local.pem"),
            Self::Other => include_bytes!("tls/other.pem"),
            Self::Expired => include_bytes!("tls/expired.pem"),
        }
    }
}

/// What a server needs to show a certificate.
pub(crate) fn server_config(certificate: Certificate) -> Arc<ServerConfig> {
    let chain = CertificateDer::pem_slice_iter(certificate.pem());
    let chain = chain.collect::<Result<Vec<_>, _>>().expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(certificate.pem()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .expect("a server");
    Arc::new(config)
}

/// A running front. It ends when it is dropped.
pub struct TlsFront {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
}

impl TlsFront {
    /// Passes on to `server` what comes over TLS.
    pub fn of(server: &ModelServer, certificate: Certificate) -> Self {
        let (config, behind) = (server_config(certificate), server.port());
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        let address = listener.local_addr().expect("a bound address");
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        let listener = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let (config, stop) = (Arc::clone(&config), Arc::clone(&stop));
                // An error is a client that went away or refused the certificate.
                std::thread::spawn(move || pass_on(stream, config, behind, &stop));
            }
        });
        Self { address, stopped, listener: Some(listener) }
    }

    /// `https://HOST:PORT`.
    pub fn url_at(&self, host: &str) -> String {
        format!("https://{host}:{}", self.address.port())
    }
}

impl Drop for TlsFront {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

/// Copies in both directions, a little of each in turn, until the server behind has ended.
fn pass_on(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    behind: u16,
    stop: &AtomicBool,
) -> io::Result<()> {
    let turn = Some(Duration::from_millis(5));
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut client = StreamOwned::new(connection, stream);
    while client.conn.is_handshaking() {
        client.conn.complete_io(&mut client.sock)?;
    }
    client.sock.set_read_timeout(turn)?;
    let mut server = TcpStream::connect(("127.0.0.1", behind))?;
    server.set_read_timeout(turn)?;
    let mut buffer = [0; 16 * 1024];
    let waits =
        |error: &io::Error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
    while !stop.load(Ordering::SeqCst) {
        match client.read(&mut buffer) {
            Ok(0) => break,
            Ok(got) => server.write_all(&buffer[..got])?,
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error),
        }
        match server.read(&mut buffer) {
            Ok(0) => break,
            Ok(got) => client.write_all(&buffer[..got])?,
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error),
        }
    }
    client.conn.send_close_notify();
    client.flush()?;
    client.sock.shutdown(Shutdown::Both)
}
