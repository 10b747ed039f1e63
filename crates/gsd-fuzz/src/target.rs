//! The parsers, and what must hold whatever they are given: they return, they do not panic, and
//! what they say points into the text that they were given.

mod documents;
mod json;
mod place;
mod review;
mod sources;
mod words;

pub use place::Place;

use crate::mutate::Mutator;
use gsd_engine::diag::{Diagnostic, Level, Location};

/// A parser.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    /// What it reads.
    pub what: &'static str,
    seeds: fn() -> Vec<Vec<u8>>,
    check: fn(&mut Place, &[u8]),
}

impl Target {
    /// What makes its inputs.
    pub fn mutator(&self) -> Mutator {
        Mutator::of((self.seeds)())
    }

    /// Runs the parser on an input. Panics if it does, or if what must hold does not.
    pub fn check(&self, place: &mut Place, input: &[u8]) {
        (self.check)(place, input);
    }
}

/// Every target.
pub fn targets() -> Vec<Target> {
    [json::TARGETS, documents::TARGETS, review::TARGETS, sources::TARGETS, words::TARGETS].concat()
}

/// A hostile file must not flood its reader.
const MAX_DIAGNOSTICS: usize = 600;

/// Holds diagnostics against what every one of them promises.
fn assert_well_placed(found: &[Diagnostic]) {
    assert!(found.len() <= MAX_DIAGNOSTICS, "{} diagnostics", found.len());
    for diagnostic in found {
        assert!(!diagnostic.message.trim().is_empty(), "{}", diagnostic.rule.code);
        assert_inside(&diagnostic.at);
        for related in &diagnostic.related {
            assert_inside(&related.at);
        }
        if let Some(fix) = &diagnostic.fix {
            assert!(diagnostic.at.file.text().get(fix.span.clone()).is_some(), "{fix:?}");
        }
    }
}

fn assert_inside(at: &Location) {
    assert!(at.file.text().get(at.span.clone()).is_some(), "{:?} lies outside", at.span);
    let position = at.position();
    assert!(position.line >= 1 && position.column >= 1);
}

fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|found| found.level == Level::Error)
}

/// Files of this crate that begin inputs.
macro_rules! seeds {
    ($($name:literal),+ $(,)?) => {
        vec![$(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/", $name)).to_vec()),+]
    };
}
use seeds;
