//! What a program is given: files and variables.

use crate::lane::call::CallContext;
use crate::lane::confinement::places;
use crate::lane::plan::{LanePlan, PlannedOutput, Program, SpawnPlan};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::env::NESTING_MARKERS;
use gsd_io::sandbox::Sandbox;
use gsd_io::{fs, random};
use std::time::Duration;

pub(super) const GRACE: Duration = Duration::from_secs(5);
pub(super) const DRAIN: Duration = Duration::from_secs(2);

/// Writes the files that the program will open, and clears the place of the one it will write.
pub(super) fn lay_out(
    plan: &LanePlan,
    call: &SpawnPlan,
    prompt: &str,
) -> Result<(), fs::WriteError> {
    fs::create_private_dir_all(&plan.artefacts.folder)?;
    let referred = plan.is_given_prompt() && !call.passes_text(prompt);
    // Who made the file may have made it for others, too.
    let there = |path| {
        let most = prompt.len() as u64;
        fs::read_bounded(path, most, fs::Links::Refuse).is_ok_and(|b| b == prompt.as_bytes())
    };
    if referred && !there(&call.prompt_path) {
        fs::write_private(&call.prompt_path, prompt.as_bytes())?;
    }
    for (path, text) in &call.files {
        fs::write_private(path, text.as_bytes())?;
    }
    // What an earlier call left must never be taken for this one's.
    if let PlannedOutput::File(path) = &call.output {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Where the program is kept, and what it is told about that.
pub(super) struct Confined {
    pub(super) sandbox: Sandbox,
    temp: Temp,
}

/// A folder for the temporary files of one call, so that no two reviewers meet there. It is gone
/// with this value. It lies in the usual one because the name of a socket in it must be short.
struct Temp(Utf8PathBuf);

impl Temp {
    fn make(usual: &Utf8Path) -> Result<Self, fs::WriteError> {
        let folder = usual.join(format!("gsd-{}", random::hex(12)));
        fs::create_private_dir_all(&folder).map(|()| Self(folder))
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        // What stays there costs space until the system clears it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes the places that the program may write to.
pub(super) fn confine(
    plan: &LanePlan,
    call: &SpawnPlan,
    context: &CallContext<'_>,
) -> Result<Confined, fs::WriteError> {
    let own = |usual: &Utf8Path| {
        // Where there is no usual one the lane's own folder has to do.
        Temp::make(usual).or_else(|_| Temp::make(&plan.artefacts.folder))
    };
    if !plan.confinement.restricts() {
        // It may write where the user may, but it must not stop or end who keeps its limits.
        let foreign = call.program != Program::Own;
        let sandbox = if foreign { Sandbox::Inward } else { Sandbox::None };
        return Ok(Confined { sandbox, temp: own(context.env.temp_folder())? });
    }
    let found = places(plan, context.project, context.env);
    for folder in found.folders.iter().chain(&found.temp) {
        fs::create_private_dir_all(folder)?;
    }
    let temp = own(found.temp.as_deref().unwrap_or(context.env.temp_folder()))?;
    Ok(Confined { sandbox: found.sandbox(&call.prompt_path), temp })
}

/// The whole environment of the child: what every child gets, what the manifest and the user name,
/// what the manifest sets, and where the review takes place.
pub(super) fn environment(
    plan: &LanePlan,
    call: &SpawnPlan,
    confined: &Confined,
    context: &CallContext<'_>,
) -> Vec<(String, String)> {
    let mut variables = context.env.child_base();
    for name in call.env.iter().map(|name| name.as_str()) {
        if let Some(value) = context.env.var(name)
            && !NESTING_MARKERS.contains(&name)
        {
            variables.push((name.to_owned(), value.to_owned()));
        }
    }
    for (name, value) in &call.set_env {
        variables.push((name.as_str().to_owned(), value.clone()));
    }
    let told = [
        ("GSD_REVIEW_ROOT", context.root),
        ("GSD_REVIEW_PHASE_DIR", context.phase_dir),
        ("GSD_REVIEW_RUN_DIR", &plan.artefacts.folder),
    ];
    variables.extend(told.map(|(name, path)| (name.to_owned(), path.to_string())));
    // A reviewer that looks at the state of the repository must not write to its index.
    variables.push(("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned()));
    variables.retain(|(name, _)| name != "TMPDIR");
    variables.push(("TMPDIR".to_owned(), confined.temp.0.to_string()));
    variables
}
