//! What the relaxed dialect forgives (comments, trailing commas, a byte order mark), blanked out.

/// The text with blanks in place of what the relaxed dialect forgives, so that places stay the same.
pub(super) fn without_forgiven(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if text.starts_with('\u{feff}') {
        bytes[..3].fill(b' ');
    }
    let (mut at, mut comma) = (0, None);
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => end_of_string(&bytes, at).unwrap_or(bytes.len()),
            (b'/', Some(b'/')) => end_of(&bytes, at, b"\n"),
            (b'/', Some(b'*')) => (end_of(&bytes, at + 2, b"*/") + 2).min(bytes.len()),
            _ => at + 1,
        };
        match bytes[at] {
            b'/' if end > at + 1 => {
                bytes[at..end]
                    .iter_mut()
                    .filter(|byte| **byte != b'\n')
                    .for_each(|byte| *byte = b' ');
            }
            b',' if comma.is_none() => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at = end;
    }
    String::from_utf8(bytes).expect("whole characters became blanks")
}

/// Where a string that begins at `start` ends, its quote included.
pub(super) fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Where `mark` comes next, or the end of the text.
fn end_of(bytes: &[u8], start: usize, mark: &[u8]) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    rest.windows(mark.len()).position(|part| part == mark).map_or(bytes.len(), |at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blanks_change_no_place(text in "[/*,\\]}\"\\\\\n aé\u{feff}]{0,30}") {
            let blanked = without_forgiven(&text);
            prop_assert_eq!(blanked.len(), text.len());
            let lines = |text: &str| text.matches('\n').count();
            prop_assert_eq!(lines(&blanked), lines(&text));
        }
    }
}
