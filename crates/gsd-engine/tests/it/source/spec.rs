//! What is a source, and what is not.

use super::World;
use gsd_engine::source::{Base, SourceSpec, SpecError};
use proptest::prelude::*;

#[test]
fn every_kind_by_its_forms() {
    let world = World::new();
    for (text, kind, recorded) in [
        ("/a/b", "local", "/a/b"),
        ("file:/a/b", "local", "/a/b"),
        ("npm:p@^1", "npm", "npm:p@^1"),
        ("https://h.example/x.tgz", "tarball", "https://h.example/x.tgz"),
        ("HTTPS://H.example:443/a/../x.TAR.GZ?v=1", "tarball", "https://h.example/x.TAR.GZ?v=1"),
        ("tar+https://h.example/x", "tarball", "tar+https://h.example/x"),
        ("https://h.example/x.git#v1", "git", "git+https://h.example/x.git#v1"),
        ("github:o/r#TAG:v1", "git", "git+https://github.com/o/r.git#tag:v1"),
        ("git@h.example:o/r.git", "git", "git@h.example:o/r.git"),
        ("acme@main", "registry", "acme@main"),
    ] {
        let spec = world.spec(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((spec.kind(), spec.recorded().as_str()), (kind, recorded), "{text}");
        assert!(recorded.contains(&spec.identity()), "{text}");
    }
}

/// A-25, and the forms of the golden runs that gsd does not take either.
#[test]
fn what_is_no_source_is_told_in_one_line_with_the_forms() {
    let world = World::new();
    for text in [
        "",
        " ",
        "\t",
        "some-cap",
        "some-cap@1.0.0",
        "cap@registry.example.invalid",
        "a/b",
        "@o/p",
        "https://h.example/page",
        "http://h.example/x",
        "https://h.example/x#v1",
        "ftp://h/x.tgz",
        "ext::sh -c id",
        "-x",
        "--upload-pack=x",
        "npm",
        "git",
        "https://",
        "a b",
        "x\u{202e}y",
        "x\0y",
    ] {
        let error = world.spec(text).expect_err(text);
        assert!(!matches!(error, SpecError::Bad { .. }), "{text}: {error}");
        assert!(!error.to_string().contains('\n'), "{error}");
        let hint = error.hint();
        for word in ["./DIR", "npm:", "tar+https://", "git+https://", "NAME@REGISTRY"] {
            assert!(hint.contains(word), "{hint}");
        }
    }
    for text in [
        "git+file:///x",
        "git+ext::sh -c id",
        "git+https://h/r#-x",
        "git+https://h/r#a;b",
        "npm:",
        "npm:p;id",
        "npm:file:../x",
        "npm:https://h/x.tgz",
        "git+/tmp/x.git",
        "C:\\x",
        "//server/share",
        "https://u:p@h/x.tgz",
        "https://h/x.tgz#frag",
        "https://h/x.tgz?token=abc",
        "https://u@h/x.git",
        "ssh://u:p@h/x",
        "https://h\\@evil/x.tgz",
        "acme@main#latest",
    ] {
        let error = world.spec(text).expect_err(text);
        assert!(matches!(error, SpecError::Bad { .. }), "{text}: {error}");
        let shown = format!("{error} {}", error.hint());
        assert!(
            !shown.contains('\n') && !shown.contains("u:p") && !shown.contains("abc"),
            "{shown}"
        );
    }
    assert!(world.spec(&"a".repeat(5000)).is_err());
}

/// The page of the reference has every form.
#[test]
fn the_page_tells_every_form() {
    let page = include_str!("../../../../../docs/reference/sources.md");
    for kind in gsd_engine::source::KINDS {
        for (form, meaning) in kind.forms {
            let row = format!("| `{form}` | {meaning} |");
            assert!(page.contains(&row), "{} lacks {row}", kind.word);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// What is read is recorded in a form that is read again as the same, from any folder, and
    /// neither a password nor a control character comes out of it.
    #[test]
    fn a_record_is_read_as_what_was_meant(text in spec()) {
        let here = Base { cwd: "/here/not".into(), home: Some("/home/not".into()) };
        let there = Base { cwd: "/there/not".into(), home: None };
        match SourceSpec::parse(&text, &here) {
            Ok(spec) => {
                let recorded = spec.recorded();
                let again = SourceSpec::parse(&recorded, &there);
                let again = again.unwrap_or_else(|error| panic!("{text} -> {recorded}: {error}"));
                prop_assert_eq!(again.recorded(), recorded.clone());
                prop_assert_eq!(again.identity(), spec.identity());
                prop_assert_eq!(again.kind(), spec.kind());
                // A folder may be called anything.
                let secret = spec.kind() != "local" && recorded.contains("PASSWORD");
                prop_assert!(!secret, "{}", recorded);
                prop_assert!(!recorded.contains(char::is_control), "{:?}", recorded);
            }
            Err(error) => {
                let shown = error.to_string();
                prop_assert!(!shown.contains(char::is_control), "{:?}", shown);
                prop_assert!(!shown.contains("PASSWORD"), "{:?}", shown);
            }
        }
    }
}

/// Texts that are nearly sources.
fn spec() -> impl Strategy<Value = String> {
    let front = prop::sample::select(vec![
        "",
        "./",
        "../",
        "/",
        "~",
        "~/",
        "file:",
        "file://",
        "npm:",
        "npm:@",
        "git+",
        "git+https://",
        "git+ssh://",
        "ssh://",
        "https://",
        "http://",
        "tar+https://",
        "git://",
        "github:",
        "gitlab:",
        "git@",
        "//",
        "\\\\",
        "C:",
        "name@",
        "ext::",
        "u:PASSWORD@",
        "https://u:PASSWORD@",
        "ssh://u:PASSWORD@",
        "git+https://PASSWORD@",
    ]);
    let end = prop::sample::select(vec![
        "",
        ".tgz",
        ".tar.gz",
        ".git",
        "#v1",
        "#tag:x",
        "#sha:",
        "#semver:^1",
        "#-x",
        "?x=1",
        "?token=PASSWORD",
        "@1.2.3",
        "@^1",
        "/",
        "/..",
        "#branch:a/b",
        "@main",
        "#1.x",
    ]);
    let middle =
        "[a-zA-Z0-9./@:#_~^+\\-]{0,20}|\\PC{0,10}|[a-z]{1,6}\\.example/[a-z]{1,6}(/[a-z]{1,6})?";
    (front, middle, end).prop_map(|(front, middle, end)| format!("{front}{middle}{end}"))
}
