//! Maps local statuses to remote ones. They are paired by the server's id; names count only at the first pull. A remote
//! status without a counterpart is added to the workflow under its own name; a local one without a counterpart maps to
//! the first remote status of the same category.

use std::collections::BTreeSet;

use model::workflow::{Category, Status, Workflow};
use taiga::dto::StatusId;

use super::pairing::{Pairing, Pairings};

/// The statuses of one kind on both sides.
#[derive(Debug, Clone)]
pub(super) struct Statuses {
    workflow: Workflow,
    remote: Vec<taiga::dto::Status>,
    /// The pairings stored in the log.
    known: Pairings,
    pairings: Pairings,
    default: Option<u64>,
}

impl Statuses {
    pub(super) fn new(
        workflow: Workflow,
        remote: &[taiga::dto::Status],
        default: Option<StatusId>,
        known: Pairings,
    ) -> Self {
        let mut remote = remote.to_vec();
        remote.sort_by_key(|status| (status.order, status.id));
        let pairings = pair(&workflow, &remote, &known);
        let is_known = |id: &u64| remote.iter().any(|status| status.id.0 == *id);
        let default = default.map(|id| id.0).filter(is_known);
        Self { workflow, remote, known, pairings, default }
    }

    /// Returns the remote statuses missing from the local workflow.
    pub(super) fn missing(&self) -> Vec<Status> {
        let named = self.remote.iter().map(|status| (status, &self.pairings[&status.id.0].name));
        let missing = named.filter(|(_, name)| self.workflow.try_find(name).is_none());
        missing.map(|(status, name)| as_local(status, name)).collect()
    }

    /// Returns the local statuses whose `closed` differs from the remote one, with the corrected value.
    pub(super) fn reclassified(&self) -> Vec<Status> {
        let follow = |status: &taiga::dto::Status| {
            let own = self.workflow.try_find(&self.pairings[&status.id.0].name)?;
            (own.closed != status.is_closed).then(|| Status {
                closed: status.is_closed,
                category: if own.category.closes() == status.is_closed { own.category } else { meaning(status) },
                ..own.clone()
            })
        };
        self.remote.iter().filter_map(follow).collect()
    }

    /// Returns the pairings to store; `None` for a status that was deleted in Taiga.
    pub(super) fn changed_pairings(&self) -> Vec<(u64, Option<&Pairing>)> {
        let new = self.pairings.iter().filter(|(id, pairing)| self.known.get(id) != Some(pairing));
        let gone = self.known.keys().filter(|id| !self.pairings.contains_key(id));
        new.map(|(id, pairing)| (*id, Some(pairing))).chain(gone.map(|id| (*id, None))).collect()
    }

    /// Returns the renamed statuses: old and new local name.
    pub(super) fn renamed(&self) -> Vec<(&str, &str)> {
        let both = self.pairings.iter().filter_map(|(id, now)| Some((self.known.get(id)?, now)));
        both.filter(|(before, now)| before.name != now.name).map(|(before, now)| (&*before.name, &*now.name)).collect()
    }

    /// Returns the statuses that a pull once added and that are no longer paired.
    pub(super) fn abandoned(&self) -> BTreeSet<&str> {
        let current = |name: &&str| self.pairings.values().all(|pairing| pairing.name != *name);
        let made = self.known.values().chain(self.pairings.values()).filter(|pairing| pairing.is_made);
        let names = made.flat_map(|pairing| pairing.former.iter().chain([&pairing.name])).map(String::as_str);
        names.filter(current).filter(|name| self.workflow.try_find(name).is_some()).collect()
    }

    /// Returns whether the remote status exists.
    pub(super) fn has(&self, id: u64) -> bool {
        self.pairings.contains_key(&id)
    }

    /// Returns the local name of a remote status.
    pub(super) fn name(&self, id: u64) -> Option<&str> {
        self.pairings.get(&id).map(|pairing| pairing.name.as_str())
    }

    /// Returns whether a name is an earlier local name of a status and no current one.
    pub(super) fn is_former(&self, name: &str) -> bool {
        let is_current = self.pairings.values().any(|pairing| pairing.name == name);
        !is_current && self.pairings.values().any(|pairing| pairing.former.iter().any(|former| former == name))
    }

