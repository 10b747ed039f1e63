//! Files that are not what they seem: no read hangs, none follows a link that it must not.

use crate::process::World;
use gsd_io::fs::{Links, ReadError, read_bounded, read_text, write_atomic};
use gsd_testkit::fake_cli::fifo;

#[test]
fn an_output_file_that_is_none_is_refused_at_once() {
    let world = World::new();
    let folder = world.folder();
    let secret = folder.join("config");
    write_atomic(&secret, b"secret").unwrap();
    let link = folder.join("review");
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    let refused = read_bounded(&link, 100, Links::Refuse);
    assert!(matches!(refused, Err(ReadError::NotAFile { what: "a symbolic link", .. })));
    assert_eq!(read_text(&link, 100, Links::Follow).unwrap(), "secret");
    for path in [fifo(&folder, "fifo"), folder.clone(), "/dev/zero".into()] {
        for links in [Links::Refuse, Links::Follow] {
            let refused = read_bounded(&path, 100, links);
            assert!(matches!(refused, Err(ReadError::NotAFile { .. })), "{path}: {refused:?}");
        }
    }
}

#[test]
fn names_that_are_no_text_are_told() {
    use gsd_io::fs::{Entry, Kind, list, list_not_utf8};
    use std::os::unix::ffi::OsStrExt;
    let folder = World::new();
    let path = folder.folder();
    std::fs::write(path.as_std_path().join(std::ffi::OsStr::from_bytes(b"a\xff.md")), "").unwrap();
    std::fs::write(path.join("b.md"), "").unwrap();
    let unnamed = Entry { name: "a\u{fffd}.md".to_owned(), kind: Kind::File { bytes: 0 } };
    assert_eq!(list_not_utf8(&path, 100), [unnamed]);
    assert_eq!(list(&path, 100).unwrap().len(), 1);
}

#[test]
fn a_read_is_bounded_and_says_by_how_much() {
    let world = World::new();
    let path = world.folder().join("file");
    write_atomic(&path, &[b'x'; 100]).unwrap();
    assert_eq!(read_bounded(&path, 100, Links::Refuse).unwrap().len(), 100);
    let refused = read_bounded(&path, 99, Links::Refuse);
    assert!(matches!(refused, Err(ReadError::TooLarge { bytes: 100, max: 99, .. })));
    write_atomic(&path, b"ok \xff").unwrap();
    let refused = read_text(&path, 99, Links::Refuse);
    assert!(matches!(refused, Err(ReadError::NotUtf8 { offset: 3, .. })));
    std::fs::remove_file(&path).unwrap();
    let refused = read_bounded(&path, 99, Links::Refuse);
    assert!(matches!(refused, Err(ReadError::NotFound { .. })));
}
