//! A phase and all that was read for it.

use super::context::{self, Context};
use super::directory::PhaseDir;
use super::name::{Named, named};
use super::number::natural;
use super::place::{Planning, PlanningError};
use super::plan::{self, Document, Plan};
use super::requirements::{self, Requirements};
use super::research::{self, Research};
use super::roadmap::{self, Roadmap, RoadmapPhase};
use super::state::{self, State};
use super::{CONTROL_CHARACTERS, LEFT_OUT, UNREADABLE, files};
use crate::diag::{Diagnostic, SourceFile};
use crate::id::RelPath;
use crate::text::printable;
use gsd_io::fs::Kind;
use std::fmt;

/// A file that looks as if it belonged to the review and does not enter it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The name in the phase directory.
    pub name: String,
    pub why: Why,
}

/// Why a file is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The name resembles that of a plan and is not one; the text says why.
    Name(&'static str),
    /// The name cannot be shown or put into a prompt safely.
    UnsafeName,
    /// A directory, a FIFO, a socket or a device.
    NotAFile(&'static str),
    /// A symbolic link that leaves the root or leads nowhere.
    LinkOut,
    TooLarge {
        bytes: u64,
        max: u64,
    },
    /// The files before it have used up what is read of one phase.
    TooMuch {
        max: u64,
    },
    NotUtf8 {
        offset: usize,
    },
    /// The system refused.
    Unreadable(String),
}

impl Why {
    /// Whether the file cannot be read, whatever its name.
    pub fn is_unreadable(&self) -> bool {
        match self {
            Self::Name(_) => false,
            Self::UnsafeName
            | Self::NotAFile(_)
            | Self::LinkOut
            | Self::TooLarge { .. }
            | Self::TooMuch { .. }
            | Self::NotUtf8 { .. }
            | Self::Unreadable(_) => true,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(why) => f.write_str(why),
            Self::UnsafeName => {
                f.write_str("its name has bytes or characters that cannot be shown")
            }
            Self::NotAFile(what) => write!(f, "it is {what}"),
            Self::LinkOut => f.write_str("it is a link that leaves the project or leads nowhere"),
            Self::TooLarge { bytes, max } => {
                write!(f, "it has {bytes} bytes; at most {max} are read")
            }
            Self::TooMuch { max } => write!(f, "the phase has more than {max} bytes"),
            Self::NotUtf8 { offset } => write!(f, "it is not UTF-8: byte {offset} is invalid"),
            Self::Unreadable(why) => f.write_str(why),
        }
    }
}

/// A phase as it was read, with the project's documents beside it.
#[derive(Debug, Clone)]
pub struct Phase {
    pub directory: PhaseDir,
    /// In natural order: `02-2` before `02-10`.
    pub plans: Vec<Plan>,
    pub contexts: Vec<Context>,
    pub research: Vec<Research>,
    pub project: Option<Document>,
    pub roadmap: Option<Roadmap>,
    pub requirements: Option<Requirements>,
    pub state: Option<State>,
    pub left_out: Vec<LeftOut>,
    /// What could not be read in any of these files, each fault once.
    pub diagnostics: Vec<Diagnostic>,
}

impl Phase {
    /// The plans that count: all but superseded ones.
    pub fn counted(&self) -> impl Iterator<Item = &Plan> {
        self.plans.iter().filter(|plan| !plan.is_superseded())
    }

    /// Every file that was read, as it was then.
    pub fn documents(&self) -> Vec<&Document> {
        let plans = self.plans.iter().map(|plan| &plan.document);
        let contexts = self.contexts.iter().map(|context| &context.document);
        let research = self.research.iter().map(|research| &research.document);
        let single = [
            self.project.as_ref(),
            self.roadmap.as_ref().map(|roadmap| &roadmap.document),
            self.requirements.as_ref().map(|requirements| &requirements.document),
            self.state.as_ref().map(|state| &state.document),
        ];
        plans.chain(contexts).chain(research).chain(single.into_iter().flatten()).collect()
    }

    /// Plans by their names that cannot be read.
    pub fn unreadable_plans(&self) -> impl Iterator<Item = &LeftOut> {
        self.left_out
            .iter()
            .filter(|left| left.why.is_unreadable() && matches!(named(&left.name), Named::Plan(_)))
    }

    /// What the roadmap says about this phase.
    pub fn on_roadmap(&self) -> Option<&RoadmapPhase> {
        self.roadmap.as_ref()?.phase(self.directory.number.as_ref()?)
    }

    /// Its name for people: the roadmap's, else the slug, else that of the directory.
    pub fn title(&self) -> &str {
        match self.on_roadmap() {
            Some(phase) if !phase.name.is_empty() => &phase.name,
            Some(_) | None if !self.directory.slug.is_empty() => &self.directory.slug,
            Some(_) | None => &self.directory.name,
        }
    }
}

/// More than a hundred times the largest phase seen.
const MAX_PHASE_BYTES: u64 = 64 * 1024 * 1024;
/// More files than any phase has.
pub(super) const MAX_ENTRIES: usize = 10_000;

/// Reads a phase.
pub(super) fn load(planning: &Planning, directory: &PhaseDir) -> Result<Phase, PlanningError> {
    let mut reading = Reading { planning, left_out: vec![], diagnostics: vec![], bytes: 0 };
    let mut entries = planning.entries(&directory.path)?;
    if entries.len() == MAX_ENTRIES {
        let message =
            format!("the directory has more than {MAX_ENTRIES} entries; some were not read");
        reading.report(&UNREADABLE, directory.path.as_str(), message);
    }
    entries.sort_by(|a, b| natural(&a.name, &b.name));
    let (mut plans, mut contexts, mut research) = (vec![], vec![], vec![]);
    for entry in entries {
        let what = named(&entry.name);
        match what {
            Named::Other => continue,
            Named::Resembles(why) => {
                // Folders such as `plans/` are nobody's plan; files are worth a word.
                if entry.kind != Kind::Directory {
                    reading.leave_out(directory, entry.name, Why::Name(why));
                }
                continue;
            }
            Named::Plan(_) | Named::Context | Named::Research => {}
        }
        let Some(document) = reading.member(directory, entry.name) else { continue };
        match what {
            Named::Plan(id) => plans.push(plan::read(id, document, &mut reading.diagnostics)),
            Named::Context => contexts.push(context::read(document)),
            Named::Research => research.push(research::read(document)),
            Named::Resembles(_) | Named::Other => {}
        }
    }
    for name in planning.unnameable(&directory.path) {
        if !matches!(named(&name), Named::Other) {
            reading.leave_out(directory, name, Why::UnsafeName);
        }
    }
    // Archived phases have the roadmap and the requirements of their milestone.
    let mut shared = |name: &str| {
        let own = directory.milestone.as_ref().and_then(|milestone| {
            reading.shared(&format!("{}/milestones/{milestone}-{name}", planning.base()))
        });
        own.or_else(|| reading.shared(&format!("{}/{name}", planning.base())))
            .or_else(|| reading.shared(&format!(".planning/{name}")))
    };
    let project = shared("PROJECT.md");
    let roadmap = shared("ROADMAP.md").map(roadmap::read);
    let requirements = shared("REQUIREMENTS.md").map(requirements::read);
    let state = shared("STATE.md").map(state::read);
    Ok(Phase {
        directory: directory.clone(),
        plans,
        contexts,
        research,
        project,
        roadmap,
        requirements,
        state,
        left_out: reading.left_out,
        diagnostics: reading.diagnostics,
    })
}

struct Reading<'p> {
    planning: &'p Planning,
    left_out: Vec<LeftOut>,
    diagnostics: Vec<Diagnostic>,
    bytes: u64,
}

