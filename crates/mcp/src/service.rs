//! A dialect together with its state, as transports hold it.

use std::sync::Arc;

use crate::dialect::Dialect;
use crate::serve_options::ServeOptions;
use crate::server::Server;

/// A dialect, ready to be served.
pub struct Service(pub(crate) Server);

impl Service {
    /// Combines a dialect with its state and options.
    pub fn new<C: Send + Sync + 'static>(dialect: &'static Dialect<C>, subject: C, options: &ServeOptions) -> Self {
        Self(Server::new(dialect, &Arc::new(subject), options))
    }

    /// Returns the dialect's name on the command line and in URL paths.
    pub fn name(&self) -> &'static str {
        self.0.dialect().name
    }
}
