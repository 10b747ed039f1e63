//! What an answer repeats of its prompt, word for word.
//!
//! Programs print their input back, whole or in part, and it is full of lists, severities and
//! names of plans: read as an answer it would be a review. Long runs are left out before anything
//! is judged; a quoted sentence stays.

use super::findings::blocks;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// An answer without what it repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnWords {
    /// A line in brackets stands for each run that was left out.
    pub(super) text: String,
    /// The lines that were left out.
    pub(super) repeated: usize,
}

/// So many words in a row stand in two texts only where one was copied from the other.
const WINDOW: usize = 12;
/// A run of fewer words is a quotation.
const LEAST: usize = 40;
/// The base of the rolling hash; any large odd number will do.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Leaves out of an answer what it repeats of the prompt. Whole lines only, so that nothing is left
/// out of a sentence.
pub(super) fn own_words(answer: &str, prompt: &str) -> OwnWords {
    let lines: Vec<&str> = answer.split_inclusive('\n').collect();
    let repeated = repeated_lines(&lines, answer, prompt);
    let mut own = OwnWords { text: String::with_capacity(answer.len()), repeated: 0 };
    let mut at = 0;
    while at < lines.len() {
        if !repeated[at] {
            own.text.push_str(lines[at]);
            at += 1;
            continue;
        }
        let mut end = at + 1;
        // Fences and rules between two repeated lines were repeated as well.
        while let Some(more) = lines[end..].iter().position(|line| has_words(line))
            && repeated[end + more]
        {
            end += more + 1;
        }
        own.repeated += end - at;
        own.text.push_str(&format!("{MARK}{} left out here]\n", count(end - at)));
        at = end;
    }
    own
}

const MARK: &str = "[a repetition of the prompt, ";

/// Whether a line stands for something that was left out.
pub(super) fn is_mark(line: &str) -> bool {
    line.starts_with(MARK)
}

fn count(lines: usize) -> String {
    if lines == 1 { "1 line,".to_owned() } else { format!("{lines} lines,") }
}

fn repeated_lines(lines: &[&str], answer: &str, prompt: &str) -> Vec<bool> {
    let mut words: Vec<(u64, usize)> = vec![];
    for (number, line) in lines.iter().enumerate() {
        words.extend(hashes(line).map(|hash| (hash, number)));
    }
    let known: HashSet<u64> = windows(hashes(prompt)).collect();
    let mut copied = vec![false; words.len()];
    for (start, window) in windows(words.iter().map(|(hash, _)| *hash)).enumerate() {
        if known.contains(&window) {
            copied[start..start + WINDOW].fill(true);
        }
    }
    drop_short_runs(&mut copied);
    let mut whole: Vec<(bool, bool)> = vec![(false, true); lines.len()];
    for ((_, line), copied) in words.iter().zip(&copied) {
        let (has_words, all) = &mut whole[*line];
        *has_words = true;
        *all &= copied;
    }
    let mut repeated: Vec<bool> = whole.into_iter().map(|(words, all)| words && all).collect();
    keep_blocks(&mut repeated, lines, answer);
    repeated
}

fn drop_short_runs(copied: &mut [bool]) {
    for run in copied.chunk_by_mut(|a, b| a == b) {
        if run.len() < LEAST {
            run.fill(false);
        }
    }
}

/// A block of findings quotes the plans; it is left out whole or not at all.
fn keep_blocks(repeated: &mut [bool], lines: &[&str], answer: &str) {
    let mut starts = vec![0];
    for line in lines {
        starts.push(starts[starts.len() - 1] + line.len());
    }
    let number = |offset: usize| starts.partition_point(|start| *start < offset);
    for block in blocks(answer) {
        let range: Range<usize> = number(block.range.start)..number(block.range.end);
        let own = range.clone().any(|n| !repeated[n] && has_words(lines[n]));
        if own {
            repeated[range].fill(false);
        }
    }
}

/// The words of a text; marks of lists, quotations and tables are none.
fn hashes(text: &str) -> impl Iterator<Item = u64> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut hasher = DefaultHasher::new();
            word.hash(&mut hasher);
            hasher.finish()
        })
}

fn has_words(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// A hash for each window of words, in time linear in the words.
fn windows(words: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    let leaving = (0..WINDOW).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let mut last = [0; WINDOW];
    let mut hash = 0u64;
    words.enumerate().filter_map(move |(index, word)| {
        let slot = &mut last[index % WINDOW];
        hash = hash.wrapping_mul(BASE).wrapping_add(word).wrapping_sub(leaving.wrapping_mul(*slot));
        *slot = word;
        (index + 1 >= WINDOW).then_some(hash)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prompt() -> String {
        let plan: String = (0..60).map(|n| format!("- step {n} edits file{n}.ts now\n")).collect();
        format!(
            "You review the plans.\n\n{plan}\n## Risks\n\n- HIGH: the queue of jobs loses all of \
             its entries when the process that holds it is stopped before they were written\n- \
             HIGH: another risk that the research of this phase has written down for its readers \
             and that no reviewer of the plans has said in any of their answers so far at all\n\n\
             ```gsd-findings\n[{{ \"kind\": \"concern\", \"title\": \"one line\" }}]\n```\nThe end of it.\n"
        )
    }

    #[test]
    fn an_echo_is_left_out_whole() {
        let prompt = prompt();
        for answer in [
            prompt.clone(),
            prompt.lines().map(|line| format!("> {line}\n")).collect(),
            prompt.replace('\n', "\n\n"),
        ] {
            let own = own_words(&answer, &prompt);
            let mut said = own.text.lines().filter(|line| has_words(line));
            assert!(said.all(is_mark), "{}", own.text);
            assert!(own.repeated > 60);
        }
    }

    #[test]
    fn what_is_said_besides_stays() {
        let prompt = prompt();
        let review = "## Review\n\n- HIGH: step 3 edits file3.ts now, which nobody reads\n";
        let own = own_words(&format!("{prompt}\n{review}"), &prompt);
        assert!(own.text.ends_with(review), "{}", own.text);
        assert!(!own.text.contains("another risk"));
        // Quotations of some words are no echo, and neither is a block that quotes many.
        let quote: String = (0..30).map(|n| format!("- step {n} edits file{n}.ts now ")).collect();
        for text in [
            "> - step 3 edits file3.ts now\n> - step 4 edits file4.ts now\n\nboth are wrong\n"
                .to_owned(),
            format!("```gsd-findings\n[{{\"title\": \"t\", \"quote\":\n\"{quote}\n\"}}]\n```\n"),
        ] {
            assert_eq!(own_words(&text, &prompt), OwnWords { text: text.clone(), repeated: 0 });
        }
        assert_eq!(own_words("fine", "").text, "fine");
    }

    proptest! {
        #[test]
        fn any_texts_are_compared(answer in any::<String>(), prompt in any::<String>()) {
            let own = own_words(&answer, &prompt);
            prop_assert!(own.repeated > 0 || own.text == answer);
        }
    }
}
