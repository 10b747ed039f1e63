use super::*;
use proptest::prelude::*;
use serde_json::json;

fn set(text: &str, path: &[&str], value: serde_json::Value) -> String {
    set_member(text, path, &value).expect("a text that can be edited")
}

fn remove(text: &str, path: &[&str]) -> String {
    remove_member(text, path).expect("a text that can be edited").expect("a member")
}

#[test]
fn a_value_is_replaced_and_nothing_else() {
    let text = "\u{feff}{ // mine\r\n\t\"a\" : { \"b\":1, /* c */ \"d\" :2, },\r\n}\r\n";
    let new = set(text, &["a", "d"], json!("x"));
    assert_eq!(new, text.replace("\"d\" :2", "\"d\" :\"x\""));
    let new = set("{\"a\": 1, \"a\": 2}", &["a"], json!(3));
    assert_eq!(new, "{\"a\": 1, \"a\": 3}", "the member that holds");
}

#[test]
fn a_member_looks_like_its_neighbours() {
    let cases = [
        ("", "{\n  \"n\": 1\n}\n"),
        ("{}", "{\n  \"n\": 1\n}"),
        ("{ // c\n}", "{ // c\n  \"n\": 1\n}"),
        ("{\"a\":1}", "{\"a\":1,\"n\":1}"),
        ("{ \"a\": 1 }", "{ \"a\": 1, \"n\": 1 }"),
        ("{ \"a\": 1, }", "{ \"a\": 1, \"n\": 1, }"),
        ("{\n    \"a\": 1 // c\n}\n", "{\n    \"a\": 1, // c\n    \"n\": 1\n}\n"),
        ("{\n  \"a\": 1, // c\n  // d\n}", "{\n  \"a\": 1, // c\n  \"n\": 1,\n  // d\n}"),
        ("{\r\n\t\"a\": 1\r\n}\r\n", "{\r\n\t\"a\": 1,\r\n\t\"n\": 1\r\n}\r\n"),
        ("{\n  \"a\": 1 /* c\n d */\n}", "{\n  \"a\": 1,\n  \"n\": 1 /* c\n d */\n}"),
        ("{\n  \"a\": 1\n\n}", "{\n  \"a\": 1,\n  \"n\": 1\n\n}"),
        ("{\n  \"a\": [\n    1\n  ]\n}", "{\n  \"a\": [\n    1\n  ],\n  \"n\": 1\n}"),
        ("{\n  \"a\": \"//,\" }", "{\n  \"a\": \"//,\",\n  \"n\": 1 }"),
    ];
    for (text, expected) in cases {
        assert_eq!(set(text, &["n"], json!(1)), expected, "{text:?}");
    }
}

#[test]
fn missing_objects_are_made() {
    let text = "{\n  \"review\": {}\n}\n";
    let new = set(text, &["review", "models", "codex"], json!("m"));
    assert_eq!(
        new,
        "{\n  \"review\": {\n    \"models\": {\n      \"codex\": \"m\"\n    }\n  }\n}\n"
    );
    assert_eq!(set("{\"a\":{}}", &["a", "b"], json!(1)), "{\"a\":{\"b\":1}}");
    let list = set("{\n  \"a\": 1\n}", &["l"], json!(["x", "y"]));
    assert_eq!(list, "{\n  \"a\": 1,\n  \"l\": [\"x\", \"y\"]\n}");
}

