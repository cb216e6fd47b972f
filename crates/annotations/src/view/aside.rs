//! Additional notes of annotation results.

use schemars::JsonSchema;
use serde::Serialize;

/// Additional notes of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AsideView {
    /// About the answer, such as that a name was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Names that exist and come near one that does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
    /// What was skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
