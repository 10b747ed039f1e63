//! The schema of the reviewer body. Its words come from the types that read it.

use super::field;
use crate::id::{ConfigKey, LaneFlag, LaneSlug};
use crate::json::{Field, Schema, object, pattern_schema};
use crate::lane::confinement::Way;
use crate::lane::descriptor::rules::RESERVED_FLAGS;
use crate::lane::descriptor::{
    EffortChannel, EffortLevel, EmptyOutput, EvidenceClass, HTTP_ONLY, Handler, ModelDiscovery,
    OutputChannel, Posture, PromptChannel, PromptPlace, SPAWN_ONLY, Transport,
};
use crate::lane::words::schema as words;
use serde_json::{Value, json};

fn nullable(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

fn text() -> Value {
    json!({ "type": "string", "pattern": "^[^\\u0000]+$" })
}

fn milliseconds(maximum: u64) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": maximum })
}

/// A bare name, or an absolute path.
fn binary() -> Value {
    pattern_schema(
        "^(?!-)(?!\\.{1,2}$)(?!\\s)(?!.*\\s$)(?!(.*/)?\\.\\.(/|$))(/[^\\u0000-\\u001f\\u007f-\\u009f]*|[^/\\\\\\s\\u0000-\\u001f\\u007f-\\u009f]+)$",
    )
}

fn variable() -> Value {
    pattern_schema("^(?!LD_|DYLD_|GSD_|GIT_CONFIG)[A-Za-z_][A-Za-z0-9_]{0,127}$")
}

/// A place of a program's own files.
fn place() -> Value {
    pattern_schema(
        "^(~/(?=[^/])|\\$(?!(HOME|PWD|OLDPWD|TMPDIR|XDG_[A-Za-z0-9_]*)/$)(?!LD_|DYLD_|GSD_|GIT_CONFIG)[A-Za-z_][A-Za-z0-9_]{0,127}/)(?!(.*/)?\\.{1,2}(/|$))(?!.*//)(?!/)[^\\\\\\u0000-\\u001f\\u007f-\\u009f]{0,250}$",
    )
}

fn url_path() -> Value {
    pattern_schema("^/(?!.*//)(?!.*[?#@\\\\%])(?!(.*/)?\\.{1,2}(/|$))(?!/)[!-~]{0,1023}$")
}

fn need(mut one: Field) -> Field {
    one.required = true;
    one
}

