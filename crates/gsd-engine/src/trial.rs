//! A lane on trial: its manifest is put into friendly and hostile worlds of stand-ins, and each
//! row says what the world does, what must come of it, and what came.
//!
//! The trial takes the way of a review: the same planner, probe, call and judgement. Nothing of the
//! lane's real program, of the project or of the home is used, and nothing leaves the machine.

mod fake;
mod programs;
mod server;
mod world;

use crate::config::{Config, Flags};
use crate::lane::descriptor::{Invoke, OWN_BINARY};
use crate::lane::plan::ArtefactPaths;
use crate::lane::selection::Missing;
use crate::lane::{Lane, Reason, Roster, State};
use crate::review::{self, Ask, Choice, Options, Project, Setting, record};
use camino::{Utf8Path, Utf8PathBuf};
use fake::Fake;
use gsd_io::cancel::Cancel;
use gsd_io::env::Env;
use gsd_io::fs::{self, Links, WriteError};
use std::time::Duration;
use world::{KEPT, World};

/// What a world wants of the lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Friendly,
    Hostile,
}

impl Kind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Friendly => "friendly",
            Self::Hostile => "hostile",
        }
    }
}

/// One world and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub kind: Kind,
    pub name: &'static str,
    /// What the stand-in does, as the end of a sentence about the reviewer.
    pub does: &'static str,
    pub expected: String,
    pub seen: String,
    /// Why it does not hold; `None` if it does.
    pub problem: Option<String>,
}

/// Why a lane cannot be put on trial.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    #[error("its program is gsd itself; there is nothing to stand in for")]
    Own,
    #[error("it names its program by a path, and only a program on PATH can be stood in for")]
    Path,
    #[error("the folder of the trial cannot be made")]
    Folder(#[from] WriteError),
    #[error("the trial's own project cannot be reviewed: {0}")]
    Project(String),
    #[error("no server can be started on this machine")]
    Server(#[source] std::io::Error),
}

/// What a trial needs of the machine.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    pub env: &'a Env,
    /// Folders are made below it.
    pub folder: &'a Utf8Path,
    pub tool: &'a record::Tool,
    pub cancel: &'a Cancel,
}

/// What the stand-in is.
#[derive(Debug, Clone)]
enum Act {
    /// A program with this text.
    Program(String),
    Absent,
    NotExecutable,
    /// A server that answers so.
    Server(server::Behaviour),
}

/// One world.
struct Case {
    kind: Kind,
    name: &'static str,
    does: &'static str,
    act: Act,
    state: State,
    reason: Option<Reason>,
    /// Other ends that are as good.
    others: &'static [(State, Reason)],
    /// Something that must hold besides; the answer says what does not.
    also: fn(&Seen<'_>) -> Option<String>,
    /// What there is to say besides of how it ended.
    remark: fn(&Seen<'_>) -> Option<&'static str>,
    /// How many times longer the second plan is.
    weight: usize,
}

/// What is left of a run.
struct Seen<'a> {
    lane: &'a record::Lane,
    /// The folder that the stand-in may write to.
    folder: Utf8PathBuf,
    root: Utf8PathBuf,
    /// The text of the file that nobody may change.
    kept: String,
    /// Requests that came to a server which nobody may ask.
    strays: usize,
}

impl Case {
    fn new(
        name: &'static str,
        does: &'static str,
        act: Act,
        state: State,
        reason: Option<Reason>,
    ) -> Self {
        Self {
            kind: Kind::Friendly,
            name,
            does,
            act,
            state,
            reason,
            others: &[],
            also: |_| None,
            remark: |_| None,
            weight: 1,
        }
    }

    fn or(mut self, others: &'static [(State, Reason)]) -> Self {
        self.others = others;
        self
    }

    fn expected(&self) -> String {
        self.reason.map_or_else(
            || self.state.word().to_owned(),
            |reason| format!("{} ({})", self.state, reason),
        )
    }

    /// What does not hold.
    fn problem(&self, seen: &Seen<'_>) -> Option<String> {
        let lane = seen.lane;
        let as_expected = lane.state == self.state && lane.reason == self.reason;
        let as_good = lane.reason.is_some_and(|reason| self.others.contains(&(lane.state, reason)));
        if as_expected || as_good {
            return (self.also)(seen);
        }
        let message = lane.message.as_deref().unwrap_or("no message");
        Some(format!("it ended as {}: {message}", ended(lane)))
    }
}

impl Seen<'_> {
    /// A file that the stand-in wrote.
    fn file(&self, name: &str) -> Option<String> {
        fs::read_text(&self.folder.join(name), 1 << 20, Links::Refuse).ok()
    }

    fn is_alive(&self, pid: u32) -> bool {
        fs::kind(Utf8Path::new(&format!("/proc/{pid}"))).is_some()
    }
}

