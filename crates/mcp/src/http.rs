//! Streamable HTTP: handlers for many dialects as one router. No socket is opened here: the HTTP server is `web`.
//!
//! A dialect that never sends notifications is served without sessions: one POST, one response. Other dialects get
//! sessions, an event stream for notifications, and resumption of a broken stream.

mod access;
mod batch;
mod body;
mod conversation;
mod endpoint;
mod era;
mod library;
mod log;
mod media;
mod session;
mod sessions;
mod shutdown;
mod stateless;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::routing::any;

use crate::service::Service;
pub use access::{Access, Guard};
pub use body::discard;
pub(crate) use endpoint::{Endpoint, open};
pub use shutdown::Shutdown;

/// What is served, and to whom.
pub struct Site {
    /// Each is found at `/mcp/NAME`.
    pub services: Vec<Service>,
    /// The one that is found at `/mcp` too.
    pub chosen: Option<&'static str>,
    /// Who gets in.
    pub access: Access,
}

/// Makes the routes of a site; `stop` says when those who listen are to be let go.
pub fn router(site: Site, stop: &Shutdown) -> Router {
    let Site { services, chosen, access } = site;
    let mut router = Router::new();
    for service in services {
        let name = service.name();
        let endpoint: Arc<dyn Endpoint> = service.0.mount(access.clone(), stop.clone());
        if chosen == Some(name) {
            router = route(router, "/mcp", &endpoint);
        }
        router = route(router, &format!("/mcp/{name}"), &endpoint);
    }
    router
}

fn route(router: Router, path: &str, endpoint: &Arc<dyn Endpoint>) -> Router {
    let endpoint = Arc::clone(endpoint);
    router.route(path, any(move |request: Request| Arc::clone(&endpoint).answer(request)))
}
