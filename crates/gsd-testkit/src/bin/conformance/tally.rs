//! What was compared, what was left out, and what differs.

use crate::page::{Divergence, Page};
use std::collections::BTreeMap;

/// Classes without a rule may hold this many differences in all.
const MAX_WITHOUT_RULE: usize = 20;

/// Unlisted differences beyond these are counted, not printed.
const MAX_SHOWN: usize = 60;

/// Whether everything was compared, so that counts can be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    Whole,
    InPart,
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Rows that were compared, by what they are.
    compared: BTreeMap<String, usize>,
    /// Rows that were left out, by the reason.
    left_out: BTreeMap<String, usize>,
    /// One line each, in a form that the page's patterns match.
    differences: Vec<String>,
}

impl Tally {
    pub(crate) fn compared(&mut self, what: &str) {
        *self.compared.entry(what.to_owned()).or_default() += 1;
    }

    pub(crate) fn left_out(&mut self, why: &str) {
        *self.left_out.entry(why.to_owned()).or_default() += 1;
    }

    pub(crate) fn differs(&mut self, line: String) {
        self.differences.push(line);
    }

    /// Prints everything; true if every difference is listed and every count is right.
    pub(crate) fn judge(&self, page: &Page, counted: Counted, all: bool) -> bool {
        let table = |title: &str, counts: &BTreeMap<String, usize>| {
            println!("{title}");
            for (what, count) in counts {
                println!("{count:>7}  {what}");
            }
            println!("{:>7}  in all\n", counts.values().sum::<usize>());
        };
        table("rows compared", &self.compared);
        table("rows left out", &self.left_out);

        let mut found = vec![0; page.divergences.len()];
        let mut unlisted = vec![];
        for line in &self.differences {
            match page.divergences.iter().position(|entry| entry.pattern.is_match(line)) {
                Some(at) => {
                    found[at] += 1;
                    if all {
                        println!("[{}] {line}", page.divergences[at].id);
                    }
                }
                None => unlisted.push(line),
            }
        }
        println!("differences that are listed");
        for (entry, found) in page.divergences.iter().zip(&found) {
            println!("{found:>7}  {} ({})", entry.id, entry.rule.as_deref().unwrap_or("no rule"));
        }
        println!("{:>7}  in all\n", found.iter().sum::<usize>());
        let counts = match counted {
            Counted::Whole => wrong_counts(&page.divergences, &found),
            Counted::InPart => vec![],
        };

        let without_rule: usize = page
            .divergences
            .iter()
            .zip(&found)
            .filter(|(e, _)| e.rule.is_none())
            .map(|(_, n)| n)
            .sum();

        for line in &counts {
            println!("wrong: {line}");
        }
        if without_rule > MAX_WITHOUT_RULE {
            println!(
                "wrong: entries without a rule hold {without_rule} differences, at most \
                 {MAX_WITHOUT_RULE} may be"
            );
        }
        for line in unlisted.iter().take(if all { usize::MAX } else { MAX_SHOWN }) {
            println!("unlisted: {line}");
        }
        println!("{} differences are not listed", unlisted.len());
        unlisted.is_empty() && counts.is_empty() && without_rule <= MAX_WITHOUT_RULE
    }
}

fn wrong_counts(entries: &[Divergence], found: &[usize]) -> Vec<String> {
    let wrong = |(entry, found): (&Divergence, &usize)| {
        (entry.count != *found).then(|| format!("{} says {}, found {found}", entry.id, entry.count))
    };
    entries.iter().zip(found).filter_map(wrong).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::page;

    fn tally(lines: &[&str]) -> Tally {
        let mut tally = Tally::default();
        for line in lines {
            tally.differs((*line).to_owned());
        }
        tally
    }

    #[test]
    fn every_difference_is_listed_and_every_count_is_right() {
        let page = page(&[("a", "R-1", "^a", 2), ("b", "R-2", "b", 1)]);
        assert!(tally(&["a one", "a b two", "three b"]).judge(&page, Counted::Whole, false));
        assert!(
            !tally(&["a one", "a two", "b", "c"]).judge(&page, Counted::Whole, false),
            "one is not listed"
        );
        assert!(
            !tally(&["a one", "b"]).judge(&page, Counted::Whole, false),
            "an entry says more than there is"
        );
        assert!(
            !tally(&["a", "a", "a", "b"]).judge(&page, Counted::Whole, false),
            "an entry says less"
        );
    }

    #[test]
    fn little_may_be_without_a_rule() {
        let few = vec!["a"; 20];
        assert!(tally(&few).judge(&page(&[("a", "none", "^a", 20)]), Counted::Whole, false));
        let more = vec!["a"; 21];
        assert!(!tally(&more).judge(&page(&[("a", "none", "^a", 21)]), Counted::Whole, false));
        assert!(tally(&more).judge(&page(&[("a", "R-1", "^a", 21)]), Counted::Whole, false));
    }
}
