//! `artifact-frontmatter-equals`: a field of a file's frontmatter has a value.

use super::{FileName, Kind, KindWord, Predicate, Scalar};
use crate::json::{At, Fields, Read, Schema, Sink, record};

record! {
    /// Holds when the frontmatter of a file of the phase has a field with that value.
    pub struct ArtifactFrontmatterEquals, Draft, checked by check_field {
        /// Always `artifact-frontmatter-equals`.
        required "kind" kind: KindWord,
        /// The file: a bare name.
        required "artifact" artifact: At<FileName> = r#""SECURITY.md""#,
        /// The field.
        required "field" field: At<String> = r#""threats_open""#,
        /// The value; a number and its text are equal.
        required "equals" equals: Scalar = "0",
    }
}

fn check_field(draft: &Draft, _: &Fields<'_>, sink: &mut Sink) {
    if let Some(field) = &draft.field
        && field.trim().is_empty()
    {
        let at = sink.at(&field.span, &field.pointer);
        sink.push(sink.value.at(at, "a blank field name").label("expected the name of a field"));
    }
}

pub(super) const KIND: Kind = Kind {
    word: "artifact-frontmatter-equals",
    read: |node, pointer, sink| {
        ArtifactFrontmatterEquals::read(node, pointer, sink)
            .map(Predicate::ArtifactFrontmatterEquals)
    },
    schema: || {
        let mut schema = ArtifactFrontmatterEquals::schema();
        schema["properties"]["field"]["pattern"] = "\\S".into();
        schema
    },
};
