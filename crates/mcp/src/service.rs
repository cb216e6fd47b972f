//! A dialect together with its state, with the state type erased, so that transports can hold services of all dialects.

use std::io;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::dialect::{Dialect, HttpPolicy};
use crate::http::{Access, Endpoint, Shutdown};
use crate::serve_options::ServeOptions;
use crate::server::Server;

/// A dialect, ready to be served.
pub struct Service(pub(crate) Box<dyn Erased>);

impl Service {
    /// Combines a dialect with its state and options.
    pub fn new<C: Send + Sync + 'static>(dialect: &'static Dialect<C>, subject: C, options: ServeOptions) -> Self {
        Self(Box::new(Parts { dialect, subject, options }))
    }

    /// Returns the dialect's name on the command line and in URL paths.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }
}

/// A service with its state type erased.
pub(crate) trait Erased: Send {
    fn name(&self) -> &'static str;
    fn serve_stdio(self: Box<Self>) -> io::Result<()>;
    fn mount(self: Box<Self>, access: Access, stop: Shutdown) -> Arc<dyn Endpoint>;
}

/// A service that has not been started.
pub(crate) struct Parts<C: 'static> {
    pub(crate) dialect: &'static Dialect<C>,
    subject: C,
    options: ServeOptions,
}

impl<C: Send + Sync> Parts<C> {
    /// Returns the HTTP policy after applying the options.
    pub(crate) fn http(&self) -> HttpPolicy {
        self.options.http(self.dialect.http)
    }

    /// Starts the server; `ending` is cancelled at shutdown and ends event streams.
    pub(crate) fn start(self, ending: CancellationToken) -> Server<C> {
        Server::new(self.dialect, Arc::new(self.subject), self.options, ending)
    }
}

impl<C: Send + Sync> Erased for Parts<C> {
    fn name(&self) -> &'static str {
        self.dialect.name
    }

    fn serve_stdio(self: Box<Self>) -> io::Result<()> {
        crate::stdio::run(*self)
    }

    fn mount(self: Box<Self>, access: Access, stop: Shutdown) -> Arc<dyn Endpoint> {
        crate::http::open(*self, access, stop)
    }
}
