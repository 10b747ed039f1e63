//! Two macros that define a type, its reader and its schema in one place.

/// A closed set of words.
///
/// ```ignore
/// vocabulary! {
///     /// How far a capability reaches.
///     pub enum Tier "tier" {
///         /// In every install.
///         Core = "core",
///     }
/// }
/// ```
macro_rules! vocabulary {
    (
        $(#[doc = $docs:literal])*
        $vis:vis enum $name:ident $what:literal {
            $( $(#[doc = $variant_docs:literal])* $variant:ident = $word:literal ),+ $(,)?
        }
    ) => {
        $(#[doc = $docs])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name { $( $(#[doc = $variant_docs])* $variant ),+ }

        impl $name {
            /// Every word, in the order of the documentation.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as manifests spell it.
            $vis const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value of a word.
            $vis fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.word() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl $crate::json::Read for $name {
            fn read(
                node: &$crate::json::Node,
                pointer: &$crate::json::Pointer,
                sink: &mut $crate::json::Sink,
            ) -> Option<Self> {
                let words = Self::ALL.iter().map(|value| value.word());
                let word = $crate::json::read_word(node, pointer, sink, $what, words)?;
                Self::parse(word)
            }
        }

        impl $crate::json::Schema for $name {
            fn schema() -> serde_json::Value {
                let words: &[(&str, &[&str])] = &[$(($word, &[$($variant_docs),*])),+];
                $crate::json::words_schema(&[$($docs),*], words)
            }
        }
    };
}

/// An object whose fields are known.
///
/// Each field has a need (`required`, `optional`, `required_list`, `optional_list`), its key, its
/// name and type, and may have an example. The reader takes all fields before it decides, so every
/// fault is reported. `checked` names a function that sees what could be read, also when other
/// fields could not: `fn(&XDraft, &Fields, &mut Sink)`.
macro_rules! record {
    (
        $(#[doc = $docs:literal])*
        $vis:vis struct $name:ident, $draft:ident $(, checked by $check:path)? {
            $(
                $(#[doc = $field_docs:literal])*
                $need:ident $key:literal $field:ident: $type:ty $(= $example:literal)?
            ),* $(,)?
        }
    ) => {
        $(#[doc = $docs])*
        #[derive(Debug, Clone, PartialEq)]
        $vis struct $name {
            $( $(#[doc = $field_docs])* $vis $field: $crate::json::record!(@type $need $type) ),*
        }

        /// What could be read of it.
        #[derive(Debug)]
        struct $draft {
            $( $field: $crate::json::record!(@draft $need $type) ),*
        }

        impl $crate::json::Read for $name {
            fn read(
                node: &$crate::json::Node,
                pointer: &$crate::json::Pointer,
                sink: &mut $crate::json::Sink,
            ) -> Option<Self> {
                let mut fields =
                    $crate::json::Fields::of(node, pointer, sink)?.expecting(&[$(
                        $crate::json::Expected {
                            key: $key,
                            example: concat!($($example)?),
                            schema: || $crate::json::record!(@schema $need $type),
                        }
                    ),*]);
                let draft = $draft { $( $field: fields.$need::<$type>($key, sink) ),* };
                $( $check(&draft, &fields, sink); )?
                fields.finish(sink);
                Some(Self { $( $field: $crate::json::record!(@done $need draft.$field) ),* })
            }
        }

        impl $crate::json::Schema for $name {
            fn schema() -> serde_json::Value {
                let fields = vec![$($crate::json::Field {
                    key: $key,
                    required: $crate::json::record!(@required $need),
                    docs: &[$($field_docs),*],
                    example: concat!($($example)?),
                    schema: $crate::json::record!(@schema $need $type),
                }),*];
                $crate::json::object(stringify!($name), &[$($docs),*], fields)
            }
        }
    };
    (@type required $type:ty) => { $type };
    (@type optional $type:ty) => { Option<$type> };
    (@type required_list $type:ty) => { Vec<$type> };
    (@type optional_list $type:ty) => { Vec<$type> };
    (@draft required $type:ty) => { Option<$type> };
    (@draft optional $type:ty) => { Option<$type> };
    (@draft required_list $type:ty) => { Vec<$type> };
    (@draft optional_list $type:ty) => { Vec<$type> };
    (@done required $value:expr) => { $value? };
    (@done optional $value:expr) => { $value };
    (@done required_list $value:expr) => { $value };
    (@done optional_list $value:expr) => { $value };
    (@required required) => { true };
    (@required optional) => { false };
    (@required required_list) => { true };
    (@required optional_list) => { false };
    (@schema required $type:ty) => { <$type as $crate::json::Schema>::schema() };
    (@schema optional $type:ty) => { <$type as $crate::json::Schema>::schema() };
    (@schema required_list $type:ty) => { <Vec<$type> as $crate::json::Schema>::schema() };
    (@schema optional_list $type:ty) => { <Vec<$type> as $crate::json::Schema>::schema() };
}

pub(crate) use {record, vocabulary};

#[cfg(test)]
mod tests {
    use crate::diag::SourceFile;
    use crate::json::{self, At, Dialect, Fields, Pointer, Read, Schema, Sink};

    vocabulary! {
        /// A shade.
        enum Shade "shade" {
            /// Little light.
            Dark = "dark",
            Light = "light",
        }
    }

    record! {
        /// A pot
        /// of paint.
        struct Pot, PotDraft, checked by weigh {
            /// How bright.
            required "shade" shade: At<Shade> = r#""dark""#,
            optional "grams" name: String,
            required_list "tags" tags: String,
        }
    }

    fn weigh(draft: &PotDraft, fields: &Fields<'_>, sink: &mut Sink) {
        if draft.name.as_deref() == Some("lead") {
            let at = fields.name_at("grams", sink);
            sink.push(sink.unknown.at(at, "too heavy"));
        }
    }

    fn read(text: &str) -> (Option<Pot>, Vec<String>) {
        let file = SourceFile::new("t", text);
        let (node, _) = json::parse(&file, Dialect::Strict);
        let rules = [&json::SYNTAX, &json::DUPLICATE_KEY, &json::RELAXED];
        let mut sink = Sink::new(file, rules[0], rules[1], rules[2]);
        let pot = Pot::read(&node.expect("JSON"), &Pointer::root(), &mut sink);
        let say = |d: &crate::diag::Diagnostic| {
            format!("{} {}", d.at.pointer.as_deref().unwrap_or("-"), d.message)
        };
        (pot, sink.finish().iter().map(say).collect())
    }

    #[test]
    fn all_faults_are_found_and_checks_see_what_could_be_read() {
        let (pot, found) = read(r#"{"shade":"drak","grams":"lead","tags":["a",1],"tgas":0}"#);
        assert!(pot.is_none());
        let expected = [
            "/shade unknown shade `drak`",
            "/tags/1 expected a string, found a number",
            "/grams too heavy",
            "/tgas unknown field `tgas`",
        ];
        assert_eq!(found, expected);
        let (pot, found) = read(r#"{"shade":"light","tags":[]}"#);
        assert_eq!(found, Vec::<String>::new());
        assert_eq!(pot.expect("reads").shade.value, Shade::Light);
    }

    #[test]
    fn a_hostile_text_gives_few_diagnostics() {
        let keys: String = (0..50_000).map(|i| format!("\"k{i}\":0,\"dup\":1,")).collect();
        let items = "1,".repeat(50_000);
        let (_, found) = read(&format!("{{{keys}\"tags\":[{items}1]}}"));
        assert!(found.len() < 600, "{}", found.len());
        assert!(found.iter().any(|line| line.contains("more unknown fields")), "{found:?}");
        assert!(found.iter().any(|line| line.contains("more duplicate keys")), "{found:?}");
    }

    #[test]
    fn the_schema_says_the_same() {
        let schema = Pot::schema();
        assert_eq!(schema["description"], "A pot of paint.");
        assert_eq!(schema["required"], serde_json::json!(["shade", "tags"]));
        assert_eq!(schema["properties"]["shade"]["enum"], serde_json::json!(["dark", "light"]));
        assert_eq!(schema["properties"]["shade"]["description"], "How bright.");
    }
}
