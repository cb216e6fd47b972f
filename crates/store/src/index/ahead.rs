//! Operations that are taken in before they are in the log, for those who plan after them: inside a transaction that no
//! other connection sees, kept once the commit that carries them is durable, taken back otherwise.

use super::ingest::{Batch, SearchText};
use super::{Index, IndexError};
use crate::format::v1;
use crate::git::CommitId;

impl Index {
    /// Begins what `commit_speculative` or `rollback_speculative` ends; nobody else can write the index meanwhile.
    pub(crate) fn begin_ahead(&self) -> Result<(), IndexError> {
        self.check(self.connection.execute_batch("BEGIN IMMEDIATE"))
    }

    /// Takes operations in as the log will have them, but for `words`, which are to be kept. Tells whether that went
    /// without a warning: with one the log must be asked again, since a warning names the commit.
    pub(crate) fn apply_speculative(&self, lines: &[u8], words: &mut Vec<SearchText>) -> Result<bool, IndexError> {
        let mut batch = Batch::new(false);
        let mut is_plain = true;
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match v1::read(line) {
                Ok(op) => batch.push(op, line),
                Err(_) => is_plain = false,
            }
        }
        let absorbed = self.ingest_without_fts(batch)?;
        words.extend(absorbed.words);
        self.settle_numbers(&absorbed.contested)?;
        Ok(is_plain && absorbed.warnings.is_empty())
    }

    /// Keeps what was taken in: it is in the log now, in the commit `tip`, where the clock stands at `clock`.
    pub(crate) fn commit_speculative(&self, tip: CommitId, clock: u64, words: &[SearchText]) -> Result<(), IndexError> {
        self.write_words(words)?;
        self.remember(&[(tip, clock)])?;
        self.set_tip(tip)?;
        self.check(self.connection.execute_batch("COMMIT"))?;
        self.tidy_journal();
        Ok(())
    }

    /// Takes everything back that was taken in ahead.
    pub(crate) fn rollback_speculative(&self) -> Result<(), IndexError> {
        self.check(self.connection.execute_batch("ROLLBACK"))
    }
}
