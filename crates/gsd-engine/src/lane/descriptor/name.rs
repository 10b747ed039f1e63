//! Names that reach the operating system: of programs and of variables.

use crate::text::is_deceptive;

/// The name of a program: bare, to be looked up on PATH, or an absolute path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binary(String);

impl Binary {
    pub const EXPECTED: &'static str = "a bare program name or an absolute path";

    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let odd = text.is_empty()
            || text.len() > 4096
            || text.chars().any(is_deceptive)
            || text.trim() != text
            || text.starts_with('-')
            || matches!(text, "." | "..");
        // Arguments after the name belong elsewhere; nothing of such a name is ever found.
        let command = !text.contains('/') && text.contains(char::is_whitespace);
        let relative = !text.starts_with('/') && text.contains(['/', '\\']);
        let leaves = text.split('/').any(|part| part == "..");
        if odd || command || relative || leaves {
            Err(Self::EXPECTED)
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Binary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a variable that a child may see.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnvName(String);

/// Variables through which a program can be made to run other code. A manifest cannot ask for
/// them; a user can.
const LOADERS: [&str; 14] = [
    "BASH_ENV",
    "ENV",
    "GCONV_PATH",
    "GIT_SSH_COMMAND",
    "JAVA_TOOL_OPTIONS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
];

impl EnvName {
    pub const EXPECTED: &'static str =
        "the name of a variable that does not change which code a program loads";

    const WELL_FORMED: &'static str =
        "the name of a variable, without a value: letters, digits and `_`";

    /// A name as a user may list it: any well-formed one.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let first = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let rest = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if first && rest && text.len() <= 128 {
            Ok(Self(text.to_owned()))
        } else {
            Err(Self::WELL_FORMED)
        }
    }

    /// A name as a manifest may list it.
    pub fn parse_declared(text: &str) -> Result<Self, &'static str> {
        let loads = LOADERS.contains(&text)
            || ["LD_", "DYLD_", "GSD_", "GIT_CONFIG"].iter().any(|start| text.starts_with(start));
        match Self::parse(text)? {
            name if !loads => Ok(name),
            _ => Err(Self::EXPECTED),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
