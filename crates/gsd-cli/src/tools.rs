//! What only the spelling `gsd-tools` knows: a leading `query`, verbs with dots, and the options that
//! its callers put anywhere. All of it is taken out of the words before they are parsed.

use serde_json::Value;

/// The words that are left, and what the others asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) words: Vec<String>,
    /// Print one value of the document instead of the document.
    pub(crate) pick: Option<String>,
    /// Failures as one line of JSON on stderr.
    pub(crate) json_errors: bool,
}

/// Takes the words of a whole command line, the program's name first.
pub(crate) fn read(words: Vec<String>) -> Asked {
    let mut asked = Asked::default();
    let mut raw = false;
    let mut given = words.into_iter();
    asked.words.extend(given.next());
    while let Some(word) = given.next() {
        let (name, joined) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        match name {
            "--" => {
                asked.words.push(word);
                asked.words.extend(given);
                break;
            }
            "--raw" if joined.is_none() => raw = true,
            "--json-errors" if joined.is_none() => asked.json_errors = true,
            "--pick" if asked.pick.is_none() => match joined.or_else(|| given.next()) {
                Some(path) => asked.pick = Some(path),
                // Parsing says what is wrong with an option that lacks its value.
                None => asked.words.push(word),
            },
            "--cwd" => {
                asked.words.push("--project".to_owned());
                asked.words.extend(joined.or_else(|| given.next()));
            }
            _ => asked.words.push(word),
        }
    }
    if asked.words.get(1).is_some_and(|word| word == "query") {
        asked.words.remove(1);
    }
    if let Some(verb) = asked.words.get(1)
        && verb.contains('.')
        && !verb.starts_with('-')
    {
        let parts: Vec<String> = verb.split('.').map(str::to_owned).collect();
        asked.words.splice(1..2, parts);
    }
    // Whatever is asked for is printed as it is; only these print something else without it.
    if raw && asked.words.get(1).is_some_and(|verb| verb == "config-get" || verb == "config-set") {
        asked.words.insert(2, "--raw".to_owned());
    }
    asked
}

/// One value of a document as text: `a.b[0]`, `[0].id`, `length` of a list. Empty where there is
/// none.
pub(crate) fn pick(document: &Value, path: &str) -> String {
    let mut at = Some(document);
    let path = path.replace('[', ".").replace(']', "");
    for step in path.split('.').filter(|step| !step.is_empty()) {
        at = match at {
            Some(Value::Array(items)) if step == "length" => return items.len().to_string(),
            Some(Value::Array(items)) => step.parse().ok().and_then(|at: usize| items.get(at)),
            Some(other) => other.get(step),
            None => None,
        };
    }
    match at {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(line: &str) -> Asked {
        read(line.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn a_leading_query_and_dots_are_other_spellings() {
        let plain = asked("gsd-tools capability list --scope global");
        assert_eq!(asked("gsd-tools query capability list --scope global"), plain);
        assert_eq!(asked("gsd-tools capability.list --scope global"), plain);
        assert_eq!(asked("gsd-tools --raw query capability.list --scope global"), plain);
        assert_eq!(
            asked("gsd-tools --raw query config-get a.b").words,
            ["gsd-tools", "config-get", "--raw", "a.b"]
        );
        assert_eq!(asked("gsd-tools show query").words, ["gsd-tools", "show", "query"]);
        assert_eq!(asked("gsd-tools -C a.b list").words, ["gsd-tools", "-C", "a.b", "list"]);
    }

    #[test]
    fn options_of_its_own_stand_anywhere() {
        let found = asked("gsd-tools capability --pick [0].id list --json-errors --cwd=/x");
        assert_eq!(found.words, ["gsd-tools", "capability", "list", "--project", "/x"]);
        assert_eq!((found.pick.as_deref(), found.json_errors), (Some("[0].id"), true));
        // What nobody knows is for the parser to refuse, and so is an option without its value.
        for line in ["gsd-tools list --pickle x", "gsd-tools list --pick", "gsd-tools -- --pick x"]
        {
            assert_eq!(asked(line).words, line.split(' ').collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_picked_value_is_text() {
        let document = json!([{ "id": "ui", "tags": ["a", "b"], "on": true, "no": null }]);
        for (path, text) in [
            ("[0].id", "ui"),
            ("[0].tags[1]", "b"),
            ("[0].on", "true"),
            ("[0].tags", r#"["a","b"]"#),
            ("[0].no", ""),
            ("length", "1"),
            ("[0].tags.length", "2"),
            ("[0].id.length", ""),
            ("[1].id", ""),
            ("id", ""),
        ] {
            assert_eq!(pick(&document, path), text, "{path}");
        }
    }
}
