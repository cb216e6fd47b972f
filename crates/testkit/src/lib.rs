//! Fixtures for tests. Everything here is deterministic: fixed people, fixed times, none of the machine's own git
//! configuration, no network.

mod cairn;
mod console;
mod repository;

pub use cairn::{Cairn, Ran};
pub use console::check_page;
pub use repository::{Layout, TestRepository, git_in, git_with_input, write_commit};
