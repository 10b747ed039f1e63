//! Archives of every kind of badness: each is refused, and nothing of it is anywhere but below the
//! folder that was given.

use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::archive::{ArchiveError, unpack};
use gsd_io::cancel::Cancel;
use gsd_io::tree::{Limits, TreeError, TreeWriter, Written};
use gsd_testkit::tarball::{Tar, gzip};

const LIMITS: Limits = Limits { bytes: 8 << 20, entries: 1000 };

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn root(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().join("out")
    }

    fn unpack(&self, archive: &[u8]) -> Result<Written, ArchiveError> {
        let cancel = Cancel::new();
        let mut tree = TreeWriter::new(&self.root(), LIMITS, &cancel)?;
        unpack(&mut &*archive, &mut tree)?;
        Ok(tree.finish())
    }

    /// What lies beside the folder; there must never be anything.
    fn beside(&self) -> usize {
        self.folder.path().read_dir().unwrap().count() - 1
    }
}

fn refused(archive: &[u8]) -> ArchiveError {
    let place = Place::new();
    let error = place.unpack(archive).expect_err("it is refused");
    assert_eq!(place.beside(), 0, "{error}");
    let message = error.to_string();
    assert!(!message.contains(|c: char| c.is_control()) && message.len() < 600, "{message}");
    error
}

#[test]
fn sound_archives_are_taken() {
    let long = format!("{}/{}", "d".repeat(90), "f".repeat(90));
    let long_name = format!("{long}\0");
    let tar = Tar::new()
        .folder("./")
        .folder("./a/")
        .file("./a/x", "1")
        .file("b/y", "22")
        .pax(b'g', &[("comment", "0123")])
        .pax(b'x', &[("path", "ünï/z"), ("mtime", "1.5"), ("SCHILY.xattr.user.a", "a\nb")])
        .file("ignored", "333")
        .member(b"././@LongLink", b'L', b"", long_name.as_bytes())
        .file("ignored too", "4444")
        .member(b"old/", 0, b"", b"")
        .member(b"old/file", 0, b"", b"55555");
    for archive in [tar.clone().plain(), tar.clone().gzip()] {
        let place = Place::new();
        let written = place.unpack(&archive).unwrap();
        assert_eq!(written.files, ["a/x", "b/y", &long, "old/file", "ünï/z"]);
        assert_eq!(written.bytes, 15);
        let mode = std::os::unix::fs::PermissionsExt::mode;
        let permissions = std::fs::metadata(place.root().join("a/x")).unwrap().permissions();
        assert_eq!(mode(&permissions) & 0o7777 & !0o755, 0, "no set-user bit, no foreign writers");
    }
    // Other programs end with more or fewer empty blocks.
    let place = Place::new();
    let mut padded = Tar::new().file("x", "1").plain();
    padded.resize(20 * 512, 0);
    assert!(place.unpack(&padded).is_ok());
    assert_eq!(Place::new().unpack(&Tar::new().gzip()).unwrap().files, Vec::<String>::new());
}

#[test]
fn names_that_lead_elsewhere() {
    let deep = "a/".repeat(40) + "x";
    for name in [
        "../x",
        "/etc/cron.d/x",
        "a/../../x",
        "a/..",
        "..",
        "./../x",
        "C:../../x",
        "\\\\srv\\s\\x",
        "a\\..\\b",
        "CON",
        "aux.txt",
        "x:stream",
        "x.",
        "x ",
        "package/../../x",
        "a//b",
        "././x",
        ".git/hooks/post-checkout",
        "a/.GIT/config",
        "a\u{202e}b",
        "a\u{1b}[2Kb",
        "a\nb",
        &deep[..81],
    ] {
        for tar in [
            Tar::new().file(name, "x"),
            Tar::new().folder(name).file("fine", "x"),
            Tar::new().pax(b'x', &[("path", name)]).file("fine", "x"),
            Tar::new().member(b"l", b'L', b"", format!("{name}\0").as_bytes()).file("fine", "x"),
        ] {
            let error = refused(&tar.gzip());
            assert!(matches!(error, ArchiveError::Tree(TreeError::Name { .. })), "{name}: {error}");
        }
    }
    let not_text = refused(&Tar::new().member(b"a\xff", b'0', b"", b"x").gzip());
    assert!(matches!(not_text, ArchiveError::Tree(TreeError::Name { .. })), "{not_text}");
    let empty = refused(&Tar::new().member(b"", b'0', b"", b"x").gzip());
    assert!(matches!(empty, ArchiveError::Tree(TreeError::Name { .. })), "{empty}");
    let hidden = Tar::new().pax(b'x', &[("path", "a\0/../../x")]).file("fine", "x");
    assert!(matches!(refused(&hidden.gzip()), ArchiveError::Tree(TreeError::Name { .. })));
}

