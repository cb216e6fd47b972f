//! Keys and screens of the terminal interface, without a terminal.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod changes;
mod panels;
mod screen;
