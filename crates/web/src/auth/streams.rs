//! Limits the event streams of each token. A stream holds a connection for as long as its reader likes, so one token
//! gets only a share; a refused client gives the connection back.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

/// Maximum number of streams of one token: more pages than a person looks at.
const MAX_STREAMS_OF_TOKEN: usize = 128;

/// The number of streams per token; cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Streams(Arc<Mutex<HashMap<String, usize>>>);

/// One stream, counted until it is dropped.
pub(super) struct Stream {
    streams: Streams,
    token: String,
}

impl Streams {
    /// Counts another stream of a token; `None` if the limit is reached.
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
        self.0.lock()
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
