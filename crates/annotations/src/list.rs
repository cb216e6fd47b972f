//! Lists all annotations with their status: current, or to be reviewed.

use std::collections::{BTreeSet, HashSet};

use app::Error;
use model::annotation::AnnotationKind;
use store::git::{CommitId, TreePath};
use store::index::RegionRow;

use super::find::{Finding, Hit, Notes};
use super::knowledge::knowledge;
use crate::view::{AnnotationListView, AnnotationStatus, ListedView, StatusOfCodeView};
use crate::{Annotations, AnnotationsMut};

/// A region of a note: the commit, and which of the note's regions.
type RegionId = (CommitId, usize);

impl Annotations<'_> {
    /// Returns the regions of all notes in this history.
    fn reachable_rows(&self, head: &CommitId) -> Result<Vec<RegionRow>, Error> {
        let mut rows = self.index().regions_under("")?;
        let outside = self.store().unreachable_annotations(head)?;
        rows.retain(|row| !outside.contains(&row.commit));
        Ok(rows)
    }

    /// Returns the current names of the annotated files, without duplicates and deleted ones.
    fn annotated_files_now(&self, head: &CommitId, all: &HashSet<String>) -> Result<BTreeSet<String>, Error> {
        let departed = self.store().departed_names(head)?;
        let outside = self.store().unreachable_annotations(head)?;
        let mut files = BTreeSet::new();
        for (commit, file) in self.index().annotated_files_by_commit()? {
            if outside.contains(&commit) {
                continue;
            }
            let name = if departed.contains(&file) { self.store().name_at_head(head, &commit, &file)? } else { file };
            if all.contains(&name) {
                files.insert(name);
            }
        }
        Ok(files)
    }

    /// Returns the files that may contain moved code of annotated files: those with a function of a missing name. Reads
    /// all code, but only if a name is missing.
    fn files_with_moved_code(
        &self,
        head: &CommitId,
        rows: &[RegionRow],
        all: &HashSet<String>,
        listing: &ListBuilder,
    ) -> Result<Vec<String>, Error> {
        let is_missing =
            |row: &&RegionRow| !row.anchor.is_empty() && !listing.listed_ids.contains(&(row.commit, row.place));
        let missing: HashSet<&str> = rows.iter().filter(is_missing).map(|row| row.anchor.as_str()).collect();
        let mut files = Vec::new();
        if missing.is_empty() {
            return Ok(files);
        }
        let is_new = |name: &&String| anchors::Language::of_path(name).is_some() && !listing.files.contains(*name);
        for name in all.iter().filter(is_new) {
            let Some(source) = self.source(head, name)? else { continue };
            self.load_symbols(&source);
            if source.symbols().all().iter().any(|one| missing.contains(one.name.as_str())) {
                files.push(name.clone());
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    /// Returns the annotations whose code is in a file. Runs blame only if something is not found without it.
    fn regions_of_file(&self, head: &CommitId, file: &str) -> Result<Vec<(RegionId, ListedView)>, Error> {
        let scope = self.scope(*head, file, None, None)?;
        if scope.is_left_out {
            return Ok(Vec::new());
        }
        let finding = match self.find_regions_without_blame(&scope)? {
            Some(hits) => Finding { hits, ..Finding::default() },
            None => self.find_annotations(&scope)?,
        };
        let mut regions = Vec::new();
        for hit in &finding.hits {
            let code = self.status(&scope, &finding.hunks, hit)?;
            if code.status != AnnotationStatus::Lost {
                regions.push(((hit.commit, hit.place), self.listed_view(hit, code)));
            }
        }
        Ok(regions)
    }

    fn listed_view(&self, hit: &Hit<'_>, code: StatusOfCodeView) -> ListedView {
        let region = hit.region();
        let name = code.now.as_ref().and_then(|now| now.anchor.clone());
        ListedView {
            file: code.now.as_ref().map_or_else(|| region.file.clone(), |now| now.file.clone()),
            symbol: name.unwrap_or_else(|| region.anchor.name.clone()),
            lines: code.now.map(|now| now.lines),
            status: code.status,
            intent: region.intent.clone(),
            commit: hit.commit.to_string(),
            timestamp: hit.note.time_of(region).map(|at| at.to_string()),
            knowledge: knowledge(&hit.note, region, self.today()),
        }
    }

    /// Returns the annotations whose code is in no file.
    fn lost(&self, rows: &[RegionRow], listing: &ListBuilder) -> Result<Vec<ListedView>, Error> {
        let mut notes = Notes::new(*self);
        let mut lost = Vec::new();
        for row in rows.iter().filter(|row| !listing.listed_ids.contains(&(row.commit, row.place))) {
            lost.extend(self.lost_row(&mut notes, row)?);
        }
        Ok(lost)
    }

    fn lost_row(&self, notes: &mut Notes<'_>, row: &RegionRow) -> Result<Option<ListedView>, Error> {
        let Some(note) = notes.get(&row.blob)? else { return Ok(None) };
        let Some(region) = note.regions.get(row.place) else { return Ok(None) };
        // A convention is about a folder, so changed code in it does not make it stale.
        let status = if row.knowledge == AnnotationKind::Convention {
            AnnotationStatus::Current
        } else {
            AnnotationStatus::Lost
        };
        Ok(Some(ListedView {
            file: row.file.clone(),
            symbol: row.anchor.clone(),
            lines: None,
            status,
            intent: region.intent.clone(),
            commit: row.commit.to_string(),
            timestamp: row.timestamp.map(|at| at.to_string()),
            knowledge: knowledge(&note, region, self.today()),
        }))
    }
}

/// Which annotations a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnnotationFilter {
    /// All of them.
    All,
    /// Only those whose code changed or is lost.
    Stale,
}

impl AnnotationsMut<'_> {
    /// Lists the annotations below a path, all by default.
    pub fn list(
        &mut self,
        path: Option<&str>,
        filter: AnnotationFilter,
        noteref: Option<&str>,
    ) -> Result<AnnotationListView, Error> {
        self.follow_annotations(noteref)?;
        let head = self.shared().query_commit()?.head;
        let folder = path.map(|path| path.trim_start_matches("./").trim_end_matches('/')).filter(|path| *path != ".");
        let is_below = |file: &str| {
            folder.is_none_or(|folder| {
                let rest = file.strip_prefix(folder);
                folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let all = self.store().repository().list_files(&head, None).map_err(store::StoreError::from)?;
        let all: HashSet<String> = all.iter().filter_map(TreePath::as_str).map(str::to_owned).collect();
        let mut listing = ListBuilder::default();
        for name in self.shared().annotated_files_now(&head, &all)? {
            listing.take(&name, self.shared().regions_of_file(&head, &name)?);
        }
        // Most notes are found where they were recorded; then the rows are not read twice.
        let is_complete = listing.listed_ids.len() == self.index().n_regions()?;
        let rows = if is_complete { Vec::new() } else { self.shared().reachable_rows(&head)? };
        for name in self.shared().files_with_moved_code(&head, &rows, &all, &listing)? {
            listing.take(&name, self.shared().regions_of_file(&head, &name)?);
        }
        listing.listed.extend(self.shared().lost(&rows, &listing)?);
        let mut listed = listing.listed;
        listed.retain(|one| is_below(&one.file));
        listed.sort_by(|a, b| (&a.file, &a.symbol, &a.commit).cmp(&(&b.file, &b.symbol, &b.commit)));
        // A note can hold the same region twice, after a merge by another tool; it is one annotation to a reader.
        listed.dedup();
        let count = |status: AnnotationStatus| listed.iter().filter(|one| one.status == status).count();
        let (current, moved) = (count(AnnotationStatus::Current), count(AnnotationStatus::Moved));
        let (changed, lost) = (count(AnnotationStatus::Changed), count(AnnotationStatus::Lost));
        if filter == AnnotationFilter::Stale {
            listed.retain(|one| !one.status.is_unchanged());
        }
        let warnings = self.shared().warnings(&head, &[])?;
        Ok(AnnotationListView { annotations: listed, current, moved, changed, lost, warnings })
    }
}

/// The list under construction.
#[derive(Default)]
struct ListBuilder {
    listed: Vec<ListedView>,
    listed_ids: HashSet<RegionId>,
    /// The files that were asked about.
    files: HashSet<String>,
}

impl ListBuilder {
    /// Adds the annotations of a file; each is listed once.
    fn take(&mut self, file: &str, regions: Vec<(RegionId, ListedView)>) {
        self.files.insert(file.to_owned());
        for (id, region) in regions {
            if self.listed_ids.insert(id) {
                self.listed.push(region);
            }
        }
    }
}
