//! What can be made to go wrong, and for which request.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::http::{Answer, Request};

/// Something that goes wrong with one request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// This is answered, and nothing is done.
    Answer(Answer),
    /// 429, with the time to wait as a Taiga says it.
    Throttle(Duration),
    /// The connection is closed before the request is looked at.
    CutBefore,
    /// The request is carried out, and the connection closed without an answer.
    CutAfter,
    /// The request is carried out, and the connection closed in the middle of the answer.
    CutWithin,
    /// 302 to another address.
    Redirect(String),
    /// The answer comes so much later.
    Delay(Duration),
    /// The answer comes when the latch is opened.
    Hold(Latch),
}

/// Holds answers back until it is opened.
#[derive(Debug, Clone, Default)]
pub struct Latch {
    state: Arc<(Mutex<bool>, Condvar)>,
}

impl Latch {
    /// Makes one that is closed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets all go, those that come later too.
    pub fn open(&self) {
        *self.state.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.state.1.notify_all();
    }

    pub(super) fn pass(&self) {
        let mut is_open = self.state.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_open {
            is_open = self.state.1.wait(is_open).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The faults that are planned.
#[derive(Debug, Default)]
pub(super) struct Faults {
    planned: Vec<Planned>,
    /// All that were given out, so that none is left closed.
    latches: Vec<Latch>,
    throttled_until: Option<Instant>,
}

#[derive(Debug)]
struct Planned {
    method: Option<String>,
    path: String,
    times: usize,
    fault: Fault,
}

impl Faults {
    pub(super) fn plan(&mut self, method: Option<&str>, path: &str, times: usize, fault: Fault) {
        if let Fault::Hold(latch) = &fault {
            self.latches.push(latch.clone());
        }
        let method = method.map(str::to_owned);
        self.planned.push(Planned { method, path: path.to_owned(), times, fault });
    }

    pub(super) fn throttle(&mut self, pause: Duration) {
        self.throttled_until = Some(Instant::now() + pause);
    }

    pub(super) fn clear(&mut self) {
        self.planned.clear();
        for latch in self.latches.drain(..) {
            latch.open();
        }
        self.throttled_until = None;
    }

    /// Takes the first fault that is planned for a request. `path` is below the root of the interface.
    pub(super) fn take(&mut self, request: &Request, path: &str) -> Option<Fault> {
        let is_meant = |planned: &Planned| {
            planned.method.as_ref().is_none_or(|method| *method == request.method) && path.starts_with(&planned.path)
        };
        if let Some(place) = self.planned.iter().position(is_meant) {
            let planned = &mut self.planned[place];
            planned.times -= 1;
            let fault = planned.fault.clone();
            if planned.times == 0 {
                self.planned.remove(place);
            }
            return Some(fault);
        }
        let left = self.throttled_until?.checked_duration_since(Instant::now())?;
        Some(Fault::Throttle(left))
    }
}
