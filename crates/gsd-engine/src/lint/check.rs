//! The checks: one file each, and this table.

use super::Check;

mod action_vague;
mod artifact_impossible;
mod artifact_unmade;
mod autonomous_checkpoint;
mod checkpoint_incomplete;
mod citation_missing;
mod citation_range;
mod citation_stale;
mod criteria_vague;
mod decision_reduced;
mod decision_uncovered;
mod deferred_done;
mod depends_cycle;
mod depends_unknown;
mod depends_wave;
mod edit_missing;
mod file_late;
mod files_unlisted;
mod files_untouched;
mod key_link_missing;
mod key_link_pattern;
mod key_misspelt;
mod no_tasks;
mod number_duplicate;
mod number_mismatch;
mod one_way_undecided;
mod open_question;
mod path_outside;
mod placeholder;
mod read_missing;
mod requirement_out_of_scope;
mod requirement_uncovered;
mod requirement_unknown;
mod requirement_untasked;
mod requirements_empty;
mod secret;
mod success_uncovered;
mod tag_misspelt;
mod task_incomplete;
mod task_kind;
mod tdd_untested;
mod too_large;
mod too_many_files;
mod too_many_tasks;
mod verify_cannot_fail;
mod verify_missing_file;
mod verify_prose;
mod verify_unknown_script;
mod wave_conflict;
mod wave_missing;

/// Every check, sorted by code.
pub(super) static CHECKS: &[&Check] = &[
    &action_vague::CHECK,
    &artifact_impossible::CHECK,
    &artifact_unmade::CHECK,
    &autonomous_checkpoint::CHECK,
    &checkpoint_incomplete::CHECK,
    &citation_missing::CHECK,
    &citation_range::CHECK,
    &citation_stale::CHECK,
    &criteria_vague::CHECK,
    &decision_reduced::CHECK,
    &decision_uncovered::CHECK,
    &deferred_done::CHECK,
    &depends_cycle::CHECK,
    &depends_unknown::CHECK,
    &depends_wave::CHECK,
    &edit_missing::CHECK,
    &file_late::CHECK,
    &files_unlisted::CHECK,
    &files_untouched::CHECK,
    &key_link_missing::CHECK,
    &key_link_pattern::CHECK,
    &key_misspelt::CHECK,
    &no_tasks::CHECK,
    &number_duplicate::CHECK,
    &number_mismatch::CHECK,
    &one_way_undecided::CHECK,
    &open_question::CHECK,
    &path_outside::CHECK,
    &placeholder::CHECK,
    &read_missing::CHECK,
    &requirement_out_of_scope::CHECK,
    &requirement_uncovered::CHECK,
    &requirement_unknown::CHECK,
    &requirement_untasked::CHECK,
    &requirements_empty::CHECK,
    &secret::CHECK,
    &success_uncovered::CHECK,
    &tag_misspelt::CHECK,
    &task_incomplete::CHECK,
    &task_kind::CHECK,
    &tdd_untested::CHECK,
    &too_large::CHECK,
    &too_many_files::CHECK,
    &too_many_tasks::CHECK,
    &verify_cannot_fail::CHECK,
    &verify_missing_file::CHECK,
    &verify_prose::CHECK,
    &verify_unknown_script::CHECK,
    &wave_conflict::CHECK,
    &wave_missing::CHECK,
];
