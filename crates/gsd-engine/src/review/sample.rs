//! Records for tests: every field used, every state that looks different in a report.

use super::record::*;
use super::{clusters, findings};
use crate::lane::confinement::Confinement;
use crate::lane::descriptor::Posture;
use crate::lane::{During, Proof, Reason, State};

pub(super) fn lane(slug: &str, vendor: &str) -> Lane {
    Lane {
        slug: slug.into(),
        identity: slug.into(),
        heading: format!("{}{}", slug[..1].to_uppercase(), &slug[1..]),
        capability: slug.into(),
        vendor: Some(vendor.into()),
        transport: "spawn".into(),
        evidence_class: EvidenceClass::SourceGrounded,
        repository_access: true,
        state: State::Reviewed,
        reason: None,
        during: None,
        message: None,
        remedy: None,
        proof: Proof::Delivered,
        coverage: Coverage { covered: vec![], missing: vec![] },
        findings_source: FindingsSource::Block,
        timing: Timing {
            start_ms: 100,
            elapsed_ms: 118_000,
            first_byte_ms: Some(900),
            limit_ms: 1_200_000,
        },
        sizes: Sizes { prompt: 61_440, output: 2_048, stderr: 0 },
        trimmed: None,
        prompt_sha256: Some("5a".repeat(32)),
        exit_status: Some(0),
        signal: None,
        http_status: None,
        model_requested: None,
        model_source: None,
        model_served: None,
        destination: Some(format!("/usr/bin/{slug}")),
        program_sha256: Some("7b".repeat(32)),
        posture: Posture::ReadOnly,
        confinement: Confinement::Landlock,
        landlock_abi: Some(7),
        mutated_worktree: None,
        warnings: vec![],
        text: String::new(),
        stderr: String::new(),
    }
}

pub(super) fn failed(
    slug: &str,
    vendor: &str,
    state: State,
    reason: Reason,
    during: During,
) -> Lane {
    Lane {
        state,
        reason: Some(reason),
        during: Some(during),
        proof: Proof::None,
        findings_source: FindingsSource::None,
        exit_status: None,
        ..lane(slug, vendor)
    }
}

pub(super) fn finding(
    lane: &str,
    severity: Severity,
    title: &str,
    evidence: &[(&str, u64, Verdict)],
) -> Finding {
    let evidence = evidence.iter().map(|(path, line, verdict)| Evidence {
        path: (*path).into(),
        line: (*line > 0).then_some(*line),
        end_line: None,
        quote: None,
        symbol: None,
        verdict: *verdict,
        resolved_line: None,
        snippet: None,
    });
    let id: String = title.chars().filter(char::is_ascii_alphanumeric).collect();
    Finding {
        id: format!("f-{}", id.to_lowercase()),
        lane: lane.into(),
        kind: Kind::Concern,
        severity,
        plan: None,
        code: None,
        title: title.into(),
        claim: title.into(),
        suggestion: None,
        evidence: evidence.collect(),
        cluster: String::new(),
    }
}

pub(super) fn plan(id: &str) -> Plan {
    Plan {
        id: id.into(),
        path: format!(".planning/phases/03-post-feed/{id}-PLAN.md"),
        bytes: 15_360,
        lines: 240,
        sha256: "c0".repeat(32),
    }
}

