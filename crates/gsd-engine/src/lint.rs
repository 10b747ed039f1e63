//! The embedded reviewer `plan-lint`: one file per check.
