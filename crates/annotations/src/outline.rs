//! The outline of a file: all its functions and types in order, each with its newest annotation.

use app::Error;
use store::git::TreePath;

use crate::Annotations;
use crate::lines_of;
use crate::view::{OutlineNoteView, OutlineSymbolView, OutlineView};

impl Annotations<'_> {
    /// Returns the outline of a file.
    pub fn outline(&self, path: &str) -> Result<OutlineView, Error> {
        let head = self.query_commit()?.head;
        let context = self.summary_context(head)?;
        let scope = self.scope(head, path, None, None)?;
        let newest = self.newest_annotations(&context, &scope)?;
        let mut symbols = Vec::new();
        for symbol in scope.source.symbols().all() {
            let note = newest.of(symbol).map(|hit| {
                let region = hit.region().without_withdrawn();
                Ok::<_, Error>(OutlineNoteView {
                    intent: region.intent.clone(),
                    at: hit.note.time_of(&region),
                    status: self.bare_status(&scope, hit)?,
                })
            });
            symbols.push(OutlineSymbolView {
                name: symbol.name.clone(),
                signature: symbol.signature.clone(),
                lines: lines_of(symbol).into(),
                note: note.transpose()?,
            });
        }
        Ok(OutlineView { file: scope.file.clone(), symbols })
    }

    /// Returns all files of the newest commit, by name.
    pub fn all_files(&self) -> Result<Vec<String>, Error> {
        let head = self.query_commit()?.head;
        let files = self.store().repository().list_files(&head, None).map_err(store::StoreError::from)?;
        Ok(files.iter().filter_map(TreePath::as_str).map(str::to_owned).collect())
    }
}