#[test]
fn what_is_no_file_and_no_folder() {
    let secret = Place::new();
    let target = secret.folder.path().join("secret");
    std::fs::write(&target, "hunter2").unwrap();
    let target = target.to_str().unwrap();
    for (tar, what) in [
        (Tar::new().link("x", b'2', target), "symlink or hardlink"),
        (Tar::new().link("x", b'1', target), "symlink or hardlink"),
        (Tar::new().link("x", b'2', "..").file("x/evil", "x"), "symlink or hardlink"),
        (Tar::new().file("y", "1").link("x", b'1', "y"), "symlink or hardlink"),
        (Tar::new().pax(b'x', &[("linkpath", target)]).link("x", b'2', "y"), "describe a link"),
        (Tar::new().member(b"x", b'3', b"", b""), "a device"),
        (Tar::new().member(b"x", b'4', b"", b""), "a device"),
        (Tar::new().member(b"x", b'6', b"", b""), "a FIFO"),
        (Tar::new().member(b"x", b'S', b"", b""), "a sparse file"),
        (Tar::new().member(b"x", b'K', b"", b"y\0").link("x", b'2', "z"), "unknown kind"),
        (Tar::new().member(b"x", b'D', b"", b"y\0"), "unknown kind"),
        (Tar::new().member(b"x", b'M', b"", b""), "unknown kind"),
        (Tar::new().member(b"x", b'V', b"", b""), "unknown kind"),
        (Tar::new().member(b"x/", b'5', b"", b"content"), "a folder with content"),
    ] {
        let error = refused(&tar.gzip()).to_string();
        assert!(error.contains(what), "{what}: {error}");
    }
}

#[test]
fn one_name_for_two_things() {
    for tar in [
        Tar::new().file("x", "1").file("x", "2"),
        Tar::new().folder("x/").folder("x/"),
        Tar::new().file("x", "1").folder("x/"),
        Tar::new().file("x", "1").file("x/y", "2"),
        Tar::new().file("x/y", "1").file("x", "2"),
        Tar::new().file("Foo", "1").file("foo", "2"),
        Tar::new().file("Dir/a", "1").file("dir/b", "2"),
        Tar::new().file("é", "1").file("e\u{301}", "2"),
        Tar::new().file("straße", "1").file("STRASSE", "2"),
        Tar::new().file("x", "1").file("./x", "2"),
        Tar::new().file("x", "1").pax(b'x', &[("path", "x")]).file("y", "2"),
    ] {
        let error = refused(&tar.gzip());
        let expected = matches!(
            error,
            ArchiveError::Tree(TreeError::Twice { .. } | TreeError::Collision { .. })
        );
        assert!(expected, "{error}");
    }
}

#[test]
fn headers_that_change_how_the_archive_is_read() {
    let long = "x".repeat(100_000);
    let many = (0..6).fold(Tar::new(), |tar, _| tar.pax(b'g', &[("comment", "x")]));
    for tar in [
        Tar::new().pax(b'x', &[("size", "0")]).file("x", "1"),
        Tar::new().pax(b'g', &[("size", "0")]).file("x", "1"),
        Tar::new().pax(b'g', &[("path", "y")]).file("x", "1"),
        Tar::new().pax(b'x', &[("GNU.sparse.major", "1"), ("GNU.sparse.name", "y")]).file("x", "1"),
        Tar::new().pax(b'x', &[("path", "y"), ("path", "z")]).file("x", "1"),
        Tar::new().pax(b'x', &[("path", "y")]).pax(b'x', &[("path", "z")]).file("x", "1"),
        Tar::new().member(b"l", b'L', b"", b"y").pax(b'x', &[("path", "z")]).file("x", "1"),
        Tar::new().pax(b'x', &[("comment", &long)]).file("x", "1"),
        Tar::new().member(b"l", b'L', b"", long.as_bytes()).file("x", "1"),
        Tar::new().header(b"x", b'x', b"", 8 << 30),
        Tar::new().header(b"x", b'L', b"", 1 << 40),
        Tar::new().member(b"p", b'x', b"", b"99 path=y\n").file("x", "1"),
        Tar::new().member(b"p", b'x', b"", b"3 \n").file("x", "1"),
        Tar::new().member(b"p", b'x', b"", b"no header").file("x", "1"),
        Tar::new().pax(b'x', &[("path", "y")]),
        many.file("x", "1"),
    ] {
        let error = refused(&tar.gzip());
        assert!(matches!(error, ArchiveError::Header(_)), "{error}");
    }
}

