//! HTTP for people and programs: the board, the JSON API, live updates, and the dialects, all behind one door.
//!
//! A handler decodes its request, calls one function of `app`, and encodes the answer. Who asks is found out once, by
//! `door`; nothing behind it looks at tokens or cookies.

mod api;
mod audit;
mod door;
mod health;
mod metrics;
mod pages;
mod private_file;
mod problem;
mod proxy;
mod server;
mod shared;
mod tokens;
mod visitor;
mod watch;

pub use api::document as openapi;
pub use door::{Entrance, Pass, Rate};
pub use proxy::Proxy;
pub use server::{Open, Settings, serve};
pub use tokens::{NewToken, Secret, TokenView, Tokens};
pub use watch::{Answered, Log};
