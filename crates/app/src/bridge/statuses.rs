//! Which status here is which there. A status of the other side that has no counterpart here is added to the workflow
//! under its own name; one of ours that has none there stands for the first of the same meaning.

use std::collections::BTreeMap;

use model::workflow::{Category, Status, Workflow};
use taiga::dto::StatusId;

/// The statuses of one kind on both sides.
#[derive(Debug, Clone)]
pub(super) struct Statuses {
    workflow: Workflow,
    remote: Vec<taiga::dto::Status>,
    names: BTreeMap<u64, String>,
    default: Option<u64>,
}

impl Statuses {
    pub(super) fn new(workflow: Workflow, remote: &[taiga::dto::Status], default: Option<StatusId>) -> Self {
        let mut remote = remote.to_vec();
        remote.sort_by_key(|status| (status.order, status.id));
        let names = counterparts(&workflow, &remote);
        let is_known = |id: &u64| remote.iter().any(|status| status.id.0 == *id);
        let default = default.map(|id| id.0).filter(is_known);
        Self { workflow, remote, names, default }
    }

    /// Returns the statuses that the workflow here lacks.
    pub(super) fn missing(&self) -> Vec<Status> {
        let is_missing = |name: &str| self.workflow.try_find(name).is_none();
        let missing = self.remote.iter().filter(|status| is_missing(&self.names[&status.id.0]));
        missing.map(as_local).collect()
    }

    /// Returns whether there is such a status there.
    pub(super) fn has(&self, id: u64) -> bool {
        self.names.contains_key(&id)
    }

    /// Returns what a status there is called here.
    pub(super) fn name(&self, id: u64) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }

    /// Tells whether items in a status there are done.
    pub(super) fn is_closed(&self, id: u64) -> bool {
        self.remote.iter().any(|status| status.id.0 == id && status.is_closed)
    }

    /// Returns what a status here is there; none if the other side has no statuses at all.
    pub(super) fn id(&self, name: &str) -> Option<u64> {
        let counterpart = self.names.iter().find(|(_, known)| *known == name).map(|(id, _)| *id);
        counterpart.or_else(|| self.similar(name))
    }

    fn similar(&self, name: &str) -> Option<u64> {
        let own = self.workflow.try_find(name);
        let (category, closed) = own.map_or((Category::Todo, false), |status| (status.category, status.closed));
        let is_open_default = |id: &u64| category == Category::Todo && !closed && !self.is_closed(*id);
        let first = |is_wanted: &dyn Fn(&taiga::dto::Status) -> bool| {
            let in_use = self.remote.iter().filter(|status| !status.is_archived);
            in_use.chain(&self.remote).find(|status| is_wanted(status)).map(|status| status.id.0)
        };
        self.default
            .filter(is_open_default)
            .or_else(|| first(&|status| status.is_closed == closed && meaning(status) == category))
            .or_else(|| first(&|status| status.is_closed == closed))
            .or(self.default)
            .or_else(|| first(&|_| true))
    }
}

/// Finds a name here for each status there: the same name, else the same but for case, spaces and hyphens, else its own.
fn counterparts(workflow: &Workflow, remote: &[taiga::dto::Status]) -> BTreeMap<u64, String> {
    let is_exact = |name: &str| remote.iter().any(|status| status.name.trim() == name);
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    for status in remote {
        let own = status.name.trim();
        let alike = workflow.statuses().iter().map(|known| known.name.as_str()).find(|name| {
            let is_free = !is_exact(name) && !names.values().any(|taken| taken == name);
            is_free && plain(name) == plain(own)
        });
        let name = if workflow.try_find(own).is_some() { own } else { alike.unwrap_or(own) };
        names.insert(status.id.0, name.to_owned());
    }
    names
}

fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn as_local(status: &taiga::dto::Status) -> Status {
    let colour = status.color.as_deref().and_then(super::terms::colour).unwrap_or_else(|| "#97a0af".to_owned());
    Status {
        name: status.name.trim().to_owned(),
        category: meaning(status),
        // Between the built-in ones, which stand at 10, 20, …
        order: status.order.clamp(0, 100_000) * 10 + 5,
        colour,
        closed: status.is_closed,
    }
}

/// What a status means, by its name: a Taiga says no more than whether it is closed.
fn meaning(status: &taiga::dto::Status) -> Category {
    let name = status.name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if status.is_closed {
        let is_dropped = has(&["reject", "won't", "wont", "duplicate", "cancel", "invalid", "postponed", "dropped"]);
        return if is_dropped { Category::Dropped } else { Category::Done };
    }
    if has(&["progress", "doing", "development"]) {
        Category::Doing
    } else if has(&["test", "review", "verif", "qa"]) {
        Category::Review
    } else {
        Category::Todo
    }
}

#[cfg(test)]
mod tests {
    use model::item::ItemKind;

    use super::*;

    fn status(id: u64, name: &str, is_closed: bool) -> taiga::dto::Status {
        let order = i64::try_from(id).unwrap();
        let is_archived = name == "Archived";
        taiga::dto::Status {
            id: StatusId(id),
            name: name.into(),
            slug: None,
            order,
            is_closed,
            is_archived,
            color: None,
        }
    }

    /// The statuses of stories in a new project.
    fn usual() -> Statuses {
        let names = ["New", "Ready", "In progress", "Ready for test", "Done", "Archived"];
        let remote: Vec<_> = (1..).zip(names).map(|(id, name)| status(id, name, id > 4)).collect();
        Statuses::new(Workflow::built_in(ItemKind::Story), &remote, Some(StatusId(1)))
    }

    #[test]
    fn each_status_there_has_one_here_and_leads_back() {
        let statuses = usual();
        let names: Vec<&str> = (1..=6).map(|id| statuses.name(id).unwrap()).collect();
        assert_eq!(names, ["New", "ready", "in_progress", "Ready for test", "done", "Archived"]);
        for id in 1..=6 {
            assert_eq!(statuses.id(statuses.name(id).unwrap()), Some(id));
        }
        let missing: Vec<String> = statuses.missing().into_iter().map(|status| status.name).collect();
        assert_eq!(missing, ["New", "Ready for test", "Archived"]);
    }

    #[test]
    fn a_status_of_ours_stands_for_one_that_means_the_same() {
        let statuses = usual();
        let ids = ["backlog", "review", "never heard of"].map(|name| statuses.id(name));
        assert_eq!(ids, [Some(1), Some(4), Some(1)]);
        let none = Statuses::new(Workflow::built_in(ItemKind::Story), &[], None);
        assert_eq!(none.id("backlog"), None);
    }

    #[test]
    fn names_that_differ_in_spelling_only_are_not_taken_for_one() {
        let remote =
            [status(1, "In progress", false), status(2, "in_progress", false), status(3, "IN-PROGRESS", false)];
        let statuses = Statuses::new(Workflow::built_in(ItemKind::Task), &remote, None);
        for id in 1..=3 {
            assert_eq!(statuses.id(statuses.name(id).unwrap()), Some(id));
        }
    }
}
