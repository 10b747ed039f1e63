//! The model server as a process of its own, for end-to-end tests.
//!
//! Listens at the address that is its argument, else at a free loopback port. Prints its address as one line, then answers until its standard input ends. `GET /_requests`
//! gives what it was asked so far as a JSON list; `GET /_requests` itself is not in it.

use gsd_testkit::model_server::ModelServer;
use std::io::{self, Write};

fn main() -> io::Result<()> {
    let server = match std::env::args().nth(1) {
        Some(address) => ModelServer::preset_at(&address),
        None => ModelServer::preset(),
    };
    let mut out = io::stdout();
    writeln!(out, "http://{}", server.address())?;
    out.flush()?;
    // The test holds the other end: its death ends this process too.
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}
