//! A small generator of random numbers (SplitMix64): the same seed gives the same inputs on every
//! machine and with every version of every dependency.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of one input.
    pub fn of(seed: u64, index: u64) -> Self {
        let mut random = Self(seed ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 if there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        match u64::try_from(bound) {
            Ok(bound) if bound > 0 => usize::try_from(self.next() % bound).unwrap_or_default(),
            _ => 0,
        }
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn an_input_depends_on_seed_and_index_only() {
        let three = |seed, index| {
            let mut random = Random::of(seed, index);
            [random.below(1000), random.below(1000), random.below(1000)]
        };
        assert_eq!(three(1, 2), three(1, 2));
        assert_ne!(three(1, 2), three(1, 3));
        assert_ne!(three(1, 2), three(2, 2));
        assert_eq!(Random::of(1, 1).below(0), 0);
    }
}