/// The run of the sketches in the documentation, with one lane for each way to fail.
pub(super) fn record() -> Record {
    let mut lint = lane("plan-lint", "gsd");
    lint.heading = "Plan Lint".into();
    lint.proof = Proof::Echoed;
    lint.timing =
        Timing { start_ms: 0, elapsed_ms: 100, first_byte_ms: Some(20), limit_ms: 60_000 };
    lint.text = "# Plan Lint\n\nTwo plans collide.\n".into();
    let mut claude = lane("claude", "anthropic");
    claude.model_requested = Some("opus".into());
    claude.model_source = Some("`review.models.claude` (project)".into());
    claude.model_served = Some("claude-opus-4".into());
    claude.text = CLAUDE.into();
    let mut codex = lane("codex", "openai");
    codex.state = State::Incomplete;
    codex.reason = Some(Reason::PlansMissing);
    codex.message = Some("speaks of three of four plans".into());
    codex.warnings = vec!["two absolute paths outside the project were left in the text".into()];
    codex.findings_source = FindingsSource::Prose;
    codex.trimmed = Some(Trimmed {
        budget: 16_000,
        effective_budget: 14_400,
        estimated_tokens: 14_020,
        omitted: vec!["research".into()],
        project_md_shrunk: true,
        plan_truncation_pct: 8.4,
        hard_failed: false,
        note_injected: true,
        documents: vec![TrimmedDocument {
            path: ".planning/phases/03-feed/03-RESEARCH.md".into(),
            kept_bytes: 0,
            total_bytes: 9_000,
        }],
    });
    codex.text = CODEX.into();
    let mut gemini = failed("gemini", "google", State::Unavailable, Reason::Auth, During::Probe);
    gemini.message = Some("not logged in".into());
    gemini.remedy = Some("run `gemini` once, or set GEMINI_API_KEY".into());
    gemini.prompt_sha256 = None;
    gemini.timing = Timing { start_ms: 0, elapsed_ms: 40, first_byte_ms: None, limit_ms: 10_000 };
    let mut qwen = failed("qwen", "alibaba", State::Failed, Reason::ExitStatus, During::Total);
    qwen.exit_status = Some(3);
    qwen.message = Some("ended with status 3".into());
    qwen.text = "I looked at\n```\nhalf of it".into();
    qwen.stderr =
        "error: quota\nAuthorization: Bearer sk-abcdefghijklmnopqrstuvwxyz0123456789\n".into();
    let mut ollama = failed("ollama", "local", State::Skipped, Reason::Unreachable, During::Probe);
    ollama.transport = "openai-http".into();
    ollama.repository_access = false;
    ollama.message = Some("nothing at http://localhost:11434".into());
    ollama.prompt_sha256 = None;
    let plans: Vec<Plan> = ["03-01", "03-02", "03-03", "03-04"].map(plan).into();
    let mut lanes = vec![lint, claude, codex, gemini, qwen, ollama];
    let mut found = all_findings();
    for lane in &mut lanes {
        if lane.state.counts() {
            lane.coverage = findings::coverage(&lane.text, &found, &plans);
        }
    }
    lanes[0].coverage =
        Coverage { covered: plans.iter().map(|p| p.id.clone()).collect(), missing: vec![] };
    lanes[1].coverage = lanes[0].coverage.clone();
    lanes[2].coverage = Coverage {
        covered: ["03-01", "03-02", "03-03"].map(String::from).into(),
        missing: vec!["03-04".into()],
    };
    let clusters = clusters::build(&mut found, &lanes, &clusters::Correlation::default());
    Record {
        schema: SCHEMA,
        tool: Tool { name: "gsd".into(), version: "0.1.0".into(), contract: "1.11.0".into() },
        run: Run {
            id: "20261130-210412-7f3a".into(),
            started_at: "2026-11-30T21:01:38Z".into(),
            finished_at: "2026-11-30T21:04:12Z".into(),
            elapsed_ms: 154_000,
            selection: "all_flag".into(),
            itself: Some("claude".into()),
            interrupted: false,
            unreadable_plans: vec![],
            notes: vec!["what an agent reads by itself cannot be redacted".into()],
        },
        phase: Phase {
            number: Some("03".into()),
            name: "post-feed".into(),
            directory: ".planning/phases/03-post-feed".into(),
        },
        commit: Some(Commit { id: "4f1c".repeat(10), dirty: true }),
        plans,
        lanes,
        findings: found,
        clusters,
        redactions: vec![Redaction { kind: "bearer-token".into(), count: 2 }],
        kept: Kept::default(),
        history: vec![],
    }
}

