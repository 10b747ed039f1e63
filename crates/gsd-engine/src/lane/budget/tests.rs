use super::*;
use proptest::prelude::*;

/// A section whose first piece is its least, and whose others belong to a stage.
fn section(text: &str, stage: u8) -> Section<'_> {
    let ranked = pieces(text).into_iter().enumerate().map(|(index, range)| Ranked {
        range,
        stage: if index == 0 && stage == 1 { 0 } else { stage },
    });
    let absence = if stage == 1 { Weight::default() } else { Weight::of("`name`, ") };
    Section::new(text, Weight::of("### name\n"), absence, ranked.collect())
}

#[test]
fn what_is_left_out_is_marked() {
    let text = "one\ntwo\nthree\nfour\n";
    let ranked = [0..4, 14..19, 4..8, 8..14].map(|range| Ranked { range, stage: 0 });
    let mut ranked = ranked.to_vec();
    ranked[2].stage = 1;
    ranked[3].stage = 2;
    let of = |limit| {
        let section = Section::new(text, Weight::default(), Weight::default(), ranked.clone());
        fit(&[section], Weight::default(), limit).map(|fit| fit.texts[0].clone())
    };
    // The mark of two lines weighs more than the lines themselves.
    assert_eq!(of(100).as_deref(), Ok(text));
    assert_eq!(of(5).as_deref(), Ok(text));
    assert_eq!(of(4), Err(TooLarge { least: 5 }));
    let long = "x".repeat(90);
    let text = format!("one\n{long}\n{long}\nfour\n");
    let lines = pieces(&text);
    let ranked = [(0, 0), (3, 0), (1, 1), (2, 2)]
        .map(|(line, stage): (usize, u8)| Ranked { range: lines[line].clone(), stage });
    let of = |limit| {
        let section = Section::new(&text, Weight::default(), Weight::default(), ranked.to_vec());
        fit(&[section], Weight::default(), limit).expect("it fits").texts.remove(0)
    };
    assert_eq!(of(20), "one\n[left out: line 2 to line 3]\nfour\n");
    assert_eq!(of(40), format!("one\n{long}\n[left out: line 3 to line 3]\nfour\n"));
}

#[test]
fn a_long_line_is_cut_between_words_and_characters() {
    let words = "word ".repeat(300);
    assert!(pieces(&words).iter().all(|range| range.len() <= MAX_PIECE && range.start % 5 == 0));
    let emoji = "🦀".repeat(1000);
    let cut = pieces(&emoji);
    assert!(cut.len() > 5 && cut.iter().all(|range| range.start % 4 == 0));
    let line = format!("{}\r\n", "y".repeat(MAX_PIECE));
    assert_eq!(pieces(&line).len(), 1, "the end of a line stays whole");
    let sections = [section(&emoji, 1)];
    let fit = fit(&sections, Weight::default(), 500).expect("it fits");
    assert!(fit.texts[0].ends_with("\n[left out: line 1 to line 1]\n"), "{}", fit.texts[0]);
}

proptest! {
    #[test]
    fn pieces_cover_their_text(text in any::<String>(), times in 1usize..60) {
        let text = text.repeat(times);
        let joined: String = pieces(&text).into_iter().map(|range| &text[range]).collect();
        prop_assert_eq!(joined, text);
    }

    /// More budget keeps at least as much of every section, and no budget is exceeded.
    #[test]
    fn more_budget_never_keeps_less(
        plans in prop::collection::vec("(.{0,90}\n){1,12}", 1..4),
        rest in prop::collection::vec("(.{0,90}\n){1,12}", 0..4),
        steps in prop::collection::vec(0u64..40, 40),
    ) {
        let sections: Vec<_> = plans
            .iter()
            .map(|text| section(text, 1))
            .chain(rest.iter().enumerate().map(|(index, text)| section(text, 2 + index as u8)))
            .collect();
        let fixed = Weight::of("what is always there");
        let whole: usize = plans.iter().chain(&rest).map(String::len).sum();
        let mut before: Option<Vec<usize>> = None;
        let mut limit = 0;
        for step in steps {
            limit += step;
            match fit(&sections, fixed, limit) {
                Err(TooLarge { least }) => {
                    prop_assert!(before.is_none(), "less was enough before");
                    prop_assert!(least > limit);
                    prop_assert!(fit(&sections, fixed, least).is_ok());
                }
                Ok(found) => {
                    prop_assert!(found.tokens <= limit);
                    let names = found.kept.iter().zip(&sections);
                    let weight = names.fold(fixed, |sum, (kept, section)| {
                        sum + if *kept == 0 { section.absence } else { section.frame }
                    });
                    let texts = found.texts.iter().fold(weight, |sum, text| sum + Weight::of(text));
                    prop_assert_eq!(texts.tokens(), found.tokens, "the weight is that of the text");
                    if let Some(before) = before {
                        prop_assert!(before.iter().zip(&found.kept).all(|(less, more)| less <= more));
                    }
                    before = Some(found.kept);
                }
            }
        }
        let all = fit(&sections, fixed, 1 << 40).expect("everything fits");
        prop_assert_eq!(all.kept.iter().sum::<usize>(), whole);
        prop_assert_eq!(all.texts, plans.into_iter().chain(rest).collect::<Vec<_>>());
    }
}
