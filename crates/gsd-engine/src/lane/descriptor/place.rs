//! Where a program keeps its own state: places that it may write to when it is confined.

use super::EnvName;
use camino::Utf8PathBuf;

/// A file or folder of a program: `~/.acme/`, `~/.acme.json`, `$ACME_HOME/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatePlace {
    base: Base,
    /// Below the base, `/` between parts; empty for the base itself.
    below: String,
    /// Written with a final `/`: a folder, which is made if it is missing.
    pub is_folder: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Base {
    Home,
    /// The value of a variable; a place whose variable is not set is left out.
    Variable(EnvName),
}

/// The folders of the XDG standard where the user has not chosen others, below the home.
const XDG: [(&str, &str); 4] = [
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
];

impl StatePlace {
    pub const EXPECTED: &'static str =
        "a place below the home or a variable, as `~/.acme/`, `~/.acme.json` or `$ACME_HOME/`";

    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let (base, rest) = if let Some(rest) = text.strip_prefix("~/") {
            (Base::Home, rest)
        } else {
            let rest = text.strip_prefix('$').ok_or(Self::EXPECTED)?;
            let (name, rest) = rest.split_once('/').ok_or(Self::EXPECTED)?;
            let name = EnvName::parse_declared(name).map_err(|_| Self::EXPECTED)?;
            (Base::Variable(name), rest)
        };
        let below = rest.strip_suffix('/').unwrap_or(rest);
        let plain = |part: &str| {
            !matches!(part, "" | "." | "..") && !part.chars().any(|c| c.is_control() || c == '\\')
        };
        let parts = below.split('/').all(plain);
        // The whole home, or a whole folder that many programs share, is nobody's own.
        let shared = match &base {
            Base::Home => true,
            Base::Variable(name) => {
                name.as_str().starts_with("XDG_")
                    || matches!(name.as_str(), "HOME" | "PWD" | "OLDPWD" | "TMPDIR")
            }
        };
        if text.len() > 256 || !(parts || below.is_empty() && rest.is_empty() && !shared) {
            return Err(Self::EXPECTED);
        }
        let is_folder = rest.is_empty() || rest.ends_with('/');
        Ok(Self { base, below: below.to_owned(), is_folder })
    }

    /// What programs of this name do by convention, where a manifest says nothing.
    pub fn conventional(program: &str) -> Vec<Self> {
        let name = program.rsplit('/').next().unwrap_or(program);
        let xdg = XDG.iter().map(|(variable, _)| format!("${variable}/{name}"));
        std::iter::once(format!("~/.{name}"))
            .chain(xdg)
            .filter_map(|text| Self::parse(&text).ok())
            .collect()
    }

    /// The absolute path, if its base is known. `var` gives the value of a variable.
    pub fn resolve<'a>(
        &self,
        home: Option<&camino::Utf8Path>,
        var: impl Fn(&str) -> Option<&'a str>,
    ) -> Option<Utf8PathBuf> {
        let base = match &self.base {
            Base::Home => home?.to_owned(),
            Base::Variable(name) => {
                let set = var(name.as_str()).map(Utf8PathBuf::from);
                let usual = || {
                    let (_, folder) = XDG.iter().find(|(known, _)| *known == name.as_str())?;
                    Some(home?.join(folder))
                };
                set.filter(|path| path.is_absolute()).or_else(usual)?
            }
        };
        Some(if self.below.is_empty() { base } else { base.join(&self.below) })
    }
}

impl std::fmt::Display for StatePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.base {
            Base::Home => f.write_str("~")?,
            Base::Variable(name) => write!(f, "${}", name.as_str())?,
        }
        if !self.below.is_empty() {
            write!(f, "/{}", self.below)?;
        }
        if self.is_folder { f.write_str("/") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camino::Utf8Path;

    fn resolved(text: &str) -> Option<String> {
        let var = |name: &str| match name {
            "ACME_HOME" => Some("/srv/acme"),
            "RELATIVE" => Some("acme"),
            _ => None,
        };
        let place = StatePlace::parse(text).expect("a place");
        assert_eq!(place.to_string(), text);
        Some(place.resolve(Some(Utf8Path::new("/home/me")), var)?.to_string())
    }

    #[test]
    fn places_are_found_below_the_home_and_variables() {
        assert_eq!(resolved("~/.acme/").as_deref(), Some("/home/me/.acme"));
        assert_eq!(
            resolved("~/.config/acme/a.json").as_deref(),
            Some("/home/me/.config/acme/a.json")
        );
        assert_eq!(resolved("$ACME_HOME/").as_deref(), Some("/srv/acme"));
        assert_eq!(resolved("$ACME_HOME/log").as_deref(), Some("/srv/acme/log"));
        assert_eq!(resolved("$XDG_DATA_HOME/acme/").as_deref(), Some("/home/me/.local/share/acme"));
        assert_eq!(resolved("$UNSET/"), None);
        assert_eq!(resolved("$RELATIVE/"), None);
    }

    #[test]
    fn a_place_that_is_nobodys_own_is_refused() {
        for text in [
            "",
            "~",
            "~/",
            "/",
            "/etc/",
            "~//a",
            "~/../x/",
            "~/a/../../b",
            "~root/x",
            "$HOME/",
            "$TMPDIR/",
            "$XDG_CONFIG_HOME/",
            "$ACME",
            "$/x",
            "$A B/x",
            "~/a\nb",
            "~/a\\b",
            "acme/",
            "$LD_PRELOAD/",
        ] {
            assert!(StatePlace::parse(text).is_err(), "`{text}`");
        }
    }

    #[test]
    fn programs_have_usual_places() {
        let usual = StatePlace::conventional("/opt/bin/acme");
        let usual: Vec<String> = usual.iter().map(ToString::to_string).collect();
        assert_eq!(usual[..2], ["~/.acme", "$XDG_CACHE_HOME/acme"]);
        assert_eq!(usual.len(), 5);
    }
}
