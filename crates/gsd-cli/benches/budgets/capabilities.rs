//! What manifests cost: validating gsd's own, and putting thousands of overlays together.

use super::{Line, cpu, peak_memory};
use camino::Utf8Path;
use gsd_engine::diag::SourceFile;
use gsd_engine::embedded;
use gsd_engine::manifest::{Bundle, Context, Origin, parse};
use gsd_engine::registry::{Overlay, Scope, Standing, compose, first_party};
use gsd_testkit::project::World;
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

pub(super) fn measure(gsd: &Utf8Path, line: Line<'_>) {
    let ms = |d: Duration| format!("{:.1} ms", d.as_secs_f64() * 1000.0);
    let world = World::new();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../capabilities");
    let validate = cpu(100, || {
        world
            .command(gsd)
            .args(["capability", "validate", "--strict", own])
            .stdout(Stdio::null())
            .status()
    });
    let count = embedded::manifests().count();
    line(
        &format!("validate of gsd's own {count} manifests, CPU"),
        ms(validate),
        "10 ms",
        validate < Duration::from_millis(10),
    );
    let speed = megabytes_a_second();
    line("validator, one thread", format!("{speed:.0} MB/s"), "10 MB/s", speed > 10.0);

    for number in [10, 100, 1_000, 5_000, 10_000] {
        let world = with_overlays(number);
        let command = || {
            let mut command = world.command(gsd);
            command.args(["registry", "check"]).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let runs = if number > 1_000 { 5 } else { 20 };
        let whole = cpu(runs, || command().status());
        let memory = peak_memory(&mut command());
        let composed = compose_alone(number);
        let budget = number == 5_000;
        line(
            &format!("{number} overlays: composed, best of 5"),
            ms(composed),
            if budget { "250 ms" } else { "-" },
            !budget || composed < Duration::from_millis(250),
        );
        line(&format!("{number} overlays: found, read, composed, CPU"), ms(whole), "-", true);
        line(
            &format!("{number} overlays: peak memory"),
            format!("{} MB", memory / 1000),
            if budget { "100 MB" } else { "-" },
            !budget || memory < 100_000,
        );
    }
}

/// How fast manifests are parsed and checked, each alone.
fn megabytes_a_second() -> f64 {
    let files: Vec<_> = embedded::manifests()
        .map(|(id, text)| (id, SourceFile::new(format!("{id}/capability.json"), text)))
        .collect();
    let bytes: usize = files.iter().map(|(_, file)| file.text().len()).sum();
    let rounds = 50;
    let start = Instant::now();
    for _ in 0..rounds {
        for (id, file) in &files {
            let parsed = parse(file, Context { origin: Origin::FirstParty, folder: Some(id) });
            assert!(parsed.manifest.is_some());
        }
    }
    (bytes * rounds) as f64 / 1e6 / start.elapsed().as_secs_f64()
}

/// A feature with a step, a contribution and a setting; most require their neighbour.
fn overlay_text(at: usize) -> (String, String) {
    let id = format!("acme-{at:05}");
    let requires =
        if at.is_multiple_of(10) { String::new() } else { format!("\"acme-{:05}\"", at - 1) };
    let text = format!(
        r#"{{
  "id": "{id}",
  "role": "feature",
  "version": "1.0.0",
  "title": "Acme {at}",
  "description": "One of many capabilities.",
  "tier": "full",
  "requires": [{requires}],
  "engines": {{ "gsd": ">=1.9.0" }},
  "runtimeCompat": {{ "supported": ["*"], "unsupported": [] }},
  "skills": ["{id}"],
  "agents": [],
  "config": {{
    "{id}.enabled": {{ "type": "boolean", "default": true, "description": "Run it." }}
  }},
  "steps": [{{
    "point": "plan:pre", "ref": {{ "skill": "{id}" }}, "produces": ["ACME-{at}.md"],
    "consumes": ["CONTEXT.md"], "when": "{id}.enabled", "onError": "skip"
  }}],
  "contributions": [{{
    "point": "plan:pre", "into": "planner", "produces": [], "consumes": ["ACME-{at}.md"],
    "fragment": {{ "inline": "Read it." }}, "when": "{id}.enabled", "onError": "skip"
  }}],
  "gates": []
}}
"#
    );
    (id, text)
}

fn with_overlays(number: usize) -> World {
    let world = World::new();
    world.write(".planning/PROJECT.md", "# P\n");
    for at in 0..number {
        let (id, text) = overlay_text(at);
        let folder = world.home().join(".gsd/capabilities").join(&id);
        std::fs::create_dir_all(folder.join("skills").join(&id)).unwrap();
        std::fs::write(folder.join("capability.json"), text).unwrap();
        std::fs::write(folder.join("skills").join(&id).join("SKILL.md"), "Do it.\n").unwrap();
    }
    world
}

/// The composition by itself: everything is read already.
fn compose_alone(number: usize) -> Duration {
    let overlays: Vec<Overlay> = (0..number)
        .map(|at| {
            let (id, text) = overlay_text(at);
            let file = SourceFile::new(format!("{id}/capability.json"), text);
            let parsed = parse(&file, Context { origin: Origin::ThirdParty, folder: Some(&id) });
            assert_eq!(parsed.diagnostics, [], "the overlays are right");
            Overlay {
                scope: Scope::Global,
                folder: id,
                by_hand: None,
                standing: Standing::Approved,
                bundle: Some(Bundle { parsed, fragments: BTreeMap::new() }),
            }
        })
        .collect();
    let once = || {
        let (own, overlays) = (first_party(), overlays.clone());
        let start = Instant::now();
        let composition = compose(own, overlays);
        let took = start.elapsed();
        assert!(composition.skips.is_empty(), "all of them fit");
        took
    };
    (0..5).map(|_| once()).min().unwrap_or_default()
}
