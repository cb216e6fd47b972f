//! A typed client of Taiga's REST interface, for programs that block.
//!
//! [`Client`] is the way in: it carries credentials, keeps to the server's limits, reads every shape of answer and of
//! error. It knows nothing of what its callers do with that, prints nothing, and never lets a secret into a text.
//!
//! The client refuses to exist without credentials: asked without any, a Taiga answers lists with "nothing there".

mod answer;
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
