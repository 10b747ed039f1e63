#![allow(clippy::disallowed_methods, reason = "tests make real files and start real programs")]

//! What the digest sees of a program that nothing hinders.

use super::compare::compare;
use super::digest::Digest;
use super::{Repository, Snapshot, SnapshotError, Tree, can_copy};
use crate::review::git::Git;
use crate::review::record::TreeChangeKind;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_testkit::fake_cli::program;
use gsd_testkit::write_attempts::ground::Ground;
use gsd_testkit::write_attempts::{Effect, some};
use std::process::{Command, Stdio};
use std::time::Instant;

fn env() -> Env {
    let vars = [("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), ("HOME", "/nonexistent")];
    let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Env::from_parts(vars, "/".into(), "/gsd".into())
}

fn fresh(ground: &Ground) -> (Utf8PathBuf, Utf8PathBuf) {
    let (project, scratch) = ground.fresh();
    (Utf8PathBuf::try_from(project).unwrap(), Utf8PathBuf::try_from(scratch).unwrap())
}

/// What changes while something is done to the project.
fn changes(project: &Utf8Path, during: impl FnOnce()) -> Vec<(String, TreeChangeKind)> {
    let (env, cancel) = (env(), Cancel::new());
    let tree = Tree::open(&env, project, Utf8Path::new("/nonexistent/run"), &cancel);
    let before = Digest::take(&tree, None);
    during();
    let after = Digest::take(&tree, Some(&before));
    let (changes, _) = compare(&tree, &before, &after);
    changes.into_iter().map(|change| (change.path.to_string(), change.kind)).collect()
}

#[test]
fn every_attempt_that_succeeds_is_seen() {
    let ground = Ground::new();
    for attempt in some() {
        let (project, scratch) = fresh(&ground);
        let mut made = false;
        let seen = changes(&project, || {
            let number = attempt.number.to_string();
            made = Command::new(program("write-attempts"))
                .args(["try", &number, project.as_str(), scratch.as_str()])
                .current_dir(&project)
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success());
        });
        let expected = match attempt.effect {
            Effect::Content | Effect::Mode => made,
            // Times and attributes are nobody's work.
            Effect::Rest => false,
        };
        assert_eq!(!seen.is_empty(), expected, "{}: {seen:?}", attempt.name());
    }
}

#[test]
fn a_time_that_is_set_back_hides_nothing() {
    let ground = Ground::new();
    let (project, _) = fresh(&ground);
    let file = project.join("b.txt");
    let seen = changes(&project, || {
        let before = std::fs::metadata(&file).unwrap().modified().unwrap();
        std::fs::write(&file, "x\n").unwrap();
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(before).unwrap();
    });
    assert_eq!(seen, [("b.txt".to_owned(), TreeChangeKind::Modified)]);
    // The same bytes again are no change.
    let same = changes(&project, || std::fs::write(&file, "x\n").unwrap());
    assert_eq!(same, []);
}

#[test]
fn what_git_ignores_and_what_the_run_writes_is_left_out() {
    let ground = Ground::new();
    let (project, _) = fresh(&ground);
    std::fs::write(project.join(".gitignore"), "target/\n.planning/\n").unwrap();
    let write = |path: &str| {
        let path = project.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    };
    let seen = changes(&project, || {
        write("target/deep/er/file");
        write(".planning/.run/prompt.md");
        // Ignored, but the heart of the project all the same.
        write(".planning/02-PLAN.md");
    });
    assert_eq!(seen, [(".planning/02-PLAN.md".to_owned(), TreeChangeKind::Added)]);
}

fn git(project: &Utf8Path, args: &[&str]) {
    let status = Command::new("git").args(args).current_dir(project).status();
    assert!(status.is_ok_and(|status| status.success()), "{args:?}");
}

#[test]
fn an_index_that_only_looks_different_is_no_change() {
    let ground = Ground::new();
    let (project, _scratch) = fresh(&ground);
    let index = project.join(".git/index");
    let seen = changes(&project, || {
        let before = std::fs::read(&index).unwrap();
        git(&project, &["update-index", "--index-version", "4"]);
        assert_ne!(std::fs::read(&index).unwrap(), before);
    });
    assert_eq!(seen, []);
    let seen = changes(&project, || {
        git(&project, &["rm", "-q", "--cached", "-r", "."]);
    });
    assert_eq!(seen, [(".git/index".to_owned(), TreeChangeKind::Modified)]);
}

#[test]
fn the_repository_of_a_plain_project_is_found_as_git_finds_it() {
    let ground = Ground::new();
    let (project, scratch) = fresh(&ground);
    let (env, cancel) = (env(), Cancel::new());
    let ask = |root: &Utf8Path| {
        let tree = Git { env: &env, root, cancel: &cancel };
        (Repository::plain(root), Repository::ask(&tree))
    };
    let (plain, asked) = ask(&project);
    assert!(plain.is_some());
    assert_eq!(plain, asked);
    let other = scratch.join("other");
    git(&project, &["worktree", "add", "-q", other.as_str()]);
    let (plain, asked) = ask(&other);
    assert_eq!(plain, None);
    assert!(asked.is_some_and(|found| found.dir != found.common));
    git(&project, &["config", "core.worktree", scratch.as_str()]);
    assert_eq!(ask(&project).0, None);
}

#[test]
fn without_git_everything_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    let project = Utf8PathBuf::try_from(folder.path().canonicalize().unwrap()).unwrap();
    let seen = changes(&project, || std::fs::create_dir(project.join("new")).unwrap());
    assert_eq!(seen, [("new".to_owned(), TreeChangeKind::Added)]);
}

