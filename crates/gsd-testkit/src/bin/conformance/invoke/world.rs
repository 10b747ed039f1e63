//! The world of one call: home, project, programs, a server.

use super::stress;
use crate::program::{Place, Programs};
use crate::world::copy;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_testkit::model_server::{Answer, ModelServer, completion_body};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// A home, a project and a server, gone when dropped.
pub(super) struct World {
    _folder: tempfile::TempDir,
    pub(super) place: Place,
    log: tempfile::NamedTempFile,
    server: ModelServer,
}

/// The port that the recorded settings name.
const PORT: &str = "18080";
const CHAT: &str = "/v1/chat/completions";
const MODELS: &str = "/v1/models";
/// Where the stand-ins write how they were called. Reviewers may write to it, and the project does
/// not lie in it.
const LOGS: &str = "/var/tmp";

impl World {
    pub(super) fn of(
        data: &Utf8Path,
        group: &str,
        case: &str,
        row: &Value,
        programs: &Programs,
    ) -> Result<Self, String> {
        let io = |error: io::Error| error.to_string();
        let log = tempfile::NamedTempFile::new_in(LOGS).map_err(io)?;
        let log_path = Utf8Path::from_path(log.path()).ok_or("the folder is not UTF-8")?.to_owned();
        let folder = tempfile::tempdir().map_err(io)?;
        let root = Utf8Path::from_path(folder.path()).ok_or("the folder is not UTF-8")?;
        let root = root.canonicalize_utf8().map_err(io)?;
        let (home, project) = (root.join("home"), root.join("project"));
        let server = server(case);
        lay(data, case, &home, &project, server.port()).map_err(io)?;
        let mut place = Place::plain(&home, &project);
        let bin = root.join("bin");
        let commands = row["cmd"].as_str().unwrap_or_default();
        if group == "invoke-stress" {
            stress::lay(&bin, &project, case).map_err(io)?;
            place.first_on_path = Some(bin);
            if commands.contains("acme") {
                stress::acme(data, &place, programs)?;
            }
        } else if !case.starts_with("missing-binary") {
            let mode = row["stub_mode"].as_str().unwrap_or("ok");
            wrap(&data.join("fixtures/stubs"), &bin, mode, &log_path).map_err(io)?;
            place.first_on_path = Some(bin);
        }
        Ok(Self { _folder: folder, place, log, server })
    }

    /// A text with the folders of this world by their names.
    fn named(&self, text: &str) -> String {
        let text = text.replace(self.place.cwd.as_str(), "{PROJ}");
        text.replace(self.place.home.as_str(), "{HOME}")
    }

    /// How the stand-ins were called.
    pub(super) fn log(&self) -> String {
        self.named(&fs::read_to_string(self.log.path()).unwrap_or_default())
    }

    /// What the server was asked: method and path, and the body as JSON.
    pub(super) fn requests(&self) -> Vec<(String, Value)> {
        let requests = self.server.requests().into_iter();
        requests.map(|one| (format!("{} {}", one.method, one.path), one.json())).collect()
    }

    /// The files of the run, by name. A text that is none is shown as far as it is one.
    pub(super) fn files(&self) -> BTreeMap<String, String> {
        let entries = self.place.cwd.join("run").read_dir_utf8();
        entries
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().is_file())
            .map(|entry| {
                let bytes = fs::read(entry.path()).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                (entry.file_name().to_owned(), self.named(&text))
            })
            .collect()
    }
}

