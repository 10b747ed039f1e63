//! The model server as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

fn ask(base: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(base.strip_prefix("http://").unwrap()).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_prints_its_address_and_ends_with_its_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fake-model-server"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut base = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut base).unwrap();
    let base = base.trim();
    assert!(ask(base, "/v1/models").contains("\"m1\""));
    assert!(ask(base, "/f/loading/v1/models").starts_with("HTTP/1.1 503 "));
    let asked = ask(base, "/_requests");
    assert!(asked.contains(r#""path":"/v1/models""#), "{asked}");
    assert!(!asked.contains(r#""path":"/_requests""#), "{asked}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}