#[test]
fn a_copy_is_whole_and_shares_nothing() {
    let ground = Ground::new();
    let (project, scratch) = fresh(&ground);
    std::os::unix::fs::symlink(project.join("src"), project.join("inside")).unwrap();
    std::os::unix::fs::symlink("/etc/hosts", project.join("outside")).unwrap();
    let (env, cancel) = (env(), Cancel::new());
    let run_dir = Utf8Path::new("/nonexistent/run");
    can_copy(&env, &project, run_dir, &cancel).unwrap();
    let at = scratch.join("copy/project");
    let copy = Snapshot::make(&env, &project, run_dir, &at, &cancel).unwrap();
    for path in ["src/a.rs", "b.txt", "untracked.txt", ".planning/01-PLAN.md"] {
        let of = |root: &Utf8Path| std::fs::read_to_string(root.join(path)).unwrap();
        assert_eq!(of(copy.root()), of(&project), "{path}");
    }
    assert!(at.join("empty").is_dir());
    assert_eq!(at.join("inside").read_link_utf8().unwrap(), at.join("src"));
    assert_eq!(at.join("outside").read_link_utf8().unwrap(), "/etc/hosts");
    let seen = changes(&project, || {
        std::fs::write(at.join("inside/a.rs"), "x").unwrap();
        let push = "git -c user.name=t -c user.email=t@localhost commit -qam x; git push -q --all";
        let mut command = Command::new("sh");
        command.args(["-c", push]).current_dir(&at).stderr(Stdio::null());
        command.status().unwrap();
    });
    assert_eq!(seen, []);
    assert_eq!(copy.relocate(&format!("see {at}/b.txt"), &project), format!("see {project}/b.txt"));
    drop(copy);
    assert!(!scratch.join("copy").exists());
}

#[test]
fn a_copy_that_would_be_too_large_is_refused() {
    let ground = Ground::new();
    let (project, scratch) = fresh(&ground);
    std::fs::File::create(project.join("large")).unwrap().set_len(2 << 30).unwrap();
    let (env, cancel) = (env(), Cancel::new());
    let at = scratch.join("copy/project");
    let made = Snapshot::make(&env, &project, Utf8Path::new("/run"), &at, &cancel);
    assert!(matches!(made, Err(SnapshotError::TooLarge { .. })), "{made:?}");
    assert!(!scratch.join("copy").exists());
}

/// Prints what a digest of 10,000 files of 8 KiB costs: `cargo test -p gsd-engine --lib -- --ignored
/// --nocapture what_a_digest_costs`.
#[test]
#[ignore = "a measurement"]
fn what_a_digest_costs() {
    let ground = Ground::new();
    let (project, scratch) = fresh(&ground);
    for number in 0..10_000 {
        let folder = project.join(format!("part{}", number / 100));
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("{number}\n").repeat(8192 / (number.to_string().len() + 1));
        std::fs::write(folder.join(format!("{number}.txt")), text).unwrap();
    }
    let (env, cancel) = (env(), Cancel::new());
    let run_dir = Utf8Path::new("/nonexistent/run");
    let begun = Instant::now();
    let tree = Tree::open(&env, &project, run_dir, &cancel);
    let before = Digest::take(&tree, None);
    println!("first digest of {} entries: {:?}", before.entries.len(), begun.elapsed());
    for _ in 0..5 {
        let begun = Instant::now();
        let after = Digest::take(&tree, Some(&before));
        let (changes, _) = compare(&tree, &before, &after);
        println!("digest without a change: {:?}, {} changes", begun.elapsed(), changes.len());
    }
    let begun = Instant::now();
    let copy = Snapshot::make(&env, &project, run_dir, &scratch.join("c/project"), &cancel);
    println!("copy: {:?}, {}", begun.elapsed(), copy.is_ok());
}
