//! Claims that a file is not there: what a reader of the repository can tell by looking.

/// Whether a claim states as a fact that the file at `path` does not exist.
///
/// Only sentences of fixed forms about this very path count, so that "`a.ts` is missing a check"
/// or "if `a.ts` does not exist" is not taken for it.
pub(super) fn says_missing(claim: &str, path: &str) -> bool {
    let path = path.trim().trim_start_matches("./");
    !path.is_empty()
        && claim.match_indices(path).any(|(at, _)| {
            let (before, after) = (&claim[..at], &claim[at + path.len()..]);
            let before = before.strip_suffix("./").unwrap_or(before);
            let whole = !before.ends_with(is_of_path) && !after.starts_with(is_inner);
            whole
                && !is_supposed(before, after)
                && (said_after(after) || said_before(before, after))
        })
}

fn is_of_path(c: char) -> bool {
    is_inner(c) || c == '/' || c == '.'
}

fn is_inner(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// "`path`, which does not exist and which no plan makes"
fn said_after(after: &str) -> bool {
    let after = after.trim_start_matches('`').trim_start_matches(',').trim_start().to_lowercase();
    let after = ["which ", "that ", "but it ", "file "]
        .iter()
        .find_map(|link| after.strip_prefix(link))
        .unwrap_or(&after);
    const FORMS: &[&str] = &[
        "does not exist",
        "doesn't exist",
        "do not exist",
        "is not there",
        "is not in the repository",
        "is nowhere",
        "was not found",
        "is not found",
        "cannot be found",
        "is absent",
        "is missing",
        "exists nowhere",
    ];
    FORMS.iter().any(|form| after.strip_prefix(form).is_some_and(ends_the_statement))
}

/// "there is no `path`"
fn said_before(before: &str, after: &str) -> bool {
    let before = before.trim_end_matches('`').trim_end().to_lowercase();
    let ends = ["there is no", "there is no file", "no such file:", "no such file as", "no file"];
    let after = after.trim_start_matches('`').to_lowercase();
    ends.iter().any(|form| before.ends_with(form)) && ends_the_statement(&after)
}

/// What may follow without making it a statement about something else: "is missing a check".
fn ends_the_statement(rest: &str) -> bool {
    const WHERE: &[&str] = &[
        "yet",
        "today",
        "and ",
        "anywhere",
        "at all",
        "in the repo",
        "in this repo",
        "in the code base",
        "in the codebase",
        "in the project",
        "in the tree",
        "in the work tree",
        "on disk",
        "so ",
        "but ",
    ];
    let rest = rest.trim_start();
    rest.is_empty()
        || rest.starts_with(['.', ',', ';', ':', ')', '\n', '(', '—', '-'])
        || WHERE.iter().any(|place| rest.starts_with(place))
}

/// Conditions, wishes, and what somebody else is said to have said state nothing.
fn is_supposed(before: &str, after: &str) -> bool {
    const WORDS: &[&str] = &[
        "assume", "assumes", "claims", "could", "ensure", "if", "may", "might", "must", "once",
        "says", "should", "states", "unless", "until", "when", "whether", "would",
    ];
    let sentence = before.rsplit([';', '\n', '!', '?']).next().unwrap_or(before);
    let sentence = sentence.rsplit(". ").next().unwrap_or(sentence);
    let said = after.split(['.', ';', ',', '\n']).next().unwrap_or(after);
    [sentence, said].iter().any(|text| {
        text.split(|c: char| !c.is_alphabetic())
            .any(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_a_plain_statement_about_this_path_counts() {
        for claim in [
            "`src/http/auth.ts` does not exist",
            "Task 2 reads `src/http/auth.ts`, which does not exist and which no plan makes",
            "task 2 reads src/http/auth.ts, but it doesn't exist.",
            "There is no file `src/http/auth.ts`.",
            "./src/http/auth.ts was not found in the repository",
            "src/http/auth.ts is missing: nothing creates it",
        ] {
            assert!(says_missing(claim, "src/http/auth.ts"), "{claim}");
        }
        for claim in [
            "`src/http/auth.ts` is missing a null check",
            "If `src/http/auth.ts` does not exist, the build breaks",
            "The plan says `src/http/auth.ts` does not exist",
            "`src/http/auth.tsx` does not exist",
            "`lib/src/http/auth.ts` does not exist",
            "`src/http/auth.ts` does not exist in the list of files",
            "`src/http/auth.ts` has no tests",
            "there is no `src/http/auth.ts` entry in `files_modified`",
        ] {
            assert!(!says_missing(claim, "src/http/auth.ts"), "{claim}");
        }
    }

    proptest! {
        #[test]
        fn any_claim_is_read_without_panic(claim in any::<String>(), path in "[a./é`]{0,8}") {
            says_missing(&claim, &path);
        }
    }
}
