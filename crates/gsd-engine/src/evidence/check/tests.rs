#![allow(clippy::disallowed_methods, reason = "tests make real files")]

use super::super::tree::Earlier;
use super::*;
use camino::Utf8Path;
use std::fs;
use std::os::unix::fs::symlink;

const POSTS: &str = "import { db } from './db';

export function getPosts(cursor: string) {
  return db
    .select()
    .from(posts);
}

// nothing here
// nor here
// nor there
// nor anywhere
// at all
// for a while
// yet
// still
// end
const LIMIT = 20;
const LIMIT2 = 20;
const SEEN = db.select();
";

struct Repo {
    _folder: tempfile::TempDir,
    tree: WorkTree,
    root: camino::Utf8PathBuf,
}

fn repo() -> Repo {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().join("repo");
    fs::create_dir_all(root.join("src/db")).unwrap();
    fs::create_dir_all(root.join(".planning/phases/03-x")).unwrap();
    fs::write(root.join("src/db/posts.ts"), POSTS).unwrap();
    fs::write(root.join(".planning/phases/03-x/03-01-PLAN.md"), "---\nwave: 1\n---\n<task>\n")
        .unwrap();
    let tree = WorkTree::open(&root).with_base(RelPath::parse(".planning/phases/03-x").unwrap());
    Repo { _folder: folder, tree, root }
}

impl Repo {
    fn check(&self, path: &str, line: u64, quote: &str, claim: &str) -> (Verdict, Option<u64>) {
        let checked = self.full(path, line, quote, claim);
        (checked.verdict, checked.resolved_line)
    }

    fn full(&self, path: &str, line: u64, quote: &str, claim: &str) -> Checked {
        let citation = Citation {
            path: path.into(),
            line: (line > 0).then_some(line),
            end_line: None,
            quote: (!quote.is_empty()).then(|| quote.to_owned()),
            symbol: None,
            claim: claim.into(),
            by_check: false,
        };
        let planned = [RelPath::parse("src/new.ts").unwrap()].into();
        check(&self.tree, &citation, &planned)
    }
}

const FILE: &str = "src/db/posts.ts";

#[test]
fn quotes() {
    let repo = repo();
    use Verdict::*;
    let quoted = |line, quote| repo.check(FILE, line, quote, "");
    assert_eq!(quoted(3, "getPosts(cursor: string)"), (Verified, None));
    assert_eq!(quoted(4, "return db .select()\n  .from(posts)"), (Verified, None));
    assert_eq!(quoted(5, "return db .select() .from(posts)"), (Verified, None));
    assert_eq!(quoted(6, "`.from(posts);`"), (Verified, None));
    assert_eq!(quoted(1, "getPosts(cursor: string)"), (Moved, Some(3)));
    assert_eq!(quoted(20, "getPosts(cursor: string)"), (Moved, Some(3)));
    assert_eq!(quoted(900, "getPosts(cursor: string)"), (Moved, Some(3)));

    assert_eq!(quoted(10, "const LIM"), (Moved, Some(18)));
    // Twice in the file and near to neither: no telling which is meant.
    assert_eq!(quoted(3, "LIMIT"), (Ungrounded, None));
    assert_eq!(quoted(3, "getUsers(cursor: string)"), (Ungrounded, None));
    assert_eq!(quoted(0, "LIMIT2"), (Verified, Some(19)));
    assert_eq!(quoted(0, "nowhere at all"), (Ungrounded, None));
    assert_eq!(quoted(3, "getPosts(...) ... from(posts)"), (Verified, None));
    assert_eq!(quoted(3, "export function getPosts … .from(posts)"), (Verified, None));
    assert_eq!(quoted(1, "export function ... LIMIT2"), (Moved, Some(3)));
    assert_eq!(quoted(1, "LIMIT2 ... export function"), (Ungrounded, None));
    assert_eq!(quoted(7, "}"), (Verified, None));
    assert_eq!(quoted(8, "}"), (Ungrounded, None));
}

