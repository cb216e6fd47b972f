//! The bytes of the log: a header, then frames, each with a checksum and one move of a reference.
//!
//! ```text
//! header   "cairn wal 1\n", boot id (36 bytes), epoch (u64)
//! frame    epoch (u64), length of the payload (u32), checksum (32 bytes), payload, padding to a multiple of 8
//! payload  "<reference> <from or -> <to>\n", then the content of the commit `to`
//! ```
//! Numbers are little-endian. A frame of another epoch is left from before the log was cleared, and ends it.

use std::ops::Range;

use gix::objs::Kind;

use super::boot::{self, BootId};
use crate::git::gix;
use crate::git::{CommitId, GitError, RefName};

const MAGIC: &[u8] = b"cairn wal 1\n";
/// Where the first frame starts.
pub(super) const FIRST_FRAME: usize = 64;
/// Epoch, length and checksum.
pub(super) const FRAME_HEADER: usize = 8 + 4 + CHECKSUM;
/// An object id of either kind.
const CHECKSUM: usize = 32;

/// The start of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) boot: BootId,
    pub(super) epoch: u64,
}

impl Header {
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (boot, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<{ boot::LENGTH }>()?;
        Some(Self { boot: BootId(*boot), epoch: u64::from_le_bytes(*rest.first_chunk()?) })
    }

    pub(super) fn write_to(self, content: &mut [u8]) {
        let bytes = [MAGIC, &self.boot.0, &self.epoch.to_le_bytes()].concat();
        content[..bytes.len()].copy_from_slice(&bytes);
    }
}

/// A move of a reference to a new commit.
pub(in crate::git) struct LoggedMove<'a> {
    pub(in crate::git) name: RefName,
    pub(in crate::git) from: Option<CommitId>,
    pub(in crate::git) to: CommitId,
    /// The content of the commit.
    pub(in crate::git) commit: &'a [u8],
}

impl<'a> LoggedMove<'a> {
    fn line(&self) -> String {
        let from = self.from.map_or_else(|| "-".to_owned(), |from| from.to_string());
        format!("{} {from} {}\n", self.name, self.to)
    }

    /// Returns the number of bytes that the record takes.
    pub(super) fn frame_size(&self) -> usize {
        (FRAME_HEADER + self.line().len() + self.commit.len()).next_multiple_of(8)
    }

    pub(super) fn frame(&self, hash: gix::hash::Kind, epoch: u64) -> Result<Vec<u8>, GitError> {
        let payload = [self.line().as_bytes(), self.commit].concat();
        let length = u32::try_from(payload.len()).map_err(|error| GitError::BadCommit { why: error.to_string() })?;
        let mut frame = Vec::with_capacity(self.frame_size());
        frame.extend(epoch.to_le_bytes());
        frame.extend(length.to_le_bytes());
        frame.extend(checksum(hash, &payload)?);
        frame.extend(payload);
        frame.resize(frame.len().next_multiple_of(8), 0);
        Ok(frame)
    }

    /// Reads a payload; `None` if it is not one.
    pub(super) fn parse(payload: &'a [u8]) -> Option<Self> {
        let end = payload.iter().position(|byte| *byte == b'\n')?;
        let mut words = std::str::from_utf8(&payload[..end]).ok()?.split(' ');
        let (name, from, to) = (words.next()?.parse().ok()?, words.next()?, words.next()?.parse().ok()?);
        let from = if from == "-" { None } else { Some(from.parse().ok()?) };
        Some(Self { name, from, to, commit: &payload[end + 1..] })
    }
}

/// A checksum of 32 bytes: the id that a blob with this content would have.
fn checksum(hash: gix::hash::Kind, payload: &[u8]) -> Result<[u8; CHECKSUM], GitError> {
    let id = gix::objs::compute_hash(hash, Kind::Blob, payload);
    let id = id.map_err(|error| GitError::BadCommit { why: error.to_string() })?;
    let mut sum = [0; CHECKSUM];
    sum[..id.as_slice().len()].copy_from_slice(id.as_slice());
    Ok(sum)
}

