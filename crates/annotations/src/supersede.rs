//! Knowledge that ages: an annotation takes the place of others, which are kept and shown only on request.
//!
//! That an annotation no longer holds is said in its own note, as a correction, so that no query has to look elsewhere and
//! it goes along whenever the note is carried. It holds on every branch, as a flag does.

use app::Error;
use model::annotation::{Correction, CorrectionKind, Extra, Note, Region};
use model::text::escape_line;
use serde_json::Value;
use store::git::CommitId;

use super::correct::RegionKey;
use super::find::Notes;
use super::paths::tree_path;
use crate::{Annotations, AnnotationsMut};

/// The key of a region, in a document, that names what it supersedes. It is not stored: the others are told.
const KEY: &str = "supersedes";

/// A region that no longer holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Superseded {
    pub(super) commit: CommitId,
    pub(super) key: RegionKey,
}

/// Puts what a region supersedes into it, for [`take_names`].
pub(super) fn put_names(region: &mut Region, names: &[String]) {
    if !names.is_empty() {
        region.extra.insert(KEY.to_owned(), names.iter().cloned().collect());
    }
}

/// Takes what a region says it supersedes out of it: a text or a list of texts.
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
    /// Returns the commit that a word names, when it looks like an id and is one.
    fn commit_of_name(&self, word: &str) -> Result<Option<CommitId>, Error> {
        Ok(if is_id(word) { self.store().repository().resolve_commit(word)? } else { None })
    }

    /// Returns the regions of a commit's note; with `PATH:NAME`, those of that code.
    fn regions_at(&self, commit: CommitId, place: &str) -> Result<Vec<Superseded>, Error> {
        let (path, name) = place.split_once(':').unwrap_or((place, ""));
        let Some(note) = Notes::new(*self).of_commit(&commit)? else { return Ok(Vec::new()) };
        let is_meant = |region: &&Region| {
            let is_there = path.is_empty() || region.file == path;
            is_there && (name.is_empty() || model::annotation::is_same_name(&region.anchor.name, name))
        };
        Ok(note.regions.iter().filter(is_meant).map(|region| Superseded::of(commit, region)).collect())
    }

    /// Returns what is told today of a function, or of a file or folder as a whole.
    fn regions_now(&self, path: &str, name: &str) -> Result<Vec<Superseded>, Error> {
        if name.is_empty() {
            let folder = if matches!(path, "" | "." | "./") { ".".to_owned() } else { tree_path(path)?.to_string() };
            let rows = self.index().regions_in(&folder)?.into_iter().filter(|row| row.anchor.is_empty());
            let mut notes = Notes::new(*self);
            let mut found = Vec::new();
            for row in rows {
                let note = notes.get(&row.blob)?;
                let region = note.as_ref().and_then(|note| note.regions.get(row.place));
                found.extend(region.map(|region| Superseded::of(row.commit, region)));
            }
            return Ok(found);
        }
        let scope = self.scope(self.here()?.head, path, Some(name), None)?;
        if scope.targets().is_empty() {
            return Ok(Vec::new());
        }
        let hits = self.find_annotations(&scope)?.hits.into_iter();
        let named = hits.filter(|hit| !hit.region().anchor.name.is_empty());
        Ok(named.map(|hit| Superseded::of(hit.commit, hit.region())).collect())
    }
}

impl AnnotationsMut<'_> {
    /// Finds the annotations that a name means: `PATH:NAME` or a path as the code is now, `COMMIT` or `COMMIT:PATH:NAME` as
    /// they were written.
    pub(super) fn find_superseded(&mut self, name: &str, noteref: Option<&str>) -> Result<Vec<Superseded>, Error> {
        self.follow_annotations(noteref)?;
        let (first, rest) = name.split_once(':').unwrap_or((name, ""));
        let found = match self.shared().commit_of_name(first)? {
            Some(commit) => self.shared().regions_at(commit, rest)?,
            // An id that git does not know, with a place behind it.
            None if is_id(first) && rest.contains(':') => Vec::new(),
            None => self.shared().regions_now(first, rest)?,
        };
        if found.is_empty() {
            return Err(Error::not_found(format!("annotation to supersede not found: `{}`", escape_line(name)))
                .hint("name it PATH:NAME, or COMMIT:PATH:NAME as `cairn annotate --list` shows them"));
        }
        Ok(found)
    }
}

fn is_id(word: &str) -> bool {
    word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Superseded {
    fn of(commit: CommitId, region: &Region) -> Self {
        Self { commit, key: RegionKey::of(region) }
    }
}

/// Who says that something no longer holds, in what words, and when.
pub(super) struct Superseding<'a> {
    pub(super) new_id: &'a dyn Fn() -> String,
    pub(super) author: &'a str,
    pub(super) at: jiff::Timestamp,
}

impl Superseding<'_> {
    /// Says of the regions of a note that a newer one, at `commit`, takes their place.
    pub(super) fn mark(&self, note: &mut Note, keys: &[&RegionKey], by: &Region, commit: &CommitId) {
        let place = if by.anchor.name.is_empty() { by.file.clone() } else { format!("{}:{}", by.file, by.anchor.name) };
        let text = format!("superseded by {} {place}", &commit.to_string()[..10]);
        for region in note.regions.iter_mut().filter(|region| keys.contains(&&RegionKey::of(region))) {
            region.corrections.push(self.correction(None, &text));
        }
    }

    /// Withdraws what a region says and the newer one of the same place, which is about to join it, does not repeat.
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
