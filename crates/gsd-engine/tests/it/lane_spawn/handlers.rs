//! Programs whose output needs code of ours.

use super::*;

fn opencode(stream: &str) -> LaneReport {
    opencode_ending(stream, 0)
}

fn opencode_ending(stream: &str, status: i32) -> LaneReport {
    let bench = Bench::script(&format!("cat > /dev/null; cat \"$HOME/stream\"; exit {status}"))
        .set("/handler", json!("opencode"));
    std::fs::write(bench.world.home().join("stream"), stream).unwrap();
    bench.call()
}

/// RT-55.
#[test]
fn a_stream_of_events_becomes_a_review() {
    let finish = r#"{"type":"step_finish","part":{"reason":"stop","tokens":{"output":7}}}"#;
    let text = r#"{"type":"text","part":{"text":"\u001b[1m# Review"}}"#;
    let whole =
        opencode(&format!("banner\r\n{text}\r\n{{\"type\":\"text\",\"part\":null}}\n{finish}\n"));
    assert_eq!((end(&whole), whole.text.as_str()), ((State::Reviewed, None), "# Review"));
    let cut = opencode(&format!("{text}\n{{\"type\":\"te"));
    assert_eq!(end(&cut), (State::Incomplete, Some(Reason::Truncated)));
    let error = r#"{"type":"error","error":{"data":{"message":"429 Too Many Requests"}}}"#;
    let failed = opencode(&format!("{text}\n{error}\n"));
    assert_eq!(end(&failed), (State::Failed, Some(Reason::RateLimited)));
    let refused = r#"{"type":"error","error":{"data":{"message":"Incorrect API key provided."}}}"#;
    let ended = opencode_ending(&format!("{refused}\n"), 1);
    assert_eq!(
        end(&ended),
        (State::Failed, Some(Reason::Auth)),
        "its log says nothing, its events do"
    );
    assert!(ended.message.unwrap().contains("Incorrect API key"));
    let silent = opencode(&format!("{finish}\n"));
    assert_eq!(end(&silent), (State::Empty, Some(Reason::Blank)));
    assert!(silent.warnings[0].contains("output tokens 7"));
    assert_eq!(silent.text, "", "the stream itself is never the review");
}

/// A bench of Antigravity's agent with one old answer in its transcript.
fn antigravity(script: &str) -> Bench {
    let bench = Bench::script(&format!(
        "test \"$1\" = --help && {{ echo ' --add-dir DIR'; exit 0; }}\n\
         T=\"$HOME/.gemini/antigravity-cli/brain/c1/.system_generated/logs/transcript.jsonl\"\n\
         say() {{ printf '{{\"source\":\"MODEL\",\"status\":\"DONE\",\"type\":\"PLANNER_RESPONSE\",\"content\":\"%s\"}}\\n' \"$1\" >> \"$T\"; }}\n\
         {script}"
    ))
    .set("/handler", json!("antigravity"))
    .set("/emptyOutput", json!("handler-owned"))
    .set("/invoke/promptChannel", json!("argv-file-ref"))
    .set("/invoke/args", json!(["-p", "{{prompt}}"]));
    let folder = bench.world.home().join(".gemini/antigravity-cli");
    let logs = folder.join("brain/c1/.system_generated/logs");
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::create_dir_all(folder.join("cache")).unwrap();
    let cache = json!({ bench.world.root().as_str(): "c1" }).to_string();
    std::fs::write(folder.join("cache/last_conversations.json"), cache).unwrap();
    let old = r#"{"source":"MODEL","status":"DONE","type":"PLANNER_RESPONSE","content":"OLD"}"#;
    std::fs::write(logs.join("transcript.jsonl"), format!("{old}\n")).unwrap();
    bench
}

/// RT-56.
#[test]
fn what_antigravity_does_not_print_is_looked_up() {
    let printed = antigravity("say new; echo '# Printed'; echo \"$1 $2 $3\" | cut -c1-40").call();
    assert!(printed.text.starts_with("# Printed\n--add-dir /"), "{printed:?}");
    let grown = antigravity("say '# From the transcript'").call();
    assert_eq!(
        (end(&grown), grown.text.as_str()),
        ((State::Reviewed, None), "# From the transcript")
    );
    assert_eq!(grown.warnings.len(), 1);
    let unchanged = antigravity("exit 0").call();
    assert_eq!(end(&unchanged), (State::Empty, Some(Reason::Blank)));
    assert_eq!(unchanged.text, "", "the old answer is not this review");
    let failed = antigravity("say '# Review'; echo partial; exit 1").call();
    assert_eq!((end(&failed), failed.text.as_str()), ((State::Reviewed, None), "# Review"));
    let broken = antigravity("echo '# Looks whole'; exit 1").call();
    assert_eq!(end(&broken), (State::Failed, Some(Reason::ExitStatus)));
    let log = "echo 'Publisher model x NOT_FOUND' > \"$HOME/.gemini/antigravity-cli/cli.log\"";
    let model = antigravity(log).call();
    assert_eq!(model.state, State::Empty);
    assert!(said(&model).contains("Publisher model x NOT_FOUND"));
    let scratch = "echo 'My working directory is ~/.gemini/antigravity-cli/scratch/a'";
    assert!(antigravity(scratch).call().blind);
}
