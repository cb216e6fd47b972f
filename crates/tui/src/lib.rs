//! The board, the list, an item, the inbox and the annotations of a project in a terminal.
//!
//! `state` is the state of the interface, `update` changes it by one key, `draw` renders it; none of them knows a terminal, so that
//! tests press keys and read the screen without one. `event_loop` is the loop around them.

mod change;
mod draw;
mod editor;
mod event_loop;
mod keys;
mod link;
mod menus;
mod popup;
mod state;
mod update;

pub use draw::draw;
pub use editor::TextEditor;
pub use event_loop::run;
pub use state::Interface;
