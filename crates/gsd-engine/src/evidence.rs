//! Checks citations against the work tree.
