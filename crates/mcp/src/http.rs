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
use endpoint::{Endpoint, open};
pub use shutdown::Shutdown;

/// The dialects to serve and the access rules.
pub struct HttpServices {
    /// Each service is mounted at `/mcp/NAME`.
    pub services: Vec<Service>,
    /// The service that is also mounted at `/mcp`.
    pub chosen: Option<&'static str>,
    /// Access rules for all services.
    pub access: Access,
}

/// Makes the router of a site; `stop` ends event streams at shutdown.
pub fn router(site: HttpServices, stop: &Shutdown) -> Router {
    let HttpServices { services, chosen, access } = site;
    let mut router = Router::new();
    for service in services {
        let name = service.name();
        let endpoint = Arc::new(open(service.0, access.clone(), stop.clone()));
        if chosen == Some(name) {
            router = route(router, "/mcp", &endpoint);
        }
        router = route(router, &format!("/mcp/{name}"), &endpoint);
    }
    router
}

fn route(router: Router, path: &str, endpoint: &Arc<Endpoint>) -> Router {
    let endpoint = Arc::clone(endpoint);
    let answer = move |request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move { endpoint.answer(request).await }
    };
    router.route(path, any(answer))
}