fn all_findings() -> Vec<Finding> {
    let plan = |n: u32| format!(".planning/phases/03-post-feed/03-0{n}-PLAN.md");
    let wave = "two plans of wave 1 change `src/app/feed/page.tsx`";
    let places = [(plan(1), 14), (plan(2), 15)];
    let both: Vec<(&str, u64, Verdict)> =
        places.iter().map(|(path, line)| (path.as_str(), *line, Verdict::Verified)).collect();
    let mut conflict = finding("plan-lint", Severity::High, wave, &both);
    conflict.code = Some("plan/wave-conflict".into());
    conflict.plan = Some("03-01".into());
    conflict.claim = "Both plans list the file in `files_modified` and both are in wave 1; whichever runs second overwrites the first.".into();
    conflict.suggestion = Some("move 03-02 to wave 2 and let it depend on 03-01.".into());
    conflict.evidence[0].snippet = Some(Snippet {
        first_line: 12,
        lines: ["wave: 1", "files_modified:", "  - src/app/feed/page.tsx", "autonomous: true"]
            .map(String::from)
            .into(),
    });
    let mut same = finding(
        "codex",
        Severity::Medium,
        "03-01 and 03-02 both edit `page.tsx` in one wave",
        &both[..1],
    );
    same.plan = Some("03-01".into());
    let mut query = finding(
        "claude",
        Severity::High,
        "the feed query ignores `deleted_at`, so deleted posts come back",
        &[("src/db/posts.ts", 88, Verdict::Verified)],
    );
    query.suggestion = Some("add `.where(isNull(posts.deleted_at))`".into());
    query.evidence[0].quote = Some("return db.select().from(posts)".into());
    query.evidence[0].snippet = Some(Snippet {
        first_line: 86,
        lines: [
            "export async function feed(cursor: string | null) {",
            "  // <b>newest</b> first & paged",
            "  return db.select().from(posts).orderBy(desc(posts.created_at));",
            "}",
        ]
        .map(String::from)
        .into(),
    });
    let mut moved = finding(
        "claude",
        Severity::Medium,
        "the migration is not reversible",
        &[("src/db/migrations/0007_feed.sql", 3, Verdict::Moved)],
    );
    moved.evidence[0].resolved_line = Some(9);
    let ghost = finding(
        "claude",
        Severity::Medium,
        "`FeedCache.invalidate` is never called",
        &[("src/cache/feed.ts", 12, Verdict::Ungrounded), ("../other/x.ts", 1, Verdict::Outside)],
    );
    let bare = finding("codex", Severity::Low, "nothing measures the latency goal", &[]);
    let mut planned = finding(
        "codex",
        Severity::Medium,
        "the new route has no rate limit",
        &[("src/app/api/feed/route.ts", 0, Verdict::Planned)],
    );
    planned.plan = Some("03-03".into());
    let strength = |lane: &str, title: &str| Finding {
        kind: Kind::Strength,
        ..finding(lane, Severity::Low, title, &[(&plan(3), 20, Verdict::Verified)])
    };
    let question = Finding {
        kind: Kind::Question,
        ..finding("codex", Severity::Low, "who owns the feed index?", &[])
    };
    vec![
        conflict,
        query,
        moved,
        ghost,
        strength("claude", "cursor paging fits the existing index"),
        same,
        bare,
        planned,
        strength("codex", "cursor paging uses the index that exists"),
        question,
    ]
}

const CLAUDE: &str = "Now let me check the plans.\n# Review\n## 03-01-PLAN.md\nSolid, see [posts](src/db/posts.ts:88).\n\
\n## Consensus Summary\nAll fine.\n\n```ts\nconst a = 1;\n";

const CODEX: &str = "### Concerns\n- MEDIUM: 03-01 and 03-02 both edit `page.tsx`\n- LOW: nothing measures the latency goal\n";
