//! Files: every read is bounded and of a regular file, every write is atomic, every error names
//! its path.
//!
//! A FIFO, a device or a directory where a file is expected is an error at once, never a hang:
//! files are opened without blocking and their kind is checked on the open descriptor.

mod copy;
mod faults;
#[cfg_attr(not(target_os = "linux"), path = "fs/read_watch_portable.rs")]
mod read_watch;
mod scratch;
mod stamp;
mod swap;
mod walk;

pub use copy::{copy_file, link_target, make_link};
pub use read_watch::ReadWatch;
pub use scratch::Scratch;
pub use stamp::{Stamp, stamp};
pub use swap::{
    CopyError, copy_tree, left_overs, link_beside, make_folder, remove_empty_folder,
    remove_file_durably, rename_durably,
};
pub use walk::{Found, Walked, walk};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read, Write};

/// What stands at a path. Links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File {
        bytes: u64,
    },
    Directory,
    Link,
    /// A FIFO, a socket or a device.
    Special,
}

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("`{path}` does not exist")]
    NotFound { path: Utf8PathBuf },
    #[error("`{path}` is {what}, not a regular file")]
    NotAFile { path: Utf8PathBuf, what: &'static str },
    #[error("`{path}` has {bytes} bytes; at most {max} are read")]
    TooLarge { path: Utf8PathBuf, bytes: u64, max: u64 },
    #[error("`{path}` is not UTF-8: byte {offset} is invalid")]
    NotUtf8 { path: Utf8PathBuf, offset: usize },
    #[error("`{path}` cannot be read")]
    Io { path: Utf8PathBuf, source: io::Error },
}

#[derive(Debug, thiserror::Error)]
#[error("`{path}` cannot be written")]
pub struct WriteError {
    pub path: Utf8PathBuf,
    pub source: io::Error,
}

impl WriteError {
    fn at(path: &Utf8Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self { path, source }
    }
}

/// Whether a final symbolic link is followed when a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    Follow,
    Refuse,
}

/// What stands at `path`, links not followed; `None` if nothing does or it cannot be seen.
pub fn kind(path: &Utf8Path) -> Option<Kind> {
    std::fs::symlink_metadata(path).ok().map(|meta| Kind::of(&meta))
}

/// What stands at `path`, or where a link at it leads to; `None` if nothing does or it cannot be
/// seen.
pub fn kind_behind_links(path: &Utf8Path) -> Option<Kind> {
    std::fs::metadata(path).ok().map(|meta| Kind::of(&meta))
}

/// Whether what lies in a folder can be looked at.
pub fn may_enter(folder: &Utf8Path) -> bool {
    let here = std::fs::symlink_metadata(folder.join("."));
    here.is_ok() && std::fs::read_dir(folder).is_ok()
}

impl Kind {
    fn of(meta: &std::fs::Metadata) -> Self {
        let kind = meta.file_type();
        if kind.is_file() {
            Self::File { bytes: meta.len() }
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Special
        }
    }
}

/// Reads a regular file of at most `max` bytes.
pub fn read_bounded(path: &Utf8Path, max: u64, links: Links) -> Result<Vec<u8>, ReadError> {
    let io = |source| ReadError::Io { path: path.to_owned(), source };
    let file = open_regular(path, links)?;
    let bytes = file.metadata().map_err(io)?.len();
    if bytes > max {
        return Err(ReadError::TooLarge { path: path.to_owned(), bytes, max });
    }
    let mut content = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
    // The file may grow while it is read, so the bound holds for the read as well.
    (&file).take(max.saturating_add(1)).read_to_end(&mut content).map_err(io)?;
    if content.len() as u64 > max {
        return Err(ReadError::TooLarge {
            path: path.to_owned(),
            bytes: content.len() as u64,
            max,
        });
    }
    Ok(content)
}

/// Reads the beginning of a regular file: at most `max` bytes of it, whatever it weighs.
pub fn read_head(path: &Utf8Path, max: u64, links: Links) -> Result<Vec<u8>, ReadError> {
    let mut content = vec![];
    open_regular(path, links)?
        .take(max)
        .read_to_end(&mut content)
        .map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    Ok(content)
}

/// Reads a regular UTF-8 file of at most `max` bytes.
pub fn read_text(path: &Utf8Path, max: u64, links: Links) -> Result<String, ReadError> {
    String::from_utf8(read_bounded(path, max, links)?).map_err(|error| ReadError::NotUtf8 {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })
}

/// The last `max` bytes of a regular file of any size.
pub fn read_tail(path: &Utf8Path, max: u64, links: Links) -> Result<Vec<u8>, ReadError> {
    use std::io::Seek;
    let io = |source| ReadError::Io { path: path.to_owned(), source };
    let mut file = open_regular(path, links)?;
    let bytes = file.metadata().map_err(io)?.len();
    file.seek(io::SeekFrom::Start(bytes.saturating_sub(max))).map_err(io)?;
    let mut content = vec![];
    file.take(max).read_to_end(&mut content).map_err(io)?;
    Ok(content)
}

