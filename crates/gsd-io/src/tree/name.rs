//! Names that mean the same on every system, and in no place more than that.

use unicode_normalization::UnicodeNormalization;

/// Longer paths do not fit below a folder of some length on every system.
const MAX_PATH: usize = 1024;
const MAX_PART: usize = 255;
const MAX_DEPTH: usize = 32;

/// Devices of Windows, whatever extension follows.
const DEVICES: [&str; 8] = ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$", "config$"];

/// Says what is wrong with a relative path, its parts separated by `/`.
pub(super) fn check(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("it is empty");
    }
    if path.starts_with('/') {
        return Err("it is absolute");
    }
    if path.len() > MAX_PATH {
        return Err("it is too long");
    }
    if path.split('/').count() > MAX_DEPTH {
        return Err("it is too deep");
    }
    path.split('/').try_for_each(check_part)
}

fn check_part(part: &str) -> Result<(), &'static str> {
    match part {
        "" => return Err("a part of it is empty"),
        "." | ".." => return Err("a part of it is `.` or `..`"),
        _ => {}
    }
    if part.len() > MAX_PART {
        return Err("a part of it is too long");
    }
    if part.chars().any(|c| c.is_control() || is_invisible(c)) {
        return Err("it has a control character or one that is not seen");
    }
    if part.contains(['\\', ':', '<', '>', '"', '|', '?', '*']) {
        return Err("it has a character that is no part of a name everywhere");
    }
    if part.ends_with(['.', ' ']) {
        return Err("a part of it ends in a dot or a space");
    }
    let folded = folded(part);
    let stem = folded.split('.').next().unwrap_or_default().trim_end();
    let numbered = |prefix: &str| {
        let number = stem.strip_prefix(prefix).unwrap_or_default();
        number.chars().count() == 1 && number.contains(|c: char| c.is_numeric() && c != '0')
    };
    if DEVICES.contains(&stem) || numbered("com") || numbered("lpt") {
        return Err("it is the name of a device on Windows");
    }
    if folded == ".git" || folded == "git~1" {
        return Err("it belongs to git, which would take the folder for a repository");
    }
    Ok(())
}

/// Characters without a shape: some file systems drop them, and readers do not see them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The path in a form that is equal for all paths that some file system takes for one: without
/// regard to case, and composed. By way of upper case, since `ß` and `ss` are one there.
pub(super) fn folded(path: &str) -> String {
    path.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken() {
        for good in [
            "a",
            "capability.json",
            "a/b-c_d.e/.f",
            "ünïcode/日本",
            "com",
            "com10",
            "com0",
            "connect",
            "a b",
            ".github/x",
            "x.git",
            "...a",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        assert_eq!(check(&"a/".repeat(31).add_leaf()), Ok(()));
    }

    trait AddLeaf {
        fn add_leaf(self) -> String;
    }

    impl AddLeaf for String {
        fn add_leaf(self) -> String {
            self + "a"
        }
    }

    #[test]
    fn names_that_are_not() {
        for bad in [
            "",
            "/",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a/..",
            "./a",
            "a/.",
            "a//b",
            "a/",
            "C:x",
            "C:../../x",
            "\\\\srv\\s\\x",
            "a\\..\\b",
            "x:stream",
            "x.",
            "x ",
            "a./b",
            "CON",
            "aux.txt",
            "b/NUL.tar.gz",
            "com1",
            "LPT9.x",
            "COM²",
            "nul .txt",
            ".git/hooks/x",
            "a/.GIT",
            ".g\u{200c}it",
            "GIT~1",
            "a\nb",
            "a\0b",
            "a\u{202e}b",
            "a*",
            "a?b",
            "\"a\"",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert!(check(&"a".repeat(256)).is_err());
        assert!(check(&"a/".repeat(32).add_leaf()).is_err());
        assert!(check(&format!("{0}/{0}/{0}/{0}/{0}", "a".repeat(250))).is_err());
    }

    #[test]
    fn equal_where_some_system_says_so() {
        for (a, b) in [
            ("Foo", "foo"),
            ("é", "e\u{301}"),
            ("É", "e\u{301}"),
            ("straße", "STRASSE"),
            ("ﬁ", "FI"),
            ("Σ", "ς"),
        ] {
            assert_eq!(folded(a), folded(b), "{a} {b}");
        }
        assert_ne!(folded("a"), folded("b"));
    }
}
