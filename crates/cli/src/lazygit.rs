//! A person's lazygit: where its settings are, what Cairn puts into them, and how that comes out again.
//!
//! Settings are edited as text, by line; a parser only says where things are and whether the result says what it should.

pub(crate) mod commands;
pub(crate) mod config;
mod edit;
mod editor;
pub(crate) mod keys;
pub(crate) mod program;
mod yaml;

pub(crate) use edit::{Block, Wrapper, install, remove, wraps_editor};
pub(crate) use editor::editor_template;
