//! One page of its own: what happened, who says what, and each finding with the lines it cites.
//!
//! It makes no request to anywhere, and its policy forbids any: style and script are inline and
//! allowed by their digests. Text of a reviewer is escaped at the one place where it enters the
//! page, [`text`]; it is never part of a tag, an address or a script.

mod card;

use super::show;
use crate::review::clusters;
use crate::review::record::{Cluster, Kind, Lane, Record, Severity, Verdict};
use crate::text::is_deceptive;
use sha2::{Digest, Sha256};
use std::fmt::Write;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// What is shown of the text of a lane; the record has all of it.
const MAX_LANE_TEXT: usize = 64 << 10;

pub(super) fn render(record: &Record) -> String {
    let title = text(&format!("Review of {}", show::phase(record)));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"gsd\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
        base64(&Sha256::digest(STYLE.as_bytes())),
        base64(&Sha256::digest(SCRIPT.as_bytes())),
    );
    let listed: Vec<(usize, &Cluster)> = (1..)
        .zip(record.clusters.iter().filter(|cluster| cluster.kind != Kind::Strength))
        .collect();
    put(&mut page, &format!("<p class=\"lead\">{}</p>\n", lead(record)));
    lanes(record, &mut page);
    matrix(record, &listed, &mut page);
    page.push_str("<h2>Findings</h2>\n");
    filters(record, &listed, &mut page);
    if listed.is_empty() {
        page.push_str(&format!("<p>{}</p>\n", show::no_findings(record)));
    }
    for (number, cluster) in &listed {
        card::render(record, *number, cluster, &mut page);
    }
    strengths(record, &mut page);
    open_points(record, &mut page);
    texts(record, &mut page);
    put(
        &mut page,
        &format!(
            "<footer>{} {} · run {} · {}</footer>\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
            text(&record.tool.name),
            text(&record.tool.version),
            text(&record.run.id),
            text(&record.run.finished_at),
        ),
    );
    page
}

fn put(page: &mut String, part: &str) {
    page.push_str(part);
}

/// Text from anywhere, for element content and for quoted attributes.
pub(super) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if is_deceptive(c) => {}
            c => out.push(c),
        }
    }
    out
}

fn lead(record: &Record) -> String {
    let mut line = format!("{} · {}", show::states(record), show::duration(record.run.elapsed_ms));
    if let Some(unreadable) = show::unreadable_plans(record) {
        line.insert_str(0, &format!("{unreadable} · "));
    }
    if let Some(commit) = &record.commit {
        let short: String = commit.id.chars().take(12).collect();
        // Writing to a String cannot fail.
        let _ = write!(line, " · commit {short}");
        if commit.dirty {
            line.push_str(" and uncommitted changes");
        }
    }
    let _ = write!(line, " · {}", record.run.finished_at);
    if record.run.interrupted {
        line.push_str(" · interrupted");
    }
    text(&line)
}

fn lanes(record: &Record, page: &mut String) {
    page.push_str(
        "<div class=\"scroll\"><table class=\"lanes\">\n<tr><th>lane</th><th>state</th><th>read</th>\
         <th>findings</th><th>time</th></tr>\n",
    );
    let end = |lane: &Lane| lane.timing.start_ms.saturating_add(lane.timing.elapsed_ms);
    let total = record.lanes.iter().map(end).chain([record.run.elapsed_ms, 1]).max().unwrap_or(1);
    for lane in record.lanes.iter().filter(|lane| !record.is_bystander(lane)) {
        let class = match (lane.state.counts(), lane.reason) {
            (true, None) => "state",
            (true, Some(_)) => "state part",
            (false, _) => "state no",
        };
        let said = if lane.state.counts() {
            show::findings(record, lane)
        } else {
            let said = [lane.message.as_deref(), lane.remedy.as_deref()];
            said.into_iter().flatten().collect::<Vec<_>>().join(": ")
        };
        let time = if lane.state.ran() {
            format!("{}{}", show::duration(lane.timing.elapsed_ms), bar(lane, total))
        } else {
            "–".to_owned()
        };
        put(
            page,
            &format!(
                "<tr><td>{}</td><td><span class=\"{class}\">{}</span></td><td class=\"number\">{}</td>\
                 <td>{}</td><td class=\"time number\">{time}</td></tr>\n",
                text(&label(lane)),
                text(&show::state(lane)),
                text(&show::read(lane)),
                inline(&said),
            ),
        );
    }
    page.push_str("</table></div>\n");
    if let Some(absent) = show::not_here(record) {
        put(page, &format!("<p class=\"lead\">{}</p>\n", inline(&absent)));
    }
}

