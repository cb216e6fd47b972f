//! Collects the responses of a batch and writes them as one array.

use parking_lot::Mutex;

use crate::delivery::Delivery;

/// The responses of one batch.
#[derive(Default)]
pub(super) struct Batch(Mutex<BatchResponses>);

#[derive(Default)]
struct BatchResponses {
    n_awaited: usize,
    written: Vec<Vec<u8>>,
    deliveries: Vec<Delivery>,
}

pub(super) struct CompleteBatch {
    /// The JSON array; `None` if every request was cancelled.
    pub(super) line: Option<Vec<u8>>,
    /// The deliveries of its responses.
    pub(super) deliveries: Vec<Delivery>,
}

impl Batch {
    /// Starts a batch that waits for `n_awaited` responses.
    pub(super) fn new(n_awaited: usize) -> Self {
        Self(Mutex::new(BatchResponses { n_awaited, ..BatchResponses::default() }))
    }

    /// Adds a response; returns the complete batch with the last one.
    pub(super) fn answer(&self, answer: Vec<u8>, delivery: Option<Delivery>) -> Option<CompleteBatch> {
        self.count_response(|answers| {
            answers.written.push(answer);
            answers.deliveries.extend(delivery);
        })
    }

    /// Stops waiting for one response; returns the complete batch if it was the last one.
    pub(super) fn give_up(&self) -> Option<CompleteBatch> {
        self.count_response(|_| {})
    }

    fn count_response(&self, change: impl FnOnce(&mut BatchResponses)) -> Option<CompleteBatch> {
        let mut answers = self.0.lock();
        change(&mut answers);
        answers.n_awaited = answers.n_awaited.saturating_sub(1);
        (answers.n_awaited == 0).then(|| answers.complete())
    }
}

impl BatchResponses {
    fn complete(&mut self) -> CompleteBatch {
        let written = std::mem::take(&mut self.written);
        let line = (!written.is_empty()).then(|| [b"[".as_slice(), &written.join(&b","[..]), b"]"].concat());
        CompleteBatch { line, deliveries: std::mem::take(&mut self.deliveries) }
    }
}
