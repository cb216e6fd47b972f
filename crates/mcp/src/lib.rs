//! The Model Context Protocol: tools, resources and prompts as data, dialects as tables, and transports. It has no
//! domain knowledge: a tool is a function that it is given.
//!
//! `rmcp` implements the protocol in both of its eras. Messages that `rmcp` would accept wrongly or drop without a
//! response are checked here first.

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
mod results;
mod serve_options;
mod server;
mod service;
mod signals;
pub mod stdio;
#[cfg(test)]
mod test_dialect;
mod validate;
mod watch;

pub use audit_hook::{AuditHook, Outcome, ToolCallEvent};
pub use call::{Call, Caller, LogLevel, LogMessage, ProgressUpdate};
pub use dialect::{Dialect, ErrorPlacement, ErrorPolicy, ErrorText, HttpPolicy, ServerName, ToolNames, Versions};
pub use fault::Fault;
pub use question::{Capability, Question, Questions};
pub use registry::{Effect, Schema, Tool, arguments, schema, with_whole_numbers};
pub use resources::{
    Argument, Complete, PageRequest, Prompt, PromptArguments, ResourcePage, ResourceTemplate, Resources,
};
pub use results::{
    AfterDelivery, Content, MessageRole, PromptMessage, PromptResult, Resource, ResourceContents, ResourceData,
    ToolResult,
};
pub use serve_options::{EXTENDED, HttpStatus, ServeOptions};
pub use service::Service;
pub use signals::Signals;
pub use watch::{List, Notifier, Watch};
