//! Summaries that were made, kept for whoever asks again before anything changed.

use std::sync::{Mutex, PoisonError};

use store::git::CommitId;

use crate::view::SummaryView;

/// How many are kept.
const MOST: usize = 32;

/// What a summary depends on: the code, the notes, and the question.
pub(super) type Key = (CommitId, Option<CommitId>, String, Option<String>);

/// Summaries, the newest last.
#[derive(Default)]
pub(crate) struct Summaries(Mutex<Vec<(Key, SummaryView)>>);

impl Summaries {
    pub(super) fn get(&self, key: &Key) -> Option<SummaryView> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == key).map(|(_, view)| view.clone())
    }

    pub(super) fn keep(&self, key: Key, view: SummaryView) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push((key, view));
    }
}
