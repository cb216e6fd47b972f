//! The identity of files across renames: the earlier names of a file, and its current name.
//!
//! A name alone is ambiguous: `a.rs` may be renamed to `b.rs` and another file become `a.rs`. A record for a name at a
//! commit is about the file that had this name there.

use std::collections::HashSet;

use crate::git::{ANSWER_TIMEOUT, CommitId, FileEvent, TreePath};
use crate::index::EventChange;
use crate::open::{Store, StoreError};

/// Maximum number of names of one file that are followed.
const MAX_NAMES: usize = 100;

/// All names of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    names: Vec<FileName>,
}

/// A name of a file, with the commits between which it was valid.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileName {
    path: String,
    /// The commit that introduced the name; `None` if unknown.
    since: Option<CommitId>,
    /// The commit that ended the name; `None` for the current one.
    until: Option<CommitId>,
    /// Other files had this name at other times.
    is_shared: bool,
}

impl Lineage {
    /// Returns the names, current one first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| name.path.as_str())
    }

    /// Returns the earlier names, newest first.
    pub fn former_names(&self) -> impl Iterator<Item = &str> {
        let today = self.names.first().map(|name| name.path.as_str());
        self.names().skip(1).filter(move |name| Some(*name) != today)
    }

    fn of(names: impl IntoIterator<Item = String>) -> Self {
        let name = |path| FileName { path, since: None, until: None, is_shared: false };
        Self { names: names.into_iter().map(name).collect() }
    }
}

impl Store {
    /// Returns all names of the file `path` at the commit `head`.
    pub fn lineage(&self, head: &CommitId, path: &TreePath) -> Result<Lineage, StoreError> {
        let today = path.to_string();
        if !self.read_events(head) {
            // The cache is unavailable, or the history is too long to be read at once: ask git about this file only.
            let former = self.repository.former_names(head, path, ANSWER_TIMEOUT)?;
            let former = former.iter().filter_map(TreePath::as_str).map(str::to_owned);
            return Ok(Lineage::of(std::iter::once(today).chain(former)));
        }
        let mut names: Vec<FileName> = Vec::new();
        let mut next = Some((today, None));
        while let Some((path, until)) = next.take().filter(|_| names.len() < MAX_NAMES) {
            let creations = self.index.creations_of(&path)?;
            let is_shared = creations.len() > 1;
            let creation = self.creation_before(creations, until.as_ref())?;
            let since = creation.as_ref().map(|event| event.commit);
            next = creation.and_then(|event| Some((event.before?, Some(event.commit))));
            names.push(FileName { path, since, until, is_shared });
        }
        Ok(Lineage { names })
    }

    /// Returns whether a record for a name at a commit is about the file of this lineage.
    pub fn is_of(&self, lineage: &Lineage, commit: &CommitId, name: &str) -> Result<bool, StoreError> {
        for known in lineage.names.iter().filter(|known| known.path == name) {
            if !known.is_shared || self.had_name_at(known, commit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the name at `head` of the file that has `name` at `commit`. It may no longer exist there.
    pub fn name_at_head(&self, head: &CommitId, commit: &CommitId, name: &str) -> Result<String, StoreError> {
        let mut name = name.to_owned();
        if !self.read_events(head) {
            return Ok(name);
        }
        let mut at = *commit;
        for _ in 0..MAX_NAMES {
            let mut later = None;
            for event in self.index.departures_of(&name)? {
                // A rename on another branch counts as well: the branch was merged.
                if !self.is_ancestor(&event.commit, &at)? {
                    later = Some(event);
                    break;
                }
            }
            let Some(event) = later else { break };
            (name, at) = (event.after, event.commit);
        }
        Ok(name)
    }

    /// Returns the name at `head` of a file that no longer has `name`, following renames.
    pub fn renamed_to(&self, head: &CommitId, name: &str) -> Result<Option<String>, StoreError> {
        if !self.read_events(head) {
            return Ok(None);
        }
        let departures = self.index.departures_of(name)?;
        let Some(last) = departures.last() else { return Ok(None) };
        self.name_at_head(head, &last.commit, &last.after).map(Some)
    }

    /// Returns the names from which a file was renamed in the history of `head`; empty if that is unknown.
    pub fn departed_names(&self, head: &CommitId) -> Result<HashSet<String>, StoreError> {
        if self.read_events(head) { Ok(self.index.departed_names()?) } else { Ok(HashSet::new()) }
    }

    /// Brings the cached creations and renames to exactly the history of `head`; `false` if that fails.
    fn read_events(&self, head: &CommitId) -> bool {
        // Twice, because a process in another work tree may have moved it meanwhile.
        !self.repository.is_shallow().unwrap_or(true) && (0..2).any(|_| self.move_events(head).unwrap_or(false))
    }

    fn move_events(&self, head: &CommitId) -> Result<bool, StoreError> {
        let from = self.index.event_tip()?;
        if from.as_ref() == Some(head) {
            return Ok(true);
        }
        let gone = from.map(|from| self.repository.commits_beyond(&from, head, ANSWER_TIMEOUT));
        let change = match (from, gone) {
            (Some(from), Some(Ok(gone))) => {
                let events = self.repository.file_events(head, &[from], ANSWER_TIMEOUT)?;
                EventChange { from: Some(from), gone, events }
            }
            // The cached tip was garbage-collected, or there was none.
            _ => EventChange {
                events: self.repository.file_events(head, &[], ANSWER_TIMEOUT)?,
                ..EventChange::default()
            },
        };
        Ok(self.index.move_file_events(head, &change)?)
    }

    /// Returns the newest creation of a name that is not after the end of the name.
    fn creation_before(
        &self,
        creations: Vec<FileEvent>,
        until: Option<&CommitId>,
    ) -> Result<Option<FileEvent>, StoreError> {
        let Some(until) = until.filter(|_| creations.len() > 1) else { return Ok(creations.into_iter().next()) };
        for event in creations {
            if event.commit != *until && self.is_ancestor(&event.commit, until)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    fn had_name_at(&self, name: &FileName, commit: &CommitId) -> Result<bool, StoreError> {
        if let Some(since) = name.since.filter(|since| since != commit)
            && self.is_ancestor(commit, &since)?
        {
            return Ok(false);
        }
        match name.until {
            Some(until) => Ok(!self.is_ancestor(&until, commit)?),
            None => Ok(true),
        }
    }
}
