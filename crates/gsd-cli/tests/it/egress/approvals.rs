//! Nothing is sent elsewhere without the user's word, and nothing in a repository can give it.

use super::*;
use std::os::unix::fs::PermissionsExt;

// Deliberately built in: the lane is gsd's own, and only its address comes from the repository.
#[test]
fn a_server_elsewhere_is_asked_only_after_the_user_approved_it() {
    let server = server();
    let world = project(json!({ "ollama_host": elsewhere(&server) }));
    let refused = ollama(&world);
    assert_eq!(refused.code, 11, "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stderr.contains("nobody approved"), "{}", refused.stderr);
    assert!(refused.stderr.contains("gsd review trust-host ollama"), "{}", refused.stderr);
    let (state, reason, _) = unnamed(&world);
    assert_eq!((&*state, &*reason), ("blocked", "not-consented"));
    let plan = gsd(&world, &["review", "plan", "--phase", "3", "--lanes", "ollama", "--json"]);
    let planned = &plan.json()["details"]["lanes"][0];
    assert_eq!(
        (&planned["state"], &planned["reason"]),
        (&"blocked".into(), &"not-consented".into())
    );
    assert_eq!(planned["destination"], elsewhere(&server));
    let listed = gsd(&world, &["lane", "probe", "ollama", "--json"]);
    assert_eq!(listed.json()["details"][0]["state"], "blocked");
    // Not even a connection: a look at who is there would tell that there is a project.
    assert_eq!(server.connections(), 0);

    approve(&world);
    let accepted = ollama(&world);
    assert_eq!(accepted.code, 0, "{}{}", accepted.stdout, accepted.stderr);
    assert_eq!(lane(&record(&world), "ollama")["state"], "reviewed");
    let mode = std::fs::metadata(hosts_file(&world)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let asked = server.requests().len();
    let revoked = gsd(&world, &["review", "trust", "revoke", "ollama", "--json"]);
    assert_eq!(revoked.json()["details"]["revoked"][0]["origin"], elsewhere(&server));
    assert_eq!(ollama(&world).code, 11);
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn consent_is_asked_for_with_everything_that_it_means() {
    let server = server();
    let world = project(json!({ "ollama_host": elsewhere(&server) }));
    of_user(&world, json!({ "api_key_env": { "ollama": "GPU_ACCESS" } }));
    let ran = gsd(&world, &["review", "trust-host", "ollama", "--json"]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    let document = ran.json();
    assert_eq!(document["code"], "consent-required");
    let disclosure = &document["details"]["disclosure"];
    assert_eq!(disclosure["origin"], elsewhere(&server));
    assert_eq!(disclosure["path"], CHAT);
    assert_eq!(disclosure["named_by"], "`review.ollama_host` (project)");
    assert_eq!(disclosure["key_variable"], "GPU_ACCESS");
    assert_eq!((&disclosure["encrypted"], &disclosure["redacts"]), (&false.into(), &true.into()));
    assert_eq!(disclosure["project"], world.root().as_str());
    assert_eq!(disclosure["sends"].as_array().unwrap().len(), 4);
    assert_eq!(ran.stderr, "");
    let human = gsd(&world, &["review", "trust-host", "ollama"]);
    assert_eq!(human.code, 3);
    for part in [&*elsewhere(&server), "GPU_ACCESS", "NOT encrypted", "the plans of the phase"] {
        assert!(human.stdout.contains(part), "{part}: {}", human.stdout);
    }
    assert!(human.stderr.contains("gsd review trust-host ollama --yes"), "{}", human.stderr);
    assert!(!hosts_file(&world).exists());
    assert_eq!(server.connections(), 0);
    let program = gsd(&world, &["review", "trust-host", "codex", "--yes"]);
    assert_eq!(program.code, 2, "{}", program.stderr);
    assert_eq!(gsd(&world, &["review", "trust-host", "olama", "--yes"]).code, 6);
}

#[test]
fn an_edit_in_the_repository_cannot_move_a_plan() {
    let (server, other) = (server(), super::server());
    let there = elsewhere(&server);
    let world = project(json!({ "ollama_host": there }));
    approve(&world);
    assert_eq!(ollama(&world).code, 0);
    let asked = server.requests().len();
    for moved in [
        elsewhere(&other),
        format!("https://0.0.0.0:{}", server.port()),
        format!("{there}/tenant"),
        format!("http://0.0.0.0.nip.invalid:{}", server.port()),
        "http://192.0.2.9:11434".to_owned(),
    ] {
        configure(&world, json!({ "ollama_host": moved }));
        let ran = ollama(&world);
        assert_eq!(ran.code, 11, "{moved}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(&there), "both are named: {}", ran.stderr);
        let (state, reason, message) = unnamed(&world);
        assert_eq!((&*state, &*reason), ("blocked", "host-changed"), "{moved}");
        assert!(message.contains(&there) && message.contains("`review.ollama_host` (project)"));
    }
    assert_eq!((server.requests().len(), other.connections()), (asked, 0));
    // A redirect does not move it either.
    server.on(CHAT, vec![Answer::redirect(307, &format!("{}{CHAT}", other.url()))]);
    configure(&world, json!({ "ollama_host": there }));
    let redirected = ollama(&world);
    assert_eq!(redirected.code, 12, "{}{}", redirected.stdout, redirected.stderr);
    assert_eq!(lane(&record(&world), "ollama")["reason"], "redirect");
    assert_eq!(other.connections(), 0);
    // Approving anew moves it, and the old place is none any more.
    configure(&world, json!({ "ollama_host": elsewhere(&other) }));
    let shown = gsd(&world, &["review", "trust-host", "ollama", "--json"]).json();
    assert_eq!(shown["details"]["disclosure"]["instead_of"]["origin"], there);
    approve(&world);
    assert_eq!(ollama(&world).code, 0);
    let list = gsd(&world, &["review", "trust", "list", "--json"]).json();
    assert_eq!(list["details"]["approvals"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list["details"]["approvals"][0]["origin"], elsewhere(&other));
}

#[test]
fn another_spelling_of_the_same_address_is_the_same_address() {
    let server = server();
    let port = server.port();
    let world = project(json!({ "ollama_host": elsewhere(&server) }));
    approve(&world);
    for same in [
        format!("HTTP://0.0.0.0:{port}/"),
        format!("http://0.0.0.0:{port}//"),
        format!("http://0.0.0.0:{port}/v1"),
        format!("  http://0:{port} "),
    ] {
        configure(&world, json!({ "ollama_host": same }));
        let ran = ollama(&world);
        assert_eq!(ran.code, 0, "{same}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn this_machine_needs_no_approval_however_it_is_spelled() {
    let server = server();
    let world = project(json!({}));
    for host in ["127.0.0.1", "localhost", "LOCALHOST.", "gpu.localhost", "127.1"] {
        configure(&world, json!({ "ollama_host": server.url_at(host) }));
        let ran = ollama(&world);
        assert_eq!(ran.code, 0, "{host}: {}{}", ran.stdout, ran.stderr);
    }
    assert!(!hosts_file(&world).exists());
    for host in ["localhost.example", "127.0.0.1.example", "0.0.0.0", "[::ffff:192.0.2.1]"] {
        configure(&world, json!({ "ollama_host": server.url_at(host) }));
        assert_eq!(ollama(&world).code, 11, "{host}");
    }
}

#[test]
fn an_approval_holds_where_its_address_comes_from() {
    let (server, other) = (server(), super::server());
    let world = project(json!({ "ollama_host": elsewhere(&server) }));
    let second = world.tmp().join("second");
    let copy = |from: &str| {
        let to = second.join(from);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(world.root().join(from), to).unwrap();
    };
    for path in
        [".planning/config.json", ".planning/ROADMAP.md", ".planning/phases/03-notes/03-01-PLAN.md"]
    {
        copy(path);
    }
    approve(&world);
    // Another repository with the same address gets nothing from that.
    let there = ["-C", second.as_str(), "review", "--phase", "3", "--ollama", "--no-write"];
    assert_eq!(gsd(&world, &there).code, 11);
    // What the user names holds in all of them, and a repository cannot choose among approved ones.
    of_user(&world, json!({ "ollama_host": elsewhere(&other) }));
    configure(&world, json!({}));
    assert_eq!(ollama(&world).code, 11, "approved was another one here");
    approve(&world);
    assert_eq!(ollama(&world).code, 0);
    std::fs::write(second.join(".planning/config.json"), "{}").unwrap();
    assert_eq!(gsd(&world, &there).code, 0);
    configure(&world, json!({ "ollama_host": elsewhere(&server) }));
    let (_, reason, _) = unnamed(&world);
    assert_eq!(reason, "host-changed");
}

#[test]
fn a_file_of_approvals_that_is_not_sound_stops_everything_and_stays_as_it_is() {
    let server = server();
    let world = project(json!({ "ollama_host": elsewhere(&server) }));
    approve(&world);
    let file = hosts_file(&world);
    let good = std::fs::read_to_string(&file).unwrap();
    let all = |what: &str| {
        for args in [
            &["review", "trust-host", "ollama", "--yes"][..],
            &["review", "trust", "list"],
            &["review", "trust", "revoke", "ollama"],
            &["review", "--phase", "3", "--ollama"],
            &["review", "--phase", "3"],
        ] {
            let ran = gsd(&world, args);
            assert_eq!(ran.code, 7, "{what} {args:?}: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
        }
    };
    let longer =
        good.replace("\"approvals\"", &format!("\"x\":\"{}\",\"approvals\"", "y".repeat(5 << 20)));
    for (what, text) in [
        ("cut", &good[..good.len() / 2]),
        ("empty", ""),
        ("list", "[]"),
        ("newer", &good.replace("\"1\"", "\"99\"")),
        ("address", &good.replace("http://0.0.0.0", "http://user@0.0.0.0")),
        ("spelling", &good.replace("http://0.0.0.0", "HTTP://0.0.0.0")),
        ("id", &good.replace("\"ollama\"", "\"../x\"")),
        ("large", &longer),
    ] {
        std::fs::write(&file, text).unwrap();
        all(what);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "{what}");
    }
    std::fs::write(&file, &good).unwrap();
    for mode in [0o620, 0o602, 0o666] {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        all("writable by others");
    }
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(ollama(&world).code, 0);
    // A link could lead into the repository.
    let inside = world.write("approvals.json", &good);
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&inside, &file).unwrap();
    all("a link");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    all("a folder");
    // Whoever asks nobody elsewhere does not need the file.
    configure(&world, json!({ "ollama_host": server.url() }));
    assert_eq!(ollama(&world).code, 0);
}

#[test]
fn approvals_do_not_come_from_a_project() {
    let server = server();
    let world = project(json!({ "ollama_host": elsewhere(&server) }));
    approve(&world);
    let planted = world.root().join("home/.gsd");
    std::fs::create_dir_all(&planted).unwrap();
    std::fs::copy(hosts_file(&world), planted.join("hosts.json")).unwrap();
    let link = world.tmp().join("home");
    std::fs::create_dir(&link).unwrap();
    std::os::unix::fs::symlink(&planted, link.join(".gsd")).unwrap();
    for home in [world.root().join("home"), link] {
        let at_home =
            |args: &[&str]| ran(command(&world, args).env("HOME", &home).output().unwrap());
        let review = at_home(&["review", "--phase", "3", "--ollama"]);
        assert_eq!(review.code, 11, "{}{}", review.stdout, review.stderr);
        assert!(review.stderr.contains("lies inside the project"), "{}", review.stderr);
        let trust = at_home(&["review", "trust-host", "ollama", "--yes", "--json"]);
        assert_eq!((trust.code, &trust.json()["code"]), (4, &"approvals-inside-project".into()));
        assert_eq!(at_home(&["review", "trust", "revoke", "ollama"]).code, 4);
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn approvals_given_at_once_are_all_kept() {
    let world = project(json!({ "ollama_host": "http://192.0.2.1:11434" }));
    let lanes = ["ollama", "lm_studio", "llama_cpp"];
    configure(
        &world,
        json!({
            "ollama_host": "http://192.0.2.1:1", "lm_studio_host": "http://192.0.2.1:2",
            "llama_cpp_host": "http://192.0.2.1:3",
        }),
    );
    for _ in 0..5 {
        let children = lanes.map(|slug| {
            command(&world, &["review", "trust-host", slug, "--yes"])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        });
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let list = gsd(&world, &["review", "trust", "list", "--json"]).json();
        assert_eq!(list["details"]["approvals"].as_array().unwrap().len(), 3, "{list}");
        for slug in lanes {
            assert_eq!(gsd(&world, &["review", "trust", "revoke", slug]).code, 0);
        }
    }
}

#[test]
fn what_a_newer_gsd_noted_in_an_approval_stays() {
    let world = project(
        json!({ "ollama_host": "http://192.0.2.1:1", "llama_cpp_host": "http://192.0.2.1:3" }),
    );
    approve(&world);
    let file = hosts_file(&world);
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("\"capability\"", "\"note\": \"by Ada\",\n      \"capability\"");
    std::fs::write(&file, text).unwrap();
    assert_eq!(gsd(&world, &["review", "trust-host", "llama_cpp", "--yes"]).code, 0);
    assert_eq!(gsd(&world, &["review", "trust", "revoke", "llama_cpp"]).code, 0);
    assert!(std::fs::read_to_string(&file).unwrap().contains("by Ada"));
}