#[test]
fn a_member_goes_with_its_line_and_empty_objects_with_it() {
    let cases = [
        ("{\n  \"n\": 1, // why\n  \"a\": 2\n}", "{\n  \"a\": 2\n}"),
        ("{\n  \"a\": 2,\n  \"n\": 1 // why\n}", "{\n  \"a\": 2\n}"),
        ("{\n  \"a\": 2, // kept\n  \"n\": 1,\n}", "{\n  \"a\": 2, // kept\n}"),
        ("{\n  // kept\n  \"n\": 1\n}", "{\n  // kept\n}"),
        ("{\"n\":1}", "{}"),
        ("{ \"n\": 1, \"a\": 2 }", "{ \"a\": 2 }"),
        ("{ \"a\": 2, \"n\": 1 }", "{ \"a\": 2 }"),
        ("{ \"a\": 2, /* c */ \"n\": 1 }", "{ \"a\": 2 /* c */  }"),
        ("{\n  \"n\": 1, \"a\": 2\n}", "{\n  \"a\": 2\n}"),
    ];
    for (text, expected) in cases {
        assert_eq!(remove(text, &["n"]), expected, "{text:?}");
    }
    let nested = "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": {\n      \"n\": 1\n    }\n  }\n}";
    assert_eq!(remove(nested, &["b", "c", "n"]), "{\n  \"a\": 1\n}");
    let told = "{\n  \"b\": { // why\n    \"n\": 1\n  }\n}";
    assert_eq!(remove(told, &["b", "n"]), "{\n  \"b\": { // why\n  }\n}");
    assert_eq!(remove_member("{}", &["n"]), Ok(None));
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    for text in ["{ \"a\": ", "{'a': 1}", "[", "{\"a\": 1} x"] {
        assert!(matches!(set_member(text, &["n"], &json!(1)), Err(EditError::Broken(_))), "{text}");
        assert!(remove_member(text, &["n"]).is_err(), "{text}");
    }
    let scalar = set_member("{\"a\": 1}", &["a", "b"], &json!(1));
    assert_eq!(scalar, Err(EditError::NotAnObject { path: "a".to_owned(), kind: "a number" }));
    assert!(set_member("[]", &["a"], &json!(1)).is_err());
}

/// Objects with comments, line ends and commas in every place that allows them.
fn texts() -> impl Strategy<Value = String> {
    let space = prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\r\n",
        "\n  ",
        " // c\n",
        " /* , } */ ",
        "/* \n */",
        "\t",
    ]);
    let scalar = prop::sample::select(vec!["1", "\"x,}\"", "true", "null", "[1, 2]"]);
    let member = (prop::sample::select(vec!["a", "b", "c"]), space.clone(), scalar, space.clone());
    (prop::collection::vec(member, 0..4), space.clone(), any::<bool>(), any::<bool>()).prop_map(
        |(members, space, trailing, nested)| {
            let count = members.len();
            let inner: String = members
                .into_iter()
                .enumerate()
                .map(|(at, (name, before, value, after))| {
                    let comma = if at + 1 < count || trailing { "," } else { "" };
                    format!("{before}\"{name}{at}\": {value}{after}{comma}")
                })
                .collect();
            let object = format!("{{{inner}{space}}}");
            if nested {
                format!("{{\n  \"o\": {object}, // o\n  \"p\": {{}}\n}}\n")
            } else {
                object
            }
        },
    )
}

fn value(text: &str) -> serde_json::Value {
    let (_, root) = read(text).expect("valid");
    to_value(&root)
}

/// Whether all bytes of `part` stand in `whole`, in their order.
fn is_within(part: &str, whole: &str) -> bool {
    let mut bytes = whole.bytes();
    part.bytes().all(|byte| bytes.any(|other| other == byte))
}

proptest! {
    #[test]
    fn setting_only_adds_and_means_what_it_says(text in texts()) {
        let nested = text.contains("\"o\"");
        let path: &[&str] = if nested { &["o", "n"] } else { &["n"] };
        let new = set_member(&text, path, &json!({"x": [1]})).expect("valid");
        let mut expected = value(&text);
        if nested { expected["o"]["n"] = json!({"x": [1]}); } else { expected["n"] = json!({"x": [1]}); }
        prop_assert_eq!(value(&new), expected, "{:?}", new);
        // White space before a closing brace may move; everything else only gains neighbours.
        let solid = |text: &str| text.replace([' ', '\n', '\r', '\t'], "");
        prop_assert!(is_within(&solid(&text), &solid(&new)), "{text:?} → {new:?}");
        let again = set_member(&new, path, &json!({"x": [1]})).expect("valid");
        prop_assert_eq!(value(&again), value(&new));
        let back = remove_member(&new, path).expect("valid").expect("present");
        let mut left = value(&text);
        if nested && left["o"] == json!({}) && value(&back).get("o").is_none() {
            left.as_object_mut().expect("an object").remove("o");
        }
        prop_assert_eq!(value(&back), left, "{:?}", back);
    }

    #[test]
    fn removing_only_takes(text in texts(), pick in 0usize..4) {
        let root = value(&text);
        let nested = root.get("o").is_some();
        let object = if nested { &root["o"] } else { &root };
        let names: Vec<String> = object.as_object().expect("object").keys().cloned().collect();
        prop_assume!(!names.is_empty());
        let name = names[pick % names.len()].as_str();
        let path: &[&str] = if nested { &["o", name] } else { &[name] };
        let new = remove_member(&text, path).expect("valid").expect("present");
        prop_assert!(is_within(&new, &text), "{text:?} → {new:?}");
        let mut expected = root.clone();
        let target = if nested { &mut expected["o"] } else { &mut expected };
        target.as_object_mut().expect("object").remove(name);
        if nested && expected["o"] == json!({}) && value(&new).get("o").is_none() {
            expected.as_object_mut().expect("object").remove("o");
        }
        prop_assert_eq!(value(&new), expected, "{:?}", new);
    }
}
