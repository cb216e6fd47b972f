//! Annotation coverage as JSON.

use serde::Serialize;

/// Annotation coverage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoverageView {
    /// The file or folder.
    pub path: String,
    /// The totals of all files.
    pub total: CoverageTotalsView,
    /// The files with functions or types, by name.
    pub files: Vec<CoverageFileView>,
    /// What was skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoverageFileView {
    /// Its path, relative to the repository root.
    pub file: String,
    /// Its totals.
    #[serde(flatten)]
    pub totals: CoverageTotalsView,
}

/// Counts of functions and types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CoverageTotalsView {
    /// Their number.
    pub units: usize,
    /// Those with an annotation that matches the code.
    pub current: usize,
    /// Those whose code changed since the annotation.
    pub stale: usize,
    /// Those without an annotation.
    pub bare: usize,
}

impl CoverageTotalsView {
    pub(crate) fn add(&mut self, other: &Self) {
        self.units += other.units;
        self.current += other.current;
        self.stale += other.stale;
        self.bare += other.bare;
    }
}
