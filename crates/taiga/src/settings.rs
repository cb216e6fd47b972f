//! How a client behaves, apart from who it is.

use std::time::Duration;

use crate::ServerUrl;

/// How a client behaves. [`Settings::new`] has what suits a person at work.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which server.
    pub server: ServerUrl,
    /// What the client calls itself.
    pub user_agent: String,
    /// How long one request may take, answer included.
    pub timeout: Duration,
    /// How large an answer may be.
    pub max_response_bytes: u64,
    /// How many requests may run at once.
    pub max_concurrent: usize,
    /// How long one call may wait for a pause that the server asked for; a longer one is an error at once.
    pub patience: Duration,
}

impl Settings {
    /// Settings for a server: 30 seconds, 32 MiB, four requests at once, three seconds of patience.
    pub fn new(server: ServerUrl) -> Self {
        Self {
            server,
            user_agent: concat!("taiga-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeout: Duration::from_secs(30),
            max_response_bytes: 32 << 20,
            max_concurrent: 4,
            patience: Duration::from_secs(3),
        }
    }
}
