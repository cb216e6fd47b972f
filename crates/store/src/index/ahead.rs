//! Speculative ingestion of operations that are not in the log yet, for later plans of the same batch: inside a
//! transaction that no other connection sees, committed once their commit is durable, rolled back otherwise.

use super::ingest::{Batch, EntityScope, SearchText};
use super::{Index, IndexError};
use crate::format::{self, v1};
use crate::git::CommitId;
use crate::write::Parent;

impl Index {
    /// Begins a transaction that `commit_speculative` or `rollback_speculative` ends; no other connection can write
    /// meanwhile.
    pub(crate) fn begin_speculative(&self) -> Result<(), IndexError> {
        self.check(self.connection.execute_batch("BEGIN IMMEDIATE"))
    }

    /// Ingests operations, except for the search text, which is appended to `words`. Returns whether there was no
    /// warning: a warning names its commit, so with one the log must be read again.
    pub(crate) fn apply_speculative(&self, lines: &[u8], words: &mut Vec<SearchText>) -> Result<bool, IndexError> {
        let mut batch = Batch::new(EntityScope::Any);
        let mut is_plain = true;
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match v1::read(line) {
                Ok(op) => batch.push(op, line),
                Err(_) => is_plain = false,
            }
        }
        let ingested = self.ingest_without_fts(batch)?;
        words.extend(ingested.words);
        self.settle_numbers(&ingested.contested)?;
        if let Some(entity) = ingested.last {
            self.check(self.last_fold.keep(&self.connection, entity))?;
        }
        Ok(is_plain && ingested.warnings.is_empty())
    }

    /// Indexes a commit that this process just wrote on top of `parent`, without reading it back. Returns false, and
    /// changes nothing, if the commit is large, the index is at another commit, or a line must be reported.
    pub(crate) fn ingest_commit(&self, parent: Parent, new: Parent, lines: &[u8]) -> Result<bool, IndexError> {
        // A large commit, such as an import, is left to `catch_up`, which ingests it in batches of bounded size.
        let Some(commit) = new.tip.filter(|_| lines.len() <= format::MESSAGE_TARGET) else { return Ok(false) };
        self.begin_speculative()?;
        let mut words = Vec::new();
        let is_plain = self
            .tip()
            .and_then(|tip| if tip == parent.tip { self.apply_speculative(lines, &mut words) } else { Ok(false) });
        let ended = match is_plain {
            Ok(true) => self.commit_speculative(commit, new.clock, &words).map(|()| true),
            other => other.map(|_| false),
        };
        if !matches!(ended, Ok(true)) {
            self.rollback_speculative()?;
        }
        ended
    }

    /// Commits the speculative operations: they are in the log now, in the commit `tip` with the clock `clock`.
    pub(crate) fn commit_speculative(&self, tip: CommitId, clock: u64, words: &[SearchText]) -> Result<(), IndexError> {
        self.write_words(words)?;
        self.remember(&[(tip, clock)])?;
        self.set_tip(tip)?;
        self.check(self.connection.execute_batch("COMMIT"))?;
        self.tidy_journal();
        Ok(())
    }

    /// Rolls the speculative operations back.
    pub(crate) fn rollback_speculative(&self) -> Result<(), IndexError> {
        self.last_fold.clear();
        self.check(self.connection.execute_batch("ROLLBACK"))
    }
}
