//! The bytes in git: what a commit on the work ref says, in every version of the format. `docs/format.md` is the
//! specification; this module never guesses at what it cannot read, it reports it.

mod message;
pub mod v1;

pub use message::{Message, read_message, write_message};

/// The longest commit message that is read. A writer puts more than that into files of the commit's tree.
pub const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;
/// From this size on a writer puts operations into the tree.
pub const MESSAGE_TARGET: usize = 1024 * 1024;
/// The longest file of operations that is read.
pub const FILE_LIMIT: usize = 256 * 1024 * 1024;
/// The most bytes of operations a writer puts into one file.
pub const FILE_TARGET: usize = 16 * 1024 * 1024;
/// The longest single operation that is read.
pub const OP_LIMIT: usize = 16 * 1024 * 1024;
/// The folder of the tree that holds files of operations.
pub const FOLDER: &str = "ops";
