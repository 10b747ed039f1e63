//! The rows of a list: what is in force or not, and what is recorded and gone.

use super::Discovery;
use crate::registry::{self, Composition, Row, Status};

/// Every row, as [`registry::rows`] gives them, with those whose files are gone.
pub fn rows(composition: &Composition, discovery: &Discovery) -> Vec<Row> {
    let mut rows = registry::rows(composition);
    rows.extend(discovery.missing.iter().map(|missing| {
        let (id, scope) = (&missing.id, missing.scope);
        Row {
            id: id.to_string(),
            scope: scope.word(),
            status: Status::Missing,
            role: None,
            version: Some(missing.version.clone()),
            tier: None,
            title: None,
            reason: Some("its files are gone".to_owned()),
            reason_code: Some("missing"),
            remedy: Some(format!("gsd capability update {id} --scope {scope}")),
        }
    }));
    rows.sort_by(|a, b| (a.scope, &a.id, a.status).cmp(&(b.scope, &b.id, b.status)));
    rows
}
