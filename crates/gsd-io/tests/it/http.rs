//! Exchanges with a real server on loopback, well-behaved and otherwise.

use gsd_io::cancel::Cancel;
use gsd_io::http::{
    Authorization, Cap, Coding, Destination, End, Exchange, Fault, HttpLimits, Pace, Partial,
    Phase, Reach, Redirect, Request, Response, Roots, SafeUrl, Unreachable, send,
};
use gsd_io::secret::Secret;
use gsd_testkit::model_server::{Answer, ModelServer, Step, completion_body};
use std::net::TcpListener;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;

/// Long waits, so that only the limit a test sets can pass.
fn limits() -> HttpLimits {
    let long = Duration::from_secs(60);
    HttpLimits {
        connect: long,
        first_byte: long,
        idle: long,
        total: long,
        pace: None,
        max_body: 8 * MIB,
        max_compressed: 8 * MIB,
        max_ratio: 100,
    }
}

const SHORT: Duration = Duration::from_millis(150);

fn url(base: &str, path: &str) -> SafeUrl {
    Destination::parse(base).unwrap().join(path).unwrap()
}

fn get(server: &ModelServer, path: &str, limits: &HttpLimits) -> Exchange {
    send(
        Request::get(url(&server.url(), path), Reach::ThisMachine),
        limits,
        &Cancel::new(),
        &mut |_| {},
    )
}

/// The exchange of one GET that is answered by `answer`.
fn answered(answer: Answer, limits: &HttpLimits) -> Exchange {
    let server = ModelServer::scripted([("/x", vec![answer])]);
    get(&server, "/x", limits)
}

fn response(exchange: &Exchange) -> &Response {
    match &exchange.end {
        End::Response(response) => response,
        other => panic!("no response: {other:?}"),
    }
}

fn text(exchange: &Exchange) -> &str {
    std::str::from_utf8(&response(exchange).body).unwrap()
}

