//! The JSON shapes, the same in the command line, the web API and the `cairn` dialect. Keys are camel case; every key
//! is always present, `null` or empty without a value; [`without_empty_keys`] is for readers that pay for them.

pub mod by_name;
mod chart;
mod columns;
mod commit;
mod compact;
mod database;
mod event;
mod item;
mod lines;
mod project;
mod saved_view;
mod template;

pub use chart::{BurndownDayView, BurndownView, FlowDayView, FlowStatusView, FlowView};
pub use columns::{ColumnView, ColumnsView};
pub use commit::{ClosedByCommitView, CommitRelation, CommitState, CommitView};
pub use compact::without_empty_keys;
pub use database::{DatabaseView, SharedRefView};
pub use event::{EventObject, EventView};
pub use item::reference;
pub use item::{
    AttachmentView, BlockedView, CommentView, FormerTextView, ImportSourceView, ItemView, ListView, ProgressView,
    Reference,
};
pub(crate) use item::{item_views, one_item_view};
pub use lines::LinesView;
pub use project::{
    CheckOutcome, CheckView, DoctorView, EntryView, LabelView, LogView, MemberView, OpView, OperationsImportedView,
    ReadyView, RenumberedView, StatsKindView, StatsView, StatusView, SyncStateView, SyncView, TrafficView, UndoView,
    UndoneView, WaitingView, WorkflowView,
};
pub use saved_view::{BoardLook, SavedView, ViewGroup, ViewLayout};
pub use template::TemplateView;
