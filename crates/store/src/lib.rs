//! Operations in git and back, and the index derived from them.
//!
//! The log is the truth; the index serves queries and may be deleted at any moment. Nothing here decides what a change
//! means (that is `model`) or what a person sees (that is `app`).

mod adopt;
mod attach;
mod attachments;
mod blame;
mod clock;
mod entries;
pub mod format;
pub mod git;
mod group;
pub mod index;
pub mod intents;
mod lineage;
mod mentions;
pub mod notes;
mod open;
mod operation_files;
pub mod private_file;
mod reachable;
pub mod shared;
pub mod spool;
pub mod sync;
mod write;
mod zone;

pub use clock::{new_uuid, now};
pub use entries::Extent;
pub use lineage::Lineage;
pub use open::{IndexCheck, Listener, Notice, Store, StoreError};
pub use write::{LineWriter, Origin, Step, WriteMeta, WritePlan};
pub use zone::local_zone;
