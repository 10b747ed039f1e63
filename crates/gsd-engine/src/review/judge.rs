//! Judges a text that came back: does it count as a review of these plans?
//!
//! A review counts only if something shows that the lane was given, or has read, the plans. What
//! shows it depends on the channel: a channel of ours proves itself, a file reference is proved by
//! the marks that the answer repeats.

use super::record::{Coverage, Plan};
use crate::lane::{Proof, Reason, State};

/// How the plans reached the lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Channel {
    /// Over stdin or as an HTTP body: `delivered` says whether every byte was taken.
    Ours { delivered: bool },
    /// As a reference: each plan ends with a read mark, in the order of the census.
    Reference { marks: Vec<String> },
    /// The lane looks for the plans itself and repeats their digests.
    Itself,
    /// The lane is not given the plans.
    NotGiven,
}

/// What is known of an answer besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) channel: Channel,
    /// The other side said that it stopped early.
    pub(super) truncated: bool,
    /// Tokens of the prompt: as estimated, and as the server counted them.
    pub(super) tokens: Option<(u64, u64)>,
}

/// What an answer is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) state: State,
    pub(super) reason: Option<Reason>,
    pub(super) proof: Proof,
    pub(super) coverage: Coverage,
    pub(super) message: Option<String>,
    pub(super) remedy: Option<String>,
    pub(super) warnings: Vec<String>,
}

/// A server that counts fewer tokens than this share of the estimate has dropped a part.
const LEAST_SHARE_PERCENT: u64 = 70;

/// Judges a text that is not blank. `named` are the ids of the plans that it speaks of.
pub(super) fn judge(text: &str, plans: &[Plan], named: &[String], facts: &Facts) -> Judgement {
    let ids = |keep: &dyn Fn(usize, &Plan) -> bool| -> Vec<String> {
        plans.iter().enumerate().filter(|(n, p)| keep(*n, p)).map(|(_, p)| p.id.clone()).collect()
    };
    let digests = ids(&|_, plan| text.contains(&plan.sha256));
    let (proof, proved) = match &facts.channel {
        Channel::NotGiven => (Proof::NotAsked, vec![]),
        Channel::Ours { delivered: true } => (Proof::Delivered, ids(&|_, _| true)),
        Channel::Ours { delivered: false } | Channel::Itself => (Proof::Echoed, digests),
        Channel::Reference { marks } => {
            let marked = ids(&|n, plan| {
                marks.get(n).is_some_and(|mark| text.contains(mark.as_str()))
                    || text.contains(&plan.sha256)
            });
            (Proof::Echoed, marked)
        }
    };
    let coverage = cover(plans, named, proof);
    let mut judgement = Judgement {
        state: State::Reviewed,
        reason: None,
        proof,
        coverage,
        message: None,
        remedy: None,
        warnings: vec![],
    };
    if proof == Proof::NotAsked {
        judgement.message = Some("looks at the changes, not at the plans".into());
        return judgement;
    }
    if proved.is_empty() {
        judgement.state = State::Unproven;
        judgement.reason = Some(Reason::PromptNotRead);
        judgement.proof = Proof::None;
        judgement.message = Some(match &facts.channel {
            Channel::Ours { .. } => "it answered without reading the whole prompt".into(),
            Channel::Reference { .. } => {
                "its answer repeats none of the read marks that the plans end with".into()
            }
            Channel::Itself | Channel::NotGiven => {
                "its answer repeats no digest of a plan".to_owned()
            }
        });
        judgement.remedy = Some(
            "look into its section; if the text is a review, the program ignores its input".into(),
        );
        return judgement;
    }
    let unread: Vec<String> = ids(&|_, plan| !proved.contains(&plan.id));
    let unspoken = &judgement.coverage.missing;
    if facts.truncated {
        judgement.state = State::Incomplete;
        judgement.reason = Some(Reason::Truncated);
        judgement.message = Some("the other side stopped before the end of its answer".into());
    } else if let Some((estimated, counted)) = facts.tokens
        && counted * 100 < estimated * LEAST_SHARE_PERCENT
    {
        judgement.state = State::Incomplete;
        judgement.reason = Some(Reason::Truncated);
        judgement.message = Some(format!(
            "the server cut the prompt: about {estimated} tokens were sent, {counted} were read"
        ));
        judgement.remedy = Some("give the model a larger context window in its server".into());
    } else if !unread.is_empty() {
        judgement.state = State::Incomplete;
        judgement.reason = Some(Reason::PlansMissing);
        judgement.message = Some(format!("nothing shows that it read {}", unread.join(", ")));
    } else if !unspoken.is_empty() && unspoken.len() < plans.len() {
        judgement.state = State::Incomplete;
        judgement.reason = Some(Reason::PlansMissing);
        judgement.message = Some(format!("it says nothing about {}", unspoken.join(", ")));
    } else if !unspoken.is_empty() {
        judgement.warnings.push("the review names no plan".into());
    }
    judgement
}

