//! The ranked findings, what was not covered, and what the reviewers agree on.

use super::Section;
use crate::review::clusters;
use crate::review::record::{Cluster, Evidence, Finding, Kind, Record, Severity, Verdict};
use crate::review::report::inert::{self, block, inline};
use crate::review::report::links::Links;
use crate::review::report::show;

/// High, medium and low concerns that rest on something.
pub(super) fn counts(record: &Record) -> [usize; 3] {
    Severity::ALL.map(|severity| {
        let counts = |c: &&Cluster| {
            c.kind == Kind::Concern && c.severity == severity && !clusters::is_discredited(c)
        };
        record.clusters.iter().filter(counts).count()
    })
}

pub(super) fn sections(record: &Record, links: &Links<'_>, out: &mut Section) {
    out.add("## Findings");
    let listed: Vec<(usize, &Cluster)> =
        (1..).zip(record.clusters.iter().filter(|c| listed(c))).collect();
    if listed.is_empty() {
        out.add(show::no_findings(record));
    }
    for (number, cluster) in &listed {
        finding(record, *number, cluster, links, out);
    }
    out.add("## What was not covered");
    out.add(&not_covered(record, links));
    consensus(record, &listed, links, out);
}

/// Strengths are no findings that anybody has to act on.
fn listed(cluster: &Cluster) -> bool {
    match cluster.kind {
        Kind::Concern | Kind::Suggestion | Kind::Question => true,
        Kind::Strength => false,
    }
}

fn finding(
    record: &Record,
    number: usize,
    cluster: &Cluster,
    links: &Links<'_>,
    out: &mut Section,
) {
    let members = show::members(record, cluster);
    out.add(&format!("### {number}. {} · {}", show::label(cluster), inline(&cluster.title, links)));
    out.add(&grounds(cluster, &members, links));
    let Some(speaker) = members.first() else { return };
    if plain(&speaker.claim) != plain(&cluster.title) {
        out.add(&block(&speaker.claim, links));
    }
    if let Some(suggestion) = members.iter().find_map(|member| member.suggestion.as_deref()) {
        out.add(&format!("**Do:** {}", inline(suggestion, links)));
    }
    let others: Vec<String> = members
        .iter()
        .skip(1)
        .filter(|member| plain(&member.title) != plain(&cluster.title))
        .map(|member| {
            format!(
                "- {} ({}): {}",
                inert::code(&member.lane),
                member.severity.word(),
                inline(&member.title, links)
            )
        })
        .collect();
    if !others.is_empty() {
        out.add(&format!("Also said:\n\n{}", others.join("\n")));
    }
}

/// What differs only in case, marks or white space reads as a repetition.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `✔ verified at …; ✘ ungrounded: … · lanes · support`.
fn grounds(cluster: &Cluster, members: &[&Finding], links: &Links<'_>) -> String {
    let evidence = show::evidence(members);
    let mut parts: Vec<String> = vec![];
    for verdict in Verdict::ALL {
        let places: Vec<String> =
            evidence.iter().filter(|e| e.verdict == verdict).map(|e| place(e, links)).collect();
        if !places.is_empty() {
            parts.push(format!("{} at {}", show::verdict(Some(verdict)), places.join(", ")));
        }
    }
    if parts.is_empty() {
        parts.push(show::verdict(None).to_owned());
    }
    let lanes: Vec<String> = cluster.lanes.iter().map(|lane| inline(lane, links)).collect();
    let code = members
        .iter()
        .find_map(|member| member.code.as_deref())
        .map_or(String::new(), |code| format!(" · {}", inert::code(code)));
    format!(
        "{} · {} · support {}{code}",
        parts.join("; "),
        lanes.join(", "),
        show::support(cluster)
    )
}

/// A link where there is something to open, else the words of the citation.
fn place(evidence: &Evidence, links: &Links<'_>) -> String {
    let shown = show::place(links.shown(&evidence.path), evidence);
    let exists = match evidence.verdict {
        Verdict::Verified | Verdict::Moved | Verdict::Located | Verdict::Contradicted => true,
        Verdict::Planned | Verdict::Ungrounded | Verdict::Outside => false,
    };
    match links.to(&evidence.path, show::line(evidence)).filter(|_| exists) {
        Some(target) => format!("[{}]({target})", escape_label(&shown)),
        None => inert::code(&shown),
    }
}

