//! The pattern of a key link cannot match.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::view::{PlanView, View};
use crate::lint::{Check, path};
use crate::planning::{KeyLink, Reading, Spanned};
use regex_lite::{Regex, RegexBuilder};

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/key-link-pattern",
    level: Level::Warning,
    summary: "the pattern of a key link cannot match",
    docs: include_str!("key_link_pattern.md"),
};

/// A pattern that compiles to more than this is not run.
const MAX_COMPILED: usize = 1 << 20;

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        // Salvaged lines keep escapes that YAML would have taken away.
        if plan.plan.frontmatter.reading != Reading::Yaml {
            continue;
        }
        let must_haves = plan.plan.frontmatter.must_haves.iter();
        for link in must_haves.flat_map(|must| &must.value.key_links) {
            let Some(pattern) = &link.value.pattern else { continue };
            match compile(&pattern.value) {
                Compiled::Broken => found.push(
                    RULE.at(plan.at(&pattern.span), "the pattern is no valid regular expression")
                        .help(advice(&pattern.value)),
                ),
                Compiled::Unclear => {}
                Compiled::Pattern(regex) => {
                    if let Some(diagnostic) = unmatched(view, plan, &link.value, pattern, &regex) {
                        found.push(diagnostic);
                    }
                }
            }
        }
    }
}

enum Compiled {
    Pattern(Regex),
    Broken,
    /// Another dialect, or too large to try.
    Unclear,
}

fn compile(pattern: &str) -> Compiled {
    // Constructs that other engines have and this one has not.
    let foreign = ["(?=", "(?!", "(?<=", "(?<!", "(?>", "\\1", "\\2", "\\k<", "\\p", "\\/"];
    if foreign.iter().any(|construct| pattern.contains(construct)) || pattern.len() > 500 {
        return Compiled::Unclear;
    }
    match RegexBuilder::new(pattern).size_limit(MAX_COMPILED).build() {
        Ok(regex) => Compiled::Pattern(regex),
        // A single unbalanced bracket is the fault that people make; the rest may be a dialect.
        Err(_) if is_unbalanced(pattern) => Compiled::Broken,
        Err(_) => Compiled::Unclear,
    }
}

/// Whether round or square brackets do not pair up, escapes and sets considered.
fn is_unbalanced(pattern: &str) -> bool {
    let (mut depth, mut set) = (0i64, false);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '[' if !set => set = true,
            ']' if set => set = false,
            '(' if !set => depth += 1,
            ')' if !set => {
                depth -= 1;
                if depth < 0 {
                    return true;
                }
            }
            _ => {}
        }
    }
    set || depth != 0
}

fn advice(pattern: &str) -> String {
    if pattern.contains("\\\\") {
        return "write one backslash, or two only between double quotes".to_owned();
    }
    "put a backslash before a bracket that is meant as such".to_owned()
}

fn unmatched(
    view: &View<'_>,
    plan: &PlanView<'_>,
    link: &KeyLink,
    pattern: &Spanned<String>,
    regex: &Regex,
) -> Option<Diagnostic> {
    let mut names = vec![];
    for end in [&link.from, &link.to] {
        let Some(path) = end.as_ref().and_then(|end| path::inside(&end.value)) else {
            // Something that is no file may be where the pattern stands.
            end.as_ref()?;
            return None;
        };
        // What a plan changes may match once it is done.
        if view.files.is_touched(&path) {
            return None;
        }
        let text = view.tree.text(&path).filter(|file| file.text().len() < 256 << 10)?;
        if regex.is_match(text.text()) {
            return None;
        }
        names.push(format!("`{path}`"));
    }
    Some(
        RULE.at(
            plan.at(&pattern.span),
            format!("the pattern is not in {}, and no plan changes them", names.join(" or ")),
        )
        .help("let a task make the link, or correct the pattern"),
    )
}
