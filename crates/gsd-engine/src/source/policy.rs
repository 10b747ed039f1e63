//! Who may be asked for capabilities.
//!
//! The machine, the user and the project may each keep a list of known sources; a source has to
//! be in every list there is, so none of them can loosen another one. No variable of the
//! environment and no workstream takes a list away. What leads into the user's own network, and
//! which registries there are, is for the user alone to say.

mod known;
mod signers;

use super::Target;
use super::cool_down::CoolDown;
use super::fetch::Patience;
use super::signature::{SETTING, SigningKey};
use crate::config::{Config, Layer, user_home};
use crate::diag::SourceFile;
use crate::json::Value;
use crate::text::printable;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::env::Env;
use gsd_io::fs::{self, Links, ReadError};
use gsd_io::http::{Reach, SafeUrl};
use known::{Entry, Known, bare, known};
use signers::Signers;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

const LIST: &str = "capabilities.strict_known_registries";
const COOL_DOWN: &str = "capabilities.cool_down";
const MACHINE: &str = "/etc/gsd/defaults.json";
const USER: &str = "~/.gsd/defaults.json";
const MAX_FILE: u64 = 4 << 20;
/// Nobody waits longer than a day.
const MOST_PATIENT: Duration = Duration::from_secs(24 * 3600);

/// What the lists allow, and what else the user said about sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    lists: Vec<List>,
    signers: Vec<Signers>,
    private_hosts: Vec<String>,
    registries: BTreeMap<String, String>,
    proxy: bool,
    cool_down: u64,
    timeout: Option<Duration>,
}

/// The list in one file.
#[derive(Debug, Clone, PartialEq)]
struct List {
    /// The file, as people call it.
    file: String,
    known: Known,
}

/// What became of reading one file.
enum Found {
    Nothing,
    /// It is there, and nobody can tell what it says.
    Broken,
    Settings(Config),
}

/// Why a source may not be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("`{LIST}` in {file} is empty: only local folders may be installed")]
    Nothing { file: String },
    #[error("{asked} is not in `{LIST}` of {file}")]
    NotListed { asked: String, entry: String, file: String },
    #[error("what {file} says of known sources (`{LIST}`) is malformed: {why}")]
    Malformed { file: String, why: String },
    #[error("what {file} says of signatures (`{SETTING}`) is malformed: {why}")]
    Keys { file: String, why: String },
    #[error("{what} was not published {days} days ago, as `{COOL_DOWN}` asks for")]
    TooFresh { what: String, days: u64 },
    #[error("`{host}` has the address {address}, which is not public")]
    NotPublic { host: String, address: String },
    #[error("`{place}` is not encrypted, so nobody vouches for what comes from there")]
    Cleartext { place: String },
}

impl Refusal {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Nothing { file } => {
                format!("fetch it yourself and install the folder, or let {file} name its host")
            }
            Self::NotListed { entry, file, .. } => format!("`{entry}` in {file} would allow it"),
            Self::NotPublic { host, .. } => format!(
                "if it is yours, add `{host}` to `capabilities.private_hosts` in `~/.gsd/defaults.json`"
            ),
            Self::Cleartext { .. } => {
                "use `https://`, or say `--allow-insecure-transport`".to_owned()
            }
            Self::TooFresh { .. } => {
                format!("ask for an older version, or wait; `gsd config explain {COOL_DOWN}`")
            }
            Self::Malformed { file, .. } => {
                format!("mend {file}: a list such as `[\"github.com/owner\", \"npm\"]`, or null")
            }
            Self::Keys { file, .. } => format!(
                "mend {file}: sources, each with the second line of its `minisign.pub` or null, such \
                 as `{{\"github.com/owner\": \"RW…\"}}`"
            ),
        }
    }
}

impl Policy {
    /// Reads the lists of the machine, the user and the project.
    pub fn read(env: &Env, project: &Utf8Path) -> Self {
        let homes = [user_home(env), env.home().map(Utf8Path::to_owned)];
        Self::of(Utf8Path::new(MACHINE), homes, project)
    }

