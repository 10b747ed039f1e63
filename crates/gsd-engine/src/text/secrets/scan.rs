//! The scanner: one pass over runs of token characters, one over assignments and addresses.

use super::SecretMatch;
use std::ops::Range;

/// A published prefix, what may follow it, and how much of that there must be.
struct Prefix {
    starts: &'static str,
    kind: &'static str,
    body: fn(u8) -> bool,
    min: usize,
    max: usize,
}

const fn prefix(
    starts: &'static str,
    kind: &'static str,
    body: fn(u8) -> bool,
    min: usize,
    max: usize,
) -> Prefix {
    Prefix { starts, kind, body, min, max }
}

const ANY: usize = 4096;

/// An assigned value that is longer is a text.
const MAX_VALUE: usize = 200;

/// Longer prefixes stand before shorter ones that they begin with.
static PREFIXES: &[Prefix] = &[
    prefix("AKIA", "aws-access-key", upper_or_digit, 16, 16),
    prefix("ASIA", "aws-access-key", upper_or_digit, 16, 16),
    prefix("AIza", "google-key", word_or_hyphen, 35, 35),
    prefix("GOCSPX-", "google-key", word_or_hyphen, 24, 40),
    prefix("dop_v1_", "digitalocean-token", alphanumeric, 40, 80),
    prefix("ghp_", "github-token", alphanumeric, 30, ANY),
    prefix("gho_", "github-token", alphanumeric, 30, ANY),
    prefix("ghu_", "github-token", alphanumeric, 30, ANY),
    prefix("ghs_", "github-token", alphanumeric, 30, ANY),
    prefix("ghr_", "github-token", alphanumeric, 30, ANY),
    prefix("github_pat_", "github-token", word, 22, ANY),
    prefix("glpat-", "gitlab-token", word_or_hyphen, 20, ANY),
    prefix("hf_", "hugging-face-token", alphanumeric, 30, ANY),
    prefix("npm_", "npm-token", alphanumeric, 36, 36),
    prefix("pypi-AgE", "pypi-token", word_or_hyphen, 40, ANY),
    prefix("rk_live_", "stripe-key", alphanumeric, 16, ANY),
    prefix("sk_live_", "stripe-key", alphanumeric, 16, ANY),
    prefix("sk_test_", "stripe-key", alphanumeric, 16, ANY),
    prefix("whsec_", "stripe-key", alphanumeric, 24, ANY),
    prefix("sk-ant-", "anthropic-key", word_or_hyphen, 20, ANY),
    prefix("sk-or-v1-", "openrouter-key", alphanumeric, 32, ANY),
    prefix("sk-", "openai-key", word_or_hyphen, 20, ANY),
    prefix("xoxa-", "slack-token", word_or_hyphen, 16, ANY),
    prefix("xoxb-", "slack-token", word_or_hyphen, 16, ANY),
    prefix("xoxe-", "slack-token", word_or_hyphen, 16, ANY),
    prefix("xoxp-", "slack-token", word_or_hyphen, 16, ANY),
    prefix("xoxr-", "slack-token", word_or_hyphen, 16, ANY),
    prefix("xoxs-", "slack-token", word_or_hyphen, 16, ANY),
    prefix("xapp-", "slack-token", word_or_hyphen, 16, ANY),
];

/// Last parts of names whose value is a secret.
const SECRET_NAMES: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "accesskey",
    "private_key",
    "secret_key",
    "secretkey",
];

/// Words that only stand-ins contain.
const STAND_INS: [&str; 16] = [
    "example",
    "placeholder",
    "your-",
    "your_",
    "yourkey",
    "changeme",
    "change-me",
    "change_me",
    "redacted",
    "dummy",
    "sample",
    "insert",
    "replace",
    "xxx",
    "...",
    "***",
];

pub(super) fn scan(text: &str) -> Vec<SecretMatch> {
    let mut found = vec![];
    runs(text, &mut found);
    private_keys(text, &mut found);
    addresses(text, &mut found);
    assignments(text, &mut found);
    found.sort_by_key(|one: &SecretMatch| (one.span.start, std::cmp::Reverse(one.span.end)));
    let mut end = 0;
    found.retain(|one| {
        let keep = one.span.start >= end;
        if keep {
            end = one.span.end;
        }
        keep
    });
    found
}

