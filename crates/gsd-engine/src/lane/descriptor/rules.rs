//! What can be wrong with a `reviewer` body.

use crate::diag::{Level, Rule};

/// `agentArg` and `{{agent}}` do not go together.
pub static AGENT_PLACEHOLDER: Rule = Rule {
    code: "reviewer/agent-placeholder",
    level: Level::Error,
    summary: "`agentArg` and `{{agent}}` do not go together",
    docs: include_str!("rules/agent_placeholder.md"),
};

/// A program is named in a way that could start another one.
pub static BAD_BINARY: Rule = Rule {
    code: "reviewer/bad-binary",
    level: Level::Error,
    summary: "a program is named in a way that could start another one",
    docs: include_str!("rules/bad_binary.md"),
};

/// A file of a lane has a bad name, is too long, or is one too many.
pub static BAD_FILE: Rule = Rule {
    code: "reviewer/bad-file",
    level: Level::Error,
    summary: "a file of a lane has a bad name, is too long, or is one too many",
    docs: include_str!("rules/bad_file.md"),
};

/// A flag is not spelled as flags are.
pub static BAD_FLAG: Rule = Rule {
    code: "reviewer/bad-flag",
    level: Level::Error,
    summary: "a flag is not spelled as flags are",
    docs: include_str!("rules/bad_flag.md"),
};

/// A lane's heading could be taken for something else.
pub static BAD_HEADING: Rule = Rule {
    code: "reviewer/bad-heading",
    level: Level::Error,
    summary: "a lane's heading could be taken for something else",
    docs: include_str!("rules/bad_heading.md"),
};

/// A default host is no base URL.
pub static BAD_HOST: Rule = Rule {
    code: "reviewer/bad-host",
    level: Level::Error,
    summary: "a default host is no base URL",
    docs: include_str!("rules/bad_host.md"),
};

/// A configuration key is malformed.
pub static BAD_KEY: Rule = Rule {
    code: "reviewer/bad-key",
    level: Level::Error,
    summary: "a configuration key is malformed",
    docs: include_str!("rules/bad_key.md"),
};

/// A number is out of its range.
pub static BAD_NUMBER: Rule = Rule {
    code: "reviewer/bad-number",
    level: Level::Error,
    summary: "a number is out of its range",
    docs: include_str!("rules/bad_number.md"),
};

/// A path could change where a request goes.
pub static BAD_PATH: Rule = Rule {
    code: "reviewer/bad-path",
    level: Level::Error,
    summary: "a path could change where a request goes",
    docs: include_str!("rules/bad_path.md"),
};

/// A place for a program's own files could be somebody else's.
pub static BAD_PLACE: Rule = Rule {
    code: "reviewer/bad-place",
    level: Level::Error,
    summary: "a place for a program's own files could be somebody else's",
    docs: include_str!("rules/bad_place.md"),
};

/// An argument looks like a placeholder and is none.
pub static BAD_PLACEHOLDER: Rule = Rule {
    code: "reviewer/bad-placeholder",
    level: Level::Error,
    summary: "an argument looks like a placeholder and is none",
    docs: include_str!("rules/bad_placeholder.md"),
};

/// A slug is not spelled as slugs are.
pub static BAD_SLUG: Rule = Rule {
    code: "reviewer/bad-slug",
    level: Level::Error,
    summary: "a slug is not spelled as slugs are",
    docs: include_str!("rules/bad_slug.md"),
};

/// A manifest asks for a variable that it may not have.
pub static BAD_VARIABLE: Rule = Rule {
    code: "reviewer/bad-variable",
    level: Level::Error,
    summary: "a manifest asks for a variable that it may not have",
    docs: include_str!("rules/bad_variable.md"),
};

/// A vendor is not one word.
pub static BAD_VENDOR: Rule = Rule {
    code: "reviewer/bad-vendor",
    level: Level::Error,
    summary: "a vendor is not one word",
    docs: include_str!("rules/bad_vendor.md"),
};

/// A lane lists a flag twice.
pub static DUPLICATE_FLAG: Rule = Rule {
    code: "reviewer/duplicate-flag",
    level: Level::Error,
    summary: "a lane lists a flag twice",
    docs: include_str!("rules/duplicate_flag.md"),
};

