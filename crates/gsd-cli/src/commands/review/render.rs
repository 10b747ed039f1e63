//! `gsd review render`: a record in another format; nothing is run.

use crate::args::{RenderFormat, ReviewRenderArgs};
use crate::commands::{Context, Outcome};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::output::summary::{self, Shown};
use crate::ui::Ui;
use camino::Utf8Path;
use gsd_engine::review::record::{MAX_BYTES, Record};
use gsd_engine::review::report::{self, Format as Rendering};
use gsd_io::fs::{self, Links, ReadError};
use serde_json::json;

pub(super) fn run(ui: &Ui, context: &Context, args: &ReviewRenderArgs) -> Outcome {
    let record = load(&context.env.absolute(&args.from), Links::Follow)?;
    print(ui, &record, args.format, None)
}

/// Reads a record.
pub(super) fn load(path: &Utf8Path, links: Links) -> Result<Record, CommandError> {
    let text = fs::read_text(path, MAX_BYTES, links).map_err(|error| match error {
        ReadError::NotFound { .. } => {
            CommandError::from_error(ExitStatus::Unknown, "no-record", &error)
                .hint("run `gsd review` first")
        }
        _ => CommandError::from_error(ExitStatus::Corrupt, "record-unreadable", &error),
    })?;
    Record::parse(&text).map_err(|error| {
        CommandError::from_error(ExitStatus::Corrupt, "record-unreadable", &error)
            .detail("path", path.as_str())
            .hint("`gsd review` keeps this file under another name and writes a new one")
    })
}

pub(super) fn print(
    ui: &Ui,
    record: &Record,
    format: RenderFormat,
    report: Option<&str>,
) -> Outcome {
    if ui.json {
        let text = report::render(record, Rendering::Json);
        let value: serde_json::Value = serde_json::from_str(&text).expect("our own JSON");
        ui.success(json!({ "record": value, "path": report }));
        return Ok(ExitStatus::Done);
    }
    let form = match format {
        RenderFormat::Human => {
            ui.data(&summary::render(ui, record, report, Shown::All, ui.width_out()));
            return Ok(ExitStatus::Done);
        }
        RenderFormat::Markdown => Rendering::Markdown,
        RenderFormat::Json => Rendering::Json,
        RenderFormat::Sarif => Rendering::Sarif,
        RenderFormat::Github => Rendering::Github,
        RenderFormat::Html => Rendering::Html,
    };
    ui.data(&report::render(record, form));
    Ok(ExitStatus::Done)
}
