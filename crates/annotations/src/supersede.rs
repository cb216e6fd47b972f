//! Superseded annotations: an annotation replaces others, which are kept and shown only on request.
//!
//! The fact is stored in the superseded annotation's own note, as a correction, so that no query has to look elsewhere
//! and it is carried with the note. It applies on every branch, like a flag.

use app::Error;
use model::annotation::{Correction, CorrectionKind, Extra, Note, Region};
use model::text::escape_line;
use serde_json::Value;
use store::git::CommitId;

use super::correct::RegionKey;
use super::find::Notes;
use super::paths::tree_path;
use crate::{Annotations, AnnotationsMut};

/// The key for superseded annotations in a region of a document. It is not stored: the superseded ones are marked.
const KEY: &str = "supersedes";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SupersededRegion {
    pub(super) commit: CommitId,
    pub(super) key: RegionKey,
}

/// Stores the names of superseded annotations in a region, for [`take_names`].
pub(super) fn put_names(region: &mut Region, names: &[String]) {
    if !names.is_empty() {
        region.extra.insert(KEY.to_owned(), names.iter().cloned().collect());
    }
}

/// Removes and returns the names of superseded annotations: a text or a list of texts.
pub(super) fn take_names(region: &mut Region) -> Result<Vec<String>, String> {
    let wrong = || format!("{KEY}` must be a list of `PATH:NAME` or `COMMIT:PATH:NAME`");
    match region.extra.remove(KEY) {
        None => Ok(Vec::new()),
        Some(Value::String(name)) => Ok(vec![name]),
        Some(Value::Array(names)) => {
            names.into_iter().map(|name| name.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

impl Annotations<'_> {
    /// Returns the commit of a word, if it looks like an id and exists.
    fn commit_of_name(&self, word: &str) -> Result<Option<CommitId>, Error> {
        Ok(if is_id(word) { self.store().repository().resolve_commit(word)? } else { None })
    }

    /// Returns the regions of a commit's note; with `PATH:NAME`, only those of that code.
    fn regions_at(&self, commit: CommitId, place: &str) -> Result<Vec<SupersededRegion>, Error> {
        let (path, name) = place.split_once(':').unwrap_or((place, ""));
        let Some(note) = Notes::new(*self).of_commit(&commit)? else { return Ok(Vec::new()) };
        let is_meant = |region: &&Region| {
            let is_there = path.is_empty() || region.file == path;
            is_there && (name.is_empty() || model::annotation::is_same_name(&region.anchor.name, name))
        };
        Ok(note.regions.iter().filter(is_meant).map(|region| SupersededRegion::of(commit, region)).collect())
    }

    /// Returns the current annotations of a function, or of a whole file or folder.
    fn regions_now(&self, path: &str, name: &str) -> Result<Vec<SupersededRegion>, Error> {
        if name.is_empty() {
            let folder = if matches!(path, "" | "." | "./") { ".".to_owned() } else { tree_path(path)?.to_string() };
            let rows = self.index().regions_in(&folder)?.into_iter().filter(|row| row.anchor.is_empty());
            let mut notes = Notes::new(*self);
            let mut found = Vec::new();
            for row in rows {
                let note = notes.get(&row.blob)?;
                let region = note.as_ref().and_then(|note| note.regions.get(row.place));
                found.extend(region.map(|region| SupersededRegion::of(row.commit, region)));
            }
            return Ok(found);
        }
        let scope = self.scope(self.query_commit()?.head, path, Some(name), None)?;
        if scope.targets().is_empty() {
            return Ok(Vec::new());
        }
        let hits = self.find_annotations(&scope)?.hits.into_iter();
        let named = hits.filter(|hit| !hit.region().anchor.name.is_empty());
        Ok(named.map(|hit| SupersededRegion::of(hit.commit, hit.region())).collect())
    }
}

impl AnnotationsMut<'_> {
    /// Finds annotations by name: `PATH:NAME` or a path in the current code, `COMMIT` or `COMMIT:PATH:NAME` as written.
    pub(super) fn find_superseded(
        &mut self,
        name: &str,
        noteref: Option<&str>,
    ) -> Result<Vec<SupersededRegion>, Error> {
        self.follow_annotations(noteref)?;
        let (first, rest) = name.split_once(':').unwrap_or((name, ""));
        let found = match self.shared().commit_of_name(first)? {
            Some(commit) => self.shared().regions_at(commit, rest)?,
            // An id that git does not know, followed by a place.
            None if is_id(first) && rest.contains(':') => Vec::new(),
            None => self.shared().regions_now(first, rest)?,
        };
        if found.is_empty() {
            return Err(Error::not_found(format!("annotation to supersede not found: `{}`", escape_line(name)))
                .hint("name it PATH:NAME, or COMMIT:PATH:NAME as `cairn annotate --list` shows them")
                .tool_hint("name it PATH:NAME or COMMIT:PATH:NAME"));
        }
        Ok(found)
    }
}

fn is_id(word: &str) -> bool {
    word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl SupersededRegion {
    pub(super) fn of(commit: CommitId, region: &Region) -> Self {
        Self { commit, key: RegionKey::of(region) }
    }
}

/// Author, text and time of a supersession.
pub(super) struct Supersession<'a> {
    pub(super) new_id: &'a dyn Fn() -> String,
    pub(super) author: &'a str,
    pub(super) at: jiff::Timestamp,
}

impl Supersession<'_> {
    /// Marks regions of a note as superseded by a newer one at `commit`.
    pub(super) fn mark(&self, note: &mut Note, keys: &[&RegionKey], by: &Region, commit: &CommitId) {
        let place = if by.anchor.name.is_empty() { by.file.clone() } else { format!("{}:{}", by.file, by.anchor.name) };
        let text = format!("superseded by {} {place}", &commit.to_string()[..10]);
        for region in note.regions.iter_mut().filter(|region| keys.contains(&&RegionKey::of(region))) {
            region.corrections.push(self.correction(None, &text));
        }
    }

    /// Withdraws the constraints of a region that its replacement at the same place, which will be merged with it, does
    /// not repeat.
    pub(super) fn withdraw(&self, old: &mut Region, new: &Region) {
        let kept = |one: &&model::annotation::Constraint| !new.constraints.iter().any(|other| other.text == one.text);
        let mut withdrawn: Vec<(&str, String)> =
            old.constraints.iter().filter(kept).map(|one| ("constraints", one.text.clone())).collect();
        for (field, was, is) in
            [("reasoning", &old.reasoning, &new.reasoning), ("risk_notes", &old.risk_notes, &new.risk_notes)]
        {
            withdrawn.extend(was.clone().filter(|was| Some(was) != is.as_ref()).map(|was| (field, was)));
        }
        withdrawn.retain(|(field, text)| !old.is_withdrawn(field, text));
        old.corrections.extend(withdrawn.into_iter().map(|(field, text)| self.correction(Some(field), &text)));
    }

    fn correction(&self, field: Option<&str>, text: &str) -> Correction {
        Correction {
            id: (self.new_id)(),
            kind: CorrectionKind::Supersede,
            field: field.map(str::to_owned),
            text: text.to_owned(),
            author: self.author.to_owned(),
            timestamp: Some(self.at),
            extra: Extra::new(),
        }
    }
}
