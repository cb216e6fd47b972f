//! The code of an item as JSON.

use app::view::Reference;
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReadView, SummaryView};

/// The code an item is about, with its annotations.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TouchedCodeView {
    /// The item.
    pub item: Reference,
    /// The first places it names.
    pub places: Vec<TouchedPlaceView>,
    /// Number of places that it names.
    pub total: usize,
}

/// A place in the code. Of `read`, `summary` and `error`, one is there and the others are null.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TouchedPlaceView {
    /// The place as the item names it: `path` or `path:anchor`.
    pub touches: String,
    /// The annotations of the function or type it names.
    pub read: Option<ReadView>,
    /// The annotations of the file or folder it names.
    pub summary: Option<SummaryView>,
    /// Why there is no result, such as a missing file.
    pub error: Option<String>,
}
