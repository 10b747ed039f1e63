//! Lanes that ask a model server, from the built program to another process over a real socket.

use crate::world::{Ran, gsd, lane, program, record};
use gsd_testkit::project::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// The model server as a process; it ends when its standard input does.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Self {
        let path = program().parent().unwrap().join("fake-model-server");
        if !path.exists() {
            // `cargo test -p gsd-cli` builds the programs of this package only.
            let built = Command::new(env!("CARGO"))
                .args(["build", "--quiet", "-p", "gsd-testkit", "--bin", "fake-model-server"])
                .status()
                .unwrap();
            assert!(built.success(), "the model server builds");
        }
        let mut child =
            Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, url: line.trim().to_owned() }
    }

    fn port(&self) -> &str {
        self.url.rsplit(':').next().unwrap()
    }

    /// What it was asked so far, from its own memory.
    fn requests(&self) -> Vec<Value> {
        let mut stream = TcpStream::connect(self.url.strip_prefix("http://").unwrap()).unwrap();
        write!(stream, "GET /_requests HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn review(host: &str) -> (World, Ran) {
    let world = World::new();
    world.small_phase();
    world.write(
        ".planning/config.json",
        &json!({ "review": { "llama_cpp_host": host } }).to_string(),
    );
    let ran = gsd(&world, &["review", "--phase", "3", "--llama-cpp"]);
    (world, ran)
}

#[test]
fn a_model_server_is_asked_for_its_models_and_then_once_for_a_review() {
    let server = Server::start();
    let (world, ran) = review(&server.url);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let record = record(&world);
    let lane = lane(&record, "llama_cpp");
    // It has findings, but says of neither plan which one they are about.
    assert_eq!((&lane["state"], &lane["proof"]), (&"incomplete".into(), &"delivered".into()));

    let requests = server.requests();
    let lines: Vec<String> = requests
        .iter()
        .map(|r| format!("{} {}", r["method"].as_str().unwrap(), r["path"].as_str().unwrap()))
        .collect();
    // One question tells that it is there, which models it has, and serves the whole run.
    assert_eq!(lines, ["GET /v1/models", "POST /v1/chat/completions"]);
    assert_eq!(lane["model_source"], "the server's list of models");
    assert_eq!(lane["program_sha256"], Value::Null);
    let body: Value =
        serde_json::from_str(requests.last().unwrap()["body"].as_str().unwrap()).unwrap();
    let prompt = body["messages"][0]["content"].as_str().unwrap();
    let whole = json!({
        "model": "m1",
        "messages": [{ "role": "user", "content": prompt }],
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    assert_eq!(body, whole);
    assert_eq!(lane["sizes"]["prompt"], prompt.len());
    assert!(prompt.contains("03-01-PLAN.md") && prompt.contains("03-02-PLAN.md"));
    let headers = requests.last().unwrap()["headers"].to_string();
    assert!(!headers.contains("authorization"), "no key goes to a local server: {headers}");
}

#[test]
fn a_host_on_another_machine_is_asked_nothing() {
    let server = Server::start();
    let world = World::new();
    world.small_phase();
    world.write(
        ".planning/config.json",
        &json!({ "review": { "llama_cpp_host": "http://192.0.2.7:8080" } }).to_string(),
    );
    // As its proxy, the server would see even a request that asks for a name to be looked up.
    let mut command =
        crate::world::command(&world, &["review", "--phase", "3", "--llama-cpp", "--json"]);
    for name in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"] {
        command.env(name, &server.url);
    }
    let ran = crate::world::ran(command.output().unwrap());
    assert_eq!(ran.code, 11, "{}{}", ran.stdout, ran.stderr);
    let document = ran.json();
    let message = document["message"].as_str().unwrap();
    assert!(message.contains("llama_cpp") && message.contains("nobody approved"), "{document}");
    assert!(!world.root().join(".planning/phases/03-notes/03-REVIEWS.md").exists());
    assert_eq!(gsd(&world, &["review", "--phase", "3"]).code, 0);
    let record = record(&world);
    let lane = lane(&record, "llama_cpp");
    assert_eq!((&lane["state"], &lane["reason"]), (&"blocked".into(), &"not-consented".into()));
    assert_eq!(server.requests(), Vec::<Value>::new());
}

#[test]
fn a_redirect_is_not_followed() {
    let (server, other) = (Server::start(), Server::start());
    let (world, named) = review(&format!("{}/f/redirect-307:{}", server.url, other.port()));
    assert_eq!(named.code, 11, "{}{}", named.stdout, named.stderr);
    assert!(named.stderr.contains("redirects to"), "{}", named.stderr);
    // Unnamed, it is one lane of many, and the record says why it gave nothing.
    assert_eq!(gsd(&world, &["review", "--phase", "3"]).code, 0);
    let record = record(&world);
    let lane = lane(&record, "llama_cpp");
    assert_eq!((&lane["state"], &lane["reason"]), (&"blocked".into(), &"redirect".into()));
    assert_eq!(other.requests(), Vec::<Value>::new());
}
