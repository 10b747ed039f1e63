//! What comes back, and what it is taken for.

use super::*;

// RT-20
#[test]
fn a_stall_in_the_body_ends_at_the_idle_limit() {
    let server = server(vec![Answer::stall_after(b"{\"choices\":[{\"messag")]);
    let report = review_of(&server, &CallLimits { idle: SHORT, ..limits() });
    assert_eq!(facts(&report), (State::TimedOut, Some(Reason::TimeLimit)));
    assert_eq!(report.during, Some(During::Idle));
    assert_eq!(report.stderr, "{\"choices\":[{\"messag");
    assert_eq!(message(&report), "no further byte of the answer within 150 ms");
    assert!(report.elapsed < Duration::from_secs(5));
}

// RT-20, with a stream: what came of the text is kept as such.
#[test]
fn a_stream_that_stalls_keeps_its_text() {
    let mut answer = Answer::stream("m1", &["The plan ", "drops"], "stop");
    answer.steps.truncate(4);
    answer.steps.push(Step::Stall);
    let server = server(vec![answer]);
    let report = review_of(&server, &CallLimits { idle: SHORT, ..limits() });
    assert_eq!(facts(&report), (State::TimedOut, Some(Reason::TimeLimit)));
    assert_eq!(report.text, "The plan drops");
}

// RT-21
#[test]
fn a_head_byte_by_byte_ends_at_the_total_limit() {
    let server = server(vec![Answer::slow_head()]);
    let report = review_of(&server, &CallLimits { total: SHORT * 4, ..limits() });
    assert_eq!(facts(&report), (State::TimedOut, Some(Reason::TimeLimit)));
    assert_eq!(report.during, Some(During::Total));
    assert_eq!(message(&report), "no whole answer within 600 ms (limit from the lane's manifest)");
    assert!(report.stderr.starts_with("HTT"), "{report:?}");
    assert!(report.elapsed < Duration::from_secs(5));
}

