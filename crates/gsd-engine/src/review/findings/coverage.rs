//! Which plans a review speaks of. Ids match exactly: `02-1` is not `02-10`.

use crate::review::record::{Coverage, Finding, Plan};

/// The plans of the census that a review names, by id, file name, path or finding, and the others.
pub fn coverage(text: &str, findings: &[Finding], census: &[Plan]) -> Coverage {
    let mut coverage = Coverage { covered: vec![], missing: vec![] };
    for plan in census {
        let in_finding = findings.iter().any(|finding| {
            finding.plan.as_deref() == Some(plan.id.as_str())
                || finding.evidence.iter().any(|e| e.path == plan.path)
        });
        let list = if in_finding || names(text, plan, census) {
            &mut coverage.covered
        } else {
            &mut coverage.missing
        };
        list.push(plan.id.clone());
    }
    coverage
}

/// The plan that a short text such as a heading or the field `plan` speaks of: the first that it
/// names.
pub fn plan_of(text: &str, census: &[Plan]) -> Option<String> {
    let exact = |plan: &&Plan| {
        let text = text.trim().trim_matches(['`', '*', '"']);
        text == plan.id || text == plan.path || text == file_name(plan)
    };
    census
        .iter()
        .find(exact)
        .or_else(|| census.iter().find(|plan| names(text, plan, census)))
        .map(|plan| plan.id.clone())
}

fn file_name(plan: &Plan) -> &str {
    plan.path.rsplit('/').next().unwrap_or(&plan.path)
}

fn names(text: &str, plan: &Plan, census: &[Plan]) -> bool {
    let file = file_name(plan);
    if stands_alone(text, file, |_| true) || text.contains(&plan.path) {
        return true;
    }
    // `03` alone is a number like any other; `03-01` is an id.
    let is_id =
        plan.id.split('-').filter(|part| part.bytes().any(|b| b.is_ascii_digit())).count() > 1;
    if is_id && stands_alone(text, &plan.id, is_end_of_id) {
        return true;
    }
    let last = plan.id.rsplit('-').next().unwrap_or(&plan.id);
    let Ok(number) = last.parse::<u32>() else { return false };
    let same_number = |other: &Plan| {
        other.id.rsplit('-').next().and_then(|part| part.parse::<u32>().ok()) == Some(number)
    };
    census.iter().filter(|other| same_number(other)).count() == 1 && says_plan_number(text, number)
}

/// Whether `name` stands in `text` as a whole name: nothing before it and after it would make it
/// another one.
fn stands_alone(text: &str, name: &str, end: impl Fn(&str) -> bool) -> bool {
    if name.is_empty() {
        return false;
    }
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = &text[at + name.len()..];
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && end(after)
    })
}

/// What follows an id: not a further part of one, unless it is the tail of its file name.
fn is_end_of_id(after: &str) -> bool {
    let mut chars = after.chars();
    match (chars.next(), chars.next()) {
        (Some('-'), Some(c)) if c.is_alphanumeric() => {
            after.get(1..5).is_some_and(|word| word.eq_ignore_ascii_case("plan"))
        }
        (Some('.'), Some(c)) => !c.is_ascii_digit(),
        _ => true,
    }
}

/// `Plan 02`, `plan 2`: a number after the word.
fn says_plan_number(text: &str, number: u32) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(4).enumerate().any(|(at, word)| {
        let whole = at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'-');
        if !whole || !word.eq_ignore_ascii_case(b"plan") {
            return false;
        }
        let rest = &bytes[at + 4..];
        let rest = rest.strip_prefix(b" ").unwrap_or(&[]);
        let rest = rest.strip_prefix(b"#").unwrap_or(rest);
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let after = rest.get(digits);
        // `Plan 03-01` names another number, `Plan 3.1` as well.
        let goes_on = match after {
            Some(b'-' | b'.') => rest.get(digits + 1).is_some_and(u8::is_ascii_digit),
            Some(byte) => byte.is_ascii_alphanumeric() || *byte == b'_',
            None => false,
        };
        let said = std::str::from_utf8(&rest[..digits]).ok().and_then(|d| d.parse::<u32>().ok());
        !goes_on && said == Some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn census(ids: &[&str]) -> Vec<Plan> {
        ids.iter()
            .map(|id| Plan {
                id: (*id).into(),
                path: format!(".planning/phases/02-x/{id}-PLAN.md"),
                bytes: 1,
                lines: 1,
                sha256: "0".repeat(64),
            })
            .collect()
    }

    #[test]
    fn six_of_seven() {
        let census = census(&["02-01", "02-02", "02-03", "02-04", "02-05", "02-06", "02-07"]);
        let text = "## 02-01\n02-02, (02-03) `02-04-PLAN.md` .planning/phases/02-x/02-05-PLAN.md\n### Plan 06: x";
        let coverage = coverage(text, &[], &census);
        assert_eq!(coverage.missing, ["02-07"]);
        assert_eq!(coverage.covered.len(), 6);
    }

    #[test]
    fn ids_match_exactly() {
        let census = census(&["02-1", "02-10", "02-01", "03", "02-01-slug"]);
        let covered = |text: &str| coverage(text, &[], &census).covered;
        assert_eq!(covered("02-10 is fine"), ["02-10"]);
        assert_eq!(covered("02-1."), ["02-1"]);
        assert_eq!(covered("12-01, 02-011, 02-01.5, x-02-01, a02-01, 2026-02-01"), [""; 0]);
        assert_eq!(covered("02-01-slug"), ["02-01-slug"]);
        assert_eq!(covered("Phase 03"), [""; 0]);
        assert_eq!(covered("03-PLAN.md"), ["03"]);
        assert_eq!(covered("02-01-plan"), ["02-01"]);
        // Two plans end in the same number: the word alone names neither.
        assert_eq!(covered("Plan 1"), [""; 0]);
        assert_eq!(covered("Plan 10, 02-1"), ["02-1", "02-10"]);
    }

    #[test]
    fn the_plan_of_a_heading() {
        let census = census(&["02-01", "02-02"]);
        assert_eq!(plan_of("`02-02-PLAN.md`", &census).as_deref(), Some("02-02"));
        assert_eq!(plan_of("Plan 2: feed", &census).as_deref(), Some("02-02"));
        assert_eq!(plan_of("Plan 02-01", &census).as_deref(), Some("02-01"));
        assert_eq!(plan_of("Summary", &census), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>(), id in "[0-9A-Za-z.-]{0,8}") {
            let census = census(&[&id]);
            coverage(&text, &[], &census);
            plan_of(&text, &census);
        }
    }
}
