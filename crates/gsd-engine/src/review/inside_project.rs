//! Where prompts stand that a program can read only inside the project.

use crate::lane::{CallPlan, LanePlan};
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs;

/// The folder for prompts of one run: `.planning/.run/<id>`.
pub(super) fn project_folder(root: &Utf8Path, run_dir: &Utf8Path) -> Utf8PathBuf {
    let id = run_dir.file_name().unwrap_or("run");
    root.join(".planning/.run").join(id)
}

/// The folder inside the project for prompts of programs that can read nowhere else. It keeps
/// itself out of version control, and is gone with this value.
pub(super) struct InsideProject(Option<Utf8PathBuf>);

impl InsideProject {
    /// Makes the folder if one of the lanes has its prompt there.
    pub(super) fn open<'a>(
        root: &Utf8Path,
        run_dir: &Utf8Path,
        plans: impl IntoIterator<Item = &'a LanePlan>,
    ) -> Self {
        let folder = project_folder(root, run_dir);
        let wanted = plans.into_iter().any(|plan| match &plan.call {
            CallPlan::Spawn(spawn) => spawn.prompt_path.starts_with(&folder),
            CallPlan::OpenaiHttp(_) => false,
        });
        if !wanted {
            return Self(None);
        }
        // A folder that cannot be made fails the lanes that need it, each with its own message.
        let _ = fs::create_private_dir_all(&folder);
        if let Some(parent) = folder.parent() {
            let _ = fs::write_private(&parent.join(".gitignore"), b"*\n");
        }
        Self(Some(folder))
    }
}

impl Drop for InsideProject {
    fn drop(&mut self) {
        let Some(folder) = &self.0 else { return };
        let _ = fs::remove_dir_all(folder);
        // The parent may hold the prompts of another run; only an empty one goes.
        if let Some(parent) = folder.parent()
            && fs::list(parent, 3)
                .is_ok_and(|entries| entries.iter().all(|e| e.name == ".gitignore"))
        {
            let _ = fs::remove_dir_all(parent);
        }
    }
}
