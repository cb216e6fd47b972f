//! Streamable HTTP: many dialects on one address. Building the router is apart from listening, so that other pages can
//! be served beside it.
//!
//! A dialect that never speaks first is served without sessions: one POST, one answer. One that does gives its clients
//! sessions, a stream to be spoken to on, and the means to take a broken stream up again.

mod access;
mod alone;
mod batch;
mod body;
mod busy_body;
mod connections;
mod conversation;
mod endpoint;
mod era;
mod library;
mod listen;
mod log;
mod media;
mod patient;
mod session;
mod sessions;
#[cfg(test)]
mod tests;
mod tls;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::routing::any;

use crate::service::Service;
pub use access::{Access, Guard};
pub use body::discard;
pub use connections::{Connection, Crowded, client_prefix};
pub(crate) use endpoint::{Endpoint, open};
pub use listen::{DEFAULT_MAX_CONNECTIONS, Listening, Peer, Stop, serve};
pub use tls::Tls;

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
pub fn router(site: Site, stop: &Stop) -> Router {
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
