//! `summary`: the newest annotation of each function and type of a file or a folder. Uses no blame, so that a whole
//! folder costs little more than reading it.

use std::collections::{HashMap, HashSet};

use anchors::Symbol;
use app::Error;
use jiff::Timestamp;
use model::annotation::{AnnotationKind, Lines};
use store::git::{CommitId, TreePath};
use store::index::RegionRow;

use super::find::{Hit, Notes};
use super::knowledge::is_suspicious;
use super::lines_of;
use super::locate::{CodePlace, Locator, RecordedCode};
use super::paths::{PathObject, not_found, tree_path};
use super::scope::{Scope, Target};
use super::score::{self, AnchorMatch};
use crate::Annotations;
use crate::cache::cache;
use crate::view::{AnchorView, AsideView, SummaryQueryView, SummaryStatsView, SummaryView, UnitView};

/// Data shared by all files of one result.
pub(super) struct SummaryContext {
    now: Timestamp,
    /// Annotated commits that are not in this history.
    outside: HashSet<CommitId>,
}

impl Annotations<'_> {
    /// Returns the summary of a file or a folder. `progress` is called for each file, and cancels the work by returning
    /// `false`.
    pub fn summary(
        &self,
        path: &str,
        anchor: Option<&str>,
        progress: &dyn Fn(usize, usize) -> bool,
    ) -> Result<SummaryView, Error> {
        let head = self.query_commit()?.head;
        let notes = self.index().followed_notes()?.and_then(|(_, tip)| tip);
        let key = (head, notes, path.to_owned(), anchor.map(str::to_owned));
        if let Some(view) = cache().summaries.get(&key) {
            return Ok(view);
        }
        let view = self.summary_of_path(head, path, anchor, progress)?;
        cache().keep_summary(key, view.clone());
        Ok(view)
    }

    fn summary_of_path(
        &self,
        head: CommitId,
        path: &str,
        anchor: Option<&str>,
        progress: &dyn Fn(usize, usize) -> bool,
    ) -> Result<SummaryView, Error> {
        let is_top = matches!(path.trim_end_matches('/'), "." | "");
        let folder = if is_top { None } else { Some(tree_path(path)?) };
        let mut view = empty(path, anchor);
        let found = folder.as_ref().map(|folder| self.look_at(&head, folder)).transpose()?;
        match found {
            Some(None) => return Err(not_found(path)),
            Some(Some(PathObject::File(..))) => {
                let scope = self.scope(head, path, anchor, None)?;
                view.aside = scope.additional_notes(Vec::new());
                self.summarize(&self.summary_context(head)?, &scope, &mut view)?;
            }
            Some(Some(PathObject::Folder)) | None => {
                self.summarize_folder(head, folder.as_ref(), anchor, progress, &mut view)?;
            }
        }
        view.aside.warnings = self.warnings(&head, &[])?;
        view.stats.annotated_units = view.units.len();
        view.stats.unannotated_units = view.stats.ast_units.saturating_sub(view.units.len());
        Ok(view)
    }

    pub(super) fn summary_context(&self, head: CommitId) -> Result<SummaryContext, Error> {
        Ok(SummaryContext {
            now: Timestamp::from_second(self.committed(&head)?).unwrap_or_default(),
            outside: self.store().unreachable_annotations(&head)?,
        })
    }

    fn summarize_folder(
        &self,
        head: CommitId,
        folder: Option<&TreePath>,
        anchor: Option<&str>,
        progress: &dyn Fn(usize, usize) -> bool,
        view: &mut SummaryView,
    ) -> Result<(), Error> {
        let context = self.summary_context(head)?;
        let files = self.store().repository().list_files(&head, folder).map_err(store::StoreError::from)?;
        let is_code = |name: &&str| anchors::Language::of_path(name).is_some();
        let names: Vec<&str> = files.iter().filter_map(TreePath::as_str).filter(is_code).collect();
        for (n, name) in names.iter().enumerate() {
            if !progress(n, names.len()) {
                return Err(Error::unavailable("the client cancelled the request"));
            }
            let scope = self.scope(head, name, anchor, None)?;
            // A name that this file does not have may be in another file.
            if anchor.is_none() || matches!(scope.target, Target::Symbols(_)) {
                self.summarize(&context, &scope, view)?;
            }
        }
        Ok(())
    }

    fn summarize(&self, context: &SummaryContext, scope: &Scope, view: &mut SummaryView) -> Result<(), Error> {
        if scope.is_left_out {
            return Ok(());
        }
        let units: Vec<&Symbol> = match &scope.target {
            Target::Symbols(symbols) => symbols.iter().collect(),
            _ => scope.source.symbols().all().iter().collect(),
        };
        view.stats.ast_units += units.len();
        let newest = self.newest_annotations(context, scope)?;
        for symbol in units {
            if let Some(hit) = newest.of(symbol) {
                view.units.push(self.unit(scope, context.now, symbol, hit)?);
            }
        }
        Ok(())
    }

    /// Returns the newest annotation of each function and type of a file, by its current location.
    pub(super) fn newest_annotations<'s>(
        &self,
        context: &SummaryContext,
        scope: &'s Scope,
    ) -> Result<NewestAnnotations<'s>, Error> {
        let lineage = self.store().lineage(&scope.head, &scope.path)?;
        let locator = Locator::new(*self, &scope.file, &scope.source, &[]);
        let rows = self.rows_of_file(&lineage, locator.blamed(), &context.outside)?;
        let mut found: Vec<(RegionRow, &Symbol)> = Vec::with_capacity(rows.own.len());
        for row in rows.own {
            if let CodePlace::Symbol(symbol) = locator.locate(&RecordedCode::from(&row))? {
                found.push((row, symbol));
            }
        }
        found.extend(self.moved_here(scope, &lineage, &locator, rows.of_namesakes)?);
        // Reasons only; dead ends are reported by `read`.
        found.retain(|(row, _)| row.knowledge == AnnotationKind::Reason);
        found.sort_by_key(|(row, _)| row.timestamp);
        let newest: HashMap<SymbolKey<'_>, (RegionRow, &Symbol)> =
            found.into_iter().map(|(row, symbol)| (key(symbol), (row, symbol))).collect();
        let mut notes = Notes::new(*self);
        let mut hits = HashMap::with_capacity(newest.len());
        for (key, (row, symbol)) in newest {
            if let Some(hit) = notes.hit(&row, AnchorMatch::Name, CodePlace::Symbol(symbol))? {
                hits.insert(key, hit);
            }
        }
        Ok(NewestAnnotations(hits))
    }

    fn unit(&self, scope: &Scope, now: Timestamp, symbol: &Symbol, hit: &Hit<'_>) -> Result<UnitView, Error> {
        let region = &hit.region().without_withdrawn();
        let written = hit.note.time_of(region);
        let context = hit.note.context_of(region);
        let factors = score::factors(now, written, context, hit.anchor, &hit.note.provenance.operation);
        Ok(UnitView {
            file: scope.file.clone(),
            anchor: AnchorView {
                kind: symbol.kind.word().to_owned(),
                name: symbol.name.clone(),
                signature: Some(symbol.signature.clone()),
            },
            lines: lines_of(symbol).into(),
            intent: region.intent.clone(),
            constraints: region.constraints.iter().map(|constraint| constraint.text.clone()).collect(),
            risk_notes: region.risk_notes.clone(),
            last_modified: written.map(|at| at.to_string()),
            confidence: score::confidence(&factors, region.n_flags()),
            status: self.bare_status(scope, hit)?,
            looks_like_instructions: is_suspicious(region),
        })
    }
}

/// The newest annotation of each function and type of a file.
pub(super) struct NewestAnnotations<'s>(HashMap<SymbolKey<'s>, Hit<'s>>);

impl<'s> NewestAnnotations<'s> {
    pub(super) fn of(&self, symbol: &'s Symbol) -> Option<&Hit<'s>> {
        self.0.get(&key(symbol))
    }
}

/// The key of a symbol in a file: overloads share the name, and declarations on one line share the lines.
type SymbolKey<'s> = (&'s str, Lines);

fn key(symbol: &Symbol) -> SymbolKey<'_> {
    (&symbol.name, lines_of(symbol))
}

fn empty(path: &str, anchor: Option<&str>) -> SummaryView {
    SummaryView {
        schema: "ultragit-summary/v1",
        query: SummaryQueryView { file: path.to_owned(), anchor: anchor.map(str::to_owned) },
        units: Vec::new(),
        stats: SummaryStatsView::default(),
        aside: AsideView::default(),
    }
}
