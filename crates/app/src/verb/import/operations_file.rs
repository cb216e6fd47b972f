//! A file of operations that is imported. Memory has the place of each line, not the lines: an export may be far larger
//! than memory. The file is read again, in the order of the stamps, to write the operations.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, BufRead, Read, Seek, SeekFrom};

use model::attachment::Attachment;
use model::id::EntityId;
use model::op::Stamp;
use store::format::{self, v1};
use store::index::Index;

use super::super::content_line::ContentLine;
use crate::error::Error;

/// Bytes of lines that are written as one commit.
const BYTES_PER_COMMIT: usize = 12 * 1024 * 1024;

/// The place of a line in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    offset: u64,
    length: usize,
    /// Number of the line, from 1.
    line: usize,
}

/// An operation of the file.
#[derive(Debug, Clone, Copy)]
struct Entry {
    stamp: Stamp,
    entity: EntityId,
    place: Place,
}

/// The operations of a file that the log does not have, and the contents that they attach.
pub(super) struct OperationsFile<'a, R> {
    input: &'a mut R,
    entries: Vec<Entry>,
    /// Contents by the ids of their blobs.
    contents: HashMap<String, Place>,
    /// Blobs that the operations attach.
    named: BTreeSet<String>,
    /// Operations that the log has, or that are in the file twice.
    pub(super) n_known: usize,
}

impl<'a, R: BufRead + Seek> OperationsFile<'a, R> {
    /// Reads a file. Nothing is written, so an error leaves nothing behind.
    pub(super) fn read(index: &Index, input: &'a mut R) -> Result<Self, Error> {
        let (entries, contents) = (Vec::new(), HashMap::new());
        let mut file = Self { input, entries, contents, named: BTreeSet::new(), n_known: 0 };
        file.find_lines()?;
        file.remove_known(index)?;
        file.entries.sort_unstable_by_key(|entry| (entry.stamp, entry.place));
        Ok(file)
    }

    fn find_lines(&mut self) -> Result<(), Error> {
        let failed = |line: usize, error: &io::Error| Error::unavailable(format!("cannot read line {line}: {error}"));
        let mut offset = self.input.stream_position().map_err(|error| failed(1, &error))?;
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let read = self.input.by_ref().take(format::OP_LIMIT as u64 + 2).read_until(b'\n', &mut line);
            let n_bytes = read.map_err(|error| failed(number, &error))?;
            if n_bytes == 0 {
                break;
            }
            self.add(Place { offset, length: n_bytes, line: number }, line.trim_ascii())?;
            offset += n_bytes as u64;
        }
        Ok(())
    }

    fn add(&mut self, place: Place, line: &[u8]) -> Result<(), Error> {
        if line.is_empty() {
            return Ok(());
        }
        match v1::read(line) {
            Ok(op) => {
                self.named.extend(Attachment::of_change(&op.change).into_iter().map(|attached| attached.blob));
                self.entries.push(Entry { stamp: op.stamp, entity: op.entity, place });
            }
            Err(why) => {
                let content = ContentLine::read(line).ok_or_else(|| not_an_operation(place.line, line, &why))?;
                self.contents.insert(content.blob, place);
            }
        }
        Ok(())
    }

    // Entity by entity, so that the operations of an entity are read from the index once.
    fn remove_known(&mut self, index: &Index) -> Result<(), Error> {
        self.entries.sort_unstable_by_key(|entry| (entry.entity, entry.stamp, entry.place));
        let mut new = Vec::with_capacity(self.entries.len());
        for group in std::mem::take(&mut self.entries).chunk_by(|one, other| one.entity == other.entity) {
            let known: HashSet<Vec<u8>> = index.lines(group[0].entity)?.into_iter().collect();
            for same in group.chunk_by(|one, other| one.stamp == other.stamp) {
                self.add_new(&known, same, &mut new)?;
            }
        }
        self.entries = new;
        Ok(())
    }

    // Different lines with one stamp are forged; each of them counts.
    fn add_new(&mut self, known: &HashSet<Vec<u8>>, same: &[Entry], new: &mut Vec<Entry>) -> Result<(), Error> {
        if let ([one], true) = (same, known.is_empty()) {
            new.push(*one);
            return Ok(());
        }
        let mut seen = HashSet::new();
        for entry in same {
            let line = self.line(entry.place)?;
            if known.contains(&line) || !seen.insert(line) {
                self.n_known += 1;
            } else {
                new.push(*entry);
            }
        }
        Ok(())
    }

    /// Returns the number of new operations.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the stamps of the new operations, in order.
    pub(super) fn stamps(&self) -> impl Iterator<Item = Stamp> {
        self.entries.iter().map(|entry| entry.stamp)
    }

    /// Calls `each` with the number and the lines of the operations of each commit.
    pub(super) fn each_commit(&mut self, mut each: impl FnMut(usize, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let (mut lines, mut n_lines) = (Vec::new(), 0);
        for n in 0..self.entries.len() {
            lines.extend(self.line(self.entries[n].place)?);
            lines.push(b'\n');
            n_lines += 1;
            if lines.len() >= BYTES_PER_COMMIT || n + 1 == self.entries.len() {
                each(n_lines, &lines)?;
                (lines, n_lines) = (Vec::new(), 0);
            }
        }
        Ok(())
    }

    /// Calls `each` with the line number, the blob and the bytes of each content that an operation attaches.
    pub(super) fn each_content(
        &mut self,
        mut each: impl FnMut(usize, &str, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut places: Vec<Place> = self.named.iter().filter_map(|blob| self.contents.get(blob).copied()).collect();
        places.sort_unstable();
        for place in places {
            let line = self.line(place)?;
            let content = ContentLine::read(&line).ok_or_else(|| changed(place.line))?;
            let bytes = content.bytes().map_err(|why| Error::invalid(format!("line {}: {why}", place.line)))?;
            each(place.line, &content.blob, &bytes)?;
        }
        Ok(())
    }

    fn line(&mut self, place: Place) -> Result<Vec<u8>, Error> {
        let mut line = vec![0; place.length];
        let read = move_to(self.input, place.offset).and_then(|()| self.input.read_exact(&mut line));
        read.map_err(|error| Error::unavailable(format!("cannot read line {} again: {error}", place.line)))?;
        Ok(line.trim_ascii().to_vec())
    }
}

// An export is in the order of the stamps, so the next line is mostly where the last one ended: a seek would drop the
// buffer.
fn move_to(input: &mut (impl BufRead + Seek), offset: u64) -> io::Result<()> {
    if input.stream_position()? != offset {
        input.seek(SeekFrom::Start(offset))?;
    }
    Ok(())
}

fn not_an_operation(line: usize, text: &[u8], why: &v1::BadOp) -> Error {
    let malformed = serde_json::from_slice::<serde::de::IgnoredAny>(text).err();
    let column = malformed.map_or_else(String::new, |error| format!(", column {}", error.column().max(1)));
    let why = why.to_string();
    let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
    Error::invalid(format!("line {line}{column}: not an operation of an export: {why}"))
        .hint("import items and the operations of an export from two files, so that each is imported completely or not at all")
}

fn changed(line: usize) -> Error {
    Error::unavailable(format!("line {line} changed while it was read"))
}
