//! The handle on the object store: one per [`Repository`], opened when first needed, with the caches that make a
//! walk over packed history cheap. It reads bytes and checks that they are what their name says.
//!
//! A failure of the system (too many open files, a disk error, no memory) is an error of its own: it must never pass for
//! a missing, a damaged or a large object, because callers remember those.

use std::collections::TryReserveError;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::PoisonError;

use gix::error::{Class, ResourceExhaustionKind};
use gix::objs::{Exists, Find, Kind};

use super::{GitError, ObjectId, ReadError, Repository};

/// No object of ours comes near this; larger ones are refused before memory is taken for them.
const MAX_OBJECT: usize = 64 * 1024 * 1024;

/// What the buffer may keep between reads; the rare large object gives its memory back.
const MAX_KEPT_BUFFER: usize = 1024 * 1024;

/// Commits that follow one another are deltas of one another: this many bytes of bases keep each to one step.
const PACK_CACHE: usize = 16 * 1024 * 1024;

/// An open object store and the buffer that reads reuse.
pub(super) struct Objects {
    handle: gix::odb::Handle,
    buffer: Vec<u8>,
}

impl Objects {
    fn open(directory: &Path, hash: gix::hash::Kind) -> Result<Self, GitError> {
        let options = gix::odb::store::init::Options {
            // Room for packs that arrive while a long-lived process runs; beyond it, the store is opened anew.
            slots: gix::odb::store::init::Slots::AsNeededByDiskState { multiplier: 2.0, minimum: 64 },
            alloc_limit_bytes: Some(MAX_OBJECT),
            ..Default::default()
        };
        let replacements = None::<(gix::ObjectId, gix::ObjectId)>;
        let mut handle = gix::odb::at_opts(directory, hash, replacements, options)
            .map_err(|source| GitError::broken(directory, source))?;
        handle.set_pack_cache(|| Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(PACK_CACHE)));
        Ok(Self { handle, buffer: Vec::new() })
    }

    /// Returns the bytes of an object of the kind asked for, or of any kind.
    fn read(&mut self, id: gix::ObjectId, kind: Option<Kind>, limit: u64) -> Result<&[u8], ReadError> {
        if self.buffer.capacity() > MAX_KEPT_BUFFER {
            self.buffer = Vec::new();
        }
        let limit = limit.min(MAX_OBJECT as u64);
        let found = match self.handle.try_find(&id, &mut self.buffer) {
            Ok(Some(found)) => found,
            Ok(None) => return Err(ReadError::Missing { id: ObjectId(id) }),
            Err(error) => return Err(classify(id, limit, &error)),
        };
        if found.data.len() as u64 > limit {
            return Err(too_large(id, limit));
        }
        let actual = gix::objs::compute_hash(id.kind(), found.kind, found.data);
        let actual = actual.map_err(|error| damaged(id, error.to_string()))?;
        if actual != id {
            return Err(damaged(id, format!("its content is that of `{}`", actual.to_hex())));
        }
        // Checked after the hash: these bytes are the object, so no later read can give another answer.
        if let Some(kind) = kind.filter(|kind| found.kind != *kind) {
            return Err(malformed(id, format!("it is a {}, not a {kind}", found.kind)));
        }
        Ok(&self.buffer)
    }
}

impl Clone for Objects {
    fn clone(&self) -> Self {
        Self { handle: self.handle.clone(), buffer: Vec::new() }
    }
}

impl fmt::Debug for Objects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Objects").finish_non_exhaustive()
    }
}

impl Repository {
    /// Reads one object and hands its bytes to `use_bytes`.
    pub(super) fn with_object<T>(
        &self,
        id: gix::ObjectId,
        kind: Kind,
        limit: u64,
        use_bytes: impl FnOnce(&[u8]) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.with_object_of(id, Some(kind), limit, use_bytes)
    }

    /// Tells whether an object that could not be read before can be read now, or is known to be of no use.
    pub fn has_come_back(&self, id: &ObjectId) -> Result<bool, GitError> {
        match self.with_object_of(id.0, None, u64::MAX, |_| Ok(())) {
            Ok(()) => Ok(true),
            Err(ReadError::Git(error)) => Err(error),
            Err(error) => Ok(error.is_final()),
        }
    }

