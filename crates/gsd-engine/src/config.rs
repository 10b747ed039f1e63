//! Configuration: layers of JSON texts, the nearest one wins, and every value knows where it stands.
//!
//! Reading never writes. A file that is broken counts as empty with one diagnostic; nothing is ever
//! replaced by defaults. Keys that no rule knows are kept and ignored: files in the field hold keys
//! of many versions. Only [`change()`] writes, one member at a time.

mod central;
mod change;
mod check;
mod declared;
mod files;
mod kind;
mod layers;

pub use central::{Central, Nested, central, central_declarations, nested, range_of};
pub use change::{Change, ChangeError, Changed, Place, change};
pub use check::check;
pub use declared::{Declaration, Declarations};
pub use files::{
    DEFAULTS_VARIABLE, Flags, Places, SETTINGS_VARIABLE, WORKSTREAM_VARIABLE, of_environment, read,
    user_home,
};
pub use kind::{Kind, Range};
pub use layers::{Config, Layer, Look, Setting};

use crate::diag::{Level, Rule};

/// A setting has a value of another type than it takes.
pub static WRONG_TYPE: Rule = Rule {
    code: "config/wrong-type",
    level: Level::Warning,
    summary: "a setting has a value of another type",
    docs: include_str!("config/wrong_type.md"),
};

/// A setting stands in a project's file although only the user may make it.
pub static USER_ONLY: Rule = Rule {
    code: "config/user-only",
    level: Level::Warning,
    summary: "a project sets what only the user may set",
    docs: include_str!("config/user_only.md"),
};

/// A settings file cannot be read.
pub static UNREADABLE: Rule = Rule {
    code: "config/unreadable",
    level: Level::Warning,
    summary: "a settings file cannot be read",
    docs: include_str!("config/unreadable.md"),
};

/// Nobody declares a key.
pub static UNKNOWN_KEY: Rule = Rule {
    code: "config/unknown-key",
    level: Level::Warning,
    summary: "nobody knows this setting",
    docs: include_str!("config/unknown_key.md"),
};

/// Every rule of this module.
pub static RULES: &[&Rule] = &[&UNKNOWN_KEY, &UNREADABLE, &USER_ONLY, &WRONG_TYPE];
