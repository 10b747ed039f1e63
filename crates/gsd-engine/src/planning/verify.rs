//! What of a verification is a command that a machine can run, and what is prose.

use super::markdown::item;
use super::paths::code_spans;
use super::spanned::Prose;
use super::task::{Command, Verify};

/// Words that begin a command, also without a code span around it.
const PROGRAMS: [&str; 64] = [
    "ansible",
    "bash",
    "bats",
    "biome",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "cat",
    "cd",
    "cmake",
    "composer",
    "curl",
    "deno",
    "diff",
    "docker",
    "dotnet",
    "echo",
    "eslint",
    "false",
    "find",
    "flutter",
    "gem",
    "git",
    "go",
    "gradle",
    "grep",
    "helm",
    "jest",
    "jq",
    "kubectl",
    "ls",
    "make",
    "mix",
    "mocha",
    "mvn",
    "mypy",
    "node",
    "npm",
    "npx",
    "php",
    "phpunit",
    "playwright",
    "pnpm",
    "poetry",
    "psql",
    "pytest",
    "python",
    "python3",
    "rails",
    "rake",
    "rg",
    "ruby",
    "ruff",
    "sh",
    "swift",
    "terraform",
    "test",
    "true",
    "tsc",
    "uv",
    "vitest",
    "xcodebuild",
    "yarn",
];

/// Words that follow a program's name only where it is English: "make sure", "test the".
const ENGLISH: [&str; 14] = [
    "sure", "the", "a", "an", "that", "it", "is", "all", "each", "every", "this", "through", "and",
    "if",
];

/// Reads a verification; `automated` where the whole of it stands in `<automated>`.
pub(super) fn read(prose: Prose, automated: bool) -> Verify {
    let mut commands: Vec<Command> = vec![];
    let mut inside = automated;
    let mut fence = false;
    // Whether the last command goes on: its line ended with a backslash.
    let mut goes_on = false;
    for line in &prose.lines {
        let text = line.value.as_str();
        if text.trim_start().starts_with("```") && !text.trim_start()[3..].contains('`') {
            fence = !fence;
            goes_on = false;
            continue;
        }
        let mut at = 0;
        while at <= text.len() {
            let mark = if inside { "</automated>" } else { "<automated>" };
            let length = text[at..].find(mark).unwrap_or(text.len() - at);
            let start = line.span.start + at;
            let part = &text[at..at + length];
            if inside || fence {
                goes_on = whole(&mut commands, part, start, inside, goes_on);
            } else {
                spans(&mut commands, part, start);
                goes_on = false;
            }
            at += length;
            if at == text.len() {
                break;
            }
            at += mark.len();
            inside = !inside;
            goes_on = false;
        }
    }
    Verify { prose, commands }
}

/// A line that is a command as a whole.
fn whole(
    commands: &mut Vec<Command>,
    part: &str,
    start: usize,
    automated: bool,
    goes_on: bool,
) -> bool {
    let trimmed = part.trim_start();
    let mut from = part.len() - trimmed.len();
    let mut text = trimmed.trim_end();
    if let Some(rest) = text.strip_prefix("$ ") {
        from += 2;
        text = rest;
    }
    if let Some(rest) = text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'))
        && !rest.contains('`')
    {
        from += 1;
        text = rest;
    }
    if text.is_empty() || text.starts_with('#') {
        return goes_on;
    }
    let more = text.ends_with('\\');
    let shown = text.trim_end_matches('\\').trim_end();
    let span = start + from..start + from + text.len();
    match commands.last_mut().filter(|_| goes_on) {
        Some(last) => {
            last.text.push(' ');
            last.text.push_str(shown);
            last.span.end = span.end;
        }
        None => commands.push(Command { text: shown.to_owned(), span, automated }),
    }
    more
}

/// The commands in a line of prose.
fn spans(commands: &mut Vec<Command>, part: &str, start: usize) {
    let mut any = false;
    for (offset, span) in code_spans(part) {
        any = true;
        if begins_command(span) {
            let from = start + offset;
            let text = span.trim();
            let from = from + (span.len() - span.trim_start().len());
            commands.push(Command {
                text: text.to_owned(),
                span: from..from + text.len(),
                automated: false,
            });
        }
    }
    if any {
        return;
    }
    let body = item(part).map_or(0, |item| item.body.start);
    let body = body + (part[body..].len() - part[body..].trim_start().len());
    let body = if part[body..].starts_with("$ ") { body + 2 } else { body };
    let text = part[body..].trim_end();
    if begins_command(text) {
        let from = start + body;
        let span = from..from + text.len();
        commands.push(Command { text: text.to_owned(), span, automated: false });
    }
}

fn begins_command(text: &str) -> bool {
    let mut words = text.split_whitespace().skip_while(|word| {
        // `CI=1 npm test`
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
        })
    });
    let Some(first) = words.next() else { return false };
    let first = first.trim_start_matches(['!', '(']);
    let first = if first.is_empty() { words.next().unwrap_or_default() } else { first };
    let known = PROGRAMS.binary_search(&first).is_ok()
        || first.starts_with("./")
        || matches!(first, "[" | "[[");
    known && !words.next().is_some_and(|second| ENGLISH.contains(&second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<(String, bool)> {
        let verify = read(Prose::of(text, 0..text.len()), false);
        for command in &verify.commands {
            assert!(text.get(command.span.clone()).is_some());
        }
        verify.commands.into_iter().map(|command| (command.text, command.automated)).collect()
    }

    #[test]
    fn programs_are_sorted() {
        assert!(PROGRAMS.is_sorted());
    }

    #[test]
    fn commands_and_prose() {
        for (text, expected) in [
            (
                "<automated>npm test && npm run lint</automated>",
                &[("npm test && npm run lint", true)][..],
            ),
            (
                "<automated>\n  cargo test \\\n    --workspace\n  `echo ok`\n</automated>\nLooks right",
                &[("cargo test --workspace", true), ("echo ok", true)],
            ),
            ("Run `npm test`; the value of `x` is 1", &[("npm test", false)]),
            (
                "```bash\n# once\nmake check\nanything goes\n```\nmake sure it works",
                &[("make check", false), ("anything goes", false)],
            ),
            (
                "- CI=1 pytest -q\n- $ ./run.sh\n- ! grep -q foo bar",
                &[("CI=1 pytest -q", false), ("./run.sh", false), ("! grep -q foo bar", false)],
            ),
            ("Page looks correct; test the form", &[]),
            (
                "`go test ./...` passes, <automated>true",
                &[("go test ./...", false), ("true", true)],
            ),
        ] {
            let found = commands(text);
            let found: Vec<_> = found.iter().map(|(text, auto)| (text.as_str(), *auto)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
