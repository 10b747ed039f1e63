//! The user's own `.npmrc`: which registry, and with which token.
//!
//! A token is read when it is needed and given to the request, and to nothing else.

use super::super::fetch::FetchError;
use gsd_io::env::Env;
use gsd_io::fs::{self, Links, ReadError};
use gsd_io::http::SafeUrl;
use gsd_io::secret::Secret;
use std::collections::BTreeMap;

const DEFAULT: &str = "https://registry.npmjs.org/";
const MAX_FILE: u64 = 1 << 20;

/// The settings of a user's file.
#[derive(Default)]
pub(super) struct Npmrc {
    settings: BTreeMap<String, Secret<String>>,
}

impl Npmrc {
    /// Reads `~/.npmrc`; one that is not there says nothing.
    pub(super) fn of_user(env: &Env) -> Result<Self, FetchError> {
        let Some(home) = env.home() else { return Ok(Self::default()) };
        match fs::read_text(&home.join(".npmrc"), MAX_FILE, Links::Follow) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(ReadError::NotFound { .. }) => Ok(Self::default()),
            Err(error) => Err(FetchError::unusable(
                format!("the user's `.npmrc` cannot be read: {error}"),
                "mend it: it names the registry",
            )),
        }
    }

    /// Lines of the form `name = value`.
    fn parse(text: &str) -> Self {
        let mut settings = BTreeMap::new();
        for line in text.lines().map(str::trim) {
            if line.starts_with(['#', ';']) {
                continue;
            }
            let Some((name, value)) = line.split_once('=') else { continue };
            let value = value.trim();
            let quotes = [('"', '"'), ('\'', '\'')];
            let value = quotes
                .iter()
                .find_map(|(open, close)| value.strip_prefix(*open)?.strip_suffix(*close))
                .unwrap_or(value);
            settings.insert(name.trim().to_owned(), Secret::new(value.to_owned()));
        }
        Self { settings }
    }

    fn get(&self, name: &str) -> Option<&Secret<String>> {
        self.settings.get(name)
    }

    /// The registry for a scope.
    pub(super) fn registry(&self, scope: Option<&str>) -> Result<SafeUrl, FetchError> {
        let own = scope.and_then(|scope| self.get(&format!("{scope}:registry")));
        let text = match own.or_else(|| self.get("registry")) {
            Some(text) => text.expose(),
            None => DEFAULT,
        };
        let whole = format!("{}/", text.trim_end_matches('/'));
        SafeUrl::parse(&whole).map_err(|error| {
            FetchError::unusable(
                format!("the registry in the user's `.npmrc` cannot be used: {error}"),
                "write `registry=https://HOST/PATH/`",
            )
        })
    }

    /// The token for an address, with the beginning of all addresses that it is for.
    pub(super) fn token(
        &self,
        url: &SafeUrl,
        env: &Env,
    ) -> Result<Option<(String, Secret<String>)>, FetchError> {
        let whole = url.without_secrets();
        let Some((scheme, below)) = whole.split_once("//") else { return Ok(None) };
        // From the longest path upwards, as npm looks for it.
        for (at, _) in below.rmatch_indices('/') {
            let prefix = &below[..=at];
            let Some(token) = self
                .get(&format!("//{prefix}:_authToken"))
                .or_else(|| self.get(&format!("//{}:_authToken", prefix.trim_end_matches('/'))))
            else {
                continue;
            };
            return Ok(Some((format!("{scheme}//{prefix}"), filled(token, env)?)));
        }
        Ok(None)
    }
}

/// A token, or the value of the variable that it names as `${NAME}`.
fn filled(token: &Secret<String>, env: &Env) -> Result<Secret<String>, FetchError> {
    let text = token.expose();
    let named = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let value = match named {
        None => text,
        Some(name) => env.var(name).ok_or_else(|| {
            FetchError::unusable(
                format!(
                    "the user's `.npmrc` takes its token from `{}`, which is not set",
                    crate::text::printable(name, 60)
                ),
                "set the variable, or take the token out of `.npmrc`",
            )
        })?,
    };
    if value.is_empty() || !value.chars().all(|c| c.is_ascii_graphic()) {
        return Err(FetchError::unusable(
            "the token in the user's `.npmrc` has characters that no header may have",
            "write the token again",
        ));
    }
    Ok(Secret::new(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str, url: &str) -> Option<(String, String)> {
        let env =
            Env::from_parts([("T".to_owned(), "from-env".to_owned())], "/".into(), "/gsd".into());
        let url = SafeUrl::parse(url).expect("an address");
        let found = Npmrc::parse(text).token(&url, &env).expect("usable");
        found.map(|(prefix, token)| (prefix, token.expose().clone()))
    }

    #[test]
    fn a_token_is_for_its_own_addresses() {
        let text = "# x\n//r.example/:_authToken = abc\n//r.example/team/:_authToken=${T}\n\
            //p.example:8443/:_authToken='quoted'\n_authToken=everywhere\n";
        for (url, expected) in [
            ("https://r.example/x", Some(("https://r.example/", "abc"))),
            ("https://r.example/team/x", Some(("https://r.example/team/", "from-env"))),
            ("https://r.example/teams/x", Some(("https://r.example/", "abc"))),
            ("https://p.example:8443/x", Some(("https://p.example:8443/", "quoted"))),
            ("https://p.example/x", None),
            ("https://r.example.evil.example/x", None),
            ("https://evil.example/r.example/x", None),
        ] {
            let expected = expected.map(|(prefix, token)| (prefix.to_owned(), token.to_owned()));
            assert_eq!(token(text, url), expected, "{url}");
        }
    }

    #[test]
    fn registries_and_their_scopes() {
        let npmrc =
            Npmrc::parse("registry=https://a.example/npm\n@o:registry = \"https://b.example/\"");
        let base = |scope| npmrc.registry(scope).expect("usable").to_string();
        assert_eq!(base(None), "https://a.example/npm/");
        assert_eq!(base(Some("@x")), "https://a.example/npm/");
        assert_eq!(base(Some("@o")), "https://b.example/");
        let none = Npmrc::default().registry(None).expect("usable").to_string();
        assert_eq!(none, DEFAULT);
        assert!(Npmrc::parse("registry=nonsense").registry(None).is_err());
        let env = Env::from_parts([], "/".into(), "/gsd".into());
        let unset = Npmrc::parse("//a.example/:_authToken=${NONE}");
        assert!(unset.token(&SafeUrl::parse("https://a.example/x").expect("url"), &env).is_err());
    }
}
