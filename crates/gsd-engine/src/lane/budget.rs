//! Which parts of a text stay when it has to fit a budget of tokens.
//!
//! A text is a row of sections, and a section is a row of pieces: lines, or parts of long ones. All
//! pieces together have one order of importance, which does not depend on the budget, and what is
//! kept is always a beginning of that order. Therefore more budget never keeps less, of any section.
//! What a section is about is decided by who ranks its pieces; nothing here knows it.

use std::collections::BTreeMap;
use std::ops::{Add, AddAssign, Range, SubAssign};

/// What a text weighs. Unlike tokens, weights add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Weight {
    ascii: u64,
    /// Bytes of characters outside ASCII.
    other: u64,
}

impl Weight {
    pub fn of(text: &str) -> Self {
        let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
        Self { ascii, other: text.len() as u64 - ascii }
    }

    /// By the usual rule of thumb of four characters each; text outside ASCII counts a token for
    /// every two bytes, since tokenizers split it finer.
    pub const fn tokens(self) -> u64 {
        self.ascii.div_ceil(4) + self.other.div_ceil(2)
    }
}

impl Add for Weight {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { ascii: self.ascii + other.ascii, other: self.other + other.other }
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Weight {
    fn sub_assign(&mut self, other: Self) {
        self.ascii -= other.ascii;
        self.other -= other.other;
    }
}

/// A piece of a section and how soon it is given up: the highest stage first. Pieces of stage 0
/// are the least that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    pub range: Range<usize>,
    pub stage: u8,
}

/// A text that may lose pieces.
#[derive(Debug)]
pub struct Section<'a> {
    text: &'a str,
    /// What it costs beside its pieces, as soon as one of them is kept.
    frame: Weight,
    /// What it costs to say that nothing of it is kept.
    absence: Weight,
    /// In the order of the text.
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    range: Range<usize>,
    line: usize,
    stage: u8,
    /// How much of the section's stage is more important, in millionths: sections of one stage grow
    /// side by side.
    share: u64,
}

impl<'a> Section<'a> {
    /// A section with its pieces, the most important one of each stage first. They come from
    /// [`pieces`], each of them once.
    pub fn new(text: &'a str, frame: Weight, absence: Weight, ranked: Vec<Ranked>) -> Self {
        let mut totals: BTreeMap<u8, u64> = BTreeMap::new();
        for Ranked { range, stage } in &ranked {
            *totals.entry(*stage).or_default() += range.len() as u64;
        }
        let mut before: BTreeMap<u8, u64> = BTreeMap::new();
        let mut pieces: Vec<Piece> = ranked
            .into_iter()
            .map(|Ranked { range, stage }| {
                let sum = before.entry(stage).or_default();
                let share = *sum * 1_000_000 / totals[&stage].max(1);
                *sum += range.len() as u64;
                Piece { range, line: 0, stage, share }
            })
            .collect();
        pieces.sort_by_key(|piece| piece.range.start);
        let mut line = 1;
        for piece in &mut pieces {
            piece.line = line;
            line += usize::from(text[piece.range.clone()].ends_with('\n'));
        }
        Self { text, frame, absence, pieces }
    }

    fn weight(&self, piece: usize) -> Weight {
        Weight::of(&self.text[self.pieces[piece].range.clone()])
    }

    /// The line that stands where pieces are missing.
    fn mark(&self, gap: &Range<usize>) -> String {
        let (first, last) = (self.pieces[gap.start].line, self.pieces[gap.end - 1].line);
        let within_line =
            gap.start > 0 && !self.text[..self.pieces[gap.start].range.start].ends_with('\n');
        let end = if within_line { "\n" } else { "" };
        format!("{end}[left out: line {first} to line {last}]\n")
    }
}

/// No piece has more bytes, so that a text of one long line can be cut, too.
const MAX_PIECE: usize = 400;

/// A text as pieces: its lines, the long ones in parts. Never within a character, nor between the
/// two bytes that end a line.
pub fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = vec![];
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        while end - start > MAX_PIECE + 2 {
            let cut = text.floor_char_boundary(start + MAX_PIECE);
            // Between two words if there are any.
            let cut = text[start..cut].rfind(' ').map_or(cut, |space| start + space + 1);
            pieces.push(start..cut);
            start = cut;
        }
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// What is kept of each section.
#[derive(Debug, PartialEq, Eq)]
pub struct Fit {
    /// By section: the kept pieces, and the gaps between them, as texts in their order. Empty for a
    /// section of which nothing is kept.
    pub texts: Vec<String>,
    /// Bytes kept, by section.
    pub kept: Vec<usize>,
    /// Tokens of the whole, the fixed part included.
    pub tokens: u64,
}

