//! A check of a task cannot fail.

use crate::diag::{Diagnostic, Level, Rule};
use crate::lint::shell::{Node, Simple};
use crate::lint::view::{View, is_work, task_name};
use crate::lint::{Check, shell};
use crate::planning::Command;

pub(super) static CHECK: Check = Check { rule: &RULE, run };

static RULE: Rule = Rule {
    code: "plan/verify-cannot-fail",
    level: Level::Error,
    summary: "a check of a task cannot fail",
    docs: include_str!("verify_cannot_fail.md"),
};

fn run(view: &View<'_>, found: &mut Vec<Diagnostic>) {
    for plan in &view.plans {
        for (index, task) in plan.tasks().filter(|(_, task)| is_work(task)) {
            let Some(verify) = &task.verify else { continue };
            let automated: Vec<&Command> = verify.commands.iter().filter(|c| c.automated).collect();
            // Without a marked command, a line of its own is taken for one.
            let commands = if automated.is_empty() && verify.prose.lines.len() == 1 {
                let whole = verify.prose.text();
                verify
                    .commands
                    .iter()
                    .filter(|c| c.text.trim() == whole.trim().trim_matches('`'))
                    .collect()
            } else {
                automated
            };
            let judged: Vec<(&Command, Option<Why>)> =
                commands.iter().map(|command| (*command, why_not(&command.text))).collect();
            let hopeless = judged.iter().all(|(_, why)| why.is_some());
            for (command, why) in &judged {
                let Some(why) = why else { continue };
                // Beside a check that can fail, an `echo` is only talk; a swallowed result is not.
                let swallowed = match why {
                    Why::Harmless(_) => false,
                    Why::Swallowed(_) | Why::Piped(_) => true,
                };
                if !hopeless && !swallowed {
                    continue;
                }
                let mut diagnostic = RULE.at(
                    plan.at_line_of(&command.span),
                    format!("the check of {} cannot fail: {}", task_name(index), why.reason()),
                );
                if matches!(why, Why::Piped(_)) || !hopeless {
                    diagnostic = diagnostic.with_level(Level::Warning);
                }
                found.push(diagnostic.help("use a command that fails while the task is not done"));
            }
        }
    }
}

/// Why a command line always succeeds.
enum Why {
    /// The program never fails.
    Harmless(String),
    /// `|| true` and the like throw a failure away.
    Swallowed(String),
    /// Only the last program of a pipe counts.
    Piped(String),
}

impl Why {
    fn reason(&self) -> String {
        match self {
            Self::Harmless(program) => format!("`{program}` always succeeds"),
            Self::Swallowed(by) => format!("`{by}` throws the result away"),
            Self::Piped(last) => format!("the result is that of `{last}`"),
        }
    }
}

fn why_not(text: &str) -> Option<Why> {
    // These make a script stop at its first failure, or a pipe fail with any of its parts.
    if text.contains("set -e") || text.contains("pipefail") || text.contains("errexit") {
        return None;
    }
    always_succeeds(&shell::parse(text)?)
}

fn always_succeeds(node: &Node) -> Option<Why> {
    match node {
        Node::Simple(simple) => harmless(simple).map(Why::Harmless),
        Node::And(a, b) => {
            let (first, second) = (always_succeeds(a)?, always_succeeds(b)?);
            Some(match (first, second) {
                (Why::Harmless(_), second) => second,
                (first, _) => first,
            })
        }
        Node::Or(a, b) => match always_succeeds(b) {
            Some(Why::Harmless(by)) => match **b {
                Node::Simple(_) => Some(Why::Swallowed(format!("|| {by}"))),
                _ => Some(Why::Swallowed(by)),
            },
            Some(why) => Some(why),
            None => always_succeeds(a),
        },
        Node::Then(a, b) => match (always_succeeds(b)?, always_succeeds(a)) {
            // What stood before had a result, and nobody looks at it.
            (Why::Harmless(by), None) => Some(Why::Swallowed(format!("; {by}"))),
            (why, _) => Some(why),
        },
        Node::Pipe(a, b) => match (always_succeeds(b), always_succeeds(a)) {
            (Some(Why::Harmless(last)), None) => Some(Why::Piped(last)),
            (why, _) => why,
        },
        Node::Subshell(inner) => always_succeeds(inner),
        Node::Not(_) | Node::Opaque => None,
    }
}

