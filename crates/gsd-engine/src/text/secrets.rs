//! Secrets in a text: where they stand, and the text without them.
//!
//! One scanner serves plan-lint, which points at a secret, and the prompt, which must not carry
//! one. It knows the published prefixes of keys, private key blocks, tokens that are signed,
//! passwords in addresses, and values that are assigned to a name such as `password`. What is
//! obviously a stand-in (`<token>`, `$VAR`, `xxx`, `EXAMPLE`) is no secret.
//!
//! Time is linear in the text. A match never overlaps another one, and spans are on character
//! boundaries. Nothing here ever formats the secret itself; [`mask`] is the only way to show one.

mod scan;

use std::collections::BTreeMap;
use std::ops::Range;

/// A secret and its place. `kind` is a stable kebab word: `aws-access-key`, `private-key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch {
    pub kind: &'static str,
    pub span: Range<usize>,
}

/// The kind of values that the caller names, such as those of its own environment.
pub const KNOWN_VALUE: &str = "known-value";

/// A known value that is shorter would tear harmless words out of a text.
const SHORTEST_KNOWN_VALUE: usize = 8;

/// Every secret of a text, in order.
pub fn find(text: &str) -> Vec<SecretMatch> {
    scan::scan(text)
}

/// The text with every secret replaced by a placeholder, and how many were replaced, by kind.
///
/// `known` are values that are secret whatever they look like. Equal secrets get equal
/// placeholders, `[redacted aws-access-key 1]`, so that a reader can still tell them apart; the
/// numbers follow the order of first appearance and say nothing about the secret.
pub fn redact(text: &str, known: &[&str]) -> (String, BTreeMap<&'static str, u64>) {
    let mut matches: Vec<SecretMatch> = find(text);
    for value in known {
        let value = value.trim();
        if value.len() >= SHORTEST_KNOWN_VALUE {
            matches.extend(text.match_indices(value).map(|(start, _)| SecretMatch {
                kind: KNOWN_VALUE,
                span: start..start + value.len(),
            }));
        }
    }
    // Where two overlap, all that either covers has to go: they are joined below.
    matches.sort_by_key(|found| (found.span.start, std::cmp::Reverse(found.span.end)));
    let mut joined: Vec<SecretMatch> = vec![];
    for found in matches {
        match joined.last_mut() {
            Some(last) if found.span.start < last.span.end => {
                last.span.end = last.span.end.max(found.span.end);
            }
            Some(_) | None => joined.push(found),
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut numbers: BTreeMap<(&'static str, &str), usize> = BTreeMap::new();
    let mut next: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut at = 0;
    for SecretMatch { kind, span } in joined {
        let number = *numbers.entry((kind, &text[span.clone()])).or_insert_with(|| {
            let number = next.entry(kind).or_default();
            *number += 1;
            *number
        });
        *counts.entry(kind).or_default() += 1;
        out.push_str(&text[at..span.start]);
        out.push_str(&format!("[redacted {kind} {number}]"));
        at = span.end;
    }
    out.push_str(&text[at..]);
    (out, counts)
}

/// What may be shown of a secret: its public prefix, so that its owner recognises which it is.
pub fn mask(secret: &str) -> String {
    let shown = match secret.len() {
        0..=11 => 0,
        12..=23 => 3,
        _ => 4,
    };
    let prefix: String =
        secret.chars().take(shown).take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    format!("{prefix}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Put together at run time, so that scanners of repositories do not take this file for a leak.
    fn samples() -> Vec<(&'static str, String)> {
        let word = "q7Zk2WmP9xLr4TnB8vHs";
        vec![
            ("aws-access-key", ["AKIA", "FEEDBOARDQ7ZKXW2"].concat()),
            ("github-token", ["ghp_", word, word].concat()),
            ("github-token", ["github_pat_", word, "_", word].concat()),
            ("gitlab-token", ["glpat-", word].concat()),
            ("anthropic-key", ["sk-ant-api03-", word, word].concat()),
            ("openai-key", ["sk-proj-", word, word].concat()),
            ("openai-key", ["sk-", word, word].concat()),
            ("google-key", ["AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"].concat()),
            ("slack-token", ["xoxb-", "123456789012-", word].concat()),
            ("stripe-key", ["sk_live_", word].concat()),
            ("npm-token", ["npm_", word, "AbCdEfGhIjKlMnOp"].concat()),
            ("jwt", ["eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.", word].concat()),
        ]
    }

    #[test]
    fn published_prefixes_are_found_whole() {
        for (kind, secret) in samples() {
            for text in [
                secret.clone(),
                format!("the key is {secret}; use it"),
                format!("KEY=\"{secret}\"\n"),
                format!("(`{secret}`)."),
            ] {
                let found = find(&text);
                assert_eq!(found.len(), 1, "{kind} in {text}: {found:?}");
                assert_eq!(found[0].kind, kind, "{text}");
                assert_eq!(&text[found[0].span.clone()], secret, "{text}");
            }
        }
    }

    #[test]
    fn blocks_addresses_and_assignments_are_found() {
        let cases = [
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
                "private-key",
            ),
            ("postgres://app:hR7kq2Vx9@db.prod.internal:5432/app", "url-password"),
            ("postgres://shop:S3cretPw99@db.example/shop", "url-password"),
            ("password = \"hR7kq2Vx9mPz\"", "assigned-secret"),
            ("password = \"hunter2hunter2\"", "assigned-secret"),
            ("token: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "assigned-secret"),
            ("- the `token: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b`.", "assigned-secret"),
            ("api_key = q7Zk2WmP9xLr4TnB8vHs", "assigned-secret"),
            ("DB_PASSWORD=hR7kq2Vx9mPz", "assigned-secret"),
            ("apiKey: 'a81f-Qx77-zzP0-91Lm'", "assigned-secret"),
            ("Authorization: Bearer 9f8Qd71kLmZ02pVbT4sXw", "bearer-token"),
        ];
        for (text, kind) in cases {
            let found = find(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(found[0].kind, kind, "{text}");
        }
        let text = "postgres://app:hR7kq2Vx9@db.prod.internal:5432/app";
        assert_eq!(&text[find(text)[0].span.clone()], "hR7kq2Vx9");
    }

    #[test]
    fn stand_ins_and_ordinary_words_are_no_secrets() {
        for text in [
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-ant-...",
            "sk-your-key-here",
            "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
            "password = \"<password>\"",
            "password: $DB_PASSWORD",
            "password = process.env.DB_PASSWORD",
            "password: ${{ secrets.DB_PASSWORD }}",
            "password = \"changeme-please\"",
            "token: string",
            "`token = generateToken(user.id, 3600)`",
            "const secret = await getSecret(\"db-password-2\")",
            "postgres://postgres:postgres@localhost:5432/app",
            "postgres://user:password@host/db",
            "postgres://shop:Password1@db.example/shop",
            "postgres://shop:hunter@db.example/shop",
            "postgres://shop:${DB_PASSWORD}@db.internal/shop",
            "postgres://shop:$DB_PASSWORD_2@db.internal/shop",
            "postgres://shop:<password-1>@db.internal/shop",
            "password = \"password1234\"",
            "password = \"xxxx-xxxx-1234\"",
            "password = \"changeme1234\"",
            "token: <token>",
            "token: xxxxxxxxxxxxxxxxxxxxxxxx1234",
            "token: refreshTokenOfTheSessionV2Store",
            "token: verify_oauth2_token_with_pkce_s256",
            "token: cryptoRandom16Bytes32Hex64().toString()",
            "token: os.environ[\"API_TOKEN_1\"]",
            "secret: src/auth/a1b2c3d4e5f6a7b8c9d0.ts",
            "token: `generateToken(32)` of 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "https://USER:PASS@example.com",
            "https://example.com/a:b@c",
            "Authorization: Bearer <token>",
            "Authorization: Bearer $TOKEN_FROM_ENVIRONMENT",
            "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
            "sk-learn-pipeline-version-2-final",
            "task-based-approach-for-everything-and-more",
            "passwordHash = \"test/fixtures/users-1.json\"",
            "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
            "csrf_token: \"abc\"",
            "requirements: [AUTH-01, AUTH-02]",
            "eyJ is how every such token begins",
        ] {
            assert_eq!(find(text), [], "{text}");
        }
    }

    #[test]
    fn redaction_is_stable_and_counts_by_kind() {
        let key = ["AKIA", "FEEDBOARDQ7ZKXW2"].concat();
        let other = ["AKIA", "FEEDBOARDQ7ZKXW3"].concat();
        let text = format!("{key} {other} {key} my-known-value-1");
        let (out, counts) = redact(&text, &["my-known-value-1", "short"]);
        assert_eq!(
            out,
            "[redacted aws-access-key 1] [redacted aws-access-key 2] [redacted aws-access-key 1] \
             [redacted known-value 1]"
        );
        assert_eq!(counts, BTreeMap::from([("aws-access-key", 3), (KNOWN_VALUE, 1)]));
        let (same, none) = redact("nothing here", &[]);
        assert_eq!((same.as_str(), none.len()), ("nothing here", 0));
    }

    #[test]
    fn a_mask_shows_the_prefix_only() {
        let key = ["AKIA", "FEEDBOARDQ7ZKXW2"].concat();
        assert_eq!(mask(&key), "AKI…");
        assert_eq!(mask("hunter2"), "…");
    }

    proptest! {
        #[test]
        fn whatever_stands_around_it_a_secret_is_gone(
            before in "[ -~\n]{0,40}", after in "[ -~\n]{0,40}", pick in 0usize..12
        ) {
            let (_, secret) = samples().swap_remove(pick);
            let text = format!("{before} {secret} {after}");
            prop_assert!(!redact(&text, &[]).0.contains(&secret));
        }

        #[test]
        fn any_text_is_scanned_without_overlap(text in any::<String>()) {
            let mut end = 0;
            for found in find(&text) {
                prop_assert!(found.span.start >= end && text.get(found.span.clone()).is_some());
                end = found.span.end;
            }
        }
    }
}