/// The frames of one epoch, by their place in the file.
pub(super) struct FrameIter<'a> {
    content: &'a [u8],
    epoch: u64,
    at: usize,
}

impl<'a> FrameIter<'a> {
    pub(super) fn new(content: &'a [u8], epoch: u64) -> Self {
        Self { content, epoch, at: FIRST_FRAME }
    }

    /// Returns where the next frame would start.
    pub(super) fn end(mut self) -> usize {
        while self.next().is_some() {}
        self.at
    }
}

impl Iterator for FrameIter<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let (epoch, rest) = self.content.get(self.at..)?.split_first_chunk()?;
        let length = u32::from_le_bytes(*rest.first_chunk()?) as usize;
        let end = (self.at + FRAME_HEADER).checked_add(length)?.checked_next_multiple_of(8)?;
        if u64::from_le_bytes(*epoch) != self.epoch || end > self.content.len() {
            return None;
        }
        let frame = self.at..end;
        self.at = end;
        Some(frame)
    }
}

/// Returns the intact payloads in order. A frame that was torn by a power failure ends the log: its write was never
/// acknowledged.
pub(super) fn payloads(content: &[u8], hash: gix::hash::Kind, epoch: u64) -> Vec<&[u8]> {
    let intact = |frame: Range<usize>| {
        let frame = &content[frame];
        let length = u32::from_le_bytes(*frame[8..].first_chunk()?) as usize;
        let payload = &frame[FRAME_HEADER..FRAME_HEADER + length];
        let is_intact = checksum(hash, payload).is_ok_and(|sum| sum == frame[12..FRAME_HEADER]);
        is_intact.then_some(payload)
    };
    FrameIter::new(content, epoch).map_while(intact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: gix::hash::Kind = gix::hash::Kind::Sha1;

    fn id(digit: &str) -> CommitId {
        digit.repeat(40).parse().expect("an id")
    }

    fn logged(commit: &[u8]) -> LoggedMove<'_> {
        LoggedMove { name: RefName::WORK, from: Some(id("1")), to: id("2"), commit }
    }

    fn log(frames: &[Vec<u8>]) -> Vec<u8> {
        [vec![0; FIRST_FRAME], frames.concat(), vec![0; 100]].concat()
    }

    #[test]
    fn what_was_written_is_read() {
        let moves = [logged(b"tree x\n\nfirst"), LoggedMove { from: None, ..logged(b"tree y") }];
        let frames: Vec<_> = moves.iter().map(|one| one.frame(HASH, 7).expect("it fits")).collect();
        assert_eq!(frames.iter().map(Vec::len).collect::<Vec<_>>(), moves.map(|one| one.frame_size()));
        let content = log(&frames);
        let read: Vec<_> = payloads(&content, HASH, 7).into_iter().map(|one| LoggedMove::parse(one).unwrap()).collect();
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].from, read[0].to, read[0].commit), (Some(id("1")), id("2"), &b"tree x\n\nfirst"[..]));
        assert_eq!((read[1].from, read[1].commit), (None, &b"tree y"[..]));
        assert_eq!(FrameIter::new(&content, 7).end(), FIRST_FRAME + frames.concat().len());
    }

    #[test]
    fn a_frame_of_another_epoch_ends_the_log() {
        let frames = [logged(b"a").frame(HASH, 2).unwrap(), logged(b"b").frame(HASH, 1).unwrap()];
        assert_eq!(payloads(&log(&frames), HASH, 2).len(), 1);
        assert_eq!(payloads(&log(&frames), HASH, 1).len(), 0);
    }

    #[test]
    fn every_flipped_bit_of_a_frame_ends_the_log_before_it() {
        let frames = [logged(b"a").frame(HASH, 2).unwrap(), logged(b"bcd").frame(HASH, 2).unwrap()];
        let whole = log(&frames);
        let second = FIRST_FRAME + frames[0].len();
        let used = second..second + FRAME_HEADER + logged(b"bcd").line().len() + 3;
        for at in used {
            let mut torn = whole.clone();
            torn[at] ^= 0x10;
            assert_eq!(payloads(&torn, HASH, 2).len(), 1, "byte {at}");
        }
    }
}
