//! Comments, both ways. A pair is a comment here and one there; pairs are kept in a set of the item, `there` alone for one
//! that was brought over (its name here follows from that), `there=here` for one that was sent.

use std::collections::BTreeMap;

use model::comment::Comment;
use model::entity::Entity;
use model::id::OpId;
use model::op::Change;
use model::person::Person;
use store::{Origin, Step};

use super::link::{COMMENTS, Far};
use super::people::People;

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

pub(super) fn signed(comment: &Comment) -> String {
    let day = comment.created.to_zoned(jiff::tz::TimeZone::UTC).date();
    format!("{}\n\n_{}, {day}_", comment.body, comment.author.short())
}

/// Tells whether a text there is a comment of ours, whichever of us sent it.
pub(super) fn is_said(comment: &Comment, there: &str) -> bool {
    there == comment.body || there == signed(comment)
}

/// Returns the steps that bring comments over, and how many comments that are. A comment that was deleted there is taken back here.
/// All steps bear the times and the names of the other side: an item does not count as changed because it was pulled.
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
    for comment in comments {
        if let Some(here) = known.get(&comment.id) {
            let followed = followed(far, people, entity, comment, *here);
            n_brought += usize::from(followed.is_some());
            steps.extend(followed);
            continue;
        }
        if comment.delete_comment_date.is_some() || comment.text.trim().is_empty() {
            continue;
        }
        // One of ours that another clone sent: it is here already.
        let by = author(people, comment);
        let dated = |change: Change, id: Option<OpId>| {
            let origin = Some(Origin { at: comment.created_at, by: by.clone(), id });
            Step { entity: entity.id, change, origin }
        };
        if let Some(place) = unpaired.iter().position(|own| is_said(own, &comment.text)) {
            steps.push(dated(pair(&comment.id, unpaired.remove(place).id), None));
            continue;
        }
        let id = far.comment(&comment.id);
        if !entity.has_op(id) {
            n_brought += 1;
            steps.push(dated(Change::Comment { body: comment.text.replace('\0', "") }, Some(id)));
        }
        steps.push(dated(Change::Add { field: COMMENTS.to_owned(), value: comment.id.clone() }, None));
    }
    (steps, n_brought)
}

/// Returns the step that follows what happened to a comment there since it was paired: it was edited, deleted, or brought back.
fn followed(far: &Far, people: &People, entity: &Entity, comment: &taiga::dto::Comment, here: OpId) -> Option<Step> {
    let says = entity.comments().into_iter().find(|own| own.id == here)?.body;
    let text = comment.text.replace('\0', "");
    let (body, at, by, id) = match (comment.delete_comment_date, comment.edit_comment_date) {
        (Some(_), _) if says.is_empty() => return None,
        (Some(at), _) => {
            let by = comment
                .delete_comment_user
                .as_ref()
                .map_or_else(|| author(people, comment), |who| person(people, Some(who)));
            (String::new(), at, by, Some(far.redacted_comment(&comment.id, at)))
        }
        (None, _) if says == text || text.trim().is_empty() => return None,
        // It was deleted and brought back.
        (None, at) if says.is_empty() => (text, at.unwrap_or(comment.created_at), author(people, comment), None),
        (None, Some(at)) => (text, at, author(people, comment), Some(far.edited_comment(&comment.id, at))),
        (None, None) => return None,
    };
    if id.is_some_and(|id| entity.has_op(id)) {
        return None;
    }
    let change = Change::EditComment { comment: here, body };
    Some(Step { entity: entity.id, change, origin: Some(Origin { at, by, id }) })
}

fn author(people: &People, comment: &taiga::dto::Comment) -> Person {
    person(people, comment.user.as_ref())
}

fn person(people: &People, user: Option<&taiga::dto::CommentAuthor>) -> Person {
    let id = user.and_then(|user| user.id);
    let username = user.and_then(|user| user.username.as_deref());
    let name = user.and_then(|user| user.name.as_deref());
    let term = id.map(|id| people.term(id.0, username));
    let person = term.and_then(|term| people.person(&term, name));
    person.unwrap_or_else(|| Person::new(name.or(username).unwrap_or("someone"), ""))
}
