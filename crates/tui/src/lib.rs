//! The board, the list, an item, the inbox and the annotations of a project in a terminal.
//!
//! `state` is what is shown, `update` changes it by one key, `draw` renders it; none of them knows a terminal, so that
//! tests press keys and read the screen without one. `terminal` is the loop around them.

mod change;
mod draw;
mod keys;
mod popup;
mod state;
mod terminal;
mod update;

pub use draw::draw;
pub use state::Interface;
pub use terminal::run;
