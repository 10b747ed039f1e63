//! The transport that a body means: what it says, unless its `invoke` shows that this is a slip.

use super::Transport;
use super::invoke::{HTTP_ONLY, SPAWN_ONLY};
use super::rules::MIXED_SHAPES;
use crate::json::{Fields, Sink};
use crate::lane::words::read_word;

/// Reads `transport`. Where all of `invoke` belongs to the other one, that is the only error, and
/// the rest is judged as what it is.
pub(super) fn transport(fields: &mut Fields<'_>, sink: &mut Sink) -> Option<Transport> {
    let before = sink.found.len();
    let said = fields
        .required_node("transport", sink)
        .and_then(|node| read_word::<Transport>(node, &fields.pointer.key("transport"), sink));
    let Some((meant, what)) = shape(fields) else { return said };
    let help = format!("write `\"transport\": \"{meant}\"`: `invoke` has the fields of {what}");
    match said {
        Some(said) if said != meant => {
            let message = format!("transport `{said}`, but `invoke` has the fields of {what}");
            let at = fields.value_at("transport", sink);
            let help = format!("write `\"{meant}\"`, or replace `invoke`");
            sink.push(MIXED_SHAPES.at(at, message).label("says something else").help(help));
        }
        Some(_) => {}
        None => {
            if let Some(fault) = sink.found[before..].iter_mut().find(|found| found.fix.is_none()) {
                fault.help = Some(help);
            }
        }
    }
    Some(meant)
}

/// What `invoke` looks like, if at least two of its fields say so and none says otherwise.
fn shape(fields: &Fields<'_>) -> Option<(Transport, &'static str)> {
    let invoke = fields.peek("invoke")?.as_object()?;
    let count = |keys: &[&str]| keys.iter().filter(|key| invoke.get(key).is_some()).count();
    match (count(&SPAWN_ONLY), count(&HTTP_ONLY)) {
        (2.., 0) => Some((Transport::Spawn, "a program")),
        (0, 2..) => Some((Transport::OpenaiHttp, "a server")),
        _ => None,
    }
}
