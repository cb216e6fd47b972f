//! The database that several servers share: connects a clone with it, and reports its state.

use std::path::Path;
use std::sync::Arc;

use database::{Database, LATEST, SchemaState};
use store::git::{CommitId, RefName, Repository};
use store::shared::{RefCheck, verify_database};
pub use store::shared::{ShareOptions, Shared, WhenAway};

use crate::Listener;
use crate::error::Error;
use crate::view::{CheckOutcome, CheckView, DatabaseView, SharedRefView};

/// Connects the clone that contains `place` with a database, for everything that this process opens on it, until the
/// result is dropped: fills an empty database, joins a filled one, refuses one of another project.
pub fn share(
    place: &Path,
    database: Arc<Database>,
    options: ShareOptions,
    listener: Listener,
) -> Result<Shared, Error> {
    Ok(store::shared::share(place, database, options, listener)?)
}

/// Compares a database with the clone that contains `place`. Changes nothing.
pub fn database_status(place: &Path, database: &Database) -> Result<DatabaseView, Error> {
    let repository = Repository::discover(place)?;
    let (schema, version) = match database.schema()? {
        SchemaState::Missing => ("missing", None),
        SchemaState::Outdated(version) => ("outdated", Some(version)),
        SchemaState::Current => ("current", Some(LATEST)),
        SchemaState::Newer(version) => ("newer", Some(version)),
    };
    let refs = if schema == "current" { shared_refs(&repository, database)? } else { Vec::new() };
    Ok(DatabaseView { address: database.address().to_string(), schema: schema.to_owned(), version, refs })
}

fn shared_refs(repository: &Repository, database: &Database) -> Result<Vec<SharedRefView>, Error> {
    let mut refs = Vec::new();
    for name in database.ref_names()? {
        let state = database.ref_state(&name)?;
        let shared = state.tip.as_deref().and_then(|tip| CommitId::from_bytes(tip).ok());
        let here = name.parse::<RefName>().ok().map(|name| repository.read_ref(&name)).transpose()?.flatten();
        refs.push(SharedRefView {
            name,
            tip: shared.map(|tip| tip.to_string()),
            clone_tip: here.map(|tip| tip.to_string()),
            objects: state.seq,
            same: shared == here,
        });
    }
    Ok(refs)
}

/// Checks the objects, their order and the tips in a database, for `doctor`.
pub fn check_database(place: &Path, database: &Database) -> Result<Vec<CheckView>, Error> {
    let repository = Repository::discover(place)?;
    let check = |outcome, text: String, hint: Option<&str>| CheckView {
        name: "database".to_owned(),
        outcome,
        text,
        hint: hint.map(str::to_owned),
    };
    if database.schema()? != SchemaState::Current {
        let hint = "`cairn database init` creates or updates them";
        return Ok(vec![check(
            CheckOutcome::Broken,
            format!("no current tables at `{}`", database.address()),
            Some(hint),
        )]);
    }
    let mut checks = Vec::new();
    for one in verify_database(&repository, database)?.refs {
        let RefCheck { name, n_objects, problems, .. } = one;
        if problems.is_empty() {
            checks.push(check(CheckOutcome::Ok, format!("{name}: {n_objects} objects, all whole and in order"), None));
        }
        let hint = Some("restore the database from a backup, or fill an empty one from a clone that is whole");
        checks.extend(problems.into_iter().map(|one| check(CheckOutcome::Broken, format!("{name}: {one}"), hint)));
    }
    if checks.is_empty() {
        checks.push(check(CheckOutcome::Ok, "empty".to_owned(), None));
    }
    Ok(checks)
}
