//! How long a version has to have been out before it is taken.
//!
//! Most poisoned releases are found within days. Whoever waits that long lets others find them.

use gsd_io::clock;
use std::time::Duration;

const DAY: u64 = 86_400;

/// A wait for fresh versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CoolDown {
    pub(super) days: u64,
    /// What was published later is too fresh: as RFC 3339 in UTC, to the second.
    until: String,
}

impl CoolDown {
    /// `None` if nobody has to wait.
    pub(super) fn of_days(days: u64) -> Option<Self> {
        Self::at(days, clock::since_epoch())
    }

    fn at(days: u64, now: Duration) -> Option<Self> {
        let wait = days.saturating_mul(DAY);
        (days > 0).then(|| Self { days, until: clock::rfc3339(now.as_secs().saturating_sub(wait)) })
    }

    /// Whether a version is old enough. One that does not say when it was published is not.
    pub(super) fn admits(&self, published: Option<&str>) -> bool {
        // Moments in UTC that are written alike have the order of their texts.
        published.is_some_and(|moment| is_utc(moment) && moment[..19] <= self.until[..19])
    }
}

/// `2026-11-30T21:04:12Z`, with or without parts of a second.
fn is_utc(text: &str) -> bool {
    let fits = text.bytes().zip(b"dddd-dd-ddTdd:dd:dd".iter()).all(|(byte, form)| match form {
        b'd' => byte.is_ascii_digit(),
        _ => byte == *form,
    });
    let rest = text.get(19..).unwrap_or_default();
    let parts = rest.strip_suffix('Z').map(|parts| parts.strip_prefix('.').unwrap_or(parts));
    fits && parts.is_some_and(|parts| parts.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_enough() {
        let now = Duration::from_secs(1_709_251_199); // 2024-02-29T23:59:59Z
        let week = CoolDown::at(7, now).expect("a wait");
        for (published, admitted) in [
            (Some("2024-02-22T23:59:59Z"), true),
            (Some("2024-02-22T23:59:59.999Z"), true),
            (Some("2024-02-23T00:00:00.000Z"), false),
            (Some("2024-02-29T12:00:00Z"), false),
            (Some("2999-01-01T00:00:00Z"), false),
            (Some("2020-01-01T00:00:00+01:00"), false),
            (Some("2020-01-01"), false),
            (Some("yesterday"), false),
            (Some("2020-01-01T00:00:00ZZ"), false),
            (Some("2020-01-01T00:00:0é"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(week.admits(published), admitted, "{published:?}");
        }
        assert_eq!(CoolDown::at(0, now), None);
        assert!(!CoolDown::at(u64::MAX, now).expect("a wait").admits(Some("2020-01-01T00:00:00Z")));
    }
}
