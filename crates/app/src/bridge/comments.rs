//! Comments, both ways. A pair is a comment here and one there; pairs are kept in a set of the item, `there` alone for one
//! that was brought over (its name here follows from that), `there=here` for one that was sent.

use std::collections::BTreeMap;

use model::comment::Comment;
use model::entity::Entity;
use model::id::OpId;
use model::op::Change;
use model::person::Person;
use store::{Origin, Step};
use taiga::dto::{ItemId, Kind as RemoteKind};
use taiga::{Client, Window};

use super::link::{COMMENTS, Far};
use super::people::People;

/// Reads all comments of an item, oldest first; those that were taken back are among them.
pub(super) fn fetch(client: &Client, kind: RemoteKind, id: u64) -> Result<Vec<taiga::dto::Comment>, taiga::Error> {
    let mut comments = Vec::new();
    loop {
        let window = Window::new(comments.len() as u64, Window::MAX_LIMIT)?;
        let page = client.comments(kind, ItemId(id), window)?;
        let is_last = page.items.is_empty() || page.total <= comments.len() as u64 + page.items.len() as u64;
        comments.extend(page.items);
        if is_last {
            comments.reverse();
            return Ok(comments);
        }
    }
}

/// Which comments are on both sides: by name there, the name here.
pub(super) fn pairs(far: &Far, entity: &Entity) -> BTreeMap<String, OpId> {
    let read = |member: &str| match member.split_once('=') {
        Some((there, here)) => Some((there.to_owned(), here.parse().ok()?)),
        None => Some((member.to_owned(), far.comment(member))),
    };
    entity.set_members(COMMENTS).into_iter().filter_map(read).collect()
}

/// Returns the comments here that have no counterpart there.
pub(super) fn unpaired(far: &Far, entity: &Entity) -> Vec<Comment> {
    let pairs = pairs(far, entity);
    entity.comments().into_iter().filter(|comment| !pairs.values().any(|paired| *paired == comment.id)).collect()
}

/// Returns a change that writes a pair down.
pub(super) fn pair(there: &str, here: OpId) -> Change {
    Change::Add { field: COMMENTS.to_owned(), value: format!("{there}={here}") }
}

/// Returns what a comment says there. What somebody else wrote says who, for there it will stand under our name.
pub(super) fn text(people: &People, me: u64, comment: &Comment) -> String {
    if people.term_of(&comment.author) == me { comment.body.clone() } else { signed(comment) }
}

fn signed(comment: &Comment) -> String {
    let day = comment.created.to_zoned(jiff::tz::TimeZone::UTC).date();
    format!("{}\n\n_{}, {day}_", comment.body, comment.author.short())
}

/// Tells whether a text there is a comment of ours, whichever of us sent it.
pub(super) fn is_said(comment: &Comment, there: &str) -> bool {
    there == comment.body || there == signed(comment)
}

/// Returns the steps that bring comments over, and how many comments that are.
pub(super) fn bring(
    far: &Far,
    people: &People,
    entity: &Entity,
    comments: &[taiga::dto::Comment],
) -> (Vec<Step>, usize) {
    let known = pairs(far, entity);
    let mut unpaired = unpaired(far, entity);
    let mut steps = Vec::new();
    let mut n_brought = 0;
    let taken_back = |comment: &&taiga::dto::Comment| comment.delete_comment_date.is_none();
    for comment in comments.iter().filter(taken_back).filter(|comment| !comment.text.trim().is_empty()) {
        if let Some(here) = known.get(&comment.id) {
            let edit = edited(far, people, entity, comment, *here);
            n_brought += usize::from(edit.is_some());
            steps.extend(edit);
            continue;
        }
        // One of ours that another clone sent: it is here already.
        if let Some(place) = unpaired.iter().position(|own| is_said(own, &comment.text)) {
            steps.push(Step::own(entity.id, pair(&comment.id, unpaired.remove(place).id)));
            continue;
        }
        let id = far.comment(&comment.id);
        let change = Change::Comment { body: comment.text.replace('\0', "") };
        let origin = Origin { at: comment.created_at, by: author(people, comment), id: Some(id) };
        if !entity.has_op(id) {
            n_brought += 1;
            steps.push(Step { entity: entity.id, change, origin: Some(origin) });
        }
        let pair = Change::Add { field: COMMENTS.to_owned(), value: comment.id.clone() };
        steps.push(Step::own(entity.id, pair));
    }
    (steps, n_brought)
}

/// Returns the step that brings a later text of a comment over.
fn edited(far: &Far, people: &People, entity: &Entity, comment: &taiga::dto::Comment, here: OpId) -> Option<Step> {
    let at = comment.edit_comment_date?;
    let id = far.edited_comment(&comment.id, at);
    let says = entity.comments().into_iter().find(|own| own.id == here)?.body;
    if entity.has_op(id) || says == comment.text {
        return None;
    }
    let change = Change::EditComment { comment: here, body: comment.text.replace('\0', "") };
    Some(Step { entity: entity.id, change, origin: Some(Origin { at, by: author(people, comment), id: Some(id) }) })
}

fn author(people: &People, comment: &taiga::dto::Comment) -> Person {
    let user = comment.user.as_ref();
    let id = user.and_then(|user| user.id);
    let username = user.and_then(|user| user.username.as_deref());
    let name = user.and_then(|user| user.name.as_deref());
    let term = id.map(|id| people.term(id.0, username));
    let person = term.and_then(|term| people.person(&term, name));
    person.unwrap_or_else(|| Person::new(name.or(username).unwrap_or("someone"), ""))
}