/// The program, if it succeeds whatever the project looks like.
fn harmless(simple: &Simple) -> Option<String> {
    let arguments = simple.arguments();
    let first = arguments.first().map(|word| word.text.as_str());
    let always = match simple.program() {
        "echo" | "printf" | "true" | ":" | "pwd" | "date" | "sleep" | "clear" => true,
        "exit" => first == Some("0"),
        "return" => first == Some("0"),
        // Without a file they only look at what comes in.
        "tail" | "head" | "wc" | "cat" | "tee" | "sort" | "uniq" | "less" => arguments
            .iter()
            .all(|word| word.text.starts_with('-') || word.text.parse::<u64>().is_ok()),
        "git" => match first {
            Some("status") => true,
            Some("diff") => !arguments
                .iter()
                .any(|word| ["--exit-code", "--quiet", "--check"].contains(&word.text.as_str())),
            Some(_) | None => false,
        },
        "node" | "python" | "python3" => match arguments {
            [flag, code] if matches!(flag.text.as_str(), "-e" | "-c") => only_prints(&code.text),
            _ => false,
        },
        "ls" => arguments.iter().all(|word| word.text.starts_with('-')),
        "test" | "[" => match arguments {
            [flag, text, ..] if flag.text == "-n" => !text.expands && !text.text.is_empty(),
            [a, equals, b, ..] => {
                ["=", "==", "-eq"].contains(&equals.text.as_str()) && !a.expands && a.text == b.text
            }
            _ => false,
        },
        _ => false,
    };
    always.then(|| match (simple.program(), first) {
        ("exit" | "return", Some(code)) => format!("{} {code}", simple.program()),
        (program, _) => program.to_owned(),
    })
}

/// `console.log('ok')`, `print("ok")`: nothing but a fixed text.
fn only_prints(code: &str) -> bool {
    let code = code.trim().trim_end_matches(';');
    let inner = ["console.log(", "print("].iter().find_map(|call| code.strip_prefix(call));
    let Some(text) = inner.and_then(|inner| inner.strip_suffix(')')) else { return false };
    ['"', '\''].iter().any(|quote| {
        let inner = text.trim().strip_prefix(*quote).and_then(|text| text.strip_suffix(*quote));
        inner.is_some_and(|inner| !inner.contains(*quote))
    })
}

#[cfg(test)]
mod tests {
    use super::why_not;

    #[test]
    fn what_can_fail_and_what_cannot() {
        for text in [
            "echo done",
            "true",
            ":",
            "exit 0",
            "npm test || true",
            "npm test || echo failed",
            "npm test; true",
            "npm test; exit 0",
            "npm test && echo ok || echo no",
            "npm test 2>&1 | tail -20",
            "(npm test || :)",
            "test -n \"x\"",
            "[ 1 = 1 ]",
            "ls",
            "grep -c x a.ts | wc -l",
            "npm test || { echo no; true; }",
            "echo a && echo b",
            "git diff --stat",
            "node -e \"console.log('ok')\"",
        ] {
            assert!(why_not(text).is_some(), "{text}");
        }
        for text in [
            "npm test",
            "npm test && echo ok",
            "npm test || exit 1",
            "npm test || { echo no; exit 1; }",
            "! grep -rn x src",
            "grep -q x a.ts",
            "curl -s localhost | grep -q ok",
            "set -euo pipefail; npm test | tail -5",
            "ls src/a.ts",
            "test -f src/a.ts",
            "test -n \"$(git log -1)\"",
            "for f in a b; do test -f $f || true; done",
            "cd web && npm test",
            "echo '{}' | node check.js",
            "cat package.json",
            "git diff --exit-code",
            "node -e \"console.log(require('./a').b)\"",
            "node -e \"console.log('a', f('b'))\"",
            "echo x; npm test",
            "[ \"$(wc -l < a)\" -ge 3 ]",
            "node -e \"process.exit(0)\" || npm test",
        ] {
            assert!(why_not(text).is_none(), "{text}");
        }
    }
}
