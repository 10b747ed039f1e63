//! Proxies: used where the caller passes one, and never for this machine.

use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::http::{
    End, Exchange, HttpLimits, Proxies, Reach, Request, SafeUrl, Unreachable, Via, send,
};
use gsd_testkit::model_server::{Answer, ModelServer};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

/// A proxy for one connection: answers its CONNECT with that status, then passes bytes on to
/// `behind`. Gives the head of what it was asked.
fn proxy(status: &'static str, behind: u16) -> (u16, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut head = vec![];
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            client.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        write!(client, "HTTP/1.1 {status}\r\n\r\n").unwrap();
        if status.starts_with("200") {
            let mut server = TcpStream::connect(("127.0.0.1", behind)).unwrap();
            let (mut from_client, mut to_server) =
                (client.try_clone().unwrap(), server.try_clone().unwrap());
            let up = std::thread::spawn(move || {
                let _ = std::io::copy(&mut from_client, &mut to_server);
            });
            let _ = std::io::copy(&mut server, &mut client);
            let _ = client.shutdown(Shutdown::Both);
            up.join().unwrap();
        }
        String::from_utf8(head).unwrap()
    });
    (port, thread)
}

/// What the proxy variables say about that address.
fn via(port: u16, url: &SafeUrl) -> Via {
    let vars = [("http_proxy".to_owned(), format!("http://user:secret@127.0.0.1:{port}"))];
    let env = Env::from_parts(vars, "/".into(), "/gsd".into());
    Proxies::from_env(&env).via(url).unwrap()
}

fn ask(url: &SafeUrl, reach: Reach, via: Via) -> Exchange {
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
    send(Request { via, ..Request::get(url.clone(), reach) }, &limits, &Cancel::new(), &mut |_| {})
}

#[test]
fn a_remote_host_is_reached_through_the_proxy_that_looks_it_up() {
    let server = ModelServer::scripted([("/x", vec![Answer::json(200, "{}")])]);
    let (port, asked) = proxy("200 OK", server.port());
    let url = SafeUrl::parse("http://models.invalid:81/x").unwrap();
    let via = via(port, &url);
    assert!(!format!("{via:?}").contains("secret"));
    let exchange = ask(&url, Reach::Anywhere, via);
    assert!(matches!(&exchange.end, End::Response(r) if r.body == b"{}"), "{exchange:?}");
    assert!(asked.join().unwrap().starts_with("CONNECT models.invalid:81 HTTP/1.1\r\n"));
    assert_eq!(server.requests()[0].header("host"), Some("models.invalid:81"));
    assert_eq!(server.requests()[0].header("proxy-authorization"), None);
}

#[test]
fn a_proxy_that_refuses_is_named_as_the_reason() {
    let (port, asked) = proxy("407 Proxy Authentication Required", 0);
    let url = SafeUrl::parse("http://models.invalid/x").unwrap();
    let exchange = ask(&url, Reach::Anywhere, via(port, &url));
    let End::Unreachable(Unreachable::Proxy(why)) = &exchange.end else { panic!("{exchange:?}") };
    assert!(why.contains("407") && !why.contains("secret"), "{why}");
    assert_eq!(exchange.sent, 0);
    asked.join().unwrap();
}

#[test]
fn this_machine_is_asked_directly_whatever_is_passed() {
    let server = ModelServer::scripted([("/x", vec![Answer::json(200, "{}")])]);
    let remote = SafeUrl::parse("http://models.invalid/x").unwrap();
    // Nobody listens on port 1, so a request that took this way would fail.
    let elsewhere = via(1, &remote);
    assert_ne!(elsewhere, Via::Direct);
    for host in ["127.0.0.1", "localhost"] {
        let url = SafeUrl::parse(&format!("{}/x", server.url_at(host))).unwrap();
        let exchange = ask(&url, Reach::ThisMachine, elsewhere.clone());
        assert!(matches!(exchange.end, End::Response(_)), "{host}: {exchange:?}");
    }
}
