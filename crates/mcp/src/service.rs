//! A dialect together with its state, with the state type erased, so that transports can hold services of all dialects.

use std::io;
use std::sync::Arc;

use crate::dialect::Dialect;
use crate::http::{Access, Endpoint, Shutdown};
use crate::serve_options::ServeOptions;
use crate::server::Server;

/// A dialect, ready to be served.
pub struct Service(pub(crate) Box<dyn AnyServer>);

impl Service {
    /// Combines a dialect with its state and options.
    pub fn new<C: Send + Sync + 'static>(dialect: &'static Dialect<C>, subject: C, options: ServeOptions) -> Self {
        Self(Box::new(Server::new(dialect, Arc::new(subject), options)))
    }

    /// Returns the dialect's name on the command line and in URL paths.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }
}

/// A server of any dialect: each has another type of state.
pub(crate) trait AnyServer: Send {
    fn name(&self) -> &'static str;
    fn serve_stdio(self: Box<Self>) -> io::Result<()>;
    fn mount(self: Box<Self>, access: Access, stop: Shutdown) -> Arc<dyn Endpoint>;
}

impl<C: Send + Sync> AnyServer for Server<C> {
    fn name(&self) -> &'static str {
        self.dialect().name
    }

    fn serve_stdio(self: Box<Self>) -> io::Result<()> {
        crate::stdio::run(*self)
    }

    fn mount(self: Box<Self>, access: Access, stop: Shutdown) -> Arc<dyn Endpoint> {
        crate::http::open(*self, access, stop)
    }
}