/// A lane takes an effort that never reaches the program.
pub static EFFORT_WITHOUT_EFFECT: Rule = Rule {
    code: "reviewer/effort-without-effect",
    level: Level::Warning,
    summary: "a lane takes an effort that never reaches the program",
    docs: include_str!("rules/effort_without_effect.md"),
};

/// A text is empty where it must say something.
pub static EMPTY_TEXT: Rule = Rule {
    code: "reviewer/empty-text",
    level: Level::Error,
    summary: "a text is empty where it must say something",
    docs: include_str!("rules/empty_text.md"),
};

/// A field does not belong to this kind of lane or probe.
pub static FORBIDDEN_FIELD: Rule = Rule {
    code: "reviewer/forbidden-field",
    level: Level::Error,
    summary: "a field does not belong to this kind of lane or probe",
    docs: include_str!("rules/forbidden_field.md"),
};

/// A handler does not work on this transport.
pub static HANDLER_TRANSPORT: Rule = Rule {
    code: "reviewer/handler-transport",
    level: Level::Error,
    summary: "a handler does not work on this transport",
    docs: include_str!("rules/handler_transport.md"),
};

/// The handler of a server's lane is left to be guessed.
pub static IMPLIED_HANDLER: Rule = Rule {
    code: "reviewer/implied-handler",
    level: Level::Warning,
    summary: "the handler of a server's lane is left to be guessed",
    docs: include_str!("rules/implied_handler.md"),
};

/// Fields of a program and of a server are mixed.
pub static MIXED_SHAPES: Rule = Rule {
    code: "reviewer/mixed-shapes",
    level: Level::Error,
    summary: "fields of a program and of a server are mixed",
    docs: include_str!("rules/mixed_shapes.md"),
};

/// A model can be configured or passed on, but not both.
pub static MODEL_KEY: Rule = Rule {
    code: "reviewer/model-key",
    level: Level::Warning,
    summary: "a model can be configured or passed on, but not both",
    docs: include_str!("rules/model_key.md"),
};

/// `modelArg` and `{{model}}` do not go together.
pub static MODEL_PLACEHOLDER: Rule = Rule {
    code: "reviewer/model-placeholder",
    level: Level::Error,
    summary: "`modelArg` and `{{model}}` do not go together",
    docs: include_str!("rules/model_placeholder.md"),
};

/// A lane has no flag.
pub static NO_FLAG: Rule = Rule {
    code: "reviewer/no-flag",
    level: Level::Error,
    summary: "a lane has no flag",
    docs: include_str!("rules/no_flag.md"),
};

/// A lane without a prompt claims to read the plans.
pub static NO_PROMPT_EVIDENCE: Rule = Rule {
    code: "reviewer/no-prompt-evidence",
    level: Level::Warning,
    summary: "a lane without a prompt claims to read the plans",
    docs: include_str!("rules/no_prompt_evidence.md"),
};

/// Nobody explains an empty answer.
pub static OUTPUT_OWNER: Rule = Rule {
    code: "reviewer/output-owner",
    level: Level::Error,
    summary: "nobody explains an empty answer",
    docs: include_str!("rules/output_owner.md"),
};

/// `outputChannel` and `{{output}}` do not go together.
pub static OUTPUT_PLACEHOLDER: Rule = Rule {
    code: "reviewer/output-placeholder",
    level: Level::Error,
    summary: "`outputChannel` and `{{output}}` do not go together",
    docs: include_str!("rules/output_placeholder.md"),
};

/// The probe looks at something else than the lane uses.
pub static PROBE_MISMATCH: Rule = Rule {
    code: "reviewer/probe-mismatch",
    level: Level::Warning,
    summary: "the probe looks at something else than the lane uses",
    docs: include_str!("rules/probe_mismatch.md"),
};

/// `promptChannel` and `{{prompt}}` do not go together.
pub static PROMPT_PLACEHOLDER: Rule = Rule {
    code: "reviewer/prompt-placeholder",
    level: Level::Error,
    summary: "`promptChannel` and `{{prompt}}` do not go together",
    docs: include_str!("rules/prompt_placeholder.md"),
};

