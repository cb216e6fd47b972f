//! Checks a database: every object is there under its number and has the bytes that its id names, refers only to objects
//! before it, and the tip is the last one.

use std::collections::HashSet;

use database::Database;

use super::database_refs::{commit_id, raw_object};
use crate::git::{RefName, Repository};
use crate::open::StoreError;

/// Maximum number of problems reported per ref.
const MAX_PROBLEMS: usize = 20;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseCheck {
    /// One for each shared ref.
    pub refs: Vec<RefCheck>,
}

/// The result for one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefCheck {
    /// Its name.
    pub name: String,
    /// Its commit.
    pub tip: Option<String>,
    /// The number of its objects.
    pub n_objects: i64,
    /// What is wrong, the first few.
    pub problems: Vec<String>,
}

impl DatabaseCheck {
    /// Returns whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.refs.iter().all(|one| one.problems.is_empty())
    }
}

/// Checks all refs of a database with the object format of a repository.
pub fn verify_database(repository: &Repository, database: &Database) -> Result<DatabaseCheck, StoreError> {
    let mut refs = Vec::new();
    for name in database.ref_names()? {
        refs.push(verify_ref(repository, database, &name)?);
    }
    Ok(DatabaseCheck { refs })
}

fn verify_ref(repository: &Repository, database: &Database, name: &str) -> Result<RefCheck, StoreError> {
    let state = database.ref_state(name)?;
    let mut check = RefCheck { name: name.to_owned(), tip: None, n_objects: state.seq, problems: Vec::new() };
    let Ok(reference) = name.parse::<RefName>() else {
        check.problems.push(format!("`{name}` is not a name of a ref"));
        return Ok(check);
    };
    let (mut seen, mut last_tip) = (HashSet::new(), None);
    let walked = database.objects_between(name, 0, state.seq, |seq, object| {
        last_tip = if object.is_tip { Some(object.id.clone()) } else { None };
        let object = raw_object(&reference, object)?;
        let mut found = Vec::new();
        if let Err(error) = repository.verify_object(&object) {
            found.push(format!("object {seq}: {error}"));
        } else {
            let missing = repository.references(&object)?.into_iter().find(|id| !seen.contains(id));
            found.extend(
                missing.map(|id| format!("object {seq}: `{}` refers to `{id}`, which is not before it", object.id)),
            );
        }
        seen.insert(object.id);
        check.problems.extend(found.into_iter().take(MAX_PROBLEMS - check.problems.len().min(MAX_PROBLEMS)));
        Ok::<_, StoreError>(())
    });
    match walked {
        Err(StoreError::Database(error)) if error.kind() == database::DatabaseErrorKind::Damaged => {
            check.problems.push(error.to_string());
        }
        walked => walked?,
    }
    check.tip = state.tip.as_deref().map(|tip| commit_id(&reference, tip)).transpose()?.map(|tip| tip.to_string());
    if last_tip != state.tip {
        check.problems.push("the tip is not the last object".to_owned());
    }
    Ok(check)
}
