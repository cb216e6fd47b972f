//! Publishing: objects and the move of a ref reach the database in one transaction, then the clone follows.

use std::time::Instant;

use database::refs::{Announcement, ObjectKind, Publication, PublishError, PublishOutcome, StoredObject};

use super::{DatabaseRefs, KnownRef};
use crate::git::{CommitId, MoveError, ObjectId, ObjectType, RawObject, ReadError, Repository};
use crate::open::StoreError;
use crate::shared::{PublishRefError, RefMove, SharedRefs as _};

impl DatabaseRefs {
    /// Publishes objects; `follow` brings the clone after them.
    pub(super) fn publish_objects(
        &self,
        to: &RefMove<'_>,
        n_objects: usize,
        read: &dyn Fn(usize) -> Result<StoredObject, ReadError>,
        follow: impl FnOnce() -> Result<(), MoveError>,
    ) -> Result<(), PublishRefError> {
        let asked_at = Instant::now();
        let _publishing = self.publishing.lock();
        *self.own_tip.lock() = Some(to.to);
        let has_turn = self.turn.lock().is_some();
        let published = self.database.publish(&Publication {
            name: to.name.as_str(),
            from: to.shared_from.as_ref().map(CommitId::as_bytes),
            to: to.to.as_bytes(),
            n_objects,
            read,
        });
        // Others need not wait until this clone has followed.
        self.end_turn();
        let seq = match published {
            Ok(PublishOutcome::Published { seq, is_turn_taken }) => {
                // A server whose turn this was has lost it. Without turns here too, it would lose every time.
                if is_turn_taken && !has_turn {
                    self.note_other_publisher();
                }
                seq
            }
            Ok(PublishOutcome::Moved) => {
                self.note_other_publisher();
                self.forget_freshness();
                return Err(MoveError::Moved { name: to.name.clone() }.into());
            }
            Err(PublishError::Object(error)) => return Err(StoreError::from(error).into()),
            Err(PublishError::Database(error)) => return Err(StoreError::from(error).into()),
            Err(PublishError::Unknown(error)) => return Err(StoreError::OutcomeUnknown(error).into()),
        };
        // Acknowledged from here on. Another thread may have caught up with this commit already, or another program
        // may have moved the clone's ref: the next catch-up settles that.
        let followed = follow();
        self.learn(to.name, KnownRef::new(seq, Some(to.to), asked_at));
        if let Err(error) = followed {
            tracing::debug!(%error, name = %to.name, "the ref of the clone did not follow its publication");
            // Also for a read that may be old: nobody may lose sight of a write that was acknowledged here.
            self.forget_freshness();
        }
        Ok(())
    }

    /// Returns whether the clone has everything that was announced. Waits for a publication that is under way: its
    /// announcement may arrive before its answer.
    pub(in crate::shared) fn has_announced(&self, payloads: &[String]) -> bool {
        let _publishing = self.publishing.lock();
        let known = self.known.lock();
        let has = |announced: Announcement<'_>| {
            known.iter().any(|(name, known)| name.as_str() == announced.name && known.seq >= announced.seq)
        };
        payloads.iter().all(|payload| Announcement::parse(payload).is_some_and(has))
    }

    /// Remembers that another server publishes too.
    pub(super) fn note_other_publisher(&self) {
        *self.others_published_at.lock() = Some(Instant::now());
    }
}

pub(super) fn read_object(repository: &Repository, id: &ObjectId, tip: CommitId) -> Result<StoredObject, ReadError> {
    repository.read_object(id).map(|object| stored_object(object, tip))
}

pub(super) fn stored_object(object: RawObject, tip: CommitId) -> StoredObject {
    let kind = match object.kind {
        ObjectType::Commit => ObjectKind::Commit,
        ObjectType::Tree => ObjectKind::Tree,
        ObjectType::Blob => ObjectKind::Blob,
    };
    let is_tip = object.id == ObjectId::from(tip);
    StoredObject { kind, id: object.id.as_bytes().to_vec(), content: object.bytes, is_tip }
}