    /// Returns whether a remote status is closed.
    pub(super) fn is_closed(&self, id: u64) -> bool {
        self.remote.iter().any(|status| status.id.0 == id && status.is_closed)
    }

    /// Returns the remote status of a local one; `None` if the remote side has no statuses.
    pub(super) fn id(&self, name: &str) -> Option<u64> {
        let by = |is_it: &dyn Fn(&Pairing) -> bool| {
            self.pairings.iter().find(|(_, pairing)| is_it(pairing)).map(|(id, _)| *id)
        };
        let former = || by(&|pairing| pairing.former.iter().any(|former| former == name));
        by(&|pairing| pairing.name == name).or_else(former).or_else(|| self.similar(name))
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

/// Pairs each remote status with a local name: its stored pairing, unless it was renamed in Taiga; else the same name,
/// else the same name ignoring case, spaces and hyphens, else its own name.
fn pair(workflow: &Workflow, remote: &[taiga::dto::Status], known: &Pairings) -> Pairings {
    let (kept, new): (Vec<_>, Vec<_>) = remote.iter().partition(|status| {
        let pairing = known.get(&status.id.0);
        pairing
            .is_some_and(|pairing| plain(&pairing.name) == plain(&status.name) || pairing.there == status.name.trim())
    });
    let mut pairings = Pairings::new();
    for status in kept {
        let pairing = Pairing { there: status.name.trim().to_owned(), ..known[&status.id.0].clone() };
        pairings.insert(status.id.0, pairing);
    }
    for status in new {
        let name = first_name(workflow, remote, &pairings, known, status.name.trim());
        let before = known.get(&status.id.0);
        let mut former = before.map(|pairing| pairing.former.clone()).unwrap_or_default();
        former.extend(before.map(|pairing| pairing.name.clone()));
        former.retain(|old| *old != name);
        let is_made = workflow.try_find(&name).is_none() || before.is_some_and(|pairing| pairing.is_made);
        let there = status.name.trim().to_owned();
        pairings.insert(status.id.0, Pairing { name, there, is_made, former });
    }
    pairings
}

/// Finds an unused local name. A merely similar name is not used if it once belonged to another status.
fn first_name(
    workflow: &Workflow,
    remote: &[taiga::dto::Status],
    pairings: &Pairings,
    known: &Pairings,
    own: &str,
) -> String {
    let is_taken = |name: &str| pairings.values().any(|pairing| pairing.name == name);
    let was_taken = |name: &str| known.values().any(|pairing| pairing.name == name);
    let is_exact = |name: &str| remote.iter().any(|status| status.name.trim() == name);
    let is_free = |name: &&str| !is_exact(name) && !is_taken(name) && !was_taken(name);
    let mut alike = workflow.statuses().iter().map(|known| known.name.as_str()).filter(is_free);
    let alike = alike.find(|name| plain(name) == plain(own));
    if workflow.try_find(own).is_some() && !is_taken(own) {
        return own.to_owned();
    }
    if let Some(alike) = alike {
        return alike.to_owned();
    }
    let numbered = (2..).map(|n| format!("{own} {n}"));
    [own.to_owned()].into_iter().chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn as_local(status: &taiga::dto::Status, name: &str) -> Status {
    let color = status.color.as_deref().and_then(super::mapping::hex_color).unwrap_or_else(|| "#97a0af".to_owned());
    Status {
        name: name.to_owned(),
        category: meaning(status),
        // Between the built-in statuses, whose order is 10, 20, …
        order: status.order.clamp(0, 100_000) * 10 + 5,
        color,
        closed: status.is_closed,
        limit: None,
    }
}

/// Guesses the category from the name: Taiga only says whether a status is closed.
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

    /// The default story statuses of a new Taiga project.
    fn usual() -> Statuses {
        let names = ["New", "Ready", "In progress", "Ready for test", "Done", "Archived"];
        let remote: Vec<_> = (1..).zip(names).map(|(id, name)| status(id, name, id > 4)).collect();
        Statuses::new(Workflow::built_in(ItemKind::Story), &remote, Some(StatusId(1)), Pairings::new())
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
    fn a_status_maps_to_one_with_the_same_meaning() {
        let statuses = usual();
        let ids = ["backlog", "review", "never heard of"].map(|name| statuses.id(name));
        assert_eq!(ids, [Some(1), Some(4), Some(1)]);
        let none = Statuses::new(Workflow::built_in(ItemKind::Story), &[], None, Pairings::new());
        assert_eq!(none.id("backlog"), None);
    }

    #[test]
    fn names_that_differ_in_spelling_stay_distinct() {
        let remote =
            [status(1, "In progress", false), status(2, "in_progress", false), status(3, "IN-PROGRESS", false)];
        let statuses = Statuses::new(Workflow::built_in(ItemKind::Task), &remote, None, Pairings::new());
        for id in 1..=3 {
            assert_eq!(statuses.id(statuses.name(id).unwrap()), Some(id));
        }
    }

    #[test]
    fn status_renamed_there_stays_the_same_one() {
        let mut before = usual();
        let names = ["New", "Prepared", "Ready", "Ready for test", "Done", "Archived"];
        let remote: Vec<_> = (1..).zip(names).map(|(id, name)| status(id, name, id > 4)).collect();
        before.workflow = with_missing(&before);
        let now = Statuses::new(before.workflow.clone(), &remote, Some(StatusId(1)), before.pairings.clone());
        assert_eq!(now.renamed(), [("ready", "Prepared"), ("in_progress", "Ready")]);
        assert_eq!((now.id("ready"), now.id("Prepared"), now.id("Ready")), (Some(2), Some(2), Some(3)));
        assert_eq!(now.id("in_progress"), Some(3), "its former name still means it");
        let again = Statuses::new(with_missing(&now), &remote, Some(StatusId(1)), now.pairings.clone());
        assert!(again.renamed().is_empty() && again.changed_pairings().is_empty() && again.missing().is_empty());
    }

    #[test]
    fn status_deleted_there_is_abandoned_if_a_pull_had_added_it() {
        let mut before = usual();
        before.workflow = with_missing(&before);
        let remote: Vec<_> = before.remote.iter().filter(|status| ![2, 4].contains(&status.id.0)).cloned().collect();
        let now = Statuses::new(before.workflow.clone(), &remote, Some(StatusId(1)), before.pairings);
        assert_eq!(now.abandoned().into_iter().collect::<Vec<_>>(), ["Ready for test"]);
        let gone: Vec<u64> =
            now.changed_pairings().into_iter().filter(|(_, one)| one.is_none()).map(|(id, _)| id).collect();
        assert_eq!(gone, [2, 4]);
    }

    #[test]
    fn closed_flag_there_is_followed() {
        let mut before = usual();
        before.workflow = with_missing(&before);
        let mut remote = before.remote.clone();
        remote[3].is_closed = true;
        let now = Statuses::new(before.workflow.clone(), &remote, None, before.pairings);
        let closed: Vec<(String, bool)> =
            now.reclassified().into_iter().map(|status| (status.name, status.closed)).collect();
        assert_eq!(closed, [("Ready for test".to_owned(), true)]);
    }

    /// The workflow after a pull.
    fn with_missing(statuses: &Statuses) -> Workflow {
        let mut entity = model::entity::Entity::new(Workflow::id(ItemKind::Story));
        let all = statuses.workflow.statuses().iter().cloned().chain(statuses.missing());
        for (n, status) in (1..).zip(all) {
            entity.apply(&model::op::Op {
                stamp: model::op::Stamp { lamport: n, id: model::id::OpId::shared(&n.to_string()) },
                entity: entity.id,
                at: jiff::Timestamp::UNIX_EPOCH,
                by: model::person::Person::new("", ""),
                imported: None,
                undoes: None,
                change: app::plan::set(&Status::field(&status.name), status.to_value()),
            });
        }
        Workflow::from_entity(ItemKind::Story, &entity)
    }
}
