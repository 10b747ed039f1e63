//! Plans in each of the shapes that people write, and what each of them says.

use super::tests::read;
use super::*;

fn task_names(plan: &Plan) -> Vec<&str> {
    plan.tasks.iter().map(|task| task.name.as_ref().map_or("", |name| &name.value)).collect()
}

fn paths(list: &Option<List>) -> Vec<&str> {
    let list = list.as_ref().expect("the part is there");
    list.value.iter().map(|path| path.value.as_str()).collect()
}

fn codes(text: &str) -> Vec<&'static str> {
    read(text).1.iter().map(|found| found.rule.code).collect()
}

#[test]
fn blocks_with_everything() {
    let text = r#"<execution_context>
@~/.claude/get-shit-done/workflows/execute-plan.md
</execution_context>
<context>
@.planning/STATE.md
<interfaces>
fn f<T>(x: Vec<T>) -> bool;
</interfaces>
</context>
<tasks>
<task type="checkpoint:decision" gate="blocking">
  <decision>Which store</decision>
  <options>a or b</options>
  <resume-signal>Say a or b</resume-signal>
</task>
<task type='tracer' tdd="true" id="2">
  <title>Task 2: Thread <b>all</b> layers</title>
  <reversibility rating="one-way">Rows are dropped.</reversibility>
  <files>
    - `src/a.rs`
    - src/b.rs (new)
  </files>
  <read_first>src/c.rs:10-20, @src/d.rs</read_first>
  <precondition>The server runs</precondition>
  <action>Use `<task>` and a < b && c > d; see </name> in <other></action>
  <verify>Run `cargo test`, then look. <automated>cargo test -p a</automated></verify>
  <acceptance-criteria>
    1. First
       goes on
    2. Second
       - inner
  </acceptance-criteria>
  <done>All <done> is done</done>
  <notes>Mind the gap</notes>
</task>
<task type="checkpoint:human_verify">
  <what-built>A page</what-built>
  <how-to-verify>Open it</how-to-verify>
</task>
</tasks>
<success_criteria>
It works.
</success_criteria>
"#;
    let (plan, diagnostics) = read(text);
    assert_eq!(diagnostics, []);
    assert_eq!(plan.shape, Shape::Blocks);
    let refs: Vec<_> = plan.context_refs.iter().map(|path| path.value.as_str()).collect();
    assert_eq!(refs, [".planning/STATE.md"]);
    assert_eq!(plan.execution_refs.len(), 1);
    assert_eq!(plan.interfaces.expect("there").text(), "fn f<T>(x: Vec<T>) -> bool;");
    assert_eq!(plan.success_criteria.expect("there").text(), "It works.");
    let [decision, tracer, verify] = plan.tasks.as_slice() else { panic!("{:#?}", plan.tasks) };
    assert_eq!(decision.kind.value, TaskKind::Checkpoint(Checkpoint::Decision));
    assert_eq!(decision.resume_signal.as_ref().expect("there").text(), "Say a or b");
    assert_eq!(verify.kind.value, TaskKind::Checkpoint(Checkpoint::HumanVerify));
    assert_eq!(verify.how_to_verify.as_ref().expect("there").text(), "Open it");
    assert_eq!((&tracer.kind.value, tracer.tdd), (&TaskKind::Tracer, true));
    assert_eq!(&text[tracer.kind.span.clone()], "tracer");
    assert_eq!(tracer.name.as_ref().expect("there").value, "Task 2: Thread <b>all</b> layers");
    assert_eq!(paths(&tracer.files), ["src/a.rs", "src/b.rs"]);
    assert_eq!(paths(&tracer.read_first), ["src/c.rs", "src/d.rs"]);
    let reversibility = tracer.reversibility.as_ref().expect("there");
    assert_eq!(reversibility.rating.as_ref().expect("there").value, "one-way");
    assert!(tracer.action.as_ref().expect("there").text().ends_with("see </name> in <other>"));
    let commands = &tracer.verify.as_ref().expect("there").commands;
    let commands: Vec<_> = commands.iter().map(|c| (c.text.as_str(), c.automated)).collect();
    assert_eq!(commands, [("cargo test", false), ("cargo test -p a", true)]);
    let criteria = tracer.acceptance_criteria.as_ref().expect("there");
    let criteria: Vec<_> = criteria.value.iter().map(|item| item.value.as_str()).collect();
    assert_eq!(criteria, ["First goes on", "Second - inner"]);
    assert_eq!(tracer.done.as_ref().expect("there").text(), "All <done> is done");
    assert_eq!(tracer.other[0].value.name, "notes");
}

