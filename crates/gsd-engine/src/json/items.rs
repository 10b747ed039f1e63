//! Appends items to lists and takes them out, in a text that people keep by hand. What holds for
//! members of objects holds for them.

use super::members::{self, EditError, last_named, object_at, replaced, set_member, to_value};
use super::tree::{Node, Value};
use super::{insert, layout};
use crate::diag::Span;

/// Puts an item behind the last one of the list at `path`. The list, and objects on the way, are
/// made where they are missing.
pub fn append_item(
    text: &str,
    path: &[&str],
    item: &serde_json::Value,
) -> Result<String, EditError> {
    let one = || set_member(text, path, &serde_json::Value::Array(vec![item.clone()]));
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return one();
    }
    let (file, root) = members::read(text)?;
    let text = file.text();
    let Some(owner) = node_at(&root, path)? else { return one() };
    let items = list_at(owner, path)?;
    let unit = layout::indent_unit(text, &root);
    Ok(match items.last() {
        None => {
            let look = layout::of_content(text, owner, &unit);
            insert::first(text, owner, &look, &layout::render(item, &look, &unit), &unit)
        }
        Some(last) => {
            let look = layout::of_item(text, last);
            let rendered = layout::render(item, &look, &unit);
            insert::behind(text, owner, last.span.end, &look, &rendered)
        }
    })
}

/// Takes out the item at a place of the list at `path`. The list stays, also when it is empty
/// then. `None` if there is no such item.
pub fn remove_item(text: &str, path: &[&str], index: usize) -> Result<Option<String>, EditError> {
    let (file, root) = members::read(text)?;
    let text = file.text();
    let Some(owner) = node_at(&root, path)? else { return Ok(None) };
    let items = list_at(owner, path)?;
    if index >= items.len() {
        return Ok(None);
    }
    let spans: Vec<Span> = items.iter().map(|item| item.span.clone()).collect();
    Ok(Some(replaced(text, &insert::removal(text, owner, &spans, index))))
}

/// The whole text as a value, comments forgiven.
pub fn read_value(text: &str) -> Result<serde_json::Value, EditError> {
    members::read(text).map(|(_, root)| to_value(&root))
}

/// Whether the object or list at `path` holds neither an element nor a comment.
pub fn is_bare(text: &str, path: &[&str]) -> Result<bool, EditError> {
    let (file, root) = members::read(text)?;
    let Some(node) = node_at(&root, path)? else { return Ok(false) };
    let inside = file.text().get(node.span.start + 1..node.span.end.saturating_sub(1));
    Ok(match node.value {
        Value::Array(_) | Value::Object(_) => inside.is_some_and(|text| text.trim().is_empty()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    })
}

/// A number in a path is the place in a list.
fn node_at<'a>(root: &'a Node, path: &[&str]) -> Result<Option<&'a Node>, EditError> {
    let mut node = root;
    for (at, name) in path.iter().enumerate() {
        let next = match &node.value {
            Value::Array(items) => name.parse().ok().and_then(|index: usize| items.get(index)),
            _ => last_named(object_at(node, &path[..at])?, name).map(|member| &member.value),
        };
        let Some(next) = next else { return Ok(None) };
        node = next;
    }
    Ok(Some(node))
}

fn list_at<'a>(node: &'a Node, path: &[&str]) -> Result<&'a [Node], EditError> {
    node.as_array().ok_or_else(|| EditError::NotAList {
        path: if path.is_empty() { "the whole".to_owned() } else { path.join(".") },
        kind: node.kind(),
    })
}

#[cfg(test)]
mod tests {
    use super::{append_item, remove_item};
    use serde_json::{Value, json};

    fn append(text: &str, path: &[&str], item: Value) -> String {
        append_item(text, path, &item).expect("a text that can be edited")
    }

    #[test]
    fn an_item_looks_like_its_neighbours_and_goes_without_a_trace() {
        let cases = [
            ("[]", "[\n  1\n]"),
            ("[ 2 ]", "[ 2, 1 ]"),
            ("[\n    2 // two\n]\n", "[\n    2, // two\n    1\n]\n"),
            ("[\r\n\t2,\r\n]", "[\r\n\t2,\r\n\t1,\r\n]"),
        ];
        for (text, expected) in cases {
            let new = append(text, &[], json!(1));
            assert_eq!(new, expected, "{text:?}");
            let count = serde_json::from_str::<Vec<Value>>(text).map_or(1, |items| items.len());
            let undone = remove_item(&new, &[], count).expect("editable").expect("there");
            assert_eq!(undone, text, "{new:?}");
        }
        assert_eq!(remove_item("[1]", &[], 1), Ok(None));
    }

    #[test]
    fn missing_lists_are_made_and_other_things_are_left_alone() {
        assert_eq!(append("", &["a"], json!(1)), "{\n  \"a\": [1]\n}\n");
        assert_eq!(append("{\"a\":{}}", &["a", "b"], json!(1)), "{\"a\":{\"b\":[1]}}");
        for text in ["{\"a\": {}}", "{\"a\": null}"] {
            append_item(text, &["a"], &json!(1)).expect_err("no list");
        }
    }
}
