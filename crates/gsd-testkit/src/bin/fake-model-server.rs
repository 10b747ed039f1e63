//! The model server as a process of its own, for end-to-end tests.
//!
//! Prints its address as one line, then answers until its standard input ends. `GET /_requests`
//! gives what it was asked so far as a JSON list; `GET /_requests` itself is not in it.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    let server = gsd_testkit::model_server::ModelServer::preset();
    let mut out = io::stdout();
    writeln!(out, "{}", server.url())?;
    out.flush()?;
    // The test holds the other end: its death ends this process too.
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}
