//! Whether the capability works with the host that this gsd is.

use super::{MAX_SHOWN, Refusal};
use crate::manifest::{HOST_CONTRACT, Range};
use crate::text::printable;
use semver::Version;
use serde_json::Value;

/// Looks at the raw manifest, so that it is said also where other things are wrong. A range that is
/// none is a fault of the manifest.
pub(super) fn check(manifest: &Value) -> Option<Refusal> {
    let range = manifest.get("engines")?.get("gsd")?.as_str()?;
    let host = Version::parse(HOST_CONTRACT).expect("the constant is a version");
    if Range::parse(range).ok()?.contains(&host) {
        return None;
    }
    let range = printable(range, MAX_SHOWN);
    let mut message = format!("its engines.gsd is `{range}`, and this host is {HOST_CONTRACT}");
    let older = manifest.get("compatVersions").and_then(Value::as_object);
    let fits = |(version, range): (&String, &Value)| {
        let range = Range::parse(range.as_str()?).ok()?;
        range.contains(&host).then(|| Version::parse(version).ok())?
    };
    let remedy = match older.into_iter().flatten().filter_map(fits).max() {
        Some(version) => {
            message.push_str(&format!(" (compatVersions offers {version} for it)"));
            format!("install version {version} of it")
        }
        None => "update gsd, or ask its author for a version for this host".to_owned(),
    };
    Some(Refusal::new("engines", message, remedy))
}

#[cfg(test)]
mod tests {
    use super::check;
    use serde_json::json;

    #[test]
    fn a_range_that_leaves_this_host_out_is_named_with_the_version_that_fits() {
        let manifest = json!({
            "engines": { "gsd": ">=99.0.0" },
            "compatVersions": {
                "0.9.0": ">=1.0.0", "0.10.0": ">=1.0.0 <2.0.0", "1.0.0": ">=98.0.0", "odd": "*", "2.0.0": 3,
            },
        });
        let refusal = check(&manifest).expect("it does not fit");
        assert_eq!(
            refusal.message,
            "its engines.gsd is `>=99.0.0`, and this host is 1.11.0 (compatVersions offers 0.10.0 for it)"
        );
        let alone = json!({ "engines": { "gsd": ">=99.0.0" } });
        assert!(!check(&alone).expect("it does not fit").message.contains("compatVersions"));
        for fits in [
            json!({}),
            json!({ "engines": null }),
            json!({ "engines": { "gsd": "*" } }),
            json!({ "engines": { "gsd": "odd" } }),
        ] {
            assert!(check(&fits).is_none(), "{fits}");
        }
    }
}
