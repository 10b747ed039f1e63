//! A short run of every target, with the inputs that `gsd-fuzz` begins with.

use gsd_fuzz::target::Place;
use gsd_fuzz::targets;

/// A second or two in all; `gsd-fuzz` goes on from here.
const EXECUTIONS: u64 = 150;

#[test]
fn no_parser_falls_over_its_first_inputs() {
    let mut place = Place::new().expect("a folder");
    for target in targets() {
        let mutator = target.mutator();
        for index in 0..EXECUTIONS {
            target.check(&mut place, &mutator.input(1, index));
        }
    }
}

#[test]
fn names_of_targets_are_unique() {
    let mut names: Vec<&str> = targets().iter().map(|target| target.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), targets().len());
    assert!(names.len() >= 16);
}
