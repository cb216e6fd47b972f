//! The Model Context Protocol: tools as data, dialects as tables, and the transports that serve them. It knows no
//! domain: what a tool does is a function it is given.
//!
//! `rmcp` speaks the protocol in both of its eras; what it lets pass or drops in silence is settled before it, here.

mod dialect;
mod fault;
#[cfg(fuzzing)]
pub mod fuzzing;
mod gate;
pub mod http;
mod registry;
mod server;
mod signals;
pub mod stdio;

pub use dialect::{Answering, Dialect, ErrorPolicy, ServerName, ToolNames, Versions};
pub use fault::Fault;
pub use registry::{Effect, Schema, Tool, ToolAnswer, arguments, schema};
