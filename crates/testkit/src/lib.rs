//! Fixtures for tests. Everything here is deterministic: fixed people, fixed times, none of the machine's own git
//! configuration, no network.

mod repository;

pub use repository::{Layout, TestRepository, git_in};
