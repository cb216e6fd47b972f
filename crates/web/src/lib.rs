//! The HTTP server: listener, TLS, limits, authentication, the board, the JSON API, live updates and the MCP endpoints.
//!
//! A handler decodes its request, calls one function of `app`, and encodes the result. Only `auth` reads tokens and
//! cookies; everything behind it gets a principal.

mod api;
mod audit;
mod auth;
mod cached;
mod compress;
mod health;
pub mod listen;
mod metrics;
mod pages;
mod principal;
mod private_file;
mod problem;
mod proxy;
mod server;
mod shared;
#[cfg(test)]
mod shared_test;
mod tokens;
mod watch;

pub use api::document as openapi;
pub use auth::{AuthMode, Rate, StaticToken};
pub use proxy::Proxy;
pub use server::{Open, ServerSettings, router, serve};
pub use tokens::{NewToken, TokenSecret, TokenView, Tokens};
pub use watch::{AnsweredRequest, Log};
