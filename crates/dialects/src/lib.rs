//! One folder per MCP contract: its tools, shapes, texts and codes. A dialect decodes arguments, calls `app`, and
//! encodes views; logic that another dialect might need belongs in `app`.

pub mod cairn;
mod caller;
pub mod lazygit;
pub mod mile;
pub mod quicksilver;
mod scalar;
mod table;
pub mod taiga;
pub mod ultragit;
mod words;

pub use table::{DIALECTS, DialectEntry, OnCall, ServerContext, try_find, try_find_named};
