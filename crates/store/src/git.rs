//! Everything that touches git, at the level of bytes and object ids.
//!
//! It knows nothing of items or operations. It never touches the work tree, the index, `HEAD` or a branch, never
//! creates a repository, and lets no `gix` type out. What has been written is on disk before it is acknowledged.

mod absence;
mod blame;
mod changes;
mod code;
mod commit;
mod discover;
mod durable;
mod error;
mod fetch;
mod format;
mod history;
mod hook_files;
mod id;
mod identity;
mod line_history;
mod loose;
mod maintenance;
mod making;
mod notes_tree;
mod objects;
mod own_files;
mod ownership;
mod program;
mod push;
mod question;
mod reach;
mod read;
mod ref_lock;
mod ref_name;
mod reference;
mod reflog;
mod reftable;
mod remote;
mod repository;
mod settings;
mod settings_files;
mod sharing;
mod snapshot;
mod tree;
mod tree_path;
mod writer_lock;

pub use blame::BlameHunk;
pub use changes::{ChangedFile, ChangedSpan, FilePair};
pub use code::WorkTreeEntry;
pub use commit::{Fixed, NewCommit};
pub use error::{GitError, MoveError, ReadError};
pub use history::LogLine;
pub use hook_files::{HOOK_MARK, HookFile, HookState};
pub use id::{BadId, CommitId, ObjectId};
pub use identity::Identity;
pub use line_history::LineChange;
pub use making::squashed_commits;
pub use notes_tree::NoteChange;
pub use program::Progress;
pub use push::{PushOutcome, PushSpec, PushStatus};
pub use question::PATIENCE;
pub use read::{FileLimits, RawCommit};
pub use ref_name::{BadRefName, RefName};
pub use repository::{RefStorage, Repository};
pub use settings::HeldSettings;
pub use snapshot::TreeEntry;
pub use tree_path::{BadTreePath, TreePath};
pub use writer_lock::{Holder, Recovered, WriterGuard};
