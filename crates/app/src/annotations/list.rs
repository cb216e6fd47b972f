//! All annotations as a work list: what is still true of the code, and what somebody should look at again.

use std::collections::HashSet;

use model::annotation::AnnotationKind;
use store::git::{CommitId, TreePath};
use store::index::RegionRow;

use super::find::Notes;
use super::knowledge::knowledge;
use super::paths::Found;
use super::read::ReadQuery;
use crate::error::Error;
use crate::project::Project;
use crate::view::{AnnotationListView, ListedView, RegionView};

/// What tells an annotation from all others: commit, file, name and first line as it was written, and what it says.
type Identity = (String, String, String, Option<u32>, String);

impl Project {
    /// Lists the annotations below a path, all of them when none is named; only those whose code changed or is lost when
    /// `is_stale` is asked for.
    pub fn list_annotations(
        &mut self,
        path: Option<&str>,
        is_stale: bool,
        noteref: Option<&str>,
    ) -> Result<AnnotationListView, Error> {
        self.follow_annotations(noteref)?;
        let head = self.here()?.head;
        let folder = path.map(|path| path.trim_start_matches("./").trim_end_matches('/')).filter(|path| *path != ".");
        let is_below = |file: &str| {
            folder.is_none_or(|folder| {
                let rest = file.strip_prefix(folder);
                folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let mut listed: Vec<ListedView> = Vec::new();
        let mut told: HashSet<Identity> = HashSet::new();
        for name in self.annotated_files_now(&head)? {
            for region in self.regions_of_file(&name)? {
                if told.insert(identity(&region)) && is_below(&name) {
                    listed.push(listed_view(region));
                }
            }
        }
        listed.extend(self.lost(&told)?.into_iter().filter(|one| is_below(&one.file)));
        listed.sort_by(|a, b| (&a.file, &a.symbol, &a.commit).cmp(&(&b.file, &b.symbol, &b.commit)));
        let count = |status: &str| listed.iter().filter(|one| one.status == status).count();
        let (current, moved, changed, lost) = (count("current"), count("moved"), count("changed"), count("lost"));
        if is_stale {
            listed.retain(|one| matches!(one.status, "changed" | "lost"));
        }
        Ok(AnnotationListView { annotations: listed, current, moved, changed, lost })
    }

    /// Returns the files of today that notes speak of, also under earlier names. Only where files are gone is git asked what the
    /// others were called.
    fn annotated_files_now(&self, head: &CommitId) -> Result<Vec<String>, Error> {
        let mut here = Vec::new();
        let mut gone = HashSet::new();
        for file in self.index().annotated_files()? {
            match TreePath::from_bytes(file.as_bytes())
                .ok()
                .map(|path| self.look_at(head, &path))
                .transpose()?
                .flatten()
            {
                Some(Found::File(_)) => here.push(file),
                Some(Found::Folder) => {}
                None => drop(gone.insert(file)),
            }
        }
        if gone.is_empty() {
            return Ok(here);
        }
        for path in self.store.repository().list_files(head, None).map_err(store::StoreError::from)? {
            let Some(name) = path.as_str().filter(|name| anchors::Language::of_path(name).is_some()) else { continue };
            let was_gone = |former: &str| gone.contains(former);
            if !here.iter().any(|known| known == name) && self.store.lineage(head, &path)?.former_names().any(was_gone)
            {
                here.push(name.to_owned());
            }
        }
        Ok(here)
    }

    fn regions_of_file(&self, file: &str) -> Result<Vec<RegionView>, Error> {
        let query = ReadQuery { max_regions: usize::MAX, depth: 0, ..ReadQuery::new(file) };
        let regions = self.read_annotations(&query)?.regions;
        Ok(regions.into_iter().filter(|region| region.code.status != "lost").collect())
    }

    /// Returns the annotations of this history that are told of no file.
    fn lost(&self, told: &HashSet<Identity>) -> Result<Vec<ListedView>, Error> {
        let head = self.here()?.head;
        let rows = self.index().regions_under("")?;
        let commits: Vec<_> = rows.iter().map(|row| row.commit).collect();
        let foreign: HashSet<_> = self.store.repository().not_reached_from(&head, &commits)?.into_iter().collect();
        let mut notes = Notes::new(self);
        let mut lost = Vec::new();
        for row in rows.iter().filter(|row| !foreign.contains(&row.commit)) {
            lost.extend(self.lost_row(&mut notes, row, told)?);
        }
        Ok(lost)
    }

    fn lost_row(
        &self,
        notes: &mut Notes<'_>,
        row: &RegionRow,
        told: &HashSet<Identity>,
    ) -> Result<Option<ListedView>, Error> {
        let Some(note) = notes.get(&row.blob)? else { return Ok(None) };
        let Some(region) = note.regions.get(row.place) else { return Ok(None) };
        let first = row.lines.map(|lines| lines.start);
        let own = (row.commit.to_string(), row.file.clone(), row.anchor.clone(), first, region.intent.clone());
        if told.contains(&own) {
            return Ok(None);
        }
        // A convention is about a folder, whatever becomes of the code in it.
        let status = if row.knowledge == AnnotationKind::Convention { "current" } else { "lost" };
        Ok(Some(ListedView {
            file: row.file.clone(),
            symbol: row.anchor.clone(),
            lines: None,
            status,
            intent: region.intent.clone(),
            commit: row.commit.to_string(),
            timestamp: row.timestamp.map(|at| at.to_string()),
            knowledge: knowledge(&note, region, (self.ambient.today)()),
        }))
    }
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
