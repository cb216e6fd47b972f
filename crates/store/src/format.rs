//! The bytes in git: commits on the work ref in every version of the format, and notes. `docs/format.md` is the
//! specification. Unreadable data is reported, never guessed.

pub mod annotation;
mod message;
pub mod v1;

use crate::git::FileLimits;
pub use message::{CommitMessage, read_message, write_message};

/// Maximum length of a commit message. Writers put longer content into files of the commit's tree.
pub const MESSAGE_LIMIT: u64 = 16 * 1024 * 1024;
/// Size from which a writer puts operations into the tree.
pub const MESSAGE_TARGET: usize = 1024 * 1024;
/// Limits for the files of one commit.
pub const FILE_LIMITS: FileLimits =
    FileLimits { files: 4096, file_bytes: 64 * 1024 * 1024, total_bytes: 1024 * 1024 * 1024 };
/// Default limit for the bytes of operations that one sync ingests.
pub const RECEIVE_LIMIT: u64 = 1024 * 1024 * 1024;
/// Maximum number of operations of one entity: all of them are in memory during the fold.
pub const OPS_PER_ENTITY_LIMIT: i64 = 100_000;
/// Size up to which a writer fills a file of operations.
pub const FILE_TARGET: usize = 16 * 1024 * 1024;
/// Maximum length of a single operation.
pub const OP_LIMIT: usize = 16 * 1024 * 1024;
/// The folder of the tree with the files of operations.
pub const FOLDER: &str = "ops";