#[test]
fn a_post_arrives_whole_and_its_answer_comes_back() {
    let server = ModelServer::scripted([("/v1/x", vec![Answer::json(201, "{\"a\":1}")])]);
    let body = "é$`\"' plan ".repeat(300_000).into_bytes();
    let key = Authorization::Bearer(Secret::new("not-a-key".to_owned()));
    let request = Request {
        authorization: key,
        ..Request::post_json(url(&server.url(), "/v1/x"), Reach::ThisMachine, body.clone())
    };
    let exchange = send(request, &limits(), &Cancel::new(), &mut |_| {});
    let expected = Response {
        status: 201,
        content_type: "application/json".into(),
        retry_after: None,
        body: b"{\"a\":1}".to_vec(),
    };
    assert_eq!(response(&exchange), &expected);
    assert!(exchange.sent > body.len() as u64);
    assert_eq!(exchange.received, 7);
    let connected = exchange.connected_after.unwrap();
    let first = exchange.first_byte_after.unwrap();
    assert!(connected <= first && first <= exchange.elapsed, "{exchange:?}");
    let [seen] = &server.requests()[..] else { panic!("not one request") };
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/v1/x"));
    assert!(seen.body == body);
    assert_eq!(seen.header("authorization"), Some("Bearer not-a-key"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("accept-encoding"), Some("gzip, deflate"));
}

#[test]
fn every_status_but_3xx_is_a_response() {
    for status in [200, 204, 400, 401, 404, 429, 500, 503, 599] {
        let exchange = answered(Answer::new(status, &[("retry-after", "7")], b""), &limits());
        assert_eq!(response(&exchange).status, status);
        assert_eq!(response(&exchange).retry_after, Some(Duration::from_secs(7)));
    }
}

#[test]
fn a_redirect_is_reported_and_never_followed() {
    let other = ModelServer::scripted([("/x", vec![Answer::json(200, "{}")])]);
    let there = format!("{}/x?token=secret", other.url());
    for (status, location, target) in [
        (301, there.as_str(), Some(other.url())),
        (302, &there, Some(other.url())),
        (303, &there, Some(other.url())),
        (307, &there, Some(other.url())),
        (308, &there, Some(other.url())),
        (307, "http://user:pw@evil.example/x", Some("http://evil.example".into())),
        (302, "", None),
    ] {
        let server = ModelServer::scripted([("/x", vec![Answer::redirect(status, location)])]);
        let here = url(&server.url(), "/x");
        let request = Request::post_json(here.clone(), Reach::ThisMachine, b"plan".to_vec());
        let exchange = send(request, &limits(), &Cancel::new(), &mut |_| {});
        let End::Redirect(Redirect { status: seen, target: found }) = exchange.end else {
            panic!("{exchange:?}")
        };
        assert_eq!(seen, status);
        let expected = target.unwrap_or_else(|| server.url());
        assert_eq!(found.unwrap().origin().to_string(), expected, "{location}");
        assert_eq!(server.requests().len(), 1);
    }
    let none = answered(Answer::new(304, &[], b""), &limits());
    assert_eq!(none.end, End::Redirect(Redirect { status: 304, target: None }));
    assert_eq!(other.connections(), 0);
}

#[test]
fn encodings_are_decoded() {
    let body = completion_body("m1", &"a review ".repeat(500), 9);
    for answer in [
        Answer::gzip(body.as_bytes()),
        Answer::deflate(body.as_bytes()),
        Answer::raw_deflate(body.as_bytes()),
        Answer::unannounced_gzip(body.as_bytes()),
        Answer::chunked("application/json", &[&body.as_bytes()[..10], &body.as_bytes()[10..]]),
    ] {
        let exchange = answered(answer, &limits());
        assert_eq!(text(&exchange), body);
    }
    let packed = Answer::gzip(b"archive");
    let server = ModelServer::scripted([("/x", vec![packed])]);
    let request = Request::get(url(&server.url(), "/x"), Reach::ThisMachine);
    let exchange =
        send(Request { coding: Coding::AsSent, ..request }, &limits(), &Cancel::new(), &mut |_| {});
    assert!(response(&exchange).body.starts_with(&[0x1f, 0x8b]));
    assert_eq!(server.requests()[0].header("accept-encoding"), Some("identity"));
}

#[test]
fn an_encoding_that_was_not_asked_for_is_a_fault() {
    let answer = Answer::new(200, &[("content-encoding", "br")], b"\x0b\x02\x80hi\x03");
    let End::Broken { fault, .. } = answered(answer, &limits()).end else { panic!() };
    assert_eq!(fault, Fault::UnknownEncoding("br".into()));
    let answer = Answer::new(200, &[("content-encoding", "gzip")], b"not gzip at all");
    let End::Broken { fault, .. } = answered(answer, &limits()).end else { panic!() };
    assert_eq!(fault, Fault::Undecodable("gzip"));
}

/// Peak memory of this process in KiB; the caps are what keeps it flat.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_bomb_stops_at_a_cap_with_flat_memory() {
    let before = peak();
    let by_ratio = answered(Answer::gzip_bomb(), &limits());
    let End::TooLarge(large) = &by_ratio.end else { panic!("{by_ratio:?}") };
    assert_eq!((large.cap, large.limit), (Cap::Ratio, 100));
    let by_size = answered(Answer::gzip_bomb(), &HttpLimits { max_ratio: u64::MAX, ..limits() });
    let End::TooLarge(large) = &by_size.end else { panic!("{by_size:?}") };
    assert_eq!((large.cap, large.limit), (Cap::Decoded, 8 * MIB));
    assert_eq!(large.partial.bytes().len() as u64, 8 * MIB);
    assert!(by_size.received < MIB, "{}", by_size.received);
    assert!(peak() - before < 200 * 1024, "{} KiB more", peak() - before);
}

#[test]
fn a_huge_body_stops_at_the_cap() {
    let exchange = answered(Answer::huge(700_000_000), &limits());
    let End::TooLarge(large) = &exchange.end else { panic!("{exchange:?}") };
    assert!(matches!(large.cap, Cap::Decoded | Cap::Compressed));
    assert!(exchange.received <= 8 * MIB + 64 * 1024);
    let small = HttpLimits { max_compressed: 1000, ..limits() };
    let announced = answered(Answer::json(200, &" ".repeat(1001)), &small);
    let End::TooLarge(large) = &announced.end else { panic!("{announced:?}") };
    assert_eq!((large.cap, large.limit, announced.received), (Cap::Compressed, 1000, 0));
    let exact = answered(Answer::json(200, &" ".repeat(1000)), &small);
    assert_eq!(text(&exact).len(), 1000);
}

