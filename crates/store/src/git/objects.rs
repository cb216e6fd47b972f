//! The handle on the object store: one per [`Repository`], opened when first needed, with the caches that make a
//! walk over packed history cheap. It reads bytes and checks that they are what their name says.

use std::fmt;
use std::path::Path;
use std::sync::PoisonError;

use gix::objs::{Exists, Find, Kind};

use super::{GitError, ObjectId, ReadError, Repository};

/// No object of ours comes near this; larger ones are refused before memory is taken for them.
const LARGEST_OBJECT: usize = 64 * 1024 * 1024;

/// What the buffer may keep between reads; the rare large object gives its memory back.
const LARGEST_KEPT_BUFFER: usize = 1024 * 1024;

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
            alloc_limit_bytes: Some(LARGEST_OBJECT),
            ..Default::default()
        };
        let replacements = None::<(gix::ObjectId, gix::ObjectId)>;
        let mut handle = gix::odb::at_opts(directory, hash, replacements, options)
            .map_err(|source| GitError::broken(directory, source))?;
        handle.set_pack_cache(|| Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(PACK_CACHE)));
        Ok(Self { handle, buffer: Vec::new() })
    }

    /// Returns the bytes of an object of the kind asked for.
    fn read(&mut self, id: gix::ObjectId, kind: Kind, limit: u64) -> Result<&[u8], ReadError> {
        if self.buffer.capacity() > LARGEST_KEPT_BUFFER {
            self.buffer = Vec::new();
        }
        let limit = limit.min(LARGEST_OBJECT as u64);
        let found = match self.handle.try_find(&id, &mut self.buffer) {
            Ok(Some(found)) => found,
            Ok(None) => return Err(ReadError::Missing { id: ObjectId(id) }),
            Err(error) if error.is_resource_exhausted() => return Err(too_large(id, limit)),
            Err(error) => return Err(damaged(id, error.to_string())),
        };
        if found.kind != kind {
            return Err(damaged(id, format!("it is a {}, not a {kind}", found.kind)));
        }
        if found.data.len() as u64 > limit {
            return Err(too_large(id, limit));
        }
        let actual = gix::objs::compute_hash(id.kind(), kind, found.data);
        let actual = actual.map_err(|error| damaged(id, error.to_string()))?;
        if actual != id {
            return Err(damaged(id, format!("its content is that of `{}`", actual.to_hex())));
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
        let mut slot = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let objects = match &mut *slot {
            Some(objects) => objects,
            empty => empty.insert(Objects::open(&self.objects_dir(), self.format.hash)?),
        };
        match objects.read(id, kind, limit) {
            Ok(bytes) => return use_bytes(bytes),
            // A pack that was replaced under us, or more packs than there was room for, looks like damage once.
            Err(ReadError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
        let objects = slot.insert(Objects::open(&self.objects_dir(), self.format.hash)?);
        objects.read(id, kind, limit).and_then(use_bytes)
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

pub(super) fn damaged(id: gix::ObjectId, why: String) -> ReadError {
    ReadError::Damaged { id: ObjectId(id), source: why.into() }
}

pub(super) fn too_large(id: gix::ObjectId, limit: u64) -> ReadError {
    ReadError::TooLarge { id: ObjectId(id), limit }
}