/// A flag is an option of gsd.
pub static RESERVED_FLAG: Rule = Rule {
    code: "reviewer/reserved-flag",
    level: Level::Error,
    summary: "a flag is an option of gsd",
    docs: include_str!("rules/reserved_flag.md"),
};

/// A time limit is shorter than any review.
pub static SHORT_TIME_LIMIT: Rule = Rule {
    code: "reviewer/short-time-limit",
    level: Level::Warning,
    summary: "a time limit is shorter than any review",
    docs: include_str!("rules/short_time_limit.md"),
};

/// An argument has the name of a placeholder in single braces.
pub static SINGLE_BRACES: Rule = Rule {
    code: "reviewer/single-braces",
    level: Level::Warning,
    summary: "an argument has the name of a placeholder in single braces",
    docs: include_str!("rules/single_braces.md"),
};

/// A list is longer than any lane needs.
pub static TOO_MANY: Rule = Rule {
    code: "reviewer/too-many",
    level: Level::Error,
    summary: "a list is longer than any lane needs",
    docs: include_str!("rules/too_many.md"),
};

/// A word is none of a closed list.
pub static UNKNOWN_WORD: Rule = Rule {
    code: "reviewer/unknown-word",
    level: Level::Error,
    summary: "a word is none of a closed list",
    docs: include_str!("rules/unknown_word.md"),
};

/// Every rule of this module.
pub static RULES: &[&Rule] = &[
    &AGENT_PLACEHOLDER,
    &BAD_BINARY,
    &BAD_FILE,
    &BAD_FLAG,
    &BAD_HEADING,
    &BAD_HOST,
    &BAD_KEY,
    &BAD_NUMBER,
    &BAD_PATH,
    &BAD_PLACE,
    &BAD_PLACEHOLDER,
    &BAD_SLUG,
    &BAD_VARIABLE,
    &BAD_VENDOR,
    &DUPLICATE_FLAG,
    &EFFORT_WITHOUT_EFFECT,
    &EMPTY_TEXT,
    &FORBIDDEN_FIELD,
    &HANDLER_TRANSPORT,
    &IMPLIED_HANDLER,
    &MIXED_SHAPES,
    &MODEL_KEY,
    &MODEL_PLACEHOLDER,
    &NO_FLAG,
    &NO_PROMPT_EVIDENCE,
    &OUTPUT_OWNER,
    &OUTPUT_PLACEHOLDER,
    &PROBE_MISMATCH,
    &PROMPT_PLACEHOLDER,
    &RESERVED_FLAG,
    &SHORT_TIME_LIMIT,
    &SINGLE_BRACES,
    &TOO_MANY,
    &UNKNOWN_WORD,
];

/// Every option of every command that takes the flags of lanes, in order.
pub const RESERVED_FLAGS: [&str; 69] = [
    "--agent",
    "--all",
    "--as",
    "--auto-update",
    "--cap",
    "--color",
    "--compat",
    "--cwd",
    "--deadline",
    "--dry-run",
    "--exclude",
    "--explain",
    "--explicit",
    "--fail-on",
    "--fix",
    "--flags",
    "--force",
    "--format",
    "--from",
    "--full",
    "--help",
    "--html",
    "--ignore",
    "--instance",
    "--jobs",
    "--json",
    "--json-errors",
    "--json-out",
    "--keep",
    "--keep-run",
    "--lane",
    "--lane-timeout",
    "--lanes",
    "--list",
    "--max-cycles",
    "--model",
    "--ndjson",
    "--no-color",
    "--no-progress",
    "--no-write",
    "--offline",
    "--only-available",
    "--out",
    "--output",
    "--phase",
    "--pick",
    "--plan",
    "--project",
    "--prompt-file",
    "--quick",
    "--quiet",
    "--raw",
    "--redact",
    "--repo-root",
    "--resume",
    "--reviewer",
    "--reviews",
    "--run-dir",
    "--sarif",
    "--scope",
    "--selected",
    "--self",
    "--slug",
    "--strict",
    "--text",
    "--timeout",
    "--verbose",
    "--version",
    "--yes",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_reserved_flags_are_sorted() {
        assert!(RULES.is_sorted_by(|a, b| a.code < b.code));
        assert!(RESERVED_FLAGS.is_sorted());
        assert!(RULES.iter().all(|rule| rule.docs.contains("Right:")));
    }
}
