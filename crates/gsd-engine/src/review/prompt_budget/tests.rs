use super::*;

fn text(name: &str, bytes: usize) -> String {
    let line = format!("{name}: a line that says something about it\n");
    line.repeat(bytes / line.len() + 1)
}

fn sources() -> Sources {
    Sources {
        instructions: text("instructions", 2_000),
        roadmap: text("roadmap", 600),
        plans: vec![
            ("03-01-PLAN.md".into(), text("first", 20_000)),
            ("03-02-PLAN.md".into(), text("second", 8_000)),
        ],
        project: Some(text("project", 3_000)),
        context: Some(text("decision", 12_000)),
        research: Some(text("research", 24_000)),
        requirements: Some(text("requirement", 6_000)),
    }
}

fn limits(budget: u64) -> Limits {
    Limits { budget, margin_percent: 10, project_head: 40 }
}

/// The share of the plans that is missing; `None` if nothing fits.
fn missing(cut: &Result<Cut, DoesNotFit>) -> Option<f64> {
    let cut = cut.as_ref().ok()?;
    cut.metadata["planTruncationPct"].as_f64()
}

#[test]
fn more_budget_never_cuts_more_of_the_plans() {
    let sources = sources();
    let mut before = None;
    for budget in (1_000..26_000).step_by(500) {
        let limits = limits(budget);
        let cut = cut(&sources, &limits);
        match (&cut, missing(&cut)) {
            (Ok(found), Some(now)) => {
                assert!(Weight::of(&found.prompt).tokens() <= limits.effective());
                assert!(before.is_none_or(|before| now <= before), "{budget}: {now}");
                before = Some(now);
            }
            (Err(DoesNotFit { needs, metadata }), _) => {
                assert!(before.is_none() && *needs > budget, "{budget}");
                assert_eq!(metadata["hardFailed"], true);
            }
            (Ok(_), None) => panic!("the metadata says nothing of the plans"),
        }
    }
    assert_eq!(before, Some(0.0));
}

#[test]
fn the_least_budget_is_told() {
    let sources = sources();
    let Err(DoesNotFit { needs, .. }) = cut(&sources, &limits(1_000)) else {
        panic!("1,000 tokens are enough")
    };
    assert!(cut(&sources, &limits(needs)).is_ok());
    assert!(cut(&sources, &limits(needs - 2)).is_err());
}

/// What is known of that way: budgets that fail although much less would be a prompt, and plans that
/// are cut although there would be room for them.
#[test]
fn the_compatible_way_cuts_plans_first() {
    let sources = sources();
    let of = |budget| compatible::cut(&sources, &limits(budget));
    for budget in [2_000, 5_000, 8_000] {
        assert!(of(budget).is_err(), "{budget}");
    }
    assert_eq!(missing(&of(9_500)), Some(0.0), "no room is left, so plans stay whole");
    let large = missing(&of(14_000)).expect("it fits");
    assert!(large > 60.0, "{large}");
    let larger = missing(&of(21_000)).expect("it fits");
    assert!(larger < large, "{larger}");
    assert_eq!(of(30_000).expect("it fits").metadata["noteInjected"], false);
}

#[test]
fn the_compatible_way_counts_in_units_of_utf_16() {
    let emoji = "🦀".repeat(1_000);
    let sources = Sources {
        plans: vec![("a.md".into(), emoji)],
        context: Some("c".repeat(1_000)),
        ..Sources::default()
    };
    // 2,000 units are 500 tokens; the plan is cut to its least, 1,024 units.
    let found = compatible::cut(&sources, &limits(600)).expect("it fits");
    assert_eq!(found.metadata["planTruncationPct"], 48.8);
    assert_eq!(found.prompt.matches('🦀').count(), 512);
    assert!(found.prompt.contains("\n\n### a.md\n\n🦀"));
}
