//! The work of composition grows with the number of overlays, not with its square.

use super::{overlay, stepper};
use gsd_engine::manifest::Tier;
use gsd_engine::registry::{Overlay, Scope, compose, first_party, render};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Overlays of which each requires the one before, and every fourth collides with its neighbour.
fn overlays(count: usize) -> Vec<Overlay> {
    let make = |at: usize| {
        let id = format!("c{at:05}");
        let artifact = format!("C{at}.md");
        let mut value: Value = stepper(&id, &[("plan:pre", &[&artifact], &["CONTEXT.md"])]);
        if !at.is_multiple_of(10) {
            value["requires"] = json!([format!("c{:05}", at - 1)]);
        }
        if at % 40 == 39 {
            value["skills"] = json!([id, format!("c{:05}", at - 1)]);
        }
        overlay(Scope::Global, &value)
    };
    (0..count).map(make).collect()
}

#[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
fn time(count: usize) -> Duration {
    let overlays = overlays(count);
    let own = first_party();
    let start = Instant::now();
    let composition = compose(own, overlays);
    let took = start.elapsed();
    assert_eq!(composition.skips.len(), count / 40);
    took
}

#[test]
fn twice_the_overlays_are_about_twice_the_work() {
    // The best of three, since the machine does other things as well.
    let best = |count| (0..3).map(|_| time(count)).min().expect("three runs");
    let (small, large) = (best(250), best(2000));
    // Eight times as many: a square would be 64 times the work.
    assert!(large < small * 32, "{small:?} for 250, {large:?} for 2000");
}

#[test]
fn a_chain_of_requirements_is_written_once() {
    let chain = |count: usize| -> Vec<Overlay> {
        let link = |at: usize| {
            let mut value = stepper(&format!("c{at:05}"), &[]);
            if at > 0 {
                value["requires"] = json!([format!("c{:05}", at - 1)]);
            }
            overlay(Scope::Global, &value)
        };
        (0..count).map(link).collect()
    };
    let size = |count| render(&compose(vec![], chain(count)).registry).len();
    let (small, large) = (size(100), size(1000));
    assert!(large < small * 12, "{small} bytes for 100, {large} bytes for 1000");
    let registry = compose(vec![], chain(300)).registry;
    assert_eq!(registry.requires_closure("c00299").len(), 299);
    assert_eq!(registry.profile(Tier::Full).len(), 300);
}
