//! The names in one folder: each means the same on every system, and no two are one on any.

use super::{TreeError, name, shown};
use std::collections::HashMap;

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    Folder,
    /// A folder that so far only follows from what is in it.
    ImpliedFolder,
}

/// The names that are taken, of files and of folders.
#[derive(Debug)]
pub struct Names {
    /// What is there, by a form of its path that is equal where some file system takes them for
    /// one; with the path as it was given.
    places: HashMap<String, (String, Place)>,
    max: usize,
}

impl Names {
    /// None yet, and never more than `max`.
    pub fn new(max: usize) -> Self {
        Self { places: HashMap::new(), max }
    }

    /// Takes the name of a folder, its parts separated by `/`. Gives the folders that are new by
    /// that, the outermost first.
    pub fn folder<'a>(&mut self, path: &'a str) -> Result<Vec<&'a str>, TreeError> {
        self.place(path, Place::Folder)
    }

    /// Takes the name of a file. Gives the folders that are new by that, the outermost first.
    pub fn file<'a>(&mut self, path: &'a str) -> Result<Vec<&'a str>, TreeError> {
        self.place(path, Place::File)
    }

    fn place<'a>(&mut self, path: &'a str, place: Place) -> Result<Vec<&'a str>, TreeError> {
        name::check(path).map_err(|why| TreeError::Name { path: shown(path), why })?;
        let mut made = vec![];
        for (at, _) in path.match_indices('/') {
            if self.is_new(&path[..at], Place::ImpliedFolder)? {
                made.push(&path[..at]);
            }
        }
        if self.is_new(path, place)? && place == Place::Folder {
            made.push(path);
        }
        Ok(made)
    }

    /// Notes one name.
    fn is_new(&mut self, path: &str, place: Place) -> Result<bool, TreeError> {
        let key = name::folded(path);
        if let Some((known, before)) = self.places.get_mut(&key) {
            if known != path {
                return Err(TreeError::Collision { path: shown(path), other: shown(known) });
            }
            return match (*before, place) {
                (Place::Folder | Place::ImpliedFolder, Place::ImpliedFolder) => Ok(false),
                (Place::ImpliedFolder, Place::Folder) => {
                    *before = Place::Folder;
                    Ok(false)
                }
                (Place::Folder, Place::Folder) | (Place::File, _) | (_, Place::File) => {
                    Err(TreeError::Twice { path: shown(path) })
                }
            };
        }
        if self.places.len() == self.max {
            return Err(TreeError::TooMany { max: self.max });
        }
        self.places.insert(key, (path.to_owned(), place));
        Ok(true)
    }
}
