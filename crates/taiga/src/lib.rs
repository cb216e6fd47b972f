//! A typed, blocking client of Taiga's REST API.
//!
//! [`Client`] holds credentials, keeps to the server's limits, and parses every shape of response and error. It knows
//! nothing about its callers, prints nothing, and never lets a secret into a text.
//!
//! A client cannot be made without credentials: a Taiga answers anonymous list requests with an empty list.

mod client;
mod clock;
pub mod dto;
mod endpoints;
mod error;
mod error_body;
mod filter;
mod limiter;
mod meter;
mod paging;
mod proxy;
mod query;
mod response;
mod secret;
mod server;
mod session;
mod settings;
mod transport;

#[cfg(test)]
mod replay;

pub use client::{Client, Login};
pub use clock::{Clock, SystemClock};
pub use endpoints::order::CardPlace;
pub use error::{AuthProblem, Error, ErrorKind};
pub use filter::{EpicFilter, IssueFilter, ItemFilter, OrderBy, OrderField, StoryFilter, TaskFilter};
pub use meter::Meter;
pub use paging::{Page, Window};
pub use secret::Secret;
pub use server::ServerUrl;
pub use session::{Credentials, TokenPair, TokenStore, TokenStoreError};
pub use settings::Settings;
