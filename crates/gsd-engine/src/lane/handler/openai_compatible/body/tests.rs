use super::*;
use proptest::prelude::*;

fn completion(body: &str) -> Completion {
    match parse(body.as_bytes()) {
        Answer::Completion(completion) => completion,
        other => panic!("{body}: {other:?}"),
    }
}

fn provider_error(body: &str) -> ProviderError {
    match parse(body.as_bytes()) {
        Answer::Error(error) => error,
        other => panic!("{body}: {other:?}"),
    }
}

fn text(body: &str) -> String {
    completion(body).text
}

#[test]
fn a_plain_completion() {
    let body = r###"{"id":"c","object":"chat.completion","model":"m1","choices":[{"index":0,
        "message":{"role":"assistant","content":"## Summary\n\nGood."},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":120,"completion_tokens":5}}"###;
    let expected = Completion {
        text: "## Summary\n\nGood.".into(),
        finish: Finish::Stop,
        model: Some("m1".into()),
        prompt_tokens: Some(120),
        chosen: true,
        ..Completion::default()
    };
    assert_eq!(completion(body), expected);
}

const PLAIN: &str = r#"{"choices":[{"message":{"content":"Review"}}]}"#;

#[test]
fn what_stands_before_the_json_is_skipped() {
    for before in
        ["\u{feff}", "\n\n  ", ": PROCESSING\n\n", ": A\n: B\r\n\r\n", "\u{feff}:\n", ":\r\r:x\n"]
    {
        assert_eq!(text(&format!("{before}{PLAIN}")), "Review", "{before:?}");
    }
    for after in ["\n", "\r\n  "] {
        assert_eq!(text(&format!("{PLAIN}{after}")), "Review", "{after:?}");
    }
    for after in ["garbage", "}", "\0", "{}", ": PROCESSING"] {
        let answer = parse(format!("{PLAIN}{after}").as_bytes());
        assert_eq!(answer, Answer::Foreign(Foreign::NotJson), "{after:?}");
    }
}

