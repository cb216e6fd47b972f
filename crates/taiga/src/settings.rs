//! Settings of a client, apart from its credentials.

use std::time::Duration;

use crate::ServerUrl;

/// Settings of a client. [`Settings::new`] has defaults for interactive use.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The server.
    pub server: ServerUrl,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// Timeout of one request, including its response.
    pub timeout: Duration,
    /// Maximum size of a response.
    pub max_response_bytes: u64,
    /// Maximum number of concurrent requests.
    pub max_concurrent: usize,
    /// How long one call may wait for a pause that the server asked for; a longer pause is an error at once.
    pub patience: Duration,
}

impl Settings {
    /// Defaults: 30 seconds, 32 MiB, four concurrent requests, three seconds of patience.
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
