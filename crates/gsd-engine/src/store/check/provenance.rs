//! Whether a bundle comes from where it says it was built.

use super::{Class, MAX_SHOWN, Refusal};
use crate::text::printable;
use serde_json::Value;

/// Where the files of a candidate came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A repository, at a commit.
    Git { repository: String, commit: String },
    /// Anything else, with a proof of its repository and commit that was verified.
    Attested { repository: String, commit: String },
    /// Anything else.
    Unproven,
}

/// What can be said of a manifest's `provenance`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It says nothing.
    Absent,
    /// The source is the one that it names.
    Confirmed,
    /// Nothing shows where the files came from.
    Unproven,
    /// The source is another one.
    Contradicted,
}

impl Verdict {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Confirmed => "confirmed",
            Self::Unproven => "unproven",
            Self::Contradicted => "contradicted",
        }
    }
}

pub(super) fn verdict(manifest: &Value, origin: &Origin) -> Verdict {
    let Some(claimed) = manifest.get("provenance").filter(|claimed| !claimed.is_null()) else {
        return Verdict::Absent;
    };
    let field = |name: &str| claimed.get(name).and_then(Value::as_str).unwrap_or_default();
    match origin {
        Origin::Unproven => Verdict::Unproven,
        Origin::Git { repository, commit } | Origin::Attested { repository, commit } => {
            let same_place = place(field("sourceRepo")) == place(repository);
            if same_place && field("commit").eq_ignore_ascii_case(commit) {
                Verdict::Confirmed
            } else {
                Verdict::Contradicted
            }
        }
    }
}

pub(super) fn check(manifest: &Value, origin: &Origin) -> Option<Refusal> {
    if verdict(manifest, origin) != Verdict::Contradicted {
        return None;
    }
    let claimed = manifest.get("provenance")?;
    let field = |name: &str| {
        printable(claimed.get(name).and_then(Value::as_str).unwrap_or("nothing"), MAX_SHOWN)
    };
    let (Origin::Git { repository, commit } | Origin::Attested { repository, commit }) = origin
    else {
        return None;
    };
    let message = format!(
        "its provenance says {} at {}, but it came from {} at {}",
        field("sourceRepo"),
        field("commit"),
        printable(repository, MAX_SHOWN),
        printable(commit, MAX_SHOWN),
    );
    let remedy = "install it from the repository and commit that it names, or ask its author";
    Some(Refusal { class: Class::Integrity, ..Refusal::new("provenance", message, remedy) })
}

/// A repository without what its spellings differ in: scheme, user, `.git`, the case of the host.
fn place(repository: &str) -> String {
    let text = repository.trim();
    let text = text.strip_prefix("git+").unwrap_or(text);
    let (rest, is_address) = match text.split_once("://") {
        Some((_, rest)) => (rest.to_owned(), true),
        // `git@host:owner/name`
        None => match text.split_once(':') {
            Some((host, path)) if host.contains('@') && !path.starts_with('/') => {
                (format!("{host}/{path}"), true)
            }
            Some(_) | None => (text.to_owned(), false),
        },
    };
    let rest = rest.split(['#', '?']).next().unwrap_or_default();
    let rest = rest.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
    if !is_address {
        return rest.to_owned();
    }
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{}/{path}", host.trim_end_matches('.').to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{Origin, Verdict, check, verdict};
    use serde_json::json;

    #[test]
    fn the_source_must_be_the_one_that_is_named() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let manifest = json!({ "provenance": { "sourceRepo": "https://github.com/acme/review", "commit": commit } });
        let git = |repository: &str, commit: &str| Origin::Git {
            repository: repository.to_owned(),
            commit: commit.to_owned(),
        };
        for same in [
            "https://github.com/acme/review",
            "https://GitHub.com/acme/review.git",
            "git+https://github.com/acme/review/",
            "ssh://git@github.com/acme/review.git",
            "git@github.com:acme/review.git",
        ] {
            assert_eq!(verdict(&manifest, &git(same, commit)), Verdict::Confirmed, "{same}");
        }
        for other in [
            "https://github.com/evil/review",
            "https://evil.example/acme/review",
            "/srv/acme/review",
            "https://github.com/acme/Review",
        ] {
            assert_eq!(verdict(&manifest, &git(other, commit)), Verdict::Contradicted, "{other}");
        }
        let moved = git("https://github.com/acme/review", &commit.replace('0', "1"));
        assert!(check(&manifest, &moved).expect("refused").message.contains("came from"));
        assert_eq!(verdict(&manifest, &Origin::Unproven), Verdict::Unproven);
        assert!(check(&manifest, &Origin::Unproven).is_none());
        assert_eq!(verdict(&json!({}), &moved), Verdict::Absent);
        assert!(check(&json!({ "provenance": 3 }), &moved).is_some());
    }
}
