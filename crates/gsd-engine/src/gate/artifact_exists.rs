//! `artifact-exists`: a file of the phase is there.

use super::{FileName, Kind, KindWord, Predicate};
use crate::json::{At, Read, Schema, record};

record! {
    /// Holds when a file of that name is in the phase folder or in `.planning/`.
    pub struct ArtifactExists, ArtifactExistsDraft {
        /// Always `artifact-exists`.
        required "kind" kind: KindWord,
        /// The file: a bare name.
        required "artifact" artifact: At<FileName> = r#""SECURITY.md""#,
    }
}

pub(super) const KIND: Kind = Kind {
    word: "artifact-exists",
    read: |node, pointer, sink| {
        ArtifactExists::read(node, pointer, sink).map(Predicate::ArtifactExists)
    },
    schema: ArtifactExists::schema,
};
