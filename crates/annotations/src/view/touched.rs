//! The code of an item as JSON.

use app::view::Reference;
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReadView, SummaryView};

/// The code an item is about, with what is known about it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TouchedCodeView {
    /// The item.
    pub item: Reference,
    /// The first places it names.
    pub places: Vec<TouchedPlaceView>,
    /// How many places it names in all.
    pub total: usize,
}

/// A place in the code. Of `read`, `summary` and `error`, one is there and the others are null.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TouchedPlaceView {
    /// The place as the item names it: `path` or `path:anchor`.
    pub touches: String,
    /// What is known about the function or type it names, in the shape of annotations.
    pub read: Option<ReadView>,
    /// What is known about the file or folder it names, in the shape of annotations.
    pub summary: Option<SummaryView>,
    /// Why nothing can be told, such as that the file is gone.
    pub error: Option<String>,
}
