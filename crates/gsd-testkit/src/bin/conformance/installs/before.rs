//! What the recording did before a row, as far as the row shows it.

use super::Ground;
use crate::golden::{self, Row};
use crate::world::{copy, fifo};
use camino::{Utf8Path, Utf8PathBuf};
use regex_lite::Regex;
use serde_json::{Value, json};
use std::{fs, io};

/// One thing that was done. Paths are written with the names of the records.
enum Step {
    /// The source of this name in `{BOX}` becomes this bundle; an empty one takes it away.
    Source(&'static str, &'static str),
    /// A command of ours; what it prints is not looked at.
    Run(&'static str),
    Write(&'static str, &'static str),
    Append(&'static str, &'static str),
    /// So many more bytes at the end of a file.
    Grow(&'static str, u64),
    /// So many blanks at the end of a file.
    Pad(&'static str, usize),
    Fifo(&'static str),
    Folder(&'static str),
    Link(&'static str, &'static str),
    Remove(&'static str),
    Copy(&'static str, &'static str),
    Rename(&'static str, &'static str),
    /// The ledger of the user has so many entries.
    Entries(usize),
    /// The ledger says that `tiny` came from there.
    Recorded(&'static str),
    /// The ledger says that a change of `tiny` of this kind, with this backup, has begun.
    Begun(&'static str, Option<&'static str>),
}

use Step::{
    Append, Begun, Copy, Entries, Fifo, Folder, Grow, Link, Pad, Recorded, Remove, Rename, Run,
    Source, Write,
};

const INSTALL: Step = Run("capability install {FIX}/caps/tiny");
const DROPPED: Step = Copy("{FIX}/caps/tiny", "{HOME}/.gsd/capabilities/tiny");
const LEDGER: &str = "{HOME}/.gsd-capabilities.json";
const CONSENTS: &str = "{HOME}/.gsd/consent.json";
const SETTINGS: &str = "{HOME}/.claude/settings.json";
const CONFIG: &str = "{PROJ}/.planning/config.json";
const LOCK: &str = "{HOME}/.gsd/capabilities/.lock";
const BACKUP: &str = "tiny.upgrading-1-2-abcdabcd";

/// Rows by a pattern of their names. All that match are done, in this order.
const STEPS: &[(&str, &[Step])] = &[
    ("^life-declarative-global/01", &[Source("src", "hello-decl")]),
    ("^life-declarative-global/11", &[Source("src", "hello-decl-v1.1.0")]),
    ("^life-declarative-global/18", &[Source("src", "hello-decl")]),
    ("^life-declarative-global/19", &[Source("src", "")]),
    ("^life-declarative-global/22", &[Source("src", "tiny")]),
    ("^life-declarative-global/26", &[Source("src", "hello-decl")]),
    ("^life-declarative-global/28", &[Folder("{BOX}/elsewhere")]),
    ("^life-executable-global/01", &[Source("src", "hello-exec")]),
    ("^life-executable-global/07", &[Source("src", "hello-exec-v1.1.0-same-surface")]),
    ("^life-executable-global/09", &[Source("src", "hello-exec-v1.2.0-new-hook")]),
    ("^life-executable-global/12", &[Source("src", "hello-exec-v1.3.0-router")]),
    (
        "^life-executable-global/30",
        &[Write(SETTINGS, r#"{"mcpServers":{"hello-mcp":{"command":"mine"}}}"#)],
    ),
    ("^life-executable-global/32", &[Write(SETTINGS, "{ broken")]),
    ("^life-executable-global/33", &[Remove(SETTINGS)]),
    ("^life-executable-global/35", &[Folder("{BOX}/out"), Link("{BOX}/out", "{HOME}/lnk")]),
    ("^life-project-consent/01", &[Source("src", "hello-decl"), Source("srce", "hello-exec")]),
    (
        "^life-project-consent/09",
        &[Append("{PROJ}/.gsd/capabilities/hello-exec/hello-cmd.cjs", "\n// more\n")],
    ),
    ("^life-project-consent/11", &[Folder("{PROJ}/.gsd/capabilities/hello-decl/empty")]),
    ("^life-project-consent/20", &[Folder("{PROJ}/a/b")]),
    ("^life-project-consent/23", &[Copy("{PROJ}", "{BOX}/clone")]),
    ("^life-project-consent/28", &[Rename("{PROJ}", "{BOX}/moved")]),
    ("^life-reviewer-lane/01", &[Source("src", "acme-lane")]),
    (
        "^life-reviewer-lane/07",
        &[Write("{PROJ}/run/gsd-review-prompt.md", "Review this prompt.\nReview this prompt.\n")],
    ),
    ("^life-reviewer-lane/08", &[Source("src", "acme-lane-v1.1.0")]),
    // A server that an installed lane names is approved by itself.
    ("^life-reviewer-lane/24", &[Run("review trust-host acme-http --yes")]),
    ("^install-refusals/(bundle|fifo|manifest-over)", &[Source("src", "tiny")]),
    ("^install-refusals/bundle-20MiB", &[Grow("{BOX}/src/large", 20 << 20)]),
    (
        "^install-refusals/bundle-20MiB-project-list",
        &[Run("capability install {BOX}/src --scope project")],
    ),
    ("^install-refusals/bundle-over", &[Grow("{BOX}/src/large", 129 << 20)]),
    ("^install-refusals/fifo-in-bundle", &[Fifo("{BOX}/src/pipe")]),
    (
        "^install-refusals/fifo-manifest",
        &[Remove("{BOX}/src/capability.json"), Fifo("{BOX}/src/capability.json")],
    ),
    ("^install-refusals/manifest-over", &[Pad("{BOX}/src/capability.json", 8 << 20)]),
    ("^ledger/(array|bad|corrupt|empty|entries-array|pending|proto|unknown)", &[DROPPED]),
    ("^ledger/array/", &[Write(LEDGER, "[]")]),
    (
        "^ledger/bad-entry/",
        &[Write(LEDGER, r#"{"version":"1","updatedAt":"x","entries":{"tiny":{"id":"tiny"}}}"#)],
    ),
    ("^ledger/corrupt/", &[Write(LEDGER, "{bad")]),
    ("^ledger/empty/", &[Write(LEDGER, "")]),
    ("^ledger/entries-array/", &[Write(LEDGER, r#"{"version":"1","updatedAt":"x","entries":[]}"#)]),
    (
        "^ledger/proto/",
        &[Write(
            LEDGER,
            r#"{"version":"1","updatedAt":"x","entries":{"__proto__":{"id":"__proto__"}}}"#,
        )],
    ),
    (
        "^ledger/unknown-version/",
        &[Write(LEDGER, r#"{"version":"99","updatedAt":"x","entries":{}}"#)],
    ),
    ("^ledger/entries-4095/", &[Entries(4095)]),
    ("^ledger/entries-4096/", &[Entries(4096)]),
    ("^ledger/entries-4097/", &[Entries(4097)]),
    ("^ledger/entries-\\d+/list-after", &[INSTALL]),
    ("^ledger/fifo/", &[Fifo(LEDGER)]),
    ("^ledger/pending/", &[Entries(0), Begun("install", None)]),
    ("^consent-store/array", &[Write(CONSENTS, "[]")]),
    ("^consent-store/corrupt", &[Write(CONSENTS, "{bad")]),
    ("^consent-store/wrong-version", &[Write(CONSENTS, r#"{"version":"99","records":{}}"#)]),
    (
        "^crash-recovery/bundle-deleted-(list|outdated|update)",
        &[INSTALL, Remove("{HOME}/.gsd/capabilities/tiny")],
    ),
    ("^crash-recovery/lock-garbage", &[Write(LOCK, "garbage")]),
    ("^crash-recovery/lock-live-pid", &[Write(LOCK, r#"{"token":"t","pid":1}"#)]),
    (
        "^crash-recovery/orphans",
        &[
            Folder("{HOME}/.gsd/capabilities/.staging/tiny-1-2"),
            Folder("{HOME}/.gsd/capabilities/tiny.discard-1-2-abcdabcd"),
            Folder("{HOME}/.gsd/capabilities/tiny.upgrading-1-2-abcdabcd"),
        ],
    ),
    ("^crash-recovery/pending", &[INSTALL]),
    ("^crash-recovery/pending-evil", &[Begun("upgrade", Some("../../evil"))]),
    ("^crash-recovery/pending-install", &[Begun("install", None)]),
    ("^crash-recovery/pending-upgrade", &[Begun("upgrade", Some(BACKUP))]),
    (
        "^crash-recovery/pending-upgrade-with",
        &[Copy(
            "{HOME}/.gsd/capabilities/tiny",
            "{HOME}/.gsd/capabilities/tiny.upgrading-1-2-abcdabcd",
        )],
    ),
    (
        "^crash-recovery/pending-upgrade-backup-only",
        &[Rename(
            "{HOME}/.gsd/capabilities/tiny",
            "{HOME}/.gsd/capabilities/tiny.upgrading-1-2-abcdabcd",
        )],
    ),
    (
        "^(source|strict)-",
        &[
            // Nobody but these servers is asked.
            Write("{HOME}/.npmrc", "registry=https://127.0.0.1:1/\n"),
            Write(
                "{HOME}/.gsd/defaults.json",
                r#"{"capabilities":{"private_hosts":["127.0.0.1","localhost"]}}"#,
            ),
        ],
    ),
    ("^source-git/bare-path", &[Copy("{GIT}/tiny.git", "{BOX}/tiny.git")]),
    ("^source-git/git-daemon-", &[Run("capability install git+git://127.0.0.1:19418/tiny.git")]),
    (
        "^source-(git|npm)/outdated-(table-)?(bare|branch|exact|missing|none|range|sha|tagp?)$",
        &[INSTALL],
    ),
    ("^source-git/outdated-remote-down$", &[INSTALL, Recorded("git+https://127.0.0.1:1/tiny.git")]),
    ("^source-git/outdated-(table-)?none$", &[Recorded("git+git://127.0.0.1:19418/tiny.git")]),
    (
        "^source-git/outdated-(table-)?branch$",
        &[Recorded("git+git://127.0.0.1:19418/tiny.git#main")],
    ),
    (
        "^source-git/outdated-(table-)?missing$",
        &[Recorded("git+git://127.0.0.1:19418/tiny.git#nope")],
    ),
    (
        "^source-git/outdated-(table-)?tag$",
        &[Recorded("git+git://127.0.0.1:19418/tiny.git#v1.0.0")],
    ),
    (
        "^source-git/outdated-(table-)?tagp$",
        &[Recorded("git+git://127.0.0.1:19418/tiny.git#tag:v1.0.0")],
    ),
    (
        "^source-git/outdated-(table-)?sha$",
        &[Recorded(
            "git+git://127.0.0.1:19418/tiny.git#sha:fdf613316b50015a79e58c9e5997ad03708a23eb",
        )],
    ),
    ("^source-npm/outdated-bare$", &[Recorded("npm:gsd-no-such-capability-x")]),
    ("^source-npm/outdated-exact$", &[Recorded("npm:gsd-no-such-capability-x@1.0.0")]),
    ("^source-npm/outdated-range$", &[Recorded("npm:gsd-no-such-capability-x@^1.0.0")]),
    ("^source-npm/folder-outdated", &[Run("capability install npm:{BOX}")]),
    (
        "^source-tarball/https-trusted-",
        &[Run("capability install https://127.0.0.1:18443/tiny.tgz")],
    ),
    (
        "^strict-registries/null-",
        &[Write(CONFIG, r#"{"capabilities":{"strict_known_registries":null}}"#)],
    ),
    (
        "^strict-registries/lockdown-",
        &[Write(CONFIG, r#"{"capabilities":{"strict_known_registries":[]}}"#)],
    ),
    (
        "^strict-registries/allow-loopback-",
        &[Write(CONFIG, r#"{"capabilities":{"strict_known_registries":["127.0.0.1"]}}"#)],
    ),
    (
        "^strict-registries/allow-other-",
        &[Write(CONFIG, r#"{"capabilities":{"strict_known_registries":["github.com"]}}"#)],
    ),
    (
        "^strict-registries/malformed-object-",
        &[Write(CONFIG, r#"{"capabilities":{"strict_known_registries":{}}}"#)],
    ),
    (
        "^strict-registries/malformed-string-",
        &[Write(CONFIG, r#"{"capabilities":{"strict_known_registries":"github.com"}}"#)],
    ),
    ("^strict-registries/broken-config-", &[Write(CONFIG, "{ broken")]),
];

/// Rows that ran in another folder than the project.
pub(super) fn folder(id: &str) -> Option<&'static str> {
    const FOLDERS: [(&str, &str); 5] = [
        ("life-declarative-global/28", "{BOX}/elsewhere"),
        ("life-project-consent/20", "{PROJ}/a/b"),
        ("life-project-consent/21", "{PROJ}/a/b"),
        ("life-project-consent/23", "{BOX}/clone"),
        ("life-project-consent/28", "{BOX}/moved"),
    ];
    FOLDERS.iter().find(|(row, _)| id.starts_with(row)).map(|(_, folder)| *folder)
}

/// Does all that was done before a row.
pub(super) fn lay(ground: &Ground<'_>, rows: &[Row], id: &str) -> Result<(), String> {
    // `set-ui-off-then-list` comes after `set-ui-off`, in the same world.
    if let Some((first, _)) = id.split_once("-then-")
        && let Some(row) = rows.iter().find(|row| row.id == first)
    {
        ground.tools(id, &row.words)?;
    }
    for (pattern, steps) in STEPS {
        let pattern = Regex::new(pattern).map_err(|error| format!("`{pattern}`: {error}"))?;
        if !pattern.is_match(id) {
            continue;
        }
        for step in *steps {
            match step {
                Run(command) => {
                    let words = golden::words(&format!("gsd-tools {command}"));
                    ground.tools("", &words)?;
                }
                other => other.lay(ground).map_err(|error| error.to_string())?,
            }
        }
    }
    Ok(())
}

impl Step {
    fn lay(&self, ground: &Ground<'_>) -> io::Result<()> {
        let path = |text: &str| Utf8PathBuf::from(ground.real(text));
        match *self {
            Run(_) => Ok(()),
            Source(name, bundle) => {
                let folder = ground.boxed().join(name);
                remove(&folder)?;
                if bundle.is_empty() {
                    return Ok(());
                }
                copy(&ground.data.join("fixtures/caps").join(bundle), &folder)
            }
            Write(to, text) => write(&path(to), &ground.real(text)),
            Append(to, text) => {
                let old = fs::read_to_string(path(to))?;
                write(&path(to), &(old + text))
            }
            Grow(to, by) => {
                let file = fs::OpenOptions::new().append(true).create(true).open(path(to))?;
                file.set_len(file.metadata()?.len() + by)
            }
            Pad(to, by) => {
                let old = fs::read_to_string(path(to))?;
                write(&path(to), &(old + &" ".repeat(by)))
            }
            Fifo(at) => fifo(&path(at)),
            Folder(at) => fs::create_dir_all(path(at)),
            Link(from, to) => std::os::unix::fs::symlink(path(from), path(to)),
            Remove(at) => remove(&path(at)),
            Copy(from, to) => copy(&path(from), &path(to)),
            Rename(from, to) => fs::rename(path(from), path(to)),
            Entries(number) => entries(&path(LEDGER), &path("{FIX}/caps/tiny"), number),
            Recorded(source) => {
                change(&path(LEDGER), |entry| entry["source"] = json!(ground.real(source)))
            }
            Begun(kind, backup) => change(&path(LEDGER), |entry| {
                entry["_pending"] =
                    json!({ "kind": kind, "backupName": backup, "sharedFiles": [] });
            }),
        }
    }
}

fn write(path: &Utf8Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    // What was copied may be read-only.
    remove(path)?;
    fs::write(path, text)
}

fn remove(path: &Utf8Path) -> io::Result<()> {
    let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match gone {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A ledger of the first form with `tiny` and, or else with so many others.
fn entries(ledger: &Utf8Path, tiny: &Utf8Path, number: usize) -> io::Result<()> {
    let entry = |id: &str| {
        json!({
            "id": id, "version": "1.0.0", "source": tiny.as_str(), "integrity": "",
            "files": [format!(".gsd/capabilities/{id}")], "sharedEdits": [],
        })
    };
    let ids: Vec<String> = match number {
        0 => vec!["tiny".to_owned()],
        many => (0..many).map(|index| format!("cap-{index}")).collect(),
    };
    let entries: Value =
        ids.iter().map(|id| (id.clone(), entry(id))).collect::<serde_json::Map<_, _>>().into();
    let text = json!({ "version": "1", "updatedAt": "2026-01-01T00:00:00Z", "entries": entries });
    write(ledger, &text.to_string())
}

/// Changes the entry of `tiny`.
fn change(ledger: &Utf8Path, change: impl FnOnce(&mut Value)) -> io::Result<()> {
    let mut value: Value = serde_json::from_str(&fs::read_to_string(ledger)?)?;
    change(&mut value["entries"]["tiny"]);
    write(ledger, &value.to_string())
}
