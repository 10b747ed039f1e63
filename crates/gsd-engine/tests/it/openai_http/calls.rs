//! What is sent, where to, how often, and when not.

use super::*;

#[test]
fn a_review_comes_back() {
    let server = server(vec![well()]);
    let report = review_of(&server, &limits());
    assert_eq!(facts(&report), (State::Reviewed, None));
    assert_eq!(report.message, None);
    assert_eq!(report.text, REVIEW.trim());
    let of = PROMPT.len() as u64;
    assert_eq!(report.delivery, Delivery::Sent { taken: of, of });
    assert_eq!(report.http_status, Some(200));
    assert_eq!(report.model_requested.as_deref(), Some("m1"));
    assert_eq!(report.model_served.as_deref(), Some("m1"));
    assert_eq!(report.prompt_tokens, Some(20));
    assert_eq!(report.destination.as_deref(), Some(&*server.url()));
    assert!(report.first_byte.is_some() && report.warnings.is_empty(), "{report:?}");
    let [probe, post] = &server.requests()[..] else { panic!("not two requests") };
    assert_eq!((probe.method.as_str(), probe.path.as_str()), ("GET", MODELS));
    let body = serde_json::json!({
        "model": "m1", "messages": [{"role": "user", "content": PROMPT}]
    });
    assert_eq!(String::from_utf8_lossy(&post.body), body.to_string());
    assert_eq!(post.header("content-type"), Some("application/json"));
    assert_eq!(post.header("authorization"), None);
}

// RT-24
#[test]
fn a_redirect_is_refused_and_nothing_is_sent_there() {
    let other = ModelServer::preset();
    for status in [301, 302, 303, 307, 308] {
        let there = format!("{}{CHAT}", other.url());
        let server = server(vec![Answer::redirect(status, &there)]);
        let report = review_of(&server, &limits());
        assert_eq!(facts(&report), (State::Blocked, Some(Reason::Redirect)));
        let (from, to) = (server.url(), other.url());
        assert_eq!(
            message(&report),
            format!("{from} redirects to {to} ({status}); it was not followed")
        );
        assert_eq!(posts(&server).len(), 1);
        // The probe as well.
        let there = format!("{}{MODELS}", other.url());
        let server = ModelServer::scripted([
            (MODELS, vec![Answer::redirect(status, &there)]),
            (CHAT, vec![well()]),
        ]);
        let report = review_of(&server, &limits());
        assert_eq!(facts(&report), (State::Blocked, Some(Reason::Redirect)));
        assert_eq!((report.during, report.delivery), (Some(During::Probe), Delivery::NotSent));
        assert_eq!(posts(&server), []);
    }
    assert_eq!(other.connections(), 0);
}

// RT-28
#[test]
fn every_spelling_of_the_address_reaches_the_same_place() {
    let server = server(vec![well()]);
    let port = server.port();
    let bases = [
        format!("http://127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}//"),
        format!("http://127.0.0.1:{port}/v1"),
        format!("http://127.0.0.1:{port}/v1/"),
        format!("HTTP://LOCALHOST:{port}"),
    ];
    for base in &bases {
        let report = Lane::at(base).review(&limits());
        assert_eq!(report.state, State::Reviewed, "{base}: {report:?}");
    }
    assert!(server.requests().iter().all(|r| r.path == MODELS || r.path == CHAT));
}

fn chosen(server: &ModelServer, limits: &CallLimits) -> (LaneReport, Option<String>) {
    let lane = Lane::at(&server.url());
    let report = call(
        &HttpCall { model: None, ..lane.call() },
        None,
        PROMPT,
        limits,
        &Cancel::new(),
        &mut |_| {},
    );
    let asked = posts(server).first().map(|post| post.json()["model"].to_string());
    (report, asked)
}