/// When what stands at `path` was last changed, since the epoch; links are not followed.
pub fn modified(path: &Utf8Path) -> Option<std::time::Duration> {
    let time = std::fs::symlink_metadata(path).ok()?.modified().ok()?;
    time.duration_since(std::time::UNIX_EPOCH).ok()
}

/// Opens a regular file for reading without ever blocking on what it turns out to be.
pub fn open_regular(path: &Utf8Path, links: Links) -> Result<File, ReadError> {
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    if links == Links::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    let descriptor = match rustix::fs::open(path.as_std_path(), flags, Mode::empty()) {
        Ok(descriptor) => descriptor,
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => {
            return Err(ReadError::NotFound { path: path.to_owned() });
        }
        Err(rustix::io::Errno::LOOP) => {
            return Err(ReadError::NotAFile { path: path.to_owned(), what: "a symbolic link" });
        }
        Err(rustix::io::Errno::NXIO) => {
            return Err(ReadError::NotAFile {
                path: path.to_owned(),
                what: "a socket or a device",
            });
        }
        Err(errno) => return Err(ReadError::Io { path: path.to_owned(), source: errno.into() }),
    };
    let file = File::from(descriptor);
    let meta = file.metadata().map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    let what = if meta.is_file() {
        return Ok(file);
    } else if meta.is_dir() {
        "a directory"
    } else {
        "a FIFO, a socket or a device"
    };
    Err(ReadError::NotAFile { path: path.to_owned(), what })
}

/// One entry of a directory listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: Kind,
}

/// The entries of a directory, sorted by name, at most `max`. Names that are not UTF-8 are left
/// out; [`list_not_utf8`] tells them.
pub fn list(path: &Utf8Path, max: usize) -> Result<Vec<Entry>, ReadError> {
    let io = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound { path: path.to_owned() },
        _ => ReadError::Io { path: path.to_owned(), source },
    };
    let mut entries = vec![];
    for entry in std::fs::read_dir(path).map_err(io)?.take(max) {
        let entry = entry.map_err(io)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Some(kind) = kind(&path.join(&name)) else { continue };
        entries.push(Entry { name, kind });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// Those of the first `max` entries of a directory whose names are not UTF-8, sorted; U+FFFD stands
/// for what is no text, so nothing can be opened by such a name. None if the directory cannot be
/// listed.
pub fn list_not_utf8(path: &Utf8Path, max: usize) -> Vec<Entry> {
    let Ok(entries) = std::fs::read_dir(path) else { return vec![] };
    let unnamed = entries.take(max).filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().err()?.to_string_lossy().into_owned();
        let kind = Kind::of(&std::fs::symlink_metadata(entry.path()).ok()?);
        Some(Entry { name, kind })
    });
    let mut unnamed: Vec<Entry> = unnamed.collect();
    unnamed.sort_by(|a, b| a.name.cmp(&b.name));
    unnamed
}

/// The path with every link resolved; `None` if it does not exist.
pub fn canonical(path: &Utf8Path) -> Option<Utf8PathBuf> {
    path.canonicalize_utf8().ok()
}

/// Who may read a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// As before; a new file may be read by everybody.
    Kept,
    /// As before, but nobody else may change it.
    Guarded,
    /// This user only, whatever it was before.
    Private,
}

/// Writes a whole file: to a new file beside it, synced, then renamed over it. A reader sees the
/// old content or the new one, never a part.
pub fn write_atomic(path: &Utf8Path, content: &[u8]) -> Result<(), WriteError> {
    replace(path, content, Readers::Kept)
}

/// As [`write_atomic`], and afterwards nobody but this user may change the file.
pub fn write_atomic_guarded(path: &Utf8Path, content: &[u8]) -> Result<(), WriteError> {
    replace(path, content, Readers::Guarded)
}

/// As [`write_atomic`], and afterwards only this user may read or change the file (mode 0600).
pub fn write_atomic_private(path: &Utf8Path, content: &[u8]) -> Result<(), WriteError> {
    replace(path, content, Readers::Private)
}

