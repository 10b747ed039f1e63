//! A value that remembers where it stood.

use super::{Node, Pointer, Read, Sink};
use crate::diag::{Location, SourceFile, Span};
use std::ops::Deref;
use std::sync::Arc;

/// A value and its place in the file it was read from.
#[derive(Debug, Clone)]
pub struct At<T> {
    pub value: T,
    pub span: Span,
    pub pointer: Pointer,
}

impl<T> At<T> {
    /// The place, given the file that the value came from.
    pub fn place(&self, file: &Arc<SourceFile>) -> Location {
        file.at(self.span.clone()).with_pointer(self.pointer.as_str())
    }
}

/// Two values are equal wherever they stood.
impl<T: PartialEq> PartialEq for At<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for At<T> {}

impl<T> Deref for At<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Read> Read for At<T> {
    fn read(node: &Node, pointer: &Pointer, sink: &mut Sink) -> Option<Self> {
        let value = T::read(node, pointer, sink)?;
        Some(Self { value, span: node.span.clone(), pointer: pointer.clone() })
    }
}