pub(super) fn schema() -> Value {
    let key = || nullable(ConfigKey::schema());
    let mut flag = LaneFlag::schema();
    flag["not"] = json!({ "enum": RESERVED_FLAGS.as_slice() });
    let fields = vec![
        need(field(
            "slug",
            &["What the lane is called in settings and records."],
            r#""acme""#,
            LaneSlug::schema(),
        )),
        need(field(
            "flags",
            &["Options of `gsd review` that select the lane."],
            r#"["--acme"]"#,
            json!({ "type": "array", "items": flag, "minItems": 1, "maxItems": 256, "uniqueItems": true }),
        )),
        need(field(
            "transport",
            &["Whether a program is run or a server is asked."],
            "",
            words::<Transport>(),
        )),
        need(field("probe", &["How to find out whether the reviewer is there."], "", probe())),
        need(field(
            "invoke",
            &["How the reviewer is called; its shape goes with the transport."],
            "",
            json!({ "type": "object" }),
        )),
        need(field(
            "timeoutFloorMs",
            &["How long one call may take where no setting says otherwise, in milliseconds."],
            "900000",
            milliseconds(7_200_000),
        )),
        field(
            "timeoutConfigKey",
            &["The setting, in seconds, that overrides it; -1 is unset."],
            r#""review.timeouts.acme""#,
            key(),
        ),
        need(field(
            "emptyOutput",
            &["Who explains an answer without text."],
            "",
            words::<EmptyOutput>(),
        )),
        need(field(
            "reviewsSection",
            &["The heading of its section in the report."],
            r#""Acme""#,
            pattern_schema("^(?![#\\s])(?!.*\\s$)[^<>`\\u0000-\\u001f\\u007f-\\u009f]{1,80}$"),
        )),
        need(field(
            "evidenceClass",
            &["Whether it can open the files of the repository."],
            "",
            words::<EvidenceClass>(),
        )),
        need(field(
            "requiresBinaries",
            &["Programs that it needs beside its own."],
            "[]",
            json!({ "type": "array", "items": binary(), "maxItems": 256 }),
        )),
        need(field(
            "promptBudgetKey",
            &["The setting that bounds the prompt, in tokens; null for none."],
            "",
            key(),
        )),
        field("modelConfigKey", &["The setting that names the model; null for none."], "", key()),
        need(field(
            "handler",
            &["Code of gsd's that the lane needs; null for none."],
            "",
            nullable(words::<Handler>()),
        )),
        field(
            "env",
            &["Variables that the program may see beside the few that every child gets."],
            r#"["ACME_API_KEY"]"#,
            json!({ "type": "array", "items": variable(), "maxItems": 256 }),
        ),
        field(
            "setEnv",
            &["Variables that are set for the program."],
            "",
            json!({
                "type": "object", "propertyNames": variable(),
                "additionalProperties": { "type": "string" },
            }),
        ),
        field(
            "posture",
            &[
                "How much the program is trusted with the repository; read-only where nothing is said.",
            ],
            "",
            words::<Posture>(),
        ),
        field(
            "confinement",
            &["The one way to keep it from changing the project that does not break it; any way \
                 where nothing is said."],
            "",
            words::<Way>(),
        ),
        field(
            "state",
            &[
                "Where it keeps its own files: it may write there although it is confined.",
                "With a final `/` a folder, which is made if it is missing.",
            ],
            r#"["~/.acme/", "$ACME_HOME/"]"#,
            json!({
                "type": "array",
                "items": place(),
                "maxItems": 256,
            }),
        ),
        field(
            "setup",
            &[
                "Steps to run with the same program before the review: lists of arguments, or objects",
                "that also bound the step and take a value out of what it prints.",
            ],
            r#"[["new"], {"args": ["start"], "capture": {"name": "session", "after": "id: "}}]"#,
            json!({ "type": "array", "maxItems": 16, "items": { "anyOf": [args(), step()] } }),
        ),
        field(
            "acceptExit",
            &["Exit codes beside 0 after which the text is a review."],
            "[1]",
            json!({ "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } }),
        ),
        field(
            "vendor",
            &["Whose models answer: lanes of one vendor are not independent."],
            "",
            nullable(pattern_schema("^[a-z0-9-]{1,40}$")),
        ),
    ];
    let docs = ["A lane: one reviewer that plans are handed to."];
    let mut schema = object("Reviewer", &docs, fields);
    let when = |transport: Transport, invoke: Value| {
        json!({
            "if": {
                "properties": { "transport": { "const": transport.word() } },
                "required": ["transport"],
            },
            "then": { "properties": { "invoke": invoke } },
        })
    };
    schema["allOf"] =
        json!([when(Transport::Spawn, spawn()), when(Transport::OpenaiHttp, http()),]);
    schema
}

fn probe() -> Value {
    let kind = |word: &str, required: &[&str], forbidden: &[&str]| {
        json!({
            "if": { "properties": { "kind": { "const": word } }, "required": ["kind"] },
            "then": {
                "required": required,
                "properties": forbidden.iter().map(|key| ((*key).to_owned(), json!(false))).collect::<Value>(),
            },
        })
    };
    json!({
        "type": "object",
        "properties": {
            "kind": { "enum": ["command-exists", "command-capability", "http-reachable"] },
            "binary": described("The program.", binary()),
            "needle": described("A word that its help text has to hold.", text()),
            "timeoutMs": described("How long the probe may take, in milliseconds.", milliseconds(600_000)),
            "hostConfigKey": described("The setting that names the host.", ConfigKey::schema()),
            "path": described("The path that has to answer.", url_path()),
        },
        "required": ["kind"],
        "allOf": [
            kind("command-exists", &["binary"], &["needle", "timeoutMs", "hostConfigKey", "path"]),
            kind("command-capability", &["binary", "needle", "timeoutMs"], &["hostConfigKey", "path"]),
            kind("http-reachable", &["hostConfigKey", "path", "timeoutMs"], &["binary", "needle"]),
        ],
    })
}

fn described(docs: &str, schema: Value) -> Value {
    crate::json::described(schema, docs)
}

fn without(mut schema: Value, keys: &[&str]) -> Value {
    for key in keys {
        schema["properties"][*key] = json!(false);
    }
    schema
}

fn spawn() -> Value {
    let channel = || words::<EffortChannel>();
    let schema = object(
        "SpawnInvoke",
        &["How a program is run."],
        vec![
            need(field(
                "binary",
                &["The program: a bare name, or an absolute path."],
                r#""acme""#,
                binary(),
            )),
            need(field(
                "args",
                &[
                    "Its arguments. `{{model}}`, `{{effort}}`, `{{prompt}}`, `{{output}}`, `{{agent}}`, `{{time-limit}}`, `{{file:NAME}}` and `{{captured:NAME}}` are replaced; each is an argument of its own.",
                ],
                r#"["review", "{{model}}", "-p", "-"]"#,
                json!({ "type": "array", "maxItems": 256, "items": text_or_empty() }),
            )),
            need(field(
                "promptChannel",
                &["How the prompt reaches it."],
                "",
                words::<PromptChannel>(),
            )),
            need(field(
                "outputChannel",
                &["Where it leaves the review."],
                "",
                words::<OutputChannel>(),
            )),
            field(
                "outputArg",
                &["The option before the path of the output file."],
                r#""-o""#,
                text(),
            ),
            need(field(
                "modelArg",
                &["The option before the model; null for none."],
                r#""--model""#,
                nullable(text()),
            )),
            field("agentArg", &["The option before an agent."], "", nullable(text())),
            field(
                "defaultAgent",
                &["The agent where no instance names another."],
                "",
                nullable(text()),
            ),
            need(field("effortChannel", &["How it is told how hard to think."], "", channel())),
            field(
                "effortArgs",
                &["Arguments in which `{{level}}` becomes the level."],
                "",
                json!({ "type": "array", "items": text(), "maxItems": 256 }),
            ),
            field(
                "effortLevels",
                &["The levels that it knows."],
                "",
                json!({ "type": "array", "items": words::<EffortLevel>() }),
            ),
            field("effortEnv", &["The variable that holds the level."], "", nullable(variable())),
            field("promptPlace", &["Where the prompt file stands."], "", words::<PromptPlace>()),
            field(
                "files",
                &["Small files that are written beside the prompt, by name."],
                "",
                json!({
                    "type": "object",
                    "maxProperties": 8,
                    "propertyNames": { "pattern": "^[a-z][a-z0-9.-]{0,59}$" },
                    "additionalProperties": { "type": "string", "maxLength": 16384 },
                }),
            ),
        ],
    );
    let mut schema = without(schema, &HTTP_ONLY);
    let given = |key: &str, word: &str| json!({ "properties": { key: { "const": word } }, "required": [key] });
    schema["allOf"] = json!([
        { "if": given("outputChannel", "file-arg"), "then": { "required": ["outputArg"] } },
        { "if": given("outputChannel", "stdout"), "then": { "properties": { "outputArg": false } } },
        {
            "if": given("effortChannel", "none"),
            "then": { "properties": { "effortArgs": false, "effortEnv": false } },
        },
        { "if": given("effortChannel", "argv"), "then": { "properties": { "effortEnv": false } } },
        { "if": given("effortChannel", "env"), "then": { "properties": { "effortArgs": false } } },
    ]);
    schema
}

fn text_or_empty() -> Value {
    json!({ "type": "string", "pattern": "^[^\\u0000]*$" })
}

fn http() -> Value {
    let schema = object(
        "HttpInvoke",
        &["How a server is asked."],
        vec![
            need(field(
                "hostConfigKey",
                &["The setting that names the server."],
                r#""review.acme_host""#,
                ConfigKey::schema(),
            )),
            field(
                "defaultHost",
                &["The server where no setting names one: a base URL."],
                r#""http://localhost:8080""#,
                nullable(pattern_schema(
                    "^https?://[A-Za-z0-9\\[][^@?#\\\\\\s\\u0000-\\u001f\\u007f-\\u009f]*$",
                )),
            ),
            need(field(
                "path",
                &["The path of chat completions."],
                r#""/v1/chat/completions""#,
                url_path(),
            )),
            need(field(
                "modelDiscovery",
                &["Where the model comes from when nobody names one."],
                "",
                words::<ModelDiscovery>(),
            )),
            field("fallbackModel", &["The model when none is found."], "", nullable(text())),
            field(
                "streaming",
                &["Whether the server can answer piece by piece; false unless given."],
                "true",
                json!({ "type": "boolean" }),
            ),
            need(field("effortChannel", &["Always `none`."], "", json!({ "const": "none" }))),
        ],
    );
    without(schema, &SPAWN_ONLY)
}

fn args() -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 256 })
}

fn step() -> Value {
    json!({
        "type": "object",
        "required": ["args"],
        "properties": {
            "args": args(),
            "timeoutMs": { "type": "integer", "minimum": 1, "maximum": 600_000 },
            "capture": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": { "type": "string", "pattern": "^[a-z0-9_]{1,40}$" },
                    "after": { "type": "string", "minLength": 1 },
                    "pointer": { "type": "string", "pattern": "^/" },
                },
            },
        },
    })
}
