//! JSON as JavaScript writes it, with the keys of every object in order: one spelling for each
//! value, the same that other hosts of the ecosystem sign.

use serde_json::{Number, Value};

/// The one spelling of a value.
pub(in crate::store) fn stringify(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        // serde_json and JavaScript escape texts alike.
        Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&value.to_string()),
    }
}

/// Sorts texts as JavaScript does: by their UTF-16 units.
pub(super) fn sort_texts(texts: &mut [String]) {
    texts.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
}

/// A number as JavaScript writes it: the shortest digits that mean it, without an exponent from
/// 1e-6 up to below 1e21 (ECMA-262, Number::toString).
fn number_text(number: &Number) -> String {
    let Some(value) = number.as_f64().filter(|value| value.is_finite()) else {
        return "null".to_owned();
    };
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    // The place of the point, counted from the first digit.
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let split = |at: i32| digits.split_at(usize::try_from(at).unwrap_or_default());
    let text = if count <= point && point <= 21 {
        format!("{digits}{}", zeros(point - count))
    } else if 0 < point && point <= 21 {
        let (whole, rest) = split(point);
        format!("{whole}.{rest}")
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let (first, rest) = split(1);
        let point_text = if rest.is_empty() { "" } else { "." };
        format!("{first}{point_text}{rest}e{:+}", point - 1)
    };
    if value < 0.0 { format!("-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::stringify;
    use serde_json::Value;

    fn spelled(json: &str) -> String {
        stringify(&serde_json::from_str::<Value>(json).expect("JSON"))
    }

    #[test]
    fn numbers_are_spelled_as_javascript_does() {
        for (written, read) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("1.0", "1"),
            ("1.50", "1.5"),
            ("-12", "-12"),
            ("1e21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("9007199254740993", "9007199254740992"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("1.25e-9", "1.25e-9"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ] {
            assert_eq!(spelled(written), read, "{written}");
        }
    }

    #[test]
    fn keys_are_sorted_at_every_depth_by_their_utf_16_units() {
        assert_eq!(
            spelled(r#"{"b":[{"d":1,"c":"\u0001\n/é"}],"a":null,"\ud83d\ude00":1,"\uffee":2}"#),
            "{\"a\":null,\"b\":[{\"c\":\"\\u0001\\n/é\",\"d\":1}],\"😀\":1,\"\u{ffee}\":2}"
        );
    }
}