// RT-30
#[test]
fn a_model_is_chosen_from_the_list_that_the_probe_brought() {
    let list = Answer::models(&["nomic-embed-text", "bge-reranker", "qwen3:8b", "llama3"]);
    let answer = Answer::completion("qwen3:8b", REVIEW, 20);
    let server = ModelServer::scripted([(MODELS, vec![list]), (CHAT, vec![answer])]);
    let (report, asked) = chosen(&server, &limits());
    assert_eq!(asked.as_deref(), Some("\"qwen3:8b\""));
    assert_eq!(
        report.warnings,
        ["`qwen3:8b` was chosen of `nomic-embed-text`, `bge-reranker`, `qwen3:8b`, `llama3`"]
    );
    assert_eq!(server.requests().len(), 2);
    let answer = Answer::completion("fallback", REVIEW, 20);
    let server = ModelServer::scripted([(MODELS, vec![Answer::models(&[])]), (CHAT, vec![answer])]);
    let (report, asked) = chosen(&server, &limits());
    assert_eq!(asked.as_deref(), Some("\"fallback\""));
    assert_eq!(report.warnings, ["the server lists no model; `fallback` was asked for"]);
    let only = Answer::models(&["nomic-embed-text", "bge-reranker"]);
    let server = ModelServer::scripted([(MODELS, vec![only]), (CHAT, vec![well()])]);
    let (report, asked) = chosen(&server, &limits());
    assert_eq!((facts(&report), asked), ((State::Unavailable, Some(Reason::Model)), None));
    assert_eq!(message(&report), "none of its models can chat: `nomic-embed-text`, `bge-reranker`");
    assert!(report.remedy.unwrap().contains("review.models.acme"));
}

// RT-30, where the probe asks for something else.
#[test]
fn discovery_is_bounded_and_falls_back() {
    for list in [
        Answer::json(404, "{}"),
        Answer::json(200, "nonsense"),
        Answer::silence(),
        Answer::models(&[]),
    ] {
        let server = ModelServer::scripted([
            ("/health", vec![Answer::json(200, "{}")]),
            (MODELS, vec![list]),
            (CHAT, vec![well()]),
        ]);
        let lane = Lane { probe_path: "/health", ..Lane::at(&server.url()) };
        let limits = CallLimits { discovery: SHORT, ..limits() };
        let call_ = HttpCall { model: None, ..lane.call() };
        let report = call(&call_, None, PROMPT, &limits, &Cancel::new(), &mut |_| {});
        assert_eq!(report.state, State::Reviewed, "{report:?}");
        assert_eq!(posts(&server)[0].json()["model"], "fallback");
        assert!(report.elapsed < Duration::from_secs(5));
    }
}