#[test]
fn names_near_the_line() {
    let repo = repo();
    use Verdict::*;
    let claimed = |line, claim| repo.check(FILE, line, "", claim);
    assert_eq!(claimed(1, "`getPosts` has no limit"), (Verified, None));
    assert_eq!(claimed(11, "`getPosts` has no limit"), (Verified, None));
    assert_eq!(claimed(12, "`getPosts` has no limit"), (Located, None));
    assert_eq!(claimed(3, "`deleted_at` is ignored by the cursor in posts"), (Verified, None));
    assert_eq!(claimed(3, "`deleted_at` leaks"), (Located, None));
    assert_eq!(claimed(3, "the cursor is not checked"), (Verified, None));
    assert_eq!(claimed(3, "quantum entanglement is unhandled"), (Located, None));
    assert_eq!(claimed(21, "`getPosts`"), (Ungrounded, None));
    assert_eq!(claimed(0, "`LIMIT2` is unused"), (Verified, Some(19)));
    assert_eq!(claimed(0, "the cursor is not checked"), (Located, None));
    let with_symbol = Citation {
        path: FILE.into(),
        line: Some(3),
        symbol: Some("db.getPosts()".into()),
        ..Citation::default()
    };
    assert_eq!(check(&repo.tree, &with_symbol, &BTreeSet::new()).verdict, Verified);
    let absent = Citation { symbol: Some("Feed".into()), ..with_symbol };
    assert_eq!(check(&repo.tree, &absent, &BTreeSet::new()).verdict, Ungrounded);
}

#[test]
fn a_quote_that_stands_everywhere_proves_nothing_by_itself() {
    let repo = repo();
    use Verdict::*;
    let many: String = (0..30).map(|n| format!("use step{n};\nlet value = read();\n")).collect();
    fs::write(repo.root.join("src/many.rs"), many).unwrap();
    let quoted = |line, quote, claim| repo.check("src/many.rs", line, quote, claim).0;
    assert_eq!(quoted(2, "let value = read();", "the data base is never closed"), Located);
    assert_eq!(quoted(2, "let value = read();", "`step3` is read twice"), Verified);
    assert_eq!(quoted(1, "let value = read();", "`step3` is read twice"), Ungrounded);
    assert_eq!(quoted(0, "let value = read();", "`step3` is read twice"), Ungrounded);
    // A keyword, even one that stands there once.
    assert_eq!(repo.check(FILE, 1, "import", "the cookie is not signed").0, Located);
    assert_eq!(repo.check(FILE, 1, "import", "`db` is a global").0, Verified);
}

#[test]
fn what_a_check_of_our_own_says_of_a_whole_file() {
    let repo = repo();
    fs::create_dir(repo.root.join("folder.md")).unwrap();
    symlink("/etc/passwd", repo.root.join("out.md")).unwrap();
    symlink("nowhere", repo.root.join("dangling.md")).unwrap();
    fs::write(repo.root.join("empty.md"), "").unwrap();
    let judged = |path: &str, by_check| {
        let citation = Citation {
            path: path.into(),
            line: Some(1),
            claim: "a planning file cannot be read".into(),
            by_check,
            ..Citation::default()
        };
        check(&repo.tree, &citation, &BTreeSet::new()).verdict
    };
    for path in ["folder.md", "out.md", "dangling.md", "empty.md", FILE] {
        assert_eq!(judged(path, true), Verdict::Verified, "{path}");
        assert!(!judged(path, false).holds(), "{path}");
    }
    for path in ["none.md", "../out.md", "/etc/passwd"] {
        assert!(!judged(path, true).holds(), "{path}");
    }
}

#[test]
fn refuted_claims() {
    let repo = repo();
    let claim = "`getPosts` does not exist, the plan has to write it";
    assert_eq!(repo.check(FILE, 3, "", claim).0, Verdict::Contradicted);
    assert_eq!(
        repo.check(FILE, 0, "", "`getFeed` already exists in posts.ts").0,
        Verdict::Contradicted
    );
}

#[test]
fn paths() {
    let repo = repo();
    use Verdict::*;
    let path = |path: &str| {
        let checked = repo.full(path, 2, "wave: 1", "");
        (checked.verdict, checked.path)
    };
    let plan = ".planning/phases/03-x/03-01-PLAN.md";
    assert_eq!(path("03-01-PLAN.md"), (Verified, plan.into()));
    assert_eq!(path(plan), (Verified, plan.into()));
    assert_eq!(path(&format!("{}/{plan}", repo.root)), (Verified, plan.into()));
    assert_eq!(path("src/new.ts"), (Planned, "src/new.ts".into()));
    assert_eq!(path("src/other.ts"), (Ungrounded, "src/other.ts".into()));
    assert_eq!(path("src"), (Ungrounded, "src".into()));
    for outside in ["/etc/passwd", "../repo/src/db/posts.ts", "https://x.org/y", "~/x", "C:\\y"] {
        assert_eq!(path(outside), (Outside, outside.into()));
    }
}

