//! A file that an option names for output. What gsd did not write is never replaced.

use crate::error::CommandError;
use crate::exit::ExitStatus;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs::{self, Kind, Links, WriteError};

/// A place that may be written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OutputFile {
    /// A new file, or one that gsd wrote: replaced as a whole.
    Regular(Utf8PathBuf),
    /// A pipe or a device, such as `/dev/stdout`: written to in place.
    Stream(Utf8PathBuf),
}

/// So much of a file is read to tell whether gsd wrote it.
const HEAD: u64 = 8 * 1024;

impl OutputFile {
    /// Looks at a path before anything runs. `taken` are files that the run reads or writes
    /// itself. The error says why the path cannot be written to.
    pub(crate) fn at(path: &Utf8Path, taken: &[Utf8PathBuf]) -> Result<Self, String> {
        Self::replacing(path, taken, is_report)
    }

    /// As [`Self::at`], where a file may be replaced that begins as `is_ours` says.
    fn replacing(
        path: &Utf8Path,
        taken: &[Utf8PathBuf],
        is_ours: impl Fn(&[u8]) -> bool,
    ) -> Result<Self, String> {
        let refuse = |why: &str| Err(format!("`{path}` cannot be written: {why}"));
        let name = path.file_name().unwrap_or_default();
        if name == "-" {
            return refuse("`-` is no file; `--format` chooses what stdout gets");
        }
        // A link is followed, so that it is what it points to that is replaced, not the link.
        let Some(real) = fs::canonical(path) else {
            let folder = path.parent().unwrap_or(Utf8Path::new("."));
            return match fs::canonical(folder) {
                Some(folder) if fs::kind(path).is_none() => Ok(Self::Regular(folder.join(name))),
                Some(_) => refuse("it is a link that leads nowhere"),
                None => refuse("its directory does not exist"),
            };
        };
        if taken.iter().any(|taken| fs::canonical(taken).is_some_and(|taken| taken == real)) {
            return refuse("it is the report itself");
        }
        match fs::kind(&real) {
            Some(Kind::Directory) => refuse("it is a directory"),
            Some(Kind::File { bytes }) if bytes > 0 && !begins(&real, is_ours) => {
                refuse("it exists, and gsd did not write it; remove it or name another file")
            }
            Some(Kind::File { .. } | Kind::Link) | None => Ok(Self::Regular(real)),
            Some(Kind::Special) => Ok(Self::Stream(real)),
        }
    }

    /// The file that `--out` names, where one may be replaced that begins as `is_ours` says.
    pub(crate) fn out(
        path: &Utf8Path,
        is_ours: impl Fn(&[u8]) -> bool,
    ) -> Result<Self, CommandError> {
        Self::replacing(path, &[], is_ours).map_err(|message| refused("--out", message))
    }

    pub(crate) fn write(&self, content: &[u8]) -> Result<(), WriteError> {
        match self {
            Self::Regular(path) => fs::write_atomic(path, content),
            Self::Stream(path) => fs::write_stream(path, content),
        }
    }
}

/// How a command ends that may not write to the file that an option names.
pub(crate) fn refused(option: &str, message: String) -> CommandError {
    CommandError::new(ExitStatus::Usage, "output-file", message)
        .hint(format!("name another file with `{option}`"))
}

fn begins(path: &Utf8Path, is_ours: impl Fn(&[u8]) -> bool) -> bool {
    fs::read_head(path, HEAD, Links::Refuse).is_ok_and(|head| is_ours(&head))
}

/// Whether a file begins as a record, a page or a SARIF log of gsd does.
fn is_report(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    head.contains("\"name\": \"gsd\"") || head.contains("<meta name=\"generator\" content=\"gsd\">")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make real files")]

    use super::*;

    #[test]
    fn only_what_gsd_wrote_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(root.join(name), text).unwrap();
            root.join(name)
        };
        let source = file("app.ts", "let x = 1;\n");
        let plan = file("01-01-PLAN.md", "---\nphase: 01\n---\n");
        let record = file("old.json", "{\n  \"tool\": {\n    \"name\": \"gsd\" } }");
        let page = file("old.html", "<!doctype html>\n<meta name=\"generator\" content=\"gsd\">");
        let empty = file("empty", "");
        let report = file("01-REVIEWS.json", "{ \"name\": \"gsd\" }");
        std::os::unix::fs::symlink(&source, root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("gone"), root.join("dangling")).unwrap();
        let at = |path: &Utf8Path| OutputFile::at(path, std::slice::from_ref(&report));
        for refused in [&source, &plan, &root.join("link"), &root.join("dangling"), &report] {
            assert!(at(refused).is_err(), "{refused}");
        }
        assert!(at(root).is_err() && at(&root.join("-")).is_err());
        assert!(at(&root.join("no/such/x.html")).is_err());
        for taken in [&record, &page, &empty, &root.join("new.html")] {
            assert_eq!(at(taken), Ok(OutputFile::Regular(taken.clone())));
        }
    }

    #[test]
    fn pipes_and_devices_stay_what_they_are() {
        let out = OutputFile::at(Utf8Path::new("/dev/null"), &[]).unwrap();
        assert_eq!(out, OutputFile::Stream("/dev/null".into()));
        out.write(b"x").unwrap();
        assert_eq!(fs::kind(Utf8Path::new("/dev/null")), Some(Kind::Special));
        let full = OutputFile::at(Utf8Path::new("/dev/full"), &[]).unwrap();
        assert!(full.write(b"x").is_err());
    }
}
