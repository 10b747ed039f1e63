//! Which plan runs before which: by `depends_on`, then by wave. Where neither tells, it is unknown.

use crate::planning::{Phase, Plan, Spanned};

/// When a plan runs, seen from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Before,
    /// In the same wave: nobody knows which is first.
    Beside,
    After,
    Unknown,
}

/// What an entry of `depends_on` leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A plan that counts, by index.
    Plan(usize),
    /// A plan of another phase, a superseded one, or one that could not be read.
    Elsewhere,
    Unknown,
    /// `none`, an empty entry.
    Nothing,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Dependency<'a> {
    pub(super) entry: &'a Spanned<String>,
    pub(super) target: Target,
}

/// The order of the plans of a phase.
#[derive(Debug)]
pub(super) struct Order<'a> {
    pub(super) depends: Vec<Vec<Dependency<'a>>>,
    /// For each plan, all that it depends on, directly or not.
    behind: Vec<Vec<bool>>,
    waves: Vec<Option<u32>>,
}

impl<'a> Order<'a> {
    /// `elsewhere` tells whether an id that no plan of this phase has belongs to another phase.
    pub(super) fn of(phase: &Phase, plans: &[&'a Plan], elsewhere: &dyn Fn(&str) -> bool) -> Self {
        let numbers: Vec<PlanNumber> = plans.iter().map(|plan| PlanNumber::of(plan)).collect();
        let depends: Vec<Vec<Dependency<'a>>> = plans
            .iter()
            .map(|plan| {
                let entries = plan.frontmatter.depends_on.as_ref().map(|list| &list.value);
                entries
                    .into_iter()
                    .flatten()
                    .map(|entry| Dependency {
                        entry,
                        target: target(&entry.value, phase, plans, &numbers, elsewhere),
                    })
                    .collect()
            })
            .collect();
        let behind = closure(&depends);
        let waves = waves(plans, &depends);
        Self { depends, behind, waves }
    }

    /// When `other` runs, seen from `plan`.
    pub(super) fn when(&self, other: usize, plan: usize) -> When {
        let (depends, feeds) = (self.behind[plan][other], self.behind[other][plan]);
        if depends != feeds {
            return if depends { When::Before } else { When::After };
        }
        match (self.waves[other], self.waves[plan]) {
            (Some(a), Some(b)) if a < b => When::Before,
            (Some(a), Some(b)) if a > b => When::After,
            (Some(_), Some(_)) => When::Beside,
            (None, _) | (_, None) => When::Unknown,
        }
    }

    /// The wave as written, else as `depends_on` gives it.
    pub(super) fn wave(&self, plan: usize) -> Option<u32> {
        self.waves[plan]
    }

    pub(super) fn reaches(&self, from: usize, to: usize) -> bool {
        self.behind[from][to]
    }
}

fn closure(depends: &[Vec<Dependency<'_>>]) -> Vec<Vec<bool>> {
    let count = depends.len();
    let mut behind = vec![vec![false; count]; count];
    for (plan, seen) in behind.iter_mut().enumerate() {
        let mut todo = vec![plan];
        while let Some(next) = todo.pop() {
            for dependency in &depends[next] {
                if let Target::Plan(target) = dependency.target
                    && !std::mem::replace(&mut seen[target], true)
                {
                    todo.push(target);
                }
            }
        }
    }
    behind
}

fn waves(plans: &[&Plan], depends: &[Vec<Dependency<'_>>]) -> Vec<Option<u32>> {
    let mut waves: Vec<Option<u32>> =
        plans.iter().map(|plan| plan.frontmatter.wave.as_ref().map(|wave| wave.value)).collect();
    // At most as many rounds as there are plans: each settles one more, or none and it ends.
    for _ in 0..plans.len() {
        let mut changed = false;
        for plan in 0..plans.len() {
            if waves[plan].is_some() || plans[plan].frontmatter.depends_on.is_none() {
                continue;
            }
            let known: Option<u32> =
                depends[plan].iter().try_fold(0, |highest, dependency| match dependency.target {
                    Target::Plan(target) => waves[target].map(|wave| highest.max(wave)),
                    Target::Elsewhere | Target::Nothing => Some(highest),
                    Target::Unknown => None,
                });
            if let Some(highest) = known {
                waves[plan] = Some(highest.saturating_add(1));
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    waves
}

/// The numbers that the name of a plan bears: `03-01-PLAN.md` is plan 1 of phase 3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlanNumber {
    pub(super) phase: Option<String>,
    pub(super) plan: Option<String>,
}

impl PlanNumber {
    pub(super) fn of(plan: &Plan) -> Self {
        Self::of_id(plan.id.as_str())
    }

    /// Two leading numbers are phase and plan; a single one could be either and is taken for none.
    pub(super) fn of_id(id: &str) -> Self {
        let mut parts =
            id.split(['-', '_']).filter(|part| !part.eq_ignore_ascii_case("plan")).map(number);
        match (parts.next().flatten(), parts.next().flatten()) {
            (Some(phase), Some(plan)) => Self { phase: Some(phase), plan: Some(plan) },
            (Some(_) | None, _) => Self { phase: None, plan: None },
        }
    }
}

/// A part that is a number, without leading zeros: `03`, `3.1`, `2b`, `P0`.
pub(super) fn number(part: &str) -> Option<String> {
    let digits = part.strip_prefix(['P', 'p']).unwrap_or(part);
    let starts = digits.starts_with(|c: char| c.is_ascii_digit());
    let letters = digits.bytes().filter(u8::is_ascii_alphabetic).count();
    let plain = digits.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.');
    (starts && plain && letters <= 1 && part.len() <= 8).then(|| without_zeros(part))
}

/// Every run of digits without its leading zeros, in lower case.
pub(super) fn without_zeros(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_number = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let more = chars.peek().is_some_and(char::is_ascii_digit);
        if c == '0' && !in_number && more {
            continue;
        }
        in_number = c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn target(
    text: &str,
    phase: &Phase,
    plans: &[&Plan],
    numbers: &[PlanNumber],
    elsewhere: &dyn Fn(&str) -> bool,
) -> Target {
    let Some(id) = cleaned(text) else { return Target::Nothing };
    let wanted = without_zeros(&id);
    let same = |plan: &&Plan| without_zeros(plan.id.as_str()) == wanted;
    if let Some(index) = plans.iter().position(same) {
        return Target::Plan(index);
    }
    // `01` is the plan of that number; `03-01-auth` and `03-01` are one plan; some hosts put the
    // name of the whole directory in front, `03-auth-01`.
    let directory = without_zeros(&phase.directory.name);
    let short = wanted.strip_prefix(directory.as_str()).and_then(|rest| rest.strip_prefix('-'));
    let by_number = number(short.unwrap_or(&id));
    let by_both = PlanNumber::of_id(&id);
    let found = plans.iter().zip(numbers).position(|(plan, own)| {
        let stated = plan.frontmatter.plan.as_ref().and_then(|plan| number(plan.value.trim()));
        let numbered = own.plan == by_number || (own.plan.is_none() && stated == by_number);
        (by_number.is_some() && numbered) || (by_both.plan.is_some() && *own == by_both)
    });
    if let Some(index) = found {
        return Target::Plan(index);
    }
    let left_out = phase.left_out.iter().any(|file| {
        let name = file.name.trim_end_matches(".md");
        without_zeros(name.trim_end_matches("-PLAN")) == wanted
    });
    let superseded = phase.plans.iter().any(|plan| {
        let own = PlanNumber::of(plan);
        same(&plan)
            || (by_number.is_some() && own.plan == by_number)
            || (own.plan.is_some() && own == by_both)
    });
    if left_out || superseded || elsewhere(&id) { Target::Elsewhere } else { Target::Unknown }
}

/// An entry without what people write around an id; `None` for one that says "nothing".
fn cleaned(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '\'', '`', '[', ']']);
    let text = super::path::file_name(text);
    let text = text.strip_suffix(".md").unwrap_or(text);
    let text = text.strip_suffix("-PLAN").unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    let text = ["plan ", "plan-"]
        .iter()
        .find_map(|word| lower.starts_with(word).then(|| text[word.len()..].trim()));
    let text = text.unwrap_or(lower.as_str());
    // A remark after the id is not a part of it.
    let text = text.split([' ', '(', ',']).next().unwrap_or_default();
    let nothing = ["", "none", "nothing", "n/a", "null", "~", "-", "—"];
    (!nothing.contains(&text)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_names() {
        let of = |id| {
            let number = PlanNumber::of_id(id);
            (number.phase.unwrap_or_default(), number.plan.unwrap_or_default())
        };
        assert_eq!(of("03-01"), ("3".into(), "1".into()));
        assert_eq!(of("64.4-02"), ("64.4".into(), "2".into()));
        assert_eq!(of("34-01-slug"), ("34".into(), "1".into()));
        assert_eq!(of("141-P0"), ("141".into(), "p0".into()));
        assert_eq!(of("01-PLAN-01-foundation"), ("1".into(), "1".into()));
        assert_eq!(of("01-data-contract"), (String::new(), String::new()));
        assert_eq!(of("PLAN"), (String::new(), String::new()));
        assert_eq!(without_zeros("03-010-x00"), "3-10-x0");
    }

    #[test]
    fn entries_are_cleaned() {
        let clean = |text| cleaned(text);
        assert_eq!(clean("\"03-01\"").as_deref(), Some("03-01"));
        assert_eq!(clean("03-01-PLAN.md").as_deref(), Some("03-01"));
        assert_eq!(clean(".planning/phases/03-x/03-01-PLAN.md").as_deref(), Some("03-01"));
        assert_eq!(clean("Plan 01 (schema)").as_deref(), Some("01"));
        assert_eq!(clean("none"), None);
    }
}
