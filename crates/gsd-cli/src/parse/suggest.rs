//! What an error of the command line tells to type: names that help shows, and options that exist.

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// An error without names that are kept for older callers only.
pub(super) fn without_hidden_names(mut error: Error, definition: &Command) -> Error {
    let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand) else {
        return error;
    };
    let shown: Vec<String> =
        names.iter().filter(|name| !is_hidden(definition, name)).cloned().collect();
    if shown.len() < names.len() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(shown));
    }
    error
}

/// Whether a name is an alias that no help shows.
fn is_hidden(command: &Command, name: &str) -> bool {
    command.get_subcommands().any(|below| {
        let aliased = below.get_all_aliases().any(|alias| alias == name)
            && !below.get_visible_aliases().any(|alias| alias == name);
        aliased || is_hidden(below, name)
    })
}

/// `gsd config set --user`: a layer is named by `--layer`.
pub(super) fn with_layer(mut error: Error) -> Error {
    let layer = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) => option.trim_start_matches('-').to_owned(),
        Some(_) | None => return error,
    };
    let known = ["user", "workstream"].contains(&layer.as_str());
    if error.kind() == ErrorKind::UnknownArgument && known {
        let tip = StyledStr::from(format!("the layer is named by '--layer {layer}'"));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}
