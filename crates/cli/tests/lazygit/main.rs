//! The real lazygit in a real terminal: what a person presses and types there arrives as they meant it.
//!
//! Needs `tmux`, and lazygit on the `PATH` or where `cargo xtask ci` installs it. Without them the tests say so loudly,
//! and fail where the variable `CI` is set.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod remarks;
mod scene;
mod settings;
mod terminal;
