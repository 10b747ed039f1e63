//! Keeps the layers of ARCHITECTURE.md true: a module uses only what stands below it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Module, layer, and the modules of its own layer that it may use.
const LAYERS: &[(&str, u8, &[&str])] = &[
    ("config", 0, &["diag", "json", "id", "text"]),
    ("diag", 0, &["text"]),
    ("embedded", 0, &[]),
    ("id", 0, &["json"]),
    ("json", 0, &["diag", "id", "text"]),
    ("text", 0, &[]),
    ("evidence", 1, &[]),
    ("gate", 1, &[]),
    ("hook", 1, &[]),
    ("lane", 1, &[]),
    ("planning", 1, &[]),
    ("runtime", 1, &[]),
    ("source", 1, &[]),
    ("lint", 2, &[]),
    ("manifest", 2, &[]),
    ("registry", 2, &["manifest"]),
    ("catalog", 3, &[]),
    ("projection", 3, &[]),
    ("render", 3, &[]),
    ("review", 3, &[]),
    ("store", 3, &["projection"]),
    ("trial", 3, &["review"]),
];

#[test]
fn modules_only_look_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layers: BTreeMap<&str, (u8, &[&str])> =
        LAYERS.iter().map(|(name, layer, peers)| (*name, (*layer, *peers))).collect();
    let mut wrong = vec![];
    let files = rust_files(&src);
    assert!(files.len() > 10, "the reader found the sources");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let module = module_of(&src, &path);
        if module == "lib" {
            continue;
        }
        let Some((layer, peers)) = layers.get(module.as_str()) else {
            wrong.push(format!("`{module}` has no layer in this table"));
            continue;
        };
        for other in used(&text) {
            let Some((below, _)) = layers.get(other.as_str()) else { continue };
            if other != module && below >= layer && !peers.contains(&other.as_str()) {
                wrong.push(format!(
                    "`{module}` (layer {layer}) uses `{other}` (layer {below}) in {}",
                    path.display()
                ));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "layers broken:\n{}", wrong.join("\n"));
}

/// The first file or folder below `src`.
fn module_of(src: &Path, path: &Path) -> String {
    let below = path.strip_prefix(src).expect("under src");
    let first = below.iter().next().expect("a name").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The names that follow `crate::` in code, also in groups. Comments and docs may name any module.
fn used(text: &str) -> Vec<String> {
    let code: String =
        text.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let name = |text: &str| -> String {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    code.split("crate::")
        .skip(1)
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(group) => group
                .split('}')
                .next()
                .unwrap_or_default()
                .split(',')
                .map(|item| name(item.trim()))
                .collect(),
            None => vec![name(rest)],
        })
        .collect()
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in std::fs::read_dir(dir).expect("a source folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
