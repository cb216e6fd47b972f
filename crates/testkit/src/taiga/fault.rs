//! Faults that tests can inject.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::http::{Answer, Request};

/// A fault of one request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// This response is sent, and the request is not processed.
    Answer(Answer),
    /// 429, with the waiting time in Taiga's format.
    Throttle(Duration),
    /// The connection is closed before the request is processed.
    CutBefore,
    /// The request is processed, and the connection closed without a response.
    CutAfter,
    /// The request is processed, and the connection closed in the middle of the response.
    CutWithin,
    /// 302 to another address.
    Redirect(String),
    /// The response is delayed.
    Delay(Duration),
    /// The response is held until the latch is opened.
    Hold(Latch),
}

/// Holds responses until it is opened.
#[derive(Debug, Clone, Default)]
pub struct Latch {
    state: Arc<(Mutex<bool>, Condvar)>,
}

impl Latch {
    /// A closed latch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Releases all waiters, and later ones too.
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

#[derive(Debug, Default)]
pub(super) struct Faults {
    planned: Vec<Planned>,
    /// All latches, so that none stays closed at the end.
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

    /// Takes the first fault that matches a request. `path` is relative to the root of the API.
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
