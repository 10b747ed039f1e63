use super::*;
use crate::review::sample::{finding, lane};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn built(mut findings: Vec<Finding>, lanes: &[Lane]) -> Vec<Cluster> {
    build(&mut findings, lanes, &Correlation::default())
}

fn instance(of: &str, identity: &str) -> Lane {
    Lane { identity: identity.into(), ..lane(of, "openai") }
}

const AT: &str = "src/db/posts.ts";

#[test]
fn overlapping_evidence_joins_and_another_kind_does_not() {
    let lanes = [lane("claude", "anthropic"), lane("codex", "openai")];
    let strength = Finding {
        kind: Kind::Strength,
        ..finding("codex", Severity::Low, "posts are indexed", &[(AT, 88, Verdict::Verified)])
    };
    let clusters = built(
        vec![
            finding(
                "claude",
                Severity::High,
                "deleted posts come back",
                &[(AT, 88, Verdict::Verified)],
            ),
            finding(
                "codex",
                Severity::Medium,
                "no filter in the query",
                &[(AT, 88, Verdict::Moved)],
            ),
            strength,
            finding("codex", Severity::Medium, "far away", &[(AT, 300, Verdict::Verified)]),
        ],
        &lanes,
    );
    assert_eq!(clusters.len(), 3);
    assert_eq!(clusters[0].lanes, ["claude", "codex"]);
    assert_eq!(clusters[0].support, 1.39);
    assert_eq!(clusters[0].severity, Severity::High);
    assert_eq!(clusters[0].title, "deleted posts come back");
    assert_eq!(clusters[0].verdict, Some(Verdict::Verified));
}

#[test]
fn neighbouring_lines_join_only_what_has_a_word_in_common() {
    let lanes = [lane("claude", "anthropic"), lane("codex", "openai")];
    let of = |title: &str, line| {
        let one = finding(
            "claude",
            Severity::Low,
            "the error code is left open",
            &[(AT, 95, Verdict::Verified)],
        );
        let two = finding("codex", Severity::High, title, &[(AT, line, Verdict::Verified)]);
        built(vec![one, two], &lanes).len()
    };
    assert_eq!(of("any signed-in user deletes comments", 94), 2);
    assert_eq!(of("which error is returned is open", 94), 1);
    assert_eq!(of("any signed-in user deletes comments", 95), 1);
}

#[test]
fn what_holds_lends_nothing_to_what_proved_wrong() {
    let lanes = [lane("claude", "anthropic"), lane("codex", "openai")];
    let of = |title: &str| {
        let right =
            finding("codex", Severity::Low, "error code left open", &[(AT, 95, Verdict::Verified)]);
        let wrong = finding("claude", Severity::High, title, &[(AT, 95, Verdict::Ungrounded)]);
        built(vec![wrong, right], &lanes)
    };
    let apart = of("zebras eat the plan");
    assert_eq!(apart.len(), 2);
    assert!(!apart.iter().any(|cluster| gates(cluster, Severity::Medium)));
    // The same names and words join; what proved wrong does not speak for them.
    let joined = built(
        vec![
            finding(
                "claude",
                Severity::High,
                "`getFeed` ignores `deleted_at` of posts",
                &[(AT, 12, Verdict::Ungrounded)],
            ),
            finding(
                "codex",
                Severity::Low,
                "posts: `deleted_at` is ignored in `getFeed`",
                &[(AT, 95, Verdict::Verified)],
            ),
        ],
        &lanes,
    );
    assert_eq!(joined.len(), 1);
    assert_eq!(joined[0].severity, Severity::Low);
    assert!(joined[0].title.starts_with("posts"), "{}", joined[0].title);
    assert!(!gates(&joined[0], Severity::Medium));
}

#[test]
fn a_finding_that_holds_in_part_is_mixed() {
    let lanes = [lane("codex", "openai")];
    let mixed = |evidence: &[(&str, u64, Verdict)]| {
        let mut findings = vec![finding("codex", Severity::High, "posts come back", evidence)];
        let clusters = build(&mut findings, &lanes, &Correlation::default());
        is_mixed(&clusters[0], &findings)
    };
    assert!(mixed(&[(AT, 88, Verdict::Verified), (AT, 12, Verdict::Ungrounded)]));
    assert!(mixed(&[(AT, 88, Verdict::Moved), ("/etc/x", 1, Verdict::Outside)]));
    assert!(!mixed(&[(AT, 88, Verdict::Verified), (AT, 12, Verdict::Moved)]));
    assert!(!mixed(&[(AT, 88, Verdict::Ungrounded)]));
    assert!(!mixed(&[]));
}

