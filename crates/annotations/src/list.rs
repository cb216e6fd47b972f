//! Lists all annotations with their status: current, or to be reviewed.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use app::Error;
use model::annotation::{AnnotationKind, Region};
use store::git::{CommitId, TreePath};
use store::index::RegionRow;

use super::find::{Finding, Notes};
use super::knowledge::knowledge;
use super::locate::CodePlace;
use super::source::Source;
use crate::view::{AnnotationListView, ListedView, RegionView};
use crate::{Annotations, AnnotationsMut};

/// The identity of an annotation: commit, file, name and first line as written, and its text.
type Identity = (String, String, String, Option<u32>, String);

impl Annotations<'_> {
    /// Returns the regions of all notes in this history.
    fn reachable_rows(&self, head: &CommitId) -> Result<Vec<RegionRow>, Error> {
        let mut rows = self.index().regions_under("")?;
        let outside = self.store().unreachable_annotations(head)?;
        rows.retain(|row| !outside.contains(&row.commit));
        Ok(rows)
    }

    /// Returns the current names of the annotated files, without duplicates and deleted ones.
    fn annotated_files_now(&self, head: &CommitId, rows: &[RegionRow]) -> Result<BTreeSet<String>, Error> {
        let mut was_renamed: HashMap<&str, bool> = HashMap::new();
        let mut files = BTreeSet::new();
        for row in rows {
            let was_renamed = match was_renamed.entry(&row.file) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(self.store().renamed_to(head, &row.file)?.is_some()),
            };
            files.insert(if was_renamed { self.file_at_head(head, row)? } else { row.file.clone() });
        }
        let mut here = BTreeSet::new();
        for file in files {
            if self.source(head, &file)?.is_some() {
                here.insert(file);
            }
        }
        Ok(here)
    }

    /// Returns the files that may contain moved code of annotated files: those with a function of a missing name. Reads
    /// all code, but only if a name is missing.
    fn files_with_moved_code(
        &self,
        head: &CommitId,
        rows: &[RegionRow],
        listing: &Listing,
    ) -> Result<Vec<String>, Error> {
        let mut notes = Notes::new(*self);
        let mut missing: HashSet<&str> = HashSet::new();
        for row in rows.iter().filter(|row| !row.anchor.is_empty()) {
            if let Some(own) = identity_of(&mut notes, row)?
                && !listing.told.contains(&own)
            {
                missing.insert(&row.anchor);
            }
        }
        let mut files = Vec::new();
        if missing.is_empty() {
            return Ok(files);
        }
        let is_new = |name: &&str| anchors::Language::of_path(name).is_some() && !listing.files.contains(*name);
        let all = self.store().repository().list_files(head, None).map_err(store::StoreError::from)?;
        for name in all.iter().filter_map(TreePath::as_str).filter(is_new) {
            let source = self.source(head, name)?;
            let has_any =
                |source: &Source| source.symbols().all().iter().any(|one| missing.contains(one.name.as_str()));
            if source.is_some_and(|source| has_any(&source)) {
                files.push(name.to_owned());
            }
        }
        Ok(files)
    }

    /// Returns the annotations whose code is in a file. Runs blame only if something is not found without it.
    fn regions_of_file(&self, head: &CommitId, file: &str) -> Result<Vec<RegionView>, Error> {
        let scope = self.scope(*head, file, None, None)?;
        if scope.is_left_out {
            return Ok(Vec::new());
        }
        let mut finding = Finding { hits: self.find_regions(&scope, &[])?, ..Finding::default() };
        if finding.hits.iter().any(|hit| matches!(hit.now, CodePlace::Lost | CodePlace::Namesake(_))) {
            finding = self.find_annotations(&scope)?;
        }
        let mut regions = Vec::new();
        for hit in &finding.hits {
            regions.push(self.region_view(&scope, &finding, hit)?);
        }
        regions.retain(|region| region.code.status != "lost");
        Ok(regions)
    }

    /// Returns the annotations whose code is in no file.
    fn lost(&self, rows: &[RegionRow], listing: &Listing) -> Result<Vec<ListedView>, Error> {
        let mut notes = Notes::new(*self);
        let mut lost = Vec::new();
        for row in rows {
            lost.extend(self.lost_row(&mut notes, row, &listing.told)?);
        }
        Ok(lost)
    }

    fn lost_row(
        &self,
        notes: &mut Notes<'_>,
        row: &RegionRow,
        told: &HashSet<Identity>,
    ) -> Result<Option<ListedView>, Error> {
        let Some(own) = identity_of(notes, row)?.filter(|own| !told.contains(own)) else { return Ok(None) };
        let Some(note) = notes.get(&row.blob)? else { return Ok(None) };
        let Some(region) = note.regions.get(row.place) else { return Ok(None) };
        // A convention is about a folder, whatever happens to the code in it.
        let status = if row.knowledge == AnnotationKind::Convention { "current" } else { "lost" };
        Ok(Some(ListedView {
            file: row.file.clone(),
            symbol: row.anchor.clone(),
            lines: None,
            status,
            intent: own.4,
            commit: own.0,
            timestamp: row.timestamp.map(|at| at.to_string()),
            knowledge: knowledge(&note, region, self.today()),
        }))
    }
}

