//! Limits and efforts as settings spell them.

use super::WITHOUT_EFFECT;
use super::{BAD_SETTING, Source, Sourced};
use crate::config::Config;
use crate::diag::Diagnostic;
use crate::lane::descriptor::{Descriptor, EffortLevel, Invoke};
use crate::lane::words;
use crate::text::{nearest, printable};
use std::time::Duration;

/// A value that cannot be used, and what helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    pub help: Option<String>,
}

/// The limit of no setting is longer, so that arithmetic on clocks stays sound.
const MAX_TIME_LIMIT: Duration = Duration::from_secs(7 * 24 * 3600);

/// The limits of the parts of a call, beside the one of its whole. `None` is no limit of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PhaseLimits {
    /// Finding out whether the reviewer is there.
    pub probe: Option<Sourced<Duration>>,
    /// From the start to the first byte of an answer.
    pub first_byte: Option<Sourced<Duration>>,
    /// Without new output: a reviewer that says nothing for so long has stalled.
    pub idle: Option<Sourced<Duration>>,
}

/// Seconds as a limit.
pub(super) fn seconds(name: &str, number: f64) -> Result<Duration, Fault> {
    Duration::try_from_secs_f64(number)
        .ok()
        .filter(|limit| !limit.is_zero() && *limit <= MAX_TIME_LIMIT)
        .ok_or_else(|| Fault {
            message: format!("`{name}` takes seconds, more than 0 and at most a week"),
            help: None,
        })
}

/// A word as an effort.
pub(super) fn effort_level(name: &str, word: &str) -> Result<EffortLevel, Fault> {
    EffortLevel::ALL.iter().copied().find(|level| level.word() == word).ok_or_else(|| {
        let known = words::listed::<EffortLevel>();
        let near = nearest(word, EffortLevel::ALL.iter().map(|level| level.word()));
        Fault {
            message: format!("`{name}` takes {known}, not `{}`", printable(word, 40)),
            help: near.map(|near| format!("did you mean `{near}`?")),
        }
    })
}

/// Seconds under a key.
pub(super) fn of_key(
    config: &Config,
    key: &str,
    found: &mut Vec<Diagnostic>,
) -> Option<Sourced<Duration>> {
    let number = config.number(key, found)?;
    let setting = config.get(key)?;
    match seconds(key, number) {
        Ok(limit) => {
            let source = Source::Setting { key: key.to_owned(), layer: setting.layer };
            Some(Sourced::new(limit, source))
        }
        Err(fault) => {
            found.push(BAD_SETTING.at(setting.at(), fault.message).label("ignored"));
            None
        }
    }
}

/// The lane's own limit of a part, else the one of all lanes.
pub(super) fn of_phase(
    config: &Config,
    slug: &str,
    phase: &str,
    found: &mut Vec<Diagnostic>,
) -> Option<Sourced<Duration>> {
    let own = of_key(config, &format!("review.{phase}_timeouts.{slug}"), found);
    own.or_else(|| of_key(config, &format!("review.{phase}_timeout"), found))
}

/// The lane's own effort, else that of reviews, else the general one. `inherit` leaves it to the
/// program.
pub(super) fn effort(
    config: &Config,
    lane: &Descriptor,
    found: &mut Vec<Diagnostic>,
) -> Option<Sourced<EffortLevel>> {
    let own = format!("review.efforts.{}", lane.slug);
    let takes_effort = match &lane.invoke {
        Invoke::Spawn(spawn) => spawn.takes_effort(),
        Invoke::OpenaiHttp(_) => false,
    };
    for key in [own.as_str(), "review.effort", "effort.default"] {
        let Some(word) = super::text(config, key, found) else { continue };
        if word.value == "inherit" {
            return None;
        }
        let Some(place) = config.get(key) else { continue };
        if key == own && !takes_effort {
            let message = format!("`{key}` has no effect");
            let help = "this lane does not take an effort";
            found.push(WITHOUT_EFFECT.at(place.at(), message).help(help));
            return None;
        }
        return match effort_level(key, &word.value) {
            Ok(level) => Some(Sourced::new(level, word.source)),
            Err(fault) => {
                let mut diagnostic = BAD_SETTING.at(place.at(), fault.message).label("ignored");
                diagnostic.help = fault.help;
                found.push(diagnostic);
                None
            }
        };
    }
    None
}