// RT-22
#[test]
fn an_error_inside_a_success_is_no_review() {
    let report = answered(Answer::json(200, r#"{"error":{"message":"out of memory"}}"#));
    assert_eq!(facts(&report), (State::Failed, Some(Reason::VendorError)));
    assert_eq!(message(&report), "the server answered 200 with an error: out of memory");
    assert!(report.text.is_empty() && report.stderr.contains("out of memory"));
}

// RT-23
#[test]
fn choices_inside_a_failure_are_no_review() {
    let report = answered(Answer::json(500, &completion_body("m1", REVIEW, 20)));
    assert_eq!(facts(&report), (State::Failed, Some(Reason::VendorError)));
    assert_eq!(message(&report), "the server answered 500");
    assert_eq!(report.http_status, Some(500));
    assert!(report.text.is_empty() && report.stderr.contains("The plan works"));
}

// RT-25
#[test]
fn encodings_are_decoded_and_lies_about_length_are_faults() {
    let body = completion_body("m1", REVIEW, 20);
    for answer in [
        Answer::chunked("application/json", &[&body.as_bytes()[..30], &body.as_bytes()[30..]]),
        Answer::gzip(body.as_bytes()),
        Answer::unannounced_gzip(body.as_bytes()),
        Answer::deflate(body.as_bytes()),
        Answer::raw_deflate(body.as_bytes()),
    ] {
        let report = answered(answer);
        assert_eq!(facts(&report), (State::Reviewed, None));
        assert_eq!(report.text, REVIEW.trim());
    }
    let short = answered(Answer::short_body(body.as_bytes(), body.len() + 1));
    assert_eq!(facts(&short), (State::Failed, Some(Reason::Transport)));
    assert!(message(&short).contains("ended after"), "{}", message(&short));
    let garbage = answered(Answer::json(200, &(body + "}garbage")));
    assert_eq!(facts(&garbage), (State::Failed, Some(Reason::Transport)));
    assert_eq!(
        message(&garbage),
        "the server answered 200 with a body that is not JSON (`application/json`)"
    );
    assert!(garbage.stderr.ends_with("}garbage"));
}

// RT-25 and RT-26
#[test]
fn bodies_beyond_the_caps_are_not_read() {
    for answer in [Answer::gzip_bomb(), Answer::huge(700_000_000)] {
        let report = answered(answer);
        assert_eq!(facts(&report), (State::Failed, Some(Reason::TooLarge)));
        assert!(report.sizes.output <= (8 << 20) + (64 << 10), "{:?}", report.sizes);
        assert!(report.stderr.len() <= 16 * 1024);
    }
}

// RT-27
#[test]
fn another_model_than_asked_is_never_silent() {
    let report = answered(Answer::completion("evil", REVIEW, 20));
    assert_eq!(facts(&report), (State::Reviewed, None));
    assert_eq!(report.model_served.as_deref(), Some("evil"));
    assert_eq!(report.warnings, ["`m1` was asked for, `evil` answered"]);
    for served in ["m1:latest", "M1", "acme/m1"] {
        let report = answered(Answer::completion(served, REVIEW, 20));
        assert_eq!(report.model_served.as_deref(), Some(served));
        assert_eq!(report.warnings, [""; 0], "{served}");
    }
}

// RT-31
#[test]
fn contents_have_many_shapes() {
    let parts = r##"{"content":[{"type":"text","text":"# Re"},{"type":"text","text":"view"}]}"##;
    let report = answered(message_body(parts, "stop"));
    assert_eq!((facts(&report), report.text.as_str()), ((State::Reviewed, None), "# Review"));
    let thinks = r##"{"content":"<think>hm</think>\n# Review"}"##;
    let report = answered(message_body(thinks, "stop"));
    assert_eq!((facts(&report), report.text.as_str()), ((State::Reviewed, None), "# Review"));
    let report = answered(message_body(r##"{"content":"# Rev"}"##, "length"));
    assert_eq!(facts(&report), (State::Incomplete, Some(Reason::Truncated)));
    assert_eq!(report.text, "# Rev");
    assert_eq!(message(&report), "the model stopped early (finish reason: length)");
    let report = answered(Answer::json(200, r#"{"model":"m1","choices":[]}"#));
    assert_eq!(facts(&report), (State::Empty, Some(Reason::Blank)));
    assert_eq!(message(&report), "the answer has no text (it has no choice)");
    let tools = r#"{"content":null,"tool_calls":[{"id":"1"}]}"#;
    let report = answered(message_body(tools, "tool_calls"));
    assert_eq!(facts(&report), (State::Empty, Some(Reason::Blank)));
    assert_eq!(
        message(&report),
        "the answer has no text (finish reason: tool_calls; it calls tools that were not offered)"
    );
    let reasons = r#"{"content":"","reasoning_content":"let me see"}"#;
    let report = answered(message_body(reasons, "length"));
    assert_eq!(facts(&report), (State::Empty, Some(Reason::Blank)));
    assert_eq!(
        message(&report),
        "the answer has no text (finish reason: length; 10 bytes of thinking and nothing after it)"
    );
    assert!(report.text.is_empty());
    let report = answered(message_body(r#"{"content":"\ufeff \n\u001b[0m"}"#, "stop"));
    assert_eq!(facts(&report), (State::Empty, Some(Reason::Blank)));
}

// RT-32; what it means for the review is judged by who knows the estimate.
#[test]
fn tokens_of_the_prompt_are_reported() {
    assert_eq!(answered(Answer::completion("m1", REVIEW, 3)).prompt_tokens, Some(3));
    let cut = r#"{"choices":[{"message":{"content":""},"finish_reason":"length"}],
        "usage":{"prompt_tokens":4095,"completion_tokens":1}}"#;
    let server = server(vec![Answer::json(200, cut)]);
    let report = review_of(&server, &limits());
    assert_eq!(facts(&report), (State::Empty, Some(Reason::Blank)));
    assert!(message(&report).contains("4095 tokens of the prompt"), "{}", message(&report));
    assert!(report.remedy.unwrap().contains("OLLAMA_CONTEXT_LENGTH"));
    // It is deterministic, so it is not tried again.
    assert_eq!(posts(&server).len(), 1);
}

#[test]
fn failures_have_their_words() {
    let error = |message: &str| format!(r#"{{"error":{{"message":"{message}"}}}}"#);
    for (status, body, reason) in [
        (401, error("invalid api key"), Reason::Auth),
        (403, String::new(), Reason::Auth),
        (200, error("Incorrect API key provided"), Reason::Auth),
        (402, error("payment required"), Reason::Quota),
        (429, error("you exceeded your current quota"), Reason::Quota),
        (404, error("model 'm1' not found, try pulling it first"), Reason::Model),
        (400, error("No models loaded. Please load one"), Reason::Model),
        (404, "<html>".to_owned(), Reason::VendorError),
        (400, error("the request exceeds the available context size"), Reason::VendorError),
        (500, error("boom"), Reason::VendorError),
        (200, "<html>Sign in</html>".to_owned(), Reason::Transport),
        (200, "null".to_owned(), Reason::Transport),
    ] {
        let server = server(vec![Answer::json(status, &body)]);
        let report = review_of(&server, &limits());
        assert_eq!(facts(&report), (State::Failed, Some(reason)), "{status} {body}");
        assert_eq!(posts(&server).len(), 1, "{status} {body}");
    }
    let missing = answered(Answer::json(404, &error("model 'm1' not found")));
    assert_eq!(
        missing.remedy.as_deref(),
        Some(
            "set `review.models.acme` to one of `m1`, or load the model in the server (Ollama: `ollama pull m1`)"
        )
    );
    let long = r#"{"error":{"message":"too long","type":"exceed_context_size_error",
        "n_prompt_tokens":20031,"n_ctx":8192}}"#;
    let report = answered(Answer::json(400, long));
    assert_eq!(
        message(&report),
        "the server answered 400: too long (the prompt has 20031 tokens, the context 8192)"
    );
}

#[test]
fn the_preset_server_serves_every_case_by_its_address() {
    let server = ModelServer::preset();
    for (fault, state) in [
        ("none", State::Reviewed),
        ("gzip", State::Reviewed),
        ("stream", State::Reviewed),
        ("comments", State::Reviewed),
        ("bom", State::Reviewed),
        ("parts", State::Reviewed),
        ("thinks", State::Reviewed),
        ("loading", State::Reviewed),
        ("wrong-model", State::Reviewed),
        ("length", State::Incomplete),
        ("reasoning", State::Empty),
        ("empty", State::Empty),
        ("error-200", State::Failed),
        ("error-500", State::Failed),
        ("garbage", State::Failed),
        ("short", State::Failed),
        ("html", State::Failed),
        ("reset", State::Failed),
        ("redirect-307:1", State::Blocked),
    ] {
        let lane = Lane::at(&format!("{}/f/{fault}", server.url()));
        let report = lane.review(&limits());
        assert_eq!(report.state, state, "{fault}: {report:?}");
    }
}
