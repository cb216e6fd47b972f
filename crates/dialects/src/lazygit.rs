//! `lazygit`: a person's review messages, as lazygit-mcp-bridge's contract has them.

mod text;

pub use text::text;
