//! The Model Context Protocol: tools, resources and prompts as data, dialects as tables, and the transports that serve
//! them. It knows no domain: what a tool does is a function it is given.
//!
//! `rmcp` speaks the protocol in both of its eras; what it lets pass or drops in silence is settled before it, here.

mod answer;
mod audit_hook;
mod call;
mod cursor;
mod delivery;
mod dialect;
mod fault;
#[cfg(fuzzing)]
pub mod fuzzing;
pub mod http;
mod question;
mod registry;
mod resources;
mod serve_options;
mod server;
mod service;
mod signals;
pub mod stdio;
#[cfg(test)]
mod test_dialect;
mod validate;
mod watch;

pub use answer::{
    Content, PromptAnswer, PromptMessage, Resource, ResourceContents, ResourceData, Role, Then, ToolAnswer,
};
pub use audit_hook::{AuditHook, Outcome, ToolCallEvent};
pub use call::{Call, Caller, LogLevel, LogMessage, Progress};
pub use dialect::{Dialect, ErrorPlacement, ErrorPolicy, ErrorText, HttpPolicy, ServerName, ToolNames, Versions};
pub use fault::Fault;
pub use question::{Capability, Question, Questions};
pub use registry::{Effect, Schema, Tool, arguments, schema};
pub use resources::{Argument, Complete, Page, PageRequest, Prompt, PromptArguments, ResourceTemplate, Resources};
pub use serve_options::{EXTENDED, HttpStatus, ServeOptions};
pub use service::Service;
pub use signals::Signals;
pub use watch::{List, Notifier, Watch};
