//! The question on a terminal.

use super::*;
use crate::world::on_terminal;

#[test]
fn a_yes_approves_and_anything_else_does_not() {
    let world = project(json!({ "ollama_host": "https://gpu.example:8443/v1" }));
    let args = ["review", "trust-host", "ollama"];
    for typed in ["n\n", "\n", "yess\n", "\u{4}", "gpu.example\n"] {
        let (ran, shown) = on_terminal(&world, &args, typed);
        assert_eq!(ran.code, 3, "{typed:?}: {}{shown}", ran.stdout);
        assert!(shown.contains("Send plans there? [y/N]"), "{shown}");
        assert!(!hosts_file(&world).exists(), "{typed:?}");
    }
    // Scripts are never asked, also on a terminal.
    let (ran, shown) = on_terminal(&world, &[&args[..], &["--json"]].concat(), "y\n");
    assert_eq!((ran.code, &ran.json()["code"]), (3, &"consent-required".into()), "{shown}");
    let (ran, shown) = on_terminal(&world, &args, "Y\n");
    assert_eq!(ran.code, 0, "{}{shown}", ran.stdout);
    assert!(ran.stdout.contains("https://gpu.example:8443/v1/chat/completions"), "{}", ran.stdout);
    let list = gsd(&world, &["review", "trust", "list", "--json"]).json();
    assert_eq!(list["details"]["approvals"][0]["path"], CHAT, "{list}");
}
