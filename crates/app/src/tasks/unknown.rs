//! Finds tasks, boards and people by number. The error for an unknown number has existing ones: clients of tasks know
//! nothing but numbers, and some have no way to list them.

use model::item::ItemKind;
use model::number::ItemNumber;
use model::person::Person;
use model::sort::{SortField, SortKey};
use store::index::{Index, ItemQuery, Row};

use super::RequestedId;
use crate::error::{Detail, Error, ErrorKind, NumberedObject, UnknownNumber};
use crate::people::People;

/// Maximum number of existing objects in an error: the newest ones.
const MAX_EXISTING: usize = 10;

pub(super) fn find_task(index: &Index, id: RequestedId) -> Result<Row, Error> {
    if let Some(task) = living(index, ItemKind::Task, id)? {
        return Ok(task);
    }
    // Tasks share their number space with issues, stories and epics.
    let other = by_number(index, ItemKind::Task, id)?.filter(|row| !row.item.deleted);
    let taken_by = other.map(|row| row.item.kind);
    let (existing, n_existing) = existing(index, ItemKind::Task)?;
    let unknown = UnknownNumber { wanted: NumberedObject::Task, number: id, taken_by, existing, n_existing };
    Err(error(ErrorKind::NotFound, unknown))
}

/// Returns the board that a request is about.
pub(super) fn find_board(index: &Index, id: RequestedId) -> Result<Row, Error> {
    board(index, id, ErrorKind::NotFound)
}

/// Returns the board that a field of a request refers to.
pub(super) fn board_of_argument(index: &Index, id: RequestedId) -> Result<Row, Error> {
    board(index, id, ErrorKind::Invalid)
}

/// Returns the person with a number.
pub(super) fn owner(people: &People, id: RequestedId) -> Result<Person, Error> {
    let found = u64::try_from(id).ok().and_then(|number| people.try_find(number));
    found.ok_or_else(|| {
        let existing = people.members().take(MAX_EXISTING).map(|(id, member)| (id, member.name.clone())).collect();
        let n_existing = people.members().count();
        let unknown =
            UnknownNumber { wanted: NumberedObject::Person, number: id, taken_by: None, existing, n_existing };
        error(ErrorKind::Invalid, unknown)
    })
}

fn board(index: &Index, id: RequestedId, kind: ErrorKind) -> Result<Row, Error> {
    if let Some(board) = living(index, ItemKind::Board, id)? {
        return Ok(board);
    }
    let (existing, n_existing) = existing(index, ItemKind::Board)?;
    let unknown = UnknownNumber { wanted: NumberedObject::Board, number: id, taken_by: None, existing, n_existing };
    Err(error(kind, unknown))
}

/// Finds an item of a kind by number, unless it is deleted. A number out of range is unknown.
fn living(index: &Index, kind: ItemKind, id: RequestedId) -> Result<Option<Row>, Error> {
    let row = by_number(index, kind, id)?;
    Ok(row.filter(|row| row.item.kind == kind && !row.item.deleted))
}

fn by_number(index: &Index, kind: ItemKind, id: RequestedId) -> Result<Option<Row>, Error> {
    let Ok(number) = u64::try_from(id) else { return Ok(None) };
    Ok(index.item_by_number(ItemNumber::of_kind(kind, number))?)
}

/// Returns the newest items of a kind, ascending, and the number of all.
fn existing(index: &Index, kind: ItemKind) -> Result<(Vec<(u64, String)>, usize), Error> {
    let sort = [SortKey { by: SortField::Number, descending: true }];
    let (kinds, limit) = ([kind], Some(MAX_EXISTING));
    let page =
        index.list(&ItemQuery { kinds: &kinds, include_closed: true, sort: &sort, limit, ..ItemQuery::default() })?;
    let items = page.rows.into_iter().rev().map(|row| (row.number, row.item.title)).collect();
    Ok((items, usize::try_from(page.total).unwrap_or(usize::MAX)))
}

fn error(kind: ErrorKind, unknown: UnknownNumber) -> Error {
    let message = format!("{} not found: `{}`", unknown.wanted, unknown.number);
    Error::new(kind, message).detail(Detail::UnknownNumber(Box::new(unknown)))
}
