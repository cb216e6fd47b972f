//! Encodes objects as a pack, without deltas: git finds those when it packs the repository again.

use gix::zlib::stream::deflate::{Compress, FlushCompress};
use gix::zlib::{Compression, Status};

use super::GitError;
use super::gix;
use super::transfer::{ObjectType, RawObject};

/// Returns the bytes of a pack (version 2 of the format).
pub(super) fn encode(hash: gix::hash::Kind, objects: &[RawObject]) -> Result<Vec<u8>, GitError> {
    let failed = |why: String| GitError::BadCommit { why };
    let n_objects = u32::try_from(objects.len()).map_err(|error| failed(error.to_string()))?;
    let mut pack = Vec::with_capacity(objects.iter().map(|object| object.bytes.len() / 2 + 64).sum());
    pack.extend(b"PACK");
    pack.extend(2_u32.to_be_bytes());
    pack.extend(n_objects.to_be_bytes());
    // One for all objects: its tables take longer to allocate than most objects to compress.
    let mut compressor = Compress::new(Compression::BEST_SPEED);
    for object in objects {
        write_header(&mut pack, object.kind, object.bytes.len());
        compress(&mut compressor, &mut pack, &object.bytes).map_err(failed)?;
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

/// Appends a zlib stream of the bytes.
fn compress(compressor: &mut Compress, pack: &mut Vec<u8>, bytes: &[u8]) -> Result<(), String> {
    compressor.reset();
    let (start, mut n_read) = (pack.len(), 0);
    loop {
        // Enough for bytes that do not shrink, in most cases.
        let n_written = pack.len() - start;
        pack.resize(pack.len() + (bytes.len() - n_read) + 64, 0);
        let room = &mut pack[start + n_written..];
        let status = compressor.compress(&bytes[n_read..], room, FlushCompress::Finish);
        let total = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        n_read = total(compressor.total_in());
        pack.truncate(start + total(compressor.total_out()));
        if status.map_err(|error| error.to_string())? == Status::StreamEnd {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use gix::zlib::{Decompress, FlushDecompress};

    use super::*;

    #[test]
    fn one_compressor_writes_a_complete_stream_for_each_object() {
        let mut random = 1_u32;
        let noise = std::iter::repeat_with(|| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random.to_be_bytes()[0]
        });
        let noise: Vec<u8> = noise.take(300_000).collect();
        let mut compressor = Compress::new(Compression::BEST_SPEED);
        for bytes in [b"tree 4b825dc\n".as_slice(), b"", &noise, &vec![b'a'; 100_000], &noise[..64], b"author ada"] {
            let mut pack = b"PACK".to_vec();
            compress(&mut compressor, &mut pack, bytes).expect("it compresses");
            let (mut decompress, mut read) = (Decompress::new(), vec![0; bytes.len() + 1]);
            let status = decompress.decompress(&pack[4..], &mut read, FlushDecompress::Finish).expect("a stream");
            assert_eq!(status, Status::StreamEnd);
            assert_eq!(decompress.total_in(), pack.len() as u64 - 4, "nothing follows the stream");
            assert!(decompress.total_out() == bytes.len() as u64 && read[..bytes.len()] == *bytes);
        }
    }
}
