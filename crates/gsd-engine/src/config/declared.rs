//! Which settings there are: their types, defaults and owners.

use super::Kind;
use super::central::central_declarations;
use crate::text::nearest;
use std::collections::BTreeMap;

/// One setting, or a family of settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The dotted key; `*` in it stands for one name, at its end for any.
    pub key: String,
    pub kind: Kind,
    /// The value that holds when nobody sets it, where gsd knows one.
    pub default: Option<serde_json::Value>,
    pub description: String,
    /// The capability that declares it; `None` for gsd.
    pub owner: Option<String>,
    /// Only the user's own file may set it.
    pub user_only: bool,
    /// Its value is never shown whole.
    pub secret: bool,
}

impl Declaration {
    /// Whether it declares more than one key.
    pub fn is_family(&self) -> bool {
        self.key.contains('*')
    }

    /// Whether a key is of this family: a typed one has one name for each `*`.
    fn covers(&self, key: &str) -> bool {
        if self.kind == Kind::Any
            && let Some(prefix) = self.key.strip_suffix(".*")
        {
            return is_below(key, prefix);
        }
        let mut names = key.split('.');
        let mut fits = self.key.split('.').all(|part| {
            names.next().is_some_and(|name| part == "*" && !name.is_empty() || part == name)
        });
        fits &= names.next().is_none();
        fits
    }
}

/// Whether a key stands below another one.
pub(super) fn is_below(key: &str, above: &str) -> bool {
    key.strip_prefix(above).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'))
}

/// All settings: gsd's own and those of the capabilities in force.
#[derive(Debug, Clone, Default)]
pub struct Declarations {
    keys: BTreeMap<String, Declaration>,
    families: Vec<Declaration>,
}

impl Declarations {
    /// gsd's own settings and these. What belongs to gsd is never declared by others.
    pub fn with(others: impl IntoIterator<Item = Declaration>) -> Self {
        let (families, own): (Vec<_>, Vec<_>) =
            central_declarations().iter().cloned().partition(Declaration::is_family);
        let keys = others.into_iter().chain(own).map(|one| (one.key.clone(), one)).collect();
        Self { keys, families }
    }

    /// What declares a key, itself or as one of a family.
    pub fn find(&self, key: &str) -> Option<&Declaration> {
        self.keys.get(key).or_else(|| self.families.iter().find(|family| family.covers(key)))
    }

    /// Single keys in their order, then families.
    pub fn iter(&self) -> impl Iterator<Item = &Declaration> {
        self.keys.values().chain(&self.families)
    }

    /// The single keys below a dotted name, in their order.
    pub fn below<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Declaration> {
        self.keys.values().filter(move |one| is_below(&one.key, name))
    }

    /// The known key that is most like an unknown one.
    pub fn nearest(&self, key: &str) -> Option<&str> {
        nearest(key, self.keys.keys().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_families_and_what_is_neither() {
        let lane = Declaration {
            key: "review.models.codex".to_owned(),
            kind: Kind::Text,
            default: Some("".into()),
            description: "The model.".to_owned(),
            owner: Some("codex".to_owned()),
            user_only: false,
            secret: false,
        };
        let all = Declarations::with([lane]);
        let owner = |key: &str| all.find(key).map(|one| one.owner.as_deref().unwrap_or("gsd"));
        assert_eq!(owner("review.models.codex"), Some("codex"));
        assert_eq!(owner("review.effort"), Some("gsd"));
        assert_eq!(owner("review.efforts.acme"), Some("gsd"));
        assert_eq!(owner("effort.agent_overrides.someone"), Some("gsd"), "any depth");
        assert_eq!(owner("review.reviewer_instances.fast.model"), Some("gsd"));
        for unknown in [
            "review.models.nope",
            "review.models",
            "review",
            "review.efforts",
            "review.efforts.a.b",
            "review.efforts.",
            "review.effort.deep",
            "review.reviewer_instances.fast.colour",
            "__proto__.x",
            "constructor",
            "",
        ] {
            assert_eq!(owner(unknown), None, "{unknown}");
        }
        assert_eq!(all.nearest("review.models.codx"), Some("review.models.codex"));
        assert!(all.find("review.env.a").is_some_and(|one| one.user_only));
        assert!(all.find("brave_search").is_some_and(|one| one.secret));
    }
}
