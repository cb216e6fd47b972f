//! The outcome of a batch, for all of its writers. Waiting writers are always notified, even if the one that writes the
//! commit panics.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::open::StoreError;

/// The outcome of a batch.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// It is on disk.
    Written {
        /// The index file that also contains it, if any.
        indexed_in: Option<PathBuf>,
    },
    /// The log moved before it could be written: all plans must run again.
    Moved,
    /// It could not be written.
    Failed(Arc<StoreError>),
}

type Slot = OnceLock<Outcome>;

/// The sending side. If it is dropped without sending, the batch counts as abandoned.
pub(super) struct Completion(Arc<Slot>);

/// The waiting side.
pub(super) struct Waiter(Arc<Slot>);

impl Completion {
    pub(super) fn new() -> Self {
        Self(Arc::default())
    }

    pub(super) fn waiter(&self) -> Waiter {
        Waiter(Arc::clone(&self.0))
    }

    pub(super) fn send(self, outcome: Outcome) {
        self.tell(outcome);
    }

    // The first outcome wins.
    fn tell(&self, outcome: Outcome) {
        let _ = self.0.set(outcome);
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.tell(Outcome::Failed(Arc::new(StoreError::Abandoned)));
    }
}

impl Waiter {
    pub(super) fn wait(self) -> Outcome {
        self.0.wait().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panicking_writer_notifies_the_waiters() {
        let completion = Completion::new();
        let waiter = completion.waiter();
        let other = completion.waiter();
        let broken = std::thread::spawn(move || {
            let _promise = completion;
            std::panic::resume_unwind(Box::new("broken"));
        });
        assert!(broken.join().is_err());
        for waiter in [waiter, other] {
            assert!(matches!(waiter.wait(), Outcome::Failed(error) if matches!(*error, StoreError::Abandoned)));
        }
    }

    #[test]
    fn committed_speculation_is_not_rolled_back() {
        let completion = Completion::new();
        let waiter = completion.waiter();
        completion.send(Outcome::Written { indexed_in: None });
        assert!(matches!(waiter.wait(), Outcome::Written { .. }));
    }
}
