//! Annotation coverage: which functions and types have an annotation, and whether it still matches the code.

use anchors::SymbolKind;
use app::Error;
use store::git::{CommitId, TreePath};

use super::paths::{PathObject, not_found, tree_path};
use super::summary::SummaryContext;
use crate::view::{CoverageFileView, CoverageTotalsView, CoverageView};
use crate::{Annotations, AnnotationsMut};

impl Annotations<'_> {
    /// Returns the files in a known language.
    fn code_files(&self, head: CommitId, path: Option<&str>) -> Result<Vec<String>, Error> {
        let given = path.map(|path| path.trim_end_matches('/')).filter(|path| !matches!(*path, "" | "."));
        let folder = given.map(tree_path).transpose()?;
        let files = match (&folder, given) {
            (Some(folder), Some(given)) => match self.look_at(&head, folder)? {
                None => return Err(not_found(given)),
                Some(PathObject::File(..)) => vec![folder.clone()],
                Some(PathObject::Folder) => self.files_in(head, Some(folder))?,
            },
            _ => self.files_in(head, None)?,
        };
        let names = files.iter().filter_map(TreePath::as_str);
        Ok(names.filter(|name| anchors::Language::of_path(name).is_some()).map(str::to_owned).collect())
    }

    fn files_in(&self, head: CommitId, folder: Option<&TreePath>) -> Result<Vec<TreePath>, Error> {
        Ok(self.store().repository().list_files(&head, folder).map_err(store::StoreError::from)?)
    }

    /// Counts one file; `None` if it has nothing to annotate or is excluded.
    fn file_coverage(
        &self,
        context: &SummaryContext,
        head: CommitId,
        file: &str,
    ) -> Result<Option<CoverageFileView>, Error> {
        let scope = self.scope(head, file, None, None)?;
        if scope.is_left_out {
            return Ok(None);
        }
        let newest = self.newest_annotations(context, &scope)?;
        let mut totals = CoverageTotalsView::default();
        for symbol in scope.source.symbols().all().iter().filter(|symbol| is_unit(symbol.kind)) {
            totals.units += 1;
            match newest.of(symbol).map(|hit| self.bare_status(&scope, hit)).transpose()? {
                Some(status) if status.is_unchanged() => totals.current += 1,
                Some(_) => totals.stale += 1,
                None => totals.bare += 1,
            }
        }
        Ok((totals.units > 0).then(|| CoverageFileView { file: file.to_owned(), totals }))
    }
}

impl Annotations<'_> {
    /// Returns the coverage of a file or a folder by the annotations that are indexed; of everything by default.
    pub fn coverage(&self, path: Option<&str>) -> Result<CoverageView, Error> {
        let head = self.query_commit()?.head;
        let context = self.summary_context(head)?;
        let mut files = Vec::new();
        for file in self.code_files(head, path)? {
            files.extend(self.file_coverage(&context, head, &file)?);
        }
        let mut total = CoverageTotalsView::default();
        for file in &files {
            total.add(&file.totals);
        }
        let warnings = self.warnings(&head, &[])?;
        Ok(CoverageView { path: path.unwrap_or(".").to_owned(), total, files, warnings })
    }
}

impl AnnotationsMut<'_> {
    /// Returns the coverage of a file or a folder; of everything by default. Indexes the newest annotations first.
    pub fn coverage(&mut self, path: Option<&str>, noteref: Option<&str>) -> Result<CoverageView, Error> {
        self.follow_annotations(noteref)?;
        self.shared().coverage(path)
    }
}

/// Returns whether a symbol should have an annotation: functions and types. The name of a constant says enough.
fn is_unit(kind: SymbolKind) -> bool {
    !matches!(
        kind,
        SymbolKind::Module | SymbolKind::Impl | SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Property
    )
}
