//! Where prompts may go: approvals, keys, proxies and authorities, from the built program to real
//! servers.
//!
//! `0.0.0.0` is no loopback address, so it needs an approval like any machine elsewhere; Linux and
//! macOS nevertheless connect it to this machine, where the servers of a test listen.
//!
//! `../scenarios.md` says where each scenario is tested.

use crate::world::{Ran, command, gsd, lane, ran, record};
use camino::Utf8Path;
use gsd_testkit::model_server::{Answer, ModelServer, REVIEW};
use gsd_testkit::project::World;
use serde_json::{Value, json};

mod address;
mod approvals;
mod key;
mod question;
mod redaction;
mod way;

const CHAT: &str = "/v1/chat/completions";
const MODELS: &str = "/v1/models";
const REPORT: &str = ".planning/phases/03-notes/03-REVIEWS.md";

/// A server with one model and a good review.
fn server() -> ModelServer {
    ModelServer::scripted([
        (MODELS, vec![Answer::models(&["m1"])]),
        (CHAT, vec![Answer::completion("m1", &review(""), 5000)]),
    ])
}

/// A review that names both plans, and something more.
fn review(more: &str) -> String {
    format!("{REVIEW}\n\n03-01 and 03-02 were read.\n{more}\n")
}

/// A server on this machine under an address that is not of this machine.
fn elsewhere(server: &ModelServer) -> String {
    server.url_at("0.0.0.0")
}

/// A project whose own settings are these, below `review`.
fn project(review: Value) -> World {
    let world = World::new();
    world.small_phase();
    configure(&world, review);
    world
}

fn configure(world: &World, review: Value) {
    world.write(".planning/config.json", &json!({ "review": review }).to_string());
}

/// The user's own settings, below `review`.
fn of_user(world: &World, review: Value) {
    write_home(world, "defaults.json", &json!({ "review": review }).to_string());
}

fn write_home(world: &World, name: &str, text: &str) {
    let folder = world.home().join(".gsd");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

fn hosts_file(world: &World) -> camino::Utf8PathBuf {
    world.home().join(".gsd/hosts.json")
}

fn ollama(world: &World) -> Ran {
    gsd(world, &["review", "--phase", "3", "--ollama"])
}

fn approve(world: &World) {
    let ran = gsd(world, &["review", "trust-host", "ollama", "--yes"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

/// State and reason of a lane that nobody named, in the record of a run.
fn unnamed(world: &World) -> (String, String, String) {
    let ran = gsd(world, &["review", "--phase", "3"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let record = record(world);
    let lane = lane(&record, "ollama");
    let text = |field: &str| lane[field].as_str().unwrap_or_default().to_owned();
    (text("state"), text("reason"), text("message"))
}

/// Every text that a run left behind or said.
fn everything(world: &World, ran: &Ran) -> String {
    let mut all = format!("{}{}", ran.stdout, ran.stderr);
    let mut folders = vec![world.root(), world.home()];
    while let Some(folder) = folders.pop() {
        for entry in Utf8Path::new(&folder).read_dir_utf8().unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path().to_owned());
            } else {
                all += &String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap());
            }
        }
    }
    all
}
