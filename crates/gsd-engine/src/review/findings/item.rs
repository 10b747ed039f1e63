//! One item of a `gsd-findings` block. Fields have several spellings in the field, and a value may
//! have another shape than the one that was asked for; what is meant is clear all the same.

use super::{MAX_CLAIM, MAX_EVIDENCE, MAX_QUOTE, MAX_TITLE, first_sentence, one_line, tidy};
use super::{NO_LINE, plan_of, unchecked, words};
use crate::evidence::Place;
use crate::review::record::{Evidence, Finding, Kind, Plan, Severity};
use serde_json::{Map, Value};

/// What an item turned out to be.
pub(super) enum Item {
    Finding(Box<Finding>),
    /// The example of the prompt, repeated.
    Placeholder,
    Unreadable,
}

pub(super) fn finding(lane: &str, value: &Value, census: &[Plan]) -> Item {
    let Value::Object(fields) = value else { return Item::Unreadable };
    let title = text(fields, &["title", "summary", "issue", "name", "headline"]);
    let claim = text(fields, &["claim", "description", "detail", "details", "body", "message"]);
    let (title, claim) = match (title, claim) {
        (Some(title), Some(claim)) => (title, claim),
        (Some(title), None) => (title.clone(), title),
        (None, Some(claim)) => (claim.clone(), claim),
        (None, None) => return Item::Unreadable,
    };
    let title = if title.chars().count() > MAX_TITLE {
        first_sentence(&title)
    } else {
        one_line(&title, MAX_TITLE)
    };
    if title.is_empty() {
        return Item::Unreadable;
    }
    if title == "one line" || (title.starts_with('<') && title.ends_with('>')) {
        return Item::Placeholder;
    }
    let kind = text(fields, &["kind", "type", "category"]).and_then(|word| words::kind(&word));
    let kind = kind.unwrap_or(Kind::Concern);
    let severity = text(fields, &["severity", "level", "priority"])
        .and_then(|word| words::severity_field(&word))
        .unwrap_or(default_severity(kind));
    let plan = text(fields, &["plan", "plan_id", "plan_file"]);
    let code = text(fields, &["code", "rule"]).filter(|code| is_code(code));
    Item::Finding(Box::new(Finding {
        id: String::new(),
        lane: lane.to_owned(),
        kind,
        severity,
        plan: plan.and_then(|plan| plan_of(&plan, census)),
        code,
        title,
        claim: tidy(&claim, MAX_CLAIM),
        suggestion: text(fields, &["suggestion", "recommendation", "fix", "action"])
            .map(|text| tidy(&text, MAX_CLAIM)),
        evidence: evidence(fields),
        cluster: String::new(),
    }))
}

/// What a finding weighs whose reviewer did not say.
pub(super) fn default_severity(kind: Kind) -> Severity {
    match kind {
        Kind::Concern => Severity::Medium,
        Kind::Strength | Kind::Suggestion | Kind::Question => Severity::Low,
    }
}

/// `area/kebab-words`, as checks name themselves.
fn is_code(text: &str) -> bool {
    text.len() <= 80
        && text.contains('/')
        && text.split('/').all(|part| {
            !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        })
}

/// The first of some fields that holds text; a list gives its first element.
fn text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let value = match fields.get(*name)? {
            Value::Array(list) => list.first()?,
            value => value,
        };
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        (!text.is_empty()).then_some(text)
    })
}

fn evidence(fields: &Map<String, Value>) -> Vec<Evidence> {
    let mut found = vec![];
    for name in ["evidence", "citations", "references", "locations", "location"] {
        match fields.get(name) {
            Some(Value::Array(list)) => {
                found.extend(list.iter().take(MAX_EVIDENCE).filter_map(citation))
            }
            Some(value) => found.extend(citation(value)),
            None => {}
        }
    }
    // The place may stand in the item itself.
    if found.is_empty() && ["path", "file"].iter().any(|name| fields.contains_key(*name)) {
        found.extend(citation(&Value::Object(fields.clone())));
    }
    found.truncate(MAX_EVIDENCE);
    found
}

