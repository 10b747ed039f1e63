//! Runners that are given files by name: tests and scripts.

use crate::lint::path;
use crate::lint::shell::{Simple, Word};

/// The files that a runner of tests or scripts is given by name, with the word of each.
pub(in crate::lint) fn operands(command: &Simple) -> Vec<&Word> {
    let arguments = command.arguments();
    let Some(arguments) = of_runner(command.program(), arguments) else { return vec![] };
    // A program on the command line may take whatever it likes.
    let inline = ["-c", "-e", "--eval", "-p"];
    if arguments.iter().any(|word| inline.contains(&word.text.as_str())) {
        return vec![];
    }
    let mut previous_is_option = false;
    arguments
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

/// What a runner is given, without the words that start it: `python -m pytest`, `npx vitest run`.
fn of_runner<'a>(program: &str, arguments: &'a [Word]) -> Option<&'a [Word]> {
    let text = |at: usize| arguments.get(at).map(|word| word.text.as_str());
    match program {
        "python" | "python3" if text(0) == Some("-m") => {
            matches!(text(1)?, "pytest" | "unittest").then(|| &arguments[2..])
        }
        "node" | "tsx" | "ts-node" | "deno" | "python" | "python3" | "bash" | "sh" | "ruby"
        | "pytest" | "vitest" | "jest" | "mocha" | "rspec" | "php" => Some(arguments),
        "npx" | "bunx" => {
            let known = ["vitest", "jest", "tsx", "playwright", "mocha"];
            known.contains(&text(0)?).then(|| &arguments[1..])
        }
        "uv" | "poetry" | "pnpm" | "yarn" | "pipenv" | "hatch" => {
            let known = ["pytest", "vitest", "jest", "python", "python3"];
            let at = arguments.iter().take(3).position(|w| known.contains(&w.text.as_str()))?;
            of_runner(&arguments[at].text, &arguments[at + 1..])
        }
        _ => None,
    }
}