// RT-33
#[test]
fn an_empty_prompt_is_refused_before_anything_is_sent() {
    let server = server(vec![well()]);
    for prompt in ["", " \n"] {
        let report = call(
            &Lane::at(&server.url()).call(),
            None,
            prompt,
            &limits(),
            &Cancel::new(),
            &mut |_| {},
        );
        assert_eq!(facts(&report), (State::Failed, Some(Reason::Other)));
        assert_eq!(message(&report), "the prompt is empty");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_host_elsewhere_is_blocked_before_the_probe() {
    // Were it not blocked, the name could not be looked up and the reason would be another.
    let lane = Lane::at("https://models.invalid");
    let report = lane.review(&limits());
    assert_eq!(facts(&report), (State::Blocked, Some(Reason::NotConsented)));
    assert_eq!(
        message(&report),
        "https://models.invalid is not this machine, and nobody approved it"
    );
    assert_eq!(report.delivery, Delivery::NotSent);
    let ended = probe(&lane.call(), &limits(), &Cancel::new()).unwrap_err();
    assert_eq!(facts(&ended), (State::Blocked, Some(Reason::NotConsented)));
    let server = server(vec![well()]);
    let denied = Permission::Denied {
        reason: Reason::HostChanged,
        message: "it was http://a, now it is http://b".into(),
        remedy: "approve it again".into(),
    };
    let mut lane = Lane::at(&server.url());
    lane.access.permission = denied;
    let report = lane.review(&limits());
    assert_eq!(facts(&report), (State::Blocked, Some(Reason::HostChanged)));
    assert_eq!(server.connections(), 0);
    let approved = Endpoint::of(&lane.destination, CHAT).unwrap();
    lane.access.permission = Permission::Approved(approved);
    assert_eq!(lane.review(&limits()).state, State::Reviewed);
    // Approved is one path of one origin: the request itself is compared once more.
    let elsewhere = Endpoint::of(&lane.destination, "/v2/chat/completions").unwrap();
    lane.access.permission = Permission::Approved(elsewhere);
    let report = lane.review(&limits());
    assert_eq!(facts(&report), (State::Blocked, Some(Reason::HostChanged)));
    assert_eq!(posts(&server).len(), 1);
}

#[test]
fn a_server_that_loads_its_model_is_waited_for() {
    let server = ModelServer::scripted([
        (MODELS, vec![Answer::loading(), Answer::loading(), Answer::models(&["m1"])]),
        (CHAT, vec![Answer::loading(), Answer::loading(), Answer::loading(), well()]),
    ]);
    let report = review_of(&server, &limits());
    assert_eq!(facts(&report), (State::Reviewed, None));
    assert_eq!(server.requests().len(), 7);
    for scripts in [
        [(MODELS, vec![Answer::loading()]), (CHAT, vec![well()])],
        [(MODELS, vec![Answer::models(&["m1"])]), (CHAT, vec![Answer::loading()])],
    ] {
        let server = ModelServer::scripted(scripts);
        let report = review_of(&server, &CallLimits { total: SHORT * 2, ..limits() });
        assert_eq!(facts(&report), (State::TimedOut, Some(Reason::TimeLimit)));
        assert_eq!(
            message(&report),
            "the server was still loading its model after 300 ms (limit from the lane's manifest)"
        );
    }
}

#[test]
fn a_busy_server_is_asked_once_more() {
    for busy in [
        Answer::json(429, r#"{"error":{"message":"rate limit reached"}}"#),
        Answer::json(529, r#"{"error":{"message":"overloaded"}}"#),
        Answer::new(503, &[("retry-after", "0")], b""),
    ] {
        let once = server(vec![busy.clone(), well()]);
        assert_eq!(review_of(&once, &limits()).state, State::Reviewed);
        let twice = server(vec![busy]);
        let report = review_of(&twice, &limits());
        assert_eq!(report.state, State::Failed);
        assert_eq!(posts(&twice).len(), 2);
    }
    let later = Answer::new(429, &[("retry-after", "3600")], b"{}");
    let server = server(vec![later, well()]);
    let report = review_of(&server, &limits());
    assert_eq!(facts(&report), (State::Failed, Some(Reason::RateLimited)));
    assert_eq!(posts(&server).len(), 1);
}

#[test]
fn nobody_there_is_found_out_before_the_prompt_is_sent() {
    let server = ModelServer::scripted([(CHAT, vec![well()])]);
    server.on(MODELS, vec![Answer::json(500, r#"{"error":"boom"}"#)]);
    let report = review_of(&server, &limits());
    assert_eq!(facts(&report), (State::Unavailable, Some(Reason::Unreachable)));
    assert_eq!(report.during, Some(During::Probe));
    assert!(message(&report).ends_with("answered the probe with 500"), "{}", message(&report));
    server.on(MODELS, vec![Answer::json(401, "{}")]);
    assert_eq!(facts(&review_of(&server, &limits())), (State::Unavailable, Some(Reason::Auth)));
    server.on(MODELS, vec![Answer::silence()]);
    let report = review_of(&server, &CallLimits { probe: SHORT, ..limits() });
    assert_eq!(facts(&report), (State::TimedOut, Some(Reason::TimeLimit)));
    assert_eq!(report.during, Some(During::Probe));
    server.on(MODELS, vec![Answer::huge(700_000_000)]);
    let report = review_of(&server, &limits());
    assert_eq!(facts(&report), (State::Unavailable, Some(Reason::Unreachable)));
    assert_eq!(posts(&server), []);
    let (url, origin) = (server.url(), server.url());
    drop(server);
    let report = Lane::at(&url).review(&limits());
    assert_eq!(facts(&report), (State::Unavailable, Some(Reason::Unreachable)));
    assert_eq!(message(&report), format!("nothing at {origin}"));
}

#[test]
fn a_stream_is_asked_for_where_the_server_knows_it() {
    let streams = server(vec![Answer::stream("m1", &[&REVIEW[..40], &REVIEW[40..]], "stop")]);
    let asks = |server: &ModelServer| {
        let streaming = Streaming::Asked;
        Lane { streaming, ..Lane::at(&server.url()) }.review(&limits())
    };
    let report = asks(&streams);
    assert_eq!((facts(&report), report.text.as_str()), ((State::Reviewed, None), REVIEW.trim()));
    assert_eq!(report.prompt_tokens, Some(9));
    assert_eq!(posts(&streams)[0].json()["stream"], true);
    // A stream that ends without its end is no whole review.
    let mut cut = Answer::stream("m1", &["The plan", " is"], "stop");
    cut.steps.truncate(4);
    let report = asks(&server(vec![cut.clone()]));
    assert_eq!(facts(&report), (State::Failed, Some(Reason::Transport)));
    assert_eq!(report.text, "The plan is");
    cut.steps.push(Step::Send(b"0\r\n\r\n".to_vec()));
    let report = asks(&server(vec![cut]));
    assert_eq!(facts(&report), (State::Incomplete, Some(Reason::Truncated)));
    // One that does not know streams is asked again without.
    let unknown = Answer::json(400, r#"{"error":{"message":"stream_options is not supported"}}"#);
    let plain = server(vec![unknown, well()]);
    assert_eq!(asks(&plain).state, State::Reviewed);
    let [first, second] = &posts(&plain)[..] else { panic!("not two requests") };
    assert_eq!((&first.json()["stream"], &second.json()["stream"]), (&true.into(), &().into()));
}

#[test]
fn a_key_goes_with_the_request_and_never_into_the_report() {
    let echo = r#"{"error":{"message":"bad api key: k3y-of-nobody-at-all"}}"#;
    let server = server(vec![Answer::json(401, echo)]);
    let mut lane = Lane::at(&server.url());
    lane.access.secret = Some(Secret::new("k3y-of-nobody-at-all".to_owned()));
    let report = lane.review(&limits());
    assert_eq!(facts(&report), (State::Failed, Some(Reason::Auth)));
    assert_eq!(posts(&server)[0].header("authorization"), Some("Bearer k3y-of-nobody-at-all"));
    assert!(!format!("{report:?}{:?}", lane.call()).contains("k3y"), "{report:?}");
}

#[test]
fn a_cancel_ends_the_call_at_any_point() {
    let models = || Answer::models(&["m1"]);
    for (probed, asked, answers) in [
        (Answer::silence(), well(), 1),
        (Answer::loading(), well(), 1),
        (models(), Answer::silence(), 2),
        (models(), Answer::loading(), 2),
    ] {
        let server = ModelServer::scripted([(MODELS, vec![probed]), (CHAT, vec![asked])]);
        let cancel = Cancel::new();
        let limits = CallLimits { pause: Duration::from_secs(30), ..limits() };
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(server.wait_until_sent(answers, Duration::from_secs(10)));
                cancel.stop();
            });
            call(&Lane::at(&server.url()).call(), None, PROMPT, &limits, &cancel, &mut |_| {})
        });
        assert_eq!(facts(&report), (State::Cancelled, Some(Reason::Interrupted)));
        assert!(report.elapsed < Duration::from_secs(10));
    }
}

#[test]
fn a_stream_may_be_many_times_as_long_as_its_text() {
    let asks = |answer: Answer, limits: &CallLimits| {
        let server = server(vec![answer]);
        let streaming = Streaming::Asked;
        Lane { streaming, ..Lane::at(&server.url()) }.review(limits)
    };
    let small = CallLimits { max_body: 64 << 10, ..limits() };
    let words = vec!["word "; 1000];
    let report = asks(Answer::stream("m1", &words, "stop"), &small);
    assert_eq!((facts(&report), report.text.len()), ((State::Reviewed, None), 4999));
    assert!(report.sizes.output > small.max_body, "{:?}", report.sizes);
    let more = vec!["word "; 4000];
    let report = asks(Answer::stream("m1", &more, "stop"), &small);
    assert_eq!(facts(&report), (State::Failed, Some(Reason::TooLarge)));
    assert!(report.text.starts_with("word word"), "the part that came is kept");
    // The larger cap is for streams only.
    let whole = completion_body("m1", &"word ".repeat(20_000), 20);
    let report = asks(Answer::json(200, &whole), &small);
    assert_eq!(facts(&report), (State::Failed, Some(Reason::TooLarge)));
}

#[test]
fn a_call_tells_how_far_it_is() {
    let mut slow = Answer::stream("m1", &["The plan", " is fine"], "stop");
    slow.steps.insert(4, Step::Wait(Duration::from_millis(1200)));
    let server = server(vec![Answer::loading(), slow]);
    let mut told = vec![];
    let lane = Lane::at(&server.url());
    let report = call(&lane.call(), None, PROMPT, &limits(), &Cancel::new(), &mut |p| told.push(p));
    assert_eq!((facts(&report), &*report.text), ((State::Reviewed, None), "The plan is fine"));
    assert_eq!(told[..2], [Progress::Probing, Progress::Started]);
    assert!(told.len() > 2, "{told:?}");
    for sign in &told[2..] {
        assert!(matches!(sign, Progress::Output { bytes: 1.., .. }), "{told:?}");
    }
}