#[test]
fn a_short_body_is_a_fault_that_keeps_what_came() {
    let exchange = answered(Answer::short_body(b"{\"a\":", 100), &limits());
    let End::Broken { fault, partial } = exchange.end else { panic!("{exchange:?}") };
    assert_eq!(fault, Fault::ShortBody { received: 5, announced: 100 });
    let expected = Partial::Body {
        status: 200,
        content_type: "application/json".into(),
        bytes: b"{\"a\":".to_vec(),
    };
    assert_eq!(partial, expected);
    let cut =
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n9\r\nhal".to_vec();
    let exchange = answered(Answer::steps(vec![Step::Send(cut)]), &limits());
    let End::Broken { fault, partial } = exchange.end else { panic!("{exchange:?}") };
    assert_eq!(fault, Fault::BrokenBody { received: 8 });
    assert_eq!(partial.bytes(), b"hellohal");
}

#[test]
fn what_is_not_http_is_a_fault() {
    for bytes in
        [&b"SSH-2.0-OpenSSH_9.2\r\n\r\n"[..], b"{\"error\":\"no\"}\n\n", b"\0\x01\x02\r\n\r\n"]
    {
        let exchange = answered(Answer::steps(vec![Step::Send(bytes.to_vec())]), &limits());
        let End::Broken { fault: Fault::NotHttp(_), partial } = &exchange.end else {
            panic!("{exchange:?}")
        };
        assert_eq!(partial, &Partial::Head(bytes.to_vec()));
    }
    let exchange = answered(Answer::steps(vec![]), &limits());
    let End::Broken { fault, partial } = exchange.end else { panic!("{exchange:?}") };
    assert_eq!((fault, partial), (Fault::ClosedBeforeAnswer, Partial::Nothing));
    let head = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "a".repeat(80_000)).into_bytes();
    let exchange = answered(Answer::steps(vec![Step::Send(head)]), &limits());
    let End::TooLarge(large) = &exchange.end else { panic!("{exchange:?}") };
    assert_eq!(large.cap, Cap::Head);
}

/// The phase, what was received, and that it took about as long as the limit.
fn timed_out(answer: Answer, limits: &HttpLimits) -> (Phase, Partial) {
    let server = ModelServer::scripted([("/x", vec![answer])]);
    let exchange = get(&server, "/x", limits);
    let End::TimedOut { phase, limit, partial } = exchange.end else { panic!("{exchange:?}") };
    assert_eq!(limit, SHORT);
    assert!(exchange.elapsed >= SHORT, "{:?}", exchange.elapsed);
    assert!(exchange.elapsed < SHORT + Duration::from_secs(2), "{:?}", exchange.elapsed);
    assert!(server.wait_until_abandoned(1, Duration::from_secs(5)), "the socket stayed open");
    (phase, partial)
}

#[test]
fn silence_ends_at_the_first_byte_limit() {
    let limits = HttpLimits { first_byte: SHORT, ..limits() };
    assert_eq!(timed_out(Answer::silence(), &limits), (Phase::FirstByte, Partial::Nothing));
}

#[test]
fn a_head_byte_by_byte_does_not_renew_the_limit() {
    let limits = HttpLimits { first_byte: SHORT, ..limits() };
    let (phase, partial) = timed_out(Answer::slow_head(), &limits);
    assert_eq!(phase, Phase::FirstByte);
    assert!(partial.bytes().starts_with(b"HTT"), "{partial:?}");
    let limits = HttpLimits { total: SHORT, ..self::limits() };
    assert_eq!(timed_out(Answer::slow_head(), &limits).0, Phase::Total);
}

#[test]
fn a_head_alone_does_not_count_as_the_first_byte() {
    let limits = HttpLimits { first_byte: SHORT, ..limits() };
    let (phase, partial) = timed_out(Answer::stall_after(b""), &limits);
    assert_eq!((phase, partial.bytes()), (Phase::FirstByte, &b""[..]));
    let slow = HttpLimits { idle: SHORT, ..self::limits() };
    let mut answer = Answer::chunked("text/event-stream", &[b"data: 1\n\n"]);
    answer.steps.insert(1, Step::Wait(SHORT * 3));
    assert_eq!(text(&answered(answer, &slow)), "data: 1\n\n");
}