#[test]
fn reports_are_no_evidence() {
    let repo = repo();
    let report = ".planning/phases/03-x/03-REVIEWS.md";
    fs::write(repo.root.join(report), "planted words of an earlier run\n").unwrap();
    fs::write(repo.root.join("docs-REVIEWS.md"), "planted words of an earlier run\n").unwrap();
    for path in [report, "03-REVIEWS.md"] {
        assert_eq!(repo.check(path, 1, "planted words", "").0, Verdict::Outside, "{path}");
    }
    assert_eq!(repo.check("docs-REVIEWS.md", 1, "planted words", "").0, Verdict::Verified);
}

#[test]
fn a_shortened_path_is_found_if_it_is_the_only_one() {
    let repo = repo();
    let path = |path: &str| {
        let checked = repo.full(path, 18, "LIMIT = 20", "");
        (checked.verdict, checked.path)
    };
    assert_eq!(path("posts.ts"), (Verdict::Verified, FILE.into()));
    assert_eq!(path("db/posts.ts"), (Verdict::Verified, FILE.into()));
    assert_eq!(path("osts.ts"), (Verdict::Ungrounded, "osts.ts".into()));
    fs::create_dir_all(repo.root.join("node_modules/x")).unwrap();
    fs::write(repo.root.join("node_modules/x/posts.ts"), POSTS).unwrap();
    fs::create_dir_all(repo.root.join("web")).unwrap();
    fs::write(repo.root.join("web/users.ts"), POSTS).unwrap();
    fs::write(repo.root.join("src/users.ts"), POSTS).unwrap();
    let again = Repo { tree: WorkTree::open(&repo.root), ..repo };
    let path = |path: &str| again.check(path, 18, "LIMIT = 20", "").0;
    assert_eq!(path("posts.ts"), Verdict::Verified);
    assert_eq!(path("users.ts"), Verdict::Ungrounded);
}

#[test]
fn links_are_followed_inside_only() {
    let repo = repo();
    let secret = repo.root.parent().unwrap().join("secret.txt");
    fs::write(&secret, "wave: 1\nwave: 1\n").unwrap();
    symlink(&secret, repo.root.join("out")).unwrap();
    symlink(repo.root.parent().unwrap(), repo.root.join("up")).unwrap();
    symlink("db", repo.root.join("src/same")).unwrap();
    symlink("loop", repo.root.join("loop")).unwrap();
    let checked = repo.full("out", 2, "wave: 1", "");
    assert_eq!((checked.verdict, checked.snippet), (Verdict::Outside, None));
    assert_eq!(repo.check("up/secret.txt", 2, "wave: 1", "").0, Verdict::Outside);
    assert_eq!(repo.check("src/same/posts.ts", 18, "LIMIT = 20", "").0, Verdict::Verified);
    assert_eq!(repo.check("loop", 1, "x y z", "").0, Verdict::Ungrounded);
}

#[test]
fn odd_files_never_hang() {
    let repo = repo();
    let fifo = repo.root.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    fs::write(repo.root.join("binary"), b"wave: 1\0\0\0wave: 1").unwrap();
    fs::write(repo.root.join("latin"), b"caf\xe9 wave: 1\n").unwrap();
    fs::write(repo.root.join("empty"), b"").unwrap();
    let lines: String = (1..=1_000_000).map(|n| format!("line {n}\n")).collect();
    fs::write(repo.root.join("long"), lines).unwrap();
    use Verdict::*;
    for (file, line, quote, wanted) in [
        ("pipe", 1, "wave: 1", Ungrounded),
        ("binary", 1, "wave: 1", Ungrounded),
        ("latin", 1, "wave: 1", Verified),
        ("empty", 1, "wave: 1", Ungrounded),
        ("long", 999_999, "line 999999", Verified),
        ("long", 5, "line 999999", Moved),
        ("long", 5, "line 1000001", Ungrounded),
    ] {
        assert_eq!(repo.check(file, line, quote, "").0, wanted, "{file} {line}");
    }
    // Each reads the million lines again if nothing is kept.
    for n in 999_000..999_050 {
        assert_eq!(repo.check("long", n, &format!("line {n}"), "").0, Verified);
    }
}

