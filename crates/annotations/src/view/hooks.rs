//! The hooks of a repository as JSON.

use serde::Serialize;

use super::status::HookStatus;

/// The hooks of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HooksView {
    /// The hooks folder.
    pub folder: String,
    /// The hooks that Cairn uses.
    pub hooks: Vec<HookView>,
    /// Advice for the user.
    pub advice: Vec<String>,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookView {
    /// Its name.
    pub name: String,
    /// `installed`, `absent` or `foreign`: present, but not Cairn's.
    pub state: HookStatus,
    /// The user's own hook, which runs first.
    pub own: Option<String>,
}