/// Runs of `[A-Za-z0-9_-]` that begin with a published prefix, and signed tokens.
fn runs(text: &str, found: &mut Vec<SecretMatch>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !word_or_hyphen(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && word_or_hyphen(bytes[at]) {
            at += 1;
        }
        // Nothing shorter than the shortest prefix with its body is looked at.
        if at - start < 16 {
            continue;
        }
        let run = &bytes[start..at];
        if let Some((kind, length)) = prefixed(run) {
            if !is_stand_in(&text[start..start + length]) {
                found.push(SecretMatch { kind, span: start..start + length });
            }
        } else if run.starts_with(b"eyJ")
            && let Some(end) = signed(bytes, at)
        {
            found.push(SecretMatch { kind: "jwt", span: start..end });
            at = end;
        }
    }
}

fn prefixed(run: &[u8]) -> Option<(&'static str, usize)> {
    let rule = PREFIXES.iter().find(|rule| run.starts_with(rule.starts.as_bytes()))?;
    let body = &run[rule.starts.len()..];
    let length = body.iter().take_while(|byte| (rule.body)(**byte)).count();
    let whole = length == body.len() || rule.max == ANY;
    let random = body[..length].iter().any(u8::is_ascii_digit)
        || (body[..length].iter().any(u8::is_ascii_uppercase)
            && body[..length].iter().any(u8::is_ascii_lowercase));
    // `sk-learn-pipeline-version-2` is made of words; a key has a long part without a hyphen.
    let random = random && body[..length].split(|b| *b == b'-').any(|part| part.len() >= 10);
    (whole && random && (rule.min..=rule.max).contains(&length))
        .then_some((rule.kind, rule.starts.len() + length))
}

/// The end of `.payload.signature` after the header of a signed token.
fn signed(bytes: &[u8], at: usize) -> Option<usize> {
    let part = |from: usize| -> Option<usize> {
        if bytes.get(from) != Some(&b'.') {
            return None;
        }
        let length = bytes[from + 1..].iter().take_while(|b| word_or_hyphen(**b)).count();
        (length >= 10).then_some(from + 1 + length)
    };
    part(part(at)?)
}

fn private_keys(text: &str, found: &mut Vec<SecretMatch>) {
    let mut from = 0;
    while let Some(start) = text[from..].find("-----BEGIN ").map(|at| from + at) {
        let name = &text[start + 11..];
        let label_end = name.find("-----").unwrap_or(0);
        from = start + 11;
        if label_end > 40 || !name[..label_end].ends_with("PRIVATE KEY") {
            continue;
        }
        let body = from + label_end + 5;
        // A block that is never closed reaches as far as its lines look like base64.
        let end = match text[body..].find("-----END ") {
            Some(at) => {
                let close = body + at + 9;
                text[close..].find("-----").map_or(close, |dashes| close + dashes + 5)
            }
            None => text.len(),
        };
        let inner = text[body..end].split("-----END").next().unwrap_or_default();
        if inner.trim().len() >= 6 && !is_stand_in(inner) {
            found.push(SecretMatch { kind: "private-key", span: start..end });
        }
        from = end;
    }
}

/// The password of `scheme://user:password@host`.
fn addresses(text: &str, found: &mut Vec<SecretMatch>) {
    for (at, _) in text.match_indices("://") {
        let authority = at + 3;
        let rest = &text[authority..];
        let length = rest
            .find(|c: char| {
                c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | ')')
            })
            .unwrap_or(rest.len());
        let Some((login, host)) = rest[..length].rsplit_once('@') else { continue };
        let Some((user, password)) = login.split_once(':') else { continue };
        let start = authority + user.len() + 1;
        let local = ["localhost", "127.0.0.1", "[::1]", "db", "postgres", "mysql", "redis"]
            .iter()
            .any(|name| host == *name || host.starts_with(&format!("{name}:")));
        // The host of an example excuses words only: a password of letters and digits was chosen.
        let mixed = password.bytes().any(|b| b.is_ascii_digit())
            && password.bytes().any(|b| b.is_ascii_alphabetic());
        if password.len() >= 6
            && !local
            && !password.eq_ignore_ascii_case(user)
            && !is_stand_in(password)
            && (!is_stand_in(host) || (mixed && password.len() >= 8))
            && !password.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            && !is_word_for_a_secret(password)
        {
            found.push(SecretMatch { kind: "url-password", span: start..start + password.len() });
        }
    }
}

/// `password = "…"`, `DB_PASSWORD=…`, `apiKey: '…'`, `Bearer …`.
fn assignments(text: &str, found: &mut Vec<SecretMatch>) {
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if !matches!(byte, b'=' | b':') {
            continue;
        }
        let name = name_before(bytes, at);
        if name.is_empty() {
            continue;
        }
        let lower = text[name.clone()].to_ascii_lowercase();
        if lower == "authorization" {
            bearer(text, at + 1, found);
        } else if SECRET_NAMES.iter().any(|secret| lower.ends_with(secret)) {
            assigned(text, at + 1, found);
        }
    }
}