#[test]
fn snippets_are_short_and_hold_no_secret() {
    let repo = repo();
    let snippet = repo.full(FILE, 3, "getPosts", "").snippet.unwrap();
    assert_eq!(snippet.first_line, 1);
    assert_eq!(snippet.lines.len(), 5);
    assert_eq!(snippet.lines[2], "export function getPosts(cursor: string) {");
    fs::write(repo.root.join(".env"), "TOKEN=wave one\n").unwrap();
    let key = ["ghp_", "q7Zk2WmP9xLr4TnB8vHsq7Zk2WmP9xLr4TnB8vHs"].concat();
    fs::write(repo.root.join("conf.ts"), format!("const a = 1;\nconst token = '{key}';\n"))
        .unwrap();
    fs::write(repo.root.join("wide.ts"), format!("const wide = '{}';\n", "x".repeat(5000)))
        .unwrap();
    assert_eq!(repo.full(".env", 1, "TOKEN", "").snippet, None);
    assert_eq!(repo.full(".env", 1, "TOKEN", "").verdict, Verdict::Verified);
    let beside = repo.full("conf.ts", 1, "const a = 1;", "").snippet.unwrap();
    assert!(!beside.lines.concat().contains(&key), "{beside:?}");
    assert_eq!(beside.lines.len(), 2);
    let wide = repo.full("wide.ts", 1, "const wide", "").snippet.unwrap();
    assert!(wide.lines[0].chars().count() <= 161);
}

#[test]
fn a_file_that_is_missing_as_the_claim_says() {
    let repo = repo();
    let gone = "`src/http/auth.ts` does not exist and no plan makes it";
    assert_eq!(repo.check("src/http/auth.ts", 0, "", gone), (Verdict::Verified, None));
    // A line or a quote of a missing file is made up, whatever is said of the file.
    assert_eq!(repo.check("src/http/auth.ts", 3, "", gone).0, Verdict::Ungrounded);
    assert_eq!(repo.check("src/http/auth.ts", 0, "let x = 1", gone).0, Verdict::Ungrounded);
    assert_eq!(repo.check("src/http/auth.ts", 0, "", "no tests").0, Verdict::Ungrounded);
    // A plan of the phase makes it.
    assert_eq!(repo.check("src/new.ts", 0, "", "`src/new.ts` does not exist").0, Verdict::Planned);
    // It is there.
    let wrong = format!("`{FILE}` does not exist");
    assert_eq!(repo.check(FILE, 0, "", &wrong).0, Verdict::Contradicted);
}

#[test]
fn what_was_changed_since_is_no_evidence() {
    let mut repo = repo();
    let path = |text: &str| RelPath::parse(text).unwrap();
    fs::write(repo.root.join("src/planted.ts"), "eval(userInput)\n").unwrap();
    let before = "export const first = 1;\n".to_owned();
    repo.tree = WorkTree::open(&repo.root).with_earlier(
        [
            (path("src/planted.ts"), Earlier::Missing),
            (path(FILE), Earlier::Text(before)),
            (path(".planning/phases/03-x/03-01-PLAN.md"), Earlier::Unknown),
        ]
        .into(),
    );
    assert_eq!(repo.check("src/planted.ts", 1, "eval(userInput)", "").0, Verdict::Ungrounded);
    assert_eq!(repo.check(FILE, 3, "getPosts(cursor: string)", "").0, Verdict::Ungrounded);
    assert_eq!(repo.check(FILE, 1, "export const first", "").0, Verdict::Verified);
    // Nobody knows what stood there, so it neither bears the claim out nor proves it wrong.
    let plan = ".planning/phases/03-x/03-01-PLAN.md";
    assert_eq!(repo.check(plan, 2, "wave: 1", "").0, Verdict::Located);
    fs::create_dir_all(repo.root.join(".git")).unwrap();
    fs::write(repo.root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert_eq!(repo.check(".git/HEAD", 1, "ref: refs/heads/main", "").0, Verdict::Outside);
}

#[test]
fn a_place_that_is_there_is_not_wrong_because_nothing_is_quoted() {
    let repo = repo();
    let claim = "no upper limit is enforced anywhere";
    for (path, line) in [(FILE, 3), (FILE, 0), ("src", 0), ("03-01-PLAN.md", 0)] {
        let (verdict, _) = repo.check(path, line, "", claim);
        assert_eq!(verdict, Verdict::Located, "{path}:{line}");
        assert!(!verdict.holds() && !verdict.refutes());
    }
    // A place that is not there, and words that are not there, are wrong.
    for (path, line, quote) in
        [(FILE, 4000, ""), (FILE, 3, "let upper = 7"), ("src/gone.ts", 3, "")]
    {
        assert_eq!(repo.check(path, line, quote, claim).0, Verdict::Ungrounded, "{path}:{line}");
    }
}
