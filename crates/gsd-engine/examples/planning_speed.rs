//! Prints how long it takes to read large and hostile plans. For eyes, not for assertions:
//! `cargo run -p gsd-engine --example planning_speed [MEGABYTES]`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

use camino::Utf8Path;
use gsd_engine::planning::{PhaseSpec, Planning};
use std::time::Instant;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    let write = |phase: usize, plan: usize, text: &str| {
        let folder = root.join(format!(".planning/phases/{phase:02}-x"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{phase:02}-{plan:02}-PLAN.md")), text).unwrap();
    };
    for plan in 1..=21 {
        write(1, plan, &ordinary(plan, 31_000));
    }
    // Twice the size must take about twice the time.
    let times = std::env::args().nth(1).and_then(|times| times.parse().ok()).unwrap_or(1usize);
    let megabyte = times << 20;
    let hostile: [(&str, String); 23] = [
        ("open tasks", "<task>\n".repeat(megabyte / 7)),
        ("open actions", format!("<task>\n{}", "<action>\n".repeat(megabyte / 9))),
        ("open blocks", "<context>\n".repeat(megabyte / 10)),
        ("closing tags", format!("<task>\n{}", "</verify>\n".repeat(megabyte / 10))),
        ("unknown tags", format!("<task>\n{}", "<a>\n".repeat(megabyte / 4))),
        ("angles", "<".repeat(megabyte)),
        ("backticks", "`<task> ".repeat(megabyte / 8)),
        ("fences", "```\n````\n".repeat(megabyte / 9)),
        ("comments", "<!-- ".repeat(megabyte / 5)),
        ("headings", "## Task 1\n".repeat(megabyte / 10)),
        ("nested headings", "## Tasks\n### a\n".repeat(megabyte / 15)),
        ("items", format!("## Tasks\n{}", "- a\n".repeat(megabyte / 4))),
        (
            "stairs",
            format!(
                "## Tasks\n{}",
                (0..1400).map(|n| format!("{}- a\n", " ".repeat(n))).collect::<String>()
            ),
        ),
        ("labels", format!("## Task 1\n{}", "**Files:** a.rs\n".repeat(megabyte / 16))),
        ("yaml lists", format!("---\na: {}\n---\n", "[".repeat(200_000))),
        ("yaml dashes", format!("---\na:\n{}x\n---\n", "- ".repeat(100_000))),
        ("yaml flow", format!("---\na: [{}]\n---\n", "x, ".repeat(80_000))),
        ("yaml flow lines", format!("---\na: [{}]\n---\n", "x,\n ".repeat(20_000))),
        ("yaml quote", format!("---\na: \"{}\n---\n", "x ".repeat(100_000))),
        ("yaml text", format!("---\na: {}\n---\n", "x\n  ".repeat(50_000))),
        ("yaml questions", format!("---\n{}\n---\n", "? ".repeat(100_000))),
        ("yaml anchors", format!("---\na: [{}]\n---\n", "&x y, ".repeat(20_000))),
        (
            "yaml keys",
            format!("---\n{}---\n", (0..20_000).map(|n| format!("k{n}: v\n")).collect::<String>()),
        ),
    ];
    for (at, (_, text)) in hostile.iter().enumerate() {
        write(at + 2, 1, text);
    }
    let planning = Planning::open(root).unwrap();
    let read = |phase: usize, what: &str| {
        let spec = PhaseSpec::parse(&phase.to_string(), root).unwrap();
        let directory = planning.find(&spec).unwrap();
        let start = Instant::now();
        let phase = planning.load(&directory).unwrap();
        let bytes: u64 = phase.plans.iter().map(|plan| plan.document.bytes).sum();
        let tasks: usize = phase.plans.iter().map(|plan| plan.tasks.len()).sum();
        println!("{what:>16} {:>9} bytes {tasks:>7} tasks {:>9.1?}", bytes, start.elapsed());
    };
    read(1, "21 plans");
    for (at, (what, _)) in hostile.iter().enumerate() {
        read(at + 2, what);
    }
}

/// A plan of about `bytes` bytes, as people write them.
fn ordinary(plan: usize, bytes: usize) -> String {
    let mut text = format!(
        "---\nphase: 01-x\nplan: {plan:02}\ntype: execute\nwave: {plan}\ndepends_on: []\nfiles_modified:\n  - src/a{plan}.rs\nautonomous: true\nrequirements: [A-01]\nmust_haves:\n  truths:\n    - \"It works\"\n---\n\n<objective>\nDo it.\n</objective>\n\n<tasks>\n"
    );
    let mut task = 1;
    while text.len() < bytes {
        text.push_str(&format!(
            "<task type=\"auto\">\n  <name>Task {task}: Part</name>\n  <files>src/a{plan}.rs, src/b{task}.rs</files>\n  <action>\n{}    ```rust\n    fn f<T>(x: &T) -> Vec<u8> {{ vec![] }}\n    ```\n  </action>\n  <verify><automated>cargo test</automated></verify>\n  <acceptance_criteria>\n    - One\n    - Two\n  </acceptance_criteria>\n  <done>Done.</done>\n</task>\n\n",
            "    Write `Vec<u8>` and call it where `a < b && c > d`, as D-01 says.\n".repeat(60)
        ));
        task += 1;
    }
    text.push_str("</tasks>\n");
    text
}
