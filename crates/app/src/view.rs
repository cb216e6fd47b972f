//! The shapes the outside sees, one per thing, the same in the command line, the web API and the `cairn` dialect.
//! Keys are camel case; every key is always there, `null` or empty when there is nothing to say.

mod annotation;
mod chart;
mod code;
mod columns;
mod hooks;
mod item;
mod message;
mod project;

pub use annotation::{
    AnchorView, AnnotatedView, AnnotationListView, AsideView, CarriedView, CarryView, ChangedView, ConstraintView,
    ContextTrimmedView, ContextView, ConventionView, CorrectedView, CorrectionView, CoverageFileView,
    CoverageTotalsView, CoverageView, DependentOnThisView, DependentView, DepsQueryView, DepsStatsView, DepsView,
    EarlierView, FactorsView, HistoryQueryView, HistoryStatsView, HistoryView, KnowledgeView, ListedView, MomentView,
    NowView, QueryView, ReadStatsView, ReadView, RegionView, RelatedView, ResolvedView, StatusOfCodeView,
    StrandedMatchView, StrandedView, SummaryQueryView, SummaryStatsView, SummaryView, TouchingView, TrimmedView,
    UnitView,
};
pub use chart::{BurndownDayView, BurndownView, FlowDayView, FlowStatusView, FlowView};
pub use code::{TouchedCodeView, TouchedPlaceView};
pub use columns::{ColumnView, ColumnsView};
pub use hooks::{HookView, HooksView};
pub use item::{BlockedView, CommentView, FormerTextView, ItemView, ListView, Reference};
pub use message::{CodeView, InboxView, LinesView, MessageView, ReplyView};
pub use project::{
    CheckView, DoctorView, EntryView, ImportView, LogView, MemberView, OpView, ReadyView, RenumberedView,
    StatsKindView, StatsView, StatusView, SyncView, TrafficView, WaitingView, WorkflowView,
};

pub(crate) use item::{item_views, one_item_view, reference};
