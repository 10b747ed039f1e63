//! Values of options that have a form of their own.

use camino::Utf8PathBuf;
use std::time::Duration;

/// Reads `90s`, `15m`, `1h30m`: whole numbers with units, the larger unit first.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str = "expected a duration such as 90s, 15m or 1h30m";
    let mut rest = text;
    let mut seconds: u64 = 0;
    for (unit, factor) in [("h", 3600), ("m", 60), ("s", 1)] {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 && rest[digits..].starts_with(unit) {
            let count: u64 = rest[..digits].parse().map_err(|_| EXPECTED.to_owned())?;
            seconds = count
                .checked_mul(factor)
                .and_then(|more| seconds.checked_add(more))
                .ok_or(EXPECTED)?;
            rest = &rest[digits + unit.len()..];
        }
    }
    // A year is longer than any review, and far below where clocks overflow.
    match (rest.is_empty(), seconds) {
        (true, 1..=31_536_000) => Ok(Duration::from_secs(seconds)),
        _ => Err(EXPECTED.to_owned()),
    }
}

/// A name of a list: an empty one is a variable that was not set, and asks for nobody, not for all.
pub(super) fn parse_name(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a name is missing".to_owned()),
        name => Ok(name.to_owned()),
    }
}

pub(super) fn parse_folder(text: &str) -> Result<Utf8PathBuf, String> {
    if text.is_empty() { Err("a directory is missing".to_owned()) } else { Ok(text.into()) }
}

pub(super) fn parse_lane_timeout(text: &str) -> Result<(String, Duration), String> {
    let (slug, duration) =
        text.split_once('=').ok_or("expected SLUG=DUR, such as codex=20m".to_owned())?;
    if slug.is_empty() {
        return Err("expected a slug before `=`".to_owned());
    }
    Ok((slug.to_ascii_lowercase(), parse_duration(duration)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let seconds = |text| parse_duration(text).ok().map(|d| d.as_secs());
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("15m"), Some(900));
        assert_eq!(seconds("1h30m"), Some(5400));
        assert_eq!(seconds("1h1s"), Some(3601));
        for bad in ["", "0s", "5", "m", "1m1h", "1.5h", "-1s", "1d", "99999999999999999999s", "1s "]
        {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