fn replace(path: &Utf8Path, content: &[u8], readers: Readers) -> Result<(), WriteError> {
    use std::os::unix::fs::PermissionsExt;
    let folder = path.parent().filter(|p| !p.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
    let write = || -> io::Result<()> {
        if kind(path) == Some(Kind::Special) {
            // A device or a pipe that is replaced is lost for everybody.
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        faults::step()?;
        let prefix = swap::left_over_prefix(path);
        let mut staged = tempfile::Builder::new().prefix(&prefix).tempfile_in(folder)?;
        let half = content.len() / 2;
        staged.write_all(&content[..half])?;
        faults::step()?;
        staged.write_all(&content[half..])?;
        let old = std::fs::metadata(path).ok().map(|meta| meta.permissions());
        let permissions = match (readers, old) {
            (Readers::Private, _) => std::fs::Permissions::from_mode(0o600),
            (Readers::Kept, Some(permissions)) => permissions,
            (Readers::Guarded, Some(old)) => std::fs::Permissions::from_mode(old.mode() & 0o644),
            (Readers::Kept | Readers::Guarded, None) => std::fs::Permissions::from_mode(0o644),
        };
        staged.as_file().set_permissions(permissions)?;
        faults::step()?;
        staged.as_file().sync_all()?;
        faults::step()?;
        staged.persist(path).map_err(|error| error.error)?;
        // The rename itself must survive a power cut.
        swap::sync_folder(folder)
    };
    write().map_err(WriteError::at(path))
}

/// How long a pipe or device may take nothing before a write to it is given up.
const STREAM_PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);

/// Writes to what is no regular file, such as `/dev/stdout` or a pipe of a shell: in place, since
/// it must not be replaced. Waits at most half a minute for a reader that takes nothing.
pub fn write_stream(path: &Utf8Path, content: &[u8]) -> Result<(), WriteError> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::os::unix::fs::OpenOptionsExt;
    let write = || -> io::Result<()> {
        let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits();
        let mut stream = std::fs::OpenOptions::new()
            .write(true)
            .custom_flags(i32::try_from(flags).unwrap_or_default())
            .open(path)?;
        let mut rest = content;
        while !rest.is_empty() {
            match stream.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let limit = Timespec::try_from(STREAM_PATIENCE).map_err(io::Error::other)?;
                    let mut waiting = [PollFd::new(&stream, PollFlags::OUT)];
                    if poll(&mut waiting, Some(&limit))? == 0 {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    };
    write().map_err(WriteError::at(path))
}

/// Writes a file for this user only (mode 0600). Whatever stood there is removed first, links not
/// followed. Not synced: for files of a run, which a crash may lose.
pub fn write_private(path: &Utf8Path, content: &[u8]) -> Result<(), WriteError> {
    use std::os::unix::fs::OpenOptionsExt;
    remove_file(path)?;
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(content))
        .map_err(WriteError::at(path))
}

/// Makes an empty file for this user only (mode 0600) where nothing stands yet.
pub fn create_new(path: &Utf8Path) -> Result<File, WriteError> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(path).map_err(WriteError::at(path))
}

/// Lets the owner of a file run it, and nobody else do anything with it.
pub fn make_executable(path: &Utf8Path) -> Result<(), WriteError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(path, mode).map_err(WriteError::at(path))
}

/// Creates a directory and its missing parents.
pub fn create_dir_all(path: &Utf8Path) -> Result<(), WriteError> {
    make_dirs(path, 0o755)
}

/// Nobody else may write to a folder that is made, whatever the umask.
fn make_dirs(path: &Utf8Path, mode: u32) -> Result<(), WriteError> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(mode).create(path).map_err(WriteError::at(path))
}

/// Who may get at a file or a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Privacy {
    pub owned_by_us: bool,
    pub group_may_write: bool,
    pub others_may_write: bool,
}

/// Who may get at a directory, links not followed; `None` if it is none.
pub fn privacy(path: &Utf8Path) -> Option<Privacy> {
    std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_dir).map(|meta| of(&meta))
}

/// Who may get at a regular file, links not followed; `None` if it is none.
pub fn file_privacy(path: &Utf8Path) -> Option<Privacy> {
    std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file).map(|meta| of(&meta))
}

fn of(meta: &std::fs::Metadata) -> Privacy {
    use std::os::unix::fs::MetadataExt;
    Privacy {
        owned_by_us: meta.uid() == rustix::process::geteuid().as_raw(),
        group_may_write: meta.mode() & 0o020 != 0,
        others_may_write: meta.mode() & 0o002 != 0,
    }
}

/// Appends to a file, which is created for this user only if it is missing.
pub fn append(path: &Utf8Path, content: &[u8]) -> Result<(), WriteError> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits() as i32)
        .open(path)
        .and_then(|mut file| file.write_all(content))
        .map_err(WriteError::at(path))
}

/// Creates a directory for this user only (mode 0700), and its missing parents.
pub fn create_private_dir_all(path: &Utf8Path) -> Result<(), WriteError> {
    make_dirs(path, 0o700)
}

/// Gives a file another name in the same file system. What has that name is replaced.
pub fn rename(from: &Utf8Path, to: &Utf8Path) -> Result<(), WriteError> {
    std::fs::rename(from, to).map_err(WriteError::at(to))
}

/// Removes a file; one that is already gone is no error.
pub fn remove_file(path: &Utf8Path) -> Result<(), WriteError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(WriteError::at(path)),
    }
}

/// Removes a directory and all in it, links not followed; one that is already gone is no error.
pub fn remove_dir_all(path: &Utf8Path) -> Result<(), WriteError> {
    match faults::step().and_then(|()| std::fs::remove_dir_all(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(WriteError::at(path)),
    }
}
