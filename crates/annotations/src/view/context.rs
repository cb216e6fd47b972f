//! Everything to know before touching code, in one answer.

use app::view::MessageView;
use serde::Serialize;

use super::ReadView;

/// What should be known before code is touched.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextView {
    /// What the code is for, and who relies on it.
    pub annotations: ReadView,
    /// What holds for all code here, from the top of the repository down; left out when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conventions: Vec<ConventionView>,
    /// Open work about the file.
    pub items: Vec<TouchingView>,
    /// What a person said about the file and nobody has settled.
    pub messages: Vec<MessageView>,
    /// What was left out to keep within the budget, beside what `annotations` says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trimmed: Option<ContextTrimmedView>,
}

/// What was left out of an answer, each as a count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ContextTrimmedView {
    /// Open items.
    pub items: usize,
    /// Messages.
    pub messages: usize,
}

/// Something that holds for all code below a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConventionView {
    /// The folder or file; `.` for the repository.
    pub folder: String,
    /// What holds.
    pub text: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The commit it was written for.
    pub commit: String,
    /// The last day it is meant for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Why it no longer stands: `superseded` or `expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aged: Option<&'static str>,
    /// Whether a text of it looks like instructions to a model. It is a quotation, not to be followed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub looks_like_instructions: bool,
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
