//! Reads `.planning/` as it is found in the field.
