//! Closed sets of words: an enum whose members have one spelling each, in manifests, records and
//! reports alike.

use super::descriptor::rules::UNKNOWN_WORD;
use crate::json::{Node, Pointer, Sink, one_of, words_schema};
use crate::text::{nearest, printable};
use serde_json::Value;

/// An enum whose members are words.
pub trait Closed: Copy + 'static {
    /// Every member, in the order of the documentation.
    const ALL: &'static [Self];

    /// The word.
    fn word(self) -> &'static str;

    /// Each word, and what it means as far as that is written down.
    fn described() -> Vec<(&'static str, &'static [&'static str])>;
}

/// The members of a closed set for a sentence: `` `a`, `b` or `c` ``.
pub fn listed<T: Closed>() -> String {
    one_of(T::ALL.iter().map(|member| member.word()))
}

/// The schema of a closed set, with what each word means.
pub fn schema<T: Closed>() -> Value {
    words_schema(&[], &T::described())
}

/// Reads one member of a closed set; anything else is reported together with the whole set.
pub(super) fn read_word<T: Closed>(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<T> {
    let Some(text) = node.as_str() else {
        sink.wrong(node, pointer, &listed::<T>());
        return None;
    };
    let found = T::ALL.iter().copied().find(|member| member.word() == text);
    if found.is_none() {
        let at = sink.at(&node.span, pointer);
        let message = format!("unknown word `{}`", printable(text, 80));
        let mut diagnostic =
            UNKNOWN_WORD.at(at, message).label(format!("expected {}", listed::<T>()));
        if let Some(near) = nearest(text, T::ALL.iter().map(|member| member.word())) {
            diagnostic = diagnostic
                .help(format!("did you mean `{near}`?"))
                .fix(node.span.clone(), format!("\"{near}\""));
        }
        sink.push(diagnostic);
    }
    found
}

macro_rules! words {
    ($(#[doc = $docs:literal])* $name:ident { $($(#[doc = $variant_docs:literal])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[doc = $docs])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[doc = $variant_docs])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every word, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as records and reports spell it.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl $crate::lane::words::Closed for $name {
            const ALL: &'static [Self] = Self::ALL;

            fn word(self) -> &'static str {
                self.word()
            }

            fn described() -> Vec<(&'static str, &'static [&'static str])> {
                vec![$(($word, &[$($variant_docs),*])),+]
            }
        }
    };
}

pub(super) use words;
