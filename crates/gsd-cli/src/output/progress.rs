//! Progress of a review: a live table on a terminal, else one line for each change of state.
//!
//! Row model: one row for each lane that is asked, from the first event on; rows never move. Lanes
//! that are not here have no row: one line under the table names them.
//! Each drawing replaces the one before it as a whole; the last one stays on the screen.

use super::format::{bytes, concerns, duration, plans, tokens};
use super::table::{fit, pad, wrap};
use crate::ui::{Tone, Ui};
use gsd_engine::lane::State;
use gsd_engine::review::{Event, Finished, Planned};
use gsd_engine::text::printable;
use std::time::{Duration, Instant};

/// What the table shows of one lane.
#[derive(Debug)]
struct Row {
    identity: String,
    limit: Duration,
    asked: bool,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Waiting,
    Running {
        since: Instant,
        bytes: u64,
        silent_since: Instant,
    },
    /// Rate limited: asked once more when the time has come.
    Pausing {
        since: Instant,
        until: Instant,
    },
    Finished(Finished),
}

/// Consumes the events of one review.
#[derive(Debug)]
pub(crate) struct Progress<'a> {
    ui: &'a Ui,
    heading: String,
    rows: Vec<Row>,
    drawn: usize,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(ui: &'a Ui) -> Self {
        Self { ui, heading: String::new(), rows: vec![], drawn: 0 }
    }

    pub(crate) fn event(&mut self, event: Event, now: Instant) {
        match event {
            Event::Planned(planned) => self.planned(planned),
            Event::Started { lane } => {
                self.stage(lane, Stage::Running { since: now, bytes: 0, silent_since: now });
                self.plain(lane);
            }
            Event::Pausing { lane, wait } => {
                if let Some(Row { stage: Stage::Running { since, .. }, .. }) = self.rows.get(lane) {
                    let since = *since;
                    self.stage(lane, Stage::Pausing { since, until: now + wait });
                    self.plain(lane);
                }
            }
            Event::Output { lane, bytes: total, silent_for } => {
                if let Some(Row { stage: Stage::Pausing { since, .. }, .. }) = self.rows.get(lane) {
                    let since = *since;
                    self.stage(lane, Stage::Running { since, bytes: 0, silent_since: now });
                }
                if let Some(Row { stage: Stage::Running { bytes, silent_since, .. }, .. }) =
                    self.rows.get_mut(lane)
                {
                    *bytes = total;
                    *silent_since = now.checked_sub(silent_for).unwrap_or(now);
                }
            }
            Event::Finished { lane, result } => {
                self.stage(lane, Stage::Finished(result));
                self.plain(lane);
            }
        }
    }

    fn planned(&mut self, planned: Planned) {
        let phase = match &planned.phase.number {
            Some(number) => format!("phase {number} {}", planned.phase.name),
            None => format!("phase {}", planned.phase.name),
        };
        let unreadable = planned.unreadable_plans.len();
        let plans = plans(planned.plans, unreadable);
        self.heading = format!("gsd review · {} · {plans}", printable(&phase, 60));
        // A run of lanes that look for the plans themselves sends no prompt.
        if planned.prompt_bytes > 0 {
            let size = bytes(planned.prompt_bytes);
            let estimate = tokens(planned.prompt_tokens);
            self.heading.push_str(&format!(" · {size} ≈ {estimate} tokens"));
        }
        self.rows = planned
            .lanes
            .into_iter()
            .map(|lane| Row {
                identity: lane.identity,
                limit: lane.limit,
                asked: lane.asked,
                stage: Stage::Waiting,
            })
            .collect();
        if !self.ui.live {
            self.ui.say(&self.heading);
            if let Some(line) = self.not_asked() {
                self.ui.say(line);
            }
        }
    }

    /// The lanes that are not asked, in one line.
    fn not_asked(&self) -> Option<String> {
        let names: Vec<&str> =
            self.rows.iter().filter(|row| !row.asked).map(|row| row.identity.as_str()).collect();
        (!names.is_empty())
            .then(|| format!("not asked: {} (`gsd lane list` says why)", names.join(", ")))
    }

    fn stage(&mut self, lane: usize, stage: Stage) {
        if let Some(row) = self.rows.get_mut(lane) {
            row.stage = stage;
        }
    }

    /// One line for a change of state, where there is no live table.
    fn plain(&self, lane: usize) {
        let Some(row) = self.rows.get(lane).filter(|row| row.asked && !self.ui.live) else {
            return;
        };
        match &row.stage {
            Stage::Waiting => {}
            Stage::Running { .. } => self.ui.say(format_args!(
                "{}: running, limit {}",
                row.identity,
                duration(row.limit)
            )),
            Stage::Pausing { .. } => {
                self.ui.say(format_args!(
                    "{}: rate limited, asked once more in a moment",
                    row.identity
                ));
            }
            Stage::Finished(result) => {
                let mut text = format!("{}: {}", row.identity, result.state);
                if let Some(reason) = result.reason {
                    text.push_str(&format!(" ({reason})"));
                }
                if result.state.ran() {
                    text.push_str(&format!(" after {}", duration(result.elapsed)));
                }
                if let Some((covered, all)) = result.covered {
                    text.push_str(&format!(
                        ", names {covered} of {all} plans, {}",
                        concerns(result.concerns)
                    ));
                }
                if let Some(message) = explanation(result) {
                    text.push_str(&format!(": {message}"));
                }
                self.ui.say(text);
            }
        }
    }

    /// Draws the table over the one before it. Does nothing where there is no live table.
    pub(crate) fn draw(&mut self, now: Instant) {
        if !self.ui.live || self.rows.is_empty() {
            return;
        }
        let width = self.ui.width();
        let mut lines = vec![fit(&self.heading, width), String::new()];
        let head = if width < NARROW {
            format!("  {} {} findings", pad("lane", 11), pad("state", 11))
        } else {
            format!(
                "  {} {} {} {} findings",
                pad("lane", 13),
                pad("state", 12),
                pad("time", 18),
                pad("plans", 6)
            )
        };
        lines.push(self.ui.paint_err(Tone::Dim, &fit(&head, width)).to_string());
        let mut running = false;
        for row in self.rows.iter().filter(|row| row.asked) {
            running |= !matches!(row.stage, Stage::Finished(_));
            lines.push(self.row(row, now, width));
        }
        lines.push(String::new());
        if let Some(line) = self.not_asked() {
            for part in wrap(&line, width.saturating_sub(2)) {
                let part = format!("  {part}");
                lines.push(self.ui.paint_err(Tone::Dim, &part).to_string());
            }
            lines.push(String::new());
        }
        if running {
            let hint = "  Ctrl-C stops and keeps what is finished";
            lines.push(self.ui.paint_err(Tone::Dim, &fit(hint, width)).to_string());
        }
        let mut out = String::new();
        if self.drawn > 0 {
            // Up to the first line of the last drawing, then clear to the end of the screen.
            out.push_str(&format!("\u{1b}[{}A\r\u{1b}[J", self.drawn));
        }
        for line in &lines {
            out.push_str(line);
            out.push('\n');
        }
        self.ui.talk(out);
        self.drawn = lines.len();
    }

    fn row(&self, row: &Row, now: Instant, width: usize) -> String {
        let (tone, state, time, read, rest) = match &row.stage {
            Stage::Waiting => (Tone::Dim, "waiting", "·".to_owned(), "·".to_owned(), String::new()),
            Stage::Running { since, bytes: total, silent_since } => (
                Tone::Accent,
                "running",
                format!("{} / {}", duration(now - *since), duration(row.limit)),
                "·".to_owned(),
                if *total == 0 {
                    "no output yet".to_owned()
                } else {
                    let silent = duration(now - *silent_since);
                    format!("{}, last output {silent} ago", bytes(*total))
                },
            ),
            Stage::Pausing { since, until } => (
                Tone::Warn,
                "rate limited",
                format!("{} / {}", duration(now - *since), duration(row.limit)),
                "·".to_owned(),
                format!("asked again in {}", duration(until.saturating_duration_since(now))),
            ),
            Stage::Finished(result) => (
                tone(result.state),
                result.state.word(),
                if result.state.ran() { duration(result.elapsed) } else { "–".to_owned() },
                result
                    .covered
                    .map_or("–".to_owned(), |(covered, all)| format!("{covered}/{all}")),
                explanation(result).unwrap_or_else(|| concerns(result.concerns)),
            ),
        };
        if width < NARROW {
            // A row that wraps would be drawn over in the wrong place.
            let rest = if rest.is_empty() || matches!(row.stage, Stage::Running { .. }) {
                time
            } else {
                rest
            };
            return format!(
                "  {} {} {}",
                pad(&fit(&row.identity, 11), 11),
                self.ui.paint_err(tone, &pad(&fit(state, 11), 11)),
                fit(&rest, width.saturating_sub(2 + 11 + 1 + 11 + 1)),
            );
        }
        let before = 2 + 13 + 1 + 12 + 1 + 18 + 1 + 6 + 1;
        format!(
            "  {} {} {} {} {}",
            pad(&fit(&row.identity, 13), 13),
            self.ui.paint_err(tone, &pad(state, 12)),
            pad(&fit(&time, 18), 18),
            pad(&read, 6),
            fit(&rest, width.saturating_sub(before)),
        )
    }
}

/// A terminal of fewer columns gets fewer of the table's.
const NARROW: usize = 70;

/// Why a lane ended as it did, and what to do; nothing for a plain review.
fn explanation(result: &Finished) -> Option<String> {
    match result.state {
        State::Reviewed => None,
        State::Incomplete
        | State::Unproven
        | State::Empty
        | State::Failed
        | State::TimedOut
        | State::Unavailable
        | State::Blocked
        | State::Skipped
        | State::Cancelled => {
            let message = result.message.as_deref()?;
            let text = match &result.remedy {
                Some(remedy) => format!("{message}: {remedy}"),
                None => message.to_owned(),
            };
            Some(printable(&text, 300))
        }
    }
}

/// The colour of a state.
pub(crate) const fn tone(state: State) -> Tone {
    match state {
        State::Reviewed => Tone::Good,
        State::Incomplete | State::Unproven | State::Empty | State::Blocked => Tone::Warn,
        State::Failed | State::TimedOut => Tone::Bad,
        State::Unavailable | State::Skipped | State::Cancelled => Tone::Dim,
    }
}
