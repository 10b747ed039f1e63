//! Whether the script, target or package that a command names exists in the project.
//!
//! Each tool is one file in `scripts/` and one line of [`TOOLS`]. A claim is made only where the
//! tool's own file can be read and hands nothing on to files that are not read.

mod cargo;
mod composer;
mod just;
mod make;
mod node;
mod runner;
mod taskfile;

pub(super) use runner::operands;

use super::shell::{self, Simple, Word};
use super::tree::WorkTree;
use crate::diag::{SourceFile, Span};
use crate::json::{self, Dialect, Node};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A command names something that its tool does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    /// `script`, `target`, `recipe`, `task`, `package`, `test`, `example`, `alias`; `file` where
    /// the file is missing that would declare anything at all.
    pub(super) what: &'static str,
    pub(super) name: String,
    /// The file that would have to declare it, or that would have to be there.
    pub(super) file: String,
    /// What the file does declare.
    pub(super) known: BTreeSet<String>,
    /// The word of the command, relative to the command line.
    pub(super) span: Span,
}

/// A tool that runs things by name.
struct Tool {
    programs: &'static [&'static str],
    /// What is missing of what a command names; the folder is relative to the root.
    missing: fn(&WorkTree, &Simple, &str) -> Option<Missing>,
}

static TOOLS: &[Tool] =
    &[cargo::TOOL, composer::TOOL, just::TOOL, make::TOOL, node::TOOL, taskfile::TOOL];

/// Looks at one command that runs in `folder`, relative to the root.
pub(super) fn missing(tree: &WorkTree, command: &Simple, folder: &str) -> Option<Missing> {
    let tool = TOOLS.iter().find(|tool| tool.programs.contains(&command.program()))?;
    (tool.missing)(tree, command, folder)
}

/// The command needs a file that is not there, nor anything like it further up.
fn without_file(tree: &WorkTree, folder: &str, names: &[&str], word: &Word) -> Option<Missing> {
    // In a folder that does not exist yet nothing can be told, nor in a project that has not begun.
    let begun = tree.names("").iter().any(|name| !name.starts_with('.') && !name.ends_with(".md"));
    if !begun || !tree.is_directory(folder) {
        return None;
    }
    let mut at = folder;
    loop {
        if !names.iter().all(|name| tree.is_absent(&within(at, name))) {
            return None;
        }
        if at.is_empty() {
            break;
        }
        at = at.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    Some(Missing {
        what: "file",
        name: word.text.clone(),
        file: within(folder, names.first()?),
        known: BTreeSet::new(),
        span: word.span.clone(),
    })
}

fn within(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Options that a tool takes before its verb, with a value of their own or without.
struct Options<'a> {
    /// The value of an option that changes the folder.
    folder: Option<&'a Word>,
    /// Words that are no options.
    operands: Vec<&'a Word>,
    /// An option that sends the command elsewhere: nothing can be claimed.
    elsewhere: bool,
}

/// Reads options up to `--`. `folders` change the folder, `elsewhere` the target; both take a value
/// in the next word or after `=`. `valued` take a value that does not matter.
fn options<'a>(
    words: &'a [Word],
    folders: &[&str],
    elsewhere: &[&str],
    valued: &[&str],
) -> Options<'a> {
    let mut read = Options { folder: None, operands: vec![], elsewhere: false };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if !text.starts_with('-') {
            read.operands.push(word);
            continue;
        }
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        if folders.contains(&name) {
            // A folder after `=` is rare enough to be let pass.
            read.elsewhere |= !value.is_empty();
            read.folder = if value.is_empty() { rest.next() } else { None };
        } else if elsewhere.contains(&name) {
            read.elsewhere = true;
        } else if valued.contains(&name) && value.is_empty() {
            rest.next();
        }
    }
    read
}

fn changed_folder(folder: &str, options: &Options<'_>) -> Option<String> {
    match options.folder {
        None => Some(folder.to_owned()),
        Some(word) if word.expands => None,
        Some(word) => shell::join(folder, &word.text),
    }
}

fn json_file(tree: &WorkTree, path: &str) -> Option<Node> {
    let file: Arc<SourceFile> = tree.text(path)?;
    json::parse(&file, Dialect::Relaxed).0
}

