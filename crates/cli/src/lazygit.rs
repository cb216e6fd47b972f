//! The user's lazygit: its settings, the commands that Cairn adds, and their removal.
//!
//! Settings are edited as text, line by line; a parser only finds positions and verifies the result.

pub(crate) mod commands;
pub(crate) mod config;
mod edit;
mod editor;
pub(crate) mod keys;
pub(crate) mod program;
mod yaml;

pub(crate) use edit::{Block, Wrapper, install, remove, wraps_editor};
pub(crate) use editor::editor_template;
