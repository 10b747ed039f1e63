//! Command lines of plans, read as a shell would read them, as far as that can be told.
//!
//! What is not understood (control structures, here-documents, functions) becomes
//! [`Node::Opaque`], and no check claims anything about it. Depth is bounded.

use std::ops::Range;

/// A command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Simple(Simple),
    /// `a && b`
    And(Box<Node>, Box<Node>),
    /// `a || b`
    Or(Box<Node>, Box<Node>),
    /// `a; b`, or one line after another.
    Then(Box<Node>, Box<Node>),
    /// `a | b`
    Pipe(Box<Node>, Box<Node>),
    /// `! a`
    Not(Box<Node>),
    /// `( a )`
    Subshell(Box<Node>),
    Opaque,
}

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    /// Relative to the command line.
    pub(super) span: Range<usize>,
}

impl Simple {
    /// The program's name without its folder.
    pub(super) fn program(&self) -> &str {
        self.words.first().map_or("", |word| super::path::file_name(&word.text))
    }

    pub(super) fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }
}

/// A word without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) span: Range<usize>,
    /// The shell would replace a part of it: `$x`, `$(…)`, a glob.
    pub(super) expands: bool,
}

const MAX_DEPTH: usize = 24;
const MAX_BYTES: usize = 16 << 10;

const KEYWORDS: [&str; 11] =
    ["if", "for", "while", "until", "case", "function", "select", "[[", "((", "then", "do"];

/// Reads a command line. Nothing but comments and white space is `None`.
pub(super) fn parse(text: &str) -> Option<Node> {
    if text.len() > MAX_BYTES {
        return Some(Node::Opaque);
    }
    let plain = without_entities(text);
    let text = plain.as_deref().unwrap_or(text);
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0 };
    let node = parser.list(0, None);
    if parser.at < text.len() { Some(Node::Opaque) } else { node }
}

/// Plans look like XML, so some write `&amp;&amp;` in their commands. Places in such a text are off
/// by what is shorter; whoever points at one looks whether the word stands there.
fn without_entities(text: &str) -> Option<String> {
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    if !entities.iter().any(|(entity, _)| text.contains(entity)) {
        return None;
    }
    let plain = entities.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    Some(plain)
}

/// Calls `visit` for each simple command with the folder that it runs in, relative to the root;
/// `None` once that cannot be told.
pub(super) fn each<'a>(node: &'a Node, visit: &mut dyn FnMut(&'a Simple, Option<&str>)) {
    walk(node, &mut Some(String::new()), visit);
}

fn walk<'a>(
    node: &'a Node,
    folder: &mut Option<String>,
    visit: &mut dyn FnMut(&'a Simple, Option<&str>),
) {
    match node {
        Node::Simple(simple) => {
            visit(simple, folder.as_deref());
            if matches!(simple.program(), "cd" | "pushd") {
                *folder = changed(folder.as_deref(), simple);
            } else if simple.program() == "popd" {
                *folder = None;
            }
        }
        Node::And(a, b) | Node::Or(a, b) | Node::Then(a, b) => {
            walk(a, folder, visit);
            walk(b, folder, visit);
        }
        Node::Pipe(a, b) => {
            walk(a, &mut folder.clone(), visit);
            walk(b, &mut folder.clone(), visit);
        }
        Node::Not(inner) => walk(inner, folder, visit),
        Node::Subshell(inner) => walk(inner, &mut folder.clone(), visit),
        Node::Opaque => {}
    }
}

fn changed(folder: Option<&str>, cd: &Simple) -> Option<String> {
    let [target] = cd.arguments() else { return None };
    if target.expands || target.text.starts_with(['/', '~', '-']) {
        return None;
    }
    join(folder?, &target.text)
}