#[test]
fn shared_names_and_close_titles_join() {
    let lanes = [lane("claude", "anthropic"), lane("codex", "openai")];
    let clusters = built(
        vec![
            finding("claude", Severity::High, "`getFeed` ignores `deleted_at` of posts", &[]),
            finding("codex", Severity::High, "posts: `deleted_at` is ignored in `getFeed`", &[]),
            finding(
                "codex",
                Severity::High,
                "`getFeed` leaks `deleted_at` in its logs on error",
                &[],
            ),
        ],
        &lanes,
    );
    let sizes: Vec<usize> = clusters.iter().map(|cluster| cluster.lanes.len()).collect();
    assert_eq!(sizes, [2, 1]);
}

#[test]
fn findings_that_speak_of_one_file_join_whatever_they_cite() {
    let lanes = [lane("plan-lint", "gsd"), lane("codex", "openai")];
    let clusters = built(
        vec![
            finding(
                "plan-lint",
                Severity::High,
                "task 2 reads `src/http/auth.ts`, which does not exist",
                &[(".planning/phases/03-x/03-01-PLAN.md", 88, Verdict::Verified)],
            ),
            finding("codex", Severity::High, "src/http/auth.ts does not exist", &[]),
            finding("codex", Severity::High, "src/http/auth.ts: sessions never expire", &[]),
            finding("codex", Severity::High, "src/http/mail.ts does not exist", &[]),
        ],
        &lanes,
    );
    let sizes: Vec<usize> = clusters.iter().map(|cluster| cluster.lanes.len()).collect();
    assert_eq!(sizes, [2, 1, 1]);
}

#[test]
fn what_one_lane_tells_apart_stays_apart() {
    let lanes = [lane("plan-lint", "gsd"), lane("codex", "openai")];
    let with_code = |title: &str, code: &str| Finding {
        code: Some(code.into()),
        ..finding("plan-lint", Severity::High, title, &[(AT, 3, Verdict::Verified)])
    };
    let clusters = built(
        vec![
            with_code("a task has no verify", "plan/no-verify"),
            with_code("a task is vague", "plan/vague"),
            finding("codex", Severity::High, "task 1 is too vague", &[(AT, 3, Verdict::Verified)]),
        ],
        &lanes,
    );
    assert_eq!(clusters.len(), 2);
    let vague = clusters.iter().find(|cluster| cluster.title.contains("is vague")).unwrap();
    assert_eq!(vague.lanes, ["plan-lint", "codex"]);
}

#[test]
fn two_instances_agree_with_themselves_only() {
    let lanes =
        [instance("codex", "codex"), instance("codex", "codex-deep"), lane("claude", "anthropic")];
    let said =
        |by: &str| finding(by, Severity::High, "the same thing", &[(AT, 5, Verdict::Verified)]);
    let mut findings = vec![said("codex"), said("codex-deep")];
    let clusters = build(&mut findings, &lanes, &Correlation::default());
    assert_eq!(clusters.len(), 1);
    assert_eq!(clusters[0].lanes.len(), 2);
    assert_eq!(clusters[0].support, 1.05);
    assert!(!is_agreed(&clusters[0], &lanes));
    assert!(findings.iter().all(|finding| finding.cluster == clusters[0].id));
    let with_claude = built(vec![said("codex"), said("claude")], &lanes);
    assert!(is_agreed(&with_claude[0], &lanes));
}

#[test]
fn a_diff_alone_makes_no_grave_finding_of_a_plan() {
    let diff = Lane { evidence_class: EvidenceClass::DiffOnly, ..lane("coderabbit", "coderabbit") };
    let lanes = [lane("claude", "anthropic"), diff];
    let of_plan = Finding {
        plan: Some("03-01".into()),
        ..finding("coderabbit", Severity::High, "the plan is wrong", &[(AT, 5, Verdict::Verified)])
    };
    assert_eq!(built(vec![of_plan.clone()], &lanes)[0].severity, Severity::Medium);
    assert_eq!(built(vec![of_plan.clone()], &lanes)[0].support, 0.3);
    let of_code = finding("coderabbit", Severity::High, "a leak", &[(AT, 5, Verdict::Verified)]);
    assert_eq!(built(vec![of_code], &lanes)[0].severity, Severity::High);
    let both = built(
        vec![of_plan, finding("claude", Severity::Low, "x", &[(AT, 5, Verdict::Verified)])],
        &lanes,
    );
    assert_eq!(both[0].severity, Severity::High);
    assert!(!is_agreed(&both[0], &lanes));
}

