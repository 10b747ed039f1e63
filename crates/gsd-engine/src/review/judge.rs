//! Judges a text that came back: does it count as a review of these plans?
//!
//! A review counts only if something shows that the lane was given, or has read, the plans. What
//! shows it depends on the channel: a channel of ours proves itself, a file reference is proved by
//! the marks that the answer repeats.

use super::answer::{Answer, Fault};
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
    /// Which plans a watch on the lane's own copy saw it read; empty where nobody watched.
    pub(super) observed: Vec<bool>,
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

/// Judges a text that is not blank, and what was read out of it.
pub(super) fn judge(text: &str, answer: &Answer, plans: &[Plan], facts: &Facts) -> Judgement {
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
    let seen = ids(&|n, _| facts.observed.get(n).is_some_and(|read| *read));
    // What was seen counts where the answer itself shows less.
    let (proof, proved) = match proof {
        Proof::Echoed if seen.len() > proved.len() => (Proof::Observed, seen),
        proof => (proof, proved),
    };
    let mut judgement = Judgement {
        state: State::Reviewed,
        reason: None,
        proof,
        coverage: cover(plans, &answer.named, &proved),
        message: None,
        remedy: None,
        warnings: vec![],
    };
    if answer.repeated > 0 {
        let lines = answer.repeated;
        judgement.warnings.push(format!("{lines} line(s) that repeat its prompt were left out"));
    }
    if let Some(fault) = answer.refusal() {
        return judgement.no_review(fault);
    }
    if proof == Proof::NotAsked {
        judgement.message = Some("looks at the changes, not at the plans".into());
        return judgement;
    }
    if plans.is_empty() {
        return without_census(judgement, facts);
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
    if let Some(fault) = answer.says_nothing() {
        return judgement.no_review(fault);
    }
    let unread: Vec<String> = ids(&|_, plan| !proved.contains(&plan.id));
    let unspoken = &judgement.coverage.missing;
    if facts.truncated {
        judgement.state = State::Incomplete;
        judgement.reason = Some(Reason::Truncated);
        judgement.message = Some("the other side stopped before the end of its answer".into());
    } else if answer.breaks_off {
        judgement.state = State::Incomplete;
        judgement.reason = Some(Reason::Truncated);
        judgement.message = Some("its answer breaks off in the middle of a sentence".into());
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
    } else if let Some(lost) = answer.lost.first() {
        judgement.state = State::Incomplete;
        judgement.reason = Some(Reason::Other);
        judgement.message = Some(lost.clone());
        judgement.remedy = Some("read its text, or ask it again".into());
    } else if !unspoken.is_empty() {
        judgement.state = State::Incomplete;
        judgement.reason = Some(Reason::PlansMissing);
        judgement.message = Some(if unspoken.len() < plans.len() {
            format!("it says nothing about {}", unspoken.join(", "))
        } else {
            format!("it names none of the {} plans", plans.len())
        });
    }
    judgement
}

/// A prompt of somebody else's making: nobody says what it holds, so only a channel of ours can
/// show whether it was read.
fn without_census(mut judgement: Judgement, facts: &Facts) -> Judgement {
    match &facts.channel {
        Channel::Ours { delivered: true } => judgement.proof = Proof::Delivered,
        Channel::Ours { delivered: false } => {
            judgement.state = State::Unproven;
            judgement.reason = Some(Reason::PromptNotRead);
            judgement.proof = Proof::None;
            judgement.message = Some("it answered without reading the whole prompt".into());
        }
        Channel::Reference { .. } | Channel::Itself | Channel::NotGiven => {
            judgement.proof = Proof::NotAsked;
        }
    }
    if judgement.state == State::Reviewed && facts.truncated {
        judgement.state = State::Incomplete;
        judgement.reason = Some(Reason::Truncated);
        judgement.message = Some("the other side stopped before the end of its answer".into());
    }
    judgement
}

impl Judgement {
    fn no_review(mut self, fault: Fault) -> Self {
        self.state = fault.state;
        self.reason = Some(fault.reason);
        self.proof = Proof::None;
        self.message = Some(fault.message);
        self.remedy = Some("run the program by hand in this folder to see what it needs".into());
        self
    }
}

/// A plan is covered if the review speaks of it and it is shown to be read. A review of a single
/// plan need not name it: there is nothing else that it could speak of.
fn cover(plans: &[Plan], named: &[String], proved: &[String]) -> Coverage {
    let speaks =
        |plan: &Plan| proved.contains(&plan.id) && (plans.len() == 1 || named.contains(&plan.id));
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

    fn judgement(text: &str, count: usize, facts: &Facts) -> Judgement {
        let plans = plans(count);
        let marks = match &facts.channel {
            Channel::Reference { marks } => marks.as_slice(),
            Channel::Ours { .. } | Channel::Itself | Channel::NotGiven => &[],
        };
        judge(text, &Answer::read(text, "", marks, &plans), &plans, facts)
    }

    fn judged(text: &str, channel: Channel) -> (State, Option<Reason>, Proof) {
        let judgement = judgement(
            text,
            2,
            &Facts { channel, truncated: false, observed: vec![], tokens: None },
        );
        (judgement.state, judgement.reason, judgement.proof)
    }

    const BOTH: &str = "03-01 is fine.\n03-02 is fine.\n";

    #[test]
    fn a_channel_of_ours_proves_itself() {
        let ours = |delivered| Channel::Ours { delivered };
        assert_eq!(judged(BOTH, ours(true)), (State::Reviewed, None, Proof::Delivered));
        assert_eq!(
            judged(BOTH, ours(false)),
            (State::Unproven, Some(Reason::PromptNotRead), Proof::None)
        );
    }

    #[test]
    fn a_reference_is_proved_by_its_marks() {
        let reference = || Channel::Reference { marks: vec!["k1".into(), "k2".into()] };
        let with = |marks: &str| judged(&format!("{BOTH}{marks}"), reference());
        let both = with("read-mark a k1\nread-mark b k2");
        assert_eq!(both, (State::Reviewed, None, Proof::Echoed));
        let one = with("read-mark a k1");
        assert_eq!(one, (State::Incomplete, Some(Reason::PlansMissing), Proof::Echoed));
        assert_eq!(with(""), (State::Unproven, Some(Reason::PromptNotRead), Proof::None));
        // Who repeats the marks and says nothing has copied them out.
        let marks = "[read mark of 03-01-PLAN.md: k1]\n[read mark of 03-02-PLAN.md: k2]\n";
        assert_eq!(judged(marks, reference()).0, State::Unproven);
    }

    #[test]
    fn digests_prove_where_the_lane_reads_by_itself() {
        let text: String =
            plans(2).iter().map(|p| format!("plan {} sha256:{}\n", p.path, p.sha256)).collect();
        let text = format!("{BOTH}{text}");
        assert_eq!(judged(&text, Channel::Itself), (State::Reviewed, None, Proof::Echoed));
        assert_eq!(judged(BOTH, Channel::Itself).0, State::Unproven);
    }

    #[test]
    fn what_was_seen_counts_where_the_answer_shows_less() {
        let judged = |observed: &[bool], channel: Channel| {
            let observed = observed.to_vec();
            let facts = Facts { channel, truncated: false, observed, tokens: None };
            let judgement = judgement(&format!("{BOTH}k1"), 2, &facts);
            (judgement.state, judgement.proof)
        };
        let reference = || Channel::Reference { marks: vec!["k1".into(), "k2".into()] };
        assert_eq!(judged(&[true, true], reference()), (State::Reviewed, Proof::Observed));
        assert_eq!(judged(&[false, true], reference()), (State::Incomplete, Proof::Echoed));
        let unread = Channel::Ours { delivered: false };
        assert_eq!(judged(&[true, true], unread.clone()), (State::Reviewed, Proof::Observed));
        assert_eq!(judged(&[true, false], unread), (State::Incomplete, Proof::Observed));
        assert_eq!(judged(&[true, true], Channel::NotGiven).1, Proof::NotAsked);
    }

    #[test]
    fn a_plan_that_nobody_speaks_of_makes_it_incomplete() {
        let ours = || Channel::Ours { delivered: true };
        let missing = (State::Incomplete, Some(Reason::PlansMissing), Proof::Delivered);
        assert_eq!(judged("03-01 is fine, really.", ours()), missing);
        assert_eq!(judged("- HIGH: nothing limits the size of a note\n", ours()), missing);
        let nothing = judged("all fine", ours());
        assert_eq!(nothing, (State::Unproven, Some(Reason::PlansMissing), Proof::None));
    }

    #[test]
    fn half_an_answer_is_incomplete_though_nobody_said_so() {
        let half = "03-01 can be built as it stands.\n\n03-02 comes after it, as it should.\n\n\
                    - HIGH: 03-02 lists notes that 03-01 has";
        let wanted = (State::Incomplete, Some(Reason::Truncated), Proof::Delivered);
        assert_eq!(judged(half, Channel::Ours { delivered: true }), wanted);
    }

    #[test]
    fn only_a_plan_that_was_read_is_covered() {
        let channel = Channel::Reference { marks: vec!["k1".into(), "k2".into()] };
        let facts = Facts { channel, truncated: false, observed: vec![], tokens: None };
        let judgement = judgement(&format!("{BOTH}read-mark a k1"), 2, &facts);
        assert_eq!(judgement.coverage.covered, ["03-01"]);
        assert_eq!(judgement.message.unwrap(), "nothing shows that it read 03-02");
    }

    #[test]
    fn findings_that_cannot_be_read_make_it_incomplete() {
        let text = format!("{BOTH}```gsd-findings\nnull\n```\n");
        let lost = judged(&text, Channel::Ours { delivered: true });
        assert_eq!(lost, (State::Incomplete, Some(Reason::Other), Proof::Delivered));
    }

    #[test]
    fn a_diff_only_lane_is_reviewed_and_covers_nothing() {
        let facts =
            Facts { channel: Channel::NotGiven, truncated: false, observed: vec![], tokens: None };
        let judgement = judgement("fine", 1, &facts);
        assert_eq!((judgement.state, judgement.proof), (State::Reviewed, Proof::NotAsked));
        assert_eq!(judgement.coverage.covered, Vec::<String>::new());
        assert_eq!(judged("Error: no account", Channel::NotGiven).0, State::Failed);
    }

    #[test]
    fn a_prompt_of_somebody_else_is_proved_by_its_channel_alone() {
        let judged = |channel, truncated| {
            let facts = Facts { channel, truncated, tokens: None, observed: vec![] };
            let judgement = judgement("fine", 0, &facts);
            (judgement.state, judgement.proof)
        };
        let ours = |delivered| Channel::Ours { delivered };
        assert_eq!(judged(ours(true), false), (State::Reviewed, Proof::Delivered));
        assert_eq!(judged(ours(true), true), (State::Incomplete, Proof::Delivered));
        assert_eq!(judged(ours(false), true), (State::Unproven, Proof::None));
        let reference = Channel::Reference { marks: vec![] };
        assert_eq!(judged(reference, false), (State::Reviewed, Proof::NotAsked));
    }

    #[test]
    fn a_prompt_cut_by_the_server_is_seen() {
        let judge_with = |tokens, truncated| {
            let facts = Facts {
                channel: Channel::Ours { delivered: true },
                truncated,
                observed: vec![],
                tokens,
            };
            let judgement = judgement("03-01 is fine", 1, &facts);
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
