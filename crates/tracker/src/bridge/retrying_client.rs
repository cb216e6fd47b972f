//! Requests to the server: retries after a requested pause, parallel requests, and server errors as user-facing errors.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use app::Error;
use parking_lot::Mutex;
use taiga::{AuthProblem, Client, ErrorKind};

/// Maximum attempts of one call after pauses.
const MAX_TRIES: usize = 8;

/// Maximum number of parallel requests, the same as the client's own limit.
const MAX_PARALLEL: usize = 4;

/// The connection to the server.
#[derive(Debug, Clone, Copy)]
pub(super) struct RetryingClient<'a> {
    client: &'a Client,
    longest_pause: Duration,
}

impl<'a> RetryingClient<'a> {
    pub(super) fn new(client: &'a Client, longest_pause: Duration) -> Self {
        Self { client, longest_pause }
    }

    /// Makes a call, retrying after a pause. A server that asks for a pause has not executed the request, so a write
    /// can be repeated safely.
    pub(super) fn call<T>(&self, call: impl Fn(&Client) -> Result<T, taiga::Error>) -> Result<T, taiga::Error> {
        let mut tries = 0;
        loop {
            match call(self.client) {
                // A pause that is too long, or repeated too often, ends the run with the server's error.
                Err(taiga::Error { kind: ErrorKind::RateLimit { wait }, .. })
                    if wait <= self.longest_pause && tries < MAX_TRIES =>
                {
                    tries += 1;
                    thread::sleep(wait);
                }
                other => return other,
            }
        }
    }

    /// Makes a call for each input, a few in parallel, and returns the results in order. After a failure no further
    /// calls start.
    pub(super) fn call_all<I: Sync, T: Send>(
        &self,
        inputs: &[I],
        call: impl Fn(&Client, &I) -> Result<T, taiga::Error> + Sync,
    ) -> Result<Vec<T>, taiga::Error> {
        // Relaxed ordering is enough: the results are read after the scope has joined all threads.
        let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let answers = Mutex::new(Vec::with_capacity(inputs.len()));
        thread::scope(|scope| {
            for _ in 0..MAX_PARALLEL.min(inputs.len()) {
                scope.spawn(|| {
                    while !has_failed.load(Ordering::Relaxed) {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(input) = inputs.get(place) else { break };
                        let answer = self.call(|client| call(client, input));
                        has_failed.fetch_or(answer.is_err(), Ordering::Relaxed);
                        answers.lock().push((place, answer));
                    }
                });
            }
        });
        let mut answers = answers.into_inner();
        answers.sort_by_key(|(place, _)| *place);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}

/// Returns whether an error concerns a single item, so that the run can continue with the others.
pub(super) fn is_about_one(error: &taiga::Error) -> bool {
    matches!(error.kind, ErrorKind::Validation { .. } | ErrorKind::Auth(AuthProblem::Forbidden) | ErrorKind::NotFound)
}

pub(super) fn is_absent(error: &taiga::Error) -> bool {
    error.kind == ErrorKind::NotFound
}

/// Converts a server error into a user-facing one.
pub(super) fn user_error(error: taiga::Error) -> Error {
    const AGAIN: &str = "what was done is kept; run the same command again to go on";
    let taiga::Error { kind, message, .. } = error;
    match kind {
        ErrorKind::Auth(AuthProblem::NoToken | AuthProblem::Refused | AuthProblem::SessionEnded) => {
            const ANEW: &str = "log in with `cairn taiga login URL` or replace `CAIRN_TAIGA_TOKEN`, then run it again";
            Error::unavailable(message).hint(ANEW)
        }
        ErrorKind::Auth(AuthProblem::Archived) => {
            Error::unavailable(message).hint("the project there is archived: it can be pulled, not pushed to")
        }
        ErrorKind::Auth(AuthProblem::Blocked | AuthProblem::Forbidden) => Error::unavailable(message)
            .hint("the server does not let this user do it; ask an administrator of the project"),
        ErrorKind::NotFound => {
            Error::not_found(message).hint("`cairn taiga projects` lists the projects you are a member of")
        }
        ErrorKind::Validation { .. } => Error::invalid(message),
        ErrorKind::RateLimit { .. } | ErrorKind::Network | ErrorKind::Server | ErrorKind::Unknown => {
            Error::unavailable(message).hint(AGAIN)
        }
    }
}
