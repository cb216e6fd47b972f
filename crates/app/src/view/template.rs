//! A template as JSON.

use schemars::JsonSchema;
use serde::Serialize;

/// A template of a new item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateView {
    /// Its name.
    pub name: String,
    /// The file it is in, or null if it is in the log.
    pub path: Option<String>,
    /// Markdown, with front matter for the fields.
    pub text: String,
}
