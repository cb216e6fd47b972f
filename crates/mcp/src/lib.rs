//! The Model Context Protocol: tools, resources and prompts as data, dialects as tables, and the transports that serve
//! them. It knows no domain: what a tool does is a function it is given.
//!
//! `rmcp` speaks the protocol in both of its eras; what it lets pass or drops in silence is settled before it, here.

mod answer;
mod call;
mod cursor;
mod delivery;
mod dialect;
mod fault;
#[cfg(fuzzing)]
pub mod fuzzing;
mod gate;
pub mod http;
mod offer;
mod question;
mod registry;
mod resources;
mod server;
mod service;
mod signals;
pub mod stdio;
#[cfg(test)]
mod talker;
mod watch;
mod witness;

pub use answer::{
    Content, PromptAnswer, PromptMessage, Resource, ResourceContents, ResourceData, Role, Then, ToolAnswer,
};
pub use call::{Call, Caller, LogLevel, LogMessage, Progress};
pub use dialect::{Answering, Dialect, ErrorPolicy, ErrorWords, HttpPolicy, ServerName, ToolNames, Versions};
pub use fault::Fault;
pub use offer::Offer;
pub use question::{Capability, Question, Questions};
pub use registry::{Effect, Schema, Tool, arguments, schema};
pub use resources::{Argument, Complete, Page, PageRequest, Prompt, PromptArguments, ResourceTemplate, Resources};
pub use service::Service;
pub use watch::{List, Notifier, Watch};
pub use witness::{Deed, Outcome, Witness};