#[test]
fn blocks_that_nobody_closed() {
    let text = "<objective>\nGoal\n\n<tasks>\n<task type=\"auto\">\n<name>A</name>\n<action>\nDo `x`\n<verify>npm test</verify>\n<done>ok\n\n<task type=\"auto\">\n<name>B</name>\n<files>a.rs</files>\n</task>\n\n<verification>\nAll\n";
    let (plan, diagnostics) = read(text);
    assert_eq!(task_names(&plan), ["A", "B"]);
    assert_eq!(plan.objective.expect("there").text(), "Goal");
    assert_eq!(plan.tasks[0].action.as_ref().expect("there").text(), "Do `x`");
    assert_eq!(plan.tasks[0].verify.as_ref().expect("there").commands[0].text, "npm test");
    assert_eq!(plan.tasks[0].done.as_ref().expect("there").text(), "ok");
    assert_eq!(plan.verification.expect("there").text(), "All");
    assert_eq!(diagnostics.len(), 1, "said once a file");
    assert_eq!(diagnostics[0].rule.code, BLOCK_UNCLOSED.code);
    assert_eq!(diagnostics[0].at.line(), 1);
    assert!(diagnostics[0].message.contains("5 other blocks"), "{}", diagnostics[0].message);
}

#[test]
fn tags_that_are_no_structure() {
    for text in [
        "<tasks>\n<task type=\"auto\">\n<name>A</name>\n<action>\n```xml\n<task type=\"auto\">\n<name>no</name>\n</task>\n```\n</action>\n</task>\n</tasks>\n",
        "<task>\n<name>A</name>\n<action>Write `</action>` and `<task>` in code</action>\n</task>\n",
        "<!--\n<task>\n<name>old</name>\n</task>\n-->\n<task>\n<name>A</name>\n</task>\n",
        "<task>\n<name>A</name>\n<action>\n```\nnever closed\n</action>\n<done>d</done>\n</task>\n",
        "<task>\n<name>A</name>\n<action>\nCall <branch>\nor <Vec<u8>> and <name>\n</action>\n</task>\n",
        "Each <task> has a <name>.\n<task>\n<name>A</name>\n</task>\n<!-- never closed\n",
    ] {
        let (plan, diagnostics) = read(text);
        assert_eq!(task_names(&plan), ["A"], "{text}");
        assert_eq!(diagnostics, [], "{text}");
    }
}

#[test]
fn a_feature_is_a_test_first_task() {
    let text = "---\ntype: tdd\n---\n<feature>\n<name>Parse</name>\n<files>a.rs, a_test.rs</files>\n<behavior>\n- x gives y\n</behavior>\n<implementation>Do</implementation>\n</feature>\n";
    let (plan, diagnostics) = read(text);
    assert_eq!(diagnostics, []);
    let task = &plan.tasks[0];
    assert_eq!((&task.kind.value, task.tdd), (&TaskKind::Tdd, true));
    assert_eq!(task.action.as_ref().expect("there").text(), "Do");
    assert_eq!(task.behavior.as_ref().expect("there").items().len(), 1);
}