impl AnnotationsMut<'_> {
    /// Lists the annotations below a path, all by default; with `is_stale`, only those whose code changed or is lost.
    pub fn list(
        &mut self,
        path: Option<&str>,
        is_stale: bool,
        noteref: Option<&str>,
    ) -> Result<AnnotationListView, Error> {
        self.follow_annotations(noteref)?;
        let head = self.shared().here()?.head;
        let folder = path.map(|path| path.trim_start_matches("./").trim_end_matches('/')).filter(|path| *path != ".");
        let is_below = |file: &str| {
            folder.is_none_or(|folder| {
                let rest = file.strip_prefix(folder);
                folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let rows = self.shared().reachable_rows(&head)?;
        let mut listing = Listing::default();
        for name in self.shared().annotated_files_now(&head, &rows)? {
            listing.take(&name, self.shared().regions_of_file(&head, &name)?);
        }
        for name in self.shared().files_with_moved_code(&head, &rows, &listing)? {
            listing.take(&name, self.shared().regions_of_file(&head, &name)?);
        }
        listing.listed.extend(self.shared().lost(&rows, &listing)?);
        let mut listed = listing.listed;
        listed.retain(|one| is_below(&one.file));
        listed.sort_by(|a, b| (&a.file, &a.symbol, &a.commit).cmp(&(&b.file, &b.symbol, &b.commit)));
        let count = |status: &str| listed.iter().filter(|one| one.status == status).count();
        let (current, moved, changed, lost) = (count("current"), count("moved"), count("changed"), count("lost"));
        if is_stale {
            listed.retain(|one| matches!(one.status, "changed" | "lost"));
        }
        Ok(AnnotationListView { annotations: listed, current, moved, changed, lost })
    }
}

/// The list under construction.
#[derive(Default)]
struct Listing {
    listed: Vec<ListedView>,
    told: HashSet<Identity>,
    /// The files that were queried.
    files: HashSet<String>,
}

impl Listing {
    /// Adds the annotations of a file, without duplicates.
    fn take(&mut self, file: &str, regions: Vec<RegionView>) {
        self.files.insert(file.to_owned());
        for region in regions {
            if self.told.insert(identity(&region)) {
                self.listed.push(listed_view(region));
            }
        }
    }
}

/// Returns the identity of a region from its row; `None` if its note cannot be parsed.
fn identity_of(notes: &mut Notes<'_>, row: &RegionRow) -> Result<Option<Identity>, Error> {
    let note = notes.get(&row.blob)?;
    let region = note.as_ref().and_then(|note| note.regions.get(row.place));
    let first = row.lines.map(|lines| lines.start);
    let identity =
        |region: &Region| (row.commit.to_string(), row.file.clone(), row.anchor.clone(), first, region.intent.clone());
    Ok(region.map(identity))
}

fn identity(region: &RegionView) -> Identity {
    let first = region.lines.as_ref().map(|lines| lines.start);
    (region.commit.clone(), region.file.clone(), region.ast_anchor.name.clone(), first, region.intent.clone())
}

fn listed_view(region: RegionView) -> ListedView {
    let now = region.code.now;
    let symbol = now.as_ref().and_then(|now| now.anchor.clone()).unwrap_or(region.ast_anchor.name);
    ListedView {
        file: now.as_ref().map_or(region.file, |now| now.file.clone()),
        symbol,
        lines: now.map(|now| now.lines),
        status: region.code.status,
        intent: region.intent,
        commit: region.commit,
        timestamp: region.timestamp,
        knowledge: region.knowledge,
    }
}
