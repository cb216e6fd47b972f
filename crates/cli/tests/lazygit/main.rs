//! Tests with the real lazygit in a terminal: keys and typed text result in the intended messages.
//!
//! Needs `tmux`, and lazygit on the `PATH` or where `cargo xtask ci` installs it. Without them the tests are skipped
//! with a note, and fail if the variable `CI` is set.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod remarks;
mod scene;
mod settings;
mod terminal;
