//! When a reviewer that had no time is asked once more.

use gsd_io::random;
use std::time::Duration;

/// How long to wait: as long as the other side says, else the usual pause and up to half of it more
/// by chance, so that lanes that were turned away together do not come back together.
pub(super) fn pause(wanted: Option<Duration>, usual: Duration) -> Duration {
    match wanted {
        Some(wanted) => wanted,
        None => usual + jitter(usual / 2),
    }
}

fn jitter(most: Duration) -> Duration {
    let share = u32::from_str_radix(&random::hex(4), 16).unwrap_or(0);
    most * share / 0xffff
}

/// When a program says that it may be asked again: "retry after 20 seconds", "try again in 1m30s",
/// "retry-after: 7". `None` if it does not say, or says something that is no time.
pub(super) fn wanted(text: &str) -> Option<Duration> {
    const PHRASES: [&str; 5] =
        ["retry after", "retry-after", "retry in", "try again in", "try again after"];
    let text = text.to_lowercase();
    PHRASES.iter().find_map(|phrase| {
        let rest = &text[text.rfind(phrase)? + phrase.len()..];
        duration(rest.trim_start_matches([':', '=', ' ', '"', '~']))
    })
}

/// Reads `20`, `20s`, `1.5 seconds`, `1m30s`, `200ms` at the beginning of a text.
fn duration(text: &str) -> Option<Duration> {
    let (mut rest, mut total, mut any) = (text, 0.0, false);
    loop {
        let digits =
            rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let Ok(number) = rest[..digits].trim_end_matches('.').parse::<f64>() else { break };
        let after = rest[digits..].trim_start();
        let word = after.len() - after.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let factor = match &after[..word] {
            "ms" | "milliseconds" => 0.001,
            "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ if any => break,
            // A number without a unit is of seconds, whatever follows it.
            _ => 1.0,
        };
        (total, any) = (total + number * factor, true);
        rest = &after[word..];
    }
    // Whoever wants a day wants something else than a pause.
    Duration::try_from_secs_f64(total).ok().filter(|wait| any && wait.as_secs() < 24 * 3600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_say() {
        let ms = |text| wanted(text).map(|wait| wait.as_millis());
        assert_eq!(ms("429 Too Many Requests, retry after 20 seconds."), Some(20_000));
        assert_eq!(ms("Rate limit reached. Please try again in 1m30.5s."), Some(90_500));
        assert_eq!(ms("retry-after: 7"), Some(7_000));
        assert_eq!(ms("{\"Retry-After\": \"0\"}"), Some(0));
        assert_eq!(ms("please try again in 200ms"), Some(200));
        assert_eq!(ms("try again in 3 requests"), Some(3_000));
        assert_eq!(ms("try again in a moment"), None);
        assert_eq!(ms("try again in 99999999999999999999s"), None);
        assert_eq!(ms("rate limit"), None);
    }

    #[test]
    fn the_other_side_decides_else_chance_is_added() {
        let second = Duration::from_secs(1);
        assert_eq!(pause(Some(Duration::ZERO), second), Duration::ZERO);
        for _ in 0..50 {
            let wait = pause(None, second);
            assert!(wait >= second && wait <= second * 3 / 2, "{wait:?}");
        }
        assert_eq!(pause(None, Duration::ZERO), Duration::ZERO);
    }
}
