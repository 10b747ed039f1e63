//! The page of divergences: Markdown for people, with one fenced block of `key = value` lines for
//! each entry.

use camino::Utf8Path;
use regex_lite::Regex;

#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) divergences: Vec<Divergence>,
}

/// One intended difference.
#[derive(Debug)]
pub(crate) struct Divergence {
    pub(crate) id: String,
    /// The rule of the specification behind it; `None` is written as `none`.
    pub(crate) rule: Option<String>,
    /// Matches the lines of the differences that it explains; the first entry that matches counts.
    pub(crate) pattern: Regex,
    pub(crate) count: usize,
}

const FENCE: &str = "```toml";

pub(crate) fn read(path: &Utf8Path) -> Result<Page, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("`{path}`: {error}"))?;
    parse(&text).map_err(|error| format!("`{path}` {error}"))
}

fn parse(text: &str) -> Result<Page, String> {
    let mut page = Page::default();
    let mut block: Option<Vec<&str>> = None;
    for (index, line) in text.lines().enumerate() {
        let wrong = |what: &str| format!("line {}: {what}", index + 1);
        match &mut block {
            None if line.trim() == FENCE => block = Some(vec![]),
            None => {}
            Some(lines) if line.trim() == "```" => {
                let entry = entry(lines).map_err(|what| wrong(&what))?;
                let list = &mut page.divergences;
                if list.iter().any(|earlier| earlier.id == entry.id) {
                    return Err(wrong(&format!("`{}` is listed twice", entry.id)));
                }
                list.push(entry);
                block = None;
            }
            Some(lines) => lines.push(line),
        }
    }
    match block {
        Some(_) => Err("the last block does not end".to_owned()),
        None => Ok(page),
    }
}

/// A literal string of TOML without its quotes, or a number as it is.
fn bare(value: &str) -> &str {
    for quote in ['\'', '"'] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    value
}

fn entry(lines: &[&str]) -> Result<Divergence, String> {
    if lines.first().map(|line| line.trim()) != Some("[[divergence]]") {
        return Err("the block does not begin with `[[divergence]]`".into());
    }
    let get = |key: &str| {
        let pairs = lines.iter().filter_map(|line| line.split_once(" = "));
        let mut found = pairs.filter(|(name, _)| name.trim() == key);
        let value = found.next().map(|(_, value)| bare(value.trim()));
        value.ok_or_else(|| format!("the block lacks `{key} = …`"))
    };
    let rule = get("rule")?;
    let pattern = Regex::new(get("pattern")?);
    Ok(Divergence {
        id: get("id")?.to_owned(),
        rule: (rule != "none").then(|| rule.to_owned()),
        pattern: pattern.map_err(|error| format!("the pattern is wrong: {error}"))?,
        count: get("count")?.parse().map_err(|_| "the count is no number".to_owned())?,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn page(entries: &[(&str, &str, &str, usize)]) -> Page {
        let mut text = String::from("# Divergences\n\n");
        for (id, rule, pattern, count) in entries {
            text.push_str(&format!(
                "Why.\n\n```toml\n[[divergence]]\nid = \"{id}\"\nrule = \"{rule}\"\n\
                 pattern = '{pattern}'\ncount = {count}\n```\n"
            ));
        }
        parse(&text).expect("a page")
    }

    #[test]
    fn the_page_of_the_repository_can_be_read() {
        let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = read(&root.join("docs/reference/divergences.md")).expect("a page");
        assert!(!page.divergences.is_empty());
        for entry in &page.divergences {
            assert!(entry.count > 0, "{} explains nothing", entry.id);
        }
    }

    #[test]
    fn what_is_wrong_with_a_block_is_said_with_its_line() {
        let block = "```toml\n[[divergence]]\nid = \"a\"\nrule = \"none\"\ncount = 1\n```\n";
        assert_eq!(parse(block).unwrap_err(), "line 6: the block lacks `pattern = …`");
        let whole = block.replace("count", "pattern = '^a$'\ncount");
        let page = parse(&whole).expect("a page");
        assert!(page.divergences[0].rule.is_none());
        let twice = parse(&format!("{whole}{whole}")).unwrap_err();
        assert_eq!(twice, "line 14: `a` is listed twice");
        assert!(parse(&whole.replace("```\n", "")).is_err(), "it does not end");
        assert!(parse(&whole.replace("^a$", "(")).is_err(), "the pattern is none");
        // Other blocks are for people.
        assert!(parse("```sh\nls\n```\n").expect("a page").divergences.is_empty());
    }
}
