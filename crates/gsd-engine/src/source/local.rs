//! A folder of this machine, or an archive of one.

use super::fetch::{FetchContext, FetchError, Fetched, Resolved, Verified, manifest_version};
use super::integrity::Integrity;
use super::signature::{self, Signed};
use super::spec::absolute;
use super::tarball::is_archive;
use super::unpack::{Promise, copied, unpack};
use super::{Base, Kind, Peek, Reading, Source, SpecError, Target};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Links};
use gsd_io::tree::{TreeWriter, copy_tree};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "local",
    forms: &[
        ("./DIR, ../DIR, /DIR, ~/DIR", "a folder of this machine"),
        ("./FILE.tgz, /DIR/FILE.tar.gz", "an archive of one: .tgz, .tar.gz or .tar"),
        ("file:DIR, file:///DIR", "the same"),
    ],
    read,
};

#[derive(Debug)]
struct Local {
    path: Utf8PathBuf,
}

fn read(text: &str, base: &Base<'_>) -> Reading {
    if elsewhere(text) {
        return Some(Err(SpecError::bad(
            "a path of another machine or of Windows cannot be read here",
            "copy the folder to this machine and name its path, such as `./DIR`",
        )));
    }
    let path = match text.strip_prefix("file:") {
        // `file://host/path` is another machine's, and so refused above.
        Some(rest) => rest.strip_prefix("//").unwrap_or(rest),
        None => {
            let first = text.split('/').next().unwrap_or_default();
            if !matches!(first, "" | "." | ".." | "~") {
                return None;
            }
            text
        }
    };
    if path.is_empty() {
        return Some(Err(SpecError::bad("`file:` names no folder", "write `file:DIR`")));
    }
    let source = absolute(path, base).map(|path| Arc::new(Local { path }) as Arc<dyn Source>);
    Some(source)
}

/// `\\server\share`, `//server/share`, `C:\x`, `file://server/x`.
fn elsewhere(text: &str) -> bool {
    let bytes = text.as_bytes();
    let slash = |at: usize| bytes.get(at).is_some_and(|byte| matches!(byte, b'/' | b'\\'));
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && (slash(2) || bytes.len() == 2);
    let host = text.strip_prefix("file://").is_some_and(|rest| !rest.starts_with('/'));
    (slash(0) && slash(1)) || text.starts_with('\\') || drive || host
}

impl Source for Local {
    fn recorded(&self) -> String {
        self.path.to_string()
    }

    fn identity(&self) -> String {
        self.recorded()
    }

    fn exactly(&self, _: &Resolved) -> String {
        self.recorded()
    }

    fn target(&self) -> Target<'_> {
        Target::Folder(&self.path)
    }

    fn fetch(&self, context: &FetchContext<'_>, scratch: &Utf8Path) -> Result<Fetched, FetchError> {
        match fs::kind(&self.path) {
            Some(fs::Kind::Directory) => self.folder(context, scratch),
            Some(fs::Kind::File { .. }) if is_archive(self.path.as_str()) => {
                let archive = scratch.join("archive");
                let key = signature::key(context, &[self.target()])?;
                let signed = Signed::at_path(key, &self.path)?;
                copied(context, &self.path, &archive)?;
                let promise = Promise { integrity: None, signed };
                let unpacked = unpack(context, self.path.as_str(), &archive, scratch, promise)?;
                Ok(unpacked.fetched(self.recorded(), None, None))
            }
            None => Err(FetchError::unreachable(&self.recorded(), "it does not exist")),
            Some(fs::Kind::Link) => {
                let what = format!("`{}` is a symlink; what it leads to is expected", self.path);
                Err(FetchError::unusable(what, "name the folder or the archive that it leads to"))
            }
            Some(fs::Kind::File { .. } | fs::Kind::Special) => {
                let what = format!("`{}` is neither a folder nor an archive", self.path);
                Err(FetchError::unusable(
                    what,
                    "name the folder that holds `capability.json`, or a .tgz, .tar.gz or .tar of it",
                ))
            }
        }
    }

    fn peek(&self, context: &FetchContext<'_>) -> Peek {
        let is_file = matches!(fs::kind(&self.path), Some(fs::Kind::File { .. }));
        if is_file && is_archive(self.path.as_str()) {
            // Its digest tells whether it is the one that was installed; nothing is unpacked.
            return match fs::read_bounded(&self.path, context.limits.bytes, Links::Refuse) {
                Ok(bytes) => {
                    Peek::Ok { version: None, commit: None, integrity: Some(Integrity::of(&bytes)) }
                }
                Err(error) => Peek::Unknown { why: error.to_string() },
            };
        }
        match manifest_version(&self.path) {
            Some(version) => Peek::Ok { version: Some(version), commit: None, integrity: None },
            None => Peek::Unknown { why: "its manifest has no version that can be read".into() },
        }
    }
}

impl Local {
    fn folder(
        &self,
        context: &FetchContext<'_>,
        scratch: &Utf8Path,
    ) -> Result<Fetched, FetchError> {
        if context.integrity.is_some() {
            return Err(FetchError::unusable(
                "an integrity is not supported for local sources that are folders",
                "leave `--integrity` out, or `gsd capability pack PATH` the folder and install the \
                 archive",
            ));
        }
        match signature::refuse(context, self.target(), "a folder") {
            // As with the lists of known sources, a setting that nobody can read keeps nobody from a
            // folder of this machine.
            Ok(()) | Err(FetchError::Refused(_)) => {}
            Err(error) => return Err(error),
        }
        let bundle = scratch.join("bundle");
        let mut tree = TreeWriter::new(&bundle, context.limits.tree(), context.cancel)?;
        // A folder that is developed is often a repository. What git keeps is no part of it.
        copy_tree(&self.path, &mut tree, &|path| path == ".git")?;
        let written = tree.finish();
        if written.files.binary_search_by(|file| file.as_str().cmp("capability.json")).is_err() {
            return Err(FetchError::NoManifest { place: self.recorded() });
        }
        Ok(Fetched {
            bundle,
            resolved: Resolved {
                recorded: self.recorded(),
                reference: None,
                commit: None,
                integrity: None,
                verified: Verified::NotAsked,
                signed_by: None,
                final_url: None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceSpec;

    fn parsed(text: &str) -> Result<String, SpecError> {
        let base = Base { cwd: "/nowhere/at-all".into(), home: Some("/home/ada".into()) };
        SourceSpec::parse(text, &base).map(|spec| spec.recorded())
    }

    #[test]
    fn a_path_is_recorded_whole() {
        for (text, recorded) in [
            ("/a/b", "/a/b"),
            (" /a/b ", "/a/b"),
            ("./a", "/nowhere/at-all/./a"),
            ("~/a", "/home/ada/a"),
            ("file:///a/b", "/a/b"),
            ("/", "/"),
            ("..", "/nowhere/at-all/.."),
        ] {
            assert_eq!(parsed(text).as_deref(), Ok(recorded), "{text}");
        }
        assert!(parsed("~").is_ok());
        let nobody = Base { cwd: "/".into(), home: None };
        assert!(SourceSpec::parse("~/x", &nobody).is_err());
    }

    #[test]
    fn paths_of_other_machines_are_refused() {
        for text in [
            "//server/share",
            "\\\\server\\share",
            "/\\server",
            "C:\\x",
            "c:/x",
            "C:",
            "file://host/x",
            "file:",
        ] {
            let error = parsed(text).expect_err(text);
            assert!(matches!(error, SpecError::Bad { .. }), "{text}: {error}");
        }
    }
}
