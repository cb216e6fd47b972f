//! Whether a database is that of this project. Its first server writes down which code the project is about; a clone of
//! other code, with a log of its own, is refused.

use database::refs::StoredProject;
use database::{Database, DatabaseError, DatabaseErrorKind};

use crate::git::{CommitId, RefName, Repository};
use crate::open::StoreError;

/// Claims an empty database for the project of a clone, or checks that it is this project's.
pub(super) fn claim_or_check(database: &Database, repository: &Repository) -> Result<(), StoreError> {
    let roots: Vec<String> = repository.code_roots()?.iter().map(CommitId::to_string).collect();
    let own = StoredProject { object_format: repository.object_format(), roots };
    database.claim_project(&own)?;
    // Read back: another server may have claimed it at the same moment.
    match database.project()? {
        Some(stored) => check(database, repository, &own, &stored),
        None => Ok(()),
    }
}

fn check(
    database: &Database,
    repository: &Repository,
    own: &StoredProject,
    stored: &StoredProject,
) -> Result<(), StoreError> {
    let refused = |why: String| Err(DatabaseError::new(DatabaseErrorKind::Refused, why).into());
    if own.object_format != stored.object_format {
        let (ours, theirs) = (&own.object_format, &stored.object_format);
        return refused(format!("the database has a project with {theirs} ids; this repository has {ours} ids"));
    }
    if own.roots.iter().any(|root| stored.roots.contains(root)) {
        return Ok(());
    }
    let has_log = log_tip(database)?.is_some();
    if !has_log && stored.roots.is_empty() || is_same_log(database, repository)? {
        // The first server may have had no code, or a shallow clone of it.
        return Ok(database.record_roots(&own.roots)?);
    }
    let is_other_code = !own.roots.is_empty() && !stored.roots.is_empty();
    let has_both_logs = has_log && repository.read_ref(&RefName::WORK)?.is_some();
    if is_other_code || has_both_logs {
        return refused(format!(
            "the database at `{}` belongs to another project: neither its code nor its log has a commit of this repository",
            database.address()
        ));
    }
    Ok(())
}

/// Returns whether both logs have a first commit in common.
fn is_same_log(database: &Database, repository: &Repository) -> Result<bool, StoreError> {
    let roots = repository.roots_of(RefName::WORK.as_str())?;
    let roots: Vec<&[u8]> = roots.iter().map(CommitId::as_bytes).collect();
    Ok(!roots.is_empty() && database.has_any_object(RefName::WORK.as_str(), &roots)?)
}

fn log_tip(database: &Database) -> Result<Option<CommitId>, StoreError> {
    let tip = database.ref_state(RefName::WORK.as_str())?.tip;
    tip.map(|tip| super::database_refs::commit_id(&RefName::WORK, &tip)).transpose()
}
