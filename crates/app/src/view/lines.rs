//! Lines of a file as JSON.

use model::message::Lines;
use schemars::JsonSchema;
use serde::Serialize;

/// Lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinesView {
    /// The first.
    pub start: u32,
    /// The last.
    pub end: u32,
}

impl std::fmt::Display for LinesView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.start == self.end { write!(f, "{}", self.start) } else { write!(f, "{}-{}", self.start, self.end) }
    }
}

impl From<Lines> for LinesView {
    fn from(lines: Lines) -> Self {
        Self { start: lines.start(), end: lines.end() }
    }
}

impl From<model::annotation::Lines> for LinesView {
    fn from(lines: model::annotation::Lines) -> Self {
        Self { start: lines.start, end: lines.end }
    }
}
