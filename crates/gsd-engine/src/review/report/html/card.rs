//! A finding as a card: what is claimed, the lines it cites, who says it, what to do.

use super::{inline, put, text};
use crate::review::record::{Cluster, Evidence, Record, Snippet, Verdict};
use crate::review::report::show;

/// Snippets of a card; further places are named only.
const MAX_SNIPPETS: usize = 3;

pub(super) fn render(record: &Record, number: usize, cluster: &Cluster, page: &mut String) {
    let members = show::members(record, cluster);
    let Some(speaker) = members.first() else { return };
    let severity = cluster.severity.word();
    put(
        page,
        &format!(
            "<article id=\"f{number}\" class=\"{severity}\" data-severity=\"{severity}\" \
             data-verdict=\"{}\" data-lanes=\"{}\">\n<h3><span class=\"badge {severity}\">{}</span> {number}. {}</h3>\n",
            cluster.verdict.map_or("none", Verdict::word),
            text(&cluster.lanes.join(" ")),
            show::label(cluster),
            inline(&cluster.title),
        ),
    );
    let code = members.iter().find_map(|member| member.code.as_deref());
    put(
        page,
        &format!(
            "<p class=\"who\">{} · support {}{}</p>\n",
            text(&cluster.lanes.join(", ")),
            show::support(cluster),
            code.map_or(String::new(), |code| format!(" · <code>{}</code>", text(code))),
        ),
    );
    let evidence = show::evidence(&members);
    let with_snippet: Vec<(&Evidence, &Snippet)> = evidence
        .iter()
        .filter_map(|e| Some((*e, e.snippet.as_ref()?)))
        .take(MAX_SNIPPETS)
        .collect();
    // A place with its lines below need not be named twice.
    let named: Vec<String> = evidence
        .iter()
        .filter(|e| !with_snippet.iter().any(|(shown, _)| std::ptr::eq(*shown, **e)))
        .map(|e| place(e))
        .collect();
    if evidence.is_empty() {
        put(page, &format!("<p class=\"where\">{}</p>\n", show::verdict(None)));
    } else if !named.is_empty() {
        put(page, &format!("<p class=\"where\">{}</p>\n", named.join("<br>")));
    }
    if speaker.claim != cluster.title {
        for paragraph in speaker.claim.split("\n\n") {
            put(page, &format!("<p>{}</p>\n", inline(paragraph.trim())));
        }
    }
    for (evidence, snippet) in with_snippet {
        figure(evidence, snippet, page);
    }
    if let Some(suggestion) = members.iter().find_map(|member| member.suggestion.as_deref()) {
        put(page, &format!("<p class=\"do\"><strong>Do:</strong> {}</p>\n", inline(suggestion)));
    }
    let others: Vec<_> =
        members.iter().skip(1).filter(|member| member.title != cluster.title).collect();
    if !others.is_empty() {
        page.push_str("<ul>\n");
        for member in others {
            put(
                page,
                &format!(
                    "<li>{} ({}): {}</li>\n",
                    text(&member.lane),
                    member.severity.word(),
                    inline(&member.title)
                ),
            );
        }
        page.push_str("</ul>\n");
    }
    page.push_str("</article>\n");
}

fn place(evidence: &Evidence) -> String {
    format!(
        "{} · <code>{}</code>",
        show::verdict(Some(evidence.verdict)),
        text(&show::place(&evidence.path, evidence))
    )
}

fn figure(evidence: &Evidence, snippet: &Snippet, page: &mut String) {
    put(page, &format!("<figure><figcaption>{}</figcaption><pre>", place(evidence)));
    let first = show::line(evidence).unwrap_or(0);
    let last = match (evidence.resolved_line, evidence.end_line) {
        (None, Some(end)) => end,
        (Some(_), _) | (None, None) => first,
    };
    for (number, line) in (snippet.first_line..).zip(&snippet.lines) {
        let cited = if (first..=last).contains(&number) { " cited" } else { "" };
        put(
            page,
            &format!(
                "<span class=\"row{cited}\"><span class=\"no\">{number}</span>{}</span>",
                text(&line.replace('\n', " "))
            ),
        );
    }
    page.push_str("</pre></figure>\n");
}
