//! The results of lanes in the folder of a run, one file each, written the moment they are there.

use super::prompts::LanePrompt;
use super::record;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::fs;
use std::collections::BTreeMap;

/// Where the result of a lane is kept.
fn result_path(run_dir: &Utf8Path, identity: &str) -> Utf8PathBuf {
    run_dir.join(format!("gsd-review-{identity}.json"))
}

pub(super) fn persist(run_dir: &Utf8Path, lane: &record::Lane) {
    let bytes = serde_json::to_vec_pretty(lane).expect("a lane's record is plain data");
    // A result that cannot be kept can still be reported; only resuming it is lost.
    let _ = fs::write_atomic(&result_path(run_dir, &lane.identity), &bytes);
}

/// No result of a lane is larger.
const MAX_RESULT: u64 = 32 * 1024 * 1024;

/// The result of a lane in a folder; one that cannot be read counts as none.
pub(super) fn read_result(run_dir: &Utf8Path, identity: &str) -> Option<record::Lane> {
    let text =
        fs::read_text(&result_path(run_dir, identity), MAX_RESULT, fs::Links::Refuse).ok()?;
    let lane: record::Lane = serde_json::from_str(&text).ok()?;
    (lane.identity == identity).then_some(lane)
}

/// Lanes of an earlier run in this folder whose text counts and whose prompt was the same.
pub(super) fn finished_before(
    run_dir: &Utf8Path,
    prompts: &[LanePrompt],
) -> BTreeMap<String, record::Lane> {
    prompts
        .iter()
        .filter_map(|prompt| {
            let lane = read_result(run_dir, &prompt.identity)?;
            let same = lane.prompt_sha256.as_ref().is_none_or(|digest| *digest == prompt.sha256);
            (lane.state.counts() && same).then(|| (prompt.identity.clone(), lane))
        })
        .collect()
}
