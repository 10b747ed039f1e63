//! Stand-ins that flood, hang, and leave processes behind, as shell scripts.

use crate::program::{Place, Programs};
use crate::world::copy;
use camino::Utf8Path;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;

const TAKE: &str = "cat >/dev/null";
const TEN_KIB: &str = "head -c 10240 /dev/zero | tr '\\0' x";
const ONE_KIB: &str = "head -c 1024 /dev/zero | tr '\\0' x";

/// Puts the stand-in of a case on the PATH, and its prompt into the run.
pub(super) fn lay(bin: &Utf8Path, project: &Utf8Path, case: &str) -> io::Result<()> {
    let flood = |mib: usize| format!("head -c {} /dev/zero | tr '\\0' x", mib << 20);
    let (name, script) = match case {
        "big200" => ("gemini", format!("{TAKE}; {}", flood(200))),
        "big60" => ("gemini", format!("{TAKE}; {}", flood(60))),
        "big200-file-arg-codex" => ("codex", format!("{TAKE}; {}", flood(200))),
        "codex-stale-output-file" => ("codex", TAKE.to_owned()),
        "err200" => ("gemini", format!("{TAKE}; {} >&2; {TEN_KIB}", flood(200))),
        "noread-5MB-prompt" => ("gemini", TEN_KIB.to_owned()),
        "grandchild-holds-stdout-60s" => ("gemini", format!("{TAKE}; {TEN_KIB}; sleep 60 &")),
        "grandchild-holds-20s-timeout-3s" => {
            ("acme-review", format!("{TAKE}; {TEN_KIB}; sleep 20 &"))
        }
        "timeout-3s-grandchild" => {
            ("acme-review", format!("{TAKE}; {ONE_KIB}; sleep 30 & sleep 30"))
        }
        "timeout-3s-partial" => ("acme-review", format!("{TAKE}; {ONE_KIB}; sleep 30")),
        "timeout-3s-sleep" => ("acme-review", format!("{TAKE}; sleep 30")),
        "probe-grandchild-holds-20s" => {
            ("kimi", format!("{TAKE}; sleep 20 & echo --output-format; {TEN_KIB}"))
        }
        _ => ("gemini", format!("{TAKE}; {TEN_KIB}")),
    };
    fs::create_dir_all(bin)?;
    let path = bin.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n"))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    let run = project.join("run");
    if case == "codex-stale-output-file" {
        fs::write(run.join("gsd-review-codex.md"), "# OLD REVIEW of a previous run\n")?;
    }
    let prompt = match case {
        "noread-5MB-prompt" => b"Review. ".repeat(625_000),
        "prompt-20MB" => b"Review. ".repeat(2_500_000),
        "prompt-invalid-utf8" => b"\xff\xfehi\xe9!\n".to_vec(),
        _ => b"Review.\n".repeat(100),
    };
    fs::write(run.join("gsd-review-prompt.md"), prompt)
}

/// Installs the lane of another author, with three seconds for a review, and approves it.
pub(super) fn acme(data: &Utf8Path, place: &Place, programs: &Programs) -> Result<(), String> {
    let io = |error: io::Error| error.to_string();
    let folder = place.home.join(".gsd/capabilities/acme-lane");
    copy(&data.join("fixtures/caps/acme-lane"), &folder).map_err(io)?;
    let path = folder.join("capability.json");
    let text = fs::read_to_string(&path).map_err(io)?;
    fs::remove_file(&path).map_err(io)?;
    let text = text.replace("\"timeoutFloorMs\": 60000", "\"timeoutFloorMs\": 3000");
    fs::write(&path, text).map_err(io)?;
    let words = ["capability", "trust", "grant", "acme-lane", "--scope", "global", "--yes"];
    let ran = programs.gsd(place, &words)?;
    if ran.code == 0 { Ok(()) } else { Err(format!("the lane is not approved: {}", ran.stderr)) }
}