#[test]
fn a_stall_in_the_body_ends_at_the_idle_limit() {
    let limits = HttpLimits { idle: SHORT, ..limits() };
    let (phase, partial) = timed_out(Answer::stall_after(b"{\"choices\":[{\"message"), &limits);
    assert_eq!(phase, Phase::Idle);
    assert_eq!(partial.bytes(), b"{\"choices\":[{\"message");
}

#[test]
fn a_body_byte_by_byte_ends_at_the_total_limit() {
    let limits = HttpLimits { total: SHORT, ..limits() };
    let (phase, partial) = timed_out(Answer::slow_body(), &limits);
    assert_eq!(phase, Phase::Total);
    assert!(matches!(partial, Partial::Body { status: 200, .. }), "{partial:?}");
}

#[test]
fn a_body_that_brings_next_to_nothing_ends_at_the_pace() {
    let pace = Some(Pace { bytes: 1000, within: SHORT });
    let (phase, partial) = timed_out(Answer::slow_body(), &HttpLimits { pace, ..limits() });
    assert_eq!(phase, Phase::Pace);
    assert!(matches!(partial, Partial::Body { status: 200, .. }), "{partial:?}");
    // One that brings enough in each stretch may take many of them.
    let mut answer = Answer::chunked("text/plain", &[&b"x"[..]; 8]);
    answer.steps = answer.steps.into_iter().flat_map(|step| [step, Step::Wait(SHORT)]).collect();
    let pace = Some(Pace { bytes: 1, within: SHORT * 5 });
    assert_eq!(text(&answered(answer, &HttpLimits { pace, ..limits() })), "xxxxxxxx");
}

#[test]
fn a_first_byte_may_take_longer_than_the_idle_limit() {
    let limits = HttpLimits { idle: SHORT, ..limits() };
    let late = Answer::json(200, "{}").after(SHORT * 3);
    assert_eq!(text(&answered(late, &limits)), "{}");
}

/// A stall that counts as reached only after the client had time to read what came before it.
fn stall_later(part: &[u8]) -> Answer {
    let mut answer = Answer::stall_after(part);
    answer.steps.insert(1, Step::Wait(SHORT * 2));
    answer
}

#[test]
fn a_cancel_ends_a_blocked_read_and_keeps_what_came() {
    for (answer, expected) in
        [(Answer::silence(), &b""[..]), (stall_later(b"{\"choices\""), b"{\"choices\"")]
    {
        let server = ModelServer::scripted([("/x", vec![answer])]);
        let cancel = Cancel::new();
        let request = Request::get(url(&server.url(), "/x"), Reach::ThisMachine);
        let (exchange, cancelled_at) = std::thread::scope(|scope| {
            let canceller = scope.spawn(|| {
                assert!(server.wait_until_sent(1, Duration::from_secs(10)));
                let at = Instant::now();
                cancel.stop();
                at
            });
            let exchange = send(request, &limits(), &cancel, &mut |_| {});
            (exchange, canceller.join().unwrap())
        });
        let late = cancelled_at.elapsed();
        let End::Cancelled { partial } = &exchange.end else { panic!("{exchange:?}") };
        assert_eq!(partial.bytes(), expected);
        assert!(late < Duration::from_millis(500), "{late:?}");
        assert!(server.wait_until_abandoned(1, Duration::from_secs(5)), "the socket stayed open");
    }
}

#[test]
fn a_long_answer_shows_signs_of_life() {
    let mut answer = Answer::chunked("text/plain", &[b"one", b"two"]);
    answer.steps.insert(2, Step::Wait(Duration::from_millis(1200)));
    let server = ModelServer::scripted([("/x", vec![answer])]);
    let mut signs = vec![];
    let request = Request::get(url(&server.url(), "/x"), Reach::ThisMachine);
    let exchange = send(request, &limits(), &Cancel::new(), &mut |sign| signs.push(sign));
    assert_eq!(text(&exchange), "onetwo");
    assert!(signs.len() >= 2, "{signs:?}");
    assert!(signs.iter().all(|sign| sign.received == 3), "{signs:?}");
    let longest = signs.iter().map(|sign| sign.silent_for).max().unwrap();
    assert!(longest >= Duration::from_millis(500) && longest < exchange.elapsed, "{signs:?}");
}

