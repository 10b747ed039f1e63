//! What plan-lint says as a lane: Markdown with a block of findings, and the digest of each plan
//! that was read, which is its read proof.

use crate::diag::{Diagnostic, Level, Location};
use crate::planning::{Phase, Plan};
use crate::text::{is_deceptive, secrets};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A quote is enough to find the place again.
const MAX_QUOTE: usize = 200;

/// Findings of one code that a review lists. A phase of hundreds of plans that all have the same
/// fault must still fit into what is taken from a lane.
const MAX_OF_A_CODE: usize = 100;

/// Renders the diagnostics of a phase as a review that names every plan. Of each code it lists the
/// gravest, and says how many more there are.
pub fn review_text(phase: &Phase, diagnostics: &[Diagnostic]) -> String {
    let (diagnostics, more) = listed(diagnostics);
    let mut out = String::new();
    for plan in &phase.plans {
        let own: Vec<&Diagnostic> =
            diagnostics.iter().copied().filter(|d| is_about(d, plan)).collect();
        section(&mut out, plan.document.path.file_name(), &own, plan.is_superseded());
    }
    let others: Vec<&Diagnostic> = diagnostics
        .iter()
        .copied()
        .filter(|diagnostic| !phase.plans.iter().any(|plan| is_about(diagnostic, plan)))
        .collect();
    if !others.is_empty() {
        section(&mut out, "Requirements and decisions", &others, false);
    }
    for (code, count) in more {
        let _ =
            writeln!(out, "{count} more of `{code}` are not listed; `gsd plan-lint` has all.\n");
    }
    let findings: Vec<Value> = diagnostics.iter().map(|d| finding(phase, d)).collect();
    let block = serde_json::to_string_pretty(&findings).expect("values of our own are JSON");
    // A backtick cannot stand at the beginning of a line of JSON, so the fence holds.
    let _ = writeln!(out, "```gsd-findings\n{block}\n```\n");
    for plan in &phase.plans {
        let _ = writeln!(out, "plan {} sha256:{}", plan.document.path, plan.document.sha256);
    }
    // The places are masked already; this is the last door.
    secrets::redact(&out, &[]).0
}

/// The diagnostics to list, in their order, and how many of which code are left out.
fn listed(all: &[Diagnostic]) -> (Vec<&Diagnostic>, BTreeMap<&'static str, usize>) {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(all[*index].level));
    let mut seen: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut kept: Vec<usize> = order
        .into_iter()
        .filter(|index| {
            let count = seen.entry(all[*index].rule.code).or_default();
            *count += 1;
            *count <= MAX_OF_A_CODE
        })
        .collect();
    kept.sort_unstable();
    seen.retain(|_, count| {
        *count = count.saturating_sub(MAX_OF_A_CODE);
        *count > 0
    });
    (kept.into_iter().map(|index| &all[index]).collect(), seen)
}

fn is_about(diagnostic: &Diagnostic, plan: &Plan) -> bool {
    diagnostic.at.file.name() == plan.file().name()
}

fn section(out: &mut String, heading: &str, diagnostics: &[&Diagnostic], superseded: bool) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "## {}\n", one_line(heading));
    if superseded {
        let _ = writeln!(out, "Superseded: not judged.\n");
        return;
    }
    if diagnostics.is_empty() {
        let _ = writeln!(out, "No check found a fault.\n");
        return;
    }
    let _ = writeln!(out, "### Concerns\n");
    for diagnostic in diagnostics {
        let _ = write!(
            out,
            "- **{}** {} (`{}:{}`",
            severity(diagnostic.level).to_ascii_uppercase(),
            one_line(&sentence(&diagnostic.message)),
            one_line(diagnostic.at.file.name()),
            diagnostic.at.line(),
        );
        for related in &diagnostic.related {
            let _ = write!(out, ", `{}:{}`", one_line(related.at.file.name()), related.at.line());
        }
        let _ = write!(out, ") `{}`", diagnostic.rule.code);
        if let Some(help) = &diagnostic.help {
            let _ = write!(out, "\n  {}.", one_line(&sentence(help)));
        }
        out.push('\n');
    }
    out.push('\n');
}

fn finding(phase: &Phase, diagnostic: &Diagnostic) -> Value {
    let plan = phase
        .plans
        .iter()
        .find(|plan| is_about(diagnostic, plan))
        .map(|plan| plan.document.path.file_name());
    let mut evidence = vec![evidence(&diagnostic.at)];
    evidence.extend(diagnostic.related.iter().map(|related| self::evidence(&related.at)));
    let mut finding = json!({
        "kind": "concern",
        "severity": severity(diagnostic.level),
        "plan": plan,
        "title": diagnostic.message,
        "claim": format!("{}: {}", sentence(diagnostic.rule.summary), diagnostic.message),
        "suggestion": diagnostic.help,
        "code": diagnostic.rule.code,
        "evidence": evidence,
    });
    if let Some(fields) = finding.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    finding
}

fn evidence(at: &Location) -> Value {
    let line = at.line();
    let quote: String =
        at.file.line(line).unwrap_or_default().trim().chars().take(MAX_QUOTE).collect();
    let mut evidence = json!({ "path": at.file.name(), "line": line });
    // A quote with a masked secret stands nowhere; what stands before the secret finds the place.
    let quote = quote.split("********").next().unwrap_or_default();
    // Characters that nobody sees are taken out of every report, and then it stands nowhere either.
    let quote = quote.split(is_deceptive).max_by_key(|part| part.len()).unwrap_or_default().trim();
    if !quote.is_empty() {
        evidence["quote"] = Value::String(quote.to_owned());
    }
    evidence
}

fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "high",
        Level::Warning => "medium",
        Level::Note => "low",
    }
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

fn one_line(text: &str) -> String {
    crate::text::printable(text, 400)
}
