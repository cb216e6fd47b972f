//! What a person or an agent can do: one file per verb, one function each.

mod chart;
mod code;
mod columns;
mod comment;
mod create;
mod delete;
mod doctor;
mod edit;
mod export;
mod glance;
mod import;
mod init;
mod label;
mod link;
mod list;
mod log;
pub(crate) mod member;
mod progress;
mod ready;
mod show;
mod stats;
mod sync;
mod workflow;

pub use chart::LONGEST_CHART;
pub use columns::ColumnsOptions;
pub use create::NewItem;
pub use edit::Edit;
pub use glance::Glance;
pub use init::InitReport;
pub use link::LinkTarget;
pub use list::ListOptions;
pub use member::NewMember;
pub use progress::Closing;
pub use sync::GitProgress;
pub use workflow::StatusChange;