/// A path relative to a folder below the root; `None` where it leaves the root.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn list(&mut self, depth: usize, close: Option<u8>) -> Option<Node> {
        let mut whole: Option<Node> = None;
        loop {
            self.skip(true);
            if self.at == self.bytes.len() || (close.is_some() && self.peek() == close) {
                return whole;
            }
            let Some(next) = self.and_or(depth) else { return whole };
            whole = Some(match whole {
                None => next,
                Some(before) => Node::Then(Box::new(before), Box::new(next)),
            });
            self.skip(false);
            match self.peek() {
                Some(b';') => {
                    self.at += 1;
                    if self.peek() == Some(b';') {
                        self.at = self.bytes.len();
                        return Some(Node::Opaque);
                    }
                }
                Some(b'\n') => self.at += 1,
                Some(b'&') => {
                    // A command in the background: what the line ends with is another's matter.
                    self.at += 1;
                    whole = Some(Node::Opaque);
                }
                Some(_) | None => return whole,
            }
        }
    }

    fn and_or(&mut self, depth: usize) -> Option<Node> {
        let mut left = self.pipeline(depth)?;
        loop {
            self.skip(false);
            let or = match self.rest() {
                [b'&', b'&', ..] => false,
                [b'|', b'|', ..] => true,
                _ => return Some(left),
            };
            self.at += 2;
            self.skip(true);
            let right = Box::new(self.pipeline(depth).unwrap_or(Node::Opaque));
            left = match or {
                true => Node::Or(Box::new(left), right),
                false => Node::And(Box::new(left), right),
            };
        }
    }

    fn pipeline(&mut self, depth: usize) -> Option<Node> {
        self.skip(false);
        let negated = matches!(self.rest(), [b'!', b' ' | b'\t', ..]);
        if negated {
            self.at += 1;
        }
        let mut left = self.command(depth)?;
        loop {
            self.skip(false);
            match self.rest() {
                [b'|', b'|', ..] => break,
                [b'|', ..] => {
                    self.at += 1;
                    if self.peek() == Some(b'&') {
                        self.at += 1;
                    }
                    self.skip(true);
                    let right = self.command(depth).unwrap_or(Node::Opaque);
                    left = Node::Pipe(Box::new(left), Box::new(right));
                }
                _ => break,
            }
        }
        Some(if negated { Node::Not(Box::new(left)) } else { left })
    }

    fn command(&mut self, depth: usize) -> Option<Node> {
        self.skip(false);
        if depth >= MAX_DEPTH {
            self.at = self.bytes.len();
            return Some(Node::Opaque);
        }
        match self.rest() {
            [b'(', b'(', ..] => self.give_up(),
            [b'(', ..] => {
                self.at += 1;
                let inner = self.list(depth + 1, Some(b')')).unwrap_or(Node::Opaque);
                if self.peek() != Some(b')') {
                    return self.give_up();
                }
                self.at += 1;
                self.redirections();
                Some(Node::Subshell(Box::new(inner)))
            }
            [b'{', b' ' | b'\n', ..] => {
                self.at += 1;
                let inner = self.list(depth + 1, Some(b'}')).unwrap_or(Node::Opaque);
                if self.peek() != Some(b'}') {
                    return self.give_up();
                }
                self.at += 1;
                self.redirections();
                Some(inner)
            }
            _ => self.simple(),
        }
    }

    fn give_up(&mut self) -> Option<Node> {
        self.at = self.bytes.len();
        Some(Node::Opaque)
    }

    fn simple(&mut self) -> Option<Node> {
        let mut words: Vec<Word> = vec![];
        let mut span: Option<Range<usize>> = None;
        loop {
            self.skip(false);
            if matches!(self.rest(), [b'<', b'<', ..]) {
                return self.give_up();
            }
            if self.redirection() {
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'}') if words.is_empty() => break,
                Some(b'(') => return self.give_up(),
                Some(_) => {}
            }
            let word = self.word()?;
            if words.is_empty() {
                if KEYWORDS.contains(&word.text.as_str()) && !word.expands {
                    return self.give_up();
                }
                // `NAME=value` in front of a program belongs to its environment.
                if is_assignment(&word.text) {
                    span.get_or_insert(word.span);
                    continue;
                }
            }
            let whole = span.get_or_insert(word.span.clone());
            whole.end = word.span.end;
            words.push(word);
        }
        let span = span?;
        Some(Node::Simple(Simple { words, span }))
    }

    fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let mut text = String::new();
        let mut expands = false;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b')' | b'<' | b'>' => break,
                b'\\' => {
                    self.at += 1;
                    let length = self.character();
                    text.push_str(&self.text[self.at..self.at + length]);
                    self.at += length;
                }
                b'\'' => {
                    let close = self.text[self.at + 1..].find('\'')?;
                    text.push_str(&self.text[self.at + 1..self.at + 1 + close]);
                    self.at += close + 2;
                }
                b'"' => {
                    self.at += 1;
                    loop {
                        match self.peek()? {
                            b'"' => break,
                            b'\\' => {
                                self.at += 1;
                                let length = self.character();
                                text.push_str(&self.text[self.at..self.at + length]);
                                self.at += length;
                            }
                            b'$' | b'`' => {
                                expands = true;
                                self.expansion(&mut text)?;
                            }
                            _ => {
                                let length = self.character();
                                text.push_str(&self.text[self.at..self.at + length]);
                                self.at += length;
                            }
                        }
                    }
                    self.at += 1;
                }
                b'$' | b'`' => {
                    expands = true;
                    self.expansion(&mut text)?;
                }
                _ => {
                    expands |= matches!(byte, b'*' | b'?' | b'[' | b'{');
                    let length = self.character();
                    text.push_str(&self.text[self.at..self.at + length]);
                    self.at += length;
                }
            }
        }
        (self.at > start).then_some(Word { text, span: start..self.at, expands })
    }

    /// `$x`, `${…}`, `$(…)` or `` `…` ``, taken as it stands.
    fn expansion(&mut self, text: &mut String) -> Option<()> {
        let start = self.at;
        match self.rest() {
            [b'`', ..] => self.at += 2 + self.text[self.at + 1..].find('`')?,
            [b'$', open @ (b'(' | b'{'), ..] => {
                let close = if *open == b'(' { b')' } else { b'}' };
                let open = *open;
                let mut depth = 0usize;
                self.at += 1;
                loop {
                    let byte = self.peek()?;
                    self.at += 1;
                    if byte == open {
                        depth += 1;
                    } else if byte == close {
                        depth -= 1;
                        if depth == 0 {
                            break;
                        }
                    }
                }
            }
            _ => self.at += 1,
        }
        text.push_str(self.text.get(start..self.at)?);
        Some(())
    }

    fn redirections(&mut self) {
        loop {
            self.skip(false);
            if !self.redirection() {
                return;
            }
        }
    }

    /// `> file`, `2>&1`, `&> file`, `< file`.
    fn redirection(&mut self) -> bool {
        let digits = self.rest().iter().take_while(|b| b.is_ascii_digit()).count();
        let rest = &self.rest()[digits..];
        let length = match rest {
            [b'&', b'>', b'>', ..] => 3,
            [b'>', b'>' | b'&' | b'|', ..] | [b'&', b'>', ..] | [b'<', b'&', ..] => 2,
            [b'>' | b'<', ..] => 1,
            _ => return false,
        };
        if rest[0] == b'<' && rest.get(1) == Some(&b'(') || rest.get(length) == Some(&b'(') {
            return false;
        }
        self.at += digits + length;
        self.skip(false);
        if let Some(word) = self.word() {
            self.at = word.span.end;
        }
        true
    }

    /// White space, escaped line breaks and comments; line breaks too when `lines`.
    fn skip(&mut self, lines: bool) {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\r', ..] => self.at += 1,
                [b'\n', ..] if lines => self.at += 1,
                [b'\\', b'\n', ..] => self.at += 2,
                [b'\\', b'\r', b'\n', ..] => self.at += 3,
                [b'#', ..] => {
                    self.at += self.rest().iter().take_while(|b| **b != b'\n').count();
                }
                _ => return,
            }
        }
    }

    /// The length of the character here in bytes; 0 at the end.
    fn character(&self) -> usize {
        self.text.get(self.at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at.min(self.bytes.len())..]
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Programs and arguments, with the folder each runs in.
    fn runs(text: &str) -> Vec<String> {
        let mut found = vec![];
        if let Some(node) = parse(text) {
            each(&node, &mut |simple, folder| {
                let words: Vec<&str> = simple.words.iter().map(|w| w.text.as_str()).collect();
                found.push(format!("{}:{}", folder.unwrap_or("?"), words.join(" ")));
            });
        }
        found
    }

    #[test]
    fn commands_and_their_folders() {
        assert_eq!(
            runs(
                "cd web && CI=1 npm run \"test:unit\" -- --grep 'a b' 2>&1 | tail -5; (cd .. && ls)"
            ),
            [":cd web", "web:npm run test:unit -- --grep a b", "web:tail -5", "web:cd ..", ":ls"]
        );
        assert_eq!(runs("cd $DIR && make x"), [":cd $DIR", "?:make x"]);
        assert_eq!(runs("# only a comment\n\n"), Vec::<String>::new());
        assert_eq!(runs("a \\\n  b\nc # d"), [":a b", ":c"]);
        assert_eq!(runs("test -n \"$(git log -1)\" && ok"), [":test -n $(git log -1)", ":ok"]);
        assert_eq!(runs("cd a &amp;&amp; b 2&gt;&amp;1 | c"), [":cd a", "a:b", "a:c"]);
        assert_eq!(runs("a || { echo no; exit 1; }"), [":a", ":echo no", ":exit 1"]);
    }

    #[test]
    fn what_is_not_understood_is_opaque() {
        for text in [
            "if x; then y; fi",
            "for f in *; do x; done",
            "cat <<EOF\nx\nEOF",
            "f() { x; }",
            "'open",
        ] {
            assert!(matches!(parse(text), Some(Node::Opaque) | None), "{text}: {:?}", parse(text));
        }
        assert_eq!(parse(&"(".repeat(100_000)), Some(Node::Opaque));
        let deep = format!("{}a{}", "( ".repeat(1000), " )".repeat(1000));
        assert_eq!(parse(&deep), Some(Node::Opaque));
    }

    proptest! {
        #[test]
        fn any_text_ends_and_keeps_its_places(text in "[ -~\n\u{e4}]{0,80}") {
            if let Some(node) = parse(&text) {
                each(&node, &mut |simple, _| {
                    assert!(text.get(simple.span.clone()).is_some());
                });
            }
        }
    }
}