fn lay(
    data: &Utf8Path,
    case: &str,
    home: &Utf8Path,
    project: &Utf8Path,
    port: u16,
) -> io::Result<()> {
    fs::create_dir_all(home)?;
    let configured = case.starts_with("ok-config") || case.starts_with("ollama");
    let seed = if configured { "config" } else { "clean" };
    copy(&data.join("fixtures/seeds").join(seed), project)?;
    let done = Command::new("git").args(["init", "-q"]).current_dir(project).status()?;
    if !done.success() {
        return Err(io::Error::other("git init failed"));
    }
    if configured {
        configure(&project.join(".planning/config.json"), case, port)?;
    }
    if case == "no-run-dir" {
        return Ok(());
    }
    let run = project.join("run");
    fs::create_dir(&run)?;
    fs::set_permissions(&run, fs::Permissions::from_mode(0o700))?;
    if !case.contains("no-prompt") {
        fs::write(run.join("gsd-review-prompt.md"), "Review this prompt.\n".repeat(5))?;
    }
    if case.starts_with("prompt-file") {
        fs::write(run.join("other.md"), "trimmed\n")?;
    }
    if case.starts_with("antigravity-stale") {
        stale(&home.join(".gemini/antigravity-cli"), project)?;
    }
    Ok(())
}

/// The recorded settings, with the port of this server and what the case changes.
fn configure(path: &Utf8PathBuf, case: &str, port: u16) -> io::Result<()> {
    let text = fs::read_to_string(path)?.replace(PORT, &port.to_string());
    let mut config: Value = serde_json::from_str(&text)?;
    let review = &mut config["review"];
    match case {
        "ollama-object-host" => review["ollama_host"] = json!({}),
        "ollama-no-scheme" => review["ollama_host"] = json!(format!("127.0.0.1:{port}")),
        "ollama-unreachable" | "ollama-unreachable-explicit" => {
            review["ollama_host"] = json!("http://127.0.0.1:1");
        }
        "ollama-nomodel-discovers" => review["models"]["ollama"] = json!(""),
        _ => {}
    }
    // What was copied may be read-only.
    fs::remove_file(path)?;
    fs::write(path, config.to_string())
}

/// Programs that start the stand-ins and tell them what to do: a reviewer sees no variable of its
/// caller, so the way of the records is closed.
fn wrap(stubs: &Utf8Path, bin: &Utf8Path, mode: &str, log: &Utf8Path) -> io::Result<()> {
    fs::create_dir_all(bin)?;
    for stub in stubs.read_dir_utf8()? {
        let stub = stub?;
        let program = stub.path();
        let script = format!("#!/bin/sh\nSTUB_MODE={mode} STUB_LOG={log} exec {program} \"$@\"\n");
        let path = bin.join(stub.file_name());
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// An answer of an earlier call in the records of the program.
fn stale(folder: &Utf8Path, project: &Utf8Path) -> io::Result<()> {
    let logs = folder.join("brain/conv-1/.system_generated/logs");
    fs::create_dir_all(&logs)?;
    fs::create_dir_all(folder.join("cache"))?;
    let cache = json!({ project.as_str(): "conv-1" });
    fs::write(folder.join("cache/last_conversations.json"), cache.to_string())?;
    let entry = json!({
        "source": "MODEL", "status": "DONE", "type": "PLANNER_RESPONSE", "content": "# stale",
    });
    fs::write(logs.join("transcript.jsonl"), format!("{entry}\n"))
}

/// A server that answers as the one of the records did.
fn server(case: &str) -> ModelServer {
    const TEXT: &str = "# Local review\nok\n";
    let model = match case {
        "ollama-othermodel" => "sneaky-model",
        "ollama-model-override" => "mm",
        "ollama-nomodel-discovers" => "first-model",
        _ => "qwen3:8b",
    };
    let models = match case {
        "ollama-probe500" => Answer::json(500, "{}"),
        "ollama-probehang" => Answer::silence(),
        "ollama-nomodels" => Answer::models(&[]),
        "ollama-nomodel-discovers" => Answer::models(&["first-model"]),
        _ => Answer::models(&["qwen3:8b"]),
    };
    let chat = match case {
        "ollama-emptybody" => Answer::new(500, &[], b""),
        "ollama-emptycontent" => Answer::json(200, &completion_body(model, "", 9)),
        "ollama-err400" => Answer::json(400, r#"{"error":{"message":"context too long"}}"#),
        "ollama-notjson" => Answer::new(200, &[("content-type", "text/plain")], b"oops not json"),
        _ => Answer::json(200, &completion_body(model, TEXT, 25)),
    };
    ModelServer::scripted([(MODELS, vec![models]), (CHAT, vec![chat])])
}
