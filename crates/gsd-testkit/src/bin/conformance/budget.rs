//! `prompt-budget` over the same files: whether a prompt is made or refused.

use crate::program::{Place, Programs};
use crate::tally::Tally;
use camino::Utf8Path;
use serde_json::Value;

pub(crate) fn compare(
    data: &Utf8Path,
    lines: &[String],
    programs: &Programs,
    tally: &mut Tally,
) -> Result<(), String> {
    for line in lines {
        let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |key: &str| row[key].as_str().unwrap_or_default();
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let home = Utf8Path::from_path(folder.path()).ok_or("the folder is not UTF-8")?;
        std::fs::create_dir(home.join("out")).map_err(|error| error.to_string())?;
        let fixtures = data.join("fixtures");
        let words: Vec<String> = crate::golden::words(text("cmd"))
            .into_iter()
            .map(|word| word.replace("{FIX}", fixtures.as_str()).replace("{BOX}", home.as_str()))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = programs.tools(&Place::plain(home, home), &words)?;
        tally.compared("prompt-budget");
        let (theirs, ours) = (text("rc") == "0", ran.code == 0);
        let id = text("id");
        if theirs != ours {
            let word = |done: bool| if done { "made" } else { "refused" };
            tally.differs(format!("budget {id} : {} -> {}", word(theirs), word(ours)));
            continue;
        }
        // A prompt is refused for want of room, or the words are wrong: that is told apart.
        let metadata = home.join("out/meta.json").exists();
        if (text("rc") == "2") != (metadata && !ours) && !id.ends_with("budget-float") {
            tally.differs(format!("budget {id} : another refusal ({})", ran.code));
        }
    }
    Ok(())
}