fn names(node: &Node) -> Option<BTreeSet<String>> {
    Some(node.as_object()?.members.iter().map(|member| member.name.clone()).collect())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests look at real files")]
mod tests {
    use super::*;
    use camino::Utf8Path;

    fn project() -> (tempfile::TempDir, WorkTree) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("package.json", "{\"scripts\": {\"test\": \"x\", \"test:unit\": \"y\"}}"),
            ("web/package.json", "{\"scripts\": {\"e2e\": \"x\"}}"),
            ("Makefile", ".PHONY: check\ncheck:\n\techo\nA := 1\nbuild out: check\n"),
            (
                "justfile",
                "set shell := [\"sh\"]\nalias t := test\n@test name='x': build\n  echo\nbuild:\n",
            ),
            ("Taskfile.yml", "version: '3'\ntasks:\n  build:\n    cmds:\n      - x\n  lint: y\n"),
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
            ("crates/a/Cargo.toml", "[package]\nname = \"a-crate\"\n"),
            ("crates/a/tests/it/main.rs", ""),
            ("crates/a/examples/show.rs", ""),
            ("composer.json", "{\"scripts\": {\"cs\": \"x\"}}"),
        ] {
            let full = dir.path().join(path);
            std::fs::create_dir_all(full.parent().unwrap()).unwrap();
            std::fs::write(full, text).unwrap();
        }
        let tree = WorkTree::new(Utf8Path::from_path(dir.path()).unwrap());
        (dir, tree)
    }

    #[test]
    fn what_a_tool_does_not_know_is_missing() {
        let (_dir, tree) = project();
        let check = |line: &str| {
            let mut found = vec![];
            let node = shell::parse(line).unwrap();
            shell::each(&node, &mut |simple, folder| {
                found.extend(folder.and_then(|folder| missing(&tree, simple, folder)));
            });
            found
                .into_iter()
                .map(|m| format!("{} {} {}", m.what, m.name, m.file))
                .collect::<Vec<_>>()
        };
        for line in [
            "npm test && npm run test:unit -- --grep x",
            "cd web && npm run e2e",
            "npm --prefix web run e2e",
            "npm run e2e --workspace web",
            "npm run $NAME",
            "npm ci && npm install x",
            "yarn tsc && yarn run eslint",
            "pnpm vitest run",
            "make check && make A=2 build out",
            "make web",
            "cd later && make test && npm test",
            "just t && just test x",
            "cd web && just build",
            "task build && task lint",
            "cargo test -p a-crate --test it && cargo fmt",
            "cargo run -p a-crate --example show -- x",
            "composer run cs && composer install",
            "cd elsewhere && npm run x",
        ] {
            assert_eq!(check(line), Vec::<String>::new(), "{line}");
        }
        for (line, expected) in [
            ("npm run test:e2e", "script test:e2e package.json"),
            ("npm start", "script start package.json"),
            ("cd web && npm test", "script test web/package.json"),
            ("npm --prefix web run unit", "script unit web/package.json"),
            ("pnpm run typecheck", "script typecheck package.json"),
            ("yarn run test:e2e", "script test:e2e package.json"),
            ("make deploy", "target deploy Makefile"),
            ("just deploy", "recipe deploy justfile"),
            ("task deploy", "task deploy Taskfile.yml"),
            ("cargo test -p b-crate", "package b-crate Cargo.toml"),
            ("cargo test -p a-crate --test unit", "test unit crates/a/tests/unit.rs"),
            ("cargo test --test other", "test other crates/a/tests/other.rs"),
            ("cargo xtask ci", "alias xtask .cargo/config.toml"),
            ("composer run x", "script x composer.json"),
        ] {
            assert_eq!(check(line), [expected], "{line}");
        }
    }
    /// A tool without its file knows nothing, unless the project has not begun or the folder is new.
    #[test]
    fn a_tool_without_its_file_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let check = |line: &str| {
            let tree = WorkTree::new(root);
            let mut found = vec![];
            shell::each(&shell::parse(line).unwrap(), &mut |simple, folder| {
                found.extend(folder.and_then(|folder| missing(&tree, simple, folder)));
            });
            found.into_iter().map(|m| format!("{} {}", m.what, m.file)).collect::<Vec<_>>()
        };
        std::fs::write(root.join("README.md"), "").unwrap();
        assert_eq!(check("make test"), Vec::<String>::new(), "nothing has begun here");
        std::fs::create_dir(root.join("src")).unwrap();
        for (line, file) in [
            ("make test", "Makefile"),
            ("make -C src test", "src/Makefile"),
            ("npm run test", "package.json"),
            ("npm test -- --run", "package.json"),
            ("cd src && pnpm run lint", "src/package.json"),
            ("composer run cs", "composer.json"),
            ("task build", "Taskfile.yml"),
            ("just build", "justfile"),
        ] {
            assert_eq!(check(line), [format!("file {file}")], "{line}");
        }
        for line in [
            "make",
            "make out.o",
            "make -f other.mk test",
            "make $TARGET",
            "npm ci",
            "npx vitest run",
            "npm --prefix later run test",
            "frobnicate --all tests/",
        ] {
            assert_eq!(check(line), Vec::<String>::new(), "{line}");
        }
        std::fs::write(root.join("GNUmakefile"), "test:\n").unwrap();
        std::fs::write(root.join("package.json"), "{\"scripts\": {\"lint\": \"x\"}}").unwrap();
        assert_eq!(check("make test && cd src && npm run lint"), Vec::<String>::new());
    }
}
