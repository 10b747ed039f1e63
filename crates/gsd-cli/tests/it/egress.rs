//! Where prompts may go: approvals, keys, proxies and authorities, from the built program to real
//! servers.
//!
//! `0.0.0.0` is no loopback address, so it needs an approval like any machine elsewhere; Linux and
//! macOS nevertheless connect it to this machine, where the servers of a test listen.
//!
//! What somebody who knows only the contract would try on servers, and where it is tested: `engine`
//! is `gsd-engine/tests/it`, `io` is `gsd-io/tests/it`, the rest is here. `docs/explanation/
//! what-leaves-this-machine.md` has the same for the faults that users of such servers reported.
//!
//! | Scenario | In words | Test |
//! | --- | --- | --- |
//! | RT-20, RT-21 | a stall, a head byte by byte: ended by the limit that is meant | `engine::openai_http::answers`, `io::http` |
//! | RT-22, RT-23 | an error in a success, a review in a failure: neither is a review | `engine::openai_http::answers` |
//! | RT-24 | no redirect is followed, by probe or request | `engine::openai_http::calls`, `key::a_redirect_gets_no_key` |
//! | RT-25, RT-26 | encodings, bombs, lies about the length, 700 MB | `engine::openai_http::answers`, `io::http` |
//! | RT-27 | another model than asked: kept, with a warning | `engine::openai_http::answers` |
//! | RT-28 | spellings of one address; what is no address | `engine::openai_http::calls`, `address`, `gsd_io::http::url` |
//! | RT-29 | a host that says nothing is the default, for plan and probe | `address` |
//! | RT-30 | the model is one that chats, else the fallback, in bounded time | `engine::openai_http::calls` |
//! | RT-31 | parts, thinking, early ends, no choice, tool calls | `engine::openai_http::answers` |
//! | RT-32 | a prompt that the server cut | `engine::openai_http::answers`, `gsd_engine::review::judge` |
//! | RT-33 | nothing is sent for an empty prompt or with an open run folder | `engine::openai_http::calls`, `selection` |
//! | RT-34 | the approval is that of the capability's id, on this machine as well | `engine::egress` |
//! | RT-36 | no path leads to another host | `gsd_engine::lane::descriptor`, `gsd_io::http::url`, `engine::openai_http::calls` |
//! | RT-37 | gsd's own lane, moved by the repository: blocked until approved | `approvals` |
//! | RT-38 | a review forges no heading | `gsd_engine::review::report` |

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
