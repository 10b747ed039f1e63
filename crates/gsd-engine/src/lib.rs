//! The rules of gsd. The engine returns values and emits events; it never prints, and touches the
//! world only through `gsd-io`.
