//! The two clocks: one that only goes forward, for deadlines, and the calendar, for records.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Now, on the clock that never jumps.
pub fn now() -> Instant {
    Instant::now()
}

/// The moment that lies `wait` after `from`; for a wait without end, one that nobody lives to see.
pub fn after(from: Instant, wait: Duration) -> Instant {
    const A_CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
    from.checked_add(wait.min(A_CENTURY)).unwrap_or(from)
}

/// Seconds and nanoseconds since 1970-01-01T00:00:00Z.
pub fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The calendar time as RFC 3339 in UTC with whole seconds, such as `2026-11-30T21:04:12Z`.
pub fn timestamp() -> String {
    rfc3339(since_epoch().as_secs())
}

/// Formats seconds since the epoch as RFC 3339 in UTC.
pub fn rfc3339(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / 86_400);
    let rest = seconds % 86_400;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

/// The seconds since the epoch that [`rfc3339`] wrote; `None` for what it never writes.
pub fn parse_rfc3339(text: &str) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| -> Option<u64> {
        let digits = text.get(range)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let days = days(number(0..4)?, number(5..7)?, number(8..10)?)?;
    let seconds = number(11..13)? * 3600 + number(14..16)? * 60 + number(17..19)?;
    let total = days.checked_mul(86_400)?.checked_add(seconds)?;
    // Whatever is left open above, only the right spelling comes back the same.
    (rfc3339(total) == text).then_some(total)
}

/// The inverse of [`civil`], for months and days that may not exist.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = year.checked_sub(u64::from(month <= 2))?;
    let (era, year_of_era) = (year / 400, year % 400);
    let march_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * march_month + 2) / 5 + day.checked_sub(1)?;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era).checked_sub(719_468)
}

/// Days since the epoch to year, month, day in the proleptic Gregorian calendar. Works in eras of
/// 400 years that start on 1 March, so that a leap day is always the last day of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::{Duration, after, now, parse_rfc3339, rfc3339};

    #[test]
    fn a_wait_without_end_is_a_moment_too() {
        let now = now();
        assert!(after(now, Duration::MAX) > now + Duration::from_secs(1 << 30));
        assert_eq!(after(now, Duration::from_secs(1)), now + Duration::from_secs(1));
    }

    #[test]
    fn known_moments() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
            assert_eq!(parse_rfc3339(text), Some(seconds));
        }
        for wrong in [
            "",
            "2024",
            "2023-02-29T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "1969-12-31T23:59:59Z",
            "2024-01-01T00:00:00+01:00",
            "2024-00-01T00:00:00Z",
            "\u{e9}024-01-01T00:00:00Z",
        ] {
            assert_eq!(parse_rfc3339(wrong), None, "{wrong}");
        }
    }
}