    /// `homes` holds the folder that the user's own file is in, and one whose list counts as well,
    /// since a variable must not take it away.
    fn of(machine: &Utf8Path, homes: [Option<Utf8PathBuf>; 2], project: &Utf8Path) -> Self {
        let mut policy = Self::default();
        let found = policy.add(machine, MACHINE);
        policy.signers.extend(Signers::read(&found, MACHINE));
        let [own, fixed] = homes.map(|home| home.map(|home| home.join(".gsd/defaults.json")));
        if let Some(file) = &own {
            let found = policy.add(file, USER);
            // Wherever it lies: a key can only refuse.
            policy.signers.extend(Signers::read(&found, USER));
            // A file that comes with the project is no word of the user.
            let real = |path: &Utf8Path| fs::canonical(path);
            let planted = real(file).zip(real(project)).is_some_and(|(f, p)| f.starts_with(p));
            if let Found::Settings(settings) = found
                && !planted
            {
                policy.permit(&settings);
            }
        }
        if let Some(file) = fixed.filter(|file| own.as_ref() != Some(file)) {
            let found = policy.add(&file, USER);
            policy.signers.extend(Signers::read(&found, USER));
        }
        policy.add(&project.join(".planning/config.json"), ".planning/config.json");
        policy
    }

    /// Adds the list of one file, if it has one. A file that cannot be understood allows nothing.
    fn add(&mut self, path: &Utf8Path, name: &str) -> Found {
        let bytes = match fs::read_bounded(path, MAX_FILE, Links::Follow) {
            Ok(bytes) => Some(bytes),
            Err(ReadError::NotFound { .. }) => return Found::Nothing,
            Err(_) => None,
        };
        // Each file is looked at by itself, so the layer makes no difference here.
        let config = bytes.and_then(|bytes| {
            let file = SourceFile::new(name.to_owned(), String::from_utf8(bytes).ok()?);
            let (config, _) = Config::read(vec![(Layer::User, file)]);
            (config.texts().count() == 1).then_some(config)
        });
        let known = match &config {
            None => Some(Known::Only(vec![])),
            Some(config) => match days(config) {
                Ok(days) => {
                    self.cool_down = self.cool_down.max(days);
                    known(config)
                }
                Err(why) => Some(Known::Malformed(why)),
            },
        };
        self.lists.extend(known.map(|known| List { file: name.to_owned(), known }));
        config.map_or(Found::Broken, Found::Settings)
    }

    /// What only the user may say. What has another type says nothing.
    fn permit(&mut self, settings: &Config) {
        if let Some(hosts) = settings.get("capabilities.private_hosts") {
            let hosts = hosts.node.as_array().unwrap_or_default().iter();
            self.private_hosts = hosts.filter_map(|host| Some(bare(host.as_str()?))).collect();
        }
        if let Some(registries) = settings.get("capabilities.registries") {
            let members = registries.node.as_object().map(|object| object.members.as_slice());
            for member in members.unwrap_or_default() {
                let index = member.value.as_object().and_then(|object| object.get("index"));
                if let Some(index) = member.value.as_str().or_else(|| index?.as_str()) {
                    self.registries.insert(member.name.clone(), index.to_owned());
                }
            }
        }
        let seconds = settings.get("capabilities.timeout").and_then(|set| set.node.as_f64());
        self.timeout = seconds
            .filter(|seconds| *seconds > 0.0)
            .map(|seconds| Duration::from_secs_f64(seconds.clamp(1.0, MOST_PATIENT.as_secs_f64())));
        self.proxy = settings.flag("capabilities.proxy", &mut vec![]).unwrap_or(false);
    }

