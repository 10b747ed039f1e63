//! The way of a request: proxies, certificates, and pieces of an answer.

use super::*;
use gsd_testkit::tls::{AUTHORITY, Certificate, TlsFront};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc;

/// A proxy that passes every CONNECT on to `behind`, and tells whom it was asked for.
struct Proxy {
    port: u16,
    asked: mpsc::Receiver<String>,
}

impl Proxy {
    fn to(behind: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (tell, asked) = mpsc::channel();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let tell = tell.clone();
                // An error is a client that went away.
                std::thread::spawn(move || connect(client.unwrap(), behind, &tell).ok());
            }
        });
        Self { port, asked }
    }

    fn url(&self) -> String {
        format!("http://user:pass-of-the-proxy@127.0.0.1:{}", self.port)
    }
}

fn connect(mut client: TcpStream, behind: u16, tell: &mpsc::Sender<String>) -> std::io::Result<()> {
    let mut head = vec![];
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let _ = tell.send(head.lines().next().unwrap_or_default().to_owned());
    write!(client, "HTTP/1.1 200 OK\r\n\r\n")?;
    let mut server = TcpStream::connect(("127.0.0.1", behind))?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    let up = std::thread::spawn(move || {
        let _ = std::io::copy(&mut from_client, &mut to_server);
    });
    let _ = std::io::copy(&mut server, &mut client);
    client.shutdown(Shutdown::Both)?;
    let _ = up.join();
    Ok(())
}

fn behind_proxy(world: &World, proxy: &Proxy, args: &[&str]) -> Ran {
    let mut command: Command = command(world, args);
    for name in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy", "https_proxy"] {
        command.env(name, proxy.url());
    }
    ran(command.output().unwrap())
}

const OLLAMA: [&str; 4] = ["review", "--phase", "3", "--ollama"];

#[test]
fn a_proxy_carries_plans_only_if_the_user_wants_it_and_never_on_this_machine() {
    let server = server();
    let proxy = Proxy::to(server.port());
    // A name that only the proxy can look up.
    let world = project(json!({ "ollama_host": "http://models.invalid:81", "proxy": true }));
    approve(&world);
    let direct = behind_proxy(&world, &proxy, &OLLAMA);
    assert_eq!(direct.code, 11, "{}{}", direct.stdout, direct.stderr);
    assert!(direct.stderr.contains("`review.proxy` is ignored"), "{}", direct.stderr);
    assert!(proxy.asked.try_recv().is_err());

    of_user(&world, json!({ "proxy": true }));
    let through = behind_proxy(&world, &proxy, &OLLAMA);
    assert_eq!(through.code, 0, "{}{}", through.stdout, through.stderr);
    assert_eq!(proxy.asked.recv().unwrap(), "CONNECT models.invalid:81 HTTP/1.1");
    let shown = behind_proxy(&world, &proxy, &["review", "trust-host", "ollama"]);
    assert!(shown.stdout.contains("through the proxy"), "{}", shown.stdout);

    configure(&world, json!({ "ollama_host": server.url() }));
    while proxy.asked.try_recv().is_ok() {}
    let local = behind_proxy(&world, &proxy, &OLLAMA);
    assert_eq!(local.code, 0, "{}{}", local.stdout, local.stderr);
    assert!(proxy.asked.try_recv().is_err());
}

#[test]
fn a_failure_behind_a_proxy_names_the_proxy_and_not_its_password() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let proxy = Proxy::to(nobody);
    let world = project(json!({ "ollama_host": "http://models.invalid:81" }));
    of_user(&world, json!({ "proxy": true }));
    approve(&world);
    let ran = behind_proxy(&world, &proxy, &OLLAMA);
    assert_eq!(ran.code, 11, "{}{}", ran.stdout, ran.stderr);
    let named = format!("through the proxy http://127.0.0.1:{}", proxy.port);
    assert!(ran.stderr.contains(&named), "{}", ran.stderr);
    assert!(!everything(&world, &ran).contains("pass-of-the-proxy"));
    let mut socks = command(&world, &OLLAMA);
    let ran = crate::world::ran(socks.env("all_proxy", "socks5://127.0.0.1:9").output().unwrap());
    assert!(ran.stderr.contains("only http proxies are supported"), "{}", ran.stderr);
}