/// The text of a link that is a path: nothing in it may end the label or begin a tag.
fn escape_label(text: &str) -> String {
    let mut out = String::new();
    for c in inert::strip(text).chars() {
        // Between letters an underscore is only itself.
        let inside = c == '_' && out.ends_with(char::is_alphanumeric);
        if "\\`*_[]<>&!|~".contains(c) && !inside {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out
}

fn not_covered(record: &Record, links: &Links<'_>) -> String {
    let list = show::not_covered(record);
    if list.is_empty() {
        return "Each lane speaks of each plan.".to_owned();
    }
    list.iter().map(|entry| format!("- {}\n", inline(entry, links))).collect()
}

fn consensus(record: &Record, listed: &[(usize, &Cluster)], links: &Links<'_>, out: &mut Section) {
    let agreed = |cluster: &Cluster| clusters::is_agreed(cluster, &record.lanes);
    out.add("## Consensus Summary");
    let voices = record.lanes.iter().filter(|lane| lane.state.counts()).count();
    out.add(match voices {
        0 => "No lane produced a review.",
        1 => "One lane produced a review; there is nobody to agree with.",
        _ => "Agreed is what at least two lanes of different adapters say. What one lane alone says stands above, under Findings.",
    });
    out.add("### Agreed Strengths");
    let strengths = record.clusters.iter().filter(|c| c.kind == Kind::Strength && agreed(c));
    out.add(&bullets(
        strengths.map(|c| format!("{} ({})", inline(&c.title, links), voices_of(c, links))),
    ));
    out.add("### Agreed Concerns");
    let concerns = listed.iter().filter(|(_, c)| c.kind == Kind::Concern && agreed(c));
    out.add(&bullets(concerns.map(|(number, c)| {
        format!(
            "{}: {} (finding {number}; {})",
            show::label(c),
            inline(&c.title, links),
            voices_of(c, links)
        )
    })));
    out.add("### Divergent Views");
    out.add(&bullets(divergent(record, listed, links).into_iter()));
}

fn voices_of(cluster: &Cluster, links: &Links<'_>) -> String {
    let lanes: Vec<String> = cluster.lanes.iter().map(|lane| inline(lane, links)).collect();
    format!("{}, support {}", lanes.join(", "), show::support(cluster))
}

fn bullets(entries: impl Iterator<Item = String>) -> String {
    let list: String = entries.map(|entry| format!("- {entry}\n")).collect();
    if list.is_empty() { "None.".to_owned() } else { list }
}

/// Where lanes contradict each other: one severity against another, a strength at the place of a
/// concern, a claim that the source refutes.
fn divergent(record: &Record, listed: &[(usize, &Cluster)], links: &Links<'_>) -> Vec<String> {
    let mut found = vec![];
    for (number, cluster) in listed {
        let members = show::members(record, cluster);
        let said = |severity: Severity| -> Vec<&str> {
            members.iter().filter(|m| m.severity == severity).map(|m| m.lane.as_str()).collect()
        };
        let (high, low) = (said(Severity::High), said(Severity::Low));
        if !high.is_empty() && !low.is_empty() {
            found.push(format!(
                "Finding {number} is high for {} and low for {}.",
                names(&high, links),
                names(&low, links)
            ));
        }
        if cluster.verdict == Some(Verdict::Contradicted) {
            found.push(format!(
                "Finding {number} ({}) says what the source refutes.",
                voices_of(cluster, links)
            ));
        }
        for strength in record.clusters.iter().filter(|c| c.kind == Kind::Strength) {
            let others: Vec<&str> = strength
                .lanes
                .iter()
                .filter(|lane| !cluster.lanes.contains(lane))
                .map(String::as_str)
                .collect();
            let opposed = cluster.kind == Kind::Concern
                && !others.is_empty()
                && meet(&members, &show::members(record, strength));
            if opposed {
                found.push(format!(
                    "Where finding {number} sees a concern, {} sees a strength: {}.",
                    names(&others, links),
                    inline(strength.title.trim_end_matches('.'), links)
                ));
            }
        }
    }
    found
}

fn names(lanes: &[&str], links: &Links<'_>) -> String {
    lanes.iter().map(|lane| inline(lane, links)).collect::<Vec<_>>().join(", ")
}

/// Whether two groups of findings rest on one place.
fn meet(a: &[&Finding], b: &[&Finding]) -> bool {
    let holds = |evidence: &&Evidence| !evidence.verdict.refutes();
    let places = |members: &[&Finding]| -> Vec<(String, Option<u64>)> {
        let all = show::evidence(members).into_iter().filter(holds);
        all.map(|e| (e.path.clone(), show::line(e))).collect()
    };
    let b = places(b);
    places(a).iter().any(|(path, line)| {
        b.iter().any(|(other, other_line)| {
            path == other && line.zip(*other_line).is_some_and(|(x, y)| x.abs_diff(y) <= 3)
        })
    })
}
