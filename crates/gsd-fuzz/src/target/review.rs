//! What programs and servers answer: reviews, bodies, streams, records, reports.

use super::{Place, Target, seeds};
use gsd_engine::evidence::{self, WorkTree, identifiers};
use gsd_engine::lane::handler::openai_compatible::{body, models, thinking};
use gsd_engine::lane::handler::opencode;
use gsd_engine::review::findings::{Speaker, blocks, check_evidence, coverage, extract};
use gsd_engine::review::record::{Plan, Record};
use gsd_engine::review::report::{Format, merge_existing, render};
use gsd_engine::text::{clean, is_deceptive, printable, secrets};
use std::collections::BTreeSet;

pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "findings",
        what: "reviews: the findings block, prose, evidence",
        seeds: || seeds!("review.md"),
        check: findings,
    },
    Target {
        name: "answer",
        what: "bodies of chat completions, streams, lists of models",
        seeds: || seeds!("answer.json", "stream.txt", "error.json", "models.json"),
        check: answer,
    },
    Target {
        name: "events",
        what: "OpenCode's stream of events",
        seeds: || seeds!("events.ndjson"),
        check: events,
    },
    Target {
        name: "record",
        what: "records of reviews, and every report of them",
        seeds: || seeds!("record.json"),
        check: record,
    },
    Target {
        name: "report",
        what: "reports that are there already",
        seeds: || seeds!("reviews.md", "review.md"),
        check: report,
    },
    Target {
        name: "output",
        what: "output of programs: terminal sequences, secrets",
        seeds: || seeds!("review.md", "events.ndjson", "config.json"),
        check: output,
    },
];

fn plans() -> Vec<Plan> {
    let plan = |id: &str| Plan {
        id: id.to_owned(),
        path: format!(".planning/phases/03-notes/{id}-PLAN.md"),
        bytes: 10,
        lines: 2,
        sha256: "0".repeat(64),
    };
    vec![plan("03-01"), plan("03-02")]
}

fn findings(place: &mut Place, input: &[u8]) {
    let text = clean(input).text;
    let census = plans();
    let mut extracted = extract("gemini", &text, &census);
    assert!(extracted.findings.len() <= 400);
    coverage(&text, &extracted.findings, &census);
    blocks(&text);
    let tree = WorkTree::open(&place.project());
    check_evidence(&mut extracted, &tree, &BTreeSet::new(), Speaker::Reviewer);
    let ids: BTreeSet<&str> = extracted.findings.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(ids.len(), extracted.findings.len(), "ids are unique");
    assert!(evidence::places(&text, 50).len() <= 50);
    identifiers(&text);
}

fn answer(_: &mut Place, input: &[u8]) {
    body::parse(input);
    models::Models::read(input).some();
    let text = String::from_utf8_lossy(input);
    assert!(thinking::strip(&text).text.len() <= text.len());
}

fn events(_: &mut Place, input: &[u8]) {
    opencode::read(input);
}

fn record(_: &mut Place, input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(record) = Record::parse(&text) else { return };
    for format in [Format::Markdown, Format::Json, Format::Sarif, Format::Github, Format::Html] {
        let once = render(&record, format);
        assert_eq!(once, render(&record, format), "the same record, the same bytes");
    }
    let again = Record::parse(&render(&record, Format::Json)).expect("what we write we read");
    assert_eq!(again, record);
    merge_existing(Some(&render(&record, Format::Markdown)), Some(record));
}

fn report(_: &mut Place, input: &[u8]) {
    merge_existing(Some(&String::from_utf8_lossy(input)), None);
}

fn output(_: &mut Place, input: &[u8]) {
    let cleaned = clean(input).text;
    assert!(!cleaned.contains('\u{1b}'));
    let odd = |c: char| is_deceptive(c) && c != '\n' && c != '\t';
    assert!(!cleaned.contains(odd), "{cleaned:?}");
    let short = printable(&cleaned, 80);
    // A line break is shown by two characters.
    assert!(short.chars().count() <= 161 && !short.contains('\n'));
    let (redacted, _) = secrets::redact(&cleaned, &["OPENAI_API_KEY"]);
    assert!(!redacted.contains("OPENAI_API_KEY"));
    for found in secrets::find(&cleaned) {
        assert!(cleaned.get(found.span.clone()).is_some());
    }
}
