//! The JSON API at `/api`. `table` declares every route; the routing, the checks before a handler runs, and the
//! `OpenAPI` description are made from it. A handler decodes its request, calls one function of `app`, and encodes the
//! result.

mod attachments;
mod charts;
mod choices;
mod document;
mod events;
mod fields;
mod inbox;
mod items;
mod labels;
mod links;
mod lists;
mod place;
mod precondition;
mod project;
mod reply;
mod request;
mod route;
mod table;
mod views;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::routing::any;
use mcp::http::Shutdown;

use crate::problem::Problem;
use crate::shared::Shared;
pub use document::document;
use events::Events;
use route::{ApiState, Route};

/// Returns the routes of the API; `stop` ends event streams at shutdown.
pub(crate) fn routes(shared: Shared, stop: &Shutdown) -> Router {
    let served = ApiState { shared: shared.clone(), events: Events::new(shared, stop.clone()) };
    let mut router = Router::new();
    for path in ["/api", "/api/", "/api/{*rest}"] {
        router = router.route(path, any(nothing));
    }
    let mut paths: Vec<&'static str> = table::ROUTES.iter().map(|route| route.path).collect();
    paths.dedup();
    for path in paths {
        let served = served.clone();
        let own: Vec<&'static Route> = table::ROUTES.iter().filter(|route| route.path == path).collect();
        router = router.route(path, any(move |request: Request| route::answer(served.clone(), own.clone(), request)));
    }
    router
}

async fn nothing() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "path not found").hint("`GET /api/openapi.json` describes all paths")
}

#[cfg(test)]
mod tests {
    use super::table::ROUTES;

    #[test]
    fn routes_of_a_path_are_adjacent_and_unique() {
        let mut seen: Vec<&str> = Vec::new();
        for route in ROUTES {
            assert!(seen.last() == Some(&route.path) || !seen.contains(&route.path), "{}", route.path);
            seen.push(route.path);
        }
        for (n, route) in ROUTES.iter().enumerate() {
            let same = |other: &&super::Route| (other.method, other.path) == (route.method, route.path);
            assert!(!ROUTES[..n].iter().any(|other| same(&other)), "{:?} {}", route.method, route.path);
        }
    }
}
