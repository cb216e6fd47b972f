//! Fixtures for tests. Everything here is deterministic: fixed people, fixed times, none of the machine's own git
//! configuration, no network beyond this machine.

mod cairn;
pub mod certificates;
mod code_history;
mod console;
mod excerpt;
pub mod http;
pub mod postgres;
mod random;
mod recorded;
mod redact;
mod repository;
mod skip;
pub mod taiga;
mod tcp_proxy;

pub use cairn::{Cairn, Ran};
pub use code_history::{CodeFile, CodeHistory, Function, write_code_history};
pub use console::{check_page, check_page_with};
pub use excerpt::{lines_with, tags_with};
pub use random::Random;
pub use recorded::{check_recorded, is_updating};
pub use redact::redact;
pub use repository::{Layout, TestRepository, git_in, git_with_input, write_commit};
pub use skip::skip;
pub use tcp_proxy::{Cut, CutPlace, TcpProxy};