    /// Tells whether an object is there, but not with the bytes that its name promises.
    pub(super) fn is_damaged(&self, id: &ObjectId) -> Result<bool, GitError> {
        match self.with_object_of(id.0, None, u64::MAX, |_| Ok(())) {
            Err(ReadError::Git(error)) => Err(error),
            other => Ok(matches!(other, Err(ReadError::Damaged { .. }))),
        }
    }

    fn with_object_of<T>(
        &self,
        id: gix::ObjectId,
        kind: Option<Kind>,
        limit: u64,
        use_bytes: impl FnOnce(&[u8]) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let mut slot = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let objects = match &mut *slot {
            Some(objects) => objects,
            empty => empty.insert(Objects::open(&self.objects_dir(), self.format.hash)?),
        };
        match objects.read(id, kind, limit) {
            Ok(bytes) => return use_bytes(bytes),
            Err(error @ (ReadError::TooLarge { .. } | ReadError::Malformed { .. })) => return Err(error),
            Err(error @ ReadError::Missing { .. }) if !self.is_present(&id)? => return Err(error),
            // A pack that was replaced under us, more packs than there was room for, or a pack index that could not be
            // opened once (gix then takes its objects for missing): a new handle knows nothing of that.
            Err(_) => {}
        }
        let objects = slot.insert(Objects::open(&self.objects_dir(), self.format.hash)?);
        let error = match objects.read(id, kind, limit) {
            Ok(bytes) => return use_bytes(bytes),
            Err(ReadError::Missing { .. }) => unreadable(id, "it is there, but could not be opened".to_owned()),
            Err(error) => error,
        };
        if matches!(error, ReadError::Git(_)) {
            *slot = None;
        }
        Err(error)
    }

    /// Tells whether an object is in the store, without reading it.
    pub(super) fn has_object(&self, id: &gix::oid) -> Result<bool, GitError> {
        let mut slot = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none() {
            *slot = Some(Objects::open(&self.objects_dir(), self.format.hash)?);
        }
        Ok(slot.as_ref().is_some_and(|objects| objects.handle.exists(id)))
    }
}

/// Sorts a failed read: our own limit, a failure of the system, or damage.
fn classify(id: gix::ObjectId, limit: u64, error: &gix::Error) -> ReadError {
    let is_system = |error: &(dyn std::error::Error + 'static)| {
        error.is::<TryReserveError>() || error.downcast_ref::<io::Error>().is_some_and(is_system_error)
    };
    let has_class = |kind| error.classify().has(Class::ResourceExhaustion(kind));
    if error.iter_errors().any(is_system) || has_class(ResourceExhaustionKind::AllocationFailure) {
        return unreadable(id, describe(error));
    }
    if has_class(ResourceExhaustionKind::AllocationLimit) {
        return too_large(id, limit);
    }
    damaged(id, describe(error))
}

/// Tells apart what the system says from what a decoder says about bytes it was given.
fn is_system_error(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};

    let is_decoding = matches!(error.kind(), InvalidData | InvalidInput | Other | UnexpectedEof);
    error.raw_os_error().is_some() || !is_decoding
}

/// Returns an error with its causes on one line.
pub(super) fn describe(error: &gix::Error) -> String {
    let mut texts: Vec<String> = error.iter_errors().map(ToString::to_string).collect();
    texts.dedup();
    texts.join(": ")
}

pub(super) fn damaged(id: gix::ObjectId, why: String) -> ReadError {
    ReadError::Damaged { id: ObjectId(id), source: why.into() }
}

pub(super) fn malformed(id: gix::ObjectId, why: String) -> ReadError {
    ReadError::Malformed { id: ObjectId(id), source: why.into() }
}

fn too_large(id: gix::ObjectId, limit: u64) -> ReadError {
    ReadError::TooLarge { id: ObjectId(id), limit }
}

fn unreadable(id: gix::ObjectId, why: String) -> ReadError {
    ReadError::Git(GitError::Unreadable { id: ObjectId(id), source: why.into() })
}