#[test]
fn certificates_are_checked_against_the_authorities_of_the_user() {
    let server = server();
    let front = TlsFront::of(&server, Certificate::Local);
    let world = project(json!({ "ollama_host": front.url_at("localhost") }));
    let with = |file: &str| {
        let mut command = command(&world, &OLLAMA);
        ran(command.env("SSL_CERT_FILE", file).output().unwrap())
    };
    let unknown = ollama(&world);
    assert_eq!(unknown.code, 11, "{}{}", unknown.stdout, unknown.stderr);
    assert_eq!(server.requests(), []);
    let authority = world.home().join("authority.pem");
    std::fs::write(&authority, AUTHORITY).unwrap();
    let known = with(authority.as_str());
    assert_eq!(known.code, 0, "{}{}", known.stdout, known.stderr);
    for (file, says) in [("/nowhere.pem", "does not exist"), ("/etc/passwd", "no certificate")] {
        let ran = with(file);
        assert_eq!(ran.code, 11, "{file}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
}

#[test]
fn an_answer_is_asked_for_in_pieces_and_what_came_in_time_is_kept() {
    let server = server();
    let world = project(json!({ "ollama_host": server.url() }));
    let text = review("");
    server.on(CHAT, vec![Answer::counted_stream("m1", &[&text[..50], &text[50..]], "stop", 5000)]);
    assert_eq!(ollama(&world).code, 0);
    assert_eq!(server.requests().pop().unwrap().json()["stream"], true);
    assert_eq!(lane(&record(&world), "ollama")["state"], "reviewed");
    // A server that does not know streams is asked again without.
    let refusal = Answer::json(400, r#"{"error":{"message":"unknown field: stream"}}"#);
    let server = ModelServer::scripted([
        (MODELS, vec![Answer::models(&["m1"])]),
        (CHAT, vec![refusal, Answer::completion("m1", &text, 5000)]),
    ]);
    configure(&world, json!({ "ollama_host": server.url() }));
    assert_eq!(ollama(&world).code, 0);
    let body = server.requests().pop().unwrap().json();
    let members: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(members, ["model", "messages"]);
    // One that stops in the middle.
    let mut stalls = Answer::stream("m1", &["The first half of a review.", "never sent"], "stop");
    stalls.steps.truncate(3);
    stalls.steps.push(gsd_testkit::model_server::Step::Stall);
    server.on(CHAT, vec![stalls]);
    let limited = [&OLLAMA[..], &["--lane-timeout", "ollama=1s"]].concat();
    assert_eq!(gsd(&world, &limited).code, 12);
    let record = record(&world);
    let late = lane(&record, "ollama");
    assert_eq!((&late["state"], &late["during"]), (&"timed-out".into(), &"total".into()));
    assert_eq!(late["text"], "The first half of a review.");
    assert!(world.read(REPORT).contains("The first half of a review."));
}

#[test]
fn a_network_address_is_elsewhere_also_where_it_is_our_own() {
    // A network of its own, in which this machine has the address of another one.
    let fault = Command::new("unshare").args(["-rn", "ip", "link", "set", "lo", "up"]).output();
    if !fault.as_ref().is_ok_and(|output| output.status.success()) {
        eprintln!("not tested: no network namespace, or no `ip` ({fault:?})");
        return;
    }
    let host = "http://10.9.8.7:11434";
    let world = project(json!({ "ollama_host": host }));
    approve(&world);
    let like = command(&world, &[]);
    let server = crate::world::program().with_file_name("fake-model-server");
    let script = "ip link set lo up && ip addr add 10.9.8.7/32 dev lo || exit 99\n\
                  cd \"$TMPDIR\" && mkfifo hold url && cd - >/dev/null\n\
                  \"$1\" 10.9.8.7:11434 <\"$TMPDIR/hold\" >\"$TMPDIR/url\" &\n\
                  exec 3>\"$TMPDIR/hold\"\n\
                  read -r url <\"$TMPDIR/url\"\n\
                  \"$2\" review --phase 3 --ollama";
    let output = Command::new("unshare")
        .args(["-rn", "sh", "-c", script, "sh", server.as_str()])
        .arg(crate::world::program())
        .env_clear()
        .envs(like.get_envs().filter_map(|(key, value)| Some((key, value?))))
        .current_dir(world.root())
        .output()
        .unwrap();
    let ran = ran(output);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(lane(&record(&world), "ollama")["destination"], host);
}
