//! Certificates are checked, always.

use gsd_io::cancel::Cancel;
use gsd_io::http::{
    Destination, End, Exchange, HttpLimits, Reach, Request, Roots, Unreachable, send,
};
use gsd_testkit::model_server::{Answer, ModelServer};
use gsd_testkit::tls::{AUTHORITY, Certificate, TlsFront};
use std::time::Duration;

fn ask(base: &str, roots: Roots) -> Exchange {
    let long = Duration::from_secs(60);
    let limits = HttpLimits {
        connect: long,
        first_byte: long,
        idle: long,
        total: long,
        pace: None,
        max_body: 1 << 20,
        max_compressed: 1 << 20,
        max_ratio: 100,
    };
    let url = Destination::parse(base).unwrap().join("/x").unwrap();
    let request = Request::post_json(url, Reach::ThisMachine, b"the plan".to_vec());
    send(Request { roots, ..request }, &limits, &Cancel::new(), &mut |_| {})
}

fn own() -> Roots {
    Roots::Pem(AUTHORITY.as_bytes().to_vec())
}

#[test]
fn a_trusted_certificate_opens_the_way() {
    let server = ModelServer::scripted([("/x", vec![Answer::json(200, &" ".repeat(100_000))])]);
    let front = TlsFront::of(&server, Certificate::Local);
    for host in ["localhost", "127.0.0.1"] {
        let exchange = ask(&front.url_at(host), own());
        let End::Response(response) = &exchange.end else { panic!("{host}: {exchange:?}") };
        assert_eq!((response.status, response.body.len()), (200, 100_000));
        assert!(exchange.connected_after.is_some() && exchange.sent > 8);
    }
    assert_eq!(server.requests()[1].body, b"the plan");
}

#[test]
fn nothing_is_sent_where_a_certificate_is_not_trusted() {
    let server = ModelServer::scripted([]);
    for (certificate, host, roots) in [
        (Certificate::Local, "localhost", Roots::BuiltIn),
        (Certificate::Other, "localhost", own()),
        (Certificate::Expired, "localhost", own()),
        (Certificate::Local, "models.localhost", own()),
    ] {
        let front = TlsFront::of(&server, certificate);
        let exchange = ask(&front.url_at(host), roots);
        assert!(
            matches!(exchange.end, End::Unreachable(Unreachable::Tls(_))),
            "{certificate:?} {host}: {exchange:?}"
        );
        assert_eq!(exchange.sent, 0);
    }
    assert_eq!(server.requests(), []);
}

#[test]
fn a_server_without_tls_is_no_secure_one() {
    let server = ModelServer::scripted([]);
    let base = format!("https://localhost:{}", server.port());
    // The server waits for the end of a request head that never comes, and so do we, for long.
    let url = Destination::parse(&base).unwrap().join("/x").unwrap();
    let short = Duration::from_millis(200);
    let limits = HttpLimits {
        connect: short,
        first_byte: short,
        idle: short,
        total: short,
        pace: None,
        max_body: 1,
        max_compressed: 1,
        max_ratio: 1,
    };
    let exchange =
        send(Request::get(url, Reach::ThisMachine), &limits, &Cancel::new(), &mut |_| {});
    assert!(matches!(exchange.end, End::TimedOut { .. }), "{exchange:?}");
    assert_eq!((exchange.sent, server.requests().len()), (0, 0));
}
