//! JSON shapes of annotation results, as specified by the `ultragit` contract; the same in all interfaces. Keys are
//! snake case. A key without a value is `null` or empty, except for `note`, `nearest` and `warnings`, which are
//! omitted.

mod aside;
mod context;
mod coverage;
mod deps;
mod diff_check;
mod history;
mod hooks;
mod list;
mod outline;
mod read;
mod status;
mod summary;
mod touched;
mod write;

pub use aside::AsideView;
pub use context::{ContextCommitView, ContextTrimmedView, ContextView, ConventionView, TouchingView};
pub use coverage::{CoverageFileView, CoverageTotalsView, CoverageView};
pub use deps::{DependentView, DepsQueryView, DepsStatsView, DepsView};
pub use diff_check::{DiffCheckView, FindingKind, FindingView};
pub use history::{HistoryQueryView, HistoryStatsView, HistoryView, MomentView};
pub use hooks::{HookView, HooksView};
pub use list::{AnnotationListView, ListedView};
pub use outline::{OutlineNoteView, OutlineSymbolView, OutlineView};
pub use read::{
    AnchorView, ChangedView, ConstraintView, CorrectionView, DependentOnThisView, EarlierView, FactorsView,
    KnowledgeView, NowView, QueryView, ReadStatsView, ReadView, RegionView, RelatedView, StatusOfCodeView, TrimmedView,
};
pub use status::{AnnotationStatus, HookStatus, OutdatedReason, PlaceMatch};
pub use summary::{SummaryQueryView, SummaryStatsView, SummaryView, UnitView};
pub use touched::{TouchedCodeView, TouchedPlaceView};
pub use write::{AnnotatedView, CarriedView, CarryView, CorrectedView, ResolvedView, StrandedMatchView, StrandedView};
