//! Makes inputs: a seed with a few mutations, of its bytes, its lines, its words, or, where it is
//! JSON, its tree.

use crate::random::Random;
use serde_json::{Map, Value, json};

/// No input is longer: size by itself is looked at by tests that make large inputs on purpose.
pub const MAX_INPUT: usize = 64 * 1024;

/// Pieces that parsers stumble over.
const PIECES: &[&[u8]] = &[
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xff",
    b"\0",
    b"\r",
    b"\r\n",
    b"\n\n\n",
    b"\t",
    b"\x1b[2K\x1b]0;x\x07",
    "\u{202e}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{1F600}".as_bytes(),
    "é".as_bytes(),
    "ﬁ".as_bytes(),
    b"\\ud800",
    b"\\udc00\\ud800",
    b"\\u0000",
    b"\"",
    b"'",
    b"`",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"//",
    b"/*",
    b"*/",
    b"#",
    b"null",
    b"true",
    b"1e999",
    b"-0",
    b"18446744073709551616",
    b"0.1e-7",
    b"---\n",
    b"...\n",
    b"- ",
    b"? ",
    b"&a ",
    b"*a",
    b"!!binary ",
    b"<<: ",
    b"|\n",
    b">-\n",
    b"%YAML 1.2\n",
    b"```",
    b"~~~~",
    b"<task>",
    b"</task>",
    b"<!--",
    b"-->",
    b"| a | b |\n|---|---|\n",
    b"../",
    b"/",
    b"C:\\",
    b"http://",
    b"@",
    b"%00",
    b"%2e%2e",
    b"__proto__",
    b"constructor",
    b"999999999999",
];

/// Tokens that nest or repeat.
const NESTED: &[&[u8]] =
    &[b"[", b"{\"a\":", b"- ", b"> ", b"(", b"<task>", b"*", b"  - a:\n", b"{", b"`", b"# "];

/// Makes inputs from seeds.
#[derive(Debug, Clone)]
pub struct Mutator {
    seeds: Vec<Vec<u8>>,
    /// The words that occur in the seeds: an input of known words goes deeper than one of noise.
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// `seeds` must not be empty.
    pub fn of(seeds: Vec<Vec<u8>>) -> Self {
        let mut words: Vec<Vec<u8>> = seeds
            .iter()
            .flat_map(|seed| seed.split(|b| !b.is_ascii_alphanumeric() && !b"-_./".contains(b)))
            .filter(|word| !word.is_empty() && word.len() < 40)
            .map(<[u8]>::to_vec)
            .collect();
        words.sort();
        words.dedup();
        Self { seeds, words }
    }

    /// The input of an index.
    pub fn input(&self, seed: u64, index: u64) -> Vec<u8> {
        let random = &mut Random::of(seed, index);
        let mut input = random.pick(&self.seeds).cloned().unwrap_or_default();
        if random.once_in(2)
            && let Ok(mut value) = serde_json::from_slice::<Value>(&input)
        {
            for _ in 0..=random.below(4) {
                self.change_tree(&mut value, random);
            }
            input = if random.once_in(2) {
                serde_json::to_vec_pretty(&value).unwrap_or_default()
            } else {
                serde_json::to_vec(&value).unwrap_or_default()
            };
            if random.once_in(3) {
                self.change_bytes(&mut input, random);
            }
        } else {
            for _ in 0..=random.below(6) {
                self.change_bytes(&mut input, random);
            }
        }
        input.truncate(MAX_INPUT);
        input
    }

