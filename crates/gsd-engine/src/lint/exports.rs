//! The names that a source file offers to others, read line by line.
//!
//! Only languages whose public names can be told this way are read; for all others, and for files
//! that hand on the names of another one, there is no answer. A name too many does no harm, a name
//! too few would be a false alarm, so every doubt adds the name.

use std::collections::BTreeSet;

/// The public names of a file; `None` where they cannot be told.
pub(super) fn of(path: &str, text: &str) -> Option<BTreeSet<String>> {
    match super::path::extension(path)? {
        "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts" => script(text),
        "py" | "pyi" => python(text),
        "rs" => rust(text),
        "go" => Some(go(text)),
        _ => None,
    }
}

fn identifier(text: &str) -> &str {
    let end =
        text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(text.len());
    &text[..end]
}

fn script(text: &str) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices("export") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.') {
            continue;
        }
        let rest = &text[at + "export".len()..];
        if rest.starts_with(['s', '=']) {
            continue;
        }
        let rest = rest.trim_start();
        if rest.starts_with('*') {
            // `export * from` hands on names that stand elsewhere.
            return None;
        }
        if let Some(list) = rest.strip_prefix('{').or(rest.strip_prefix("type {")) {
            let list = list.split('}').next().unwrap_or_default();
            for item in list.split(',') {
                let name = item.split_whitespace().next_back().unwrap_or_default();
                names.insert(identifier(name).to_owned());
            }
            continue;
        }
        declared(rest, &mut names);
    }
    // CommonJS sets its names at run time, in too many ways to tell.
    if text.contains("module.exports") || text.contains("exports.") {
        return None;
    }
    names.remove("");
    Some(names)
}

/// The name after `export`, past words such as `async` and `abstract`.
fn declared(rest: &str, names: &mut BTreeSet<String>) {
    let mut rest = rest;
    for _ in 0..6 {
        let word = identifier(rest);
        let after = rest[word.len()..].trim_start();
        match word {
            "default" => {
                names.insert("default".to_owned());
                rest = after;
            }
            "async" | "abstract" | "declare" => rest = after,
            "const" | "let" | "var" | "function" | "class" | "interface" | "type" | "enum"
            | "namespace" => {
                let after = after.trim_start_matches('*').trim_start();
                if after.starts_with(['{', '[']) {
                    let close = after.find(['}', ']']).unwrap_or(after.len());
                    for item in after[1..close].split([',', ':']) {
                        names.insert(identifier(item.trim()).to_owned());
                    }
                    return;
                }
                // `export const enum Name` has one more word.
                if identifier(after) == "enum" {
                    rest = after;
                    continue;
                }
                names.insert(identifier(after).to_owned());
                return;
            }
            other => {
                names.insert(other.to_owned());
                return;
            }
        }
    }
}

fn python(text: &str) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("from ") && line.trim_end().ends_with("import *") {
            return None;
        }
        for keyword in ["def ", "class ", "async def "] {
            if let Some(rest) = line.strip_prefix(keyword) {
                names.insert(identifier(rest).to_owned());
            }
        }
        let name = identifier(line);
        let after = line[name.len()..].trim_start();
        if !name.is_empty() && after.starts_with(['=', ':', ',']) {
            names.insert(name.to_owned());
        }
        // Imported names can be imported from here as well, also from indented lines.
        if let Some(at) = line.find("import ") {
            names.extend(
                line[at + 7..].split([',', ' ', '(', ')']).map(|n| identifier(n).to_owned()),
            );
        } else if line.starts_with([' ', '\t']) || line.starts_with(')') {
            let word = line.trim().trim_end_matches(',');
            if identifier(word) == word {
                names.insert(word.to_owned());
            }
        }
    }
    Some(names)
}

fn rust(text: &str) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    if text.contains("macro_rules!") || text.contains("::*") {
        return None;
    }
    for (at, _) in text.match_indices("pub") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let mut rest = &text[at + 3..];
        if rest.starts_with('(') {
            rest = rest.split_once(')').map_or("", |(_, rest)| rest);
        }
        if !rest.starts_with(char::is_whitespace) {
            continue;
        }
        rest = rest.trim_start();
        if let Some(used) = rest.strip_prefix("use ") {
            let used = used.split(';').next().unwrap_or_default();
            names.extend(used.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned));
            continue;
        }
        for _ in 0..5 {
            let word = identifier(rest);
            let after = rest[word.len()..].trim_start();
            match word {
                "async" | "unsafe" | "extern" => {
                    rest = after.trim_start_matches(['"', 'C']).trim_start();
                }
                "const" | "static"
                    if ["fn", "mut", "unsafe", "async"].contains(&identifier(after)) =>
                {
                    rest = after;
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "mod"
                | "union" | "mut" | "crate" => {
                    names.insert(identifier(after).to_owned());
                    break;
                }
                // A public field.
                other => {
                    names.insert(other.to_owned());
                    break;
                }
            }
        }
    }
    names.remove("");
    Some(names)
}

fn go(text: &str) -> BTreeSet<String> {
    // Names that begin with a capital are public wherever they are declared.
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(char::is_uppercase))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, text: &str) -> Option<Vec<String>> {
        Some(of(path, text)?.into_iter().filter(|name| !name.is_empty()).collect())
    }

    #[test]
    fn scripts() {
        let text = "export function a() {}\nexport async function* b() {}\nexport const c = 1\n\
            export default class D {}\nexport { e, f as g } from './x'\nexport type { H }\n\
            export interface I {}\nexport const enum J {}\nexport const { k, l: m } = x\n\
            const exported = 1; function hidden() {}\nexport abstract class N {}";
        let found = names("a.ts", text).unwrap();
        for name in ["a", "b", "c", "D", "default", "e", "g", "H", "I", "J", "k", "m", "N"] {
            assert!(found.contains(&name.to_owned()), "{name} in {found:?}");
        }
        assert!(!found.contains(&"hidden".to_owned()) && !found.contains(&"f".to_owned()));
        assert_eq!(names("a.ts", "export * from './b'"), None);
        assert_eq!(names("a.js", "module.exports = { a }"), None);
    }

    #[test]
    fn other_languages() {
        let found = names("a.py", "import os\nfrom x import (\n  y,\n)\nZ = 1\nasync def f(): pass\ndef g():\n  return h(1)\n").unwrap();
        for name in ["os", "y", "Z", "f", "g"] {
            assert!(found.contains(&name.to_owned()), "{name} in {found:?}");
        }
        assert!(!found.contains(&"h".to_owned()));
        let found = names("a.rs", "pub fn a() {}\npub(crate) const fn b() {}\npub use x::{c, d as e};\nfn hidden() {}\npub static mut F: u8 = 0;").unwrap();
        for name in ["a", "b", "c", "e", "F"] {
            assert!(found.contains(&name.to_owned()), "{name} in {found:?}");
        }
        assert!(!found.contains(&"hidden".to_owned()));
        assert!(names("a.go", "func Serve() {}").unwrap().contains(&"Serve".to_owned()));
        assert_eq!(names("a.rb", "def x; end"), None);
    }
}
