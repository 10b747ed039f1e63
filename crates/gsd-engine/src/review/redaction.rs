//! What counts as secret in a run, and where it is taken out: of the prompts that leave this
//! machine, unless the user wants otherwise, and of everything that is kept, always.

use crate::config::Config;
use crate::lane::LaneReport;
use crate::text::secrets::redact;
use gsd_io::env::Env;
use std::collections::BTreeMap;

/// How often something was taken out, by kind.
pub(super) type Receipt = BTreeMap<String, u64>;

/// The secrets that are known by their value. What looks like one is found without it.
pub(super) struct Redaction {
    known: Vec<String>,
    cleans_prompts: bool,
}

impl Redaction {
    pub(super) fn of(env: &Env, config: &Config) -> Self {
        Self { known: known(env, config), cleans_prompts: cleans_prompts(config) }
    }

    /// A prompt that leaves this machine.
    pub(super) fn of_prompt(&self, text: String) -> (String, Receipt) {
        if !self.cleans_prompts {
            return (text, Receipt::new());
        }
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        let (text, receipt) = redact(&text, &known);
        (text, receipt.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect())
    }

    /// What a lane said, before it is kept anywhere: programs print their variables, and servers
    /// repeat what they were sent. What only looks like a secret is left to who writes the report.
    pub(super) fn of_report(&self, report: &mut LaneReport) {
        let optional = [&mut report.message, &mut report.remedy].into_iter().flatten();
        let texts = [&mut report.text, &mut report.stderr].into_iter().chain(optional);
        for text in texts.chain(&mut report.warnings) {
            for secret in &self.known {
                if text.contains(secret) {
                    *text = text.replace(secret, "[redacted known-value]");
                }
            }
        }
    }
}

/// Whether secrets are taken out of prompts. Only the user can say no.
pub(super) fn cleans_prompts(config: &Config) -> bool {
    // Another type is reported by who reads the settings for a run.
    config.flag("review.redact", &mut vec![]).unwrap_or(true)
}

/// Values of this process's own variables that look like secrets by their names, or that the user
/// named as keys for servers.
fn known(env: &Env, config: &Config) -> Vec<String> {
    const NAMES: [&str; 7] =
        ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"];
    const ENDS: [&str; 6] = ["_AUTH", "_COOKIE", "_DSN", "_PASS", "_PAT", "_PWD"];
    let setting = config.get("review.api_key_env");
    let keys: Vec<&str> = setting
        .and_then(|setting| setting.node.as_object())
        .map(|names| names.members.iter().filter_map(|member| member.value.as_str()).collect())
        .unwrap_or_default();
    let mut known: Vec<String> = env
        .vars()
        .map(|(name, value)| (name, value.trim()))
        .filter(|(name, value)| {
            let upper = name.to_uppercase();
            let named = keys.contains(name)
                || NAMES.iter().any(|word| upper.contains(word))
                || ENDS.iter().any(|end| upper.ends_with(end));
            // Short values would be found in any text.
            named && value.len() >= 8
        })
        .map(|(_, value)| value.to_owned())
        .collect();
    // Of two values the longer one first, since it may hold the other.
    known.sort_by_key(|value| std::cmp::Reverse(value.len()));
    known
}