#[test]
fn what_is_no_whole_archive() {
    let tar = || Tar::new().file("x", "x".repeat(3000)).file("y", "1");
    let whole = tar().gzip();
    for cut in (1..whole.len()).step_by(whole.len() / 20 + 1) {
        refused(&whole[..cut]);
    }
    let plain = tar().plain();
    for cut in [100, 512, 700, 3000, 3584, 3700] {
        refused(&plain[..cut]);
    }
    let mut flipped = whole.clone();
    let last = flipped.len() - 6;
    flipped[last] ^= 1;
    refused(&flipped);
    let mut sum = plain.clone();
    sum[3] ^= 1;
    refused(&sum);
    refused(b"this is no archive");
    refused(&gzip(b"this is no archive"));
    refused(&[0x1f, 0x8b]);
    // A second archive after the end of the first is seen by some programs and not by others.
    refused(&[tar().plain(), Tar::new().file("z", "1").plain()].concat());
    refused(&[whole.as_slice(), b"trailing"].concat());
    refused(&[whole, gzip(&Tar::new().file("z", "1").plain())].concat());
}

#[test]
fn bombs_end_soon() {
    let zeros = vec![0; 4 << 20];
    let error = refused(&Tar::new().file("x", &zeros).gzip());
    assert!(matches!(error, ArchiveError::Bomb { .. }), "{error}");
    let noise: Vec<u8> =
        (0..9 << 20).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let error = refused(&Tar::new().file("x", &noise).plain());
    assert!(error.to_string().contains("exceeds 8388608 bytes"), "{error}");
    // A header that promises what never comes.
    let error = refused(&Tar::new().header(b"x", b'0', b"", 6 << 30).raw(b"x").plain());
    assert!(matches!(error, ArchiveError::Tree(_)), "{error}");
    let (place, cancel) = (Place::new(), Cancel::new());
    let mut tree = TreeWriter::new(&place.root(), LIMITS, &cancel).unwrap();
    let mut members = Members { made: 0, rest: vec![] };
    let error = unpack(&mut members, &mut tree).expect_err("a million members");
    assert!(matches!(error, ArchiveError::Tree(TreeError::TooMany { max: 1000 })), "{error}");
    assert!(members.made < 1100, "the rest was not even read");
    let folders = (0..1_001).fold(Tar::new(), |tar, index| tar.folder(&format!("d{index}/")));
    let error = refused(&folders.plain());
    assert!(matches!(error, ArchiveError::Tree(TreeError::TooMany { max: 1000 })), "{error}");
    // A bomb after the end of the archive.
    let mut tail = Tar::new().file("x", "1").plain();
    tail.resize(12 << 20, 0);
    let error = refused(&gzip(&tail));
    assert!(matches!(error, ArchiveError::Bomb { .. } | ArchiveError::TooLarge { .. }), "{error}");
}

/// A million empty files, made while they are read.
struct Members {
    made: usize,
    rest: Vec<u8>,
}

impl std::io::Read for Members {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() && self.made < 1_000_000 {
            self.made += 1;
            self.rest = Tar::new().file(&format!("f{}", self.made), "").plain();
            self.rest.truncate(512);
        }
        let got = buffer.len().min(self.rest.len());
        buffer[..got].copy_from_slice(&self.rest[..got]);
        self.rest.drain(..got);
        Ok(got)
    }
}
