//! The effective number of independent voices.
//!
//! For `n` voices of pairwise correlation `ρ` it is `n / (1 + (n − 1) ρ)`. Voices of mixed lineage
//! have a matrix of correlations `R`, and the same number is `1ᵀ R⁻¹ 1`, the count of independent
//! measurements that would tell as much; for one `ρ` the two formulas are equal. A voice of weight
//! `w < 1` is a noisier measurement: `1/w − 1` is added to its own variance, so that alone it
//! counts `w`. A further voice never takes support away.

use crate::review::record::{EvidenceClass, Lane};

/// What the number beside a finding means, for people.
pub const SUPPORT: &str = "How many independent voices say it, in effect: `1.4 of 2` means that two \
    lanes say it and that they weigh as much as 1.4 that have nothing in common. Lanes of one \
    vendor, of one model or of one adapter err together, so each further one adds less; a lane \
    alone that saw nothing but the text it was given counts less than 1.";

/// How much two voices have in common, of 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlation {
    /// Two vendors.
    pub different_vendor: f64,
    /// Two models of one vendor.
    pub same_vendor: f64,
    /// One model, or two instances of one adapter.
    pub same_model: f64,
}

impl Default for Correlation {
    /// Measured on public data: judges of different vendors err together far more often than
    /// chance has it.
    fn default() -> Self {
        Self { different_vendor: 0.44, same_vendor: 0.7, same_model: 0.9 }
    }
}

impl Correlation {
    /// The same with each value usable: between 0 and 0.99, and nearer lineage never less alike.
    fn ordered(self) -> Self {
        let clamp =
            |value: f64, least: f64| if value.is_nan() { least } else { value.clamp(least, 0.99) };
        let different_vendor = clamp(self.different_vendor, 0.0);
        let same_vendor = clamp(self.same_vendor, different_vendor);
        let same_model = clamp(self.same_model, same_vendor);
        Self { different_vendor, same_vendor, same_model }
    }
}

/// What support needs to know of a lane.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Voice {
    /// Instances of one adapter share it.
    pub(super) adapter: String,
    pub(super) vendor: Option<String>,
    pub(super) model: Option<String>,
    pub(super) weight: f64,
}

/// A lane that sees the plans only, and one that sees the diff only.
const PROMPT_ONLY: f64 = 0.4;
const DIFF_ONLY: f64 = 0.3;

impl Voice {
    pub(super) fn of(lane: &Lane) -> Self {
        let weight = match (lane.evidence_class, lane.repository_access) {
            (EvidenceClass::DiffOnly, _) => DIFF_ONLY,
            (EvidenceClass::SourceGrounded, false) => PROMPT_ONLY,
            (EvidenceClass::SourceGrounded, true) => 1.0,
        };
        Self {
            adapter: lane.slug.clone(),
            vendor: lane.vendor.clone(),
            model: lane.model_served.clone().or_else(|| lane.model_requested.clone()),
            weight,
        }
    }
}

/// The effective number of independent voices.
pub(super) fn effective(voices: &[Voice], correlation: &Correlation) -> f64 {
    if voices.is_empty() {
        return 0.0;
    }
    let rho = correlation.ordered();
    // Lineage must be transitive for the matrix to be one of correlations: if A and B share an
    // adapter, and B and C a model, then all three are kin.
    let model =
        kin(voices, |a, b| a.adapter == b.adapter || (a.model.is_some() && a.model == b.model));
    let vendor = kin(voices, |a, b| {
        a.adapter == b.adapter
            || (a.model.is_some() && a.model == b.model)
            || (a.vendor.is_some() && a.vendor == b.vendor)
    });
    let matrix: Vec<Vec<f64>> = (0..voices.len())
        .map(|i| {
            (0..voices.len())
                .map(|j| {
                    if i == j {
                        1.0 / voices[i].weight
                    } else if model[i] == model[j] {
                        rho.same_model
                    } else if vendor[i] == vendor[j] {
                        rho.same_vendor
                    } else {
                        rho.different_vendor
                    }
                })
                .collect()
        })
        .collect();
    solve(matrix, vec![1.0; voices.len()]).iter().sum()
}

/// The number of its family for each voice, where `related` makes families.
fn kin(voices: &[Voice], related: impl Fn(&Voice, &Voice) -> bool) -> Vec<usize> {
    let mut family: Vec<usize> = (0..voices.len()).collect();
    for i in 0..voices.len() {
        for j in 0..i {
            if related(&voices[i], &voices[j]) {
                let (from, to) = (family[i], family[j]);
                for member in &mut family {
                    if *member == from {
                        *member = to;
                    }
                }
            }
        }
    }
    family
}

