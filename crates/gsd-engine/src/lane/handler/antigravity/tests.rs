use super::*;
use proptest::prelude::*;

const ANSWER: &str =
    r#"{"source":"MODEL","status":"DONE","type":"PLANNER_RESPONSE","content":"Review"}"#;

/// A home with the records of one conversation.
struct Home(tempfile::TempDir);

impl Home {
    fn new(cache: &str) -> Self {
        let home = Self(tempfile::tempdir().expect("a folder"));
        home.write("cache/last_conversations.json", cache);
        home
    }

    fn path(&self) -> &Utf8Path {
        Utf8Path::from_path(self.0.path()).expect("UTF-8")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(FOLDER).join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write_atomic(&path, text.as_bytes()).expect("a file");
    }

    fn transcript(&self, id: &str, lines: &[&str]) {
        let path = format!("brain/{id}/.system_generated/logs/transcript.jsonl");
        self.write(&path, &lines.join("\n"));
    }

    fn mark(&self) -> Watermark {
        Watermark::take(self.path(), "/project".into(), Duration::ZERO)
    }
}

#[test]
fn the_conversation_of_a_workspace() {
    let of = |cache: &str| conversation_of(cache, "/Project");
    assert_eq!(of(r#"{"/project": "b", "/Project": "a"}"#).as_deref(), Some("a"));
    assert_eq!(of(r#"{"/PROJECT": "c"}"#).as_deref(), Some("c"));
    for none in [
        "null",
        "[]",
        "{",
        "",
        r#"{"/other": "a"}"#,
        r#"{"/Project": ""}"#,
        r#"{"/Project": 7}"#,
        r#"{"/Project": "../../../etc"}"#,
    ] {
        assert_eq!(of(none), None, "{none}");
    }
}

#[test]
fn only_what_came_since_is_an_answer() {
    let home = Home::new(r#"{"/project": "one"}"#);
    home.transcript("one", &[ANSWER, "", "not json"]);
    let mark = home.mark();
    assert_eq!(mark.answer_since(), None, "nothing has changed");
    let user = r#"{"source":"USER","status":"DONE","type":"PLANNER_RESPONSE","content":"x"}"#;
    let half = ANSWER.replace("DONE", "RUNNING");
    let odd = ANSWER.replace("\"Review\"", "[1]");
    home.transcript("one", &[ANSWER, "", "not json", user, &half, &odd]);
    assert_eq!(mark.answer_since(), None, "no entry is an answer");
    let new = ANSWER.replace("Review", "New review");
    home.transcript("one", &[ANSWER, "", "not json", &new, &half]);
    assert_eq!(mark.answer_since().as_deref(), Some("New review"));
}

#[test]
fn a_new_conversation_has_nothing_old() {
    let home = Home::new(r#"{"/project": "one"}"#);
    home.transcript("one", &[ANSWER, ANSWER]);
    let mark = home.mark();
    home.write("cache/last_conversations.json", r#"{"/project": "two"}"#);
    home.transcript("two", &[ANSWER]);
    assert_eq!(mark.answer_since().as_deref(), Some("Review"));
}

#[test]
fn a_transcript_that_could_not_be_read_before_proves_nothing_after() {
    let home = Home::new(r#"{"/project": "one"}"#);
    let path = home.path().join(FOLDER).join("brain/one/.system_generated/logs/transcript.jsonl");
    fs::create_dir_all(&path).expect("a folder in its place");
    let mark = home.mark();
    fs::remove_dir_all(&path).expect("removed");
    home.transcript("one", &[ANSWER]);
    assert_eq!(mark.answer_since(), None);
}

#[test]
fn no_records_before_and_a_conversation_after() {
    let home = Home::new("null");
    let mark = home.mark();
    assert_eq!(mark.seen, None);
    home.write("cache/last_conversations.json", r#"{"/PROJECT": "new"}"#);
    home.transcript("new", &[ANSWER]);
    assert_eq!(mark.answer_since().as_deref(), Some("Review"));
    let later = Watermark { taken_at: Duration::from_secs(u64::MAX / 2), ..mark };
    assert_eq!(later.answer_since(), None, "the transcript is older than the call");
}

#[test]
fn the_log_says_why() {
    let home = Home::new("null");
    assert!(home.mark().diagnosis().contains("before it had a session"));
    home.write("cli.log", "ok\nPublisher model `x` NOT_FOUND\nfine\nAgent Executor Error: 7\n");
    let diagnosis = home.mark().diagnosis();
    assert!(diagnosis.contains("Publisher model `x` NOT_FOUND · Agent Executor Error: 7"));
}

#[test]
fn the_root_goes_before_the_prompt() {
    let args = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let root = Utf8Path::new("/project");
    assert_eq!(
        with_root(args(&["-p", "--x", "-p", "prompt"]), "  --add-dir <DIR>", root),
        args(&["-p", "--x", "--add-dir", "/project", "-p", "prompt"])
    );
    assert_eq!(with_root(args(&["x"]), "--add-dir", root), args(&["x", "--add-dir", "/project"]));
    assert_eq!(with_root(args(&["-p", "x"]), "no such option", root), args(&["-p", "x"]));
}

#[test]
fn a_review_from_the_scratch_folder() {
    let scratch = "My working directory is /home/u/.gemini/antigravity-cli/scratch/x, so";
    assert!(worked_in_scratch(scratch));
    assert!(worked_in_scratch("Workspace: ~/.gemini/antigravity-cli/scratch"));
    assert!(!worked_in_scratch("The plan forgets ~/.gemini/antigravity-cli/scratch."));
    let far = format!("workspace {} antigravity-cli/scratch", "x ".repeat(40));
    assert!(!worked_in_scratch(&far));
}

proptest! {
    #[test]
    fn any_text(text in any::<String>()) {
        conversation_of(&text, "/project");
        answer(&text, 1);
        worked_in_scratch(&format!("{text}antigravity-cli/scratch{text}"));
    }
}
