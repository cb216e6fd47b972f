//! Builds an index from operations that this process has just written: a first import need not read, check and parse again
//! what it wrote a moment ago.

use model::op::Op;

use super::op_feed::OpFeed;
use super::{CatchUp, Index, IndexError, LARGE_CACHE};
use crate::format::v1::OpReader;
use crate::git::CommitId;

/// An index that is built beside the commits of a log that was empty. Nobody else knows it yet.
pub(crate) struct NewBuild {
    index: Index,
    feed: OpFeed,
    reader: OpReader,
    /// The commits, each with the clock at it.
    taken: Vec<(CommitId, u64)>,
    n_ops: usize,
}

impl NewBuild {
    /// Begins with an index that was just created.
    pub(crate) fn begin(index: Index) -> Result<Self, IndexError> {
        index.check(index.connection.pragma_update(None, "cache_size", LARGE_CACHE))?;
        index.check(index.connection.execute_batch("BEGIN IMMEDIATE"))?;
        index.check(index.remake_tables())?;
        let feed = OpFeed::of_new_index();
        Ok(Self { index, feed, reader: OpReader::default(), taken: Vec::new(), n_ops: 0 })
    }

    /// Adds the operations of the next commit, each with its line, and with the clock of the last of them. The parent is
    /// the commit before, or none.
    pub(crate) fn add<'a>(
        &mut self,
        commit: CommitId,
        clock: u64,
        ops: impl Iterator<Item = (Op, &'a [u8])>,
    ) -> Result<(), IndexError> {
        for (op, line) in ops {
            // A line that cannot be read again would be skipped in every other clone.
            let Ok(op) = self.reader.as_read(op, line) else { return Err(IndexError::NotAsWritten { commit }) };
            self.feed.push(&self.index, op, line, 0)?;
            self.n_ops += 1;
        }
        self.taken.push((commit, clock));
        Ok(())
    }

    /// Completes the index, which has the whole log then.
    pub(crate) fn finish(self) -> Result<(Index, CatchUp), IndexError> {
        let Self { index, feed, mut taken, n_ops, .. } = self;
        let mut caught_up = CatchUp { n_commits: taken.len(), n_ops, rebuilt: true, ..CatchUp::default() };
        let tip = taken.last().map(|(tip, _)| *tip);
        let ingested = feed.finish(&index)?;
        caught_up.warnings = ingested.warnings;
        taken.sort_unstable();
        index.remember(&taken)?;
        index.settle_numbers(&ingested.contested)?;
        caught_up.contested = ingested.contested;
        if let Some(tip) = tip {
            index.set_tip(tip)?;
        }
        index.keep_warnings(&caught_up.warnings)?;
        index.check(index.connection.execute_batch("COMMIT"))?;
        Ok((index, caught_up))
    }
}
