//! Which file is meant by a name at a commit: the names a file had before, and the name it has now.
//!
//! A name alone does not tell: `a.rs` may be renamed to `b.rs` and another file become `a.rs`. What was recorded at a
//! commit for a name is about the file that had the name there.

use crate::git::{ANSWER_TIMEOUT, CommitId, FileEvent, TreePath};
use crate::index::EventChange;
use crate::open::{Store, StoreError};

/// How many names of one file are followed.
const MAX_NAMES: usize = 100;

/// The names of one file through time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    names: Vec<FileName>,
}

/// A name of a file, and from when to when it had it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileName {
    path: String,
    /// The commit that gave it the name; `None` when nobody knows.
    since: Option<CommitId>,
    /// The commit that took the name away; `None` for today's.
    until: Option<CommitId>,
    /// Other files had this name at other times.
    is_shared: bool,
}

impl Lineage {
    /// Returns the names, today's first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| name.path.as_str())
    }

    /// Returns the names it had before, the newest first.
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
    /// Returns the names that the file `path` of the commit `head` had through time.
    pub fn lineage(&self, head: &CommitId, path: &TreePath) -> Result<Lineage, StoreError> {
        let today = path.to_string();
        if !self.read_events(head) {
            // Nothing can be remembered, or the history is too long to be read at once: only this file is asked for.
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

    /// Tells whether what was recorded at a commit for a name is about the file of a lineage.
    pub fn is_of(&self, lineage: &Lineage, commit: &CommitId, name: &str) -> Result<bool, StoreError> {
        for known in lineage.names.iter().filter(|known| known.path == name) {
            if !known.is_shared || self.had_name_at(known, commit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns what the file that has a name at `commit` is called at `head`. It may no longer exist there.
    pub fn name_at_head(&self, head: &CommitId, commit: &CommitId, name: &str) -> Result<String, StoreError> {
        let mut name = name.to_owned();
        if !self.read_events(head) {
            return Ok(name);
        }
        let mut at = *commit;
        for _ in 0..MAX_NAMES {
            let mut later = None;
            for event in self.index.departures_of(&name)? {
                // On a branch of its own, a rename counts as well: the branch was merged.
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

    /// Returns what a file that no longer has a name is called at `head`, as far as one rename or more tells.
    pub fn renamed_to(&self, head: &CommitId, name: &str) -> Result<Option<String>, StoreError> {
        if !self.read_events(head) {
            return Ok(None);
        }
        let departures = self.index.departures_of(name)?;
        let Some(last) = departures.last() else { return Ok(None) };
        self.name_at_head(head, &last.commit, &last.after).map(Some)
    }

    /// Makes the index know the creations and renames of exactly the history of `head`; `false` when it cannot.
    fn read_events(&self, head: &CommitId) -> bool {
        // Twice, since a process in another work tree may have moved it elsewhere meanwhile.
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
            // The commit it stood at was cleaned away, or there was none.
            _ => EventChange {
                events: self.repository.file_events(head, &[], ANSWER_TIMEOUT)?,
                ..EventChange::default()
            },
        };
        Ok(self.index.move_file_events(head, &change)?)
    }

    /// Returns the newest creation of a name that does not come after the name was taken away again.
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
