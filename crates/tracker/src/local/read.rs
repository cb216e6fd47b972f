//! Lists and finds work items.

use std::collections::HashMap;

use app::Project;
use app::people::People;
use model::filter::Expr;
use model::id::EntityId;
use model::number::ItemNumber;
use model::sort::{SortField, SortKey};
use model::workflow::State;
use store::index;
use store::index::Row;

use super::lookup::Statuses;
use super::{LocalResult, extended, project_id, query};
use crate::Kind;
use crate::change::{Blocking, EntryOrder, EntryQuery};
use crate::entry::{Entry, EntryPage, Id, Window};
use crate::failure::{Problem, Subject};
use crate::mapping::local_kind;
use crate::priority::Priority;

/// Oldest first, so that concurrent changes do not shift pages.
const BY_NUMBER: [SortKey; 1] = [SortKey { by: SortField::Number, descending: false }];

/// By rank, the order of cards.
const BY_RANK: [SortKey; 1] = [SortKey { by: SortField::Rank, descending: false }];

/// Returns a page of a list.
pub(super) fn list(project: &Project, kind: Kind, query: &EntryQuery, window: Window) -> LocalResult<EntryPage<Entry>> {
    let mut reader = Reader::new(project, kind)?;
    let filter = query::filter(project, kind, query, &reader.statuses, &reader.people)?;
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let page = project.index().list(&index::ItemQuery {
        kinds: &[local_kind(kind)],
        filter: (filter != Expr::True).then_some(&filter),
        words: query.words.as_deref(),
        include_closed: true,
        sort: if query.order == EntryOrder::Created { &BY_NUMBER } else { &BY_RANK },
        skip: count(window.offset),
        limit: Some(count(window.limit)),
        ..index::ItemQuery::default()
    })?;
    let entries: LocalResult<Vec<Entry>> = page.rows.into_iter().map(|row| reader.entry(row)).collect();
    let mut items = entries?;
    for entry in &mut items {
        entry.description = None;
    }
    Ok(EntryPage { items, total: page.total })
}

/// Returns one work item.
pub(super) fn find(project: &Project, kind: Kind, id: Id) -> LocalResult<Entry> {
    Reader::new(project, kind)?.entry(required(project, kind, id)?)
}

/// Finds an item of a kind that is not deleted.
pub(super) fn living(project: &Project, kind: Kind, id: Id) -> LocalResult<Option<Row>> {
    let row = project.index().item_by_number(ItemNumber::of_kind(local_kind(kind), id.get()))?;
    Ok(row.filter(|row| row.item.kind == local_kind(kind) && !row.item.deleted))
}

/// Finds an item of a kind, or fails with `NotFound`.
pub(super) fn required(project: &Project, kind: Kind, id: Id) -> LocalResult<Row> {
    Ok(living(project, kind, id)?.ok_or(Problem::NotFound(Subject::Work(kind)))?)
}

/// Converts rows into entries.
pub(super) struct Reader<'a> {
    project: &'a Project,
    kind: Kind,
    pub(super) statuses: Statuses,
    pub(super) people: People,
    /// Cache of resolved parents and milestones.
    above: HashMap<EntityId, Option<Id>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(project: &'a Project, kind: Kind) -> LocalResult<Self> {
        let (statuses, people) = (Statuses::of(project, kind)?, People::of(project)?);
        Ok(Self { project, kind, statuses, people, above: HashMap::new() })
    }

    pub(super) fn entry(&mut self, row: Row) -> LocalResult<Entry> {
        let item = row.item;
        let assignee = item.assignee.as_ref().and_then(|person| self.people.number(person).and_then(Id::new));
        let assignees =
            item.assignees.iter().filter_map(|person| self.people.number(person).and_then(Id::new)).collect();
        let planned =
            extended::planned(&item, item.milestone.map(|id| self.sprint(id)).transpose()?.flatten(), assignees);
        Ok(Entry {
            id: Id::new(row.number).ok_or(Problem::InvalidId)?,
            number: row.number,
            kind: self.kind,
            project: project_id(),
            status: self.statuses.id(&item.status),
            status_name: item.status,
            is_closed: row.state == State::Closed,
            assignee,
            planned,
            parent: item.parent.map(|id| self.above(id)).transpose()?.flatten(),
            subject: item.title,
            description: Some(item.description),
            tags: item.labels,
            priority: Priority::from_number(item.priority).filter(|_| self.kind != Kind::Epic),
            blocking: item.blocked.map_or(Blocking::No, |reason| Blocking::from_reason(&reason)),
            color: item.color,
            severity: item.severity,
            type_: item.type_,
            version: None,
            created: item.created,
            modified: item.updated,
        })
    }

    /// Returns the id of a milestone, unless it is deleted.
    fn sprint(&mut self, id: EntityId) -> LocalResult<Option<Id>> {
        if let Some(known) = self.above.get(&id) {
            return Ok(*known);
        }
        let row = self.project.index().item(id)?.filter(|row| !row.item.deleted);
        let found = row.and_then(|row| Id::new(row.number));
        self.above.insert(id, found);
        Ok(found)
    }

    /// Returns the id of the parent epic or story; `None` for another kind or a deleted parent.
    fn above(&mut self, id: EntityId) -> LocalResult<Option<Id>> {
        if let Some(known) = self.above.get(&id) {
            return Ok(*known);
        }
        let wanted = match self.kind {
            Kind::Story => Some(Kind::Epic),
            Kind::Task => Some(Kind::Story),
            Kind::Epic | Kind::Issue => None,
        };
        let row = self.project.index().item(id)?;
        let row = row.filter(|row| !row.item.deleted && wanted.map(local_kind) == Some(row.item.kind));
        let found = row.and_then(|row| Id::new(row.number));
        self.above.insert(id, found);
        Ok(found)
    }
}
