//! Connects a clone with a database, for all stores that this process opens on it.
//!
//! The connection is found by the clone's directory, not passed along: whoever opens the repository in this process must
//! use it, or a write would go past the database.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use database::Database;
use parking_lot::Mutex;

use super::database_refs::DatabaseRefs;
use super::follow::Follower;
use super::{CloneAlone, ShareOptions, SharedRefsHandle, identity};
use crate::git::Repository;
use crate::open::{Listener, Store, StoreError};

/// The connected clones of this process, by common git directory.
static CONNECTED: Mutex<BTreeMap<PathBuf, Weak<DatabaseRefs>>> = Mutex::new(BTreeMap::new());

/// A connected clone, until it is dropped.
pub struct Shared {
    refs: Arc<DatabaseRefs>,
    clone: PathBuf,
    repository: Repository,
    follower: Follower,
}

/// Connects the clone that contains `start` with a database: fills an empty one, joins a filled one, and refuses one of
/// another project.
pub fn share(
    start: &Path,
    database: Arc<Database>,
    options: ShareOptions,
    listener: Listener,
) -> Result<Shared, StoreError> {
    database.migrate()?;
    let repository = Repository::discover(start)?;
    identity::claim_or_check(&database, &repository)?;
    let refs = Arc::new(DatabaseRefs::new(database, options));
    let clone = repository.common_dir().to_owned();
    CONNECTED.lock().insert(clone.clone(), Arc::downgrade(&refs));
    let mut shared = Shared { refs: Arc::clone(&refs), clone, repository, follower: Follower::idle() };
    let store = Store::open(start, Arc::clone(&listener))?;
    let notes = store.notes_ref(None)?;
    store.follow_shared_notes(&notes)?;
    refs.begin_unsynced(&shared.repository)?;
    shared.follower = Follower::start(refs, start.to_owned(), notes, listener);
    Ok(shared)
}

impl Shared {
    /// Returns the database.
    pub fn database(&self) -> &Arc<Database> {
        &self.refs.database
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Before the clone counts as alone: its stores must not write past the database.
        self.follower.stop();
        if let Err(error) = self.refs.end_unsynced(&self.repository) {
            // The note stays, and whoever writes to the clone next tries again.
            tracing::warn!(%error, "cannot sync the log of the clone");
        }
        let mut connected = CONNECTED.lock();
        let is_ours = |one: &Weak<DatabaseRefs>| one.ptr_eq(&Arc::downgrade(&self.refs));
        if connected.get(&self.clone).is_some_and(is_ours) {
            connected.remove(&self.clone);
        }
    }
}

/// Returns where the refs of a repository are shared.
pub(crate) fn shared_refs_of(repository: &Repository) -> SharedRefsHandle {
    let connected = CONNECTED.lock().get(repository.common_dir()).and_then(Weak::upgrade);
    match connected {
        Some(refs) => refs,
        None => Arc::new(CloneAlone),
    }
}
