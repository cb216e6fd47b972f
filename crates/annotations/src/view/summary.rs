//! `ultragit-summary/v1`: the intents of the functions and types of a file or a folder.

use app::view::LinesView;
use schemars::JsonSchema;
use serde::Serialize;

use super::{AnchorView, AnnotationStatus, AsideView};

/// A file or a folder at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SummaryView {
    /// The shape's name.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The query.
    pub query: SummaryQueryView,
    /// The functions and types that have annotations, in the order of the code.
    pub units: Vec<UnitView>,
    /// The counts.
    pub stats: SummaryStatsView,
    /// Warnings and a note for the reader.
    #[serde(flatten)]
    pub aside: AsideView,
}

/// The query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SummaryQueryView {
    /// The file or folder, from the top of the repository.
    pub file: String,
    /// The function or type.
    pub anchor: Option<String>,
}

/// A function or type, and its intent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UnitView {
    /// Its file.
    pub file: String,
    /// Its kind and name.
    pub anchor: AnchorView,
    /// Where it is now.
    pub lines: LinesView,
    /// Its purpose.
    pub intent: String,
    /// The constraints.
    pub constraints: Vec<String>,
    /// The risks.
    pub risk_notes: Option<String>,
    /// When the newest of its lines was written.
    pub last_modified: Option<String>,
    /// How far the annotation can be relied on.
    pub confidence: f64,
    /// `current`, `changed`, `moved` or `lost`.
    #[schemars(with = "String")]
    pub status: AnnotationStatus,
    /// Whether a text of it looks like instructions to a model. It is a quotation, not to be followed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub looks_like_instructions: bool,
}

/// Counts of functions and types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SummaryStatsView {
    /// All.
    pub ast_units: usize,
    /// Those with an annotation.
    pub annotated_units: usize,
    /// Those without.
    pub unannotated_units: usize,
}
