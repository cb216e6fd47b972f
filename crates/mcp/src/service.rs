//! A dialect together with what it works on, whatever that is: what a front door hands to a transport.

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
    /// Serves what `options` says of a dialect, on a subject.
    pub fn new<C: Send + Sync + 'static>(dialect: &'static Dialect<C>, subject: C, options: ServeOptions) -> Self {
        Self(Box::new(Parts { dialect, subject, options }))
    }

    /// Returns what the dialect is called on the command line and in paths.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }
}

/// A service without its type.
pub(crate) trait Erased: Send {
    fn name(&self) -> &'static str;
    fn serve_stdio(self: Box<Self>) -> io::Result<()>;
    fn mount(self: Box<Self>, access: Access, stop: Shutdown) -> Arc<dyn Endpoint>;
}

/// A service before anything has begun.
pub(crate) struct Parts<C: 'static> {
    pub(crate) dialect: &'static Dialect<C>,
    subject: C,
    options: ServeOptions,
}

impl<C: Send + Sync> Parts<C> {
    /// Returns how it is served over HTTP.
    pub(crate) fn http(&self) -> HttpPolicy {
        self.options.http(self.dialect.http)
    }

    /// Begins; `ending` says when those who listen are to be let go.
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
