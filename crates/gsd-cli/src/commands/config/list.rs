//! `gsd config list`: every setting that is made, and where.

use super::{declared, masked, origin, plain, read};
use crate::args::ConfigListArgs;
use crate::commands::{Context, Outcome};
use crate::exit::ExitStatus;
use crate::output::table::{fit, pad, widths};
use crate::ui::{Tone, Ui};
use gsd_engine::config::{Config, Declarations, Kind};
use gsd_engine::json::Node;
use gsd_engine::text::printable;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

pub(super) fn run(ui: &Ui, context: &Context, args: &ConfigListArgs) -> Outcome {
    let declared = declared(context);
    let config = read(ui, context);
    let wanted = |key: &str| match args.prefix.as_deref() {
        None => true,
        Some(prefix) => {
            key.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }
    };
    let mut keys = set_keys(&config, &declared);
    if args.all {
        keys.extend(declared.iter().filter(|one| !one.is_family()).map(|one| one.key.clone()));
    }
    let rows: Vec<Row> = keys
        .into_iter()
        .filter(|key| wanted(key))
        .filter_map(|key| Row::of(&config, &declared, key))
        .collect();
    if ui.json {
        ui.success(json!(rows.iter().map(Row::json).collect::<Vec<_>>()));
        return Ok(ExitStatus::Done);
    }
    if rows.is_empty() {
        ui.say("no setting is made; `gsd config list --all` shows what can be set");
        return Ok(ExitStatus::Done);
    }
    let mut cells = vec![["setting", "value", "from"].map(str::to_owned)];
    cells.extend(rows.iter().map(Row::cells));
    let width = ui.width_out();
    let widths = widths(&cells);
    let for_value = value_width(&widths, width);
    for (index, row) in cells.iter().enumerate() {
        let tone = match index.checked_sub(1).map(|index| rows[index].made.is_some()) {
            Some(true) => Tone::Plain,
            Some(false) | None => Tone::Dim,
        };
        let line = line(row, widths[0], for_value, width);
        ui.line(ui.paint(tone, line.trim_end()));
    }
    Ok(ExitStatus::Done)
}

/// How many columns values get: those that keys and places leave, where that is enough for a value.
/// Else the places that are too long for the rest stand in a line of their own.
fn value_width(widths: &[usize; 3], width: usize) -> usize {
    let beside = |from: usize| width.saturating_sub(widths[0] + 2 + 2 + from);
    let room = beside(widths[2]);
    let room = if room >= LEAST_VALUE { room } else { beside("default".len()) };
    widths[1].min(room.max(LEAST_VALUE))
}

/// Fewer columns than these say nothing of a value.
const LEAST_VALUE: usize = 12;

/// A setting; where it was made is never cut, since that is where one goes to change it.
fn line(row: &[String; 3], for_key: usize, for_value: usize, width: usize) -> String {
    let [key, value, from] = row;
    let head = format!("{}  {}", pad(key, for_key), pad(&fit(value, for_value), for_value));
    if head.width() + 2 + from.width() <= width {
        format!("{head}  {from}")
    } else {
        format!("{}\n    {from}", head.trim_end())
    }
}

struct Row {
    key: String,
    /// `None` where nobody sets it and there is no default.
    value: Option<Value>,
    /// `file:line` for people, and its parts.
    made: Option<(String, Value)>,
    known: bool,
}

impl Row {
    fn of(config: &Config, declared: &Declarations, key: String) -> Option<Self> {
        let declaration = declared.find(&key);
        let setting = config.get(&key);
        let value = setting.as_ref().map(|setting| gsd_engine::json::to_value(setting.node));
        let default = || declaration.and_then(|one| one.default.clone());
        // A setting that stands only where it does nothing is no setting.
        if setting.is_none() && config.all(&key).next().is_some() && default().is_none() {
            return None;
        }
        Some(Self {
            value: value.map(|value| masked(declaration, &value)).or_else(default),
            made: setting.map(|setting| (setting.origin(), origin(&setting))),
            known: declaration.is_some(),
            key,
        })
    }

    fn json(&self) -> Value {
        json!({
            "key": self.key,
            "value": self.value,
            "layer": self.made.as_ref().map_or(json!("default"), |(_, origin)| origin["layer"].clone()),
            "origin": self.made.as_ref().map(|(_, origin)| origin),
            "known": self.known,
        })
    }

    fn cells(&self) -> [String; 3] {
        const MAX_VALUE: usize = 48;
        let value = self.value.as_ref().map_or("–".to_owned(), |value| {
            let text = plain(value);
            if text.is_empty() { "\"\"".to_owned() } else { fit(&text, MAX_VALUE) }
        });
        let from = match (&self.made, self.known) {
            (None, _) => "default".to_owned(),
            (Some((origin, _)), true) => origin.clone(),
            (Some((origin, _)), false) => format!("{origin} (nobody knows it)"),
        };
        [printable(&self.key, 100), value, from]
    }
}

/// The dotted keys of all values in all layers.
fn set_keys(config: &Config, declared: &Declarations) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for (_, _, root) in config.texts() {
        collect(root, "", declared, &mut keys);
    }
    keys
}

fn collect(node: &Node, above: &str, declared: &Declarations, keys: &mut BTreeSet<String>) {
    for member in node.as_object().map(|object| object.members.as_slice()).unwrap_or_default() {
        let key =
            if above.is_empty() { member.name.clone() } else { format!("{above}.{}", member.name) };
        let whole = declared.find(&key).is_some_and(|one| one.kind != Kind::Object);
        let inner = member.value.as_object().is_some_and(|object| !object.members.is_empty());
        if inner && !whole {
            collect(&member.value, &key, declared, keys);
        } else {
            keys.insert(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_setting_is_never_cut() {
        let cells = [
            ["review.default_reviewers", "[\"plan-lint\",\"codex\"]", ".planning/config.json:12"],
            ["review.max_prompt_tokens_per_reviewer.llama_cpp", "–", "default"],
            ["review.max_prompt_tokens_per_reviewer.lm_studio", "8192", "~/.gsd/defaults.json:3"],
        ]
        .map(|row| row.map(str::to_owned));
        for width in [60, 80, 100, 120] {
            let widths = widths(&cells);
            for row in &cells {
                let shown = line(row, widths[0], value_width(&widths, width), width);
                assert!(shown.ends_with(&row[2]), "{width}: {shown}");
                assert!(
                    width < 80 || shown.lines().all(|l| l.width() <= width),
                    "{width}: {shown}"
                );
            }
        }
        let widths = widths(&cells);
        let shown = cells.map(|row| line(&row, widths[0], value_width(&widths, 80), 80)).join("\n");
        insta::assert_snapshot!(shown);
    }
}
