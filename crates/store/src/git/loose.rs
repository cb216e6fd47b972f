//! Writes loose objects so that they are completely on disk, or can be restored from the write-ahead log, before anything
//! can point at them.
//!
//! Without the log, an object gets its name only after its bytes are synced: a power failure can then leave a stray temporary file,
//! which `git gc` removes by its `tmp_obj_` name, but never an empty object that blocks a later write of the same
//! object.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use gix::objs::Kind;
use gix::zlib::Compression;
use gix::zlib::stream::deflate;

use super::durable::{self, SyncTime};
use super::gix;
use super::{GitError, ObjectId, Repository};

/// How often a write is retried when its directory vanishes. `git gc` visits each directory once, so the second attempt
/// succeeds unless several of them run.
const MAX_ATTEMPTS: u32 = 64;

/// Objects up to this size are not compressed: they take one block of the disk in any case, and the tables of the compressor
/// take longer to allocate than such an object to write. Git compresses them when it packs them.
const MAX_STORED: usize = 3 * 1024;

/// Makes the names of temporary files unique within the process.
static NEXT_TEMPORARY: AtomicU64 = AtomicU64::new(0);

impl Repository {
    /// Writes an object durably and returns its id. An existing object is replaced by the same bytes.
    pub(super) fn write_object(&self, kind: Kind, bytes: &[u8]) -> Result<gix::ObjectId, GitError> {
        let id = self.object_id(kind, bytes)?;
        self.write_object_of(&id, kind, bytes, SyncTime::Now)?;
        Ok(id)
    }

    /// Returns the id of an object with this content.
    pub(super) fn object_id(&self, kind: Kind, bytes: &[u8]) -> Result<gix::ObjectId, GitError> {
        let id = gix::objs::compute_hash(self.format.hash, kind, bytes);
        id.map_err(|error| GitError::BadCommit { why: error.to_string() })
    }

    /// Writes an object whose id is known.
    pub(super) fn write_object_of(
        &self,
        id: &gix::oid,
        kind: Kind,
        bytes: &[u8],
        sync: SyncTime,
    ) -> Result<(), GitError> {
        let (path, compressed) = (self.loose_path(id), compress(kind, bytes));
        let mut n_attempts = 1;
        loop {
            match self.write_loose(&path, &compressed, sync) {
                // `git gc` removes empty directories, also between our `mkdir` and the first file in it.
                Err(GitError::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && n_attempts < MAX_ATTEMPTS =>
                {
                    n_attempts += 1;
                }
                written => return written,
            }
        }
    }

    fn write_loose(&self, path: &Path, compressed: &[u8], sync: SyncTime) -> Result<(), GitError> {
        let directory = path.parent().unwrap_or(path);
        durable::create_directory_with(directory, self.format.sharing, sync)?;
        let temporary = temporary_in(directory);
        let written = write_file(&temporary, compressed, sync)
            .and_then(|()| self.format.sharing.apply(&temporary))
            .and_then(|()| fs::rename(&temporary, path));
        if let Err(source) = written {
            // Report the first failure; git cleans up the stray file.
            let _ = fs::remove_file(&temporary);
            return Err(GitError::writing(path, source));
        }
        match sync {
            SyncTime::Now => durable::sync_directory(directory),
            SyncTime::Later => Ok(()),
        }
    }

    /// Moves damaged loose objects aside, because git does not fetch an object that exists. Nothing is deleted: they go
    /// to `cairn/damaged` in the common git directory.
    pub(crate) fn set_aside(&self, objects: &[ObjectId]) -> Result<(), GitError> {
        for id in objects {
            let path = self.loose_path(&id.0);
            if !self.is_damaged(id)? || !path.is_file() {
                continue;
            }
            let folder = self.common_dir().join("cairn").join("damaged");
            durable::create_directory(&folder, self.format.sharing)?;
            fs::rename(&path, folder.join(id.to_string())).map_err(|source| GitError::writing(&path, source))?;
        }
        Ok(())
    }

    /// Returns the path that an object has if it is loose.
    pub(super) fn loose_path(&self, id: &gix::oid) -> PathBuf {
        let hex = id.to_hex().to_string();
        let (fan_out, rest) = hex.split_at(2);
        self.objects_dir().join(fan_out).join(rest)
    }
}

fn compress(kind: Kind, bytes: &[u8]) -> Vec<u8> {
    let header = gix::objs::encode::loose_header(kind, bytes.len() as u64);
    if header.len() + bytes.len() <= MAX_STORED {
        return zlib_stored(&[&header, bytes].concat());
    }
    let mut stream = deflate::Write::new(Vec::with_capacity(bytes.len() / 2 + 64), Compression::BEST_SPEED);
    let done = stream.write_all(&header).and_then(|()| stream.write_all(bytes)).and_then(|()| stream.flush());
    done.expect("writing to memory does not fail");
    stream.into_inner()
}

/// Returns a zlib stream of one stored block (RFC 1950, RFC 1951).
fn zlib_stored(content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).expect("`MAX_STORED` is below the maximum of a stored block");
    let mut stream = Vec::with_capacity(content.len() + 11);
    // Deflate with a window of 32 KiB at the fastest level; then the last block, stored.
    stream.extend([0x78, 0x01, 0x01]);
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend(content);
    stream.extend(adler_32(content).to_be_bytes());
    stream
}

fn adler_32(content: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (low, high) = content.iter().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % MODULUS;
        (low, (high + low) % MODULUS)
    });
    (high << 16) | low
}

fn write_file(path: &Path, bytes: &[u8], sync: SyncTime) -> io::Result<()> {
    let mut file = create(path)?;
    file.write_all(bytes)?;
    match sync {
        SyncTime::Now => file.sync_all(),
        SyncTime::Later => Ok(()),
    }
}

/// Objects are immutable, so the file is read-only.
#[cfg(unix)]
fn create(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    OpenOptions::new().write(true).create_new(true).mode(0o444).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

fn temporary_in(directory: &Path) -> PathBuf {
    let number = NEXT_TEMPORARY.fetch_add(1, Ordering::Relaxed);
    // The time avoids a collision with the stray file of a killed process whose id was reused.
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
    directory.join(format!("tmp_obj_cairn_{}_{time:x}_{number}", process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_stream_has_the_checksum_of_zlib() {
        assert_eq!(adler_32(b"Wikipedia"), 0x11E6_0398);
        let stream = zlib_stored(b"Wikipedia");
        assert_eq!(&stream[..7], [0x78, 0x01, 0x01, 9, 0, 0xF6, 0xFF]);
        assert_eq!(&stream[7..], b"Wikipedia\x11\xE6\x03\x98");
    }
}
