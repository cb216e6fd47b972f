//! How many streams each token listens to. A stream holds a connection for as long as its reader likes, so one token gets
//! a share of them; who is refused gives the connection back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many streams one token may listen to at once: more pages than a person looks at.
const MAX_STREAMS_OF_TOKEN: usize = 128;

/// The streams of all tokens; cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Streams(Arc<Mutex<HashMap<String, usize>>>);

/// One stream, counted until it is dropped.
pub(super) struct Stream {
    streams: Streams,
    token: String,
}

impl Streams {
    /// Counts one more stream of a token; `None` when it has as many as it may.
    pub(super) fn try_open(&self, token: &str) -> Option<Stream> {
        let mut counts = self.lock();
        let count = counts.entry(token.to_owned()).or_default();
        if *count >= MAX_STREAMS_OF_TOKEN {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(Stream { streams: self.clone(), token: token.to_owned() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut counts = self.streams.lock();
        if let Some(count) = counts.get_mut(&self.token) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_has_its_share_and_gets_it_back() {
        let streams = Streams::default();
        let open: Vec<_> = (0..=MAX_STREAMS_OF_TOKEN).map_while(|_| streams.try_open("ada")).collect();
        assert_eq!(open.len(), MAX_STREAMS_OF_TOKEN);
        assert!(streams.try_open("bob").is_some());
        drop(open);
        assert!(streams.try_open("ada").is_some());
        assert!(streams.lock().is_empty());
    }
}
