//! Encodes objects as a pack, without deltas: git finds those when it packs the repository again.

use std::io::{self, Write};

use gix::zlib::Compression;
use gix::zlib::stream::deflate;

use super::GitError;
use super::transfer::{ObjectType, RawObject};

/// Returns the bytes of a pack (version 2 of the format).
pub(super) fn encode(hash: gix::hash::Kind, objects: &[RawObject]) -> Result<Vec<u8>, GitError> {
    let failed = |why: String| GitError::BadCommit { why };
    let n_objects = u32::try_from(objects.len()).map_err(|error| failed(error.to_string()))?;
    let mut pack = Vec::with_capacity(objects.iter().map(|object| object.bytes.len() / 2 + 64).sum());
    pack.extend(b"PACK");
    pack.extend(2_u32.to_be_bytes());
    pack.extend(n_objects.to_be_bytes());
    for object in objects {
        write_header(&mut pack, object.kind, object.bytes.len());
        pack = compressed(pack, &object.bytes).map_err(|error| failed(error.to_string()))?;
    }
    let mut hasher = gix::hash::hasher(hash);
    hasher.update(&pack);
    let checksum = hasher.try_finalize().map_err(|error| failed(error.to_string()))?;
    pack.extend(checksum.as_slice());
    Ok(pack)
}

/// The type and the lowest four bits of the size, then seven bits per byte; the highest bit says that more follow.
fn write_header(pack: &mut Vec<u8>, kind: ObjectType, size: usize) {
    let kind = match kind {
        ObjectType::Commit => 1,
        ObjectType::Tree => 2,
        ObjectType::Blob => 3,
    };
    let low = |size: usize, mask: usize| u8::try_from(size & mask).unwrap_or_default();
    let (mut byte, mut rest) = ((kind << 4) | low(size, 0x0f), size >> 4);
    while rest > 0 {
        pack.push(byte | 0x80);
        (byte, rest) = (low(rest, 0x7f), rest >> 7);
    }
    pack.push(byte);
}

fn compressed(pack: Vec<u8>, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = deflate::Write::new(pack, Compression::BEST_SPEED);
    stream.write_all(bytes)?;
    stream.flush()?;
    Ok(stream.into_inner())
}
