//! Runners that are given files by name: tests and scripts.

use crate::lint::path;
use crate::lint::shell::{Simple, Word};

/// The files that a runner of tests or scripts is given by name, with the word of each.
pub(in crate::lint) fn operands(command: &Simple) -> Vec<&Word> {
    let arguments = command.arguments();
    let skipped = match command.program() {
        "node" | "tsx" | "ts-node" | "deno" | "python" | "python3" | "bash" | "sh" | "ruby"
        | "pytest" | "vitest" | "jest" | "mocha" | "rspec" | "php" => 0,
        "npx" | "bunx" => match arguments.first().map(|word| word.text.as_str()) {
            Some("vitest" | "jest" | "tsx" | "playwright" | "mocha") => 1,
            Some(_) | None => return vec![],
        },
        "uv" | "poetry" | "pnpm" | "yarn" => {
            match arguments
                .iter()
                .position(|w| ["pytest", "vitest", "jest", "python"].contains(&w.text.as_str()))
            {
                Some(at) if at <= 2 => at + 1,
                Some(_) | None => return vec![],
            }
        }
        _ => return vec![],
    };
    let inline = ["-c", "-e", "--eval", "-p", "-m"];
    if arguments.iter().any(|word| inline.contains(&word.text.as_str())) {
        return vec![];
    }
    let mut previous_is_option = false;
    arguments[skipped.min(arguments.len())..]
        .iter()
        .filter(|word| {
            let option = word.text.starts_with('-');
            // The word after an option may be its value, such as a report that is written.
            let judged = !option && !previous_is_option && !word.expands;
            previous_is_option = option
                && !word.text.contains('=')
                && !["--test", "--watch", "--run", "-x", "-v", "-q", "-vv", "-s"]
                    .contains(&word.text.as_str());
            let name = word.text.split("::").next().unwrap_or_default();
            judged && name.contains('/') && path::has_known_extension(name)
        })
        .collect()
}