impl Reading<'_> {
    /// A file of the phase directory.
    fn member(&mut self, directory: &PhaseDir, name: String) -> Option<Document> {
        let Ok(path) = RelPath::parse(&format!("{}/{name}", directory.path)) else {
            self.leave_out(directory, name, Why::UnsafeName);
            return None;
        };
        match self.read(&path) {
            Ok(document) => document,
            Err(why) => {
                self.leave_out(directory, name, why);
                None
            }
        }
    }

    /// A document of the project.
    fn shared(&mut self, path: &str) -> Option<Document> {
        let path = RelPath::parse(path).ok()?;
        match self.read(&path) {
            Ok(document) => document,
            Err(why) => {
                let message = format!("the file was left out: {why}");
                if !self.diagnostics.iter().any(|found| found.at.file.name() == path.as_str()) {
                    self.report(&UNREADABLE, path.as_str(), message);
                }
                None
            }
        }
    }

    fn read(&mut self, path: &RelPath) -> Result<Option<Document>, Why> {
        let Some(document) = files::document(self.planning.root(), path)? else { return Ok(None) };
        self.bytes += document.bytes;
        if self.bytes > MAX_PHASE_BYTES {
            return Err(Why::TooMuch { max: MAX_PHASE_BYTES });
        }
        self.look_for_control_characters(&document);
        Ok(Some(document))
    }

    fn look_for_control_characters(&mut self, document: &Document) {
        let text = document.file.text();
        if let Some((at, c)) = text.char_indices().find(|(_, c)| hides(*c)) {
            let place = document.file.at(at..at + c.len_utf8());
            let message = format!("the text holds the invisible character U+{:04X}", u32::from(c));
            self.diagnostics.push(
                CONTROL_CHARACTERS
                    .at(place, message)
                    .help("remove it: reviewers and people may see different texts"),
            );
        }
    }

    fn leave_out(&mut self, directory: &PhaseDir, name: String, why: Why) {
        let shown = printable(&name, 120);
        // What cannot be written down cannot be pointed at, but the folder that it is in can.
        let path = match &why {
            Why::UnsafeName => directory.path.to_string(),
            Why::Name(_)
            | Why::NotAFile(_)
            | Why::LinkOut
            | Why::TooLarge { .. }
            | Why::TooMuch { .. }
            | Why::NotUtf8 { .. }
            | Why::Unreadable(_) => format!("{}/{shown}", directory.path),
        };
        let message = format!("`{shown}` was left out: {why}");
        let rule = if why.is_unreadable() { &UNREADABLE } else { &LEFT_OUT };
        self.report(rule, &path, message);
        self.left_out.push(LeftOut { name, why });
    }

    /// A fault of a whole file whose text is not there.
    fn report(&mut self, rule: &'static crate::diag::Rule, path: &str, message: String) {
        self.diagnostics.push(rule.at(SourceFile::new(path, "").at_start(), message));
    }
}

/// Controls, and marks that turn the direction of a line.
fn hides(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}'))
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
