//! An index of the archives in a folder, which can then be published as it is.

use super::super::integrity::Integrity;
use super::super::unpack::bundle_of;
use super::index::SCHEMA;
use crate::id::CapabilityId;
use camino::{Utf8Path, Utf8PathBuf};
use gsd_io::archive::{self, ArchiveError};
use gsd_io::cancel::Cancel;
use gsd_io::fs::{self, Kind, Links, ReadError};
use gsd_io::tree::TreeWriter;
use semver::Version;
use serde_json::{Map, Value, json};

use super::super::fetch::Limits;

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("`{folder}` holds no archive; `gsd capability pack PATH` makes them")]
    Empty { folder: Utf8PathBuf },
    #[error("`{file}` cannot be unpacked")]
    Archive { file: String, source: ArchiveError },
    #[error("`{file}` holds no bundle: {why}")]
    NoBundle { file: String, why: String },
    #[error("`{file}` and `{other}` are both {id} {version}")]
    Twice { file: String, other: String, id: String, version: String },
    #[error(transparent)]
    Scratch(#[from] gsd_io::fs::WriteError),
}

/// No registry of one folder has more.
const MAX_ARCHIVES: usize = 10_000;

/// Looks into every `.tgz` of a folder. `scratch` is an empty folder of the caller.
pub fn build_index(
    folder: &Utf8Path,
    scratch: &Utf8Path,
    cancel: &Cancel,
) -> Result<Value, BuildError> {
    let mut capabilities: Map<String, Value> = Map::new();
    let entries = fs::list(folder, MAX_ARCHIVES)?;
    let archives = entries
        .iter()
        .filter(|entry| matches!(entry.kind, Kind::File { .. }) && entry.name.ends_with(".tgz"));
    for (index, entry) in archives.enumerate() {
        let file = &entry.name;
        let bytes = fs::read_bounded(&folder.join(file), Limits::MOST.bytes, Links::Refuse)?;
        let unpacked = scratch.join(index.to_string());
        let (id, version, engines) = identity(file, &bytes, &unpacked, cancel)?;
        fs::remove_dir_all(&unpacked)?;
        let mut release = json!({
            "source": file,
            "integrity": Integrity::of(&bytes).to_string(),
        });
        if let Some(engines) = engines {
            release["engines"] = json!({ "gsd": engines });
        }
        let capability =
            capabilities.entry(id.to_string()).or_insert_with(|| json!({ "versions": {} }));
        if let Some(other) = capability["versions"].get(&version) {
            let other = other["source"].as_str().unwrap_or_default().to_owned();
            let (file, id) = (file.clone(), id.to_string());
            return Err(BuildError::Twice { file, other, id, version });
        }
        capability["versions"][version] = release;
    }
    if capabilities.is_empty() {
        return Err(BuildError::Empty { folder: folder.to_owned() });
    }
    capabilities.sort_keys();
    Ok(json!({ "schema": SCHEMA, "capabilities": capabilities }))
}

/// What the manifest in an archive says that it is: id, version and the hosts that it works with.
fn identity(
    file: &str,
    bytes: &[u8],
    unpacked: &Utf8Path,
    cancel: &Cancel,
) -> Result<(CapabilityId, String, Option<String>), BuildError> {
    let failed = |source| BuildError::Archive { file: file.to_owned(), source };
    let none = |why: String| BuildError::NoBundle { file: file.to_owned(), why };
    let mut tree = TreeWriter::new(unpacked, Limits::MOST.tree(), cancel)
        .map_err(|error| failed(error.into()))?;
    archive::unpack(&mut &*bytes, &mut tree).map_err(failed)?;
    let below = bundle_of(&tree.finish().files, file).map_err(|error| none(error.to_string()))?;
    let manifest = fs::read_bounded(
        &unpacked.join(below).join("capability.json"),
        Limits::MOST.bytes,
        Links::Refuse,
    )?;
    let manifest: Value =
        serde_json::from_slice(&manifest).map_err(|_| none("its manifest is not JSON".into()))?;
    let id = manifest["id"].as_str().unwrap_or_default();
    let id = CapabilityId::parse(id).map_err(|error| none(format!("its id is not {error}")))?;
    let version = manifest["version"].as_str().unwrap_or_default();
    let version = Version::parse(version)
        .map_err(|_| none("its version is no semantic version".into()))?
        .to_string();
    let engines = manifest["engines"]["gsd"].as_str().map(str::to_owned);
    Ok((id, version, engines))
}
