//! Tests with the real lazygit.

mod remarks;
mod scene;
mod settings;
