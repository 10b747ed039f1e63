//! The rules of gsd. The engine returns values and emits events; it never prints, and touches the
//! world only through `gsd-io`.
//!
//! Layers, from the bottom. A module uses only what stands below it.
//!
//! | layer | modules |
//! | --- | --- |
//! | operations | [`catalog`], [`review`], [`store`], [`trial`] |
//! | wholes | [`manifest`], [`registry`], [`lint`] |
//! | pieces | [`gate`], [`hook`], [`lane`], [`runtime`], [`source`], [`planning`], [`evidence`] |
//! | words | [`config`], [`id`], [`json`], [`diag`], [`text`] |

pub mod catalog;
pub mod config;
pub mod diag;
pub mod embedded;
pub mod evidence;
pub mod gate;
pub mod hook;
pub mod id;
pub mod json;
pub mod lane;
pub mod lint;
pub mod manifest;
pub mod planning;
pub mod registry;
pub mod review;
pub mod runtime;
pub mod source;
pub mod store;
pub mod text;
pub mod trial;

/// Every rule there is, sorted by code: for `gsd explain`, the reference and the tests.
pub fn rules() -> Vec<&'static diag::Rule> {
    let tables = [
        config::RULES,
        gate::RULES,
        hook::RULES,
        json::RULES,
        lint::RULES,
        manifest::RULES,
        planning::RULES,
        registry::RULES,
        runtime::RULES,
    ];
    let mut rules: Vec<_> = tables.into_iter().flatten().copied().chain(lane::rules()).collect();
    rules.sort_by_key(|rule| rule.code);
    rules
}
