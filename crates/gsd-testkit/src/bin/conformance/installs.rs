//! The golden runs about installing. Each row is repeated in the world that it had: a home, a
//! project, a folder `{BOX}` of sources, and servers. What the recording did between rows stands in
//! [`before`]; rows of a `life-` group share one home and run in their order.

mod before;
mod servers;

use crate::golden::Row;
use crate::loader::{self, Own};
use crate::program::{Place, Programs, Ran};
use crate::tally::Tally;
use crate::world::World;
use crate::{invoke, lists};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use servers::Servers;

/// The beginning of the names of groups whose rows share a home.
const SHARED: &str = "life-";

/// The beginning of the names of groups whose servers answered.
const SERVED: &str = "source-";

/// The row that keeps the address of the records: it is about a protocol that nobody answers here.
const UNSERVED: &str = "source-git/git-daemon";

/// What is on the machine while a row runs.
struct Ground<'a> {
    data: &'a Utf8Path,
    programs: &'a Programs,
    /// In groups whose servers answered.
    servers: Option<&'a Servers>,
    world: World,
}

/// Repeats the rows of these groups.
pub(crate) fn compare(
    data: &Utf8Path,
    rows: &[Row],
    programs: &Programs,
    own: &Own,
    tally: &mut Tally,
) -> Result<(), String> {
    let servers = Servers::start(data).map_err(|error| format!("the servers: {error}"))?;
    let mut shared: Option<(&str, Ground<'_>)> = None;
    for row in rows {
        let group = row.id.split('/').next().unwrap_or_default();
        let served = group.starts_with(SERVED) && row.id != UNSERVED;
        let ground = match shared.take() {
            Some((name, ground)) if name == group => ground,
            _ => Ground {
                data,
                programs,
                servers: served.then_some(&servers),
                world: World::of(data, &row.id, &[])?,
            },
        };
        before::lay(&ground, rows, &row.id).map_err(|error| format!("{}: {error}", row.id))?;
        ground.repeat(row, own, tally)?;
        if group.starts_with(SHARED) {
            shared = Some((group, ground));
        }
    }
    Ok(())
}

impl Ground<'_> {
    fn place(&self) -> &Place {
        &self.world.place
    }

    /// The folder that rows call `{BOX}`.
    fn boxed(&self) -> Utf8PathBuf {
        let home = &self.place().home;
        home.parent().unwrap_or(home).join("box")
    }

    /// A text of the records with what stands here for its names.
    fn real(&self, text: &str) -> String {
        let folders = [
            ("{HOME}", self.place().home.clone()),
            ("{PROJ}", self.place().cwd.clone()),
            ("{FIX}", self.data.join("fixtures")),
            ("{BOX}", self.boxed()),
        ];
        let text = folders
            .iter()
            .fold(text.to_owned(), |text, (name, path)| text.replace(name, path.as_str()));
        match self.servers {
            Some(servers) => servers.real(&text),
            None => text,
        }
    }

    /// Runs `gsd-tools` where the row did.
    fn tools(&self, id: &str, words: &[String]) -> Result<Ran, String> {
        let mut place = self.place().clone();
        if let Some(folder) = before::folder(id) {
            place.cwd = self.real(folder).into();
        }
        place.first_on_path = Some(self.data.join("fixtures/stubs"));
        if let Some(servers) = self.servers.filter(|_| !id.ends_with("untrusted-cert")) {
            place.vars.push(("SSL_CERT_FILE".into(), servers.authority().into_string()));
        }
        let words: Vec<String> = words.iter().map(|word| self.real(word)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.programs.tools(&place, &words)
    }

    fn repeat(&self, row: &Row, own: &Own, tally: &mut Tally) -> Result<(), String> {
        let row = Row { stdout: self.real(&row.stdout), ..row.clone() };
        let words: Vec<&str> = row.words.iter().map(String::as_str).collect();
        let ran = || self.tools(&row.id, &row.words);
        match words.as_slice() {
            ["{X}", "{PEER}", ..] => {
                tally.compared("the loader's view");
                loader::compare(&row, &self.world, self.programs, own, tally)?;
            }
            ["capability", "list", ..] => {
                tally.compared("capability list");
                lists::compare_list(&row, &ran()?, tally)?;
            }
            ["capability", "state", ..] => tally.left_out("capability state: with activation"),
            ["capability", "set", ..] => tally.left_out("capability set: with activation"),
            ["capability", ..] => {
                tally.compared("capability install, update, remove, trust, outdated, switches");
                judge(&row, &ran()?, tally);
            }
            ["review-lane", "sections" | "flags", ..] => {
                tally.compared("review-lane sections and flags");
                lists::compare_lines(&row, &ran()?, tally);
            }
            ["review-lane", "invoke", ..] => {
                tally.compared("review-lane invoke, of installed lanes");
                let theirs = serde_json::from_str(&row.stdout).unwrap_or_default();
                let mut tell = |what| tally.differs(format!("invoke {} {what}", row.id));
                invoke::compare_results(row.success, &theirs, &ran()?, &mut tell);
            }
            ["config-set", ..] => {
                tally.compared("config-get and config-set");
                judge(&row, &ran()?, tally);
            }
            ["review-lane", ..] => tally.left_out("review-lane plan, and misuse"),
            ["loop", ..] => tally.left_out("loop: with the hooks of the loop"),
            _ => tally.left_out("commands of capabilities: with their dispatch"),
        }
        Ok(())
    }
}

/// Success or failure, and what is printed: shapes and values, not prose and not moments.
fn judge(row: &Row, ran: &Ran, tally: &mut Tally) {
    if row.success != (ran.code == 0) {
        let theirs = if row.success { "success" } else { "failure" };
        return tally.differs(format!("install {} {theirs} -> {}", row.id, ran.code));
    }
    let document = |text: &str| serde_json::from_str::<Value>(text).ok().map(bare);
    let (theirs, ours) = (document(&row.stdout), document(&ran.stdout));
    match (theirs, ours) {
        // A table, or nothing.
        (None, None) if row.stdout.trim_end() == ran.stdout.trim_end() => {}
        (None, None) => {
            tally.differs(format!("install {} {:?} -> {:?}", row.id, row.stdout, ran.stdout));
        }
        (theirs, ours) if theirs == ours => {}
        (theirs, ours) => {
            let show = |value: Option<Value>| value.unwrap_or_default().to_string();
            tally.differs(format!("install {} {} -> {}", row.id, show(theirs), show(ours)));
        }
    }
}

/// A document without prose and moments.
fn bare(value: Value) -> Value {
    const LEFT_OUT: [&str; 3] = ["disclosure", "consentedAt", "blockReasons"];
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()))
            .map(|(name, value)| (name, bare(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(bare).collect(),
        other => other,
    }
}