/// Not even the least fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it needs {least} tokens at least")]
pub struct TooLarge {
    pub least: u64,
}

/// Keeps as much as fits `limit` tokens beside the fixed part.
pub fn fit(sections: &[Section<'_>], fixed: Weight, limit: u64) -> Result<Fit, TooLarge> {
    let mut order: Vec<(u8, u64, usize, usize)> = vec![];
    for (section, of) in sections.iter().enumerate() {
        let pieces = of.pieces.iter().enumerate();
        order.extend(pieces.map(|(piece, of)| (of.stage, of.share, section, piece)));
    }
    order.sort_unstable();
    let must = order.partition_point(|(stage, ..)| *stage == 0);
    let mut state = State::nothing(sections, fixed);
    let mut best = None;
    let mut least = u64::MAX;
    for (count, (_, _, section, piece)) in order.iter().enumerate() {
        if count >= must {
            state.consider(count, limit, &mut best, &mut least);
        }
        state.keep(*section, *piece);
    }
    state.consider(order.len(), limit, &mut best, &mut least);
    let (count, tokens) = best.ok_or(TooLarge { least })?;
    let mut state = State::nothing(sections, fixed);
    for (_, _, section, piece) in &order[..count] {
        state.keep(*section, *piece);
    }
    let texts = (0..sections.len()).map(|section| state.text(section)).collect();
    Ok(Fit { texts, kept: state.kept, tokens })
}

/// What is kept so far, and what it weighs.
struct State<'s, 'a> {
    sections: &'s [Section<'a>],
    weight: Weight,
    /// By section, the pieces that are missing: where a gap starts and where it ends.
    gaps: Vec<BTreeMap<usize, usize>>,
    kept: Vec<usize>,
}

impl<'s, 'a> State<'s, 'a> {
    fn nothing(sections: &'s [Section<'a>], fixed: Weight) -> Self {
        let weight = sections.iter().fold(fixed, |sum, section| sum + section.absence);
        let gaps = sections.iter().map(|section| BTreeMap::from([(0, section.pieces.len())]));
        Self { sections, weight, gaps: gaps.collect(), kept: vec![0; sections.len()] }
    }

    /// The last state that fits is the best one: later ones keep more.
    fn consider(&self, count: usize, limit: u64, best: &mut Option<(usize, u64)>, least: &mut u64) {
        let tokens = self.weight.tokens();
        *least = tokens.min(*least);
        if tokens <= limit {
            *best = Some((count, tokens));
        }
    }

    fn keep(&mut self, number: usize, piece: usize) {
        let section = &self.sections[number];
        if self.kept[number] == 0 {
            self.weight -= section.absence;
            self.weight += section.frame;
            self.weight += Weight::of(&section.mark(&(0..section.pieces.len())));
        }
        let gaps = &mut self.gaps[number];
        let (&start, &end) =
            gaps.range(..=piece).next_back().expect("a piece that is not kept is in a gap");
        gaps.remove(&start);
        self.weight -= Weight::of(&section.mark(&(start..end)));
        for gap in [start..piece, piece + 1..end] {
            if !gap.is_empty() {
                self.weight += Weight::of(&section.mark(&gap));
                gaps.insert(gap.start, gap.end);
            }
        }
        self.weight += section.weight(piece);
        self.kept[number] += section.pieces[piece].range.len();
    }

    fn text(&self, number: usize) -> String {
        let section = &self.sections[number];
        let mut text = String::new();
        if self.kept[number] == 0 {
            return text;
        }
        let mut next = 0;
        for (&start, &end) in &self.gaps[number] {
            if next < start {
                let pieces = &section.pieces[next..start];
                text.push_str(
                    &section.text[pieces[0].range.start..pieces[pieces.len() - 1].range.end],
                );
            }
            text.push_str(&section.mark(&(start..end)));
            next = end;
        }
        if let Some(piece) = section.pieces.get(next) {
            text.push_str(&section.text[piece.range.start..]);
        }
        text
    }
}

#[cfg(test)]
mod tests;
