use super::super::prompt::Access;
use super::*;
use proptest::prelude::*;

/// The documents of a phase.
#[derive(Debug, Clone, Default)]
struct Texts {
    plans: Vec<String>,
    project: String,
    roadmap: String,
    requirements: String,
    context: String,
    research: String,
}

impl Texts {
    fn input(&self) -> Input<'_> {
        fn optional<'a>(path: &'a str, text: &'a str) -> Option<Document<'a>> {
            (!text.is_empty()).then_some(Document { path, text })
        }
        const NAMES: [&str; 4] =
            ["03-01-PLAN.md", "03-02-PLAN.md", "03-03-PLAN.md", "03-04-PLAN.md"];
        let plans = self.plans.iter().zip(NAMES);
        Input {
            number: Some("03"),
            name: "feed",
            access: Access::Repository,
            token: "0123456789abcdef".to_owned(),
            project: optional("PROJECT.md", &self.project),
            roadmap: optional("ROADMAP.md", &self.roadmap),
            requirements: optional("REQUIREMENTS.md", &self.requirements),
            context: optional("03-CONTEXT.md", &self.context).into_iter().collect(),
            research: optional("03-RESEARCH.md", &self.research).into_iter().collect(),
            plans: plans
                .map(|(text, path)| PlanDocument {
                    document: Document { path, text },
                    nonce: Some("a1b2c3".to_owned()),
                })
                .collect(),
            cut: None,
        }
    }
}

fn budget(tokens: u64) -> NonZeroU64 {
    NonZeroU64::new(tokens).expect("a budget is not 0")
}

/// A text of about so many bytes, whose lines differ.
fn text(name: &str, bytes: usize) -> String {
    let line = |n: usize| format!("{name} {n}: something that a reviewer would want to read\n");
    let mut text = String::new();
    for n in 1.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&line(n));
    }
    text
}

/// Two plans of 20,000 and 8,000 bytes and more around them than most budgets hold.
fn measured() -> Texts {
    Texts {
        plans: vec![text("first", 20_000), text("second", 8_000)],
        project: text("project", 3_000),
        roadmap: text("roadmap", 600),
        requirements: text("requirement", 6_000),
        context: text("decision", 12_000),
        research: text("research", 24_000),
    }
}

/// By document, the bytes of it that are kept.
fn kept(texts: &Texts, trimmed: Option<&Trimmed>) -> Vec<(String, u64)> {
    let input = texts.input();
    let head = input.project.map(|project| prompt::head(project.text, PROJECT_LINES));
    let all = documents(&input, head);
    all.iter()
        .map(|(_, document)| {
            let lost = trimmed.and_then(|trimmed| {
                trimmed.documents.iter().find(|lost| lost.path == document.path)
            });
            let whole = document.text.len() as u64;
            (document.path.to_owned(), lost.map_or(whole, |lost| lost.kept_bytes))
        })
        .collect()
}

#[test]
fn more_budget_never_keeps_less_of_any_document() {
    let texts = measured();
    let input = texts.input();
    let mut before: Option<Vec<(String, u64)>> = None;
    for tokens in (1_000..26_000).step_by(500) {
        let fitted = match fit(&input, budget(tokens)) {
            Ok(fitted) => fitted,
            Err(TooLarge { least }) => {
                assert!(before.is_none() && least > tokens, "{tokens} is too little");
                assert!(fit(&input, budget(least)).is_ok(), "{least} is enough");
                assert!(fit(&input, budget(least - 2)).is_err(), "and less is not");
                continue;
            }
        };
        assert!(Weight::of(&fitted.text).tokens() <= effective(budget(tokens)), "{tokens}");
        let now = kept(&texts, fitted.trimmed.as_ref());
        if let Some(before) = &before {
            let fewer = before.iter().zip(&now).find(|(less, more)| less.1 > more.1);
            assert_eq!(fewer, None, "{tokens}");
        }
        before = Some(now);
    }
    let before = before.expect("25,500 tokens are enough for something");
    assert!(before.iter().all(|(_, kept)| *kept > 0), "{before:?}");
}

