//! `NN-REVIEWS.json`: the record as it is, indented so that a diff of it can be read.

use crate::review::record::Record;

pub(super) fn render(record: &Record) -> String {
    let mut text = serde_json::to_string_pretty(record).expect("a record is plain data");
    text.push('\n');
    text
}
