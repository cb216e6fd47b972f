//! The verbs: one file each, one function each.

mod chart;
mod columns;
mod comment;
mod create;
mod delete;
mod doctor;
mod edit;
mod export;
mod import;
mod init;
mod link;
mod list;
mod log;
pub(crate) mod member;
mod progress;
mod rank;
mod ready;
mod show;
mod state_snapshot;
mod stats;
mod sync;
mod workflow;

pub use chart::MAX_DAYS;
pub use columns::ColumnsOptions;
pub use init::InitReport;
pub use link::LinkTarget;
pub use list::ListOptions;
pub use member::NewMember;
pub use progress::Closing;
pub use rank::MoveTo;
pub use state_snapshot::StateSnapshot;
pub use store::git::GitProgress;
pub use store::sync::NotesOutcome;
pub use workflow::StatusChange;
