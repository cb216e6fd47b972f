//! The handle of the object store: one per [`Repository`], opened on first use, with caches that make a walk over
//! packed history cheap. It checks that the bytes of an object match its id.
//!
//! An I/O error (too many open files, a disk error, no memory) has its own error: it must never be reported as a
//! missing, damaged or large object, because callers remember those.

use std::collections::TryReserveError;
use std::fmt;
use std::io;
use std::path::Path;

use gix::error::{Class, ResourceExhaustionKind};
use gix::objs::{Exists, Find, Kind};

use super::gix;
use super::{GitError, ObjectId, ReadError, Repository};

/// Maximum size of an object; larger ones are refused before memory is allocated.
const MAX_OBJECT: usize = 64 * 1024 * 1024;

/// Buffer capacity that is kept between reads; the memory of a rare large object is freed.
const MAX_KEPT_BUFFER: usize = 1024 * 1024;

/// Consecutive commits are deltas of one another: a cache of this many bytes of delta bases keeps each read to one
/// step.
const PACK_CACHE: usize = 16 * 1024 * 1024;

/// An open object store with a reused buffer.
pub(super) struct Objects {
    handle: gix::odb::Handle,
    buffer: Vec<u8>,
}

impl Objects {
    fn open(directory: &Path, hash: gix::hash::Kind) -> Result<Self, GitError> {
        let options = gix::odb::store::init::Options {
            // Room for packs that arrive while a long-lived process runs; beyond it, the store is reopened.
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

    /// Returns the bytes of an object of the given kind, or of any kind.
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
        // Checked after the hash: these bytes are the object, so a retry would give the same result.
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
    /// Reads an object and passes its bytes to `use_bytes`.
    pub(super) fn with_object<T>(
        &self,
        id: gix::ObjectId,
        kind: Kind,
        limit: u64,
        use_bytes: impl FnOnce(&[u8]) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.with_object_of(id, Some(kind), limit, use_bytes)
    }

    /// Returns whether an object that was unreadable can be read now, or is final in the sense of
    /// [`ReadError::is_final`].
    pub(crate) fn has_come_back(&self, id: &ObjectId) -> Result<bool, GitError> {
        match self.with_object_of(id.0, None, u64::MAX, |_| Ok(())) {
            Ok(()) => Ok(true),
            Err(ReadError::Git(error)) => Err(error),
            Err(error) => Ok(error.is_final()),
        }
    }

    /// Returns whether an object exists but its bytes do not match its id.
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
        let mut slot = self.objects.lock();
        let objects = match &mut *slot {
            Some(objects) => objects,
            empty => empty.insert(Objects::open(&self.objects_dir(), self.format.hash)?),
        };
        match objects.read(id, kind, limit) {
            Ok(bytes) => return use_bytes(bytes),
            Err(error @ (ReadError::TooLarge { .. } | ReadError::Malformed { .. })) => return Err(error),
            Err(error @ ReadError::Missing { .. }) if !self.is_present(&id)? => return Err(error),
            // A pack was replaced, there are more packs than slots, or a pack index could not be opened once (gix then
            // treats its objects as missing). A new handle does not have these problems.
            Err(_) => {}
        }
        let objects = slot.insert(Objects::open(&self.objects_dir(), self.format.hash)?);
        let error = match objects.read(id, kind, limit) {
            Ok(bytes) => return use_bytes(bytes),
            Err(ReadError::Missing { .. }) => unreadable(id, "it exists, but could not be opened".to_owned()),
            Err(error) => error,
        };
        if matches!(error, ReadError::Git(_)) {
            // The next read opens the store again.
            *slot = None;
        }
        Err(error)
    }

    /// Returns whether an object is in the store, without reading it.
    pub(super) fn has_object(&self, id: &gix::oid) -> Result<bool, GitError> {
        let mut slot = self.objects.lock();
        if slot.is_none() {
            *slot = Some(Objects::open(&self.objects_dir(), self.format.hash)?);
        }
        Ok(slot.as_ref().is_some_and(|objects| objects.handle.exists(id)))
    }
}

/// Classifies a failed read: our own limit, an I/O error, or damage.
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

/// Distinguishes errors of the system from errors of a decoder.
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
