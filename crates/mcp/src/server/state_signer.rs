//! Signs the state of a call that must be repeated. The state travels through the client; the signature ensures that it
//! comes back unchanged, for the same request, to the same process, and before it expires.

use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};

use crate::fault::Fault;

/// Lifetime of a sealed state. A person may have to answer first, hence an hour.
const MAX_AGE: Duration = Duration::from_hours(1);

/// The signing key of a server process. Another process has another key, so a call that is repeated there must start
/// again.
#[derive(Debug)]
pub(super) struct StateSigner(RequestStateCodec);

impl Default for StateSigner {
    fn default() -> Self {
        let key =
            [uuid::Uuid::new_v4().into_bytes(), uuid::Uuid::new_v4().into_bytes(), uuid::Uuid::new_v4().into_bytes()];
        // Three UUIDs have 366 random bits, more than the 256 that the key needs.
        Self(RequestStateCodec::new_unchecked(key.concat()))
    }
}

impl StateSigner {
    /// Seals a state for the request `name`.
    pub(super) fn seal(&self, name: &str, state: &str) -> String {
        self.0.seal_with(state.as_bytes(), &SealOptions::new().associated_data(name.as_bytes()).ttl(MAX_AGE))
    }

    /// Opens a sealed state.
    pub(super) fn open(&self, name: &str, sealed: &str) -> Result<String, Fault> {
        let state = self.0.open_with(sealed, name.as_bytes()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        state.ok_or_else(|| Fault::Invalid("invalid `requestState`; repeat the call without it".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forged_request_state_is_refused() {
        let signer = StateSigner::default();
        let sealed = signer.seal("a", "state");
        assert_eq!(signer.open("a", &sealed), Ok("state".to_owned()));
        let changed = sealed.replacen(|c: char| c.is_ascii_digit(), "x", 3);
        for (name, sealed) in [("b", &*sealed), ("a", ""), ("a", "state"), ("a", &changed)] {
            assert!(matches!(signer.open(name, sealed), Err(Fault::Invalid(_))), "{name} {sealed}");
        }
        assert!(StateSigner::default().open("a", &sealed).is_err());
    }
}
