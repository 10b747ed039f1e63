//! Hostile inputs for every parser of gsd.
//!
//! A [`Target`] is a parser and what must hold whatever it is given. Inputs are made by mutating
//! seeds, which are files of the kinds that the parser reads ([`mutate`]). The program `gsd-fuzz`
//! runs a target for as long as one likes; the tests run each of them for a short time with the
//! same inputs.
//!
//! An input depends on nothing but the seed number and its own index, so a failure is repeated by
//! naming the two.

pub mod mutate;
pub mod random;
pub mod target;

pub use target::{Target, targets};
