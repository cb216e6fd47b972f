//! How much of the code is annotated.

use serde::Serialize;

/// How much of the code is annotated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoverageView {
    /// What was looked at.
    pub path: String,
    /// All files together.
    pub total: CoverageTotalsView,
    /// Each file that has functions or types, by name.
    pub files: Vec<CoverageFileView>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoverageFileView {
    /// Its name, from the top of the repository.
    pub file: String,
    /// What it has.
    #[serde(flatten)]
    pub totals: CoverageTotalsView,
}

/// Functions and types, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CoverageTotalsView {
    /// How many there are.
    pub units: usize,
    /// Those whose annotation speaks of the code as it is.
    pub current: usize,
    /// Those whose code was changed since.
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
