//! What the host itself does in the loop: its five steps, the agents that each one starts, and the
//! artefacts that it makes and needs. This is data with a version (`host_contract.json`); the rules
//! read it, none repeats it.

use crate::id::Point;
use serde::Deserialize;
use std::sync::OnceLock;

/// The host's half of the loop.
#[derive(Debug, Deserialize)]
pub struct HostContract {
    pub version: String,
    pub steps: Vec<HostStep>,
}

/// One step of the host.
#[derive(Debug, Deserialize)]
pub struct HostStep {
    pub name: String,
    points: Vec<String>,
    /// Agents whose prompts take contributions.
    pub roles: Vec<String>,
    pub produces: Vec<String>,
    pub consumes: Vec<String>,
}

impl HostStep {
    /// Its points, in the order of the loop.
    pub fn points(&self) -> impl Iterator<Item = Point> {
        self.points.iter().filter_map(|word| Point::parse(word))
    }
}

impl HostContract {
    /// The step that a point belongs to.
    pub fn step_at(&self, point: Point) -> &HostStep {
        let owns = |step: &&HostStep| step.points.iter().any(|word| word == point.word());
        self.steps.iter().find(owns).expect("a test checks that every point has its step")
    }

    /// The first point at which the host's own artefact of that name is there.
    pub fn available_from(&self, artifact: &str) -> Option<Point> {
        let step = self.steps.iter().find(|step| step.produces.iter().any(|a| a == artifact))?;
        step.points().last()
    }
}

/// The contract that this version of gsd speaks.
pub fn host_contract() -> &'static HostContract {
    static CONTRACT: OnceLock<HostContract> = OnceLock::new();
    CONTRACT.get_or_init(|| {
        serde_json::from_str(include_str!("host_contract.json"))
            .expect("a test checks that the embedded contract parses")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_one_step_in_the_order_of_the_loop() {
        let points: Vec<Point> = host_contract().steps.iter().flat_map(HostStep::points).collect();
        assert_eq!(points, Point::ALL);
        let words: usize = host_contract().steps.iter().map(|step| step.points.len()).sum();
        assert_eq!(words, Point::ALL.len(), "no unknown word among the points");
    }

    #[test]
    fn artefacts_are_there_from_the_last_point_of_their_step() {
        let from = |name| host_contract().available_from(name).map(Point::index);
        assert_eq!(
            [from("CONTEXT.md"), from("PLAN.md"), from("SUMMARY.md"), from("UAT.md")],
            [Some(1), Some(3), Some(7), Some(9)]
        );
        assert_eq!(from("RESEARCH.md"), None);
    }
}