fn label(lane: &Lane) -> String {
    if lane.identity == lane.slug {
        lane.heading.clone()
    } else {
        format!("{} ({})", lane.heading, lane.identity)
    }
}

/// A lane's time on the line of the whole run, in thousandths.
fn bar(lane: &Lane, total: u64) -> String {
    let of_total = |ms: u64| (u128::from(ms.min(total)) * 1000 / u128::from(total)) as u64;
    let start = of_total(lane.timing.start_ms).min(990);
    let width = of_total(lane.timing.elapsed_ms).clamp(6, 1000 - start);
    let class = if lane.state.counts() { "ran" } else { "failed" };
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"from {} to {}\"><rect class=\"track\" width=\"1000\" height=\"10\"/>\
         <rect class=\"{class}\" x=\"{start}\" width=\"{width}\" height=\"10\"/></svg>",
        show::duration(lane.timing.start_ms),
        show::duration(lane.timing.start_ms.saturating_add(lane.timing.elapsed_ms)),
    )
}

/// Findings by lanes: filled where a lane says it in these words, hollow where its own words were
/// taken for the same.
fn matrix(record: &Record, listed: &[(usize, &Cluster)], page: &mut String) {
    let counting: Vec<&Lane> = record.lanes.iter().filter(|lane| lane.state.counts()).collect();
    if listed.is_empty() || counting.is_empty() {
        return;
    }
    page.push_str("<h2>Who says what</h2>\n<div class=\"scroll\"><table class=\"matrix\">\n<tr><th>finding</th>");
    for lane in &counting {
        put(page, &format!("<th class=\"lane\">{}</th>", text(&lane.identity)));
    }
    page.push_str("<th class=\"lane\">support</th></tr>\n");
    for (number, cluster) in listed {
        put(
            page,
            &format!(
                "<tr data-card=\"f{number}\"><td><span class=\"badge {0}\">{1}</span> \
                 <a href=\"#f{number}\">{number}. {2}</a></td>",
                cluster.severity.word(),
                show::label(cluster),
                inline(&cluster.title),
            ),
        );
        for lane in &counting {
            let own = record
                .findings
                .iter()
                .filter(|f| f.cluster == cluster.id && f.lane == lane.identity)
                .max_by_key(|f| cluster.findings.first() == Some(&f.id));
            let (mark, said) = match own {
                Some(f) if cluster.findings.first() == Some(&f.id) => {
                    ("●", format!("{} says it, {}", lane.identity, f.severity.word()))
                }
                Some(f) => (
                    "○",
                    format!(
                        "{} says the same in other words, {}",
                        lane.identity,
                        f.severity.word()
                    ),
                ),
                None => ("", String::new()),
            };
            put(
                page,
                &format!(
                    "<td class=\"says\"><span title=\"{0}\" aria-label=\"{0}\">{mark}</span></td>",
                    text(&said)
                ),
            );
        }
        put(page, &format!("<td class=\"says number\">{:.1}</td></tr>\n", cluster.support));
    }
    page.push_str(
        "</table></div>\n<p class=\"lead\">● says it · ○ says the same in other words</p>\n",
    );
}

