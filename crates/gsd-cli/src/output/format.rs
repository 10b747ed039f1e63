//! Numbers and small texts as people read them.

use std::time::Duration;

/// A text on a line of its own below another one; nothing where there is none.
pub(crate) fn below(text: Option<&str>) -> String {
    text.map_or(String::new(), |text| format!("\n{text}"))
}

/// `0.1 s`, `42 s`, `1 m 58 s`, `1 h 2 m`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if duration < Duration::from_secs(10) {
        // Rounded up, so that something that took time never shows as nothing.
        let tenths = duration.as_millis().div_ceil(100);
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, 0) => format!("{m} m"),
        (0, m, s) => format!("{m} m {s} s"),
        (h, 0, _) => format!("{h} h"),
        (h, m, _) => format!("{h} h {m} m"),
    }
}

/// `812 B`, `61 KB`, `1.2 MB` (powers of 1000).
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..=999 => format!("{bytes} B"),
        1000..=999_499 => format!("{} KB", (bytes + 500) / 1000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// `812`, `15.8k`, `1.2M`.
pub(crate) fn tokens(tokens: u64) -> String {
    match tokens {
        0..=999 => tokens.to_string(),
        1000..=999_949 => format!("{}.{}k", tokens / 1000, tokens % 1000 / 100),
        _ => format!("{}.{}M", tokens / 1_000_000, tokens % 1_000_000 / 100_000),
    }
}

/// `1 plan`, `4 plans`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `3 high · 2 medium`, without what is zero; `none` if all are.
pub(crate) fn concerns(counts: [usize; 3]) -> String {
    let parts: Vec<String> = counts
        .iter()
        .zip(["high", "medium", "low"])
        .filter(|(count, _)| **count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(" · ") }
}

/// `4 plans`, or `4 plans, 1 of them unreadable`. `readable` does not count the others.
pub(crate) fn plans(readable: usize, unreadable: usize) -> String {
    let all = count(readable + unreadable, "plan");
    if unreadable == 0 { all } else { format!("{all}, {unreadable} of them unreadable") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let ms = |n| duration(Duration::from_millis(n));
        assert_eq!(
            [ms(0), ms(1), ms(130), ms(9_950), ms(10_000), ms(118_000), ms(120_000)],
            ["0.0 s", "0.1 s", "0.2 s", "10.0 s", "10 s", "1 m 58 s", "2 m"]
        );
        assert_eq!(ms(3_720_000), "1 h 2 m");
        assert_eq!(
            [bytes(999), bytes(61_100), bytes(999_600), bytes(1_234_567)],
            ["999 B", "61 KB", "0.9 MB", "1.2 MB"]
        );
        assert_eq!([tokens(812), tokens(15_840)], ["812", "15.8k"]);
        assert_eq!(concerns([3, 0, 1]), "3 high · 1 low");
        assert_eq!(concerns([0, 0, 0]), "none");
    }
}
