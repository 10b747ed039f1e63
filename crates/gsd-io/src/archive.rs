//! Archives: a tar, compressed or not, taken apart while it is read.
//!
//! Only plain files and folders are taken, into a [`TreeWriter`] that looks at every name. A link,
//! a device, a sparse file or a header that changes what follows it refuses the whole archive, and
//! so does whatever other programs would read differently: data after the end, an unfinished
//! member, a size that stands in two places.

use crate::tree::{TreeError, TreeWriter, shown};
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::rc::Rc;
use tar::{Archive, Entry, EntryType};

/// Why an archive is refused.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error("symlink or hardlink member `{path}`")]
    Link { path: String },
    #[error("`{path}` is {what}; only plain files and folders are taken")]
    NotPlain { path: String, what: &'static str },
    #[error("its headers {0}")]
    Header(&'static str),
    #[error("it is no archive: {0}")]
    Broken(String),
    #[error("it exceeds {max} bytes when it is unpacked")]
    TooLarge { max: u64 },
    #[error("it unpacks to more than {max} times its size")]
    Bomb { max: u64 },
}

/// No name and no extension of a header needs more.
const MAX_EXTENSION: u64 = 64 * 1024;
/// Text packs to a tenth, very even text to a hundredth; only an attack goes on from there.
const MAX_RATIO: u64 = 250;
/// What is smaller than this may well be a single repeated line.
const RATIO_JUDGED_FROM: u64 = 1 << 20;
/// For each member of an archive: its header, its name, and what fills its last block.
const PER_MEMBER: u64 = 4 * 512;

/// The reader of the format repeats names that it stumbles over.
fn broken(error: io::Error) -> ArchiveError {
    ArchiveError::Broken(shown(&error.to_string()))
}

/// Takes all members of a tar, which may be compressed with gzip, into the folder.
pub fn unpack(from: &mut dyn Read, to: &mut TreeWriter<'_>) -> Result<(), ArchiveError> {
    let packed = Rc::new(Cell::new(0));
    let mut from = BufReader::new(Counted { from, count: Rc::clone(&packed) });
    let is_gzip = io::BufRead::fill_buf(&mut from).map_err(broken)?.starts_with(&[0x1f, 0x8b]);
    let limits = to.limits();
    let most = limits.bytes.saturating_add(PER_MEMBER * (limits.entries as u64 + 8));
    let over = Rc::new(Cell::new(None));
    let bounded = |inner| Bounded {
        inner,
        packed: Rc::clone(&packed),
        unpacked: 0,
        most,
        over: Rc::clone(&over),
    };
    let result = if is_gzip {
        members(bounded(Box::new(MultiGzDecoder::new(from)) as Box<dyn Read + '_>), to)
    } else {
        members(bounded(Box::new(from)), to)
    };
    // What stopped the reading says more than that it stopped.
    match over.take() {
        Some(Over::Size) => Err(ArchiveError::TooLarge { max: limits.bytes }),
        Some(Over::Ratio) => Err(ArchiveError::Bomb { max: MAX_RATIO }),
        None => result,
    }
}

fn members(from: Bounded<'_>, to: &mut TreeWriter<'_>) -> Result<(), ArchiveError> {
    let mut archive = Archive::new(from);
    let mut long_name: Option<Vec<u8>> = None;
    let mut extensions = 0;
    let mut end = 0;
    for entry in archive.entries().map_err(broken)?.raw(true) {
        let mut entry = entry.map_err(broken)?;
        let kind = entry.header().entry_type();
        end =
            entry.raw_file_position().saturating_add(entry.size().saturating_add(511) / 512 * 512);
        match kind {
            EntryType::GNULongName => {
                if long_name.is_some() {
                    return Err(ArchiveError::Header("give one member two names"));
                }
                let mut name = extension(&mut entry)?;
                while name.last() == Some(&0) {
                    name.pop();
                }
                long_name = Some(name);
            }
            EntryType::XHeader => {
                if let Some(name) = pax_name(&extension(&mut entry)?)?
                    && long_name.replace(name).is_some()
                {
                    return Err(ArchiveError::Header("give one member two names"));
                }
            }
            EntryType::XGlobalHeader => {
                if pax_name(&extension(&mut entry)?)?.is_some() {
                    return Err(ArchiveError::Header("give all members one name"));
                }
            }
            _ => {
                extensions = 0;
                member(&mut entry, kind, long_name.take(), to)?;
                continue;
            }
        }
        // Headers without members would otherwise be counted by nobody.
        extensions += 1;
        if extensions > 4 {
            return Err(ArchiveError::Header("are longer than what they describe"));
        }
    }
    if long_name.is_some() {
        return Err(ArchiveError::Header("describe a member that is not there"));
    }
    let mut rest = archive.into_inner();
    only_zeros(&mut rest).map_err(broken)??;
    // Where it is cut between two members, nothing else tells.
    if rest.unpacked < end.saturating_add(512) {
        return Err(ArchiveError::Broken("it ends before its end".into()));
    }
    Ok(())
}

fn member(
    entry: &mut Entry<'_, Bounded<'_>>,
    kind: EntryType,
    long_name: Option<Vec<u8>>,
    to: &mut TreeWriter<'_>,
) -> Result<(), ArchiveError> {
    let name = match long_name {
        Some(name) => name,
        None => entry.header().path_bytes().into_owned(),
    };
    let Ok(name) = String::from_utf8(name) else {
        let why = "it is not UTF-8";
        let path = shown(&String::from_utf8_lossy(&entry.header().path_bytes()));
        return Err(TreeError::Name { path, why }.into());
    };
    let not_plain = |what| Err(ArchiveError::NotPlain { path: shown(&name), what });
    match kind {
        EntryType::Regular | EntryType::Continuous => {
            // The oldest archives mark a folder by nothing but its name.
            if name.ends_with('/') {
                return folder(&name, to);
            }
            let promised = entry
                .header()
                .entry_size()
                .map_err(|_| ArchiveError::Header("hold a size that is no number"))?;
            let mut read = Whole { inner: entry, left: promised };
            Ok(to.file(relative(&name), &mut read)?)
        }
        EntryType::Directory => {
            if entry.size() != 0 {
                return not_plain("a folder with content");
            }
            folder(&name, to)
        }
        EntryType::Link | EntryType::Symlink => Err(ArchiveError::Link { path: shown(&name) }),
        EntryType::Char | EntryType::Block => not_plain("a device"),
        EntryType::Fifo => not_plain("a FIFO"),
        EntryType::GNUSparse => not_plain("a sparse file"),
        _ => not_plain("of an unknown kind"),
    }
}

fn folder(name: &str, to: &mut TreeWriter<'_>) -> Result<(), ArchiveError> {
    let name = relative(name);
    // Some programs say that they begin: `./`.
    match name.strip_suffix('/').unwrap_or(name) {
        "" | "." => Ok(()),
        name => Ok(to.folder(name)?),
    }
}

/// `tar` writes `./` in front when it is asked to pack the current folder.
fn relative(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

fn extension(entry: &mut Entry<'_, Bounded<'_>>) -> Result<Vec<u8>, ArchiveError> {
    if entry.size() > MAX_EXTENSION {
        return Err(ArchiveError::Header("are too long"));
    }
    let mut content = vec![];
    entry.read_to_end(&mut content).map_err(broken)?;
    if content.len() as u64 != entry.size() {
        return Err(ArchiveError::Broken("it ends in the middle of a header".into()));
    }
    Ok(content)
}

/// The name in a pax header. What it says of owners, times and comments does not count; what
/// changes how the archive is read is refused.
fn pax_name(content: &[u8]) -> Result<Option<Vec<u8>>, ArchiveError> {
    let malformed = ArchiveError::Header("are no pax headers");
    let mut name = None;
    for (key, value) in pax_records(content).ok_or(malformed)? {
        match key {
            b"path" if name.is_some() => {
                return Err(ArchiveError::Header("give one member two names"));
            }
            b"path" => name = Some(value.to_vec()),
            b"size" => return Err(ArchiveError::Header("say twice how large a member is")),
            b"linkpath" => return Err(ArchiveError::Header("describe a link")),
            key if key.starts_with(b"GNU.sparse.") => {
                return Err(ArchiveError::Header("describe a sparse file"));
            }
            _ => {}
        }
    }
    Ok(name)
}

/// Records of the form `LENGTH KEY=VALUE` and a line end; the length counts itself.
fn pax_records(mut rest: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut records = vec![];
    while !rest.is_empty() {
        let blank = rest.iter().position(|byte| *byte == b' ')?;
        let digits = std::str::from_utf8(&rest[..blank]).ok()?;
        let length: usize = digits.parse().ok()?;
        let record = rest.get(blank + 1..length)?.strip_suffix(b"\n")?;
        let equals = record.iter().position(|byte| *byte == b'=')?;
        records.push((&record[..equals], &record[equals + 1..]));
        rest = &rest[length..];
    }
    Some(records)
}

/// Reads the rest, so that the checksum of the compression is checked as well.
fn only_zeros(from: &mut dyn Read) -> io::Result<Result<(), ArchiveError>> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(Ok(())),
            Ok(got) if buffer[..got].iter().all(|byte| *byte == 0) => {}
            Ok(_) => return Ok(Err(ArchiveError::Broken("it has data after its end".into()))),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A member that has to be as long as its header says.
struct Whole<'a, R> {
    inner: &'a mut R,
    left: u64,
}

impl<R: Read> Read for Whole<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.left = self.left.saturating_sub(got as u64);
        if got == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends here"));
        }
        Ok(got)
    }
}

/// Counts what is read.
struct Counted<'a> {
    from: &'a mut dyn Read,
    count: Rc<Cell<u64>>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.from.read(buffer)?;
        self.count.set(self.count.get() + got as u64);
        Ok(got)
    }
}

#[derive(Debug, Clone, Copy)]
enum Over {
    Size,
    Ratio,
}

/// Stops where more comes out than may, or much more than went in.
struct Bounded<'a> {
    inner: Box<dyn Read + 'a>,
    packed: Rc<Cell<u64>>,
    unpacked: u64,
    most: u64,
    over: Rc<Cell<Option<Over>>>,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.unpacked = self.unpacked.saturating_add(got as u64);
        let ratio = self.unpacked > RATIO_JUDGED_FROM
            && self.unpacked > self.packed.get().saturating_mul(MAX_RATIO);
        let over = match (self.unpacked > self.most, ratio) {
            (true, _) => Over::Size,
            (false, true) => Over::Ratio,
            (false, false) => return Ok(got),
        };
        self.over.set(Some(over));
        Err(io::Error::other("it is too large"))
    }
}