#[test]
fn headings_with_labels() {
    let text = "## Objective\nBuild it.\n\n## Context\n- @src/a.rs\n\n## Tasks\n\n### Task 1: Board\n**Files:** `css/a.css`, `css/b.css`\n\n**Action:**\n1. Add:\n   - `--x: 1`\n\n2. Use it\n\n**Note:** this stays\n\n**Verify:** `npm test` passes\n\n**Done:** It glows\n\n---\n\n### Task 2: Import\nSome words first.\n\n- [ ] Add it\n\n**Files to create:**\n- src/new.rs\n\n**Files to modify:**\n- `src/lib.rs`\n\nThis converts all callers.\n\n#### Acceptance Criteria\n- one\n- two\n\n## Verification\n- [ ] All of it\n";
    let (plan, diagnostics) = read(text);
    assert_eq!(diagnostics, []);
    assert_eq!(plan.shape, Shape::Headings);
    assert_eq!(plan.objective.as_ref().expect("there").text(), "Build it.");
    assert_eq!(plan.context_refs[0].value, "src/a.rs");
    assert_eq!(task_names(&plan), ["Task 1: Board", "Task 2: Import"]);
    let [first, second] = plan.tasks.as_slice() else { panic!("two") };
    assert_eq!(paths(&first.files), ["css/a.css", "css/b.css"]);
    let action = first.action.as_ref().expect("there").text();
    assert!(action.starts_with("1. Add:") && action.ends_with("**Note:** this stays"), "{action}");
    assert_eq!(first.verify.as_ref().expect("there").commands[0].text, "npm test");
    assert_eq!(first.done.as_ref().expect("there").text(), "It glows");
    assert_eq!(paths(&second.files), ["src/new.rs", "src/lib.rs"]);
    let action = second.action.as_ref().expect("there").text();
    assert!(action.starts_with("Some words") && action.ends_with("all callers."), "{action}");
    assert_eq!(second.acceptance_criteria.as_ref().expect("there").value.len(), 2);
    assert!(second.verify.is_none());
    assert_eq!(plan.verification.as_ref().expect("there").items().len(), 1);
}

#[test]
fn lists_of_tasks() {
    for text in [
        "## Tasks\n\n- [ ] **Store** — keep entries\n  - Files: src/a.rs, src/b.rs\n  - Verify: `cargo test`\n- [x] Serve\n",
        "<tasks>\n\n1. **Store**: keep entries\n   - **Files:** `src/a.rs`, `src/b.rs`\n   - **Verify:** cargo test\n2. Serve\n</tasks>\n",
    ] {
        let (plan, diagnostics) = read(text);
        assert_eq!(diagnostics, [], "{text}");
        assert_eq!(plan.shape, Shape::Headings);
        assert_eq!(task_names(&plan), ["Store", "Serve"]);
        assert_eq!(paths(&plan.tasks[0].files), ["src/a.rs", "src/b.rs"]);
        assert_eq!(plan.tasks[0].verify.as_ref().expect("there").commands[0].text, "cargo test");
        assert_eq!(plan.tasks[0].action.as_ref().expect("there").text(), "keep entries");
    }
}

#[test]
fn tasks_that_no_heading_announces() {
    let (plan, diagnostics) = read(
        "# Plan\n\n**Task 1: Store**\n- Files: a.rs\n- Verify: `make check`\n\n**Task 2:** Serve\nDo it.\n\n## Notes\nx\n",
    );
    assert_eq!(diagnostics, []);
    assert_eq!(task_names(&plan), ["Task 1: Store", "Task 2: Serve"]);
    assert_eq!(paths(&plan.tasks[0].files), ["a.rs"]);
    assert_eq!(plan.tasks[1].action.as_ref().expect("there").text(), "Do it.");
    let (plan, _) = read(
        "# Plan\n\n- [ ] Task 1: Store\n  - Files: a.rs\n- [ ] Task 2: Serve\n\n## Notes\n- x\n",
    );
    assert_eq!(task_names(&plan), ["Task 1: Store", "Task 2: Serve"]);
    assert_eq!(paths(&plan.tasks[0].files), ["a.rs"]);
}

#[test]
fn both_mixed() {
    let text = "## Tasks\n\n<task type=\"auto\">\n<name>A</name>\n</task>\n\n### Task 2 — B\n**Files:** b.rs\n\n## Implementation steps\n- not a task\n";
    let (plan, diagnostics) = read(text);
    assert_eq!(diagnostics, []);
    assert_eq!(plan.shape, Shape::Mixed);
    assert_eq!(task_names(&plan), ["A", "Task 2 — B"]);
    // A heading above a block is the block's.
    let (plan, _) = read("### Task 1: A\nWords.\n\n<task>\n<name>A</name>\n</task>\n");
    assert_eq!((plan.shape, task_names(&plan)), (Shape::Blocks, vec!["A"]));
}

#[test]
fn a_plan_of_no_known_shape_is_said_to_be_so() {
    for text in ["", "\n", "# Plan\n\nWe will build it.\n", "\u{feff}---\nphase: 3\n---\nText\n"] {
        let (plan, diagnostics) = read(text);
        assert_eq!(plan.shape, Shape::Unrecognised);
        assert_eq!(diagnostics.len(), 1, "{text:?}");
        assert_eq!(diagnostics[0].rule.code, UNRECOGNISED_PLAN.code);
    }
}