#[test]
fn what_surrounds_the_plans_goes_before_the_plans() {
    let texts = measured();
    // Room for the plans, for the requirements, and for part of the research.
    let fitted = fit(&texts.input(), budget(13_000)).expect("it fits");
    let trimmed = fitted.trimmed.expect("it was cut");
    assert_eq!(trimmed.plan_truncation_pct, 0.0);
    assert_eq!(trimmed.omitted, ["context"]);
    let lost: Vec<&str> = trimmed.documents.iter().map(|lost| lost.path.as_str()).collect();
    assert_eq!(lost, ["PROJECT.md", "03-CONTEXT.md", "03-RESEARCH.md"]);
    let sentence = trimmed.sentence();
    assert!(
        sentence.starts_with("the prompt was cut to 13000 tokens: PROJECT.md to "),
        "{sentence}"
    );
    assert!(sentence.ends_with(" %, 03-CONTEXT.md left out"), "{sentence}");
    assert!(fitted.text.contains("Documents left out whole: `03-CONTEXT.md`, and nothing else."));
    assert!(fitted.text.contains("research 1:") && fitted.text.contains("\n[left out: line "));
    assert!(!fitted.text.contains("decision 1:"));
}

#[test]
fn a_plan_keeps_what_it_cannot_be_judged_without() {
    let steps = text("step", 6_000);
    let plan = format!(
        "---\nphase: 03\nmust_haves:\n  truths: [x]\n---\n\n<task>\n<name>Task 1</name>\n<action>\n\
         {steps}</action>\n<verify>\ncargo test\n</verify>\n<done>It works</done>\n</task>\n"
    );
    let texts = Texts { plans: vec![plan], ..Texts::default() };
    let fitted = fit(&texts.input(), budget(1_400)).expect("it fits");
    for line in ["must_haves:", "<task>", "<name>Task 1", "cargo test", "<done>It works", "step 1:"]
    {
        assert!(fitted.text.contains(line), "{line}: {}", fitted.text);
    }
    assert!(!fitted.text.contains("step 50:"));
    let trimmed = fitted.trimmed.expect("it was cut");
    assert!(trimmed.plan_truncation_pct > 50.0, "{trimmed:?}");
}

#[test]
fn a_prompt_that_fits_goes_out_whole() {
    let texts = measured();
    let whole = prompt::build(&texts.input());
    let fitted = fit(&texts.input(), budget(100_000)).expect("it fits");
    assert_eq!((fitted.text, fitted.trimmed), (whole, None));
}

#[test]
fn no_character_is_cut() {
    let line = "界🦀é ".repeat(20_000);
    let texts = Texts { plans: vec![line], ..Texts::default() };
    for tokens in [2_000, 2_001, 2_002, 5_000] {
        let fitted = fit(&texts.input(), budget(tokens)).expect("it fits");
        assert!(fitted.text.contains("[left out: line 1 to line 1]"));
        assert!(!fitted.text.contains('\u{fffd}'));
        assert!(Weight::of(&fitted.text).tokens() <= effective(budget(tokens)));
    }
}

fn document_text() -> impl Strategy<Value = String> {
    let line = prop::collection::vec(prop::char::any(), 0..40);
    prop::collection::vec(line, 0..40).prop_map(|lines| {
        let lines = lines.into_iter().map(|line| line.into_iter().collect::<String>());
        lines.filter(|line| !line.contains("0123456789abcdef")).collect::<Vec<_>>().join("\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_the_documents_hold(
        plans in prop::collection::vec(document_text(), 1..4),
        others in prop::collection::vec(document_text(), 5),
        steps in prop::collection::vec(1u64..600, 12),
    ) {
        let [project, roadmap, requirements, context, research] =
            others.try_into().expect("there are five");
        let texts = Texts { plans, project, roadmap, requirements, context, research };
        let input = texts.input();
        let mut tokens = 600;
        let mut before: Option<Vec<(String, u64)>> = None;
        for step in steps {
            tokens += step;
            match fit(&input, budget(tokens)) {
                Err(TooLarge { least }) => {
                    prop_assert!(before.is_none() && least > tokens);
                    prop_assert!(fit(&input, budget(least)).is_ok());
                }
                Ok(fitted) => {
                    prop_assert!(Weight::of(&fitted.text).tokens() <= effective(budget(tokens)));
                    let now = kept(&texts, fitted.trimmed.as_ref());
                    if let Some(before) = before {
                        prop_assert!(before.iter().zip(&now).all(|(less, more)| less.1 <= more.1));
                    }
                    before = Some(now);
                }
            }
        }
    }
}
