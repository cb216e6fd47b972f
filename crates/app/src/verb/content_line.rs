//! The line of an export that has the content of an attachment: the id of git's blob, and its bytes as base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// The version of these lines.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ContentLine {
    v: u32,
    /// The id of the blob, in hexadecimal.
    pub(super) blob: String,
    content: String,
}

impl ContentLine {
    pub(super) fn new(blob: &str, content: &[u8]) -> Self {
        Self { v: VERSION, blob: blob.to_owned(), content: STANDARD.encode(content) }
    }

    /// Reads a line; `None` if it is something else.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok().filter(|line: &Self| line.v == VERSION)
    }

    /// Returns the bytes of the content.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, String> {
        STANDARD.decode(&self.content).map_err(|error| format!("the content is not base64: {error}"))
    }
}
