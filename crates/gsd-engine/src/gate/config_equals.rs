//! `config-equals`: a setting has a value.

use super::{Kind, KindWord, Predicate, Scalar};
use crate::id::ConfigKey;
use crate::json::{At, Read, Schema, record};

record! {
    /// Holds when a setting has that value.
    pub struct ConfigEquals, ConfigEqualsDraft {
        /// Always `config-equals`.
        required "kind" kind: KindWord,
        /// The dotted key.
        required "key" key: At<ConfigKey> = r#""workflow.code_review_depth""#,
        /// The value.
        required "equals" equals: Scalar = r#""deep""#,
    }
}

pub(super) const KIND: Kind = Kind {
    word: "config-equals",
    read: |node, pointer, sink| {
        ConfigEquals::read(node, pointer, sink).map(Predicate::ConfigEquals)
    },
    schema: ConfigEquals::schema,
};
