//! All annotations as a work list: what is still true of the code, and what somebody should look at again.

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

/// What tells an annotation from all others: commit, file, name and first line as it was written, and what it says.
type Identity = (String, String, String, Option<u32>, String);

impl Annotations<'_> {
    /// Returns what the notes of this history say.
    fn reachable_rows(&self, head: &CommitId) -> Result<Vec<RegionRow>, Error> {
        let mut rows = self.index().regions_under("")?;
        let outside = self.store().unreachable_annotations(head)?;
        rows.retain(|row| !outside.contains(&row.commit));
        Ok(rows)
    }

    /// Returns what the files that notes speak of are called today, each once; without those that are gone.
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

    /// Returns the files in which code may be that was moved there from an annotated file: those with a function that is called
    /// as one that is missing. All code is read for that, but only when something is missing.
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

    /// Returns the annotations whose code is in a file. Blame is asked only where something is not found without.
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

    /// Returns the annotations that are told of no file.
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
        // A convention is about a folder, whatever becomes of the code in it.
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
    /// Lists the annotations below a path, all of them when none is named; only those whose code changed or is lost when
    /// `is_stale` is asked for.
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

/// What is listed so far.
#[derive(Default)]
struct Listing {
    listed: Vec<ListedView>,
    told: HashSet<Identity>,
    /// The files that were asked about.
    files: HashSet<String>,
}

impl Listing {
    /// Takes in what is told of a file; each annotation is listed once.
    fn take(&mut self, file: &str, regions: Vec<RegionView>) {
        self.files.insert(file.to_owned());
        for region in regions {
            if self.told.insert(identity(&region)) {
                self.listed.push(listed_view(region));
            }
        }
    }
}

/// Returns the identity of a region that is only known as a row; `None` when its note cannot be read.
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