/// Solves `matrix · x = right` by elimination. The matrix is symmetric and positive definite, so no
/// pivot is needed and none is zero.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for pivot in 0..n {
        let head = matrix[pivot].clone();
        for row in pivot + 1..n {
            let factor = matrix[row][pivot] / head[pivot];
            for (value, above) in matrix[row].iter_mut().zip(&head).skip(pivot) {
                *value -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    let mut x = vec![0.0; n];
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|column| matrix[row][column] * x[column]).sum();
        x[row] = (right[row] - known) / matrix[row][row];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn voice(adapter: &str, vendor: &str, model: &str) -> Voice {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Voice { adapter: adapter.into(), vendor: some(vendor), model: some(model), weight: 1.0 }
    }

    fn shown(voices: &[Voice]) -> String {
        format!("{:.2}", effective(voices, &Correlation::default()))
    }

    #[test]
    fn the_formula_for_one_correlation() {
        let apart = |n: usize| -> Vec<Voice> {
            (0..n).map(|i| voice(&format!("a{i}"), &format!("v{i}"), "")).collect()
        };
        assert_eq!(shown(&apart(1)), "1.00");
        assert_eq!(shown(&apart(2)), "1.39");
        assert_eq!(shown(&apart(3)), "1.60");
        for n in 1..12 {
            let wanted = n as f64 / (1.0 + (n as f64 - 1.0) * 0.44);
            let found = effective(&apart(n), &Correlation::default());
            assert!((found - wanted).abs() < 1e-9, "{n}: {found} {wanted}");
        }
        assert_eq!(shown(&[voice("a", "v", "m"), voice("b", "v", "n")]), "1.18");
        assert_eq!(shown(&[voice("a", "v", ""), voice("a", "v", "")]), "1.05");
        assert_eq!(shown(&[voice("a", "v", "m"), voice("b", "w", "m")]), "1.05");
        assert_eq!(effective(&[], &Correlation::default()), 0.0);
    }

    #[test]
    fn weights() {
        let weighed = |weight| Voice { weight, ..voice("b", "w", "") };
        assert_eq!(shown(&[weighed(0.3)]), "0.30");
        let two = [voice("a", "v", ""), weighed(0.3)];
        let found = effective(&two, &Correlation::default());
        assert!(found > 1.0 && found < 1.3, "{found}");
    }

    #[test]
    fn odd_settings_are_put_in_order() {
        let odd = Correlation { different_vendor: 2.0, same_vendor: f64::NAN, same_model: -1.0 };
        let found = effective(&[voice("a", "", ""), voice("b", "", "")], &odd);
        assert!((1.0..1.1).contains(&found), "{found}");
    }

    fn any_voice() -> impl Strategy<Value = Voice> {
        ("[a-d]", "[x-z]?", "[m-o]?", prop_oneof![Just(1.0), Just(0.4), Just(0.3)]).prop_map(
            |(adapter, vendor, model, weight)| Voice { weight, ..voice(&adapter, &vendor, &model) },
        )
    }

    proptest! {
        /// Support is between the heaviest voice and the sum of all, and grows with each voice.
        #[test]
        fn bounds(voices in proptest::collection::vec(any_voice(), 1..8), more in any_voice()) {
            let rho = Correlation::default();
            let support = effective(&voices, &rho);
            let heaviest = voices.iter().map(|v| v.weight).fold(0.0, f64::max);
            let sum: f64 = voices.iter().map(|v| v.weight).sum();
            prop_assert!(support >= heaviest - 1e-9 && support <= sum + 1e-9, "{support} {sum}");
            // A voice that joins two families makes them one, which is another question.
            let joins = voices.iter().filter(|v| {
                v.adapter == more.adapter
                    || (v.model.is_some() && v.model == more.model)
                    || (v.vendor.is_some() && v.vendor == more.vendor)
            }).count();
            if joins < 2 {
                let mut with = voices.clone();
                with.push(more);
                prop_assert!(effective(&with, &rho) >= support - 1e-9);
            }
        }

        #[test]
        fn order_does_not_matter(mut voices in proptest::collection::vec(any_voice(), 1..8)) {
            let rho = Correlation::default();
            let one = effective(&voices, &rho);
            voices.reverse();
            prop_assert!((one - effective(&voices, &rho)).abs() < 1e-9);
        }
    }
}
