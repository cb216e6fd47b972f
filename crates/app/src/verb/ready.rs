//! Work that can be started now: in a status of the category `todo` and not blocked; the most urgent first.

use std::collections::HashMap;

use model::id::EntityId;
use model::item::ItemKind;
use model::number::ItemNumber;
use model::sort::{SortField, SortKey};
use model::workflow::Category;
use store::index::{Index, ItemQuery, Row};

use super::link::blocking_cycles;
use crate::cursor;
use crate::error::Error;
use crate::project::Project;
use crate::view::{ListView, ReadyView, Reference, WaitingView, item_views, reference};

const WORK: [ItemKind; 3] = [ItemKind::Issue, ItemKind::Task, ItemKind::Story];
const URGENT_FIRST: [SortKey; 2] =
    [SortKey { by: SortField::Priority, descending: true }, SortKey { by: SortField::Number, descending: false }];

/// Binds cursors to this list.
const CURSOR_NAME: &str = "ready";

impl Project {
    /// Returns the work that can be started.
    pub fn ready(&self, limit: Option<usize>) -> Result<ReadyView, Error> {
        let index = self.index();
        let query = ItemQuery { kinds: &WORK, sort: &URGENT_FIRST, limit, ready: true, ..ItemQuery::default() };
        let page = index.list(&query)?;
        Ok(ReadyView { items: item_views(index, page.rows)?, total: page.total, waiting: None, cycles: None })
    }

    /// Returns a page of the same work, after the cursor of the page before.
    pub fn ready_page(&self, limit: usize, cursor: Option<&str>) -> Result<ListView, Error> {
        let after = cursor.map(|text| cursor::read(CURSOR_NAME, text)).transpose()?;
        let index = self.index();
        let query = ItemQuery {
            kinds: &WORK,
            sort: &URGENT_FIRST,
            limit: Some(limit),
            after: after.as_ref(),
            ready: true,
            ..ItemQuery::default()
        };
        let page = index.list(&query)?;
        let next_cursor = page.next.map(|position| cursor::write(CURSOR_NAME, &position));
        Ok(ListView { items: item_views(index, page.rows)?, total: page.total, next_cursor })
    }

    /// Returns the same, and why the rest cannot be started.
    pub fn ready_explained(&self, limit: Option<usize>) -> Result<ReadyView, Error> {
        let (waiting, cycles) = (Some(waiting(self.index())?), Some(cycles(self.index())?));
        Ok(ReadyView { waiting, cycles, ..self.ready(limit)? })
    }
}

fn waiting(index: &Index) -> Result<Vec<WaitingView>, Error> {
    let mut blockers: HashMap<EntityId, Vec<ItemNumber>> = HashMap::new();
    for blocker in index.open_blockers()? {
        blockers.entry(blocker.waiting).or_default().push(blocker.reference);
    }
    let open = index.list(&ItemQuery { kinds: &WORK, sort: &URGENT_FIRST, ..ItemQuery::default() })?;
    let explained = open.rows.iter().map(|row| WaitingView { item: reference(row), reasons: reasons(row, &blockers) });
    Ok(explained.filter(|one| !one.reasons.is_empty()).collect())
}

fn reasons(row: &Row, blockers: &HashMap<EntityId, Vec<ItemNumber>>) -> Vec<String> {
    let mut reasons = Vec::new();
    if row.category != Category::Todo {
        let who = row.item.assignee.as_ref().map(|person| format!(" by {}", person.short())).unwrap_or_default();
        reasons.push(format!("it is in `{}`{who}", row.item.status));
    }
    match row.item.blocked.as_deref() {
        Some("") => reasons.push("it is blocked".to_owned()),
        Some(reason) => reasons.push(format!("it is blocked: {reason}")),
        None => {}
    }
    if let Some(numbers) = blockers.get(&row.item.id) {
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        reasons.push(format!("it waits for {}", numbers.join(", ")));
    }
    reasons
}

/// Returns the cycles of items that block each other.
pub(super) fn cycles(index: &Index) -> Result<Vec<Vec<Reference>>, Error> {
    let mut named = Vec::new();
    for cycle in blocking_cycles(&index.blocking_pairs()?) {
        let mut references = Vec::new();
        for id in cycle {
            references.extend(index.item(id)?.as_ref().map(reference));
        }
        named.push(references);
    }
    Ok(named)
}
