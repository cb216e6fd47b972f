//! Sprints and comments of a repository: sprints are milestones with a start and a due date.

use app::Project;
use app::people::People;
use app::verb::MoveTo;
use app::view::CommentView;
use app::{ChangeSet, NewItem};
use model::field::{self, FieldChange, StatusRef};
use model::item::{Item, ItemKind};
use model::item_ref::ItemRef;
use model::member::Member;
use model::number::ItemNumber;
use model::patch::Patch;
use model::person::{Person, PersonRef};
use model::workflow::State;
use serde_json::Value;
use store::index::{self, Row};

use super::LocalResult;
use super::read::{find, living, required};
use crate::Kind;
use crate::bridge::pull::details;
use crate::change::{CardMove, CardTarget, PlannedChanges};
use crate::entry::{Entry, Id, PlannedFields};
use crate::failure::{Conflict, IdPosition, Neighbor, Problem, Subject};
use crate::mapping::points::{points_of, size_of};
use crate::{Details, EntryComment, Sprint, SprintChange, SprintDraft};

/// Returns all milestones, newest first.
pub(super) fn sprints(project: &Project) -> LocalResult<Vec<Sprint>> {
    let query = index::ItemQuery { kinds: &[ItemKind::Milestone], include_closed: true, ..index::ItemQuery::default() };
    let mut rows = project.index().list(&query)?.rows;
    rows.sort_by_key(|row| std::cmp::Reverse(row.number));
    Ok(rows.iter().filter_map(sprint).collect())
}

pub(super) fn create_sprint(project: &mut Project, draft: &SprintDraft) -> LocalResult<Sprint> {
    let fields = vec![FieldChange::day(&field::STARTED, draft.start), FieldChange::day(&field::DUE, draft.finish)];
    let new = NewItem { fields, ..NewItem::new(ItemKind::Milestone, draft.name.clone()) };
    let id = project.create(&new)?.number;
    find_sprint(project, Id::new(id))
}

pub(super) fn update_sprint(project: &mut Project, id: Id, change: &SprintChange) -> LocalResult<Sprint> {
    let row = milestone(project, id)?.ok_or(Problem::NotFound(Subject::Sprint))?;
    change.check_days(row.item.started, row.item.due)?;
    let mut fields = Vec::new();
    if let Some(name) = &change.name {
        fields.push(FieldChange::parse(&field::TITLE, name)?);
    }
    fields.extend(change.start.map(|day| FieldChange::day(&field::STARTED, day)));
    fields.extend(change.finish.map(|day| FieldChange::day(&field::DUE, day)));
    let status = change.is_closed.map(|is_closed| new_status(project, &row, is_closed)).transpose()?.flatten();
    fields.extend(status.map(|status| FieldChange::status(StatusRef::Named(status))));
    project.edit(&[row.item.id.into()], &ChangeSet::of_fields(fields))?;
    find_sprint(project, Some(id))
}

/// Returns the status that opens or closes a milestone in this project's workflow; `None` if its state is already
/// right.
fn new_status(project: &Project, row: &Row, is_closed: bool) -> LocalResult<Option<String>> {
    if is_closed == (row.state == State::Closed) {
        return Ok(None);
    }
    let workflow = project.index().workflow(ItemKind::Milestone)?;
    let status = if is_closed { workflow.closing() } else { Some(workflow.initial()) };
    Ok(Some(status.ok_or(Problem::NoClosedStatus)?.name.clone()))
}

fn find_sprint(project: &Project, id: Option<Id>) -> LocalResult<Sprint> {
    let row = id.map(|id| milestone(project, id)).transpose()?.flatten();
    Ok(row.as_ref().and_then(sprint).ok_or(Problem::NotFound(Subject::Sprint))?)
}

/// Finds a milestone that is not deleted.
pub(super) fn milestone(project: &Project, id: Id) -> LocalResult<Option<Row>> {
    let row = project.index().item_by_number(ItemNumber::of_kind(ItemKind::Milestone, id.get()))?;
    Ok(row.filter(|row| row.item.kind == ItemKind::Milestone && !row.item.deleted))
}

fn sprint(row: &Row) -> Option<Sprint> {
    Some(Sprint {
        id: Id::new(row.number)?,
        name: row.item.title.clone(),
        start: row.item.started,
        finish: row.item.due,
        is_closed: row.state == State::Closed,
    })
}

/// Returns the custom fields and attachment names of an item that was pulled from Taiga.
pub(super) fn details(project: &Project, kind: Kind, id: Id) -> LocalResult<Details> {
    let extra = required(project, kind, id)?.item.extra;
    let fields = extra.get(details::FIELDS).and_then(Value::as_object).into_iter().flatten();
    let files = extra.get(details::FILES).and_then(Value::as_array).into_iter().flatten();
    Ok(Details {
        custom_fields: fields.map(|(name, value)| (name.clone(), value.clone())).collect(),
        attachments: files.filter_map(|file| file["name"].as_str()).map(str::to_owned).collect(),
    })
}

