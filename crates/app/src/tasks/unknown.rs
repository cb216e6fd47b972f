//! Errors for unknown ids. Each lists existing ids, since no tool of the contract does.

use model::item::ItemKind;
use model::number::ItemNumber;
use model::sort::{SortField, SortKey};
use store::index::{Index, ItemQuery, Row};

use super::RequestedId;
use crate::error::Error;
use crate::people::People;

/// Maximum number of ids in an error: the newest ones.
const MAX_NAMED: usize = 10;

/// Maximum length of a title beside its id, in characters.
const MAX_TITLE: usize = 60;

/// Finds an item of a kind by number, unless it is deleted. A number out of range is unknown.
pub(super) fn living(index: &Index, kind: ItemKind, id: RequestedId) -> Result<Option<Row>, Error> {
    let row = by_number(index, kind, id)?;
    Ok(row.filter(|row| row.item.kind == kind && !row.item.deleted))
}

fn by_number(index: &Index, kind: ItemKind, id: RequestedId) -> Result<Option<Row>, Error> {
    let Ok(number) = u64::try_from(id) else { return Ok(None) };
    Ok(index.item_by_number(ItemNumber::of_kind(kind, number))?)
}

/// Returns a task, or the error for its id.
pub(super) fn find_task(index: &Index, id: RequestedId) -> Result<Row, Error> {
    if let Some(task) = living(index, ItemKind::Task, id)? {
        return Ok(task);
    }
    // Tasks share their number space with issues, stories and epics.
    let other = by_number(index, ItemKind::Task, id)?.filter(|row| !row.item.deleted);
    let reason = other.map_or_else(
        || format!("there is no task {id}"),
        |row| format!("{id} is {} {}, not a task", article(row.item.kind), row.item.kind),
    );
    Err(Error::not_found(format!("{reason}: {}", existing(index, ItemKind::Task)?)))
}

/// Returns a board, or the error for its id.
pub(super) fn find_board(index: &Index, id: RequestedId) -> Result<Row, Error> {
    if let Some(board) = living(index, ItemKind::Board, id)? {
        return Ok(board);
    }
    Err(Error::not_found(format!("there is no board {id}: {}", existing(index, ItemKind::Board)?)))
}

/// Returns the board of an argument, or the error for the argument.
pub(super) fn board_of_argument(index: &Index, id: RequestedId) -> Result<Row, Error> {
    if let Some(board) = living(index, ItemKind::Board, id)? {
        return Ok(board);
    }
    let existing = existing(index, ItemKind::Board)?;
    Err(Error::invalid(format!("board_id is {id}, and there is no such board: {existing}")))
}

/// Returns the error for an unknown owner id.
pub(super) fn no_such_owner(id: RequestedId, people: &People) -> Error {
    let named = people.members().take(MAX_NAMED).map(|(id, member)| format!("{id} is {}", member.name));
    let named: Vec<String> = named.collect();
    let existing = listed(&named, people.members().count(), "people");
    Error::invalid(format!("owner_id is {id}, and nobody here has that id: {existing}"))
}

fn existing(index: &Index, kind: ItemKind) -> Result<String, Error> {
    let sort = [SortKey { by: SortField::Number, descending: true }];
    let (kinds, limit) = ([kind], Some(MAX_NAMED));
    let page =
        index.list(&ItemQuery { kinds: &kinds, include_closed: true, sort: &sort, limit, ..ItemQuery::default() })?;
    let named = page.rows.iter().rev().map(|row| format!("{} is {}", row.number, shortened(&row.item.title)));
    let total = usize::try_from(page.total).unwrap_or(usize::MAX);
    Ok(listed(&named.collect::<Vec<_>>(), total, &format!("{kind}s")))
}

fn listed(named: &[String], total: usize, plural: &str) -> String {
    match (named.is_empty(), total.saturating_sub(named.len())) {
        (true, _) => format!("there are no {plural} yet"),
        (false, 0) => named.join(", "),
        (false, others) => format!("{}, and {others} more", named.join(", ")),
    }
}

fn shortened(title: &str) -> String {
    match title.char_indices().nth(MAX_TITLE) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    }
}

fn article(kind: ItemKind) -> &'static str {
    if matches!(kind, ItemKind::Issue | ItemKind::Epic) { "an" } else { "a" }
}
