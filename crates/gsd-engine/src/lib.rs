//! The rules of gsd. The engine returns values and emits events; it never prints, and touches the
//! world only through `gsd-io`.
//!
//! Layers, from the bottom: words ([`id`], [`json`], [`diag`], [`text`]), then pieces, wholes and
//! operations. A module uses only what stands below it.

pub mod diag;
pub mod id;
pub mod json;
pub mod text;