#[test]
fn too_many_tasks_are_bounded() {
    for text in ["<task>\n<name>A</name>\n</task>\n".repeat(1200), "## Task 1\nx\n".repeat(1200)] {
        let (plan, diagnostics) = read(&text);
        assert_eq!(plan.tasks.len(), 1000);
        assert_eq!(diagnostics[0].rule.code, TOO_MANY_TASKS.code);
    }
}

#[test]
fn frontmatter_with_everything() {
    let text = "---\nphase: 03-store\nplan: 02B\ntype: execute\nwave: \"2\"\ndepends_on: [03-01, '03-02A']\nfiles_modified: []  # told later\nautonomous: no\nrequirements:\n- A-01\n- A-02\ngap_closure: true\nestimate: {tokens: 1000, tasks: 2, confidence: high}\nuser_setup:\n  - service: x\nstatus: superseded\nsource: y\nmust_haves:\n  truths:\n    - \"One\"\n  artifacts:\n    - src/a.rs\n    - path: src/b.rs\n      min_lines: 20\n      exports: [x, y]\n  key_links:\n    - src/a.rs imports src/b.rs\n    - from: src/a.rs\n      to: src/b.rs\n      pattern: 'b\\('\n---\n## Tasks\n- x\n";
    let (plan, diagnostics) = read(text);
    assert_eq!(diagnostics, []);
    let read = &plan.frontmatter;
    let text_of = |field: &Option<Spanned<String>>| field.as_ref().map(|f| f.value.clone());
    assert_eq!(read.reading, Reading::Yaml);
    assert_eq!(text_of(&read.phase).as_deref(), Some("03-store"));
    assert_eq!(text_of(&read.plan).as_deref(), Some("02B"));
    assert_eq!(read.wave.as_ref().map(|wave| wave.value), Some(2));
    assert_eq!(paths(&read.depends_on), ["03-01", "03-02A"]);
    assert_eq!(paths(&read.files_modified), Vec::<&str>::new());
    assert_eq!(read.autonomous.as_ref().map(|a| a.value), Some(false));
    assert_eq!(paths(&read.requirements), ["A-01", "A-02"]);
    assert_eq!(read.gap_closure.as_ref().map(|g| g.value), Some(true));
    let estimate = &read.estimate.as_ref().expect("there").value;
    assert_eq!(estimate.tokens.as_ref().map(|t| t.value), Some(1000));
    assert!(read.user_setup.is_some() && plan.is_superseded());
    assert_eq!(read.unknown[0].value, "source");
    let must = &read.must_haves.as_ref().expect("there").value;
    assert_eq!(text_of(&must.artifacts[0].value.path).as_deref(), Some("src/a.rs"));
    assert_eq!(must.artifacts[1].value.min_lines.as_ref().map(|m| m.value), Some(20));
    assert_eq!(must.artifacts[1].value.exports.len(), 2);
    assert!(must.key_links[0].value.text.is_some());
    assert_eq!(text_of(&must.key_links[1].value.pattern).as_deref(), Some("b\\("));
}

#[test]
fn broken_frontmatter_is_one_diagnostic_and_still_says_much() {
    let tasks = "## Tasks\n- x\n";
    for (what, yaml) in [
        ("a tab", "phase: 3\nwave: 2\nmust_haves:\n\ttruths:\n\t\t- a\n---\n"),
        ("an unquoted colon", "phase: 3\nwave: 2\nprovides: a: b\n---\n"),
        ("an open quote", "phase: 3\nwave: 2\ntitle: \"a\n---\n"),
        ("an open bracket", "phase: 3\nwave: 2\nx: [a, b\n---\n"),
        ("a code span", "phase: 3\nwave: 2\nx:\n  - `a`\n---\n"),
        ("an alias", "phase: 3\nwave: 2\nx: &a [b]\ny: *a\n---\n"),
        ("a star", "phase: 3\nwave: 2\nfiles:\n  - *.rs\n---\n"),
        ("no end", "phase: 3\nwave: 2\n\n"),
        ("a list", "- phase: 3\nwave: 2\nphase: 3\n---\n"),
        ("depth", &format!("phase: 3\nwave: 2\nx: {}\n---\n", "[".repeat(100))),
        ("size", &format!("phase: 3\nwave: 2\nx: {}\n---\n", "y".repeat(300_000))),
    ] {
        let text = format!("---\n{yaml}{tasks}");
        let (plan, diagnostics) = read(&text);
        let codes: Vec<_> = diagnostics.iter().map(|found| found.rule.code).collect();
        assert_eq!(codes, [FRONTMATTER_SYNTAX.code], "{what}: {diagnostics:#?}");
        assert_eq!(plan.frontmatter.reading, Reading::Salvaged, "{what}");
        assert_eq!(plan.frontmatter.wave.as_ref().map(|wave| wave.value), Some(2), "{what}");
        assert_eq!(plan.frontmatter.phase.as_ref().map(|p| p.value.as_str()), Some("3"), "{what}");
        assert_eq!(plan.tasks.len(), 1, "{what}: the body is read all the same");
    }
}

