//! The first-party capabilities: data under `capabilities/`, part of the program.

use include_dir::{Dir, include_dir};
use std::path::Path;

/// The folder `capabilities/` as it was when gsd was built.
pub static CAPABILITIES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../capabilities");

/// A file below `capabilities/`.
pub fn text(path: &str) -> Option<&'static str> {
    CAPABILITIES.get_file(path)?.contents_utf8()
}

/// The first-party manifests, by the id of their folder: id and text.
pub fn manifests() -> impl Iterator<Item = (&'static str, &'static str)> {
    CAPABILITIES.dirs().filter_map(|dir| {
        // Found by the end of its path, because comparing whole paths is slow and done at every start.
        let is_manifest =
            |path: &Path| path.to_str().is_some_and(|p| p.ends_with("/capability.json"));
        let file = dir.files().find(|file| is_manifest(file.path()))?;
        Some((dir.path().to_str()?, file.contents_utf8()?))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_folder_is_a_manifest_of_its_own_name() {
        let manifests: Vec<_> = super::manifests().collect();
        assert_eq!(manifests.len(), super::CAPABILITIES.dirs().count());
        for (id, text) in manifests {
            let manifest: serde_json::Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(manifest["id"], id);
        }
    }
}