#[test]
fn a_cancel_before_the_start_sends_nothing() {
    let server = ModelServer::scripted([("/x", vec![Answer::json(200, "{}")])]);
    let request = Request::get(url(&server.url(), "/x"), Reach::ThisMachine);
    let cancel = Cancel::new();
    cancel.stop();
    let exchange = send(request, &limits(), &cancel, &mut |_| {});
    assert_eq!(exchange.end, End::Cancelled { partial: Partial::Nothing });
    assert_eq!((exchange.sent, server.connections()), (0, 0));
}

#[test]
fn nobody_there_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let request = Request::get(url(&format!("http://{host}:{port}"), "/x"), Reach::ThisMachine);
        let exchange = send(request, &limits(), &Cancel::new(), &mut |_| {});
        assert_eq!(exchange.end, End::Unreachable(Unreachable::Refused), "{host}");
        assert_eq!(exchange.sent, 0);
    }
}

#[test]
fn a_full_backlog_ends_at_the_connect_limit() {
    // Nobody accepts, so connections beyond the backlog are never answered.
    let socket = rustix::net::socket(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::STREAM,
        None,
    )
    .unwrap();
    let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    rustix::net::bind(&socket, &any).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().unwrap();
    let mut held = vec![];
    while let Ok(stream) = std::net::TcpStream::connect_timeout(&address, SHORT) {
        held.push(stream);
        assert!(held.len() < 100);
    }
    let request = Request::get(url(&format!("http://{address}"), "/x"), Reach::ThisMachine);
    let exchange =
        send(request, &HttpLimits { connect: SHORT, ..limits() }, &Cancel::new(), &mut |_| {});
    let expected = End::TimedOut { phase: Phase::Connect, limit: SHORT, partial: Partial::Nothing };
    assert_eq!((exchange.end, exchange.sent), (expected, 0));
    assert!(exchange.elapsed < SHORT + Duration::from_secs(2));
}

#[test]
fn spellings_of_this_machine_reach_the_same_server() {
    let server = ModelServer::scripted([("/v1/models", vec![Answer::models(&["m1"])])]);
    let port = server.port();
    let bases = [
        format!("http://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}//"),
        format!("http://127.0.0.1:{port}/v1"),
        format!("http://127.0.0.1:{port}/v1/"),
        format!("HTTP://LOCALHOST:{port}"),
        format!("http://localhost.:{port}"),
        format!("http://models.localhost:{port}"),
        format!("http://2130706433:{port}"),
        format!("http://0x7f.1:{port}"),
        format!("http://[::ffff:127.0.0.1]:{port}"),
    ];
    for base in &bases {
        let request = Request::get(url(base, "/v1/models"), Reach::ThisMachine);
        assert_eq!(
            response(&send(request, &limits(), &Cancel::new(), &mut |_| {})).status,
            200,
            "{base}"
        );
    }
    let paths: Vec<_> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, vec!["/v1/models".to_owned(); bases.len()]);
}

#[test]
fn a_host_outside_the_reach_is_refused_before_anything() {
    let request = Request::get(url("http://models.example", "/x"), Reach::ThisMachine);
    let exchange = send(request, &limits(), &Cancel::new(), &mut |_| {});
    assert_eq!(exchange.end, End::Unreachable(Unreachable::NotThisMachine));
    let server = ModelServer::scripted([]);
    for base in [server.url(), server.url_at("localhost"), server.url_at("[::ffff:7f00:1]")] {
        let exchange = send(
            Request::get(url(&base, "/x"), Reach::PublicOnly),
            &limits(),
            &Cancel::new(),
            &mut |_| {},
        );
        assert!(
            matches!(exchange.end, End::Unreachable(Unreachable::NotPublic(_))),
            "{base}: {exchange:?}"
        );
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_file_of_authorities_must_hold_one() {
    let server = ModelServer::scripted([("/x", vec![Answer::json(200, "{}")])]);
    let request = Request {
        roots: Roots::Pem(b"no certificate in here\n".to_vec()),
        ..Request::get(url(&server.url(), "/x"), Reach::ThisMachine)
    };
    let exchange = send(request, &limits(), &Cancel::new(), &mut |_| {});
    assert!(matches!(exchange.end, End::Unreachable(Unreachable::Tls(_))), "{exchange:?}");
}
