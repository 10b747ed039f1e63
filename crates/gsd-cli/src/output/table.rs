//! Columns that line up, whatever the script of the text.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text cut to a number of columns, with a mark where it was cut.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let columns = c.width().unwrap_or(0);
        if used + columns + 1 > width {
            break;
        }
        used += columns;
        out.push(c);
    }
    out.push('…');
    out
}

/// Text filled up with blanks to a number of columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let mut out = text.to_owned();
    out.extend(std::iter::repeat_n(' ', width.saturating_sub(text.width())));
    out
}

/// Breaks text at blanks so that no line has more columns than `width`, unless one word alone has.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![];
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Prose that begins behind a label: its further lines begin `indent` columns in.
pub(crate) fn hang(text: &str, indent: usize, width: usize) -> String {
    let room = width.saturating_sub(indent).max(LEAST_ROOM);
    wrap(text, room).join(&format!("\n{:indent$}", ""))
}

/// A line as it is where it fits, else broken at blanks. Further lines of a paragraph begin where it
/// does, those of an item or of what is set in two columns further in.
pub(crate) fn reflow(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let own = line.len() - line.trim_start_matches(' ').len();
    let further = if own == 0 && !line.starts_with('-') { 0 } else { own + 2 };
    format!("{:own$}{}", "", hang(line, further, width))
}

/// Fewer columns than this make a column of single words.
const LEAST_ROOM: usize = 16;

/// The widest cell of each column.
pub(crate) fn widths<const N: usize>(rows: &[[String; N]]) -> [usize; N] {
    std::array::from_fn(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(fit("日本語", 5), "日本…");
        assert_eq!(pad("日", 4), "日  ");
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    }

    #[test]
    fn prose_keeps_its_words_whole_and_its_place() {
        let text = "not here: antigravity, cursor, kimi-code";
        assert_eq!(hang(text, 2, 24), "not here: antigravity,\n  cursor, kimi-code");
        assert_eq!(reflow("  short  as it is", 40), "  short  as it is");
        assert_eq!(reflow("  runs   acme review --deep", 22), "  runs acme review\n    --deep");
    }

    proptest! {
        #[test]
        fn fitted_text_fits(text in "\\PC*", width in 1usize..40) {
            prop_assert!(fit(&text, width).width() <= width);
        }
    }
}
