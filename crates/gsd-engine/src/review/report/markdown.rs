//! `NN-REVIEWS.md`: for people, and for the programs that read it today.
//!
//! Invariants: the headings of level one to three are ours alone, whatever the lanes wrote; what
//! gsd wrote stands between two marks, so that a later run can tell it from what people added.

mod findings;
mod front;

pub(super) use front::KEYS;

use super::inert::{self, cell, inline};
use super::links::Links;
use super::{existing, show, stub};
use crate::review::findings::blocks;
use crate::review::record::{Finding, FindingsSource, Kind, Lane, Record};

pub(super) fn render(record: &Record) -> String {
    let region = region(record);
    let mut out = front::matter(record);
    out.push('\n');
    out.push_str(&existing::mark(&region));
    if !record.kept.body.trim().is_empty() {
        out.push('\n');
        out.push_str(&record.kept.body);
        if !record.kept.body.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// All that is ours below the frontmatter.
pub(super) fn region(record: &Record) -> String {
    let links = Links { folder: &record.phase.directory };
    let mut out = Section::default();
    out.add(&format!("# Review of {}", inline(&show::phase(record), &links)));
    out.add(&headline(record));
    out.add(&table(record, &links));
    if let Some(absent) = show::not_here(record) {
        out.add(&inline(&absent, &links));
    }
    if let Some(note) = shared_adapters(record) {
        out.add(&note);
    }
    findings::sections(record, &links, &mut out);
    for lane in record.lanes.iter().filter(|lane| !record.is_bystander(lane)) {
        out.add(&format!("## {}", title(lane, &links)));
        out.add(&section(record, lane, &links));
    }
    previous(record, &mut out);
    out.text
}

/// Blocks of Markdown with a blank line between each two.
#[derive(Default)]
pub(super) struct Section {
    text: String,
}

impl Section {
    pub(super) fn add(&mut self, block: &str) {
        let block = block.trim_end_matches('\n');
        if block.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(block);
        self.text.push('\n');
    }
}

fn headline(record: &Record) -> String {
    let mut line = format!("{} · {}", show::states(record), show::duration(record.run.elapsed_ms));
    if let Some(unreadable) = show::unreadable_plans(record) {
        line.insert_str(0, &format!("**{unreadable}** · "));
    }
    if let Some(commit) = &record.commit {
        let short: String = commit.id.chars().take(12).collect();
        line.push_str(&format!(" · at commit {}", inert::code(&short)));
        if commit.dirty {
            line.push_str(" and uncommitted changes");
        }
    }
    if record.run.interrupted {
        line.push_str(" · interrupted");
    }
    line
}

fn table(record: &Record, links: &Links<'_>) -> String {
    let mut out = String::from(
        "| lane | state | read | findings | time |\n| --- | --- | --- | --- | --- |\n",
    );
    for lane in record.lanes.iter().filter(|lane| !record.is_bystander(lane)) {
        // For a lane that gave nothing, what to do about it is worth more than a dash.
        let findings = if lane.state.counts() {
            show::findings(record, lane)
        } else {
            let said = [lane.message.as_deref(), lane.remedy.as_deref()];
            let said: Vec<&str> = said.into_iter().flatten().collect();
            if said.is_empty() { "–".to_owned() } else { said.join(": ") }
        };
        let time =
            if lane.state.ran() { show::duration(lane.timing.elapsed_ms) } else { "–".into() };
        out.push_str(&format!(
            "| {} | {} | {} | {} | {time} |\n",
            cell(&name(lane), links),
            show::state(lane),
            show::read(lane),
            cell(&findings, links),
        ));
    }
    out
}

/// The heading of a lane, with the name of the instance if it is one.
fn name(lane: &Lane) -> String {
    if lane.identity == lane.slug {
        lane.heading.clone()
    } else {
        format!("{} ({})", lane.heading, lane.identity)
    }
}

/// `Codex Review`, `Codex Review (codex-deep)`.
fn title(lane: &Lane, links: &Links<'_>) -> String {
    let heading = inline(&lane.heading, links);
    if lane.identity == lane.slug {
        format!("{heading} Review")
    } else {
        format!("{heading} Review ({})", inline(&lane.identity, links))
    }
}

/// Two instances of one adapter look like two opinions.
fn shared_adapters(record: &Record) -> Option<String> {
    let counting = || record.lanes.iter().filter(|lane| lane.state.counts());
    let mut shared: Vec<&str> = counting()
        .map(|lane| lane.slug.as_str())
        .filter(|slug| counting().filter(|lane| lane.slug == *slug).count() > 1)
        .collect();
    shared.sort_unstable();
    shared.dedup();
    (!shared.is_empty()).then(|| {
        let names: Vec<String> = shared.iter().map(|slug| inert::code(slug)).collect();
        format!(
            "> Several lanes run {}: what they share is one opinion, not several.",
            names.join(", ")
        )
    })
}

fn section(record: &Record, lane: &Lane, links: &Links<'_>) -> String {
    if !lane.state.counts() {
        return stub::section(lane, links);
    }
    let mut out = Section::default();
    out.add(&provenance(lane, links));
    for warning in &lane.warnings {
        out.add(&format!("> {}", inline(warning, links)));
    }
    let mut rest_from = 0;
    let mut text = String::new();
    for block in blocks(&lane.text) {
        if let Some(count) = block.count_if_whole()
            && lane.findings_source == FindingsSource::Block
        {
            text.push_str(&lane.text[rest_from..block.range.start]);
            text.push_str(&format!(
                "\n({} in a `gsd-findings` block: see Findings.)\n",
                show::plural(count, "finding")
            ));
            rest_from = block.range.end;
        }
    }
    text.push_str(&lane.text[rest_from..]);
    out.add(&inert::block(&text, links));
    if rest_from > 0 {
        out.add(&strengths(record, lane, links));
    }
    out.text
}

/// The strengths of a lane whose block is not repeated: they stand nowhere else.
fn strengths(record: &Record, lane: &Lane, links: &Links<'_>) -> String {
    let own = |f: &&Finding| f.lane == lane.identity && f.kind == Kind::Strength;
    let list: Vec<String> = record
        .findings
        .iter()
        .filter(own)
        .map(|finding| format!("- {}", inline(&finding.title, links)))
        .collect();
    if list.is_empty() {
        String::new()
    } else {
        format!("Strengths it names:\n\n{}", list.join("\n"))
    }
}

/// One line that says where a review comes from.
fn provenance(lane: &Lane, links: &Links<'_>) -> String {
    let mut parts = vec![show::state(lane), show::proof(lane.proof).to_owned()];
    let (covered, missing) = (&lane.coverage.covered, &lane.coverage.missing);
    if !missing.is_empty() && !covered.is_empty() {
        let names: Vec<String> = missing.iter().map(|id| inline(id, links)).collect();
        parts.push(format!(
            "coverage: {}/{} (missing {})",
            covered.len(),
            covered.len() + missing.len(),
            names.join(", ")
        ));
    }
    if let Some(message) = &lane.message {
        parts.push(inline(message, links));
    }
    match (&lane.model_requested, &lane.model_served) {
        (Some(asked), Some(served)) if asked != served => {
            parts.push(format!("model {}, served by {}", inert::code(asked), inert::code(served)))
        }
        (_, Some(model)) | (Some(model), None) => {
            parts.push(format!("model {}", inert::code(model)));
        }
        (None, None) => {}
    }
    if let Some(destination) = &lane.destination {
        parts.push(format!("sent to {}", inert::code(destination)));
    }
    parts.push(format!("confinement {}", lane.confinement));
    parts.push(show::duration(lane.timing.elapsed_ms));
    parts.push(match lane.findings_source {
        FindingsSource::Block => "findings from its block".to_owned(),
        FindingsSource::Prose => "findings read from its prose".to_owned(),
        FindingsSource::None => "[no findings structure]".to_owned(),
    });
    if let Some(digest) = &lane.prompt_sha256 {
        let short: String = digest.chars().take(12).collect();
        parts.push(format!("prompt sha256 {}", inert::code(&short)));
    }
    format!("*{}*", parts.join(" · "))
}

fn previous(record: &Record, out: &mut Section) {
    let foreign = !record.kept.body.trim().is_empty();
    if record.history.is_empty() && !foreign {
        return;
    }
    out.add("## Previous cycles");
    if !record.history.is_empty() {
        let links = Links { folder: &record.phase.directory };
        let mut table = String::from(
            "| run | lanes | high | medium | low |\n| --- | --- | --- | --- | --- |\n",
        );
        for earlier in &record.history {
            let [high, medium, low] = findings::counts(earlier);
            table.push_str(&format!(
                "| {} | {} | {high} | {medium} | {low} |\n",
                cell(&earlier.run.finished_at, &links),
                cell(&show::states(earlier), &links),
            ));
        }
        out.add(&table);
    }
    if foreign {
        out.add("What follows was in this file before and was not written by this tool.");
    }
}
