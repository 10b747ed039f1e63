use super::*;
use crate::diag::Rule;

pub(crate) fn all() -> Roster {
    let (roster, clashes) = Roster::of(first_party());
    assert_eq!(clashes, []);
    roster
}

/// A copy of a lane as an installed capability declares it.
pub(crate) fn overlay(base: &str, id: &str, slug: &str) -> Lane {
    let mut lane = all().by_slug(base).expect("a lane").clone();
    lane.capability = CapabilityId::parse(id).expect("an id");
    lane.origin = Origin::Overlay;
    lane.descriptor.slug = LaneSlug::parse(slug).expect("a slug");
    lane.descriptor.flags = vec![LaneFlag::parse(&format!("--{id}")).expect("a flag")];
    lane.descriptor.heading = descriptor::Heading::parse(&format!("Lane {slug}")).expect("valid");
    lane
}

#[test]
fn each_own_lane_is_found_by_itself() {
    for lane in first_party() {
        assert_eq!(own(lane.slug().as_str()), Some(lane));
    }
    assert_eq!(own("gemin"), None);
    assert_eq!(own(""), None);
}

#[test]
fn the_own_lanes_stand_in_their_order() {
    let slugs: Vec<_> = all().iter().map(|lane| lane.slug().to_string()).collect();
    assert_eq!(
        slugs.join(" "),
        "gemini claude codex coderabbit opencode qwen cursor antigravity ollama lm_studio \
         llama_cpp kimi-code plan-lint copilot aider plandex"
    );
    let flags: usize = all().iter().map(|lane| lane.descriptor.flags.len()).sum();
    assert_eq!(flags, slugs.len() + 1, "antigravity has two");
    let mut order = order();
    order.sort();
    let is_lane = |text: &str| {
        serde_json::from_str::<serde_json::Value>(text).expect("JSON").get("reviewer").is_some()
    };
    let mut ids: Vec<_> = crate::embedded::manifests()
        .filter(|(_, text)| is_lane(text))
        .map(|(id, _)| id.to_owned())
        .collect();
    ids.sort();
    assert_eq!(order, ids, "lanes.json lists every lane once");
    assert_eq!(slugs.len(), ids.len(), "each of them can be read");
}

#[test]
fn the_own_manifests_are_without_fault_and_own_their_keys() {
    static ANY: Rule =
        Rule { code: "any", level: crate::diag::Level::Error, summary: "", docs: "" };
    for (id, text) in crate::embedded::manifests() {
        let file = SourceFile::new(id, text);
        let (root, found) = json::parse(&file, Dialect::Strict);
        assert_eq!(found, [], "{id}");
        let root = root.expect("read");
        let root = root.as_object().expect("an object");
        let Some(body) = root.get("reviewer") else { continue };
        let mut sink = Sink::new(file, &ANY, &ANY, &ANY);
        let read = descriptor::read(body, &Pointer::root(), &mut sink);
        assert_eq!(sink.finish(), [], "{id}");
        let config = root.get("config").and_then(|node| node.as_object()).expect("its keys");
        let mut declared: Vec<_> = config.members.iter().map(|m| m.name.as_str()).collect();
        declared.sort_unstable();
        let used = read.expect("read");
        let used: Vec<_> = used.config_keys().into_iter().map(|key| key.as_str()).collect();
        assert_eq!(declared, used, "{id} declares what it uses and nothing else");
    }
}

#[test]
fn of_two_that_clash_the_first_stays() {
    let twin = overlay("claude", "acme", "claude");
    let mut flag = overlay("claude", "acme-flag", "acme_flag");
    flag.descriptor.flags = vec![LaneFlag::parse("--agy").expect("a flag")];
    let mut heading = overlay("claude", "acme-heading", "acme_heading");
    heading.descriptor.heading = descriptor::Heading::parse("kimi  CODE").expect("valid");
    let good = overlay("claude", "acme-good", "acme_good");
    let lanes = [twin, flag, heading, good];
    let (roster, clashes) = Roster::of(lanes.into_iter().chain(first_party()));
    let seen: Vec<_> =
        clashes.iter().map(|c| (c.kept.as_str(), c.dropped.as_str(), &c.shared)).collect();
    assert_eq!(
        seen,
        [
            ("claude", "acme", &Shared::Slug(LaneSlug::parse("claude").expect("a slug"))),
            ("antigravity", "acme-flag", &Shared::Flag(LaneFlag::parse("--agy").expect("a flag"))),
            ("kimi-code", "acme-heading", &Shared::Heading("kimi code".into())),
        ]
    );
    let last = roster.iter().last().expect("lanes");
    assert_eq!(last.slug().as_str(), "acme_good", "overlays come last");
    assert!(roster.by_flag("--agy").is_some_and(|lane| lane.slug().as_str() == "antigravity"));
    assert!(roster.by_heading(" KIMI code ").is_some());
}