#[test]
fn ungrounded_findings_never_gate() {
    let lanes = [lane("claude", "anthropic")];
    let gate = |verdict: Option<Verdict>| {
        let places: Vec<(&str, u64, Verdict)> = verdict.map(|v| (AT, 1, v)).into_iter().collect();
        gates(
            &built(vec![finding("claude", Severity::High, "thing", &places)], &lanes)[0],
            Severity::High,
        )
    };
    assert!(
        gate(Some(Verdict::Verified)) && gate(Some(Verdict::Moved)) && gate(Some(Verdict::Planned))
    );
    // To name a real place costs no more than to name none.
    assert!(gate(None) && gate(Some(Verdict::Located)));
    assert!(!gate(Some(Verdict::Ungrounded)) && !gate(Some(Verdict::Contradicted)));
    assert!(!gate(Some(Verdict::Outside)));
}

const LANES: [&str; 4] = ["claude", "codex", "codex-deep", "gemini"];

fn roster() -> Vec<Lane> {
    vec![
        lane("claude", "anthropic"),
        lane("codex", "openai"),
        instance("codex", "codex-deep"),
        lane("gemini", "google"),
    ]
}

fn any_finding() -> impl Strategy<Value = Finding> {
    let verdict = prop::sample::select(Verdict::ALL.to_vec());
    let place = ("[ab]\\.ts", 0u64..30, verdict);
    (
        prop::sample::select(LANES.to_vec()),
        prop::sample::select(Severity::ALL.to_vec()),
        "(feed|query|cache) (ignores|drops|leaks) `(getFeed|deleted_at|cursor_id)` `(page_size|isOpen)`",
        proptest::collection::vec(place, 0..3),
    )
        .prop_map(|(by, severity, title, places)| {
            let places: Vec<(&str, u64, Verdict)> =
                places.iter().map(|(path, line, verdict)| (path.as_str(), *line, *verdict)).collect();
            finding(by, severity, &title, &places)
        })
}

proptest! {
    #[test]
    fn every_finding_is_in_one_cluster_and_ranks_hold(
        mut findings in proptest::collection::vec(any_finding(), 0..25),
    ) {
        let lanes = roster();
        // As extraction leaves them: no lane says the same twice.
        let mut seen = BTreeSet::new();
        findings.retain(|finding| seen.insert((finding.lane.clone(), finding.id.clone())));
        let clusters = build(&mut findings, &lanes, &Correlation::default());
        for finding in &findings {
            let home: Vec<&Cluster> = clusters.iter().filter(|c| c.id == finding.cluster).collect();
            prop_assert_eq!(home.len(), 1);
            prop_assert!(home[0].findings.contains(&finding.id));
            prop_assert!(home[0].lanes.contains(&finding.lane));
        }
        for (index, above) in clusters.iter().enumerate() {
            for below in &clusters[index + 1..] {
                // A single verified finding never stands below an ungrounded crowd.
                prop_assert!(!(is_discredited(above) && below.verdict == Some(Verdict::Verified)));
                if is_discredited(above) == is_discredited(below) {
                    prop_assert!(above.severity >= below.severity);
                }
            }
            prop_assert!(above.support > 0.0 && above.support <= above.lanes.len() as f64);
        }
    }

    /// Which lane was done first changes nothing.
    #[test]
    fn the_order_of_lanes_does_not_matter(
        findings in proptest::collection::vec(any_finding(), 0..20),
    ) {
        let lanes = roster();
        let by_lane = |order: &[&str]| -> Vec<Finding> {
            order
                .iter()
                .flat_map(|by| findings.iter().filter(|f| f.lane == **by).cloned().collect::<Vec<_>>())
                .collect()
        };
        let mut backwards = LANES;
        backwards.reverse();
        prop_assert_eq!(built(by_lane(&LANES), &lanes), built(by_lane(&backwards), &lanes));
    }
}