    fn change_bytes(&self, input: &mut Vec<u8>, random: &mut Random) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(64)).min(input.len());
        match random.below(12) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = random.byte();
                }
            }
            1 => drop(input.drain(at..end)),
            2 | 3 => insert(input, at, random.pick(PIECES).copied().unwrap_or_default()),
            4 | 5 => insert(input, at, &self.word(random)),
            6 => {
                let part = input[at..end].to_vec();
                insert(input, at, &part);
            }
            7 => input.truncate(at),
            8 => self.change_line(input, random),
            9 => {
                let other = random.pick(&self.seeds).cloned().unwrap_or_default();
                let from = random.below(other.len() + 1);
                let to = (from + random.below(400)).min(other.len());
                insert(input, at, &other[from..to]);
            }
            10 => {
                let piece = random.pick(NESTED).copied().unwrap_or_default();
                let times = if random.once_in(20) { random.below(4000) } else { random.below(40) };
                insert(input, at, &piece.repeat(times));
            }
            _ => {
                let piece = random.pick(PIECES).copied().unwrap_or_default();
                input.splice(at..end, piece.iter().copied());
            }
        }
    }

    /// Takes out, doubles or moves a whole line.
    fn change_line(&self, input: &mut Vec<u8>, random: &mut Random) {
        let mut lines: Vec<Vec<u8>> =
            input.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        let (from, to) = (random.below(lines.len()), random.below(lines.len() + 1));
        let Some(line) = lines.get(from).cloned() else { return };
        if random.once_in(2) {
            lines.remove(from);
        }
        if random.once_in(2) {
            lines.insert(to.min(lines.len()), line);
        }
        *input = lines.concat();
    }

    /// Goes down some way; where it stops, something changes.
    fn change_tree(&self, value: &mut Value, random: &mut Random) {
        let down = random.below(3) > 0;
        match value {
            Value::Object(members) if down && !members.is_empty() => {
                let at = random.below(members.len());
                if let Some((_, below)) = members.iter_mut().nth(at) {
                    self.change_tree(below, random);
                }
            }
            Value::Array(items) if down && !items.is_empty() => {
                let at = random.below(items.len());
                self.change_tree(&mut items[at], random);
            }
            _ => self.change_value(value, random),
        }
    }

    fn change_value(&self, value: &mut Value, random: &mut Random) {
        if random.once_in(8) {
            *value = self.scalar(random);
            return;
        }
        match value {
            Value::Object(members) if !members.is_empty() => self.change_members(members, random),
            Value::Array(items) if !items.is_empty() => {
                let at = random.below(items.len());
                match random.below(3) {
                    0 => drop(items.remove(at)),
                    1 => items.push(items[at].clone()),
                    _ => items.push(self.scalar(random)),
                }
            }
            Value::String(text) if random.once_in(2) => {
                let mut bytes = std::mem::take(text).into_bytes();
                self.change_bytes(&mut bytes, random);
                *text = String::from_utf8_lossy(&bytes).into_owned();
            }
            other => *other = self.scalar(random),
        }
    }

    fn change_members(&self, members: &mut Map<String, Value>, random: &mut Random) {
        let names: Vec<String> = members.keys().cloned().collect();
        let Some(name) = random.pick(&names).cloned() else { return };
        match random.below(5) {
            0 | 1 => drop(members.remove(&name)),
            2 => {
                if let Some(value) = members.remove(&name) {
                    members.insert(self.text(random), value);
                }
            }
            3 => drop(members.insert(self.text(random), self.scalar(random))),
            _ => drop(members.insert(name, self.scalar(random))),
        }
    }

    fn scalar(&self, random: &mut Random) -> Value {
        match random.below(9) {
            0 => Value::Null,
            1 => json!(random.once_in(2)),
            2 => json!(random.below(5000)),
            3 => json!(-1.5),
            4 => json!([]),
            5 => json!({}),
            6 => json!([self.text(random)]),
            _ => json!(self.text(random)),
        }
    }

    fn word(&self, random: &mut Random) -> Vec<u8> {
        random.pick(&self.words).cloned().unwrap_or_default()
    }

    fn text(&self, random: &mut Random) -> String {
        let mut bytes = self.word(random);
        if random.once_in(4) {
            bytes.extend(random.pick(PIECES).copied().unwrap_or_default());
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

#[cfg(test)]
mod tests {
    use super::{MAX_INPUT, Mutator};

    #[test]
    fn inputs_are_many_bounded_and_repeatable() {
        let seeds = vec![br#"{"a":[1,{"b":"c d"}],"e":true}"#.to_vec(), b"# t\n\n- x\n".to_vec()];
        let mutator = Mutator::of(seeds.clone());
        let inputs: Vec<_> = (0..2000).map(|at| mutator.input(7, at)).collect();
        assert!(inputs.iter().all(|input| input.len() <= MAX_INPUT));
        let different: std::collections::BTreeSet<_> = inputs.iter().collect();
        assert!(different.len() > 1700, "{}", different.len());
        assert_eq!(inputs[77], Mutator::of(seeds).input(7, 77));
        let json = inputs.iter().filter(|i| serde_json::from_slice::<serde_json::Value>(i).is_ok());
        assert!(json.count() > 300, "many stay JSON and reach what reads the values");
    }
}