/// A review of a single plan need not name it: there is nothing else that it could speak of.
fn cover(plans: &[Plan], named: &[String], proof: Proof) -> Coverage {
    let speaks =
        |plan: &Plan| plans.len() == 1 && proof != Proof::NotAsked || named.contains(&plan.id);
    let (covered, missing): (Vec<&Plan>, Vec<&Plan>) = plans.iter().partition(|p| speaks(p));
    let ids = |plans: Vec<&Plan>| plans.into_iter().map(|plan| plan.id.clone()).collect();
    Coverage { covered: ids(covered), missing: ids(missing) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plans(count: usize) -> Vec<Plan> {
        (1..=count)
            .map(|n| Plan {
                id: format!("03-{n:02}"),
                path: format!("03-{n:02}-PLAN.md"),
                bytes: 1,
                lines: 1,
                sha256: format!("{n:064}"),
            })
            .collect()
    }

    fn judged(text: &str, named: &[&str], channel: Channel) -> (State, Option<Reason>, Proof) {
        let facts = Facts { channel, truncated: false, tokens: None };
        let named: Vec<String> = named.iter().map(|id| (*id).to_owned()).collect();
        let judgement = judge(text, &plans(2), &named, &facts);
        (judgement.state, judgement.reason, judgement.proof)
    }

    const BOTH: [&str; 2] = ["03-01", "03-02"];

    #[test]
    fn a_channel_of_ours_proves_itself() {
        let ours = |delivered| Channel::Ours { delivered };
        assert_eq!(judged("fine", &BOTH, ours(true)), (State::Reviewed, None, Proof::Delivered));
        assert_eq!(
            judged("fine", &BOTH, ours(false)),
            (State::Unproven, Some(Reason::PromptNotRead), Proof::None)
        );
    }

    #[test]
    fn a_reference_is_proved_by_its_marks() {
        let reference = || Channel::Reference { marks: vec!["k1".into(), "k2".into()] };
        let both = judged("read-mark a k1\nread-mark b k2", &BOTH, reference());
        assert_eq!(both, (State::Reviewed, None, Proof::Echoed));
        let one = judged("read-mark a k1", &BOTH, reference());
        assert_eq!(one, (State::Incomplete, Some(Reason::PlansMissing), Proof::Echoed));
        let none = judged("all fine", &BOTH, reference());
        assert_eq!(none, (State::Unproven, Some(Reason::PromptNotRead), Proof::None));
    }

    #[test]
    fn digests_prove_where_the_lane_reads_by_itself() {
        let text = plans(2)
            .iter()
            .map(|p| format!("plan {} sha256:{}\n", p.path, p.sha256))
            .collect::<String>();
        assert_eq!(judged(&text, &BOTH, Channel::Itself), (State::Reviewed, None, Proof::Echoed));
        assert_eq!(judged("nothing found", &BOTH, Channel::Itself).0, State::Unproven);
    }

    #[test]
    fn a_plan_that_nobody_speaks_of_makes_it_incomplete() {
        let ours = Channel::Ours { delivered: true };
        let half = judged("03-01 is fine", &["03-01"], ours.clone());
        assert_eq!(half, (State::Incomplete, Some(Reason::PlansMissing), Proof::Delivered));
        // A review that names none speaks of the phase as a whole.
        assert_eq!(judged("all fine", &[], ours).0, State::Reviewed);
    }

    #[test]
    fn a_diff_only_lane_is_reviewed_and_covers_nothing() {
        let facts = Facts { channel: Channel::NotGiven, truncated: false, tokens: None };
        let judgement = judge("fine", &plans(1), &[], &facts);
        assert_eq!((judgement.state, judgement.proof), (State::Reviewed, Proof::NotAsked));
        assert_eq!(judgement.coverage.covered, Vec::<String>::new());
    }

    #[test]
    fn a_prompt_cut_by_the_server_is_seen() {
        let judge_with = |tokens, truncated| {
            let facts = Facts { channel: Channel::Ours { delivered: true }, truncated, tokens };
            let judgement = judge("fine", &plans(1), &[], &facts);
            (judgement.state, judgement.reason)
        };
        assert_eq!(
            judge_with(Some((30_000, 2051)), false),
            (State::Incomplete, Some(Reason::Truncated))
        );
        assert_eq!(judge_with(Some((1000, 700)), false), (State::Reviewed, None));
        assert_eq!(judge_with(None, true), (State::Incomplete, Some(Reason::Truncated)));
    }
}
