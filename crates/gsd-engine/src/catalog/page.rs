//! The page for readers. The same list gives the same bytes, in whatever order its entries stand.

use super::{Entry, LIST};
use std::fmt::Write;

/// The page as Markdown.
pub fn page(entries: &[Entry]) -> String {
    let mut entries: Vec<&Entry> = entries.iter().collect();
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    let mut out = format!(
        "<!-- Written by `gsd lanes-catalog render --write` from {LIST}. Do not edit. -->\n\n\
         # Reviewer lanes\n\n\
         Lanes that their authors listed here. To be listed is no endorsement: nobody looked at the\n\
         code. `gsd capability install` shows what a lane runs and sends before it is installed.\n\n"
    );
    if entries.is_empty() {
        out.push_str("_No lane is listed yet._\n");
        return out;
    }
    out.push_str("| Lane | Flags | Kind | Evidence | Licence |\n| --- | --- | --- | --- | --- |\n");
    for entry in &entries {
        // A `String` takes every write.
        let _ = writeln!(
            out,
            "| [{}](#{}) | {} | {} | {} | {} |",
            plain(&entry.name),
            entry.id,
            codes(&entry.flags),
            entry.transport,
            entry.evidence_class,
            plain(&entry.license),
        );
    }
    for entry in entries {
        section(entry, &mut out);
    }
    out
}

fn section(entry: &Entry, out: &mut String) {
    let _ = write!(
        out,
        "\n<a id=\"{id}\"></a>\n\n## {name}\n\n\
         {description}\n\n\
         - Repository: [{repo_text}](https://github.com/{repo})\n\
         - Author: {author}\n\
         - Licence: {license}\n\
         - Hosts: {engines}\n\
         - Lane: `{slug}`, {transport}, {evidence}, under the heading “{heading}”\n\
         - Flags: {flags}\n\
         - Programs: {binaries}\n\
         - Settings: {keys}\n\
         - Runtimes: {runtimes}\n\
         - Discussion: <{discussion}>\n\n\
         Install:\n\n{install}\n\
         Uninstall:\n\n{uninstall}",
        id = entry.id,
        name = plain(&entry.name),
        description = plain(&entry.description),
        repo_text = plain(&entry.repo),
        repo = entry.repo,
        author = plain(&entry.author),
        license = plain(&entry.license),
        engines = plain(&entry.engines_gsd),
        slug = entry.slug,
        transport = entry.transport,
        evidence = entry.evidence_class,
        heading = plain(&entry.reviews_section),
        flags = codes(&entry.flags),
        binaries = list(&entry.requires_binaries),
        keys = list(&entry.config_keys),
        runtimes = list(&entry.runtime_compat),
        discussion = entry.discussion,
        install = fenced(&entry.install),
        uninstall = fenced(&entry.uninstall),
    );
}

/// A text of an author on one line, in which no character means anything.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Names of a grammar without back-ticks.
fn codes(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn list(texts: &[String]) -> String {
    if texts.is_empty() {
        return "none".to_owned();
    }
    texts.iter().map(|text| plain(text)).collect::<Vec<_>>().join(", ")
}

/// A block of code whose fence no line of it can close.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}sh\n{}\n{fence}\n", text.trim_end_matches('\n'))
}
