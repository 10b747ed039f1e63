//! `prompt-budget`: cuts a prompt of separate files to a budget, for workflows that build their own.

use super::{Context, Outcome};
use crate::Program;
use crate::args::{CutMode, PromptBudgetArgs};
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::ui::Ui;
use camino::Utf8Path;
use gsd_engine::review::prompt_budget::{Cut, DoesNotFit, Limits, Sources, compatible, cut};
use gsd_io::fs::{self, Links, ReadError};
use serde_json::Value;

/// A file of a prompt is never larger.
const MAX_FILE: u64 = 64 << 20;

pub(super) fn run(ui: &Ui, context: &Context, args: &PromptBudgetArgs) -> Outcome {
    let sources = sources(context, args)?;
    let limits = Limits {
        budget: args.budget,
        margin_percent: args.safety_margin_pct,
        project_head: args.project_md_head_lines,
    };
    let mode = args.mode.unwrap_or(match context.program {
        Program::Gsd => CutMode::Monotone,
        Program::GsdTools => CutMode::Compatible,
    });
    let outcome = match mode {
        CutMode::Compatible => compatible::cut(&sources, &limits),
        CutMode::Monotone => cut(&sources, &limits),
    };
    let (prompt, metadata) = match &outcome {
        Ok(Cut { prompt, metadata }) => (prompt.as_str(), metadata),
        // Whoever reads the prompt finds none, not the one of an earlier call.
        Err(DoesNotFit { metadata, .. }) => ("", metadata),
    };
    write(context, &args.output_metadata, format!("{metadata:#}\n").as_bytes())?;
    write(context, &args.output_prompt, prompt.as_bytes())?;
    match outcome {
        Ok(Cut { metadata, .. }) => {
            if context.program == Program::Gsd {
                shown(ui, &metadata);
            }
            Ok(ExitStatus::Done)
        }
        Err(DoesNotFit { needs, .. }) => {
            let budget = args.budget;
            let message =
                format!("the prompt is too large: it needs {needs} tokens at least, not {budget}");
            Err(CommandError::new(ExitStatus::Refused, "prompt-too-large", message)
                .detail("needs", needs)
                .detail("budget", budget)
                .hint(format!("give it `--budget {needs}`, or leave this reviewer out")))
        }
    }
}

fn shown(ui: &Ui, metadata: &Value) {
    if ui.json {
        return ui.success(metadata.clone());
    }
    let of = |key: &str| metadata[key].as_u64().unwrap_or_default();
    let cut = if metadata["noteInjected"] == true { ", cut" } else { ", whole" };
    ui.say(format_args!(
        "a prompt of about {} tokens, of {} that it may have{cut}",
        of("estimatedTokens"),
        of("effectiveBudget"),
    ));
}

fn sources(context: &Context, args: &PromptBudgetArgs) -> Result<Sources, CommandError> {
    let required = |what: &str, path: &Utf8Path| {
        read(context, path)?.ok_or_else(|| {
            let message = format!("there is no {what} file `{path}`");
            CommandError::new(ExitStatus::Unknown, "no-input", message)
                .hint("give the path of a file that is there")
        })
    };
    let optional = |path: &Option<camino::Utf8PathBuf>| match path {
        Some(path) => read(context, path),
        None => Ok(None),
    };
    let plan = |path: &camino::Utf8PathBuf| {
        let name = path.file_name().unwrap_or(path.as_str()).to_owned();
        Ok((name, required("plan", path)?))
    };
    Ok(Sources {
        instructions: required("instructions", &args.instructions_file)?,
        roadmap: required("roadmap", &args.roadmap_file)?,
        plans: args.plan_file.iter().map(plan).collect::<Result<_, CommandError>>()?,
        project: optional(&args.project_file)?,
        context: optional(&args.context_file)?,
        research: optional(&args.research_file)?,
        requirements: optional(&args.requirements_file)?,
    })
}

/// The text of a file; `None` if there is none.
fn read(context: &Context, path: &Utf8Path) -> Result<Option<String>, CommandError> {
    match fs::read_bounded(&context.env.absolute(path), MAX_FILE, Links::Follow) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => {
            Err(CommandError::from_error(ExitStatus::Diagnostics, "input-unreadable", &error))
        }
    }
}

fn write(context: &Context, path: &Utf8Path, bytes: &[u8]) -> Result<(), CommandError> {
    fs::write_atomic(&context.env.absolute(path), bytes).map_err(|error| {
        CommandError::from_error(ExitStatus::Diagnostics, "output-unwritable", &error)
            .hint("give the path of a file in a folder that is there")
    })
}