/// Boxes for what can be chosen. Hidden until the script runs: without it they would do nothing.
fn filters(record: &Record, listed: &[(usize, &Cluster)], page: &mut String) {
    if listed.len() < 2 {
        return;
    }
    page.push_str("<div class=\"filters\" hidden>\n");
    let group = |name: &str, values: Vec<(String, String)>, page: &mut String| {
        put(page, &format!("<fieldset><legend>{name}</legend>"));
        for (value, shown) in values {
            put(
                page,
                &format!(
                    "<label><input type=\"checkbox\" name=\"{name}\" value=\"{}\" checked> {}</label>",
                    text(&value),
                    text(&shown)
                ),
            );
        }
        page.push_str("</fieldset>\n");
    };
    let pair = |word: &str| (word.to_owned(), word.to_owned());
    let severities = Severity::ALL
        .into_iter()
        .filter(|severity| listed.iter().any(|(_, c)| c.severity == *severity))
        .map(|severity| pair(severity.word()));
    group("severity", severities.collect(), page);
    let mut verdicts: Vec<(String, String)> = Verdict::ALL
        .into_iter()
        .filter(|verdict| listed.iter().any(|(_, c)| c.verdict == Some(*verdict)))
        .map(|verdict| pair(verdict.word()))
        .collect();
    if listed.iter().any(|(_, cluster)| cluster.verdict.is_none()) {
        verdicts.push(("none".to_owned(), "no citation".to_owned()));
    }
    group("verdict", verdicts, page);
    let lanes = record
        .lanes
        .iter()
        .filter(|lane| listed.iter().any(|(_, c)| c.lanes.contains(&lane.identity)))
        .map(|lane| pair(&lane.identity));
    group("lane", lanes.collect(), page);
    page.push_str("<output></output>\n</div>\n");
}

fn strengths(record: &Record, page: &mut String) {
    let list: Vec<&Cluster> =
        record.clusters.iter().filter(|cluster| cluster.kind == Kind::Strength).collect();
    if list.is_empty() {
        return;
    }
    page.push_str("<h2>Strengths</h2>\n<div class=\"open\"><ul>\n");
    for cluster in list {
        let agreed = if clusters::is_agreed(cluster, &record.lanes) { ", agreed" } else { "" };
        put(
            page,
            &format!(
                "<li>{} <span class=\"number\">({}{agreed})</span></li>\n",
                inline(&cluster.title),
                text(&cluster.lanes.join(", "))
            ),
        );
    }
    page.push_str("</ul></div>\n");
}

fn open_points(record: &Record, page: &mut String) {
    let list = show::not_covered(record);
    page.push_str("<h2>What was not covered</h2>\n<div class=\"open\">");
    if list.is_empty() {
        page.push_str("<p>Each lane speaks of each plan.</p>");
    } else {
        page.push_str("<ul>\n");
        for entry in list {
            put(page, &format!("<li>{}</li>\n", inline(&entry)));
        }
        page.push_str("</ul>");
    }
    page.push_str("</div>\n");
}

fn texts(record: &Record, page: &mut String) {
    let with_text = record.lanes.iter().filter(|lane| lane.state.counts() && !lane.text.is_empty());
    let mut begun = false;
    for lane in with_text {
        if !begun {
            page.push_str("<h2 class=\"screen\">The reviews</h2>\n");
            begun = true;
        }
        let shown: String = lane.text.chars().take(MAX_LANE_TEXT).collect();
        let cut =
            if shown.len() < lane.text.len() { "\n[cut; the record has the rest]" } else { "" };
        put(
            page,
            &format!(
                "<details><summary>{} <span>{} · {}</span></summary><pre>{}{cut}</pre></details>\n",
                text(&label(lane)),
                text(&show::state(lane)),
                text(show::proof(lane.proof)),
                text(&shown),
            ),
        );
    }
}

/// A line of a reviewer, with what stands in backticks as code.
pub(super) fn inline(raw: &str) -> String {
    let parts: Vec<&str> = raw.split('`').collect();
    // An odd backtick opens nothing.
    let paired = if parts.len().is_multiple_of(2) { parts.len() - 1 } else { parts.len() };
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        if index >= paired {
            let _ = write!(out, "`{}", text(part));
        } else if index % 2 == 1 && !part.is_empty() {
            let _ = write!(out, "<code>{}</code>", text(part));
        } else {
            out.push_str(&text(part));
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for index in 0..4 {
            if index > chunk.len() {
                out.push('=');
            } else {
                let six = word >> (18 - 6 * index) & 63;
                out.push(char::from(ALPHABET[six as usize]));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_known_texts() {
        for (text, wanted) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(text.as_bytes()), wanted);
        }
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(inline("a `b<c>` & 'd' `e"), "a <code>b&lt;c&gt;</code> &amp; &#39;d&#39; `e");
        assert_eq!(text("x\u{202e}\u{1b}\"y"), "x&quot;y");
    }
}
