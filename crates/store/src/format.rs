//! The bytes in git: what a commit on the work ref says, in every version of the format, and what a note says. `docs/format.md` is the
//! specification; this module never guesses at what it cannot read, it reports it.

pub mod annotation;
mod message;
pub mod v1;

use crate::git::FileLimits;

pub use message::{Message, read_message, write_message};

/// The longest commit message that is read. A writer puts more than that into files of the commit's tree.
pub const MESSAGE_LIMIT: u64 = 16 * 1024 * 1024;
/// From this size on a writer puts operations into the tree.
pub const MESSAGE_TARGET: usize = 1024 * 1024;
/// The most that is read from the files of one commit.
pub const FILE_LIMITS: FileLimits =
    FileLimits { files: 4096, file_bytes: 64 * 1024 * 1024, total_bytes: 1024 * 1024 * 1024 };
/// The most bytes of operations that one sync takes in, unless the person says otherwise.
pub const RECEIVE_LIMIT: u64 = 1024 * 1024 * 1024;
/// The most operations that are read of one entity: all of them are in memory while it is folded.
pub const OPS_PER_ENTITY_LIMIT: i64 = 100_000;
/// The most bytes of operations a writer puts into one file.
pub const FILE_TARGET: usize = 16 * 1024 * 1024;
/// The longest single operation that is read.
pub const OP_LIMIT: usize = 16 * 1024 * 1024;
/// The folder of the tree that holds files of operations.
pub const FOLDER: &str = "ops";
