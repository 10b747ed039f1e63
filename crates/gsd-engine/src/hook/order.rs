//! The order of hooks at one point: who makes something comes before who needs it.
//!
//! Where nothing decides, the smallest id comes first, so the order depends on nothing but the
//! declarations.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// What ordering needs to know of a hook.
#[derive(Debug, Clone)]
pub struct Item<'a> {
    /// The capability's id, then the position within its manifest.
    pub key: (&'a str, usize),
    pub produces: Vec<&'a str>,
    pub consumes: Vec<&'a str>,
}

/// The positions in `items` of hooks that wait for each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle(pub Vec<usize>);

/// Positions in `items`, in the order in which they run.
pub fn order(items: &[Item<'_>]) -> Result<Vec<usize>, Cycle> {
    let mut producers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        for artifact in &item.produces {
            producers.entry(artifact).or_default().push(at);
        }
    }
    let mut followers: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); items.len()];
    let mut waits = vec![0usize; items.len()];
    for (at, item) in items.iter().enumerate() {
        for before in item.consumes.iter().filter_map(|name| producers.get(name)).flatten() {
            if *before != at && followers[*before].insert(at) {
                waits[at] += 1;
            }
        }
    }
    let mut ready: BinaryHeap<Reverse<((&str, usize), usize)>> = (0..items.len())
        .filter(|at| waits[*at] == 0)
        .map(|at| Reverse((items[at].key, at)))
        .collect();
    let mut out = Vec::with_capacity(items.len());
    while let Some(Reverse((_, at))) = ready.pop() {
        out.push(at);
        for next in &followers[at] {
            waits[*next] -= 1;
            if waits[*next] == 0 {
                ready.push(Reverse((items[*next].key, *next)));
            }
        }
    }
    if out.len() == items.len() {
        return Ok(out);
    }
    // What follows a cycle also waits; it is peeled off, so that the message names the cycle only.
    let mut left: Vec<bool> = waits.iter().map(|number| *number > 0).collect();
    let mut leaders: Vec<Vec<usize>> = vec![vec![]; items.len()];
    let mut followed = vec![0usize; items.len()];
    for at in (0..items.len()).filter(|at| left[*at]) {
        for next in followers[at].iter().filter(|next| left[**next]) {
            leaders[*next].push(at);
            followed[at] += 1;
        }
    }
    let mut leaves: Vec<usize> =
        (0..items.len()).filter(|at| left[*at] && followed[*at] == 0).collect();
    while let Some(leaf) = leaves.pop() {
        left[leaf] = false;
        for at in &leaders[leaf] {
            followed[*at] -= 1;
            if followed[*at] == 0 {
                leaves.push(*at);
            }
        }
    }
    let mut cycle: Vec<usize> = (0..items.len()).filter(|at| left[*at]).collect();
    cycle.sort_by_key(|at| items[*at].key);
    Err(Cycle(cycle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item<'a>(id: &'a str, produces: &[&'a str], consumes: &[&'a str]) -> Item<'a> {
        Item { key: (id, 0), produces: produces.to_vec(), consumes: consumes.to_vec() }
    }

    fn ids<'a>(items: &[Item<'a>]) -> Vec<&'a str> {
        order(items).expect("no cycle").into_iter().map(|at| items[at].key.0).collect()
    }

    #[test]
    fn producers_first_then_the_smallest_id() {
        let mut items = vec![
            item("z", &["Z"], &[]),
            item("a", &[], &["Z"]),
            item("b", &[], &["Z"]),
            item("m", &[], &[]),
        ];
        assert_eq!(ids(&items), ["m", "z", "a", "b"]);
        items.reverse();
        assert_eq!(ids(&items), ["m", "z", "a", "b"], "scenario 19: whatever the folder order");
        let items = [
            item("a", &[], &[]),
            item("b", &["B"], &[]),
            item("c", &[], &["B"]),
            item("d", &[], &[]),
        ];
        assert_eq!(ids(&items), ["a", "b", "c", "d"], "scenario 20: the smallest that is ready");
    }

    #[test]
    fn a_hook_that_needs_its_own_product_waits_for_nobody() {
        assert_eq!(ids(&[item("a", &["A"], &["A"])]), ["a"]);
    }

    #[test]
    fn a_cycle_names_its_members_only() {
        let items = [
            item("a", &["A"], &["B"]),
            item("b", &["B"], &["A"]),
            item("c", &["C"], &["A"]),
            item("d", &[], &["C"]),
            item("e", &[], &[]),
        ];
        assert_eq!(order(&items), Err(Cycle(vec![0, 1])));
    }

    proptest! {
        #[test]
        fn the_order_does_not_depend_on_the_input(edges in prop::collection::vec((0usize..9, 0usize..9), 0..12), seed in any::<u64>()) {
            let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
            let mut items: Vec<Item<'_>> = names.iter().map(|name| item(name, &[name], &[])).collect();
            for (from, to) in &edges {
                if from < to {
                    items[*to].consumes.push(names[*from]);
                }
            }
            let expected = ids(&items);
            let mut mixed = items.clone();
            let by = usize::try_from(seed % 9).expect("small");
            mixed.rotate_left(by);
            prop_assert_eq!(ids(&mixed), expected.clone());
            for (from, to) in edges.iter().filter(|(from, to)| from < to) {
                let at = |name| expected.iter().position(|x| *x == name);
                prop_assert!(at(names[*from]) < at(names[*to]));
            }
        }
    }
}
