//! Ids of findings, from what they say and not from who says it or when.

use crate::review::record::{Finding, Severity};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Gives each finding its id, drops what a lane says twice in the same words, and keeps the order.
///
/// The id covers kind, plan, code, the cited files and the words of the title. Lines are left out,
/// so that an edit above the place does not make another finding of it, and so is the severity,
/// which models like to change. Where that leaves two findings of one lane alike, the later ones
/// are numbered.
pub(super) fn assign(findings: Vec<Finding>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    let mut kept: Vec<Finding> = vec![];
    for mut finding in findings {
        let places: Vec<_> =
            finding.evidence.iter().map(|e| (e.path.clone(), e.line, e.end_line)).collect();
        let base = content(&finding);
        if !seen.insert((base.clone(), places)) {
            continue;
        }
        // In a summary the same finding is often told again without its place.
        let same = |known: &&mut Finding| known.id.starts_with(&base);
        if finding.evidence.is_empty()
            && let Some(known) = kept.iter_mut().find(same)
        {
            known.severity = severer(known.severity, finding.severity);
            continue;
        }
        let count = taken.entry(base.clone()).or_default();
        *count += 1;
        finding.id = if *count == 1 { base } else { format!("{base}-{count}") };
        kept.push(finding);
    }
    kept
}

fn severer(a: Severity, b: Severity) -> Severity {
    a.max(b)
}

fn content(finding: &Finding) -> String {
    let mut files: Vec<&str> = finding.evidence.iter().map(|e| e.path.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let words = finding
        .title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join(" ");
    let mut digest = Sha256::new();
    for part in [
        finding.kind.word(),
        finding.plan.as_deref().unwrap_or(""),
        finding.code.as_deref().unwrap_or(""),
        &files.join("\n"),
        &words,
    ] {
        // Each part with its length, so that no two lists of parts read the same.
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    let hex: String = digest.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("f-{hex}")
}

#[cfg(test)]
mod tests {
    use super::super::extract;

    fn ids(lane: &str, text: &str) -> Vec<String> {
        extract(lane, text, &[]).findings.into_iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn ids_do_not_depend_on_lane_line_or_severity() {
        let text = |severity: &str, line: u32| {
            format!("## Concerns\n- {severity}: the feed ignores `deleted_at` (src/a.ts:{line})\n")
        };
        let first = ids("codex", &text("HIGH", 7));
        assert_eq!(first, ids("claude", &text("LOW", 7)));
        assert_eq!(first.len(), 1);
        assert!(first[0].starts_with("f-") && first[0].len() == 14, "{first:?}");
        assert_ne!(first, ids("codex", "## Concerns\n- HIGH: another thing (src/a.ts:7)\n"));
    }

    #[test]
    fn alike_findings_are_numbered_and_repeated_ones_dropped() {
        let block = "```gsd-findings\n[{\"title\":\"no verify\",\"evidence\":[\"p.md:3\"]},\
                     {\"title\":\"no verify\",\"evidence\":[\"p.md:9\"]},\
                     {\"title\":\"No verify.\",\"evidence\":[\"p.md:3\"]}]\n```\n";
        let ids = ids("plan-lint", block);
        assert_eq!(ids.len(), 2, "{ids:?}");
        assert_eq!(ids[1], format!("{}-2", ids[0]));
    }
}