fn ended(lane: &record::Lane) -> String {
    lane.reason
        .map_or_else(|| lane.state.word().to_owned(), |reason| format!("{} ({reason})", lane.state))
}

/// Long enough for a stand-in on a busy machine, short enough for the ones that hang.
const PATIENCE: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_secs(3);

/// Puts a lane through every world. Each row is told as soon as it is known.
pub fn run(
    lane: &Lane,
    ground: &Ground<'_>,
    emit: &mut dyn FnMut(&Row),
) -> Result<Vec<Row>, TrialError> {
    let cases = match &lane.descriptor.invoke {
        Invoke::Spawn(invoke) => {
            match invoke.binary.as_str() {
                OWN_BINARY => return Err(TrialError::Own),
                path if path.contains('/') => return Err(TrialError::Path),
                _ => {}
            }
            programs::cases(&Fake { lane: &lane.descriptor, invoke })
        }
        Invoke::OpenaiHttp(invoke) => server::cases(invoke),
    };
    let mut rows = vec![];
    for case in &cases {
        if ground.cancel.is_cancelled() {
            break;
        }
        let row = try_case(lane, case, ground)?;
        emit(&row);
        rows.push(row);
    }
    Ok(rows)
}

fn try_case(lane: &Lane, case: &Case, ground: &Ground<'_>) -> Result<Row, TrialError> {
    let world = World::new(ground.folder, ground.env)?;
    world.lay_out(case.weight)?;
    let mut server = None;
    if let Invoke::Spawn(invoke) = &lane.descriptor.invoke {
        let name = invoke.binary.as_str();
        for other in &lane.descriptor.requires_binaries {
            world.program(other.as_str(), Some("#!/bin/sh\n"))?;
        }
        match &case.act {
            Act::Program(script) => world.program(name, Some(script))?,
            Act::NotExecutable => world.not_executable(name)?,
            Act::Absent | Act::Server(_) => world.program(name, None)?,
        }
    }
    if let Act::Server(behaviour) = &case.act {
        server = Some(server::Pair::start(behaviour).map_err(TrialError::Server)?);
    }
    let settings = match (&lane.descriptor.invoke, &server) {
        (Invoke::OpenaiHttp(invoke), Some(server)) => {
            vec![(invoke.host_key.as_str().to_owned(), server.url())]
        }
        (Invoke::OpenaiHttp(_), None) | (Invoke::Spawn(_), _) => vec![],
    };
    let limit = if case.state == State::TimedOut { SHORT } else { PATIENCE };
    let result = review_once(lane, &world, world.config(&settings), limit, case.name, ground)?;
    let seen = Seen {
        lane: &result,
        folder: ArtefactPaths::of(&world.run_dir(case.name), &result.identity).folder,
        root: world.root(),
        kept: fs::read_text(&world.root().join(KEPT), 1 << 16, Links::Refuse).unwrap_or_default(),
        strays: server.as_ref().map_or(0, server::Pair::strays),
    };
    Ok(Row {
        kind: case.kind,
        name: case.name,
        does: case.does,
        expected: case.expected(),
        seen: [Some(ended(&result).as_str()), (case.remark)(&seen)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
        problem: case.problem(&seen),
    })
}

/// One review by this lane alone.
fn review_once(
    lane: &Lane,
    world: &World,
    config: Config,
    limit: Duration,
    name: &str,
    ground: &Ground<'_>,
) -> Result<record::Lane, TrialError> {
    let broken = |error: &dyn std::error::Error| TrialError::Project(error.to_string());
    let root = world.root();
    let project =
        review::open(&world.env, &root, Some("1"), &Flags::default()).map_err(|e| broken(&e))?;
    let project = Project { config, ..project };
    let directory = project.phase.directory.path.as_str();
    let folder = world.run_dir(name);
    let run_dir = review::open_run(&world.env, &root, directory, Choice::Given(&folder))
        .map_err(|e| broken(&e))?;
    let slug = lane.slug().to_string();
    let limits = [(slug.clone(), limit)];
    let ask = Ask {
        named: vec![slug.clone()],
        all: false,
        exclude: vec![],
        missing: Missing::Note,
        lane_timeouts: &limits,
    };
    let roster = Roster::of([lane.clone()]).0;
    let prepared =
        review::prepare(&world.env, &project, &roster, &ask, &run_dir.path, ground.cancel)
            .map_err(|e| broken(&e))?;
    let setting = Setting {
        env: &world.env,
        project: &project,
        run_dir: &run_dir,
        cancel: ground.cancel,
        tool: ground.tool,
    };
    let options = Options { jobs: None, deadline: None, resume: false };
    let record = review::run(setting, &prepared, options, &mut |_| ());
    let found = record.lanes.into_iter().find(|lane| lane.slug == slug);
    found.ok_or_else(|| TrialError::Project("the lane is not in its record".to_owned()))
}
