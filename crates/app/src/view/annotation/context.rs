//! Everything to know before touching code, in one answer.

use serde::Serialize;

use super::ReadView;
use crate::view::MessageView;

/// What should be known before code is touched.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextView {
    /// What the code is for, and who relies on it.
    pub annotations: ReadView,
    /// Open work about the file.
    pub items: Vec<TouchingView>,
    /// What a person said about the file and nobody has settled.
    pub messages: Vec<MessageView>,
}

/// An open item about the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TouchingView {
    /// Its number.
    pub number: u64,
    /// What it is.
    pub kind: String,
    /// One line.
    pub title: String,
    /// Where it stands.
    pub status: String,
    /// The code it names.
    pub touches: Vec<String>,
}
