//! Tests with real programs in a terminal: shells and their completion, `cairn tui`, and lazygit, whose keys and typed
//! text result in the intended messages.
//!
//! They need `tmux`, the shells, and lazygit on the `PATH` or where `cargo xtask ci` installs it. Without them the tests
//! are skipped with a note, and fail if the variable `CI` is set.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod lazygit;
mod shells;
mod terminal;
mod tui;
