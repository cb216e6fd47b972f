//! The HTTP server through its router, without a socket: authentication, roles, CSRF, the JSON API, pages, headers.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod api;
mod auth;
mod headers;
mod pages;
mod roles;
mod several_servers;
mod site;
