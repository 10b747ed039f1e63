//! The body of a feature: what it owns and where it hooks into the loop.

use super::config_slice;
use super::envelope::report_duplicates;
use super::{Command, ConfigEntry};
use crate::diag::{Level, Rule};
use crate::gate::Gate;
use crate::hook::{Contribution, LifecycleHook, Step, Target};
use crate::id::{ConfigKey, Stem};
use crate::json::{At, Fields, Sink, one_of, quoted};
use crate::text::nearest;

/// The activation key is not a setting of the capability.
pub(super) static ACTIVATION_KEY: Rule = Rule {
    code: "manifest/activation-key",
    level: Level::Error,
    summary: "the activation key is not a setting of the capability",
    docs: include_str!("activation_key.md"),
};

/// A step runs a skill or an agent that the capability does not own.
pub(super) static REF_UNOWNED: Rule = Rule {
    code: "manifest/ref-unowned",
    level: Level::Error,
    summary: "a step runs a skill or an agent that its capability does not own",
    docs: include_str!("ref_unowned.md"),
};

/// A step runs a command whose family the capability does not own.
pub(super) static COMMAND_UNOWNED: Rule = Rule {
    code: "manifest/command-unowned",
    level: Level::Warning,
    summary: "a step runs a command whose family its capability does not own",
    docs: include_str!("command_unowned.md"),
};

/// A condition is not a setting of the capability.
pub(super) static WHEN_UNOWNED: Rule = Rule {
    code: "manifest/when-unowned",
    level: Level::Error,
    summary: "a condition is not a setting of its capability",
    docs: include_str!("when_unowned.md"),
};

/// A condition is a setting that is neither true nor false.
pub(super) static WHEN_TYPE: Rule = Rule {
    code: "manifest/when-type",
    level: Level::Error,
    summary: "a condition is a setting that is neither true nor false",
    docs: include_str!("when_type.md"),
};

/// What a feature owns, and where it hooks in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Feature {
    pub skills: Vec<At<Stem>>,
    pub agents: Vec<At<Stem>>,
    pub hooks: Vec<LifecycleHook>,
    pub steps: Vec<Step>,
    pub contributions: Vec<Contribution>,
    pub gates: Vec<Gate>,
    pub activation_key: Option<At<ConfigKey>>,
}

pub(super) fn read(fields: &mut Fields<'_>, sink: &mut Sink) -> Feature {
    Feature {
        skills: fields.required_list("skills", sink),
        agents: fields.required_list("agents", sink),
        hooks: fields.optional_list("hooks", sink),
        steps: fields.required_list("steps", sink),
        contributions: fields.required_list("contributions", sink),
        gates: fields.required_list("gates", sink),
        activation_key: fields.optional("activationKey", sink),
    }
}

/// Rules about several fields, over what could be read.
pub(super) fn check(
    fields: &Fields<'_>,
    feature: &Feature,
    config: &[ConfigEntry],
    commands: &[Command],
    sink: &mut Sink,
) {
    report_duplicates(&feature.skills, "listed", sink);
    report_duplicates(&feature.agents, "listed", sink);
    if let Some(key) = &feature.activation_key {
        check_toggle(fields, key, config, &ACTIVATION_KEY, sink);
    }
    for step in &feature.steps {
        check_target(&step.target, feature, commands, sink);
    }
    let whens = feature
        .steps
        .iter()
        .map(|step| &step.when)
        .chain(feature.contributions.iter().map(|contribution| &contribution.when))
        .chain(feature.gates.iter().map(|gate| &gate.when));
    for when in whens.flatten() {
        check_toggle(fields, when, config, &WHEN_UNOWNED, sink);
    }
}

fn check_toggle(
    fields: &Fields<'_>,
    key: &At<ConfigKey>,
    config: &[ConfigEntry],
    rule: &'static Rule,
    sink: &mut Sink,
) {
    let at = sink.at(&key.span, &key.pointer);
    let Some(entry) = config.iter().find(|entry| entry.key.value == key.value) else {
        if config_slice::mentions(fields, &key.value) {
            return;
        }
        let message = format!("`{}` is not a setting of this capability", key.value);
        let mut diagnostic = rule.at(at, message).label("not in `config`");
        let keys = config.iter().map(|entry| entry.key.as_str());
        diagnostic = match nearest(key.as_str(), keys) {
            Some(near) => diagnostic
                .help(format!("did you mean `{near}`?"))
                .fix(key.span.clone(), format!("\"{near}\"")),
            None => diagnostic.help(format!("declare `{}` in `config`", key.value)),
        };
        sink.push(diagnostic);
        return;
    };
    if !entry.is_toggle() {
        let message = format!("`{}` is a {}, so it cannot say yes or no", key.value, entry.kind);
        let declared = sink.at(&entry.key.span, &entry.key.pointer);
        let diagnostic = WHEN_TYPE.at(at, message).label("expected a boolean or an enum");
        sink.push(diagnostic.also(declared, "declared here"));
    }
}

fn check_target(target: &At<Target>, feature: &Feature, commands: &[Command], sink: &mut Sink) {
    let (word, owned): (_, Vec<&str>) = match &target.value {
        Target::Skill(stem) if feature.skills.iter().all(|own| own.value != *stem) => {
            ("skill", feature.skills.iter().map(|own| own.as_str()).collect())
        }
        Target::Agent(stem) if feature.agents.iter().all(|own| own.value != *stem) => {
            ("agent", feature.agents.iter().map(|own| own.as_str()).collect())
        }
        Target::Command(line) => {
            check_command(line, target, commands, sink);
            return;
        }
        Target::Skill(_) | Target::Agent(_) => return,
    };
    let (_, name) = target.word_and_name();
    let place = crate::json::Pointer::key(&target.pointer, word);
    let message = format!("the {word} {} is not one of this capability's", quoted(name));
    let mut diagnostic = REF_UNOWNED.at(sink.at(&target.span, &place), message);
    diagnostic = match nearest(name, owned.iter().copied()) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help(format!("list it in `{word}s`")),
    };
    let expected = match owned.is_empty() {
        true => format!("this capability owns no {word}"),
        false => format!("expected {}", one_of(owned.into_iter().take(20))),
    };
    sink.push(diagnostic.label(expected));
}

fn check_command(line: &str, target: &At<Target>, commands: &[Command], sink: &mut Sink) {
    let family = line.split_whitespace().next().unwrap_or_default();
    if commands.iter().any(|command| command.family.as_str() == family) {
        return;
    }
    let message = format!("no command family {} in this capability", quoted(family));
    let place = target.pointer.key("command");
    let diagnostic = COMMAND_UNOWNED.at(sink.at(&target.span, &place), message);
    sink.push(
        diagnostic
            .label("runs only where another capability brings it")
            .help("declare the family in `commands`, or let a skill or an agent do the work"),
    );
}
