//! Severities, types and priorities: names and numbers here, ids of the project's own lists in Taiga.

use taiga::dto::Project;

use super::priority_scale::PriorityScale;
use crate::Priority;

/// One value of a Taiga list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LookupEntry {
    id: u64,
    name: String,
    order: i64,
}

/// A list of named values in Taiga.
#[derive(Debug, Clone, Default)]
pub(crate) struct LookupTable {
    entries: Vec<LookupEntry>,
    default: Option<u64>,
}

impl LookupTable {
    /// The severities of issues.
    pub(crate) fn severities(project: &Project) -> Self {
        let entries = project.severities.iter().map(|one| entry(one.id.0, &one.name, one.order)).collect();
        Self::new(entries, project.default_severity.map(|id| id.0))
    }

    /// The types of issues.
    pub(crate) fn types(project: &Project) -> Self {
        let entries = project.issue_types.iter().map(|one| entry(one.id.0, &one.name, one.order)).collect();
        Self::new(entries, project.default_issue_type.map(|id| id.0))
    }

    fn new(mut entries: Vec<LookupEntry>, default: Option<u64>) -> Self {
        entries.sort_by_key(|entry| (entry.order, entry.id));
        let default = default.filter(|id| entries.iter().any(|entry| entry.id == *id));
        Self { entries, default }
    }

    pub(crate) fn has(&self, id: u64) -> bool {
        self.entries.iter().any(|entry| entry.id == id)
    }

    pub(crate) fn name(&self, id: u64) -> Option<&str> {
        self.entries.iter().find(|entry| entry.id == id).map(|entry| entry.name.trim())
    }

    /// Returns the id of a name; without a name, the project's default.
    pub(crate) fn id(&self, word: Option<&str>) -> Option<u64> {
        let Some(word) = word else { return self.default };
        let is_exact = |entry: &&LookupEntry| entry.name.trim() == word.trim();
        let is_same = |entry: &&LookupEntry| entry.name.trim().to_lowercase() == word.trim().to_lowercase();
        let found = self.entries.iter().find(is_exact).or_else(|| self.entries.iter().find(is_same));
        found.map(|entry| entry.id)
    }

    /// Returns all names, for messages.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.entries.iter().map(|entry| entry.name.trim()).collect();
        names.join(", ")
    }
}

/// The priorities of issues: ids in Taiga, 0 to 10 here.
#[derive(Debug, Clone, Default)]
pub(crate) struct Priorities {
    scale: PriorityScale,
    default: Option<u64>,
}

impl Priorities {
    pub(crate) fn of(project: &Project) -> Self {
        let entries = project.priorities.iter().map(|one| entry(one.id.0, &one.name, one.order)).collect();
        Self::new(entries, project.default_priority.map(|id| id.0))
    }

    /// Returns the name of a priority.
    pub(crate) fn word(&self, id: u64) -> Option<Priority> {
        self.scale.word(id)
    }

    fn new(entries: Vec<LookupEntry>, default: Option<u64>) -> Self {
        let LookupTable { entries, default } = LookupTable::new(entries, default);
        let named: Vec<(u64, &str)> = entries.iter().map(|entry| (entry.id, entry.name.as_str())).collect();
        Self { scale: PriorityScale::new(&named), default }
    }

    /// Returns the local number of a priority.
    pub(crate) fn number(&self, id: u64) -> Option<u8> {
        self.scale.number(id)
    }

    /// Returns the representative of all priorities with the same local number. With up to ten priorities, that is the
    /// priority itself.
    pub(crate) fn canonical(&self, id: u64) -> Option<u64> {
        self.scale.nearest(self.number(id)?)
    }

    /// Returns the Taiga priority of a number; the project's default for 0.
    pub(crate) fn id(&self, number: u8) -> Option<u64> {
        match number {
            0 => self.default.and_then(|id| self.canonical(id)),
            _ => self.scale.nearest(number),
        }
    }
}

fn entry(id: u64, name: &str, order: i64) -> LookupEntry {
    LookupEntry { id, name: name.to_owned(), order }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Vec<LookupEntry> {
        let entry = |((id, order), name): ((u64, i64), &&str)| LookupEntry { id, name: (*name).to_owned(), order };
        (1..).zip(1..).zip(names).map(entry).collect()
    }

    #[test]
    fn numbers_lead_to_a_priority_and_none_to_the_default() {
        let usual = Priorities::new(list(&["Low", "Normal", "High"]), Some(2));
        assert_eq!([1, 2, 3].map(|id| usual.number(id)), [Some(3), Some(5), Some(7)]);
        assert_eq!([0, 1, 4, 6, 10].map(|number| usual.id(number)), [Some(2), Some(1), Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn a_word_is_found_in_any_case_and_none_is_the_default() {
        let entries = LookupTable::new(list(&["Minor", "major", "Major"]), Some(1));
        assert_eq!(entries.id(Some("MINOR")), Some(1));
        assert_eq!((entries.id(Some("Major")), entries.id(Some("major"))), (Some(3), Some(2)));
        assert_eq!((entries.id(None), entries.id(Some("awful"))), (Some(1), None));
    }
}