/// The name that an assignment at `at` gives a value to. Quotes around it are allowed.
fn name_before(bytes: &[u8], at: usize) -> Range<usize> {
    let mut end = at;
    while end > 0 && matches!(bytes[end - 1], b' ' | b'"' | b'\'') && at - end < 3 {
        end -= 1;
    }
    let mut start = end;
    while start > 0 && word_or_hyphen(bytes[start - 1]) && end - start < 64 {
        start -= 1;
    }
    start..end
}

fn assigned(text: &str, after: usize, found: &mut Vec<SecretMatch>) {
    let bytes = text.as_bytes();
    let mut start = after;
    while start < bytes.len() && bytes[start] == b' ' && start - after < 3 {
        start += 1;
    }
    let Some(first) = bytes.get(start) else { return };
    let (start, end) = if matches!(first, b'"' | b'\'') {
        let inner = start + 1;
        let Some(length) =
            bytes[inner..].iter().take(MAX_VALUE + 1).position(|b| b == first || *b == b'\n')
        else {
            return;
        };
        if bytes[inner + length] == b'\n' {
            return;
        }
        (inner, inner + length)
    } else {
        let length =
            bytes[start..].iter().take(MAX_VALUE + 1).take_while(|b| is_value(**b)).count();
        let end = start + length;
        // In the manner of environment files there is no space before a value; after a space, as
        // in YAML, it may as well be a name or a word, so only what nobody would write counts.
        if start > after && !(is_whole(&bytes[end..]) && is_made(&bytes[start..end])) {
            return;
        }
        (start, end)
    };
    if text.get(start..end).is_some_and(looks_random) {
        found.push(SecretMatch { kind: "assigned-secret", span: start..end });
    }
}

fn bearer(text: &str, after: usize, found: &mut Vec<SecretMatch>) {
    let rest = &text[after..];
    let trimmed = rest.trim_start_matches([' ', '"', '\'']);
    let Some(token) = trimmed.strip_prefix("Bearer ") else { return };
    let start = text.len() - token.len();
    let length = token.bytes().take(ANY).take_while(|b| is_value(*b) || *b == b'.').count();
    let length = token[..length].trim_end_matches('.').len();
    if length >= 20 && looks_random(&token[..length.min(MAX_VALUE)]) {
        found.push(SecretMatch { kind: "bearer-token", span: start..start + length });
    }
}

/// Whether a value looks as if a machine had made it: long enough, of several classes, without
/// the marks of code, paths and sentences, and with enough entropy.
fn looks_random(value: &str) -> bool {
    value.len() >= 10
        && value.len() <= MAX_VALUE
        && value.is_ascii()
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && !value
            .bytes()
            .any(|b| matches!(b, b' ' | b'(' | b'{' | b'$' | b'<' | b'[' | b'%' | b'`'))
        && !(value.contains('/') && value.contains('.'))
        && !is_stand_in(value)
        && !is_word_for_a_secret(value)
        && entropy(value) >= 2.5
}

/// Whether nothing of a program or of an address goes on after a value.
fn is_whole(after: &[u8]) -> bool {
    let ends = |byte: Option<&u8>| byte.is_none_or(|b| b.is_ascii_whitespace());
    match after.first() {
        Some(b',' | b';' | b'.' | b'`' | b'}' | b')') => {
            ends(after.get(1)) || matches!(after[1], b'`' | b'.' | b',')
        }
        first => ends(first),
    }
}

/// Whether a value has a long part in which letters and digits change places as they do in no name.
fn is_made(value: &[u8]) -> bool {
    value.len() >= 20
        && value.split(|b| !b.is_ascii_alphanumeric()).any(|part| {
            let digits = part.iter().filter(|b| b.is_ascii_digit()).count();
            let changes =
                part.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
            part.len() >= 16 && digits >= 3 && changes.count() >= 3
        })
}

/// `password`, `Secret123`: the word itself, with digits behind it at most.
fn is_word_for_a_secret(value: &str) -> bool {
    let word =
        value.trim_end_matches(|c: char| c.is_ascii_digit() || c == '!').to_ascii_lowercase();
    ["pass", "passwd", "password", "pw", "secret", "test", "token"].contains(&word.as_str())
}

/// Bits per character, by the frequency of characters.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = value.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum()
}

fn is_stand_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    STAND_INS.iter().any(|word| lower.contains(word)) || value.contains(['<', '>', '$', '{', '…'])
}

fn upper_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_or_hyphen(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

fn is_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-' | b'+' | b'/' | b'=' | b'~' | b'!' | b'@' | b'#' | b'^' | b'&' | b'*'
        )
}