fn citation(value: &Value) -> Option<Evidence> {
    let fields = match value {
        Value::String(text) => return Place::parse(text).map(bounded),
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    let path = text(fields, &["path", "file", "filename", "location"])?;
    let mut evidence = bounded(Place::parse(&path)?);
    let lines = ["line", "lines", "start_line", "line_number"].iter().find_map(|n| fields.get(*n));
    match lines.map(|lines| (lines, line_numbers(lines))) {
        Some((_, Some((line, end)))) => (evidence.line, evidence.end_line) = (Some(line), end),
        // `null` and an empty text say that there is none; anything else was meant as one.
        Some((Value::Null, None)) | None => {}
        Some((Value::String(text), None)) if text.trim().is_empty() => {}
        Some((_, None)) => (evidence.line, evidence.end_line) = (Some(NO_LINE), None),
    }
    if let Some(end) = fields.get("end_line").or(fields.get("end")).and_then(Value::as_u64) {
        evidence.end_line = Some(end);
    }
    // An end before its start is a slip, not a span.
    evidence.end_line =
        evidence.end_line.filter(|end| evidence.line.is_some_and(|line| *end > line));
    evidence.quote =
        text(fields, &["quote", "snippet", "code", "text"]).map(|quote| tidy(&quote, MAX_QUOTE));
    evidence.symbol = text(fields, &["symbol", "identifier", "function"])
        .map(|symbol| one_line(&symbol, MAX_TITLE));
    Some(evidence)
}

fn bounded(place: Place) -> Evidence {
    let path = one_line(&place.path, 1024);
    unchecked(Place { path, ..place })
}

/// `12`, `"12"`, `"12-20"`, `[12, 20]`.
fn line_numbers(value: &Value) -> Option<(u64, Option<u64>)> {
    match value {
        Value::Number(number) => Some((number.as_u64()?, None)),
        Value::String(text) => {
            let place =
                Place::parse(&format!("file:{}", text.trim().trim_start_matches(['L', ':'])))?;
            Some((place.line?, place.end_line))
        }
        Value::Array(list) => Some((list.first()?.as_u64()?, list.get(1).and_then(Value::as_u64))),
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Option<Finding> {
        match finding("codex", &value, &[]) {
            Item::Finding(finding) => Some(*finding),
            Item::Placeholder | Item::Unreadable => None,
        }
    }

    #[test]
    fn every_usual_spelling_is_understood() {
        let finding = read(json!({
            "type": "Risk", "level": "CRITICAL", "summary": "a\nb", "description": "why",
            "recommendation": "do", "location": "src/a.ts:4-6", "rule": "plan/wave-conflict",
        }))
        .unwrap();
        assert_eq!((finding.kind, finding.severity), (Kind::Concern, Severity::High));
        assert_eq!((finding.title.as_str(), finding.claim.as_str()), ("a b", "why"));
        assert_eq!(finding.suggestion.as_deref(), Some("do"));
        assert_eq!(finding.code.as_deref(), Some("plan/wave-conflict"));
        let place = |e: &Evidence| (e.path.clone(), e.line, e.end_line);
        assert_eq!(place(&finding.evidence[0]), ("src/a.ts".into(), Some(4), Some(6)));

        let finding = read(json!({
            "title": "t", "evidence": [
                "x.rs#L3",
                {"file": "y.rs", "lines": "7-9", "quote": "q", "symbol": "s"},
                {"path": "z.rs:5", "line": null},
                {"path": "w.rs", "line": 9, "end_line": 3},
                7, null, {"line": 3},
            ],
        }))
        .unwrap();
        let places: Vec<_> = finding.evidence.iter().map(place).collect();
        assert_eq!(
            places,
            [
                ("x.rs".into(), Some(3), None),
                ("y.rs".into(), Some(7), Some(9)),
                ("z.rs".into(), Some(5), None),
                ("w.rs".into(), Some(9), None),
            ]
        );
        assert_eq!(finding.severity, Severity::Medium);
        assert_eq!(finding.claim, "t");

        let bare = read(json!({"title": "t", "file": "a.rs", "line": "12"})).unwrap();
        assert_eq!(place(&bare.evidence[0]), ("a.rs".into(), Some(12), None));
    }

    #[test]
    fn a_line_that_is_none_is_not_forgotten() {
        for (line, wanted) in [
            (json!(-5), Some(NO_LINE)),
            (json!(1.5), Some(NO_LINE)),
            (json!(1e23), Some(NO_LINE)),
            (json!("many"), Some(NO_LINE)),
            (json!([]), Some(NO_LINE)),
            (json!(null), None),
            (json!(""), None),
            (json!("L7"), Some(7)),
        ] {
            let item = json!({"title": "t", "evidence": [{"path": "a.rs", "line": line}]});
            assert_eq!(read(item).unwrap().evidence[0].line, wanted, "{line}");
        }
    }

    #[test]
    fn what_says_nothing_is_no_finding() {
        for value in [
            json!(7),
            json!({}),
            json!({"title": " "}),
            json!({"title": null}),
            json!({"severity": "high"}),
        ] {
            assert_eq!(read(value.clone()), None, "{value}");
        }
        assert!(matches!(finding("x", &json!({"title": "<title>"}), &[]), Item::Placeholder));
    }
}
