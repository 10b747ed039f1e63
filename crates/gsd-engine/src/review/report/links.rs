//! Links of a report: from its own folder to files of the repository, and nowhere else.

use crate::evidence::Place;
use crate::id::RelPath;
use std::fmt::Write;

/// Makes destinations for a report that stands in a folder of the repository.
#[derive(Debug, Clone, Copy)]
pub(super) struct Links<'a> {
    /// Relative to the root.
    pub(super) folder: &'a str,
}

impl Links<'_> {
    /// The destination of a file and, where one is known, a line of it.
    pub(super) fn to(&self, path: &str, line: Option<u64>) -> Option<String> {
        let path = RelPath::parse(path).ok()?;
        let folder: Vec<&str> = self.folder.split('/').filter(|part| !part.is_empty()).collect();
        let parts: Vec<&str> = path.as_str().split('/').collect();
        let shared = folder.iter().zip(&parts).take_while(|(a, b)| a == b).count();
        // A path that is the folder itself has no name left.
        let shared = shared.min(parts.len() - 1);
        let mut target = "../".repeat(folder.len() - shared);
        let below: Vec<String> = parts[shared..].iter().map(|part| encode(part)).collect();
        target.push_str(&below.join("/"));
        if let Some(line) = line {
            // Writing to a String cannot fail.
            let _ = write!(target, "#L{line}");
        }
        Some(target)
    }

    /// The destination that a reviewer's link means, if that is a file of the repository.
    pub(super) fn within_repository(&self, written: &str) -> Option<String> {
        let odd = |c: char| c.is_whitespace() || c.is_control() || "<>\"`|".contains(c);
        if written.contains("//") || written.starts_with(['#', '?']) || written.contains(odd) {
            return None;
        }
        let place = Place::parse(written)?;
        // What is left of a scheme such as `javascript:` is no path.
        if place.path.contains([':', '?', '#', '&', '%']) || !place.path.contains(['/', '.']) {
            return None;
        }
        self.to(&place.path, place.line)
    }

    /// A path as people see it: a file beside the report by its name alone.
    pub(super) fn shown<'p>(&self, path: &'p str) -> &'p str {
        path.strip_prefix(self.folder)
            .and_then(|rest| rest.strip_prefix('/'))
            .filter(|rest| !rest.contains('/'))
            .unwrap_or(path)
    }
}

/// Percent-encodes all but the characters that mean themselves everywhere.
fn encode(part: &str) -> String {
    let mut out = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~@+$,".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: Links<'_> = Links { folder: ".planning/phases/03-x" };

    #[test]
    fn from_the_report_to_the_file() {
        let to = |path| LINKS.to(path, Some(88)).unwrap();
        assert_eq!(to("src/x.ts"), "../../../src/x.ts#L88");
        assert_eq!(to(".planning/phases/03-x/03-01-PLAN.md"), "03-01-PLAN.md#L88");
        assert_eq!(to(".planning/ROADMAP.md"), "../../ROADMAP.md#L88");
        assert_eq!(to("src/[id] (x)/é.ts"), "../../../src/%5Bid%5D%20%28x%29/%C3%A9.ts#L88");
        assert_eq!(Links { folder: "" }.to("ab:c.ts", None).unwrap(), "ab%3Ac.ts");
        assert_eq!(LINKS.to("../x", None), None);
        assert_eq!(LINKS.shown(".planning/phases/03-x/03-01-PLAN.md"), "03-01-PLAN.md");
        assert_eq!(LINKS.shown("src/x.ts"), "src/x.ts");
    }

    #[test]
    fn only_files_of_the_repository_are_linked() {
        let into = |text| LINKS.within_repository(text);
        assert_eq!(into("src/a.rs:4").unwrap(), "../../../src/a.rs#L4");
        assert_eq!(into("src/a.rs#L4-L9").unwrap(), "../../../src/a.rs#L4");
        for outside in [
            "https://x.org",
            "//x.org/a.rs",
            "javascript:alert(1)",
            "/etc/passwd",
            "../x.rs",
            "#top",
            "data:text/html,x.y",
            "word",
            "a%2e.rs",
            "",
        ] {
            assert_eq!(into(outside), None, "{outside}");
        }
    }
}
