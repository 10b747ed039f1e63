//! JSON Pointers (RFC 6901), built while going down.

use std::fmt;

/// A path from the root of a document to a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pointer(String);

/// Characters of a key that are kept.
const MAX_KEY: usize = 200;

impl Pointer {
    /// The whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// The member of an object.
    pub fn key(&self, key: &str) -> Self {
        // Keys come from outside and may have megabytes; a pointer is for people and tools.
        let long = key.len() > MAX_KEY;
        let end = long.then(|| key.char_indices().nth(MAX_KEY)).flatten();
        let key = end.map_or(key, |(end, _)| &key[..end]);
        let mut text = String::with_capacity(self.0.len() + 1 + key.len());
        text.push_str(&self.0);
        text.push('/');
        if key.contains(['~', '/']) {
            text.push_str(&key.replace('~', "~0").replace('/', "~1"));
        } else {
            text.push_str(key);
        }
        Self(text)
    }

    /// The element of an array.
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Pointer;

    #[test]
    fn escapes_as_the_standard_says() {
        assert_eq!(Pointer::root().key("a/b").key("m~n").index(3).as_str(), "/a~1b/m~0n/3");
        assert_eq!(Pointer::root().key(&"é".repeat(300)).as_str().chars().count(), 201);
    }
}
