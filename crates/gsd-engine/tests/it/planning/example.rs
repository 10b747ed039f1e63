//! The example project: everything is where its author put it.

use camino::Utf8Path;
use gsd_engine::planning::{Phase, PhaseSpec, Planning, Shape, Spanned, TaskKind};

fn load(phase: &str) -> Phase {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/feedback-board");
    let planning = Planning::open(&root).unwrap();
    let spec = PhaseSpec::parse(phase, planning.root()).unwrap();
    planning.load(&planning.find(&spec).unwrap()).unwrap()
}

fn values(list: &[Spanned<String>]) -> Vec<&str> {
    list.iter().map(|entry| entry.value.as_str()).collect()
}

#[test]
fn plans_of_the_example() {
    let phase = load("1");
    assert_eq!(phase.diagnostics, []);
    let ids: Vec<_> = phase.plans.iter().map(|plan| plan.id.as_str()).collect();
    assert_eq!(ids, ["01-01", "01-02", "01-03", "01-04"]);
    let plan = &phase.plans[1];
    assert_eq!(plan.shape, Shape::Blocks);
    assert_eq!(plan.frontmatter.wave.as_ref().unwrap().value, 1);
    let requirements = plan.frontmatter.requirements.as_ref().unwrap();
    assert_eq!(values(&requirements.value), ["CMNT-01", "CMNT-02", "CMNT-07"]);
    let line = |span: &std::ops::Range<usize>| plan.file().line_of(span.start);
    assert_eq!(line(&requirements.value[2].span), 18);
    let links = &plan.frontmatter.must_haves.as_ref().unwrap().value.key_links;
    assert_eq!(line(&links.last().unwrap().value.to.as_ref().unwrap().span), 40);

    let [first, second, third] = plan.tasks.as_slice() else { panic!("three tasks") };
    assert_eq!(first.kind.value, TaskKind::Auto);
    let criteria = &first.acceptance_criteria.as_ref().unwrap().value;
    assert_eq!(criteria.len(), 2, "{criteria:?}");
    assert_eq!(second.read_first.as_ref().unwrap().value[2].value, "src/http/auth.ts");
    let vague = second.acceptance_criteria.as_ref().unwrap().value.iter();
    let vague = vague.clone().find(|criterion| criterion.value.contains("properly")).unwrap();
    assert_eq!((line(&vague.span), vague.value.as_str()), (105, "Errors are handled properly"));
    assert_eq!(
        second.verify.as_ref().unwrap().commands[0].text,
        "npm run test:comments && npm run typecheck"
    );
    assert!(third.verify.is_none() && third.done.is_none());
    assert_eq!(line(&third.head), 110);
}

#[test]
fn documents_of_the_example() {
    let phase = load("01-votes-and-comments");
    let roadmap = phase.on_roadmap().unwrap();
    assert_eq!(roadmap.name, "Votes and comments");
    let ids: Vec<_> = roadmap.requirements.iter().map(|id| id.value.as_str()).collect();
    assert_eq!(ids, ["VOTE-01", "VOTE-02", "CMNT-01", "CMNT-02", "MOD-01", "MOD-02"]);
    assert_eq!((roadmap.success_criteria.len(), roadmap.plans.len()), (4, 4));
    let context = &phase.contexts[0];
    assert_eq!(context.decisions.len(), 9);
    let line = |span: &std::ops::Range<usize>| context.document.file.line_of(span.start);
    let frozen = context.decisions.iter().find(|d| d.id.as_ref().unwrap().value == "D-07").unwrap();
    assert_eq!(line(&frozen.text.span), 27);
    assert!(context.deferred.iter().any(|idea| line(&idea.span) == 61), "{:?}", context.deferred);
    let questions = phase.research[0].open_questions.as_ref().unwrap();
    assert!(!questions.resolved);
    assert_eq!(questions.questions.len(), 2);
    assert_eq!(phase.research[0].document.file.line_of(questions.questions[1].text.span.start), 35);

    let other = load("2");
    let expanded: Vec<_> =
        other.on_roadmap().unwrap().requirements.iter().map(|id| id.value.as_str()).collect();
    assert_eq!(expanded, ["RMAP-01", "RMAP-02", "RMAP-03"]);
    assert_eq!(other.contexts[0].decisions.len(), 5);
    assert_eq!(other.contexts[0].deferred.len(), 3);
    assert!(other.research[0].open_questions.as_ref().unwrap().resolved);
    assert_eq!(
        other.plans[1].tasks[1].reversibility.as_ref().unwrap().rating.as_ref().unwrap().value,
        "one-way"
    );
    assert_eq!(other.plans[0].execution_refs.len(), 1);
    assert_eq!(other.plans[0].context_refs.len(), 5);
}

#[test]
fn the_example_says_where_it_is() {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/feedback-board");
    let planning = Planning::open(&root).unwrap();
    assert_eq!(planning.current().unwrap().name, "01-votes-and-comments");
}
