//! Which lane is the program that runs gsd, told by what that program leaves in the environment.

use crate::id::LaneSlug;
use gsd_io::env::Env;

/// The program that runs gsd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Itself {
    /// A program that is no lane of ours, or a person.
    Nobody,
    /// One of our lanes.
    Lane(LaneSlug),
}

impl Itself {
    pub fn is(&self, lane: &LaneSlug) -> bool {
        match self {
            Self::Nobody => false,
            Self::Lane(own) => own == lane,
        }
    }

    /// The slug, for the record.
    pub fn slug(&self) -> Option<&LaneSlug> {
        match self {
            Self::Nobody => None,
            Self::Lane(lane) => Some(lane),
        }
    }
}

/// What a marker must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    One,
    Anything,
}

/// The markers, in the order in which they are looked at, and the lane that each of them means.
const MARKERS: [(&str, Looks, Option<&str>); 10] = [
    // Antigravity's agent may be any model, so it stands for no lane.
    ("ANTIGRAVITY_AGENT", Looks::One, None),
    ("CURSOR_SESSION_ID", Looks::Anything, Some("cursor")),
    ("CLAUDE_CODE_ENTRYPOINT", Looks::Anything, Some("claude")),
    ("CLAUDECODE", Looks::One, Some("claude")),
    ("CURSOR_AGENT", Looks::Anything, Some("cursor")),
    ("CODEX_SANDBOX", Looks::Anything, Some("codex")),
    ("CODEX_THREAD_ID", Looks::Anything, Some("codex")),
    ("GEMINI_CLI", Looks::One, Some("gemini")),
    ("QWEN_CODE", Looks::One, Some("qwen")),
    ("OPENCODE", Looks::One, Some("opencode")),
];

/// The program that runs gsd.
pub fn itself(env: &Env) -> Itself {
    let seen = MARKERS.iter().find(|(name, looks, _)| match looks {
        Looks::One => env.var(name) == Some("1"),
        Looks::Anything => env.var(name).is_some(),
    });
    match seen.and_then(|(.., lane)| *lane).map(LaneSlug::parse) {
        Some(Ok(lane)) => Itself::Lane(lane),
        Some(Err(_)) | None => Itself::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsd_io::env::NESTING_MARKERS;

    fn of(vars: &[(&str, &str)]) -> Option<String> {
        let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let env = Env::from_parts(vars, "/".into(), "/gsd".into());
        itself(&env).slug().map(ToString::to_string)
    }

    #[test]
    fn the_first_marker_decides() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("CLAUDE_CODE_ENTRYPOINT", "cli")]).as_deref(), Some("claude"));
        assert_eq!(of(&[("CLAUDECODE", "1")]).as_deref(), Some("claude"));
        assert_eq!(of(&[("CLAUDECODE", "")]), None);
        let both = [("CLAUDE_CODE_ENTRYPOINT", "cli"), ("CURSOR_SESSION_ID", "x")];
        assert_eq!(of(&both).as_deref(), Some("cursor"));
        let agent = [("CLAUDE_CODE_ENTRYPOINT", "cli"), ("ANTIGRAVITY_AGENT", "1")];
        assert_eq!(of(&agent), None);
        let other = [("CLAUDE_CODE_ENTRYPOINT", "cli"), ("ANTIGRAVITY_AGENT", "0")];
        assert_eq!(of(&other).as_deref(), Some("claude"));
        assert_eq!(of(&[("CODEX_THREAD_ID", "7")]).as_deref(), Some("codex"));
    }

    #[test]
    fn every_marker_is_kept_from_children_and_means_a_lane() {
        let roster = crate::lane::roster::tests::all();
        for (name, _, lane) in MARKERS {
            assert!(NESTING_MARKERS.contains(&name), "{name}");
            assert!(lane.is_none_or(|lane| roster.by_slug(lane).is_some()), "{name}");
        }
    }
}