#[test]
fn a_content_may_have_many_shapes() {
    for content in [
        r#""Review""#,
        r#"[{"type":"text","text":"Rev"},{"type":"text","text":"iew"}]"#,
        r#"["Rev","iew"]"#,
        r#"[{"text":"Review"}]"#,
        r#"[{"type":"output_text","text":"Review"},{"type":"image_url","image_url":{}}]"#,
        r#"[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Review"}]"#,
        r#"{"type":"text","text":"Review"}"#,
        r#"[null,7,{"text":{"value":"Review"}}]"#,
        r#""<think>hm</think>Review""#,
        r#""\u001b[1mReview\u001b[0m""#,
    ] {
        let body = format!(r#"{{"choices":[{{"message":{{"content":{content}}}}}]}}"#);
        assert_eq!(text(&body), "Review", "{content}");
    }
    assert_eq!(text(r#"{"choices":[{"text":"Review"}]}"#), "Review");
    assert_eq!(
        text(r#"{"model":"m","message":{"role":"assistant","content":"Review"}}"#),
        "Review"
    );
}

#[test]
fn thinking_beside_the_text_is_counted_and_never_shown() {
    let body = r#"{"choices":[{"message":{"role":"assistant","content":null,
        "reasoning_content":"let me see"},"finish_reason":"length"}]}"#;
    let answer = completion(body);
    assert_eq!((answer.text.as_str(), answer.thought), ("", 10));
    assert_eq!(answer.finish, Finish::Length);
    for message in [
        r#"{"content":"","reasoning":"let me see"}"#,
        r#"{"reasoning_content":"let me see"}"#,
        r#"{"content":"<think>abc"}"#,
        r#"{"content":[{"type":"thinking","thinking":"let me see"}]}"#,
    ] {
        let answer = completion(&format!(r#"{{"choices":[{{"message":{message}}}]}}"#));
        assert_eq!((answer.text.as_str(), answer.thought), ("", 10), "{message}");
    }
}

#[test]
fn a_completion_without_text_says_what_it_has_instead() {
    let tools = completion(
        r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1"}]},"finish_reason":"tool_calls"}]}"#,
    );
    assert!(tools.tool_calls && tools.text.is_empty());
    assert_eq!(tools.finish, Finish::ToolCalls);
    let refused = completion(r#"{"choices":[{"message":{"content":null,"refusal":"I cannot."}}]}"#);
    assert_eq!(refused.refusal.as_deref(), Some("I cannot."));
    let none = completion(r#"{"choices":[],"usage":{"prompt_tokens":3}}"#);
    assert_eq!((none.chosen, none.prompt_tokens), (false, Some(3)));
    for choices in ["[null]", "[7]", "[{}]", r#"[{"message":null}]"#, r#"[{"message":"x"}]"#] {
        assert_eq!(text(&format!(r#"{{"choices":{choices}}}"#)), "", "{choices}");
    }
}

#[test]
fn an_error_is_an_error_whatever_its_shape() {
    for (body, message) in [
        (r#"{"error":{"message":"no memory","type":"server_error","code":500}}"#, "no memory"),
        (r#"{"error":"no memory"}"#, "no memory"),
        (r#"{"error":{"error":{"message":"no memory"}}}"#, "no memory"),
        (r#"{"object":"error","message":"no memory","code":40303}"#, "no memory"),
        (r#"[{"error":{"message":"no memory"}}]"#, "no memory"),
        (r#"{"detail":"no memory"}"#, "no memory"),
        (r#"{"message":"no memory"}"#, "no memory"),
        (r#"{"error":{"reason":1}}"#, r#"{"reason":1}"#),
        (r#"{"error":true,"message":"no memory"}"#, "no memory"),
        (r#"{"choices":[{"message":{"content":"x"}}],"error":{"message":"late"}}"#, "late"),
    ] {
        assert_eq!(provider_error(body).message, message, "{body}");
    }
    let null = r#"{"error":null,"choices":[{"message":{"content":"Review"}}]}"#;
    assert_eq!(text(null), "Review");
    let long = provider_error(
        r#"{"error":{"code":400,"message":"too long","type":"exceed_context_size_error",
            "n_prompt_tokens":9000,"n_ctx":4096}}"#,
    );
    assert_eq!(long.context, Some((9000, 4096)));
    assert_eq!(long.kind, "exceed_context_size_error 400");
    let choice = provider_error(
        r#"{"choices":[{"message":{"content":"half"},"finish_reason":"error","error":{"message":"upstream died"}}]}"#,
    );
    assert_eq!((choice.message.as_str(), choice.partial.as_str()), ("upstream died", "half"));
}

#[test]
fn what_is_no_answer_is_named() {
    for (body, foreign) in [
        ("", Foreign::Blank),
        (" \r\n\u{feff}", Foreign::Blank),
        (": PROCESSING\n", Foreign::Blank),
        ("<!DOCTYPE html><p>Sign in", Foreign::Html),
        ("not json", Foreign::NotJson),
        (r#"{"choices":[{"message":{"con"#, Foreign::NotJson),
        ("null", Foreign::OtherShape),
        ("[]", Foreign::OtherShape),
        ("{}", Foreign::OtherShape),
        ("\"Loading model\"", Foreign::OtherShape),
        ("7", Foreign::OtherShape),
        (r#"{"choices":null}"#, Foreign::OtherShape),
        (r#"{"choices":"x"}"#, Foreign::OtherShape),
        ("data: nonsense\n\n", Foreign::NotJson),
        ("event: ping\n\n", Foreign::OtherShape),
    ] {
        assert_eq!(parse(body.as_bytes()), Answer::Foreign(foreign), "{body}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(parse(deep.as_bytes()), Answer::Foreign(Foreign::NotJson));
}

#[test]
fn a_stream_is_joined() {
    let body = concat!(
        ": OPENROUTER PROCESSING\n\n",
        "data: {\"model\":\"m1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"Rev\"}}]}\r\n\r\n",
        "event: x\nid: 3\ndata: {\"choices\":[{\"delta\":{\"content\":\"iew\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9}}\n\n",
        "data: [DONE]\n\n",
    );
    let expected = Completion {
        text: "Review".into(),
        finish: Finish::Stop,
        model: Some("m1".into()),
        prompt_tokens: Some(9),
        thought: 2,
        chosen: true,
        ..Completion::default()
    };
    assert_eq!(completion(body), expected);
    let tight = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\ndata: [DONE]";
    assert_eq!((text(tight).as_str(), completion(tight).finish), ("a", Finish::Unsaid));
    let lines = "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n";
    assert_eq!(text(lines), "a");
    assert_eq!(completion("data: [DONE]\n\n"), Completion::default());
}

#[test]
fn a_stream_that_breaks_off_says_so() {
    let start = "data: {\"choices\":[{\"delta\":{\"content\":\"Rev\"}}]}\n\n";
    for end in ["", "data: {\"choices\":[{\"del", "data: {\"choices\":[{\"del\n\ndata: [DONE]\n\n"]
    {
        let answer = completion(&format!("{start}{end}"));
        assert_eq!((answer.text.as_str(), &answer.finish), ("Rev", &Finish::Cut), "{end}");
        assert!(answer.finish.is_early());
    }
    let error = provider_error(&format!("{start}data: {{\"error\":{{\"message\":\"died\"}}}}\n\n"));
    assert_eq!((error.message.as_str(), error.partial.as_str()), ("died", "Rev"));
}

#[test]
fn odd_bytes_do_not_cost_the_review() {
    let body =
        [br#"{"choices":[{"message":{"content":"a"#.as_slice(), b"\xff\xfe", b"b\"}}]}"].concat();
    let Answer::Completion(answer) = parse(&body) else { panic!() };
    assert_eq!(answer.text, "a\u{fffd}\u{fffd}b");
    let lone =
        r#"{"choices":[{"message":{"content":"cut \ud83d end \ud83d\ude00 \\ud83d \udc00"}}]}"#;
    assert_eq!(text(lone), "cut \u{fffd} end \u{1f600} \\ud83d \u{fffd}");
}

/// JSON that looks like an answer, with anything anywhere in it.
fn nearly() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("choices"),
        Just("message"),
        Just("content"),
        Just("delta"),
        Just("text"),
        Just("error"),
        Just("type"),
        Just("finish_reason"),
        Just("model"),
        Just("usage"),
        Just("prompt_tokens"),
        Just("reasoning"),
        Just("tool_calls"),
        Just("data"),
        Just("id"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z<>/`\\\\\u{fffd}]{0,8}".prop_map(Value::from),
        Just(Value::from("<think>")),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((word.clone(), inner), 0..5).prop_map(|fields| {
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes);
        let _ = super::super::models::Models::read(&bytes);
    }

    #[test]
    fn anything_like_an_answer_is_one(value in nearly(), cut in 0_usize..200) {
        let body = value.to_string();
        let _ = parse(body.as_bytes());
        let _ = parse(&body.as_bytes()[..cut.min(body.len())]);
        let _ = parse(format!("data: {body}\n\ndata: {body}").as_bytes());
        let _ = super::super::models::Models::read(body.as_bytes());
    }

    #[test]
    fn a_text_comes_back_however_the_stream_is_cut(text in "[a-zé😀 \n`]{0,60}", size in 1_usize..7) {
        let whole = serde_json::json!({"choices": [{"message": {"content": text}}]});
        let Answer::Completion(whole) = parse(whole.to_string().as_bytes()) else { panic!() };
        let chars: Vec<char> = text.chars().collect();
        let mut stream: String = chars
            .chunks(size)
            .map(|piece| {
                let piece: String = piece.iter().collect();
                let event = serde_json::json!({"choices": [{"delta": {"content": piece}}]});
                format!("data: {event}\n\n")
            })
            .collect();
        stream.push_str("data: [DONE]\n\n");
        let Answer::Completion(streamed) = parse(stream.as_bytes()) else { panic!() };
        prop_assert_eq!(whole.text, streamed.text);
    }
}
