//! The hooks of a repository, as the outside sees them.

use serde::Serialize;

/// The hooks of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HooksView {
    /// The folder git looks for them in.
    pub folder: String,
    /// Each that Cairn has something to do in.
    pub hooks: Vec<HookView>,
    /// What a person should know or do.
    pub advice: Vec<String>,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookView {
    /// Its name.
    pub name: String,
    /// `installed`, `absent` or `foreign`: there, and not Cairn's.
    pub state: &'static str,
    /// The person's own hook, which runs first.
    pub own: Option<String>,
}