    /// Which addresses a host may have.
    pub(super) fn reach(&self, host: &str, port: u16) -> Reach {
        let (host, with_port) = (bare(host), format!("{}:{port}", bare(host)));
        if self.private_hosts.iter().any(|known| *known == host || *known == with_port) {
            Reach::Anywhere
        } else {
            Reach::PublicOnly
        }
    }

    /// How long one source may take.
    pub fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(Patience::TOTAL)
    }

    /// Whether the proxies of the environment are used.
    pub(super) fn uses_proxy(&self) -> bool {
        self.proxy
    }

    /// How long a version has to have been out, as the strictest of the files says.
    pub(super) fn cool_down(&self) -> Option<CoolDown> {
        CoolDown::of_days(self.cool_down)
    }

    /// The keys that have to have signed what comes from a place, one for each file that names one
    /// for it. The place is known by several names, the one that was asked for first.
    pub(super) fn keys(&self, asked: &[Target<'_>]) -> Result<Vec<&SigningKey>, Refusal> {
        self.signers.iter().filter_map(|one| one.key(asked).transpose()).collect()
    }

    /// The index of a registry, as the user wrote it.
    pub(super) fn registry(&self, name: &str) -> Option<&str> {
        self.registries.get(name).map(String::as_str)
    }

    /// The names of the registries.
    pub fn registries(&self) -> impl Iterator<Item = &str> {
        self.registries.keys().map(String::as_str)
    }

    /// Whether every list has what would be asked.
    pub(super) fn check(&self, target: &Target<'_>) -> Result<(), Refusal> {
        let index;
        let target = match *target {
            Target::Registry(name) => match self.registry(name).map(SafeUrl::parse) {
                Some(Ok(url)) => {
                    index = url;
                    &Target::Host { name: index.host(), path: index.path() }
                }
                // What a file lists is looked at when it is chosen, and a name that the user never
                // gave leads nowhere.
                Some(Err(_)) | None => return Ok(()),
            },
            _ => target,
        };
        for List { file, known } in &self.lists {
            let file = file.clone();
            match (known, target) {
                (Known::Malformed(_), Target::Folder(_)) => {}
                (Known::Malformed(why), _) => {
                    return Err(Refusal::Malformed { file, why: why.clone() });
                }
                (Known::Only(entries), Target::Folder(path)) => {
                    let mut folders = entries.iter().filter_map(|entry| match entry {
                        Entry::Folder(folder) => Some(folder),
                        Entry::Npm | Entry::Scope(_) | Entry::Host { .. } => None,
                    });
                    let limited = folders.clone().next().is_some();
                    if limited && !folders.any(|folder| path.starts_with(folder)) {
                        return Err(not_listed(target, file));
                    }
                }
                (Known::Only(entries), _) if entries.is_empty() => {
                    return Err(Refusal::Nothing { file });
                }
                (Known::Only(entries), _) => {
                    if !entries.iter().any(|entry| entry.has(target)) {
                        return Err(not_listed(target, file));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The days of a cool-down, rounded up. What is no number is no reason to take everything.
fn days(config: &Config) -> Result<u64, String> {
    match config.all(COOL_DOWN).next().map(|setting| setting.node) {
        None => Ok(0),
        Some(node) => match (node.as_f64(), &node.value) {
            (_, Value::Null) => Ok(0),
            (Some(days), _) if days >= 0.0 => Ok(days.ceil() as u64),
            // The number that is everywhere for "unset".
            (Some(-1.0), _) => Ok(0),
            (_, _) => Err(format!("`{COOL_DOWN}` takes a number of days, not {}", node.kind())),
        },
    }
}

fn not_listed(target: &Target<'_>, file: String) -> Refusal {
    let (asked, entry) = match target {
        Target::Folder(path) => (format!("the folder `{path}`"), format!("local:{path}")),
        Target::Host { name, .. } => (format!("the host `{name}`"), (*name).to_owned()),
        Target::Npm { .. } => ("npm".to_owned(), "npm".to_owned()),
        Target::Registry(name) => (format!("the registry `{name}`"), (*name).to_owned()),
    };
    Refusal::NotListed { asked: printable(&asked, 300), entry: printable(&entry, 300), file }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.lists.iter().map(|list| list.file.as_str()).collect();
        match files.as_slice() {
            [] => f.write_str("no list of known sources"),
            files => write!(f, "the lists of known sources in {}", files.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        _folder: tempfile::TempDir,
        root: Utf8PathBuf,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let root = Utf8Path::from_path(folder.path()).expect("UTF-8").canonicalize_utf8();
            Self { root: root.expect("real"), _folder: folder }
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.root.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            fs::write_atomic(&path, text.as_bytes()).expect("written");
        }

        fn policy(&self) -> Policy {
            let homes = [Some(self.root.join("home")), Some(self.root.join("fixed"))];
            Policy::of(&self.root.join("etc.json"), homes, &self.root.join("project"))
        }

        fn allows(&self, target: &Target<'_>) -> bool {
            self.policy().check(target).is_ok()
        }
    }

    const PROJECT: &str = "project/.planning/config.json";

    fn list(items: &str) -> String {
        format!("{{\"capabilities\": {{\"strict_known_registries\": {items}}}}}")
    }

    fn host<'a>(name: &'a str, path: &'a str) -> Target<'a> {
        Target::Host { name, path }
    }

    #[test]
    fn a_list_without_entries_allows_local_folders_only() {
        let world = World::new();
        assert!(world.allows(&host("any.example", "/")));
        for broken in
            [list("[]"), "{".to_owned(), "[]".to_owned(), String::new(), "\u{1}".to_owned()]
        {
            world.write(PROJECT, &broken);
            let refused = world.policy().check(&host("any.example", "/"));
            assert!(matches!(refused, Err(Refusal::Nothing { .. })), "{broken}: {refused:?}");
            assert!(!world.allows(&Target::Npm { scope: None }), "{broken}");
            assert!(world.allows(&Target::Folder("/a".into())), "{broken}");
        }
        for open in [list("null"), "{}".to_owned(), "// none\n{\"a\": 1,}".to_owned()] {
            world.write(PROJECT, &open);
            assert!(world.allows(&host("any.example", "/")), "{open}");
        }
    }

    #[test]
    fn what_cannot_be_meant_refuses_everything_external() {
        let world = World::new();
        for bad in [
            list("\"github.com\""),
            list("{}"),
            list("true"),
            list("[1]"),
            list("[\"github.com\", \"https://x.example\"]"),
            list("[\"\"]"),
            list("[\"npm:x\"]"),
            list("[\"local:relative\"]"),
            "{\"capabilities\": []}".to_owned(),
            "{\"capabilities.strict_known_registries\": 1}".to_owned(),
        ] {
            world.write(PROJECT, &bad);
            let refused = world.policy().check(&host("github.com", "/"));
            assert!(matches!(refused, Err(Refusal::Malformed { .. })), "{bad}: {refused:?}");
            assert!(world.allows(&Target::Folder("/a".into())), "{bad}");
        }
    }

    #[test]
    fn entries() {
        let world = World::new();
        for (entry, target, allowed) in [
            ("github.com", host("github.com", "/o/r"), true),
            ("GitHub.com.", host("github.com", "/o/r"), true),
            ("github.com", host("api.GITHUB.com.", "/"), true),
            ("github.com", host("evilgithub.com", "/"), false),
            ("github.com", host("github.com.evil.example", "/"), false),
            ("*.github.com", host("github.com", "/"), false),
            ("*.github.com", host("a.github.com", "/"), true),
            ("github.com/o", host("github.com", "/O/r"), true),
            ("github.com/o", host("github.com", "/other/r"), false),
            ("github.com/o", host("github.com", "/"), false),
            ("github.com/o/r", host("github.com", "/o/r.git"), true),
            ("github.com/o/r", host("github.com", "/o/r/archive/x.tgz"), true),
            ("github.com/o/r", host("github.com", "/o/r2"), false),
            ("127.0.0.1", host("127.0.0.1", "/"), true),
            ("[::1]", host("[::1]", "/"), true),
            ("npm", Target::Npm { scope: None }, true),
            ("npm", Target::Npm { scope: Some("@a") }, true),
            ("npm", host("npm", "/"), false),
            ("npm", host("registry.npmjs.org", "/"), false),
            ("npm:@a", Target::Npm { scope: Some("@a") }, true),
            ("npm:@a", Target::Npm { scope: Some("@b") }, false),
            ("npm:@a", Target::Npm { scope: None }, false),
            ("registry.npmjs.org", Target::Npm { scope: None }, false),
            ("local:/srv/caps", Target::Folder("/srv/caps/x".into()), true),
            ("local:/srv/caps", Target::Folder("/srv/caps-evil".into()), false),
            ("npm", Target::Folder("/anywhere".into()), true),
        ] {
            world.write(PROJECT, &list(&format!("[\"{entry}\"]")));
            assert_eq!(world.allows(&target), allowed, "{entry} {target:?}");
        }
    }

    #[test]
    fn every_list_has_to_have_it() {
        let world = World::new();
        let target = host("github.com", "/o/r");
        world.write(PROJECT, &list("[\"github.com\", \"x.example\"]"));
        assert!(world.allows(&target) && world.allows(&host("x.example", "/")));
        for file in ["etc.json", "home/.gsd/defaults.json", "fixed/.gsd/defaults.json"] {
            world.write(file, &list("[\"github.com\"]"));
            assert!(world.allows(&target) && !world.allows(&host("x.example", "/")), "{file}");
            world.write(file, &list("[]"));
            assert!(!world.allows(&target), "{file}");
            world.write(file, "{}");
        }
        assert!(world.allows(&target));
    }

    #[test]
    fn the_longest_wait_counts() {
        let world = World::new();
        let wait = |days: &str| format!("{{\"capabilities\": {{\"cool_down\": {days}}}}}");
        let days = || world.policy().cool_down().map_or(0, |wait| wait.days);
        assert_eq!(days(), 0);
        world.write(PROJECT, &wait("3"));
        world.write("home/.gsd/defaults.json", &wait("0"));
        assert_eq!(days(), 3);
        world.write("home/.gsd/defaults.json", &wait("6.5"));
        assert_eq!(days(), 7);
        for (unset, bad) in
            [("-1", false), ("null", false), ("\"7\"", true), ("-2", true), ("[]", true)]
        {
            world.write(PROJECT, &wait(unset));
            assert_eq!(world.policy().check(&host("x.example", "/")).is_err(), bad, "{unset}");
            assert_eq!(days(), 7);
        }
    }

    #[test]
    fn only_the_user_lets_gsd_into_the_own_network() {
        let world = World::new();
        let settings = "{\"capabilities\": {\"private_hosts\": [\"Git.corp.example.\"], \"proxy\": true,
            \"registries\": {\"acme\": \"https://x/index.json\", \"b\": {\"index\": \"/i\"}, \"c\": 1}}}";
        world.write(PROJECT, settings);
        world.write("fixed/.gsd/defaults.json", settings);
        assert_eq!(world.policy(), Policy::default());
        world.write("home/.gsd/defaults.json", settings);
        let policy = world.policy();
        assert_eq!(
            (policy.private_hosts.as_slice(), policy.proxy),
            (&["git.corp.example".to_owned()][..], true)
        );
        assert_eq!(policy.registries.keys().collect::<Vec<_>>(), ["acme", "b"]);
        let home = world.root.join("project");
        world.write("project/.gsd/defaults.json", settings);
        let planted = Policy::of(
            "/none".into(),
            [Some(home.clone()), Some(home)],
            &world.root.join("project"),
        );
        assert_eq!(planted, Policy::default());
    }
}