/// Moves an item in the repository's single order.
pub(super) fn move_card(project: &mut Project, kind: Kind, id: Id, card: &CardMove) -> LocalResult<Entry> {
    let row = required(project, kind, id)?;
    let near = |project: &Project, side: Neighbor, other: Id| -> LocalResult<ItemRef> {
        Ok(living(project, kind, other)?.ok_or(Problem::UnknownNeighbor(side))?.item.id.into())
    };
    let to = match card.target {
        CardTarget::Top => MoveTo::Top,
        CardTarget::Before(other) => MoveTo::Before(near(project, Neighbor::Before, other)?),
        CardTarget::After(other) => MoveTo::After(near(project, Neighbor::After, other)?),
    };
    project.move_item(&row.item.id.into(), &to)?;
    find(project, kind, id)
}

/// Returns the comments on an item, oldest first, without redacted ones.
pub(super) fn comments(project: &Project, kind: Kind, id: Id) -> LocalResult<Vec<EntryComment>> {
    let row = required(project, kind, id)?;
    let people = People::of(project)?;
    let comments = project.show(&row.item.id.into())?.comments.unwrap_or_default();
    Ok(comments
        .iter()
        .filter(|comment| !comment.body.is_empty())
        .map(|comment| show_comment(&people, comment))
        .collect())
}

pub(super) fn add_comment(project: &mut Project, kind: Kind, id: Id, text: &str) -> LocalResult<EntryComment> {
    let row = required(project, kind, id)?;
    project.comment(&row.item.id.into(), text, None)?;
    Ok(comments(project, kind, id)?.pop().ok_or(Problem::CommentNotListed)?)
}

fn show_comment(people: &People, comment: &CommentView) -> EntryComment {
    let author = Person::parse(&comment.author);
    EntryComment {
        id: comment.id.clone(),
        author: people.number(&author).and_then(Id::new),
        author_name: author.short().to_owned(),
        created: comment.created,
        text: comment.body.clone(),
        is_edited: !comment.former.is_empty(),
    }
}

/// Returns the planning fields of an item.
pub(super) fn planned(item: &Item, sprint: Option<Id>, assignees: Vec<Id>) -> PlannedFields {
    PlannedFields {
        sprint,
        due: item.due,
        points: item.size.and_then(points_of),
        assignees,
        orders: None,
        url: None,
        version: version(item),
    }
}

/// Returns a number that identifies this state of an item. It has no order: a larger number is not a later state.
fn version(item: &Item) -> Option<u64> {
    u64::from_str_radix(&item.revision, 16).ok()
}

/// Fails if the item changed since the caller read it.
pub(super) fn check_version(row: &Row, read: Option<u64>) -> LocalResult<()> {
    if read.is_none() || read == version(&row.item) {
        return Ok(());
    }
    Err(Problem::Conflict(Conflict::OtherVersion).into())
}

/// Returns the field changes for the planning fields.
pub(super) fn fields(project: &Project, planning: &PlannedChanges) -> LocalResult<Vec<FieldChange>> {
    let mut fields = Vec::new();
    match planning.sprint {
        Patch::Keep => {}
        Patch::Clear => fields.push(FieldChange::clear(&field::MILESTONE)),
        Patch::Set(id) => {
            let row = milestone(project, id)?.ok_or(Problem::UnknownSprint(id))?;
            fields.push(FieldChange::item(&field::MILESTONE, row.item.id));
        }
    }
    match planning.due {
        Patch::Keep => {}
        Patch::Clear => fields.push(FieldChange::clear(&field::DUE)),
        Patch::Set(day) => fields.push(FieldChange::day(&field::DUE, day)),
    }
    let size = match planning.points {
        Patch::Keep => None,
        Patch::Clear => Some(None),
        Patch::Set(points) => Some(size_of(points)),
    };
    fields.extend(size.map(|size| match size {
        None => FieldChange::clear(&field::SIZE),
        Some(size) => FieldChange::literal(&field::SIZE, size.name()),
    }));
    if let Some(everyone) = &planning.assignees {
        let first = persons(project, everyone)?.into_iter().next();
        fields.push(first.map_or_else(|| FieldChange::clear(&field::ASSIGN), FieldChange::assignee));
    }
    Ok(fields)
}

/// Adds the changes of further assignees.
pub(super) fn assignees(
    project: &Project,
    item: &Item,
    planning: &PlannedChanges,
    edit: &mut ChangeSet,
) -> LocalResult<()> {
    let Some(everyone) = &planning.assignees else { return Ok(()) };
    let wanted = persons(project, everyone)?;
    let has = |list: &[Person], person: &Person| list.iter().any(|one| Member::id_of(one) == Member::id_of(person));
    let others = wanted.iter().skip(1);
    let new = others.filter(|person| !has(&item.assignees, person)).cloned();
    edit.add_assignees = new.map(PersonRef::Known).collect();
    let gone = item.assignees.iter().filter(|person| !has(&wanted, person));
    edit.remove_assignees = gone.cloned().map(PersonRef::Known).collect();
    Ok(())
}

fn persons(project: &Project, ids: &[Id]) -> LocalResult<Vec<Person>> {
    let people = People::of(project)?;
    let find =
        |id: &Id| people.try_find(id.get()).ok_or_else(|| Problem::UnknownMember(*id, IdPosition::InList).into());
    ids.iter().map(find).collect()
}