#[test]
fn salvage_reads_lists_and_maps() {
    let text = "---\nphase: 3 # note\ndepends_on: [\"03-01\", 03-02]\nfiles_modified:\n  - src/a.rs\n  - 'src/b.rs'\nrequirements:\n- A-01\nmust_haves:\n  truths:\n    - User can: log in\n  artifacts:\n    - path: src/a.rs\n      provides: a: b\n      exports: [x]\n  key_links:\n    - from: \"src/a.rs\"\n      to: src/b.rs\nautonomous: true\nx: |\n  one\n  two\n---\n## Tasks\n- x\n";
    let (plan, diagnostics) = read(text);
    assert_eq!(diagnostics[0].rule.code, FRONTMATTER_SYNTAX.code);
    assert_eq!(diagnostics[0].at.line(), 14);
    let read = plan.frontmatter;
    assert_eq!(read.phase.expect("there").value, "3");
    assert_eq!(paths(&read.depends_on), ["03-01", "03-02"]);
    assert_eq!(paths(&read.files_modified), ["src/a.rs", "src/b.rs"]);
    assert_eq!(paths(&read.requirements), ["A-01"]);
    assert!(read.autonomous.expect("there").value);
    let must = read.must_haves.expect("there").value;
    assert_eq!(must.truths[0].value, "User can: log in");
    assert_eq!(must.artifacts[0].value.provides.as_ref().expect("there").value, "a: b");
    assert_eq!(must.artifacts[0].value.exports[0].value, "x");
    assert_eq!(must.key_links[0].value.to.as_ref().expect("there").value, "src/b.rs");
}

#[test]
fn wrong_types_are_said_once_each_and_the_rest_is_kept() {
    let text = "---\nphase: [3]\nwave: first\ndepends_on: 03-01, 03-02\nautonomous: maybe\nrequirements: none\nestimate: big\nmust_haves:\n  truths:\n    - a: b\n  artifacts: x\nplan: 1\nplan: 2\n---\n## Tasks\n- x\n";
    let (plan, diagnostics) = read(text);
    let found: Vec<_> = diagnostics.iter().map(|f| (f.rule.code, f.at.line())).collect();
    let kind = FRONTMATTER_TYPE.code;
    assert_eq!(
        found,
        [
            (FRONTMATTER_DUPLICATE_KEY.code, 13),
            (kind, 2),
            (kind, 3),
            (kind, 4),
            (kind, 5),
            (kind, 6),
            (kind, 7),
            (kind, 10),
            (kind, 11),
        ]
    );
    let read = plan.frontmatter;
    assert_eq!(paths(&read.depends_on), ["03-01", "03-02"]);
    assert_eq!(paths(&read.requirements), Vec::<&str>::new());
    assert_eq!(read.must_haves.expect("there").value.truths[0].value, "a: b");
    assert_eq!(read.plan.expect("there").value, "1");
}

#[test]
fn a_rule_above_prose_is_no_frontmatter() {
    for text in ["---\n\n# Plan\n\n## Tasks\n- x\n", "---\nWords only\n\n## Tasks\n- x\n"] {
        let (plan, diagnostics) = read(text);
        assert_eq!(plan.frontmatter.reading, Reading::Absent, "{text}");
        assert_eq!((diagnostics, plan.tasks.len()), (vec![], 1));
    }
    assert_eq!(codes("---\nphase: 3\n## Tasks\n- x\n"), [FRONTMATTER_SYNTAX.code]);
}
